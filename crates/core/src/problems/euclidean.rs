//! The distance from the optimum, the objective of the CPSO paper.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// sqrt(sum x_i^2) on [-100, 100]; minimum 0 at 0.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Euclidean};
/// assert_eq!(Euclidean.value(&SlicePoint(&[2.0_f32, 3.0, 6.0])), 7.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Euclidean;

impl<R: Real> Objective<R> for Euclidean {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.sum(|_, x| x * x).sqrt()
    }
}

impl Problem for Euclidean {
    const ID: &'static str = "euclidean";
    const FORMULA: &'static str = "sqrt(sum x_i^2)";
    const SOURCE: &'static str = "CPSO, equation 4; the paper gives no domain, the bounds are ours";

    fn bounds(_i: usize) -> (f64, f64) {
        (-100.0, 100.0)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(0.0)
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}
