//! Descent with constraints: rounds of bounded descents of the augmented Lagrangian, and a restoration.

use super::bounded::{Frame, Stop, descend};
use super::cholesky::row;
use super::lagrangian::Augmented;
use super::restore::{self, Equations, restore};
use super::store::{Part, Store, largest, times};
use super::{Settings, Smooth, Status};
use crate::real::Float;

/// The largest number of rounds.
const ROUNDS: u32 = 30;
/// The penalty of the first round, and its factor after a round with too little progress.
///
/// Over seven starts around the optimum of nine engineering problems, a first penalty of 10 takes 56 evaluations on
/// average, one of 100 takes 44, and one of 1,000 takes 48.
const PENALTY: f64 = 100.0;
const HARDER: f64 = 10.0;
/// The factor by which a round has to reduce the distance to the constraints.
const NEARER: f64 = 0.25;
/// The tolerance of the gradient in the first round, for an objective whose own gradient is scaled to 1 at the start,
/// and its factor from round to round.
const GRADIENT: f64 = 1e-3;
const FINER: f64 = 0.01;
/// The tolerance of the gradient in the last rounds, and of the distance to the constraints, as a fraction of the
/// square root of the precision. The remaining error enters the value squared, once the constraints are satisfied
/// exactly.
const FINEST: f64 = 0.1;
/// A constraint within this fraction of the ranges from the start of the search may be active.
const NEAR: f64 = 1e-2;
/// The number of iterations of the first estimate of all multipliers.
const SWEEPS: u32 = 100;

/// Descends from `frame.x`, the point evaluated last. Returns why the last round ended, and the number of steps.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
pub(super) fn run<R: Float, L: Smooth<R>, S: Store<R>>(
    merit: &mut Augmented<'_, '_, R, L, S>,
    frame: &mut Frame<S>,
    equations: &Equations<S>,
    settings: &Settings<R>,
) -> (Status, u32) {
    if !merit.keeper.last.is_finite() || !merit.choose_scales(frame.x) {
        return (Status::NotFinite, 0);
    }
    estimate(merit, frame.x, equations);
    // Reserve what the restoration needs, but not all if there is little.
    merit.keeper.reserve = restore::STEPS.min(settings.evaluations / 4);
    let ended = rounds(merit, frame, settings);
    merit.keeper.reserve = 0;
    restore(merit, frame.x, equations);
    ended
}

/// The rounds of the augmented Lagrangian.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
fn rounds<R: Float, L: Smooth<R>, S: Store<R>>(
    merit: &mut Augmented<'_, '_, R, L, S>,
    frame: &mut Frame<S>,
    settings: &Settings<R>,
) -> (Status, u32) {
    let c = R::from_f64;
    let finest = c(FINEST) * R::HALF_EPSILON.sqrt();
    let hardest = c(PENALTY) / R::HALF_EPSILON.sqrt();
    merit.penalty = c(PENALTY);
    let mut gradient = c(GRADIENT);
    let (mut before, mut steps) = (R::INFINITY, 0);
    for _ in times(ROUNDS) {
        let (relative_gradient, change) = (settings.gradient, settings.change);
        let (status, taken) = descend(merit, frame, &Stop { gradient, relative_gradient, change });
        steps += taken;
        if matches!(status, Status::NotFinite | Status::Budget) {
            return (status, steps);
        }
        let off = multiply(merit);
        if off <= finest && gradient <= finest {
            return (status, steps);
        }
        if off > c(NEARER) * before && off > finest {
            merit.penalty = c(HARDER) * merit.penalty;
            frame.forget();
            if merit.penalty > hardest {
                break;
            }
        }
        before = off;
        gradient = (c(FINER) * gradient).larger(finest);
    }
    (Status::NoProgress, steps)
}

/// Updates the multipliers from the point evaluated last. Returns the largest violation of a constraint, or distance
/// from zero of a constraint with a multiplier.
#[inline]
fn multiply<R: Float, L: Smooth<R>, S: Store<R>>(merit: &mut Augmented<'_, '_, R, L, S>) -> R {
    let m = merit.constraints();
    let multipliers = merit.rows.multipliers;
    let off = largest(m, |k| {
        let (c, idle) = (merit.constraint(k), R::ZERO - multipliers.get(k) / merit.penalty);
        (if c < idle { idle } else { c }).abs()
    });
    for k in 0..m {
        multipliers.set(k, merit.weight(k).smaller(R::from_f64(1e20)));
    }
    off
}

/// Estimates the multipliers of the constraints that are nearly active: those, none below zero, with which the gradient
/// of the Lagrangian is shortest. Sets one after the other to its best value, several times.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
fn estimate<R: Float, L: Smooth<R>, S: Store<R>>(
    merit: &Augmented<'_, '_, R, L, S>,
    x: Part<S>,
    equations: &Equations<S>,
) {
    let m = merit.constraints();
    let Equations { matrix, vector, .. } = *equations;
    let multipliers = merit.rows.multipliers;
    for k in 0..m {
        multipliers.set(k, R::ZERO);
        vector.set(k, merit.product(k, None, |i| merit.is_inside(x, i)));
        for other in 0..=k {
            let entry = merit.product(k, Some(other), |i| merit.is_inside(x, i));
            matrix.set(row(k) + other, entry);
        }
    }
    for _ in times(SWEEPS) {
        for k in 0..m {
            let own = matrix.get(row(k) + k);
            if merit.constraint(k) > R::from_f64(-NEAR) && own > R::ZERO {
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
