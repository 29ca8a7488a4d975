//! From near the active constraints onto them: Newton steps until all constraints are met exactly.

use super::Smooth;
use super::cholesky::{factor, half, row, solve};
use super::lagrangian::Augmented;
use super::merit::Merit;
use super::store::{Part, Store, largest, sum, times};
use crate::real::Float;

/// The most Newton steps.
pub(super) const STEPS: u32 = 40;
/// After so many, all active constraints aim lower together: one that depends on others is left out of the equations, and
/// follows them alone.
const TOGETHER: u32 = 10;

/// Places for equations with an unknown for each constraint.
#[derive(Clone, Copy)]
pub(super) struct Equations<S> {
    /// The lower half of their matrix.
    pub(super) matrix: Part<S>,
    /// Their right sides, and the unknowns.
    pub(super) vector: Part<S>,
    margins: Part<S>,
}

impl<S: Copy> Equations<S> {
    /// How many numbers they need.
    pub(super) const fn numbers(constraints: usize) -> usize {
        half(constraints) + 2 * constraints
    }

    /// The places, cut from `room`.
    #[inline]
    pub(super) fn new(constraints: usize, room: &mut Part<S>) -> Self {
        Equations {
            matrix: room.take(half(constraints)),
            vector: room.take(constraints),
            margins: room.take(constraints),
        }
    }
}

/// Moves `x` onto the active constraints: those with a multiplier, and those that are not met.
///
/// Each step is the shortest, in parts of the ranges, to where the constraints' linear models are zero. Rounding keeps
/// the last steps from what they aim at; then those constraints that are not met aim at a margin below zero, of the
/// size of that rounding, which is doubled until all are met.
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

/// Whether a constraint counts as active where it was evaluated last.
#[inline(always)]
fn is_active<R: Float, L: Smooth<R>, S: Store<R>>(
    merit: &Augmented<'_, '_, R, L, S>,
    k: usize,
) -> bool {
    merit.rows.multipliers.get(k) > R::ZERO || merit.constraint(k) > R::ZERO
}

/// A Newton step from `x`, where derivatives are known: x - D^2 J^T (J D^2 J^T)^-1 (c + margin), with J the rows of
/// the active constraints, D the ranges of the coordinates between their bounds, and zero for those at one.
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
            // The unknowns of constraints that are not active are zero.
            let along = sum(m, |k| vector.get(k) * jacobian.get(k * n + i));
            let (lower, upper) = merit.bounds(i);
            x.set(i, (x.get(i) - merit.reach(i) * along).clamp_to(lower, upper));
        }
    }
}
