//! What the individuals of a run share, in the form that kernels use.

use super::Ptr;
use crate::method::Lessons;

/// The arrays that the individuals of a run share; unused if a method shares nothing. Otherwise blocks have multiples
/// of [`GROUP`](crate::method::GROUP) individuals, so that each group is in one block.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CommonArgs<R> {
    /// The memory, `[run][parity][number]`; iteration t uses that of its own parity.
    pub memory: Ptr<R>,
    /// Scratch: the memory as each block has computed it, `[run][block][number]`
    pub own_memory: Ptr<R>,
    /// The sums of pieces after an iteration, `[run][parity][piece]`, with room for as many pieces as there are groups.
    pub lessons: Ptr<Lessons<R>>,
    /// Replaced points, `[run][place][individual][coordinate]`, with two places for each individual.
    pub archive: Ptr<R>,
    /// How many numbers the memory has.
    pub numbers: u32,
    /// How many groups form a piece, which one block sums before other blocks read it: a power of two, at most
    /// [`GROUP`](crate::method::GROUP). Each block but the last has whole pieces. It is 1 unless individuals are held,
    /// in blocks of at least 64 threads.
    pub piece: u32,
}
