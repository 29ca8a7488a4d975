//! The axis-parallel hyper-ellipsoid: a bowl that is steeper along each further axis.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// sum i x_i^2, i from 1, on [-5.12, 5.12]; minimum 0 at 0.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::HyperEllipsoid};
/// // 1 x 4 + 2 x 9 + 3 x 1
/// assert_eq!(HyperEllipsoid.value(&SlicePoint(&[2.0_f64, -3.0, 1.0])), 25.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HyperEllipsoid;

impl<R: Real> Objective<R> for HyperEllipsoid {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.sum(|i, x| R::from_u32(i as u32 + 1) * (x * x))
    }
}

impl Problem for HyperEllipsoid {
    const ID: &'static str = "hyper-ellipsoid";
    const FORMULA: &'static str = "sum i x_i^2";
    const SOURCE: &'static str = "GPU-FWA, Table 1, f2";

    fn bounds(_i: usize) -> (f64, f64) {
        (-5.12, 5.12)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(0.0)
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}
