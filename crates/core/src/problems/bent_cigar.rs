//! The bent cigar: a narrow ridge along the first axis; all other axes are a million times as steep.

use super::{Dimensions, Problem};
use crate::objective::{Objective, Point};
use crate::real::Real;

/// x_1^2 + 10^6 sum_{i>=2} x_i^2 on [-100, 100]; minimum 0 at 0.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::BentCigar};
/// let value = |x| BentCigar.value(&SlicePoint::<f64>(x));
/// assert_eq!((value(&[3.0, 0.0, 0.0]), value(&[0.0, 0.0, 3.0])), (9.0, 9e6));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BentCigar;

impl<R: Real> Objective<R> for BentCigar {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.sum(|i, x| if i == 0 { x * x } else { R::from_f64(1e6) * (x * x) })
    }
}

impl Problem for BentCigar {
    const ID: &'static str = "bent-cigar";
    const FORMULA: &'static str = "x_1^2 + 10^6 sum_{i>=2} x_i^2";
    const SOURCE: &'static str =
        "N. Awad and others, Problem definitions of the CEC 2017 competition, f1, not rotated";
    const DIMENSIONS: Dimensions = Dimensions::at_least(2);

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
