//! Gradients at many points: arguments of their kernels.

use super::{DataArgs, Ptr};

/// The largest number of threads in a block of a kernel that computes gradients.
pub const GRADIENT_BLOCK: u32 = 128;

/// The points of a kernel that computes gradients, with a thread for each point.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GradientPoints<R> {
    /// The data of the objective.
    pub data: DataArgs<R>,
    /// The points, `[point][coordinate]`, run after run.
    pub points: Ptr<R>,
    /// The value at each point, `[point]`.
    pub values: Ptr<R>,
    /// The derivatives at each point, `[point][coordinate]`.
    pub slopes: Ptr<R>,
    /// The number of points.
    pub count: u32,
    /// The number of points of each run, at least 1.
    pub of_run: u32,
    /// The number of coordinates of a point.
    pub dimensions: u32,
    /// Unused; makes the padding explicit.
    pub padding: u32,
}

/// The arguments of a kernel that computes gradients.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GradientArgs<R, O> {
    /// The points.
    pub at: GradientPoints<R>,
    /// The objective.
    pub objective: O,
}
