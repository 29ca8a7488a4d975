//! Points that others evaluate on the same device: arguments and names of the kernels before and after.

use super::Ptr;
use crate::order::Fitness;

/// The arguments of [`HAND_OUT`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HandOutArgs<R> {
    /// What individuals want to have evaluated, `[place][coordinate]`, in rows of `stride`
    pub asked: Ptr<R>,
    /// At which place each point is, `[point]`; absent where all are evaluated, in their order
    pub places: Ptr<u32>,
    /// How each coordinate is [shown](crate::variable::shown), `[coordinate][SHOWN]`; absent where all are as they are
    pub shown: Ptr<R>,
    /// The points, `[point][coordinate]` without gaps
    pub points: Ptr<R>,
    /// Points.
    pub count: u32,
    /// Places that `asked` has.
    pub all: u32,
    /// Coordinates of a point.
    pub dimensions: u32,
    /// Numbers of a row of `asked`.
    pub stride: u32,
}

/// The arguments of [`TAKE_IN`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TakeInArgs<R> {
    /// `[point]`
    pub values: Ptr<R>,
    /// `[point]`; absent where there are no constraints
    pub violations: Ptr<R>,
    /// As in [`HandOutArgs`].
    pub places: Ptr<u32>,
    /// `[place]`
    pub told: Ptr<Fitness<R>>,
    /// Points.
    pub count: u32,
    /// Places that `told` has.
    pub all: u32,
    /// 1 where greater values are better.
    pub maximises: u32,
    /// Nothing.
    pub padding: u32,
}

/// The most threads of a block of both kernels, of any number of blocks.
pub const HANDED_BLOCK: u32 = 256;
/// Writes points as they are meant, for others to evaluate; a warp a point after the other.
pub const HAND_OUT: &str = "hand_out";
/// Reads the values that others have found; a thread a point after the other.
pub const TAKE_IN: &str = "take_in";
