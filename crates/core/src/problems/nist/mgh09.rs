//! MGH09. Kowalik and Osborne's problem: few observations, and a valley that leads away to
//! infinity.

use super::{observations, regression, residuals};
use crate::objective::{Objective, Point};
use crate::real::Real;

/// The sum of squared residuals of 11 observations; minimum 0.000307506.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint};
/// use warpswarm_core::problems::{NistMgh09, Problem};
/// let certified: Vec<f64> = (0..4).filter_map(|i| NistMgh09::optimum_position(4, i)).collect();
/// let least: f64 = NistMgh09.value(&SlicePoint(&certified));
/// assert!((least - 0.000_307_506).abs() < 1e-9);
/// // Away from it, along any axis, there is more.
/// for i in 0..4 {
///     let mut beside = certified.clone();
///     beside[i] += 0.01;
///     assert!(NistMgh09.value(&SlicePoint(&beside)) > least);
/// }
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NistMgh09;

impl<R: Real> Objective<R> for NistMgh09 {
    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let (b1, b2, b3, b4) = (x.get(0), x.get(1), x.get(2), x.get(3));
        residuals(x, ROWS.len(), observation, |t| b1 * ((t + b2) * t) / ((t + b3) * t + b4))
    }
}

regression!(
    NistMgh09,
    "nist-mgh09",
    "sum (y - (b1 (x^2 + b2 x) / (x^2 + b3 x + b4)))^2 over 11 observations",
    "NIST, Statistical Reference Datasets, nonlinear regression, MGH09: certified \
     parameters and sum",
    [(-5.0, 5.0), (-5.0, 5.0), (-5.0, 5.0), (-5.0, 5.0)],
    [0.192_806_934_58, 0.191_282_328_73, 0.123_056_506_93, 0.136_062_330_68],
    0.000_307_505_603_85
);

observations!(ROWS, 16);

/// (x, y) from NIST's data file.
const ROWS: [[f64; 2]; 11] = [
    [4.0, 0.1957],
    [2.0, 0.1947],
    [1.0, 0.1735],
    [0.5, 0.16],
    [0.25, 0.0844],
    [0.167, 0.0627],
    [0.125, 0.0456],
    [0.1, 0.0342],
    [0.0833, 0.0323],
    [0.0714, 0.0235],
    [0.0625, 0.0246],
];
