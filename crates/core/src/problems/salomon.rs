//! Salomon's function: rings around the optimum, like those of a stone in water.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// 1 - cos(2 pi r) + 0.1 r, r = sqrt(sum x_i^2), on [-100, 100]; minimum 0 at 0.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Salomon};
/// // On a ring, of radius 5, and between two, at 12.5.
/// assert_eq!(Salomon.value(&SlicePoint(&[3.0_f64, 4.0])), 0.5);
/// assert_eq!(Salomon.value(&SlicePoint(&[7.5_f64, 10.0])), 3.25);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Salomon;

impl<R: Real> Objective<R> for Salomon {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let r = x.sum(|_, x| x * x).sqrt();
        (R::ONE - r.cos_turns()) + R::from_f64(0.1) * r
    }
}

impl Problem for Salomon {
    const ID: &'static str = "salomon";
    const FORMULA: &'static str = "1 - cos(2 pi r) + 0.1 r, r = sqrt(sum x_i^2)";
    const SOURCE: &'static str = "R. Salomon, Re-evaluating genetic algorithm performance under coordinate \
                                  rotation of benchmark functions, BioSystems 39, 1996";

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
