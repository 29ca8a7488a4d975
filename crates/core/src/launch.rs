//! What host and kernels share: argument structs, sizes, names.
//!
//! Every struct here is `repr(C)` and holds device addresses as integers, so that it is the same
//! on both sides. The host fills it in, a kernel takes it by value.

mod bulk;
mod cma_es;
mod common;
mod easing;
mod epochs;
mod falling;
mod fit;
mod generation;
mod gradients;
mod handed;
mod kept;
mod look;
mod migration;
mod polish;
mod record;
mod resident;
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
pub use easing::{EASE, EaseArgs};
pub use epochs::{EPOCHS_TAGS, EpochsArgs, LETTERS_KEPT, OfficeLayout, SPAN};
pub use falling::{FALL, FALL_BLOCK, FallArgs, PLACES, RANK};
pub use fit::{
    CombineArgs, FIT_BLOCK, FIT_SIZES, FitArgs, Outcome, SearchArgs, SumsArgs, fit_size, triangle,
};
pub use generation::{
    GenerationArgs, MethodArgs, MethodTile, TILE_BLOCKS, generation_kernels, generation_stage,
    proposal_place, proposals_len, team_scratch,
};
pub use gradients::{GRADIENT_BLOCK, GradientArgs, GradientPoints};
pub use handed::{HAND_OUT, HANDED_BLOCK, HandOutArgs, TAKE_IN, TakeInArgs};
pub use kept::KeptArgs;
pub use look::{LOOK, LookArgs};
pub use migration::{MIGRATION_BLOCK, MigrationArgs, migration_kernels, migration_shared_bytes};
pub use polish::{POLISH_BLOCK, PolishArgs, PolishRuns, Polished, of_objective, polish_numbers};
pub use record::{JoinArgs, RecordLayout};
pub use resident::{
    MAX_CLUSTER, PSO_TAGS, ResidentLayout, best_is_shared, best_pitch, cluster_board_len,
    column_len, column_pitch, column_place, common_len, common_place, has_common, in_columns,
    pso_slots_len, record_words,
};
pub use slots::{key_word, keyed_fitness, keys_of, slot_words, slots_len};
pub use stepwise::{SparksLayout, stepwise_kernels};
pub use stop::{StopRule, stopped};
pub use words::Words;

/// The address of an array in the memory of whatever runs the kernel.
#[repr(transparent)]
#[derive(Debug, PartialEq, Eq)]
pub struct Ptr<T> {
    /// The address, in bytes; zero for an array that is not there.
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
    /// An array that is not there.
    pub const NULL: Self = Ptr { address: 0, item: PhantomData };

    /// The array at `address`.
    #[inline(always)]
    pub const fn at(address: u64) -> Self {
        Ptr { address, item: PhantomData }
    }
}

/// Where a run is; one of these per run, in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Iterations done since the initialisation.
    pub iterations: u64,
    /// The iteration of the last improvement of the best.
    pub improved_at: u64,
    /// Evaluations so far whose value or violation was not finite.
    pub not_finite: u64,
    /// The bits of the run's [`level`](Control::level); no kernel changes them.
    pub level_bits: u64,
    /// Why the run stopped: one of the codes of [`stopped`].
    pub stopped: u32,
    /// Blocks that have finished their part of the launch; zero between launches.
    pub ticket: u32,
}

impl Control {
    /// Violations up to this count as none: see [`Fitness::within`].
    #[inline(always)]
    pub fn level<R: Float>(&self) -> R {
        R::from_bits64(self.level_bits)
    }

    /// The same at another level.
    #[inline(always)]
    pub fn at_level<R: Float>(self, level: R) -> Self {
        Control { level_bits: level.to_bits64(), ..self }
    }
}

/// What a run of a batch has for itself.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnRun<R> {
    /// The seed of its draws.
    pub seed: u64,
    /// How often it has begun anew, on which its draws depend too; of searches that count their legs themselves, 0.
    pub leg: u64,
    /// When it stops by itself.
    pub stop: StopRule<R>,
}

/// Where the first individuals of the runs of a launch begin, if that is given.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StartArgs<R> {
    /// `[run][individual][coordinate]`, of `runs`; a coordinate that is NaN is drawn.
    pub points: Ptr<R>,
    /// Individuals of a run that are given a point.
    pub individuals: u32,
    /// Runs that have points of their own: all of this launch, or 1 where they have the same.
    pub runs: u32,
}

/// The data of an objective, for the runs of a launch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DataArgs<R> {
    /// What all runs share.
    pub all: Ptr<R>,
    /// What each run has for itself, `[run][number]`.
    pub of_runs: Ptr<R>,
    /// Numbers that all runs share.
    pub count: u32,
    /// Numbers that each run has for itself.
    pub count_of_run: u32,
    /// Runs in this launch.
    pub runs: u32,
    /// Blocks that share one run.
    pub blocks_per_run: u32,
}

/// An objective as a kernel's parameter ends with it.
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
/// Arrays are row-major; a row of coordinates has `stride` places, those beyond `dimensions` zero.
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
    /// `[run][coordinate]`, of `bounds_runs`; -1 beyond the dimensions, so that places there stay at rest at +0
    pub lower: Ptr<R>,
    /// `[run][coordinate]`, of `bounds_runs`; 1 beyond the dimensions
    pub upper: Ptr<R>,
    /// `[run]`
    pub control: Ptr<Control>,
    /// Scratch: the best of every block, `[run][block]`
    pub block_best: Ptr<Candidate<R>>,
    /// Scratch of the exchange between resident blocks: see [`pso_slots_len`]; zero at first.
    pub slots: Ptr<u64>,
    /// The seed of all runs.
    pub seed: u64,
    /// The number of the first run, which with the seed gives its key.
    pub first_run: u64,
    /// Iterations to do in this launch.
    pub iterations: u64,
    /// When a run stops by itself.
    pub stop: StopRule<R>,
    /// Where the first particles begin.
    pub start: StartArgs<R>,
    /// How a particle moves.
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
    /// The exchange's last used tag; this launch uses up to [`PSO_TAGS`] an iteration after it.
    pub tag: u32,
    /// Runs that have bounds of their own: all of this launch, or 1 where they have the same.
    pub bounds_runs: u32,
    /// The number of the first particle, which draws and candidates count from: of a swarm that is split, a device has
    /// only some. The kernels that hold particles in registers take it for 0.
    pub first: u32,
}

/// Places in a row of `dimensions` coordinates: so many that rows can be read in vectors.
pub const fn row_stride(dimensions: u32) -> u32 {
    if dimensions <= 2 { 2 } else { dimensions.next_multiple_of(4) }
}

/// How a particle's coordinates are spread over the lanes of a warp, in registers.
///
/// Lane l holds the coordinates i with (i mod 32) / (32 / lanes) = l: neighbours, in the fixed
/// order of [`sum`](crate::sum).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The tile's name in the names of kernels.
    pub name: &'static str,
    /// Lanes that share a particle: 1, 2, 4, 8, 16 or 32.
    pub lanes: u32,
    /// Coordinates a lane holds at most.
    pub per_lane: u32,
    /// The largest block: what the registers suffice for.
    pub max_block: u32,
    /// The largest block of those that share a run, whose kernels need more registers.
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

    /// The tiles of a precision, the smallest first: a particle a thread for one or two dimensions,
    /// several lanes a particle for up to 32 and for up to 128.
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

    /// A particle a thread, for up to 32 dimensions, in a column of shared memory: for so many particles that there are
    /// threads enough, and [`Boundary::Clamp`](crate::boundary::Boundary).
    pub const fn columns<R: Float>() -> Tile {
        let most = if R::WORDS == 1 { 512 } else { 256 };
        Tile::new("column", (1, 32), (most, most))
    }

    /// A particle a thread, for up to 16 dimensions, in the thread's registers: for a batch of runs of which a block holds one each, and
    /// [`Boundary::Clamp`](crate::boundary::Boundary).
    pub const fn rows<R: Float>() -> Tile {
        let most = if R::WORDS == 1 { 512 } else { 256 };
        Tile::new("x1k16", (1, 16), (most, most))
    }

    /// The most dimensions that the tile holds.
    pub const fn dimensions(&self) -> u32 {
        self.lanes * self.per_lane
    }

    /// The smallest tile that holds this many dimensions.
    pub fn for_dimensions<R: Float>(dimensions: u32) -> Option<Tile> {
        Tile::all::<R>().into_iter().find(|tile| dimensions <= tile.dimensions())
    }
}

/// The largest block of kernels that hold no particles in registers.
pub const MAX_BLOCK: u32 = 256;

/// Shared memory of a streaming block, in bytes: its threads' candidates, then the coordinates that
/// lanes show each other. `tile` is that of the kernel, none for the kernel `any`.
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

/// Shared memory of a block that reduces one candidate a thread, in bytes.
pub const fn reduction_shared_bytes<R: Float>(block: u32) -> u32 {
    block * size_of::<Candidate<R>>() as u32
}

/// The names and the launch contracts of PSO's kernels.
///
/// An entry's name is the kernel's, then the precision, and for kernels that hold particles in
/// registers the tile, and `constrained` where the objective can be violated, joined by underscores:
/// `pso_best_f32`, `pso_streaming_f64_any`, `pso_resident_grid_f32_x8k4_constrained`. A kernel that
/// evaluates is linked with an objective in the form of its tile, otherwise in that which is said here.
///
/// Grids are `runs * blocks_per_run` blocks; blocks are multiples of 32 threads, at most the tile's
/// `max_block`, without a tile `MAX_BLOCK`. All launches of an iteration use the same arguments. Before the first launch `control` and `slots` are zero, `global` is anything.
pub mod pso_kernels {
    /// Initial positions, velocities and personal bests; a warp a particle, striding over the run's blocks; no
    /// shared memory. To be followed by [`BEST`] with `iterations` zero. Evaluates, in the form `warp`.
    pub const INITIALISE: &str = "pso_initialise";
    /// CPSO's velocity kernel; a thread a particle, striding over the run's blocks; no shared memory.
    pub const VELOCITY: &str = "pso_velocity";
    /// CPSO's position kernel: move, evaluate, personal best; a thread a particle, striding; no
    /// shared memory. Evaluates, in the form `thread`.
    pub const POSITION: &str = "pso_position";
    /// CPSO's reduction: the global best; a thread a particle, striding;
    /// [`reduction_shared_bytes`](super::reduction_shared_bytes). Ends an iteration: counts it and
    /// applies the stop rule; with `iterations` zero ends the initialisation.
    pub const BEST: &str = "pso_best";
    /// Joins the bests of devices that share swarms: of [`JoinArgs::peers`](super::JoinArgs) records, each of what a device
    /// has found in its own particles, makes the one that all go on with; a block a run, no shared memory. Its
    /// arguments are [`JoinArgs`](super::JoinArgs). Every device does the same and finds the same.
    pub const JOIN: &str = "pso_join";
    /// `iterations` (below 2^31) whole iterations in one launch, one block a run, which holds
    /// `block / lanes` particles, at least `individuals`; shared memory as
    /// [`ResidentLayout`](super::ResidentLayout) has it. Evaluates; needs a tile.
    pub const RESIDENT: &str = "pso_resident";
    /// As [`RESIDENT`], with `blocks_per_run` blocks a run in a cooperative launch.
    pub const RESIDENT_GRID: &str = "pso_resident_grid";
    /// As [`RESIDENT`], with `blocks_per_run` blocks a run, up to [`MAX_CLUSTER`](super::MAX_CLUSTER), which are a
    /// cluster of the launch, and a board of [`cluster_board_len`](super::cluster_board_len) words.
    pub const RESIDENT_CLUSTER: &str = "pso_resident_cluster";
    /// As [`RESIDENT_GRID`], for one run that is an island and never stops by itself: at the end of each epoch its best
    /// particle sets out, and another island's, offered to its worst one, arrives at the end of the next. Its arguments are
    /// [`EpochsArgs`](super::EpochsArgs). While it runs the host hears its reports and answers them.
    pub const EPOCHS_GRID: &str = "pso_epochs_grid";
    /// One iteration in one launch, particles striding over the run's blocks;
    /// [`streaming_shared_bytes`](super::streaming_shared_bytes). Evaluates; needs a tile, or
    /// `any`: a warp a particle, in the form `warp`.
    pub const STREAMING: &str = "pso_streaming";
    /// As [`STREAMING`], for devices with bulk copies; [`BulkLayout`](super::BulkLayout) says of which tiles, and how much
    /// shared memory blocks have.
    pub const STREAMING_BULK: &str = "pso_streaming_bulk";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_no_hidden_padding() {
        // Kernels and host are compiled by different compilers: the layouts are fixed here.
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
        assert_eq!(size_of::<KeptArgs<f32>>(), 7 * 8 + 4 * 4);
        assert_eq!(size_of::<MigrationArgs<f32>>(), 11 * 8 + 6 * 4);
        assert_eq!(size_of::<EaseArgs<f32>>(), 8 * 8 + 4 * 4);
        assert_eq!(size_of::<HandOutArgs<f32>>(), 4 * 8 + 4 * 4);
        assert_eq!(size_of::<TakeInArgs<f32>>(), 4 * 8 + 4 * 4);
        assert_eq!(size_of::<LookArgs<f32>>(), size_of::<KeptArgs<f32>>() + 3 * 8 + 2 * 4);
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
