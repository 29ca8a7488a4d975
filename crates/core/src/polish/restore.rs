//! From near the active constraints onto them: Newton steps until all constraints are satisfied exactly.

use super::Smooth;
use super::cholesky::{factor, half, row, solve};
use super::lagrangian::Augmented;
use super::merit::Merit;
use super::store::{Part, Store, largest, sum, times};
use crate::real::Float;

/// The largest number of Newton steps.
pub(super) const STEPS: u32 = 40;
/// After this many steps, all active constraints aim lower together. A constraint that depends on others is left out of
/// the equations, and only follows them.
const TOGETHER: u32 = 10;

/// Room for equations with an unknown for each constraint.
#[derive(Clone, Copy)]
pub(super) struct Equations<S> {
    /// The lower half of the matrix.
    pub(super) matrix: Part<S>,
    /// The right-hand sides, then the unknowns.
    pub(super) vector: Part<S>,
    margins: Part<S>,
}

impl<S: Copy> Equations<S> {
    /// The length, in numbers.
    pub(super) const fn numbers(constraints: usize) -> usize {
        half(constraints) + 2 * constraints
    }

    /// The parts of `room`.
    #[inline]
    pub(super) fn new(constraints: usize, room: &mut Part<S>) -> Self {
        Equations {
            matrix: room.take(half(constraints)),
            vector: room.take(constraints),
            margins: room.take(constraints),
        }
    }
}

/// Moves `x` onto the active constraints: those with a multiplier, and those that are violated.
///
/// Each step is the shortest, in scaled coordinates, to where the constraints' linear models are zero. Rounding errors
/// make the last steps miss their aim. Then violated constraints aim at a margin below zero, of the size of these
/// errors, which is doubled until all are satisfied.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
pub(super) fn restore<R: Float, L: Smooth<R>, S: Store<R>>(
    merit: &mut Augmented<'_, '_, R, L, S>,
    x: Part<S>,
    equations: &Equations<S>,
) {
    let m = merit.constraints();
    let margins = equations.margins;
    for k in 0..m {
        margins.set(k, R::ZERO);
    }
    let mut before = R::INFINITY;
    for taken in times(STEPS) {
        if !merit.value(x).is_finite() || !merit.differentiate(x) {
            return;
        }
        let off = largest(m, |k| {
            let off = (merit.constraint(k) + margins.get(k)).abs();
            if is_active(merit, k) { off } else { R::ZERO }
        });
        let settled = off == R::ZERO || off > R::HALF * before;
        if settled {
            let unmet = |k: usize| merit.constraint(k).larger(R::ZERO);
            let worst = largest(m, unmet);
            if worst == R::ZERO {
                return;
            }
            for k in 0..m {
                let least = if taken < TOGETHER { unmet(k) } else { worst };
                if least > R::ZERO && is_active(merit, k) {
                    margins.set(k, R::TWO * margins.get(k).larger(least));
                }
            }
        }
        before = off;
        step(merit, x, equations);
    }
}

/// Whether a constraint counts as active at the point evaluated last.
#[inline(always)]
fn is_active<R: Float, L: Smooth<R>, S: Store<R>>(
    merit: &Augmented<'_, '_, R, L, S>,
    k: usize,
) -> bool {
    merit.rows.multipliers.get(k) > R::ZERO || merit.constraint(k) > R::ZERO
}

/// A Newton step from `x`, where derivatives are known: x - D^2 J^T (J D^2 J^T)^-1 (c + margin), with J the rows of
/// the active constraints, and D the ranges of the coordinates, zero for those at a bound.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
fn step<R: Float, L: Smooth<R>, S: Store<R>>(
    merit: &Augmented<'_, '_, R, L, S>,
    x: Part<S>,
    equations: &Equations<S>,
) {
    let (n, m) = (merit.dimensions(), merit.constraints());
    let Equations { matrix, vector, margins } = *equations;
    for k in 0..m {
        let active = is_active(merit, k);
        vector.set(k, if active { merit.constraint(k) + margins.get(k) } else { R::ZERO });
        for other in 0..=k {
            let entry = if active && is_active(merit, other) {
                merit.product(k, Some(other), |i| merit.is_inside(x, i))
            } else if other == k {
                R::ONE
            } else {
                R::ZERO
            };
            matrix.set(row(k) + other, entry);
        }
    }
    // Rows that depend on others are left out.
    factor(m, matrix);
    solve(m, matrix, vector);
    for i in 0..n {
        if merit.is_inside(x, i) {
            let jacobian = merit.rows.jacobian;
            // The unknowns of inactive constraints are zero.
            let along = sum(m, |k| vector.get(k) * jacobian.get(k * n + i));
            let (lower, upper) = merit.bounds(i);
            x.set(i, (x.get(i) - merit.reach(i) * along).clamp_to(lower, upper));
        }
    }
}
