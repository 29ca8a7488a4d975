//! Zakharov's function: a bowl with a steep plate across it.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// sum x_i^2 + s^2 + s^4, s = sum 0.5 i x_i, i from 1, on [-5, 10]; minimum 0 at 0.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Zakharov};
/// // s = 0.5 (1 x 2 + 2 x 1) = 2: 4 + 1 + 2^2 + 2^4
/// assert_eq!(Zakharov.value(&SlicePoint(&[2.0_f64, 1.0])), 25.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Zakharov;

impl<R: Real> Objective<R> for Zakharov {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let bowl = x.sum(|_, x| x * x);
        let s = R::HALF * x.sum(|i, x| R::from_u32(i as u32 + 1) * x);
        let s2 = s * s;
        bowl + (s2 + s2 * s2)
    }
}

impl Problem for Zakharov {
    const ID: &'static str = "zakharov";
    const FORMULA: &'static str = "(sum x_i^2) + s^2 + s^4, s = sum 0.5 i x_i";
    const SOURCE: &'static str =
        "S. Surjanovic, D. Bingham, Virtual library of simulation experiments: Zakharov function";

    fn bounds(_i: usize) -> (f64, f64) {
        (-5.0, 10.0)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(0.0)
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}
