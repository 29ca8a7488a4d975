//! What host and the kernels that run a [`Method`](crate::method::Method) share.

use super::{CommonArgs, Control, MAX_BLOCK, OwnRun, Ptr, StartArgs};
use crate::order::{Candidate, Fitness};
use crate::real::Float;

/// The arguments of the kernels that run a [`Method`](crate::method::Method).
///
/// Arrays are row-major. A row of coordinates has `stride` places; those after `dimensions` are zero. Public points,
/// fitnesses and numbers have two buffers: iteration t reads those of parity t - 1 and writes those of parity t.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GenerationArgs<R> {
    /// Public points, `[run][parity][individual][coordinate]`
    pub public: Ptr<R>,
    /// Their fitness, `[run][parity][individual]`
    pub fitness: Ptr<Fitness<R>>,
    /// Own rows, `[run][row][individual][coordinate]`
    pub own: Ptr<R>,
    /// Numbers, `[run][parity][individual][number]`
    pub numbers: Ptr<R>,
    /// The best point found so far, `[run]`
    pub global: Ptr<Candidate<R>>,
    /// `[run][coordinate]`
    pub global_positions: Ptr<R>,
    /// `[run][coordinate]`, with `bounds_runs` runs; -1 after the dimensions
    pub lower: Ptr<R>,
    /// `[run][coordinate]`, with `bounds_runs` runs; 1 after the dimensions
    pub upper: Ptr<R>,
    /// `[run]`
    pub control: Ptr<Control>,
    /// Seed and stop rule of each run, `[run]`
    pub own_runs: Ptr<OwnRun<R>>,
    /// Scratch: the best candidate of every block, `[run][block]`
    pub block_best: Ptr<Candidate<R>>,
    /// Scratch of the exchange between resident blocks: see [`slot_words`](super::slot_words); zero at first.
    pub slots: Ptr<u64>,
    /// Scratch of the exchange between resident blocks: the individual whose fitness was posted, `[run][parity][block]`
    pub slot_indices: Ptr<u64>,
    /// The points that the host has to evaluate, `[run][individual][attempt][coordinate]`, with the method's largest
    /// number of attempts.
    pub asked: Ptr<R>,
    /// The host's results for them, `[run][individual][attempt]`
    pub told: Ptr<Fitness<R>>,
    /// The number of the first run, from which, with the seed, its key follows.
    pub first_run: u64,
    /// The number of iterations in this launch; 0 to place the individuals.
    pub iterations: u64,
    /// The initial points of the first individuals.
    pub start: StartArgs<R>,
    /// What the individuals share.
    pub common: CommonArgs<R>,
    /// Runs in this launch.
    pub runs: u32,
    /// Individuals of a run.
    pub individuals: u32,
    /// Coordinates of an individual.
    pub dimensions: u32,
    /// Places in a row: [`row_stride`](super::row_stride) of the dimensions.
    pub stride: u32,
    /// Blocks that share one run.
    pub blocks_per_run: u32,
    /// The number of individuals in each of these blocks: `individuals` divided by the number of blocks, rounded up.
    /// The last blocks have fewer.
    pub individuals_per_block: u32,
    /// The last used tag of the exchange; barrier k of this launch, from 1, uses `tag + k`.
    pub tag: u32,
    /// The number of warps that share an individual's attempts, at least 1: a divisor of the block's number of warps; 1
    /// if a thread has an individual, and without a tile.
    pub team: u32,
    /// The number of runs with separate bounds: all of this launch, or 1 if all runs share them.
    pub bounds_runs: u32,
    /// 1 if no run has a stop rule, so that none is read; otherwise 0.
    pub never_stops: u32,
}

/// The arguments of a kernel that runs a method, with the method's parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MethodArgs<R, M> {
    /// The arguments that every method has.
    pub args: GenerationArgs<R>,
    /// The method.
    pub method: M,
}

/// How the individuals of a [`Method`](crate::method::Method) are distributed over lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodTile {
    /// The tile's name within the names of kernels.
    pub name: &'static str,
    /// The largest number of dimensions of the tile.
    pub dimensions: u32,
    /// The number of lanes of an individual.
    pub lanes: u32,
}

/// The largest number of threads in a block with eight lanes for an individual, in `f32`: of a method that needs [few
/// registers](crate::method::Method::FRUGAL), and of another method. One block runs on a multiprocessor, with as many
/// registers for each thread as it needs.
pub const TILE_BLOCKS: [u32; 2] = [512, 384];

impl MethodTile {
    /// One thread for an individual, whose proposal is a column of shared memory.
    pub const THREAD: MethodTile = MethodTile { name: "column", dimensions: 32, lanes: 1 };
    /// Eight lanes for an individual, with four neighbouring coordinates each.
    pub const TILE: MethodTile = MethodTile { name: "x8k4", dimensions: 32, lanes: 8 };
    /// A warp for an individual, with one coordinate in each lane.
    pub const WARP: MethodTile = MethodTile { name: "x32k1", dimensions: 32, lanes: 32 };
    /// A warp for an individual, with its coordinates in memory; does one iteration in a launch.
    pub const ANY: MethodTile = MethodTile { name: "any", dimensions: u32::MAX, lanes: 32 };

    /// The largest number of threads in a block; see [`TILE_BLOCKS`].
    pub const fn max_block<R: Float>(&self, frugal: bool) -> u32 {
        match (self.lanes, R::WORDS) {
            (8, 1) if frugal => TILE_BLOCKS[0],
            (8, 1) => TILE_BLOCKS[1],
            _ => MAX_BLOCK,
        }
    }

    /// Whether individuals stay in registers or shared memory during a launch.
    pub fn is_held(&self) -> bool {
        *self != MethodTile::ANY
    }

    /// Shared memory of a block, in bytes: a candidate for each thread, some of which [`team_scratch`] uses, and two
    /// more; then a point for the best, unless a warp has an individual; then the threads' columns, or the coordinates
    /// that lanes exchange.
    pub const fn shared_bytes<R: Float>(&self, block: u32, dimensions: u32, gathers: bool) -> u32 {
        let coordinates = match (self.lanes, self.dimensions) {
            (1, _) => 4 * quads(dimensions) + proposals_len(block, dimensions),
            (_, u32::MAX) => 0,
            (lanes, held) => {
                let shown = if gathers { block / lanes * held } else { 0 };
                if lanes < 32 { held + shown } else { shown }
            }
        };
        generation_stage::<R>(block) + 4 * R::WORDS as u32 * coordinates
    }
}

/// The number of quads (four places) in a row of a column.
const fn quads(dimensions: u32) -> u32 {
    dimensions.div_ceil(4)
}

/// The distance between the columns of three neighbouring threads and those of the next three, in places.
///
/// Of a column only the first four places of each quad are used here: see [`column_place`](super::column_place). The
/// columns of three threads are interleaved, and the next three begin 3 times 4 places, modulo 32, further on. So eight
/// threads that read four places each use all banks of shared memory.
const fn proposals_pitch(dimensions: u32) -> u32 {
    let fours = 3 * quads(dimensions);
    4 * (fours + (11 - fours % 8) % 8)
}

/// The number of places of the columns of all threads of a block.
#[inline(always)]
pub const fn proposals_len(block: u32, dimensions: u32) -> u32 {
    block.div_ceil(3) * proposals_pitch(dimensions) + 8
}

/// Where a thread's column begins within those of its block; it has [`column_len`](super::column_len) places.
#[inline(always)]
pub const fn proposal_place(thread: u32, dimensions: u32) -> u32 {
    thread / 3 * proposals_pitch(dimensions) + 4 * (thread % 3)
}

/// Where warps that share an individual put their best attempts, within the candidates of a block. There are two
/// buffers, so that one barrier for each individual is enough. The places before them are used by the exchange between
/// blocks.
pub const fn team_scratch(warps: u32, individual: u32) -> u32 {
    warps + 1 + (individual & 1) * warps
}

/// Where the coordinates begin in the shared memory of a block, in bytes.
pub const fn generation_stage<R: Float>(block: u32) -> u32 {
    ((block + 2) * size_of::<Candidate<R>>() as u32).next_multiple_of(16)
}

/// The names of the kernels that run a [`Method`](crate::method::Method).
///
/// `METHOD_REAL_TILE`, such as `de_f32_x32k1`, followed by `_constrained` if the objective has constraints and the tile
/// is not `any`, does `iterations` iterations (one, for the tile `any`), or places the individuals if that is zero. It
/// is linked with an objective in the form of its tile, `warp` for `any`. Grids have `runs * blocks_per_run` blocks of
/// at most [`MethodTile::max_block`] threads, a multiple of 32; shared memory is [`MethodTile::shared_bytes`]. More
/// than one iteration with more than one block for each run needs a cooperative launch. Before the first launch
/// `control`, `slots`, `own`, `numbers`, and places after the dimensions are zero.
///
/// If the host evaluates, an iteration is two launches with the same arguments, `METHOD_REAL_ask` and
/// `METHOD_REAL_tell`, in the shape of the tile `any`. Between them the host reads `asked` and writes `told`. With zero
/// iterations they place the individuals.
pub mod generation_kernels {
    /// `generation_nearest_REAL`: computes number 0 of every individual from the distance to its nearest other. A warp
    /// for each individual; any grid; no shared memory. After the launch that places the individuals.
    pub const NEAREST: &str = "generation_nearest";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{column_len, column_place};
    use std::vec::Vec;

    #[test]
    fn shared_memory_by_hand() {
        // Eight quads: 24 fours for three threads, and three more: 27.
        let columns = 22 * 27 * 4 + 8;
        assert_eq!(
            MethodTile::THREAD.shared_bytes::<f64>(64, 30, true),
            66 * 24 + (32 + columns) * 8
        );
        assert_eq!(MethodTile::WARP.shared_bytes::<f32>(64, 30, true), 66 * 16 + 2 * 32 * 4);
        assert_eq!(MethodTile::WARP.shared_bytes::<f32>(64, 30, false), 66 * 16);
        assert_eq!(MethodTile::TILE.shared_bytes::<f32>(64, 30, true), 66 * 16 + (1 + 8) * 32 * 4);
        assert_eq!(MethodTile::TILE.shared_bytes::<f64>(64, 30, false), 66 * 24 + 32 * 8);
        assert_eq!(MethodTile::ANY.shared_bytes::<f64>(64, 300, true), 66 * 24);
    }

    #[test]
    fn columns_lie_in_one_another_without_conflicts() {
        for dimensions in 1..=32 {
            let place = |thread, i| proposal_place(thread, dimensions) + column_place(i);
            let mut places: Vec<u32> = (0..64)
                .flat_map(|t| (0..4 * quads(dimensions)).map(move |i| place(t, i)))
                .collect();
            assert!(places.iter().all(|&place| place < proposals_len(64, dimensions)));
            assert!(
                proposal_place(63, dimensions) + column_len(dimensions)
                    <= proposals_len(64, dimensions)
            );
            let all = places.len();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), all, "each has its own");
            for first in 0..56 {
                let mut banks: Vec<u32> = (first..first + 8).map(|t| place(t, 0) / 4 % 8).collect();
                banks.sort_unstable();
                assert!(
                    banks.into_iter().eq(0..8),
                    "{dimensions} dimensions, from thread {first} on"
                );
            }
        }
    }

    #[test]
    fn arguments_have_no_hidden_padding() {
        assert_eq!(size_of::<GenerationArgs<f32>>(), 15 * 8 + 2 * 8 + 16 + 40 + 10 * 4);
        assert_eq!(size_of::<GenerationArgs<f64>>(), 15 * 8 + 2 * 8 + 16 + 40 + 10 * 4);
    }
}
