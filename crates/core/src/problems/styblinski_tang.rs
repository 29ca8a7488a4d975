//! Styblinski and Tang's function: two valleys along every axis, one of them deeper.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// 0.5 sum (x_i^4 - 16 x_i^2 + 5 x_i) on [-5, 5]; minimum -39.17 D at -2.90.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::StyblinskiTang};
/// // The deeper valley lies on the left: (16 - 64 - 10) / 2 and (16 - 64 + 10) / 2.
/// assert_eq!(StyblinskiTang.value(&SlicePoint(&[-2.0_f64])), -29.0);
/// assert_eq!(StyblinskiTang.value(&SlicePoint(&[2.0_f64])), -19.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StyblinskiTang;

impl<R: Real> Objective<R> for StyblinskiTang {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        R::HALF * x.sum(|_, x| ((x * x - R::from_f64(16.0)) * x + R::from_f64(5.0)) * x)
    }
}

impl Problem for StyblinskiTang {
    const ID: &'static str = "styblinski-tang";
    const FORMULA: &'static str = "0.5 sum (x_i^4 - 16 x_i^2 + 5 x_i)";
    const SOURCE: &'static str = "S. Surjanovic, D. Bingham, Virtual library of simulation experiments: \
                                  Styblinski-Tang function; optimum computed";

    fn bounds(_i: usize) -> (f64, f64) {
        (-5.0, 5.0)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(-2.903_534_027_771_177)
    }
    fn optimum_value(dimensions: usize) -> Option<f64> {
        Some(-39.166_165_703_771_41 * dimensions as f64)
    }
}
