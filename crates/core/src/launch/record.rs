//! Where the runs of a launch are, and their bests, as one piece of memory that devices can show each other.

use super::{Control, Ptr, StopRule};
use crate::order::Candidate;
use crate::real::Float;

/// Arrays begin at multiples of so many bytes, so that rows can be read in vectors.
const ALIGNMENT: u64 = 16;

/// How the arrays of one element a run lie in a record: `control`, `global`, `global_positions`, one after the other.
///
/// ```
/// use warpswarm_core::launch::RecordLayout;
/// let layout = RecordLayout::new::<f32>(3, 4);
/// assert_eq!((layout.global, layout.global_positions, layout.bytes), (128, 176, 224));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    /// Where [`Candidate`]s begin, `[run]`; [`Control`]s begin at 0.
    pub global: u64,
    /// Where positions begin, `[run][place]`.
    pub global_positions: u64,
    /// Bytes in all.
    pub bytes: u64,
}

impl RecordLayout {
    /// Of so many runs, with rows of so many places.
    #[inline(always)]
    pub const fn new<R: Float>(runs: u32, stride: u32) -> Self {
        let runs = runs as u64;
        let global = (runs * size_of::<Control>() as u64).next_multiple_of(ALIGNMENT);
        let candidates = runs * size_of::<Candidate<R>>() as u64;
        let global_positions = (global + candidates).next_multiple_of(ALIGNMENT);
        let rows = runs * stride as u64 * size_of::<R>() as u64;
        let bytes = (global_positions + rows).next_multiple_of(ALIGNMENT);
        RecordLayout { global, global_positions, bytes }
    }
}

/// The arguments of [`JOIN`](super::pso_kernels::JOIN).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JoinArgs<R> {
    /// The records of all devices, one after the other.
    pub records: Ptr<u64>,
    /// The record that is written; none of those.
    pub joined: Ptr<u64>,
    /// When a run stops by itself.
    pub stop: StopRule<R>,
    /// Devices.
    pub peers: u32,
    /// Which of them this is.
    pub rank: u32,
    /// Runs.
    pub runs: u32,
    /// Places in a row.
    pub stride: u32,
}
