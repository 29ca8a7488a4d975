//! The tin can that needs the least sheet metal for a given volume.

use warpswarm_kernels::{Objective, Point, Real};

/// The surface of a can, to be minimised over its radius and height, in centimetres.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Can {
    /// The required volume, in cubic centimetres.
    pub volume: f64,
}

impl<R: Real> Objective<R> for Can {
    const CONSTRAINED: bool = true;

    /// The surface of bottom, lid and wall, in square centimetres.
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let (radius, height) = (x.get(0), x.get(1));
        R::from_f64(2.0 * core::f64::consts::PI) * radius * (radius + height)
    }

    /// The missing volume. A feasible can is better than any infeasible one.
    fn violation<P: Point<R>>(&self, x: &P) -> R {
        let (radius, height) = (x.get(0), x.get(1));
        let holds = R::from_f64(core::f64::consts::PI) * radius * radius * height;
        (R::from_f64(self.volume) - holds).larger(R::ZERO)
    }
}

warpswarm_kernels::export_objective! { two kernels, "Can", Can, Can }

#[cfg(test)]
mod tests {
    use super::*;
    use warpswarm_core::objective::SlicePoint;

    /// A can of radius 1 and height 3: surface 2 pi (1 + 3), volume 3 pi.
    #[test]
    fn a_can_by_hand() {
        let can = |volume| Can { volume }.evaluate(&SlicePoint(&[1.0_f64, 3.0]));
        let fitness = can(10.0);
        assert!((fitness.value - 25.132_741_228_718_345).abs() < 1e-14);
        assert!((fitness.violation - 0.575_222_039_230_620).abs() < 1e-14);
        assert_eq!(can(9.0).violation, 0.0);
    }
}
