//! The lightest spring under tension or compression.

use super::{constrained_objective, g};
use crate::objective::{Objective, Point};
use crate::problems::{Constraint, Dimensions, Problem};
use crate::real::Real;

/// (P + 2) D d^2 over the wire's diameter d in [0.05, 2], the coil's diameter D in [0.25, 1.3] and the number
/// of coils P in [2, 15]; minimum 0.012665.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Spring};
/// // (10 + 2) x 0.5 x 0.25^2
/// let heavy = Spring.evaluate(&SlicePoint(&[0.25_f64, 0.5, 10.0]));
/// assert_eq!(heavy.value, 0.375);
/// assert!(heavy.violation > 0.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spring;

/// The same with the constraints on deflection and shear stress as the CMEPSO paper computed them: the first lacks a
/// digit of its constant, the second lacks brackets. Minimum 0.002820.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint};
/// use warpswarm_core::problems::{Problem, Spring, SpringCmepso};
/// let best: Vec<f64> = (0..3).filter_map(|i| SpringCmepso::optimum_position(3, i)).collect();
/// assert!((SpringCmepso.value(&SlicePoint(&best)) - 0.002_820_229_765).abs() < 1e-12);
/// // No such spring bears its load.
/// assert!(Spring.violation(&SlicePoint(&best)) > 0.1);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringCmepso;

constrained_objective!(Spring, weight);
constrained_objective!(SpringCmepso, weight);

const FORMULA: &str = "(P + 2) D d^2";
const COORDINATES: &[&str] = &["d", "D", "P"];
const BOUNDS: [(f64, f64); 3] = [(0.05, 2.0), (0.25, 1.3), (2.0, 15.0)];
const SURGE: Constraint = g("g3", "1 - 140.45 d / (D^2 P)");
const SIZE: Constraint = g("g4", "(d + D) / 1.5 - 1");

#[inline(always)]
fn weight<R: Real, P: Point<R>>(x: &P) -> R {
    let (wire, coil, coils) = (x.get(0), x.get(1), x.get(2));
    (coils + R::TWO) * coil * (wire * wire)
}

/// `deflection` is the constant of g1; g2 has the denominator 12566 D d^3 - `shear` d^4.
#[inline(always)]
fn constraints<R: Real, P: Point<R>>(
    x: &P,
    (deflection, shear): (f64, f64),
    mut each: impl FnMut(R),
) {
    let c = R::from_f64;
    let (wire, coil, coils) = (x.get(0), x.get(1), x.get(2));
    let (wire2, coil2) = (wire * wire, coil * coil);
    each(R::ONE - coil2 * coil * coils / (c(deflection) * (wire2 * wire2)));
    let sheared = wire2 * wire * (c(12566.0) * coil - c(shear) * wire);
    let bending = (c(4.0) * coil2 - wire * coil) / sheared;
    each(bending + R::ONE / (c(5108.0) * wire2) - R::ONE);
    each(R::ONE - c(140.45) * wire / (coil2 * coils));
    each((wire + coil) / c(1.5) - R::ONE);
}

impl Problem for Spring {
    const ID: &'static str = "spring";
    const FORMULA: &'static str = FORMULA;
    const SOURCE: &'static str = "A. Belegundu, J. Arora, A study of mathematical programming methods for \
                                  structural optimization, 1985; optimum computed";
    const DIMENSIONS: Dimensions = Dimensions::exactly(3);
    const COORDINATES: &'static [&'static str] = COORDINATES;
    const CONSTRAINTS: &'static [Constraint] = &[
        g("g1", "1 - D^3 P / (71785 d^4)"),
        g("g2", "(4 D^2 - d D) / (12566 (D d^3 - d^4)) + 1 / (5108 d^2) - 1"),
        SURGE,
        SIZE,
    ];

    fn bounds(i: usize) -> (f64, f64) {
        BOUNDS[i]
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        Some([0.051_689_061_082_763_46, 0.356_717_739_799_440_8, 11.288_965_751_613_34][i])
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.012_665_232_788_319_417)
    }
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, each: impl FnMut(R)) {
        constraints(x, (71785.0, 12566.0), each);
    }
}

impl Problem for SpringCmepso {
    const ID: &'static str = "spring-cmepso";
    const FORMULA: &'static str = FORMULA;
    const SOURCE: &'static str = "CMEPSO-GPU, Table 2, as it was computed; optimum exact: d and P at their \
                                  bounds, g1 = 0";
    const DIMENSIONS: Dimensions = Dimensions::exactly(3);
    const COORDINATES: &'static [&'static str] = COORDINATES;
    const CONSTRAINTS: &'static [Constraint] = &[
        g("g1", "1 - D^3 P / (7178 d^4)"),
        g("g2", "(4 D^2 - d D) / (12566 D d^3 - d^4) + 1 / (5108 d^2) - 1"),
        SURGE,
        SIZE,
    ];

    fn bounds(i: usize) -> (f64, f64) {
        BOUNDS[i]
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        Some([0.05, 0.282_022_976_515_967_1, 2.0][i])
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.002_820_229_765_159_671_4)
    }
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, each: impl FnMut(R)) {
        constraints(x, (7178.0, 1.0), each);
    }
}
