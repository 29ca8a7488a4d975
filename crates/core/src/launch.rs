//! What host and kernels share: argument structs, sizes, names.
//!
//! Every struct here is `repr(C)` and holds device addresses as integers, so that its layout is the same on both sides.
//! The host fills it in, and a kernel takes it by value.

mod bulk;
mod cma_es;
mod common;
mod convergence;
mod device_points;
mod epochs;
mod epsilon_level;
mod fit;
mod generation;
mod gradients;
mod migration;
mod polish;
mod population_reduction;
mod record;
mod resident;
mod run_state;
mod slots;
mod stepwise;
mod stop;
mod words;

use core::marker::PhantomData;

use crate::order::{Candidate, Fitness};
use crate::pso::Coefficients;
use crate::real::Float;

pub use bulk::{BULK_PARTICLES, BULK_STAGES, BulkLayout};
pub use cma_es::*;
pub use common::CommonArgs;
pub use convergence::{CHECK_CONVERGENCE, ConvergenceArgs};
pub use device_points::{DEVICE_POINTS_BLOCK, HAND_OUT, HandOutArgs, TAKE_IN, TakeInArgs};
pub use epochs::{EPOCHS_TAGS, EpochsArgs, MESSAGES_KEPT, MailboxLayout, SPAN};
pub use epsilon_level::{EpsilonLevelArgs, SET_LEVELS};
pub use fit::{
    CombineArgs, FIT_BLOCK, FIT_SIZES, FitArgs, Outcome, SearchArgs, SumsArgs, fit_size, triangle,
};
pub use generation::{
    GenerationArgs, MethodArgs, MethodTile, TILE_BLOCKS, generation_kernels, generation_stage,
    proposal_place, proposals_len, team_scratch,
};
pub use gradients::{GRADIENT_BLOCK, GradientArgs, GradientPoints};
pub use migration::{MIGRATION_BLOCK, MigrationArgs, migration_kernels, migration_shared_bytes};
pub use polish::{POLISH_BLOCK, PolishArgs, PolishRuns, Polished, of_objective, polish_numbers};
pub use population_reduction::{
    PLACES, POPULATION_REDUCTION_BLOCK, PopulationReductionArgs, RANK, REDUCE,
};
pub use record::{JoinArgs, RecordLayout};
pub use resident::{
    MAX_CLUSTER, PSO_TAGS, ResidentLayout, best_is_shared, best_pitch, cluster_board_len,
    column_len, column_pitch, column_place, common_len, common_place, has_common, in_columns,
    pso_slots_len, record_words,
};
pub use run_state::RunStateArgs;
pub use slots::{key_word, keyed_fitness, keys_of, slot_words, slots_len};
pub use stepwise::{SparksLayout, stepwise_kernels};
pub use stop::{StopRule, stopped};
pub use words::Words;

/// The address of an array in the memory of the device that runs the kernel.
#[repr(transparent)]
#[derive(Debug, PartialEq, Eq)]
pub struct Ptr<T> {
    /// The address, in bytes; zero for an absent array.
    pub address: u64,
    item: PhantomData<T>,
}

impl<T> Clone for Ptr<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Ptr<T> {}

impl<T> Ptr<T> {
    /// An absent array.
    pub const NULL: Self = Ptr { address: 0, item: PhantomData };

    /// The array at `address`.
    #[inline(always)]
    pub const fn at(address: u64) -> Self {
        Ptr { address, item: PhantomData }
    }
}

/// The state of a run; one of these for each run, in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Iterations done since the initialisation.
    pub iterations: u64,
    /// The iteration in which the best point last improved.
    pub improved_at: u64,
    /// Evaluations so far whose value or violation was not finite.
    pub not_finite: u64,
    /// The bits of the run's [`level`](Control::level); kernels do not change them.
    pub level_bits: u64,
    /// Why the run stopped: one of the codes of [`stopped`].
    pub stopped: u32,
    /// Blocks that have finished their part of the launch; zero between launches.
    pub ticket: u32,
}

impl Control {
    /// The level up to which violations count as none: see [`Fitness::within`].
    #[inline(always)]
    pub fn level<R: Float>(&self) -> R {
        R::from_bits64(self.level_bits)
    }

    /// The same state at another level.
    #[inline(always)]
    pub fn at_level<R: Float>(self, level: R) -> Self {
        Control { level_bits: level.to_bits64(), ..self }
    }
}

/// The settings of one run in a batch.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnRun<R> {
    /// The seed of its random draws.
    pub seed: u64,
    /// The number of restarts, which selects the random draws; 0 for searches that count their legs themselves.
    pub leg: u64,
    /// When the run stops.
    pub stop: StopRule<R>,
}

/// The initial points of the runs of a launch, if they are given.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StartArgs<R> {
    /// `[run][individual][coordinate]`, with `runs` runs; a coordinate that is NaN is drawn.
    pub points: Ptr<R>,
    /// The number of individuals of a run with a given point.
    pub individuals: u32,
    /// The number of runs with separate points: all of this launch, or 1 if all runs share them.
    pub runs: u32,
}

/// The data of an objective, for the runs of a launch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DataArgs<R> {
    /// The numbers that all runs share.
    pub all: Ptr<R>,
    /// The numbers of each run, `[run][number]`.
    pub of_runs: Ptr<R>,
    /// How many numbers all runs share.
    pub count: u32,
    /// How many numbers each run has.
    pub count_of_run: u32,
    /// Runs in this launch.
    pub runs: u32,
    /// Blocks that share one run.
    pub blocks_per_run: u32,
}

/// An objective with its data, the last part of a kernel's parameter.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ObjectiveArgs<R, O> {
    /// The objective.
    pub objective: O,
    /// Its data.
    pub data: DataArgs<R>,
}

/// The arguments of every PSO kernel.
///
/// Arrays are row-major. A row of coordinates has `stride` places; those after `dimensions` are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PsoArgs<R> {
    /// `[run][individual][coordinate]`
    pub positions: Ptr<R>,
    /// `[run][individual][coordinate]`
    pub velocities: Ptr<R>,
    /// `[run][individual][coordinate]`
    pub best_positions: Ptr<R>,
    /// Personal best fitness, `[run][individual]`
    pub best: Ptr<Fitness<R>>,
    /// Global best, `[run]`
    pub global: Ptr<Candidate<R>>,
    /// `[run][coordinate]`
    pub global_positions: Ptr<R>,
    /// `[run][coordinate]`, with `bounds_runs` runs; -1 after the dimensions, so that places there keep the value +0
    pub lower: Ptr<R>,
    /// `[run][coordinate]`, with `bounds_runs` runs; 1 after the dimensions
    pub upper: Ptr<R>,
    /// `[run]`
    pub control: Ptr<Control>,
    /// Scratch: the best candidate of every block, `[run][block]`
    pub block_best: Ptr<Candidate<R>>,
    /// Scratch of the exchange between resident blocks: see [`pso_slots_len`]; zero at first.
    pub slots: Ptr<u64>,
    /// The seed of all runs.
    pub seed: u64,
    /// The number of the first run, from which, with the seed, its key follows.
    pub first_run: u64,
    /// The number of iterations in this launch.
    pub iterations: u64,
    /// When a run stops.
    pub stop: StopRule<R>,
    /// The initial points of the first particles.
    pub start: StartArgs<R>,
    /// The coefficients of a particle's move.
    pub coefficients: Coefficients<R>,
    /// Runs in this launch.
    pub runs: u32,
    /// Particles of a run.
    pub individuals: u32,
    /// Coordinates of a particle.
    pub dimensions: u32,
    /// Places in a row: [`row_stride`] of the dimensions.
    pub stride: u32,
    /// Blocks that share one run.
    pub blocks_per_run: u32,
    /// The last used tag of the exchange; this launch uses up to [`PSO_TAGS`] further ones for each iteration.
    pub tag: u32,
    /// The number of runs with separate bounds: all of this launch, or 1 if all runs share them.
    pub bounds_runs: u32,
    /// The number of the first particle, from which draws and candidates are counted: if a swarm is split, a device has
    /// only some of its particles. Kernels that hold particles in registers use 0.
    pub first: u32,
}

/// The number of places in a row of `dimensions` coordinates, so that rows can be read as vectors.
pub const fn row_stride(dimensions: u32) -> u32 {
    if dimensions <= 2 { 2 } else { dimensions.next_multiple_of(4) }
}

/// How a particle's coordinates are distributed over the lanes of a warp, in registers.
///
/// Lane l holds the coordinates i with (i mod 32) / (32 / lanes) = l: neighbours, in the fixed order of
/// [`sum`](crate::sum).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The tile's name within the names of kernels.
    pub name: &'static str,
    /// Lanes that share a particle: 1, 2, 4, 8, 16 or 32.
    pub lanes: u32,
    /// The largest number of coordinates in a lane.
    pub per_lane: u32,
    /// The largest block, which is limited by registers.
    pub max_block: u32,
    /// The largest block when several blocks share a run; those kernels need more registers.
    pub max_grid_block: u32,
}

impl Tile {
    const fn new(
        name: &'static str,
        (lanes, per_lane): (u32, u32),
        (max_block, max_grid_block): (u32, u32),
    ) -> Self {
        Tile { name, lanes, per_lane, max_block, max_grid_block }
    }

    /// The tiles of a precision, the smallest first: one thread for a particle with one or two dimensions, several
    /// lanes for up to 32 and for up to 128.
    pub const fn all<R: Float>() -> [Tile; 3] {
        if R::WORDS == 1 {
            [
                Tile::new("x1k2", (1, 2), (512, 512)),
                Tile::new("x8k4", (8, 4), (384, 384)),
                Tile::new("x16k8", (16, 8), (256, 256)),
            ]
        } else {
            [
                Tile::new("x1k2", (1, 2), (384, 384)),
                Tile::new("x8k4", (8, 4), (256, 256)),
                Tile::new("x16k8", (16, 8), (256, 256)),
            ]
        }
    }

    /// One thread for a particle, for up to 32 dimensions, in a column of shared memory; for so many particles that
    /// enough threads are busy, and [`Boundary::Clamp`](crate::boundary::Boundary).
    pub const fn columns<R: Float>() -> Tile {
        let most = if R::WORDS == 1 { 512 } else { 256 };
        Tile::new("column", (1, 32), (most, most))
    }

    /// One thread for a particle, for up to 16 dimensions, in the thread's registers; for a batch with one block for
    /// each run, and [`Boundary::Clamp`](crate::boundary::Boundary).
    pub const fn rows<R: Float>() -> Tile {
        let most = if R::WORDS == 1 { 512 } else { 256 };
        Tile::new("x1k16", (1, 16), (most, most))
    }

    /// The largest number of dimensions of the tile.
    pub const fn dimensions(&self) -> u32 {
        self.lanes * self.per_lane
    }

    /// The smallest tile for this many dimensions.
    pub fn for_dimensions<R: Float>(dimensions: u32) -> Option<Tile> {
        Tile::all::<R>().into_iter().find(|tile| dimensions <= tile.dimensions())
    }
}

/// The largest block of kernels that hold no particles in registers.
pub const MAX_BLOCK: u32 = 256;

/// Shared memory of a streaming block, in bytes: first its threads' candidates, then the coordinates that lanes
/// exchange. `tile` is the kernel's tile, `None` for the kernel `any`.
pub const fn streaming_shared_bytes<R: Float>(
    tile: Option<&Tile>,
    block: u32,
    gathers: bool,
) -> u32 {
    let candidates = reduction_shared_bytes::<R>(block);
    match tile {
        Some(tile) if gathers && tile.lanes > 1 => {
            candidates + block / tile.lanes * tile.dimensions() * 4 * R::WORDS as u32
        }
        _ => candidates,
    }
}

/// Shared memory of a block that reduces one candidate for each thread, in bytes.
pub const fn reduction_shared_bytes<R: Float>(block: u32) -> u32 {
    block * size_of::<Candidate<R>>() as u32
}

/// The names and the launch contracts of PSO's kernels.
///
/// An entry's name consists of the kernel's name, the precision, the tile for kernels that hold particles in registers,
/// and `constrained` if the objective has constraints, joined by underscores: `pso_best_f32`, `pso_streaming_f64_any`,
/// `pso_resident_grid_f32_x8k4_constrained`. A kernel that evaluates is linked with an objective in the form of its
/// tile, or without a tile in the form that is named here.
///
/// Grids have `runs * blocks_per_run` blocks. Blocks have a multiple of 32 threads, at most the tile's `max_block`,
/// without a tile `MAX_BLOCK`. All launches of an iteration use the same arguments. Before the first launch `control`
/// and `slots` are zero; `global` may hold anything.
pub mod pso_kernels {
    /// Initial positions, velocities and personal bests. A warp for each particle, striding over the run's blocks; no
    /// shared memory. Launch [`BEST`] with `iterations` zero after it. Evaluates, in the form `warp`.
    pub const INITIALISE: &str = "pso_initialise";
    /// CPSO's velocity kernel. A thread for each particle, striding over the run's blocks; no shared memory.
    pub const VELOCITY: &str = "pso_velocity";
    /// CPSO's position kernel: move, evaluate, personal best. A thread for each particle, striding; no shared memory.
    /// Evaluates, in the form `thread`.
    pub const POSITION: &str = "pso_position";
    /// CPSO's reduction: the global best. A thread for each particle, striding;
    /// [`reduction_shared_bytes`](super::reduction_shared_bytes). Ends an iteration: counts it and applies the stop
    /// rule; with `iterations` zero it ends the initialisation.
    pub const BEST: &str = "pso_best";
    /// Joins the bests of devices that share swarms. It reads [`JoinArgs::peers`](super::JoinArgs) records, each with
    /// the best of one device's particles, and writes the record with which all continue. A block for each run, no
    /// shared memory. Its arguments are [`JoinArgs`](super::JoinArgs). Every device computes the same result.
    pub const JOIN: &str = "pso_join";
    /// `iterations` (below 2^31) whole iterations in one launch. One block for each run, which holds `block / lanes`
    /// particles, at least `individuals`; shared memory as in [`ResidentLayout`](super::ResidentLayout). Evaluates;
    /// needs a tile.
    pub const RESIDENT: &str = "pso_resident";
    /// As [`RESIDENT`], with `blocks_per_run` blocks for each run in a cooperative launch.
    pub const RESIDENT_GRID: &str = "pso_resident_grid";
    /// As [`RESIDENT`], with `blocks_per_run` blocks for each run, up to [`MAX_CLUSTER`](super::MAX_CLUSTER), which
    /// form a cluster of the launch, and a board of [`cluster_board_len`](super::cluster_board_len) words.
    pub const RESIDENT_CLUSTER: &str = "pso_resident_cluster";
    /// As [`RESIDENT_GRID`], for one run that is an island and has no stop rule. At the end of each epoch its best
    /// particle is sent to another island. A particle from another island arrives at the end of the next epoch and is
    /// offered to the worst particle. Its arguments are [`EpochsArgs`](super::EpochsArgs). The host reads its reports
    /// and answers them while it runs.
    pub const EPOCHS_GRID: &str = "pso_epochs_grid";
    /// One iteration in one launch, with particles striding over the run's blocks;
    /// [`streaming_shared_bytes`](super::streaming_shared_bytes). Evaluates; needs a tile, or `any`: a warp for each
    /// particle, in the form `warp`.
    pub const STREAMING: &str = "pso_streaming";
    /// As [`STREAMING`], for devices with bulk copies. [`BulkLayout`](super::BulkLayout) gives the tiles that have it,
    /// and the shared memory of its blocks.
    pub const STREAMING_BULK: &str = "pso_streaming_bulk";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_no_hidden_padding() {
        // Kernels and host are compiled by different compilers: this test fixes the layouts.
        assert_eq!(size_of::<Fitness<f32>>(), 8);
        assert_eq!(size_of::<Candidate<f32>>(), 16);
        assert_eq!(size_of::<Candidate<f64>>(), 24);
        assert_eq!(size_of::<Control>(), 40);
        assert_eq!(size_of::<StopRule<f32>>(), 16);
        assert_eq!(size_of::<OwnRun<f32>>(), 2 * 8 + 16);
        assert_eq!(size_of::<StartArgs<f32>>(), 8 + 2 * 4);
        assert_eq!(size_of::<DataArgs<f32>>(), 2 * 8 + 4 * 4);
        assert_eq!(size_of::<ObjectiveArgs<f32, f32>>(), 8 + 2 * 8 + 4 * 4);
        assert_eq!(size_of::<Coefficients<f32>>(), 24);
        assert_eq!(size_of::<Coefficients<f64>>(), 48);
        assert_eq!(size_of::<RunStateArgs<f32>>(), 7 * 8 + 4 * 4);
        assert_eq!(size_of::<MigrationArgs<f32>>(), 11 * 8 + 6 * 4);
        assert_eq!(size_of::<EpsilonLevelArgs<f32>>(), 8 * 8 + 4 * 4);
        assert_eq!(size_of::<HandOutArgs<f32>>(), 4 * 8 + 4 * 4);
        assert_eq!(size_of::<TakeInArgs<f32>>(), 4 * 8 + 4 * 4);
        assert_eq!(
            size_of::<ConvergenceArgs<f32>>(),
            size_of::<RunStateArgs<f32>>() + 3 * 8 + 2 * 4
        );
        assert_eq!(size_of::<EpochsArgs<f64>>(), size_of::<PsoArgs<f64>>() + 2 * 8 + 2 * 4);
        assert_eq!(size_of::<JoinArgs<f32>>(), 2 * 8 + 16 + 4 * 4);
        assert_eq!(size_of::<PsoArgs<f32>>(), 11 * 8 + 3 * 8 + 16 + 16 + 24 + 8 * 4);
        assert_eq!(size_of::<PsoArgs<f64>>(), 11 * 8 + 3 * 8 + 16 + 16 + 48 + 8 * 4);
    }

    #[test]
    fn tiles_are_chosen_by_dimensions() {
        let name = |d| Tile::for_dimensions::<f32>(d).map(|tile| tile.name);
        assert_eq!([name(1), name(2), name(3)], [Some("x1k2"), Some("x1k2"), Some("x8k4")]);
        assert_eq!([name(32), name(33), name(128)], [Some("x8k4"), Some("x16k8"), Some("x16k8")]);
        assert_eq!(name(129), None);
        assert_eq!(Tile::for_dimensions::<f64>(33).map(|tile| tile.max_block), Some(256));
    }

    #[test]
    fn stops_by_hand() {
        let rule = StopRule { target: 1.0, stagnation: 10 };
        let at = |violation, value| Fitness { violation, value };
        assert_eq!(rule.check(at(0.0, 1.0), 5, 5), stopped::TARGET);
        assert_eq!(rule.check(at(0.1, 0.5), 5, 5), stopped::NOT);
        assert_eq!(rule.check(at(0.0, 1.5), 15, 5), stopped::STAGNATION);
        assert_eq!(rule.check(at(0.0, f64::NAN), 14, 5), stopped::NOT);
        assert_eq!(StopRule::NEVER.check(at(0.0, f64::NEG_INFINITY), 1000, 0), stopped::NOT);
        assert!(StopRule::<f64>::NEVER.is_never());
        assert!(StopRule { target: f64::NEG_INFINITY, stagnation: 0 }.is_never());
        assert!(!StopRule { target: 1.0, stagnation: 0 }.is_never());
        assert!(!StopRule { target: f64::NAN, stagnation: 1 }.is_never());
    }
}
