//! The lightest gear box between an engine and a propeller.

use super::{constrained_objective, g};
use crate::objective::{Objective, Point};
use crate::problems::{Constraint, Dimensions, Problem};
use crate::real::Real;

/// The weight of gears and shafts, over the face's width x1, the teeth's module x2, their number x3
/// (treated as continuous), the shafts' lengths x4, x5 and diameters x6, x7; minimum 2994.471.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint};
/// use warpswarm_core::problems::{Problem, SpeedReducer};
/// let best: Vec<f64> = (0..7).filter_map(|i| SpeedReducer::optimum_position(7, i)).collect();
/// let value: f64 = SpeedReducer.value(&SlicePoint(&best));
/// assert!((value - 2994.471).abs() < 1e-3);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpeedReducer;

/// The same with a lower bound of 7.8 instead of 7.3 for x5, as in many papers; minimum 2996.348.
///
/// ```
/// use warpswarm_core::problems::{Problem, SpeedReducer, SpeedReducerMezura};
/// assert_eq!((SpeedReducer::bounds(4).0, SpeedReducerMezura::bounds(4).0), (7.3, 7.8));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpeedReducerMezura;

/// [`SpeedReducerMezura`] with g5 and g9 as the CMEPSO paper computed them: g5 is never active, and in g9 x2 multiplies
/// where it should divide, as in `x1 / 12 * x2`. Minimum 2896.259.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint};
/// use warpswarm_core::problems::{Problem, SpeedReducerCmepso, SpeedReducerMezura};
/// let best: Vec<f64> = (0..7).filter_map(|i| SpeedReducerCmepso::optimum_position(7, i)).collect();
/// // Whose first shaft is too thin to be allowed.
/// let thin: f64 = SpeedReducerMezura.violation(&SlicePoint(&best));
/// assert!(thin > 0.1);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpeedReducerCmepso;

constrained_objective!(SpeedReducer, weight);
constrained_objective!(SpeedReducerMezura, weight);
constrained_objective!(SpeedReducerCmepso, weight);

const FORMULA: &str = "0.7854 x1 x2^2 (3.3333 x3^2 + 14.9334 x3 - 43.0934) - 1.508 x1 (x6^2 + x7^2) + \
                       7.4777 (x6^3 + x7^3) + 0.7854 (x4 x6^2 + x5 x7^2)";
const COORDINATES: &[&str] = &["x1", "x2", "x3", "x4", "x5", "x6", "x7"];
const G5: &str = "sqrt((745 x4 / (x2 x3))^2 + 16.9e6) / (110 x6^3) - 1";
const G9: &str = "x1 / (12 x2) - 1";

/// pi / 4 as the formula rounds it.
#[allow(clippy::approx_constant)]
const QUARTER_PI: f64 = 0.7854;

#[inline(always)]
fn weight<R: Real, P: Point<R>>(x: &P) -> R {
    let c = R::from_f64;
    let (face, module, teeth) = (x.get(0), x.get(1), x.get(2));
    let (length1, length2, shaft1, shaft2) = (x.get(3), x.get(4), x.get(5), x.get(6));
    let (square1, square2) = (shaft1 * shaft1, shaft2 * shaft2);
    let gears = c(3.3333) * (teeth * teeth) + c(14.9334) * teeth - c(43.0934);
    let gears = c(QUARTER_PI) * face * (module * module) * gears;
    let bores = c(1.508) * face * (square1 + square2);
    let ends = c(7.4777) * (square1 * shaft1 + square2 * shaft2);
    let shafts = c(QUARTER_PI) * (length1 * square1 + length2 * square2);
    gears - bores + ends + shafts
}

#[inline(always)]
fn constraints<R: Real, P: Point<R>>(x: &P, as_computed: bool, mut each: impl FnMut(R)) {
    let c = R::from_f64;
    let one = R::ONE;
    let (face, module, teeth) = (x.get(0), x.get(1), x.get(2));
    let (length1, length2, shaft1, shaft2) = (x.get(3), x.get(4), x.get(5), x.get(6));
    let pitch = module * teeth;
    let (square1, square2) = (shaft1 * shaft1, shaft2 * shaft2);
    each(c(27.0) / (face * module * pitch) - one);
    each(c(397.5) / (face * (pitch * pitch)) - one);
    each(c(1.93) * (length1 * length1 * length1) / (pitch * (square1 * square1)) - one);
    each(c(1.93) * (length2 * length2 * length2) / (pitch * (square2 * square2)) - one);
    let stress = |length: R, torque: f64| {
        let bending = c(745.0) * length / pitch;
        (bending * bending + c(torque)).sqrt()
    };
    if as_computed {
        each(-one);
    } else {
        each(stress(length1, 16.9e6) / (c(110.0) * (square1 * shaft1)) - one);
    }
    each(stress(length2, 157.5e6) / (c(85.0) * (square2 * shaft2)) - one);
    each(pitch / c(40.0) - one);
    each(c(5.0) * module / face - one);
    if as_computed {
        each(face * module / c(12.0) - one);
    } else {
        each(face / (c(12.0) * module) - one);
    }
    each((c(1.5) * shaft1 + c(1.9)) / length1 - one);
    each((c(1.1) * shaft2 + c(1.9)) / length2 - one);
}

fn bounds(i: usize, length2: f64) -> (f64, f64) {
    [(2.6, 3.6), (0.7, 0.8), (17.0, 28.0), (7.3, 8.3), (length2, 8.3), (2.9, 3.9), (5.0, 5.5)][i]
}

const fn named(g5: &'static str, g9: &'static str) -> [Constraint; 11] {
    [
        g("g1", "27 / (x1 x2^2 x3) - 1"),
        g("g2", "397.5 / (x1 x2^2 x3^2) - 1"),
        g("g3", "1.93 x4^3 / (x2 x3 x6^4) - 1"),
        g("g4", "1.93 x5^3 / (x2 x3 x7^4) - 1"),
        g("g5", g5),
        g("g6", "sqrt((745 x5 / (x2 x3))^2 + 157.5e6) / (85 x7^3) - 1"),
        g("g7", "x2 x3 / 40 - 1"),
        g("g8", "5 x2 / x1 - 1"),
        g("g9", g9),
        g("g10", "(1.5 x6 + 1.9) / x4 - 1"),
        g("g11", "(1.1 x7 + 1.9) / x5 - 1"),
    ]
}

impl Problem for SpeedReducer {
    const ID: &'static str = "speed-reducer";
    const FORMULA: &'static str = FORMULA;
    const SOURCE: &'static str = "J. Golinski, Optimal synthesis problems solved by means of nonlinear \
                                  programming and random methods, Journal of Mechanisms 5, 1970; optimum \
                                  computed";
    const DIMENSIONS: Dimensions = Dimensions::exactly(7);
    const COORDINATES: &'static [&'static str] = COORDINATES;
    const CONSTRAINTS: &'static [Constraint] = &named(G5, G9);

    fn bounds(i: usize) -> (f64, f64) {
        bounds(i, 7.3)
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        let (length2, shaft1, shaft2) =
            (7.715_319_911_478_244, 3.350_214_666_096_447, 5.286_654_464_980_222);
        Some([3.5, 0.7, 17.0, 7.3, length2, shaft1, shaft2][i])
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(2_994.471_066_146_82)
    }
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, each: impl FnMut(R)) {
        constraints(x, false, each);
    }
}

impl Problem for SpeedReducerMezura {
    const ID: &'static str = "speed-reducer-mezura";
    const FORMULA: &'static str = FORMULA;
    const SOURCE: &'static str = "L. Cagnina, S. Esquivel, C. Coello, Solving engineering optimization \
                                  problems with the simple constrained particle swarm optimizer, \
                                  Informatica 32, 2008; optimum computed";
    const DIMENSIONS: Dimensions = Dimensions::exactly(7);
    const COORDINATES: &'static [&'static str] = COORDINATES;
    const CONSTRAINTS: &'static [Constraint] = &named(G5, G9);

    fn bounds(i: usize) -> (f64, f64) {
        bounds(i, 7.8)
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        Some([3.5, 0.7, 17.0, 7.3, 7.8, 3.350_214_666_096_447, 5.286_683_229_757_916][i])
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(2_996.348_164_968_53)
    }
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, each: impl FnMut(R)) {
        constraints(x, false, each);
    }
}

impl Problem for SpeedReducerCmepso {
    const ID: &'static str = "speed-reducer-cmepso";
    const FORMULA: &'static str = FORMULA;
    const SOURCE: &'static str = "CMEPSO-GPU, Table 4, as it was computed; g5 may have been a tiny number \
                                  less 1; optimum computed";
    const DIMENSIONS: Dimensions = Dimensions::exactly(7);
    const COORDINATES: &'static [&'static str] = COORDINATES;
    const CONSTRAINTS: &'static [Constraint] = &named("-1", "x1 x2 / 12 - 1");

    fn bounds(i: usize) -> (f64, f64) {
        bounds(i, 7.8)
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        Some([3.5, 0.7, 17.0, 7.3, 7.8, 2.9, 5.286_683_229_757_916][i])
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(2_896.259_284_020_359)
    }
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, each: impl FnMut(R)) {
        constraints(x, true, each);
    }
}
