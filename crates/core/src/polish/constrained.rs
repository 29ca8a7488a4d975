//! Descent with constraints.

use super::bounded::{Frame, Stop, descend};
use super::cholesky::{factor, half, row, solve};
use super::lagrangian::Augmented;
use super::merit::Merit;
use super::store::{Part, Store, largest};
use super::{Smooth, Status};
use crate::real::Real;

/// Rounds of multipliers.
const ROUNDS: u32 = 30;
/// The penalty to begin with.
const PENALTY: f64 = 10.0;
/// Constraints this near to zero, in parts of the box, may be active at the start.
const NEAR: f64 = 1e-2;
/// Sweeps of the first estimate of multipliers.
const SWEEPS: u32 = 100;
/// Newton steps onto the constraints.
const RESTORATIONS: u32 = 40;

/// Places for the equations of the active constraints.
#[derive(Clone, Copy)]
pub(super) struct Equations<S> {
    matrix: Part<S>,
    vector: Part<S>,
    margins: Part<S>,
}

impl<S: Copy> Equations<S> {
    pub(super) const fn numbers(constraints: usize) -> usize {
        half(constraints) + 2 * constraints
    }
    #[inline]
    pub(super) fn new(constraints: usize, room: &mut Part<S>) -> Self {
        Equations {
            matrix: room.take(half(constraints)),
            vector: room.take(constraints),
            margins: room.take(constraints),
        }
    }
}

/// The search.
#[inline]
pub(super) fn run<R: Real, L: Smooth<R>, S: Store<R>>(
    merit: &mut Augmented<'_, '_, R, L, S>,
    frame: &mut Frame<S>,
    equations: &Equations<S>,
    settings: &super::Settings<R>,
) -> (Status, u32) {
    let c = R::from_f64;
    let m = merit.constraints();
    let mut steps = 0;
    if !merit.choose_scales(frame.x) {
        return (Status::NotFinite, steps);
    }
    estimate(merit, frame, equations);
    merit.penalty = c(PENALTY);
    let mut tolerance = c(1e-3);
    let least = R::HALF_EPSILON.sqrt() * c(0.1);
    let mut before = R::INFINITY;
    let mut status = Status::Budget;
    for _round in 0..ROUNDS {
        let stop = Stop { gradient: tolerance, relative_gradient: settings.gradient, change: settings.change };
        let (ended, taken) = descend(merit, frame, &stop);
        steps += taken;
        status = ended;
        if status == Status::NotFinite || merit.spent() {
            break;
        }
        // The values are those of the last point evaluated, which a failed search leaves elsewhere.
        merit.value(frame.x);
        let off = largest(m, |i| {
            let (g, idle) = (merit.constraint(i), R::ZERO - merit.rows.multipliers.get(i) / merit.penalty);
            (if g > idle { g } else { idle }).abs()
        });
        for i in 0..m {
            let weight = merit.weight(i);
            merit.rows.multipliers.set(i, weight.smaller(c(1e20)));
        }
        if std::env::var("POLISH").is_ok() { std::println!("   round {_round} pen {:e} off {off:e} tol {tolerance:e} steps {taken} {ended:?} ev {}", merit.penalty, merit.keeper.evaluations); }
        if off <= least && tolerance <= least {
            break;
        }
        if off > c(0.25) * before && off > least {
            merit.penalty = merit.penalty * c(10.0);
            frame.forget();
        }
        before = off;
        tolerance = (tolerance * c(0.1)).larger(least);
    }
    restore(merit, frame, equations);
    (status, steps)
}

/// Estimates the multipliers of the constraints that are nearly active: those with which the gradient of the
/// Lagrangian is shortest, none below zero. One after the other is set to its best value, over and over.
#[inline]
fn estimate<R: Real, L: Smooth<R>, S: Store<R>>(
    merit: &mut Augmented<'_, '_, R, L, S>,
    frame: &Frame<S>,
    equations: &Equations<S>,
) {
    let m = merit.constraints();
    let near = |merit: &Augmented<'_, '_, R, L, S>, i: usize| merit.constraint(i) > R::from_f64(-NEAR);
    let Equations { matrix, vector, .. } = *equations;
    let free = |merit: &Augmented<'_, '_, R, L, S>, i: usize| {
        let (lower, upper) = merit.bounds(i);
        let x = frame.x.get(i);
        x > lower && x < upper
    };
    for k in 0..m {
        merit.rows.multipliers.set(k, R::ZERO);
        vector.set(k, merit.product(k, None, |i| free(merit, i)));
        for other in 0..=k {
            matrix.set(row(k) + other, merit.product(k, Some(other), |i| free(merit, i)));
        }
    }
    let multipliers = merit.rows.multipliers;
    for _ in 0..SWEEPS {
        for k in 0..m {
            let own = matrix.get(row(k) + k);
            if near(merit, k) && own > R::ZERO {
                let mut slope = vector.get(k);
                for other in 0..m {
                    let place = if other <= k { row(k) + other } else { row(other) + k };
                    slope += matrix.get(place) * multipliers.get(other);
                }
                multipliers.set(k, (multipliers.get(k) - slope / own).larger(R::ZERO));
            }
        }
    }
}

/// Newton steps onto the active constraints, until all are met exactly.
#[inline]
fn restore<R: Real, L: Smooth<R>, S: Store<R>>(
    merit: &mut Augmented<'_, '_, R, L, S>,
    frame: &mut Frame<S>,
    equations: &Equations<S>,
) {
    let (n, m) = (merit.dimensions(), merit.constraints());
    let Equations { matrix, vector, margins } = *equations;
    for k in 0..m {
        margins.set(k, R::ZERO);
    }
    let mut before = R::INFINITY;
    for _it in 0..RESTORATIONS {
        if !merit.value(frame.x).is_finite() || !merit.differentiate(frame.x) {
            break;
        }
        let on = |k: usize| merit.rows.multipliers.get(k) > R::ZERO || merit.constraint(k) > R::ZERO;
        let worst = largest(m, |k| if merit.constraint(k) > R::ZERO { merit.constraint(k) } else { R::ZERO });
        let off = largest(m, |k| if on(k) { (merit.constraint(k) + margins.get(k)).abs() } else { R::ZERO });
        if std::env::var("POLISH").is_ok() { std::println!("   restore {_it} worst {worst:e} off {off:e}"); }
        // Rounding keeps Newton's method from what it aims at: aim lower.
        if off > R::HALF * before || off == R::ZERO {
            if worst == R::ZERO {
                break;
            }
            for k in 0..m {
                if merit.constraint(k) > R::ZERO {
                    margins.set(k, R::TWO * margins.get(k).larger(merit.constraint(k)));
                }
            }
        }
        before = off;
        let active = |merit: &Augmented<'_, '_, R, L, S>, k: usize| {
            merit.rows.multipliers.get(k) > R::ZERO || merit.constraint(k) > R::ZERO
        };
        let free = |merit: &Augmented<'_, '_, R, L, S>, i: usize| {
            let (lower, upper) = merit.bounds(i);
            frame.x.get(i) > lower && frame.x.get(i) < upper
        };
        for k in 0..m {
            let on = active(merit, k);
            vector.set(k, if on { merit.constraint(k) + margins.get(k) } else { R::ZERO });
            for other in 0..=k {
                let both = on && active(merit, other);
                let entry = if both { merit.product(k, Some(other), |i| free(merit, i)) } else { R::ZERO };
                matrix.set(row(k) + other, if both || k != other { entry } else { R::ONE });
            }
        }
        factor(m, matrix);
        solve(m, matrix, vector);
        for i in 0..n {
            if free(merit, i) {
                let along = super::store::sum(m, |k| if active(merit, k) { vector.get(k) * merit.rows.jacobian.get(k * n + i) } else { R::ZERO });
                let (lower, upper) = merit.bounds(i);
                frame.x.set(i, (frame.x.get(i) - merit.reach(i) * along).clamp_to(lower, upper));
            }
        }
    }
}
