//! Lanczos3. Three decays that are hard to separate. Use `f64`: in `f32` the smallest sum has a relative error of a
//! thousandth.

use super::{observations, regression, residuals};
use crate::objective::{Objective, Point};
use crate::real::Real;

/// The sum of squared residuals of 24 observations; minimum 1.61172e-08.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint};
/// use warpswarm_core::problems::{NistLanczos3, Problem};
/// let certified: Vec<f64> = (0..6).filter_map(|i| NistLanczos3::optimum_position(6, i)).collect();
/// let sum: f64 = NistLanczos3.value(&SlicePoint(&certified));
/// assert!((sum / 1.61172e-8 - 1.0).abs() < 1e-4);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NistLanczos3;

impl<R: Real> Objective<R> for NistLanczos3 {
    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let (b1, b3, b5) = (x.get(0), x.get(2), x.get(4));
        let (b2, b4, b6) = (x.get(1), x.get(3), x.get(5));
        residuals(x, ROWS.len(), observation, |t| {
            b1 * (-(b2 * t)).exp() + b3 * (-(b4 * t)).exp() + b5 * (-(b6 * t)).exp()
        })
    }
}

regression!(
    NistLanczos3,
    "nist-lanczos3",
    "sum (y - (b1 exp(-b2 x) + b3 exp(-b4 x) + b5 exp(-b6 x)))^2 over 24 observations",
    "NIST, Statistical Reference Datasets, nonlinear regression, Lanczos3: certified \
     parameters and sum",
    [(0.0, 4.0), (0.0, 10.0), (0.0, 4.0), (0.0, 10.0), (0.0, 4.0), (0.0, 10.0)],
    [
        0.086_816_414_977,
        0.954_981_015_05,
        0.844_007_774_63,
        2.951_595_183_2,
        1.582_568_590_1,
        4.986_356_508_4
    ],
    1.611_719_359_4e-08
);

observations!(ROWS, 32);

/// (x, y) from NIST's data file.
const ROWS: [[f64; 2]; 24] = [
    [0.0, 2.5134],
    [0.05, 2.0443],
    [0.1, 1.6684],
    [0.15, 1.3664],
    [0.2, 1.1232],
    [0.25, 0.9269],
    [0.3, 0.7679],
    [0.35, 0.6389],
    [0.4, 0.5338],
    [0.45, 0.4479],
    [0.5, 0.3776],
    [0.55, 0.3197],
    [0.6, 0.272],
    [0.65, 0.2325],
    [0.7, 0.1997],
    [0.75, 0.1723],
    [0.8, 0.1493],
    [0.85, 0.1301],
    [0.9, 0.1138],
    [0.95, 0.1],
    [1.0, 0.0883],
    [1.05, 0.0783],
    [1.1, 0.0698],
    [1.15, 0.0624],
];
