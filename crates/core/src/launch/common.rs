//! What the individuals of a run have in common, as kernels find it.

use super::Ptr;
use crate::method::Lessons;

/// The arrays of what the individuals of a run have in common; of no use where a method has nothing of it. Blocks have
/// multiples of [`GROUP`](crate::method::GROUP) individuals then, so that each group is in one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CommonArgs<R> {
    /// The memory, `[run][parity][number]`: that of parity t is what iteration t goes by.
    pub memory: Ptr<R>,
    /// Scratch: the same as each block has found it, `[run][block][number]`
    pub own_memory: Ptr<R>,
    /// The sums of pieces after an iteration, `[run][parity][piece]`, with room for as many as there are groups.
    pub lessons: Ptr<Lessons<R>>,
    /// Points that were given up, `[run][place][individual][coordinate]`, two places each.
    pub archive: Ptr<R>,
    /// Numbers of the memory.
    pub numbers: u32,
    /// Groups of a piece, which a block sums up before others read it: a power of two, at most
    /// [`GROUP`](crate::method::GROUP), of which each block but the last has whole multiples; 1 unless individuals are held,
    /// in blocks of at least 64 threads.
    pub piece: u32,
}
