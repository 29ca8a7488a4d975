//! Thurber. The mobility of electrons over the logarithm of their density: a rational function.

use super::{observations, rational, regression, residuals};
use crate::objective::{Objective, Point};
use crate::real::Real;

/// The sum of squared residuals of 37 observations; minimum 5642.71.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint};
/// use warpswarm_core::problems::{NistThurber, Problem};
/// let certified: Vec<f64> = (0..7).filter_map(|i| NistThurber::optimum_position(7, i)).collect();
/// let sum: f64 = NistThurber.value(&SlicePoint(&certified));
/// assert!((sum / 5642.71 - 1.0).abs() < 1e-5);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NistThurber;

impl<R: Real> Objective<R> for NistThurber {
    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        residuals(x, ROWS.len(), observation, rational(x))
    }
}

regression!(
    NistThurber,
    "nist-thurber",
    "sum (y - ((b1 + b2 x + b3 x^2 + b4 x^3) / (1 + b5 x + b6 x^2 + b7 x^3)))^2 over 37 \
     observations",
    "NIST, Statistical Reference Datasets, nonlinear regression, Thurber: certified \
     parameters and sum",
    [(0.0, 2000.0), (0.0, 3000.0), (0.0, 1500.0), (0.0, 200.0), (0.0, 2.0), (0.0, 1.0), (0.0, 0.2)],
    [
        1288.13968,
        1_491.079_253_5,
        583.238_368_77,
        75.416_644_291,
        0.966_295_028_64,
        0.397_972_857_97,
        0.049_727_297_349
    ],
    5_642.708_239_7
);

observations!(ROWS, 64);

/// (x, y) from NIST's data file.
const ROWS: [[f64; 2]; 37] = [
    [-3.067, 80.574],
    [-2.981, 84.248],
    [-2.921, 87.264],
    [-2.912, 87.195],
    [-2.84, 89.076],
    [-2.797, 89.608],
    [-2.702, 89.868],
    [-2.699, 90.101],
    [-2.633, 92.405],
    [-2.481, 95.854],
    [-2.363, 100.696],
    [-2.322, 101.06],
    [-1.501, 401.672],
    [-1.46, 390.724],
    [-1.274, 567.534],
    [-1.212, 635.316],
    [-1.1, 733.054],
    [-1.046, 759.087],
    [-0.915, 894.206],
    [-0.714, 990.785],
    [-0.566, 1090.109],
    [-0.545, 1080.914],
    [-0.4, 1122.643],
    [-0.309, 1178.351],
    [-0.109, 1260.531],
    [-0.103, 1273.514],
    [0.01, 1288.339],
    [0.119, 1327.543],
    [0.377, 1353.863],
    [0.79, 1414.509],
    [0.963, 1425.208],
    [1.006, 1421.384],
    [1.115, 1442.962],
    [1.572, 1464.35],
    [1.841, 1468.705],
    [2.047, 1447.894],
    [2.2, 1457.628],
];
