//! What host and the kernels of PSO's resident schedule share.

use super::slots_len;
use crate::order::Candidate;
use crate::real::Float;

/// The largest number of tags that an iteration of PSO's resident schedule uses: how far the blocks can continue, and
/// the new leader.
pub const PSO_TAGS: u32 = 2;

/// The number of words with which a resident block publishes its best particle: its index, then its row.
pub const fn record_words<R: Float>(row_stride: u32) -> u32 {
    1 + row_stride * R::WORDS as u32
}

/// The scratch of the exchange between PSO's resident blocks, in 8-byte words: for each run first its slots
/// ([`slots_len`]), then `[parity][block][word]` with [`record_words`].
pub const fn pso_slots_len<R: Float>(
    constrained: bool,
    runs: u64,
    blocks_per_run: u64,
    row_stride: u32,
) -> u64 {
    slots_len::<R>(constrained, runs, blocks_per_run)
        + runs * 2 * blocks_per_run * record_words::<R>(row_stride) as u64
}

/// The largest number of blocks in a cluster.
pub const MAX_CLUSTER: u32 = 16;

/// The number of words on the board of each block of a cluster, for rows of up to `row` places; divided as in
/// [`pso_slots_len`].
pub const fn cluster_board_len<R: Float>(row: u32) -> u32 {
    pso_slots_len::<R>(true, 1, MAX_CLUSTER as u64, row) as u32
}

/// The shared memory of a resident block, as offsets in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidentLayout {
    /// The best candidate of each warp, `[parity][warp]`, and one for the result of the other blocks.
    pub candidates: u32,
    /// How far each warp can continue, `[warp]`, and one value for all blocks.
    pub counts: u32,
    /// Positions of candidates, two for each warp and two for the result of the other blocks: `[warp][2][coordinate]`.
    /// One of them is the leader's.
    pub positions: u32,
    /// The words through which the blocks of a cluster exchange their results: 8-byte words, `board_words` of them.
    pub board: u32,
    /// The coordinates that lanes exchange, `[particle][coordinate]`; not in columns.
    pub stage: u32,
    /// If each particle has one thread, the limits, which all particles share: [`common_len`] places.
    pub common: u32,
    /// In columns: positions, velocities and personal bests, `[thread]` with [`column_pitch`] places. If the
    /// [personal best is shared](best_is_shared): only that, with [`best_pitch`] places.
    pub columns: u32,
    /// The size of all parts.
    pub bytes: u32,
}

impl ResidentLayout {
    /// The layout for blocks of `block` threads, with particles in a tile of this many lanes and coordinates, whose
    /// rows have `stride` places, with a board of `board_words` words.
    #[inline(always)]
    pub const fn new<R: Float>(
        (lanes, dimensions): (u32, u32),
        (block, stride): (u32, u32),
        gathers: bool,
        board_words: u32,
    ) -> Self {
        let number = 4 * R::WORDS as u32;
        let row = dimensions * number;
        let warps = block.div_ceil(32);
        // First the parts at fixed offsets.
        let has_columns = in_columns(lanes, dimensions / lanes);
        let common = 0;
        let has_common = has_common(lanes, dimensions / lanes);
        let candidates = if has_common { common_len(dimensions) * number } else { 0 };
        let counts = candidates + (2 * warps + 1) * size_of::<Candidate<R>>() as u32;
        let positions = (counts + 4 * (warps + 1)).next_multiple_of(16);
        let board = positions + 2 * (warps + 1) * row;
        let stage = board + 8 * board_words;
        let columns = stage;
        let bytes = if has_columns {
            columns + block * column_pitch(stride) * number
        } else if best_is_shared::<R>(lanes, dimensions / lanes) {
            columns + block * best_pitch(stride) * number
        } else if gathers && lanes > 1 {
            stage + block / lanes * row
        } else {
            stage
        };
        ResidentLayout { candidates, counts, positions, board, stage, common, columns, bytes }
    }
}

/// The number of places in a column with rows of `dimensions` coordinates. Four coordinates each are stored together
/// with their velocities and personal bests: `[quad][3][4]`.
#[inline(always)]
pub const fn column_len(dimensions: u32) -> u32 {
    12 * dimensions.div_ceil(4)
}

/// The place of coordinate `i` in a column; its velocity is four places further on, its personal best eight.
#[inline(always)]
pub const fn column_place(i: u32) -> u32 {
    12 * (i / 4) + i % 4
}

/// The distance between the columns of two threads, in places: an odd multiple of four, so that eight threads that read
/// four places each use all banks of shared memory.
#[inline(always)]
pub const fn column_pitch(stride: u32) -> u32 {
    ((column_len(stride) / 4) | 1) * 4
}

/// The distance between the personal bests of two threads in shared memory, in places: an odd multiple of two, as with
/// [`column_pitch`].
#[inline(always)]
pub const fn best_pitch(stride: u32) -> u32 {
    ((stride / 2) | 1) * 2
}

/// The number of places that a block has once for all its columns, `[quad][4][4]`: lower and upper bound, smallest and
/// largest velocity.
#[inline(always)]
pub const fn common_len(dimensions: u32) -> u32 {
    16 * dimensions.div_ceil(4)
}

/// The place of coordinate `i` of the lower bound; the upper bound and the velocities are 4, 8 and 12 places further
/// on.
#[inline(always)]
pub const fn common_place(i: u32) -> u32 {
    16 * (i / 4) + i % 4
}

/// Whether a tile is in columns: one thread has a whole particle, which is too large for its registers.
pub const fn in_columns(lanes: u32, per_lane: u32) -> bool {
    lanes == 1 && per_lane > 16
}

/// Whether threads read the leader's position and the limits in shared memory, where their block has them once: if one
/// thread has a whole particle, with more than two coordinates.
pub const fn has_common(lanes: u32, per_lane: u32) -> bool {
    lanes == 1 && per_lane > 2
}

/// Whether a thread that holds a particle in its registers keeps the personal best in shared memory: for numbers of two
/// words, the registers then suffice for twice as many threads.
pub const fn best_is_shared<R: Float>(lanes: u32, per_lane: u32) -> bool {
    has_common(lanes, per_lane) && !in_columns(lanes, per_lane) && R::WORDS == 2
}
