//! The cheapest beam welded to a wall.

use super::{constrained_objective, g};
use crate::objective::{Objective, Point};
use crate::problems::{Constraint, Dimensions, Problem};
use crate::real::Real;

/// 1.10471 h^2 l + 0.04811 t b (14 + l) over the weld's thickness h in [0.1, 2] and length l in
/// [0.1, 10] and the beam's height t in [0.1, 10] and thickness b in [0.1, 2]; minimum 1.724852.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::WeldedBeam};
/// // 1.10471 x 0.3^2 x 6 + 0.04811 x 9 x 0.3 x 20
/// let stout = WeldedBeam.evaluate(&SlicePoint(&[0.3_f64, 6.0, 9.0, 0.3]));
/// assert!((stout.value - 3.194_483_4).abs() < 1e-12);
/// assert_eq!(stout.violation, 0.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeldedBeam;

/// The same with the weld's stress that reproduces the numbers of the CMEPSO paper: bending is almost left out. Minimum
/// 1.458883.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint};
/// use warpswarm_core::problems::{Problem, WeldedBeam, WeldedBeamCmepso};
/// let best: Vec<f64> = (0..4).filter_map(|i| WeldedBeamCmepso::optimum_position(4, i)).collect();
/// assert!((WeldedBeamCmepso.value(&SlicePoint(&best)) - 1.458883).abs() < 1e-6);
/// // With bending counted its weld would tear.
/// assert!(WeldedBeam.violation(&SlicePoint(&best)) > 1.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeldedBeamCmepso;

constrained_objective!(WeldedBeam, cost);
constrained_objective!(WeldedBeamCmepso, cost);

const FORMULA: &str = "1.10471 h^2 l + 0.04811 t b (14 + l), and with P = 6000, L = 14, E = 30e6, G = 12e6: \
     s = P / (sqrt(2) h l), u = P (L + l / 2) R / J, R = sqrt(l^2 / 4 + ((h + t) / 2)^2), \
     J = 2 sqrt(2) h l (l^2 / 12 + ((h + t) / 2)^2)";
const FORMULA_CMEPSO: &str = "1.10471 h^2 l + 0.04811 t b (14 + l), and with P = 6000, L = 14, E = 30e6, G = 12e6: \
     s = P / (sqrt(2) h l), u = L (L + l / 2) R / J, R = sqrt(l^2 / 4 + ((h + t) / 2)^2), \
     J = 2 h l (l^2 / 12 + ((h + t) / 2)^2)";
const COORDINATES: &[&str] = &["h", "l", "t", "b"];
const BOUNDS: [(f64, f64); 4] = [(0.1, 2.0), (0.1, 10.0), (0.1, 10.0), (0.1, 2.0)];

/// P, in pounds.
const LOAD: f64 = 6000.0;
/// L, in inches.
const LENGTH: f64 = 14.0;
/// E and G, in pounds per square inch.
const YOUNG: f64 = 30e6;
const SHEAR: f64 = 12e6;
/// sqrt(E / (4 G)); E / (4 G) is 0.625.
const STIFFNESS: f64 = 0.790_569_415_042_094_8;
const _: () = assert!(YOUNG == 2.5 * SHEAR);

const SHEARING: Constraint = g("g1", "sqrt(s^2 + s u l / R + u^2) - 13600");
const BENDING: Constraint = g("g2", "6 P L / (b t^2) - 30000");
const WELDABLE: Constraint = g("g3", "h - b");
const PRICE: Constraint = g("g4", "0.10471 h^2 + 0.04811 t b (14 + l) - 5");
const LEAST: Constraint = g("g5", "0.125 - h");
const DEFLECTION: Constraint = g("g6", "4 P L^3 / (E t^3 b) - 0.25");
const BUCKLING: Constraint = g("g7", "P - 4.013 E t b^3 / (6 L^2) (1 - t / (2 L) sqrt(E / (4 G)))");

#[inline(always)]
fn cost<R: Real, P: Point<R>>(x: &P) -> R {
    let c = R::from_f64;
    let (h, l, t, b) = (x.get(0), x.get(1), x.get(2), x.get(3));
    c(1.10471) * (h * h) * l + c(0.04811) * (t * b) * (c(LENGTH) + l)
}

/// `torsion` is P divided by the factor of h l (l^2 / 12 + ((h + t) / 2)^2) in J.
#[inline(always)]
fn constraints<R: Real, P: Point<R>>(x: &P, torsion: f64, mut each: impl FnMut(R)) {
    let c = R::from_f64;
    let (h, l, t, b) = (x.get(0), x.get(1), x.get(2), x.get(3));
    let middle = R::HALF * (h + t);
    let middle2 = middle * middle;
    let l2 = l * l;
    let radius = (c(0.25) * l2 + middle2).sqrt();
    let direct = c(LOAD * core::f64::consts::FRAC_1_SQRT_2) / (h * l);
    let twisting =
        c(torsion) * (c(LENGTH) + R::HALF * l) * radius / (h * l * (l2 / c(12.0) + middle2));
    let both = direct * twisting * l / radius;
    let t2 = t * t;
    let price = c(0.04811) * (t * b) * (c(LENGTH) + l);
    each((direct * direct + both + twisting * twisting).sqrt() - c(13600.0));
    each(c(6.0 * LOAD * LENGTH) / (b * t2) - c(30000.0));
    each(h - b);
    each(c(0.10471) * (h * h) + price - c(5.0));
    each(c(0.125) - h);
    each(c(4.0 * LOAD * LENGTH * LENGTH * LENGTH / YOUNG) / (t2 * t * b) - c(0.25));
    let slender = R::ONE - c(STIFFNESS / (2.0 * LENGTH)) * t;
    each(c(LOAD) - c(4.013 * YOUNG / (6.0 * LENGTH * LENGTH)) * t * (b * b * b) * slender);
}

impl Problem for WeldedBeam {
    const ID: &'static str = "welded-beam";
    const FORMULA: &'static str = FORMULA;
    const SOURCE: &'static str = "C. Coello, Use of a self-adaptive penalty approach for engineering \
                                  optimization problems, Computers in Industry 41, 2000; optimum computed";
    const DIMENSIONS: Dimensions = Dimensions::exactly(4);
    const COORDINATES: &'static [&'static str] = COORDINATES;
    const CONSTRAINTS: &'static [Constraint] =
        &[SHEARING, BENDING, WELDABLE, PRICE, LEAST, DEFLECTION, BUCKLING];

    fn bounds(i: usize) -> (f64, f64) {
        BOUNDS[i]
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        let (h, t) = (0.205_729_639_786_079_46, 9.036_623_910_357_634);
        Some([h, 3.470_488_665_628_002, t, h][i])
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(1.724_852_308_597_365)
    }
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, each: impl FnMut(R)) {
        constraints(x, LOAD * core::f64::consts::FRAC_1_SQRT_2 / 2.0, each);
    }
}

impl Problem for WeldedBeamCmepso {
    const ID: &'static str = "welded-beam-cmepso";
    const FORMULA: &'static str = FORMULA_CMEPSO;
    const SOURCE: &'static str = "CMEPSO-GPU, Table 3; g1 is the simplest formula that gives its figures, \
                                  others might; optimum computed";
    const DIMENSIONS: Dimensions = Dimensions::exactly(4);
    const COORDINATES: &'static [&'static str] = COORDINATES;
    const CONSTRAINTS: &'static [Constraint] =
        &[SHEARING, BENDING, WELDABLE, PRICE, LEAST, DEFLECTION, BUCKLING];

    fn bounds(i: usize) -> (f64, f64) {
        BOUNDS[i]
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        let (h, t) = (0.205_729_639_786_079_46, 9.036_623_910_357_634);
        Some([h, 1.517_674_616_936_16, t, h][i])
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(1.458_883_194_842_756_3)
    }
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, each: impl FnMut(R)) {
        constraints(x, LENGTH / 2.0, each);
    }
}
