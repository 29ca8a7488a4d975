//! Schwefel's problem 1.2, the rotated hyper-ellipsoid: a bowl whose coordinates depend on each other.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// sum_i (x_1 + ... + x_i)^2 on [-65.536, 65.536]; minimum 0 at 0.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Schwefel12};
/// // 3^2 + (3 - 1)^2 + (3 - 1 + 2)^2
/// assert_eq!(Schwefel12.value(&SlicePoint(&[3.0_f64, -1.0, 2.0])), 29.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Schwefel12;

impl<R: Real> Objective<R> for Schwefel12 {
    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.sum_of_prefixes(|_, x| x, |_, prefix| prefix * prefix)
    }
}

impl Problem for Schwefel12 {
    const ID: &'static str = "schwefel-1.2";
    const FORMULA: &'static str = "sum_i (x_1 + ... + x_i)^2";
    const SOURCE: &'static str = "GPU-FWA, Table 1, f3";

    fn bounds(_i: usize) -> (f64, f64) {
        (-65.536, 65.536)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(0.0)
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}
