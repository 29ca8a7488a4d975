//! Populations that fall, on a device: arguments and names of the kernels that have the worst leave.

use super::{GenerationArgs, Ptr};

/// The arguments of [`RANK`], [`PLACES`] and [`FALL`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FallArgs<R> {
    /// The runs as they are.
    pub from: GenerationArgs<R>,
    /// The same with fewer individuals. Arrays of individuals, and the archive, are others.
    pub to: GenerationArgs<R>,
    /// Scratch: where who stays has been, `[run][list][individual]`, with three lists of `from.individuals` places.
    pub places: Ptr<u32>,
    /// Own rows of an individual.
    pub own: u32,
    /// Numbers of an individual.
    pub numbers: u32,
    /// 1 where runs have an archive; 0 elsewhere.
    pub archive: u32,
}

/// The threads of a block of these kernels, a multiple of 32.
pub const FALL_BLOCK: u32 = 256;

/// Says of each individual whether it is among the best `to.individuals` of its run; a thread an individual, striding over
/// the `from.blocks_per_run` blocks of a run; no shared memory.
pub const RANK: &str = "generation_rank";

/// From that, makes the first list that of the individuals that come to each of the fewer places: whoever is behind the last
/// place takes that of one that leaves, in order. After [`RANK`]; a block a run; shared memory of two words a thread.
pub const PLACES: &str = "generation_places";

/// Copies rows, fitnesses and numbers to those places. After [`PLACES`]; a warp an individual, striding over the
/// `from.blocks_per_run` blocks of a run; no shared memory.
pub const FALL: &str = "generation_fall";
