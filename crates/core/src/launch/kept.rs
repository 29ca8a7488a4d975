//! What runs keep on a device, as kernels see it that change it between iterations.

use super::{Control, OwnRun, Ptr};
use crate::order::{Candidate, Fitness};

/// All that runs keep, and look at. Arrays are row-major; a row of coordinates has `stride` places.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KeptArgs<R> {
    /// The points that individuals keep, `[run][half][individual][place]`
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
    /// The iteration in which an improvement of now is noticed; 0 for the one that a run has reached.
    pub noticed: u64,
    /// Runs.
    pub runs: u32,
    /// Individuals of each.
    pub individuals: u32,
    /// Places in a row.
    pub stride: u32,
    /// How often points and fitnesses are there: where twice, those in the half of the iteration's parity count.
    pub halves: u32,
}
