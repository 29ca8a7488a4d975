//! Rosenbrock's function: a narrow curved valley, flat along its floor.

use super::{Dimensions, Problem};
use crate::objective::{Objective, Point};
use crate::real::Real;

/// sum_{i < D} 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2 on [-2.048, 2.048]; minimum 0 at 1.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Rosenbrock};
/// // The usual start: 100 (1 - 1.44)^2 + (1 + 1.2)^2
/// let value = Rosenbrock.value(&SlicePoint(&[-1.2_f64, 1.0]));
/// assert!((value - 24.2).abs() < 1e-12);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rosenbrock;

impl<R: Real> Objective<R> for Rosenbrock {
    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let hundred = R::from_f64(100.0);
        x.sum(|i, x_i| {
            if i + 1 == x.dimensions() {
                return R::ZERO;
            }
            let across = x.get(i + 1) - x_i * x_i;
            let along = R::ONE - x_i;
            hundred * (across * across) + along * along
        })
    }
}

impl Problem for Rosenbrock {
    const ID: &'static str = "rosenbrock";
    const FORMULA: &'static str = "sum_{i<D} (100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2)";
    const SOURCE: &'static str = "GPU-FWA, Table 1, f4";
    const DIMENSIONS: Dimensions = Dimensions::at_least(2);

    fn bounds(_i: usize) -> (f64, f64) {
        (-2.048, 2.048)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(1.0)
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}
