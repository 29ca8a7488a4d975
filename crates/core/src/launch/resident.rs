//! What the kernels of PSO's resident schedule and their host share.

use super::slots_len;
use crate::order::Candidate;
use crate::real::Float;

/// Tags that an iteration of PSO's resident schedule uses at most: how far the blocks can go, and who leads from there.
pub const PSO_TAGS: u32 = 2;

/// Words of what a resident block shows the others of its best: its index, then its row.
pub const fn record_words<R: Float>(row_stride: u32) -> u32 {
    1 + row_stride * R::WORDS as u32
}

/// The scratch of the exchange between PSO's resident blocks, in 8-byte words: of each run first its slots
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

/// The most blocks of a cluster.
pub const MAX_CLUSTER: u32 = 16;

/// Words of the board of each block of a cluster, for rows of up to so many places; cut up as those of
/// [`pso_slots_len`].
pub const fn cluster_board_len<R: Float>(row: u32) -> u32 {
    pso_slots_len::<R>(true, 1, MAX_CLUSTER as u64, row) as u32
}

/// Where a resident block keeps things in its shared memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidentLayout {
    /// The best candidate of each warp, `[parity][warp]`, and one for what the block hears from the others.
    pub candidates: u32,
    /// How far each warp can go, `[warp]`, and one for all blocks.
    pub counts: u32,
    /// Positions of candidates, two for each warp and two for what the block hears: `[warp][2][coordinate]`. One of them is
    /// the leader's.
    pub positions: u32,
    /// Where the blocks of a cluster show each other what they have found: 8-byte words, as many as were asked for.
    pub board: u32,
    /// The coordinates that lanes show each other, `[particle][coordinate]`; not in columns.
    pub stage: u32,
    /// Where particles have a thread each, the limits, which all have in common: [`common_len`] places.
    pub common: u32,
    /// In columns, positions, velocities and personal bests, `[thread]` with [`column_pitch`] places; where the
    /// [personal best is shared](best_is_shared), that alone, with [`best_pitch`] places.
    pub columns: u32,
    /// All of it.
    pub bytes: u32,
}

impl ResidentLayout {
    /// The layout for blocks of `block` threads with particles in a tile of so many lanes and coordinates, whose rows have
    /// `stride` places, with a board of `board_words` words.
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
        // First what is at fixed places then.
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

/// Places of a column with rows of `dimensions` coordinates, of which four after four are kept together with their
/// velocities and their personal best: `[quad][3][4]`.
#[inline(always)]
pub const fn column_len(dimensions: u32) -> u32 {
    12 * dimensions.div_ceil(4)
}

/// Where coordinate `i` is in a column; its velocity is four places on, and its personal best eight.
#[inline(always)]
pub const fn column_place(i: u32) -> u32 {
    12 * (i / 4) + i % 4
}

/// Places from one thread's column to the next: an odd number of times four, so that eight threads that read four
/// places each use all banks of shared memory.
#[inline(always)]
pub const fn column_pitch(stride: u32) -> u32 {
    ((column_len(stride) / 4) | 1) * 4
}

/// Places from one thread's personal best to the next one's, where shared memory has it: an odd number of times two, as
/// with [`column_pitch`].
#[inline(always)]
pub const fn best_pitch(stride: u32) -> u32 {
    ((stride / 2) | 1) * 2
}

/// Places of what a block has once for all its columns, `[quad][4][4]`: lower and upper bound, least and largest velocity.
#[inline(always)]
pub const fn common_len(dimensions: u32) -> u32 {
    16 * dimensions.div_ceil(4)
}

/// Where coordinate `i` of the lower bound is; the upper one and the velocities are 4, 8 and 12 places on.
#[inline(always)]
pub const fn common_place(i: u32) -> u32 {
    16 * (i / 4) + i % 4
}

/// Whether a tile is in columns: a thread has a particle for itself that is too large for its registers alone.
pub const fn in_columns(lanes: u32, per_lane: u32) -> bool {
    lanes == 1 && per_lane > 16
}

/// Whether threads read the leader's position and the limits in shared memory, where their block has them once: where a thread has a
/// particle for itself, and more than two coordinates.
pub const fn has_common(lanes: u32, per_lane: u32) -> bool {
    lanes == 1 && per_lane > 2
}

/// Whether a thread that has a particle in its registers keeps the personal best in shared memory: with numbers of two
/// words there are registers for twice as many threads then.
pub const fn best_is_shared<R: Float>(lanes: u32, per_lane: u32) -> bool {
    has_common(lanes, per_lane) && !in_columns(lanes, per_lane) && R::WORDS == 2
}
