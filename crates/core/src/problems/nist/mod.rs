//! Models to be fitted to data: the nonlinear regressions of NIST's Statistical Reference Datasets.
//!
//! The coordinates are the model's parameters, and the value is the sum of squared residuals. Data and certified
//! results are in the public domain. The bounds are ours: a global search within them found nothing better than the
//! certified results.

mod enso;
mod gauss2;
mod hahn1;
mod lanczos3;
mod mgh09;
mod thurber;

pub use enso::NistEnso;
pub use gauss2::NistGauss2;
pub use hahn1::NistHahn1;
pub use lanczos3::NistLanczos3;
pub use mgh09::NistMgh09;
pub use thurber::NistThurber;

use crate::objective::Point;
use crate::real::Real;

/// Generates `observation`, which reads a table. Its size, `$places`, is a power of two, so that a mask keeps an index
/// in range. Each precision has its own table; a kernel contains only one of them.
macro_rules! observations {
    ($rows:expr, $places:literal) => {
        static DOUBLE: [[f64; 2]; $places] = super::padded(&$rows);
        static SINGLE: [[f32; 2]; $places] = super::narrowed(&DOUBLE);

        /// Observation `k`: x and y.
        #[inline(always)]
        fn observation<R: Real>(k: usize) -> (R, R) {
            // The mask changes nothing: it shows the compiler that the index is in range.
            let k = k % $places;
            let column = |c: usize| R::either(|| SINGLE[k][c], || DOUBLE[k][c]);
            (column(0), column(1))
        }
    };
}
use observations;

/// Generates the problem of a regression: name, formula, source, bounds, certified parameters and the sum of squares
/// at these.
macro_rules! regression {
    ($problem:ident, $id:literal, $formula:literal, $source:literal,
        $bounds:expr, $certified:expr, $sum:expr) => {
        impl crate::problems::Problem for $problem {
            const ID: &'static str = $id;
            const FORMULA: &'static str = $formula;
            const SOURCE: &'static str = $source;
            const DIMENSIONS: crate::problems::Dimensions =
                crate::problems::Dimensions::exactly($bounds.len());
            const COORDINATES: &'static [&'static str] = super::names($bounds.len());

            fn bounds(i: usize) -> (f64, f64) {
                $bounds[i]
            }
            fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
                Some($certified[i])
            }
            fn optimum_value(_dimensions: usize) -> Option<f64> {
                Some($sum)
            }
        }
    };
}
use regression;

/// The names of the first `n` parameters.
const fn names(n: usize) -> &'static [&'static str] {
    const ALL: &[&str] = &["b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9"];
    ALL.split_at(n).0
}

const fn padded<const N: usize, const PLACES: usize>(rows: &[[f64; 2]; N]) -> [[f64; 2]; PLACES] {
    assert!(N <= PLACES && PLACES.is_power_of_two());
    let mut table = [[0.0; 2]; PLACES];
    let mut k = 0;
    while k < N {
        table[k] = rows[k];
        k += 1;
    }
    table
}

const fn narrowed<const PLACES: usize>(rows: &[[f64; 2]; PLACES]) -> [[f32; 2]; PLACES] {
    let mut table = [[0.0; 2]; PLACES];
    let mut k = 0;
    while k < PLACES {
        table[k] = [rows[k][0] as f32, rows[k][1] as f32];
        k += 1;
    }
    table
}

/// The sum of squared residuals of `model` over `n` observations; `point` divides it among lanes.
#[inline(always)]
fn residuals<R: Real, P: Point<R>>(
    point: &P,
    n: usize,
    observation: impl Fn(usize) -> (R, R),
    model: impl Fn(R) -> R,
) -> R {
    point.sum_terms(n, |k| {
        let (x, y) = observation(k);
        let missed = y - model(x);
        missed * missed
    })
}

/// (b1 + b2 x + b3 x^2 + b4 x^3) / (1 + b5 x + b6 x^2 + b7 x^3)
#[inline(always)]
fn rational<R: Real, P: Point<R>>(point: &P) -> impl Fn(R) -> R {
    let (b1, b2, b3, b4) = (point.get(0), point.get(1), point.get(2), point.get(3));
    let (b5, b6, b7) = (point.get(4), point.get(5), point.get(6));
    move |x| (((b4 * x + b3) * x + b2) * x + b1) / (((b7 * x + b6) * x + b5) * x + R::ONE)
}
