//! Ackley's function: an almost flat plain of small dents around one deep hole.

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// -20 exp(-0.2 sqrt(sum x_i^2 / D)) - exp(sum cos(2 pi x_i) / D) + 20 + e on [-32.768, 32.768];
/// minimum 0 at 0.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Ackley};
/// assert_eq!(Ackley.value(&SlicePoint(&[0.0_f64; 5])), 0.0);
/// // Far out, with the waves at their highest, there is next to nothing but the plain.
/// let plain = Ackley.value(&SlicePoint(&[30.5_f64, -30.5]));
/// assert!((plain - (20.0 + 1.0_f64.exp() - (-1.0_f64).exp() - 20.0 * (-6.1_f64).exp())).abs() < 1e-12);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ackley;

impl<R: Real> Objective<R> for Ackley {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let dimensions = R::from_u32(x.dimensions() as u32);
        let distance = (x.sum(|_, x| x * x) / dimensions).sqrt();
        let waves = x.sum(|_, x| x.cos_turns()) / dimensions;
        let hole = R::from_f64(20.0) * (R::ONE - (R::from_f64(-0.2) * distance).exp());
        // With e as this `exp` computes it, instead of the nearest number to e, the minimum is exactly zero.
        hole + (R::ONE.exp() - waves.exp())
    }
}

impl Problem for Ackley {
    const ID: &'static str = "ackley";
    const FORMULA: &'static str =
        "-20 exp(-0.2 sqrt(sum x_i^2 / D)) - exp(sum cos(2 pi x_i) / D) + 20 + e";
    const SOURCE: &'static str = "GPU-FWA, Table 1, f8";

    fn bounds(_i: usize) -> (f64, f64) {
        (-32.768, 32.768)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        Some(0.0)
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}
