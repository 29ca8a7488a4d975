//! Whether populations have converged, on a device: arguments and name of the kernel that tests this.

use super::{Ptr, RunStateArgs};

/// The arguments of [`CHECK_CONVERGENCE`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ConvergenceArgs<R> {
    /// The stored points of the runs.
    pub state: RunStateArgs<R>,
    /// `[run][coordinate]`, with `bounds_runs` runs
    pub lower: Ptr<R>,
    /// `[run][coordinate]`, with `bounds_runs` runs
    pub upper: Ptr<R>,
    /// 1 if a run's population [has converged](crate::restart::is_one_value), otherwise 0, `[run]`
    pub converged: Ptr<u32>,
    /// The number of runs with separate bounds: all, or 1 if all runs share them.
    pub bounds_runs: u32,
    /// The number of coordinates of a point.
    pub dimensions: u32,
}

/// Tests for each run whether its population has converged. A block for each run, of a multiple of 32 threads up to
/// [`MIGRATION_BLOCK`](super::MIGRATION_BLOCK).
pub const CHECK_CONVERGENCE: &str = "look";
