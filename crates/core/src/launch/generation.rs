//! What the kernels that run a [`Method`](crate::method::Method) and their host share.

use super::{Control, OwnRun, Ptr, StartArgs};
use crate::order::{Candidate, Fitness};
use crate::real::Real;

/// The arguments of the kernels that run a [`Method`](crate::method::Method).
///
/// Arrays are row-major; a row of coordinates has `stride` places, those beyond `dimensions` zero.
/// Public points, fitnesses and numbers are there twice: iteration t reads those of parity t - 1 and
/// writes those of parity t.
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
    /// The best that there ever was, `[run]`
    pub global: Ptr<Candidate<R>>,
    /// `[run][coordinate]`
    pub global_positions: Ptr<R>,
    /// `[run][coordinate]`, of `bounds_runs`; -1 beyond the dimensions
    pub lower: Ptr<R>,
    /// `[run][coordinate]`, of `bounds_runs`; 1 beyond the dimensions
    pub upper: Ptr<R>,
    /// `[run]`
    pub control: Ptr<Control>,
    /// Seed and stop of each run, `[run]`
    pub own_runs: Ptr<OwnRun<R>>,
    /// Scratch: the best of every block, `[run][block]`
    pub block_best: Ptr<Candidate<R>>,
    /// Scratch of the exchange between resident blocks: see [`slot_words`](super::slot_words); zero at first.
    pub slots: Ptr<u64>,
    /// Scratch of the exchange between resident blocks: whose fitness was posted, `[run][parity][block]`
    pub slot_indices: Ptr<u64>,
    /// The points that the host is asked for, `[run][individual][attempt][coordinate]`, with as many attempts as
    /// the method makes at most.
    pub asked: Ptr<R>,
    /// What the host tells of them, `[run][individual][attempt]`
    pub told: Ptr<Fitness<R>>,
    /// The number of the first run, which with the seed gives its key.
    pub first_run: u64,
    /// Iterations to do in this launch; 0 to place the individuals.
    pub iterations: u64,
    /// Where the first individuals begin.
    pub start: StartArgs<R>,
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
    /// Individuals of each of them, the last ones fewer: their number by that of the blocks, rounded up.
    pub individuals_per_block: u32,
    /// The exchange's last used tag; meeting k of this launch, from 1, uses `tag + k`.
    pub tag: u32,
    /// Warps that share an individual's attempts, 1 or more: a divisor of the block's; 1 where a thread has an
    /// individual, and without tile.
    pub team: u32,
    /// Runs that have bounds of their own: all of this launch, or 1 where they have the same.
    pub bounds_runs: u32,
    /// 1 where no run stops by itself, so that none needs to read when it would; 0 elsewhere.
    pub never_stops: u32,
}

/// The arguments of a kernel that runs a method, with the method's parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MethodArgs<R, M> {
    /// What every method has.
    pub args: GenerationArgs<R>,
    /// The method.
    pub method: M,
}

/// How the individuals of a [`Method`](crate::method::Method) are spread over lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodTile {
    /// Its name in the names of kernels.
    pub name: &'static str,
    /// The most dimensions that it holds.
    pub dimensions: u32,
    /// Lanes of an individual.
    pub lanes: u32,
}

impl MethodTile {
    /// A thread an individual.
    pub const THREAD: MethodTile = MethodTile { name: "x1k8", dimensions: 8, lanes: 1 };
    /// A warp an individual, a coordinate a lane.
    pub const WARP: MethodTile = MethodTile { name: "x32k1", dimensions: 32, lanes: 32 };
    /// A warp an individual, its coordinates in memory; does one iteration a launch.
    pub const ANY: MethodTile = MethodTile { name: "any", dimensions: u32::MAX, lanes: 32 };

    /// The smallest tile that holds this many dimensions.
    pub fn for_dimensions(dimensions: u32) -> MethodTile {
        let tiles = [MethodTile::THREAD, MethodTile::WARP];
        let holds = |tile: &MethodTile| dimensions <= tile.dimensions;
        tiles.into_iter().find(holds).unwrap_or(MethodTile::ANY)
    }

    /// Whether individuals are in registers or shared memory while they move.
    pub fn is_held(&self) -> bool {
        *self != MethodTile::ANY
    }

    /// Shared memory of a block, in bytes: a candidate a thread and one more, of which [`team_scratch`] has some;
    /// then the coordinates that lanes show each other, or a point for the best and one a thread.
    pub const fn shared_bytes<R: Real>(&self, block: u32, gathers: bool) -> u32 {
        let coordinates = match (self.lanes, self.dimensions) {
            (1, _) => (block + 1) * POINT_PLACES,
            (_, u32::MAX) => 0,
            (lanes, held) => {
                if gathers {
                    block / lanes * held
                } else {
                    0
                }
            }
        };
        generation_stage::<R>(block) + 4 * R::WORDS as u32 * coordinates
    }
}

/// Places of a thread's point in shared memory, of which [`MethodTile::THREAD`] uses eight: an odd number, so
/// that the threads of a warp find theirs in different banks.
pub const POINT_PLACES: u32 = 9;

/// Where warps that share an individual put their best attempts, in the candidates of a block: they are there
/// twice, so that a barrier an individual is enough. Before them is what the blocks' agreement takes.
pub const fn team_scratch(warps: u32, individual: u32) -> u32 {
    warps + 1 + (individual & 1) * warps
}

/// Where the coordinates that lanes show each other begin in the shared memory of a block, in bytes.
pub const fn generation_stage<R: Real>(block: u32) -> u32 {
    (block + 1) * size_of::<Candidate<R>>() as u32
}

/// The names of the kernels that run a [`Method`](crate::method::Method).
///
/// `METHOD_REAL_TILE`, such as `de_f32_x32k1`, followed by `_constrained` where the objective can be violated
/// and the tile is not `any`, does `iterations` iterations (one, for the tile `any`), or places the
/// individuals if that is zero. It is linked with an objective in the form of its tile, `warp` for `any`. Grids are `runs * blocks_per_run`
/// blocks of at most [`MAX_BLOCK`](super::MAX_BLOCK) threads, a multiple of 32; shared memory is
/// [`MethodTile::shared_bytes`]. More than one iteration and more than one block a run need a
/// cooperative launch. Before the first launch `control`, `slots`, `own`, `numbers`, and places beyond the
/// dimensions are zero.
///
/// Where the host evaluates, an iteration is two launches with the same arguments, `METHOD_REAL_ask` and
/// `METHOD_REAL_tell`, in the shape of the tile `any`; between them the host reads `asked` and writes `told`. With
/// zero iterations they place the individuals.
pub mod generation_kernels {
    /// `generation_nearest_REAL`: number 0 of every individual from the distance to its nearest other; a
    /// warp an individual; any grid; no shared memory. After the launch that places the individuals.
    pub const NEAREST: &str = "generation_nearest";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_chosen_by_dimensions() {
        let name = |dimensions| MethodTile::for_dimensions(dimensions).name;
        assert_eq!(
            [1, 8, 9, 32, 33, u32::MAX - 3].map(name),
            ["x1k8", "x1k8", "x32k1", "x32k1", "any", "any"]
        );
        assert_eq!(MethodTile::THREAD.shared_bytes::<f64>(64, true), 65 * 24 + 65 * 9 * 8);
        assert_eq!(MethodTile::WARP.shared_bytes::<f32>(64, true), 65 * 16 + 2 * 32 * 4);
        assert_eq!(MethodTile::WARP.shared_bytes::<f32>(64, false), 65 * 16);
        assert_eq!(MethodTile::ANY.shared_bytes::<f64>(64, true), 65 * 24);
    }

    #[test]
    fn arguments_have_no_hidden_padding() {
        assert_eq!(size_of::<GenerationArgs<f32>>(), 15 * 8 + 2 * 8 + 16 + 10 * 4);
        assert_eq!(size_of::<GenerationArgs<f64>>(), 15 * 8 + 2 * 8 + 16 + 10 * 4);
    }
}
