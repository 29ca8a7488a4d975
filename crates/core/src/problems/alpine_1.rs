//! The first Alpine function: pointed peaks and valleys along every axis.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// sum |x_i sin(x_i) + 0.1 x_i| on [-10, 10]; minimum 0 at 0, and wherever sin(x_i) = -0.1.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Alpine1};
/// let quarter = core::f64::consts::FRAC_PI_2;
/// let value = Alpine1.value(&SlicePoint(&[quarter, -quarter]));
/// // |x (1 + 0.1)| + |-x (-1 + 0.1)|
/// assert!((value - 2.0 * quarter).abs() < 1e-14);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Alpine1;

impl<R: Real> Objective<R> for Alpine1 {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.sum(|_, x| (x * (x.sin() + R::from_f64(0.1))).abs())
    }
}

impl Problem for Alpine1 {
    const ID: &'static str = "alpine-1";
    const FORMULA: &'static str = "sum |x_i sin(x_i) + 0.1 x_i|";
    const SOURCE: &'static str = "M. Jamil, X.-S. Yang, A literature survey of benchmark functions for global \
                                  optimisation problems, IJMMNO 4, 2013, function 6";

    fn bounds(_i: usize) -> (f64, f64) {
        (-10.0, 10.0)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(0.0)
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}
