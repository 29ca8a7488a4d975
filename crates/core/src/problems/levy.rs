//! Levy's function: a bowl under waves, with a wavy valley along the last coordinate.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// With w = 1 + (x - 1) / 4: sin^2(pi w_1) + sum_{i<D} ((w_i - 1)^2 (1 + 10 sin^2(pi w_i + 1))) +
/// (w_D - 1)^2 (1 + sin^2(2 pi w_D)) on [-10, 10]; minimum 0 at 1.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Levy};
/// // w = 2 in the last coordinate, where the waves are at rest: u^2 is left.
/// let value = Levy.value(&SlicePoint(&[1.0_f64, 1.0, 5.0]));
/// assert!((value - 1.0).abs() < 1e-12);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Levy;

impl<R: Real> Objective<R> for Levy {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let last = x.dimensions() - 1;
        x.sum(|i, x| {
            // u = w - 1, without the rounding errors of w; phases are in turns.
            let u = (x - R::ONE) * R::from_f64(0.25);
            let w = R::ONE + u;
            let (phase, waves) = if i == last {
                (w, R::ONE)
            } else {
                let one_radian = R::from_f64(0.5 * core::f64::consts::FRAC_1_PI);
                (R::HALF * w + one_radian, R::from_f64(10.0))
            };
            let wave = phase.sin_turns();
            let bowl = (u * u) * (R::ONE + waves * (wave * wave));
            if i == 0 {
                let first = (R::HALF * w).sin_turns();
                return first * first + bowl;
            }
            bowl
        })
    }
}

impl Problem for Levy {
    const ID: &'static str = "levy";
    const FORMULA: &'static str = "sin^2(pi w_1) + sum_{i<D} ((w_i - 1)^2 (1 + 10 sin^2(pi w_i + 1))) + \
         (w_D - 1)^2 (1 + sin^2(2 pi w_D)), w_i = 1 + (x_i - 1) / 4";
    const SOURCE: &'static str =
        "S. Surjanovic, D. Bingham, Virtual library of simulation experiments: Levy function";

    fn bounds(_i: usize) -> (f64, f64) {
        (-10.0, 10.0)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(1.0)
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}
