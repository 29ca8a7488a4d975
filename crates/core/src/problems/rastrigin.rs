//! Rastrigin's function: a bowl with a regular grid of local minima.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// 10 D + sum (x_i^2 - 10 cos(2 pi x_i)) on [-5.12, 5.12]; minimum 0 at 0.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Rastrigin};
/// // Whole numbers lie in the valleys, halves on the ridges.
/// assert_eq!(Rastrigin.value(&SlicePoint(&[1.0_f64, 2.0])), 5.0);
/// assert_eq!(Rastrigin.value(&SlicePoint(&[0.5_f64])), 20.25);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rastrigin;

impl<R: Real> Objective<R> for Rastrigin {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let ten = R::from_f64(10.0);
        let sum = x.sum(|_, x| x.fused(x, -(ten * x.cos_turns())));
        ten * R::from_u32(x.dimensions() as u32) + sum
    }
}

impl Problem for Rastrigin {
    const ID: &'static str = "rastrigin";
    const FORMULA: &'static str = "10 D + sum (x_i^2 - 10 cos(2 pi x_i))";
    const SOURCE: &'static str = "GPU-FWA, Table 1, f5";

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
