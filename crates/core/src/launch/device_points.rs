//! Points that other code evaluates on the same device: arguments and names of the kernels before and after.

use super::Ptr;
use crate::order::Fitness;

/// The arguments of [`HAND_OUT`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HandOutArgs<R> {
    /// The points to be evaluated, `[place][coordinate]`, in rows of `stride`
    pub asked: Ptr<R>,
    /// The place of each point, `[point]`; absent if all places are evaluated, in their order
    pub places: Ptr<u32>,
    /// How each coordinate is [shown](crate::variable::shown), `[coordinate][SHOWN]`; absent if all are unchanged
    pub shown: Ptr<R>,
    /// The points, `[point][coordinate]` without gaps
    pub points: Ptr<R>,
    /// The number of points.
    pub count: u32,
    /// The number of places in `asked`.
    pub all: u32,
    /// The number of coordinates of a point.
    pub dimensions: u32,
    /// The number of places in a row of `asked`.
    pub stride: u32,
}

/// The arguments of [`TAKE_IN`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TakeInArgs<R> {
    /// `[point]`
    pub values: Ptr<R>,
    /// `[point]`; absent if there are no constraints
    pub violations: Ptr<R>,
    /// As in [`HandOutArgs`].
    pub places: Ptr<u32>,
    /// `[place]`
    pub told: Ptr<Fitness<R>>,
    /// The number of points.
    pub count: u32,
    /// The number of places in `told`.
    pub all: u32,
    /// 1 if larger values are better, otherwise 0.
    pub maximises: u32,
    /// Unused; makes the padding explicit.
    pub padding: u32,
}

/// The largest number of threads in a block of both kernels; any number of blocks.
pub const DEVICE_POINTS_BLOCK: u32 = 256;
/// Writes points, in the variables' values, for other code to evaluate. A warp for one point after the other.
pub const HAND_OUT: &str = "hand_out";
/// Reads the values that other code has computed. A thread for one point after the other.
pub const TAKE_IN: &str = "take_in";
