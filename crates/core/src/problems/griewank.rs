//! Griewank's function: a wide bowl with waves that couple all coordinates.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// (sum x_i^2) / 4000 - prod cos(x_i / sqrt(i)) + 1, i from 1, on [-600, 600]; minimum 0 at 0.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Griewank};
/// use core::f64::consts::{PI, SQRT_2};
/// // Both cosines are -1: the waves are gone, and the bowl is left.
/// let value = Griewank.value(&SlicePoint(&[PI, SQRT_2 * PI]));
/// assert!((value - 3.0 * PI * PI / 4000.0).abs() < 1e-14);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Griewank;

impl<R: Real> Objective<R> for Griewank {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let bowl = x.sum(|_, x| x * x) / R::from_f64(4000.0);
        // Unlike a quotient, the frequency is the same at every evaluation, so compilers compute it once.
        let frequency = |i: usize| R::ONE / R::from_u32(i as u32 + 1).sqrt();
        let waves = x.product(|i, x| (x * frequency(i)).cos());
        // In this order almost no precision is lost when the product is near one.
        bowl + (R::ONE - waves)
    }
}

impl Problem for Griewank {
    const ID: &'static str = "griewank";
    const FORMULA: &'static str = "(sum x_i^2) / 4000 - prod cos(x_i / sqrt(i)) + 1";
    const SOURCE: &'static str = "GPU-FWA, Table 1, f7";

    fn bounds(_i: usize) -> (f64, f64) {
        (-600.0, 600.0)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(0.0)
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}
