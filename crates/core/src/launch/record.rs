//! The state and the best points of the runs of a launch, as one piece of memory that devices can exchange.

use super::{Control, Ptr, StopRule};
use crate::order::Candidate;
use crate::real::Float;

/// Arrays begin at multiples of this many bytes, so that rows can be read as vectors.
const ALIGNMENT: u64 = 16;

/// The layout of a record, with offsets in bytes: the arrays `control`, `global` and `global_positions`, one after the
/// other.
///
/// ```
/// use warpswarm_core::launch::RecordLayout;
/// let layout = RecordLayout::new::<f32>(3, 4);
/// assert_eq!((layout.global, layout.global_positions, layout.bytes), (128, 176, 224));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    /// The offset of the [`Candidate`]s, `[run]`; the [`Control`]s are at 0.
    pub global: u64,
    /// The offset of the positions, `[run][place]`.
    pub global_positions: u64,
    /// The size of the record.
    pub bytes: u64,
}

impl RecordLayout {
    /// The layout for these runs, with rows of `stride` places.
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
    /// The record to be written, which is not one of those.
    pub joined: Ptr<u64>,
    /// When a run stops.
    pub stop: StopRule<R>,
    /// The number of devices.
    pub peers: u32,
    /// The index of this device.
    pub rank: u32,
    /// The number of runs.
    pub runs: u32,
    /// The number of places in a row.
    pub stride: u32,
}
