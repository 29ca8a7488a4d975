//! Engineering design problems: few coordinates, each with its range, and constraints.
//!
//! Each problem exists as in the literature. Those whose names end in `Cmepso` are what the paper on CMEPSO-GPU (A
//! CUDA-based cooperative evolutionary multi-swarm optimization applied to engineering problems) actually computed: its
//! tables cannot be reproduced with the formulas of the literature. Their formulas were derived from the values and
//! constraints that it prints, and reproduce all of them to the last digit.

mod pressure_vessel;
mod speed_reducer;
mod spring;
mod three_bar_truss;
mod welded_beam;

pub use pressure_vessel::{PressureVessel, PressureVesselMixed};
pub use speed_reducer::{SpeedReducer, SpeedReducerCmepso, SpeedReducerMezura};
pub use spring::{Spring, SpringCmepso};
pub use three_bar_truss::ThreeBarTruss;
pub use welded_beam::{WeldedBeam, WeldedBeamCmepso};

use super::Constraint;

/// Implements `Objective` for a problem with constraints; its value is `$value` of the point.
macro_rules! constrained_objective {
    ($problem:ident, $value:path) => {
        impl<R: Real> Objective<R> for $problem {
            const CONSTRAINED: bool = true;

            #[inline(always)]
            fn value<P: Point<R>>(&self, x: &P) -> R {
                $value(x)
            }
            #[inline(always)]
            fn violation<P: Point<R>>(&self, x: &P) -> R {
                Self::total_violation(x)
            }
            #[inline(always)]
            fn each_constraint<P: Point<R>>(&self, x: &P, each: impl FnMut(R)) {
                Self::constraints(x, each);
            }
        }
    };
}
use constrained_objective;

/// A constraint with this name and formula.
const fn g(name: &'static str, formula: &'static str) -> Constraint {
    Constraint { name, formula }
}
