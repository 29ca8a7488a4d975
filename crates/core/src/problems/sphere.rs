//! The sphere: a single bowl, the easiest problem.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// sum x_i^2 on [-5.12, 5.12]; minimum 0 at 0.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Sphere};
/// assert_eq!(Sphere.value(&SlicePoint(&[1.0_f64, -2.0, 3.0])), 14.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sphere;

impl<R: Real> Objective<R> for Sphere {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.sum(|_, x| x * x)
    }
}

impl Problem for Sphere {
    const ID: &'static str = "sphere";
    const FORMULA: &'static str = "sum x_i^2";
    const SOURCE: &'static str = "GPU-FWA, Table 1, f1";

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
