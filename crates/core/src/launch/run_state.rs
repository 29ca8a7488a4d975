//! The state of runs on a device, for kernels that change it between iterations.

use super::{Control, OwnRun, Ptr};
use crate::order::{Candidate, Fitness};

/// The stored points and fitnesses of the runs. Arrays are row-major; a row of coordinates has `stride` places.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RunStateArgs<R> {
    /// The points of the individuals, `[run][half][individual][place]`
    pub points: Ptr<R>,
    /// Their fitness, `[run][half][individual]`
    pub fitness: Ptr<Fitness<R>>,
    /// `[run]`
    pub global: Ptr<Candidate<R>>,
    /// `[run][place]`
    pub global_positions: Ptr<R>,
    /// `[run]`
    pub control: Ptr<Control>,
    /// `[run]`
    pub own_runs: Ptr<OwnRun<R>>,
    /// The iteration in which a present improvement is noticed; 0 for the run's current iteration.
    pub noticed: u64,
    /// The number of runs.
    pub runs: u32,
    /// The number of individuals of each run.
    pub individuals: u32,
    /// Places in a row.
    pub stride: u32,
    /// The number of buffers of points and fitnesses, 1 or 2; with 2, the one with the iteration's parity is used.
    pub halves: u32,
}
