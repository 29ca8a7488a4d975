//! What the individuals of a run have in common, as kernels find it.

use super::Ptr;
use crate::method::Common;

/// The arrays of what the individuals of a run have in common; of no use where a method has nothing of it.
///
/// `METHOD_REAL_settle` ends an iteration with them, in a launch of its own: a block of at most [`SETTLE_BLOCK`] threads a run,
/// no shared memory. With `iterations` zero, after the individuals are placed or put in place by the host, it only lists the
/// elite.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CommonArgs<R> {
    /// The memory, `[run][number]`; its last number is how many places of the archive are taken.
    pub memory: Ptr<R>,
    /// The best individuals, `[run][place]`, in the order of their indices.
    pub elite: Ptr<u32>,
    /// Points that were given up, `[run][place][coordinate]`
    pub archive: Ptr<R>,
    /// Scratch: where each individual puts its point, `[run][individual]`
    pub places: Ptr<u32>,
    /// Scratch: who puts a point there, `[run][place]`
    pub claims: Ptr<u32>,
    /// The iteration that was ended last, `[run]`
    pub settled: Ptr<u64>,
    /// How much there is of each for a run.
    pub sizes: Common,
    /// Zero.
    pub reserved: u32,
}

/// The most threads of a block that ends an iteration.
pub const SETTLE_BLOCK: u32 = 512;
