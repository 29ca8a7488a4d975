//! Local searches from the best points of many runs: arguments of their kernels.

use super::{DataArgs, Ptr};
use crate::dual::CHUNK;
use crate::polish::descent_numbers;

/// The most threads of a block of a kernel that polishes.
pub const POLISH_BLOCK: u32 = 64;

/// How many numbers a thread of a kernel that polishes needs to work with.
pub const fn polish_numbers(dimensions: usize, constraints: usize) -> usize {
    of_objective(constraints) + descent_numbers(dimensions, constraints)
}

/// The first of them: what the objective gives for a point, derivatives of all constraints and the value.
pub const fn of_objective(constraints: usize) -> usize {
    (constraints + 1) * CHUNK
}

/// The runs of a kernel that polishes, a thread a run.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PolishRuns<R> {
    /// The data of the objective.
    pub data: DataArgs<R>,
    /// Where each search starts and then the best point that it has seen, `[run][coordinate]`.
    pub points: Ptr<R>,
    /// The value at that point, `[run]`.
    pub values: Ptr<R>,
    /// The violation there, `[run]`.
    pub violations: Ptr<R>,
    /// The lower bounds, `[coordinate]`, or `[run][coordinate]`.
    pub lower: Ptr<R>,
    /// The upper bounds, likewise.
    pub upper: Ptr<R>,
    /// 1 for each coordinate that keeps its value, otherwise 0, `[coordinate]`.
    pub fixed: Ptr<u32>,
    /// The most evaluations of each search, `[run]`; 0 where there is none.
    pub budgets: Ptr<u32>,
    /// What each search did, `[run]`.
    pub done: Ptr<Polished>,
    /// Room of each thread to work in, `[number][thread]`.
    pub work: Ptr<R>,
    /// Room for a point of each thread, `[thread][coordinate]`.
    pub rows: Ptr<R>,
    /// Runs.
    pub runs: u32,
    /// Coordinates of a point.
    pub dimensions: u32,
    /// Constraints that the objective gives one by one.
    pub constraints: u32,
    /// Threads for which there is room.
    pub threads: u32,
    /// Coordinates from a run's bounds to those of the next one: `dimensions`, or 0 where all have the same.
    pub apart: u32,
    /// Nothing.
    pub padding: u32,
}

/// What a search did.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Polished {
    /// Steps.
    pub steps: u32,
    /// Evaluations.
    pub evaluations: u32,
    /// Gradients.
    pub gradients: u32,
    /// Nothing.
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
