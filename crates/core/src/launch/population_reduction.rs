//! Shrinking populations on a device: arguments and names of the kernels that remove the worst individuals.

use super::{GenerationArgs, Ptr};

/// The arguments of [`RANK`], [`PLACES`] and [`REDUCE`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PopulationReductionArgs<R> {
    /// The runs before.
    pub from: GenerationArgs<R>,
    /// The runs with fewer individuals. Arrays over individuals, and the archive, are separate ones.
    pub to: GenerationArgs<R>,
    /// Scratch: the old indices of the remaining individuals, `[run][list][individual]`, with three lists of
    /// `from.individuals` places.
    pub places: Ptr<u32>,
    /// The number of own rows of an individual.
    pub own: u32,
    /// The number of numbers of an individual.
    pub numbers: u32,
    /// 1 if runs have an archive, otherwise 0.
    pub archive: u32,
}

/// The number of threads in a block of these kernels, a multiple of 32.
pub const POPULATION_REDUCTION_BLOCK: u32 = 256;

/// Computes for each individual whether it is among the best `to.individuals` of its run. A thread for each individual,
/// striding over the `from.blocks_per_run` blocks of a run; no shared memory.
pub const RANK: &str = "generation_rank";

/// Writes to the first list which individual moves to each of the remaining places: an individual after the last place
/// takes the place of a removed one, in order. After [`RANK`]. A block for each run; shared memory of two words for
/// each thread.
pub const PLACES: &str = "generation_places";

/// Copies rows, fitnesses and numbers to those places. After [`PLACES`]. A warp for each individual, striding over the
/// `from.blocks_per_run` blocks of a run; no shared memory.
pub const REDUCE: &str = "generation_fall";
