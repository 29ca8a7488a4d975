//! When a run stops.

use crate::order::Fitness;
use crate::real::Float;

/// The reasons for which a run stopped, as codes that kernels write.
pub mod stopped {
    /// The run has not stopped.
    pub const NOT: u32 = 0;
    /// The target was reached.
    pub const TARGET: u32 = 1;
    /// No improvement for the given number of iterations.
    pub const STAGNATION: u32 = 2;
    /// Another iteration would exceed the limit of evaluations; only if iterations differ in their number of
    /// evaluations.
    pub const EVALUATIONS: u32 = 3;
    /// The run pauses while others do an iteration or are placed. Only on a device, and for two launches.
    pub const WAITS: u32 = 4;
}

/// The stop conditions that depend on a run's state; the same test on every backend, after every iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopRule<R> {
    /// Stop at a feasible value of at most this; -inf stops only at a value of -inf, NaN never.
    pub target: R,
    /// Stop after this many iterations, below 2^32, without an improvement; 0 for never.
    pub stagnation: u64,
}

impl<R: Float> StopRule<R> {
    /// A rule that never stops.
    pub const NEVER: Self = StopRule { target: R::NAN, stagnation: 0 };

    /// Whether the rule never stops a run whose values are finite.
    pub fn is_never(&self) -> bool {
        let is_target = self.target > R::ZERO - R::INFINITY;
        !is_target && self.stagnation == 0
    }

    /// Whether a run with this best fitness stops after `iterations` iterations, if the last improvement was in
    /// iteration `improved_at`: one of the codes of [`stopped`].
    #[inline(always)]
    pub fn check(&self, best: Fitness<R>, iterations: u64, improved_at: u64) -> u32 {
        if best.violation == R::ZERO && best.value <= self.target {
            stopped::TARGET
        } else if self.stagnation != 0 && iterations - improved_at >= self.stagnation {
            stopped::STAGNATION
        } else {
            stopped::NOT
        }
    }
}
