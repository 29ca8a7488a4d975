//! The lightest truss of three bars that carries a load.

use core::f64::consts::SQRT_2;

use super::{constrained_objective, g};
use crate::objective::{Objective, Point};
use crate::problems::{Constraint, Dimensions, Problem};
use crate::real::Real;

/// 100 (2 sqrt(2) x1 + x2) over the cross-sections of the outer bars, x1, and of the middle one, x2, in
/// [0, 1], except the point where both are 0; minimum 263.896.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::ThreeBarTruss};
/// let solid = ThreeBarTruss.evaluate(&SlicePoint(&[1.0_f64, 1.0]));
/// assert_eq!((solid.value, solid.violation), (100.0 * (2.0 * 2.0_f64.sqrt() + 1.0), 0.0));
/// assert!(ThreeBarTruss.violation(&SlicePoint(&[0.5_f64, 0.5])) > 0.5);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThreeBarTruss;

constrained_objective!(ThreeBarTruss, weight);

#[inline(always)]
fn weight<R: Real, P: Point<R>>(x: &P) -> R {
    R::from_f64(100.0) * (R::from_f64(2.0 * SQRT_2) * x.get(0) + x.get(1))
}

impl Problem for ThreeBarTruss {
    const ID: &'static str = "three-bar-truss";
    const FORMULA: &'static str = "100 (2 sqrt(2) x1 + x2)";
    const SOURCE: &'static str = "T. Ray, K. Liew, Society and civilization: an optimization algorithm based \
                                  on the simulation of social behavior, IEEE TEVC 7, 2003; optimum computed";
    const DIMENSIONS: Dimensions = Dimensions::exactly(2);
    const COORDINATES: &'static [&'static str] = &["x1", "x2"];
    const CONSTRAINTS: &'static [Constraint] = &[
        g("g1", "2 (sqrt(2) x1 + x2) / (sqrt(2) x1^2 + 2 x1 x2) - 2"),
        g("g2", "2 x2 / (sqrt(2) x1^2 + 2 x1 x2) - 2"),
        g("g3", "2 / (x1 + sqrt(2) x2) - 2"),
    ];

    fn bounds(_i: usize) -> (f64, f64) {
        (0.0, 1.0)
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        Some([0.788_675_134_594_812_9, 0.408_248_290_463_863][i])
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(263.895_843_376_468_4)
    }
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, mut each: impl FnMut(R)) {
        let (outer, middle) = (x.get(0), x.get(1));
        let root = R::from_f64(SQRT_2);
        // Load and strength are both 2.
        let (load, strength) = (R::TWO, R::TWO);
        let stiff = root * (outer * outer) + R::TWO * (outer * middle);
        each((root * outer + middle) / stiff * load - strength);
        each(middle / stiff * load - strength);
        each(R::ONE / (outer + root * middle) * load - strength);
    }
}
