//! Local searches from the best points of many runs: arguments of their kernels.

use super::{DataArgs, Ptr};
use crate::dual::CHUNK;
use crate::polish::descent_numbers;

/// The largest number of threads in a block of a kernel that polishes.
pub const POLISH_BLOCK: u32 = 64;

/// The size of a thread's workspace, in numbers, in a kernel that polishes.
pub const fn polish_numbers(dimensions: usize, constraints: usize) -> usize {
    of_objective(constraints) + descent_numbers(dimensions, constraints)
}

/// The size of the workspace's first part: the objective's results for a point, derivatives of all constraints and of
/// the value.
pub const fn of_objective(constraints: usize) -> usize {
    (constraints + 1) * CHUNK
}

/// The runs of a kernel that polishes, with a thread for each run.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PolishRuns<R> {
    /// The data of the objective.
    pub data: DataArgs<R>,
    /// First the start of each search, then its best point, `[run][coordinate]`.
    pub points: Ptr<R>,
    /// The value at that point, `[run]`.
    pub values: Ptr<R>,
    /// The violation at that point, `[run]`.
    pub violations: Ptr<R>,
    /// The lower bounds, `[coordinate]`, or `[run][coordinate]`.
    pub lower: Ptr<R>,
    /// The upper bounds, likewise.
    pub upper: Ptr<R>,
    /// 1 for each fixed coordinate, otherwise 0, `[coordinate]`.
    pub fixed: Ptr<u32>,
    /// The largest number of evaluations of each search, `[run]`; 0 for no search.
    pub budgets: Ptr<u32>,
    /// The work of each search, `[run]`.
    pub done: Ptr<Polished>,
    /// The workspace of each thread, `[number][thread]`.
    pub work: Ptr<R>,
    /// A point of each thread, `[thread][coordinate]`.
    pub rows: Ptr<R>,
    /// The number of runs.
    pub runs: u32,
    /// The number of coordinates of a point.
    pub dimensions: u32,
    /// The number of constraints that the objective evaluates one by one.
    pub constraints: u32,
    /// The number of threads with a workspace.
    pub threads: u32,
    /// The distance between the bounds of two runs: `dimensions`, or 0 if all runs share them.
    pub apart: u32,
    /// Unused; makes the padding explicit.
    pub padding: u32,
}

/// The work of a search.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Polished {
    /// The number of steps.
    pub steps: u32,
    /// The number of evaluations.
    pub evaluations: u32,
    /// The number of gradients.
    pub gradients: u32,
    /// Unused; makes the padding explicit.
    pub padding: u32,
}

/// The arguments of a kernel that polishes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PolishArgs<R, O> {
    /// The runs.
    pub at: PolishRuns<R>,
    /// The objective.
    pub objective: O,
}
