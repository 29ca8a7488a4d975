//! The cheapest vessel for compressed gas: a cylinder with two half spheres.

use core::f64::consts::PI;

use super::{constrained_objective, g};
use crate::objective::{Objective, Point};
use crate::problems::{Constraint, Dimensions, Problem};
use crate::real::Real;

/// Cost of material, forming and welding, over the thickness of shell x1 and heads x2 in [0, 99], radius x3 and
/// length x4 in [10, 200]; minimum 5885.333.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::PressureVessel};
/// // 0.6224 x 1 x 100 x 200 + 1.7781 x 1 x 10^4 + 3.1661 x 1 x 200 + 19.84 x 1 x 100
/// let thick = PressureVessel.evaluate(&SlicePoint(&[1.0_f64, 1.0, 100.0, 200.0]));
/// assert!((thick.value - 32_846.22).abs() < 1e-8);
/// // A shell of this radius has to be 1.93 thick.
/// assert!(thick.violation > 0.9);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PressureVessel;

/// The same with standard plates: x1 and x2 are rounded to multiples k / 16 of an inch. The bounds [1/16, 99/16] allow
/// k from 1 to 99. Minimum 6059.714.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::PressureVesselMixed};
/// let price = |shell: f64| PressureVesselMixed.value(&SlicePoint(&[shell, 0.4375, 42.0, 177.0]));
/// assert_eq!(price(0.8), price(0.8125));
/// assert!(price(0.85) > price(0.8125));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PressureVesselMixed;

constrained_objective!(PressureVessel, continuous_cost);
constrained_objective!(PressureVesselMixed, mixed_cost);

const FORMULA: &str = "0.6224 x1 x3 x4 + 1.7781 x2 x3^2 + 3.1661 x1^2 x4 + 19.84 x1^2 x3";
const COORDINATES: &[&str] = &["x1", "x2", "x3", "x4"];
const CONSTRAINTS: &[Constraint] = &[
    g("g1", "0.0193 x3 - x1"),
    g("g2", "0.00954 x3 - x2"),
    g("g3", "1296000 - pi x3^2 x4 - 4/3 pi x3^3"),
    g("g4", "x4 - 240"),
];

/// The standard plate that is nearest to a thickness.
#[inline(always)]
fn plate<R: Real>(thickness: R) -> R {
    (R::from_f64(16.0) * thickness + R::HALF).floor() * R::from_f64(1.0 / 16.0)
}

#[inline(always)]
fn continuous_cost<R: Real, P: Point<R>>(x: &P) -> R {
    cost((x.get(0), x.get(1)), x)
}

#[inline(always)]
fn mixed_cost<R: Real, P: Point<R>>(x: &P) -> R {
    cost((plate(x.get(0)), plate(x.get(1))), x)
}

#[inline(always)]
fn cost<R: Real, P: Point<R>>((shell, head): (R, R), x: &P) -> R {
    let c = R::from_f64;
    let (radius, length) = (x.get(2), x.get(3));
    let shell2 = shell * shell;
    let cylinder = c(0.6224) * shell * radius * length;
    let heads = c(1.7781) * head * (radius * radius);
    cylinder + heads + c(3.1661) * shell2 * length + c(19.84) * shell2 * radius
}

#[inline(always)]
fn constraints<R: Real, P: Point<R>>((shell, head): (R, R), x: &P, mut each: impl FnMut(R)) {
    let c = R::from_f64;
    let (radius, length) = (x.get(2), x.get(3));
    each(c(0.0193) * radius - shell);
    each(c(0.00954) * radius - head);
    each(c(1_296_000.0) - c(PI) * (radius * radius) * (length + c(4.0 / 3.0) * radius));
    each(length - c(240.0));
}

impl Problem for PressureVessel {
    const ID: &'static str = "pressure-vessel";
    const FORMULA: &'static str = FORMULA;
    const SOURCE: &'static str = "B. Kannan, S. Kramer, An augmented Lagrange multiplier based method for \
                                  mixed integer discrete continuous optimization, Journal of Mechanical \
                                  Design 116, 1994, without the plates; optimum computed";
    const DIMENSIONS: Dimensions = Dimensions::exactly(4);
    const COORDINATES: &'static [&'static str] = COORDINATES;
    const CONSTRAINTS: &'static [Constraint] = CONSTRAINTS;

    fn bounds(i: usize) -> (f64, f64) {
        if i < 2 { (0.0, 99.0) } else { (10.0, 200.0) }
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        let (shell, head) = (0.778_168_641_375_105_3, 0.384_649_162_627_901_8);
        Some([shell, head, 40.319_618_724_098_72, 200.0][i])
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(5_885.332_773_616_458)
    }
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, each: impl FnMut(R)) {
        constraints((x.get(0), x.get(1)), x, each);
    }
}

impl Problem for PressureVesselMixed {
    const ID: &'static str = "pressure-vessel-mixed";
    const FORMULA: &'static str = "0.6224 x1 x3 x4 + 1.7781 x2 x3^2 + 3.1661 x1^2 x4 + 19.84 x1^2 x3, \
         x1 and x2 rounded to multiples of 1/16";
    const SOURCE: &'static str = "B. Kannan, S. Kramer, An augmented Lagrange multiplier based method for \
                                  mixed integer discrete continuous optimization, Journal of Mechanical \
                                  Design 116, 1994; optimum found by going through all plates";
    const DIMENSIONS: Dimensions = Dimensions::exactly(4);
    const COORDINATES: &'static [&'static str] = COORDINATES;
    const CONSTRAINTS: &'static [Constraint] = CONSTRAINTS;

    fn bounds(i: usize) -> (f64, f64) {
        if i < 2 { (1.0 / 16.0, 99.0 / 16.0) } else { (10.0, 200.0) }
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        Some([0.8125, 0.4375, 42.098_445_595_854_92, 176.636_595_842_439_4][i])
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(6_059.714_335_048_435)
    }
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, each: impl FnMut(R)) {
        constraints((plate(x.get(0)), plate(x.get(1))), x, each);
    }
}
