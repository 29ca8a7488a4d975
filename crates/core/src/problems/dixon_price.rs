//! Dixon and Price's function: a curved valley in which every coordinate follows the one before.

use super::{Dimensions, Problem};
use crate::objective::{Objective, Point};
use crate::real::Real;

/// (x_1 - 1)^2 + sum_{i>=2} i (2 x_i^2 - x_{i-1})^2 on [-10, 10]; minimum 0 at
/// x_i = 2^(-(2^i - 2) / 2^i), and with -x_i for the last coordinate.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::DixonPrice};
/// // (2 - 1)^2 + 2 (2 - 2)^2 + 3 (18 - 1)^2
/// assert_eq!(DixonPrice.value(&SlicePoint(&[2.0_f64, 1.0, 3.0])), 868.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DixonPrice;

impl<R: Real> Objective<R> for DixonPrice {
    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.sum(|i, x_i| {
            if i == 0 {
                let first = x_i - R::ONE;
                return first * first;
            }
            let across = R::TWO * (x_i * x_i) - x.get(i - 1);
            R::from_u32(i as u32 + 1) * (across * across)
        })
    }
}

impl Problem for DixonPrice {
    const ID: &'static str = "dixon-price";
    const FORMULA: &'static str = "(x_1 - 1)^2 + sum_{i>=2} i (2 x_i^2 - x_{i-1})^2";
    const SOURCE: &'static str = "S. Surjanovic, D. Bingham, Virtual library of simulation experiments: Dixon-Price function";
    const DIMENSIONS: Dimensions = Dimensions::at_least(2);

    fn bounds(_i: usize) -> (f64, f64) {
        (-10.0, 10.0)
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        // 2 x_i^2 = x_{i-1}; after some fifty coordinates the values no longer change.
        Some((0..i.min(100)).fold(1.0, |x: f64, _| Real::sqrt(0.5 * x)))
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}
