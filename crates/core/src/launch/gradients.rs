//! Gradients at many points: arguments of their kernels.

use super::{DataArgs, Ptr};

/// The most threads of a block of a kernel that computes gradients.
pub const GRADIENT_BLOCK: u32 = 128;

/// The points of a kernel that computes gradients, a thread a point.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GradientPoints<R> {
    /// The data of the objective.
    pub data: DataArgs<R>,
    /// The points, `[point][coordinate]`, those of each run one after the other.
    pub points: Ptr<R>,
    /// The value at each, `[point]`.
    pub values: Ptr<R>,
    /// Its derivatives, `[point][coordinate]`.
    pub slopes: Ptr<R>,
    /// Points.
    pub count: u32,
    /// Points of each run, at least 1.
    pub of_run: u32,
    /// Coordinates of a point.
    pub dimensions: u32,
    /// Nothing.
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
