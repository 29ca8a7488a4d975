//! Schwefel's problem 2.26: waves that grow outwards; the best minimum is far from the second best.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// sum -x_i sin(sqrt|x_i|) on [-500, 500]; minimum -418.98 D at 420.97.
///
/// The waves grow without limit: outside the bounds there are smaller values than the minimum. If you shift the
/// problem, shift its bounds too.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Schwefel226};
/// use warpswarm_core::problems::Problem;
/// let value = Schwefel226.value(&SlicePoint(&[420.968_746_359_982_f64; 2]));
/// let least = Schwefel226::optimum_value(2).expect("it is known");
/// assert!((value - least).abs() < 1e-9);
/// assert_eq!(Schwefel226.value(&SlicePoint(&[0.0_f64; 2])), 0.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Schwefel226;

impl<R: Real> Objective<R> for Schwefel226 {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.sum(|_, x| -(x * x.abs().sqrt().sin()))
    }
}

impl Problem for Schwefel226 {
    const ID: &'static str = "schwefel-2.26";
    const FORMULA: &'static str = "sum -x_i sin(sqrt|x_i|)";
    const SOURCE: &'static str = "GPU-FWA, Table 1, f6; optimum computed";

    fn bounds(_i: usize) -> (f64, f64) {
        (-500.0, 500.0)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(420.968_746_359_982)
    }
    fn optimum_value(dimensions: usize) -> Option<f64> {
        Some(-418.982_887_272_433_7 * dimensions as f64)
    }
}
