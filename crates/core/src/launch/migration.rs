//! Migration between runs on a device: arguments and names of its kernels.

use super::{KeptArgs, Ptr};
use crate::order::Fitness;
use crate::real::Float;

/// The arguments of the kernels of [`migration_kernels`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MigrationArgs<R> {
    /// What runs keep.
    pub kept: KeptArgs<R>,
    /// Migrants of each run, at most `migrants`, `[run]`
    pub counts: Ptr<u32>,
    /// Who emigrates or is offered a migrant, `[run][migrant]`: given where they are `drawn`, otherwise found.
    pub chosen: Ptr<u32>,
    /// Fitness of the migrants, `[run][migrant]`
    pub migrant_fitness: Ptr<Fitness<R>>,
    /// `[run][migrant][place]`
    pub migrant_points: Ptr<R>,
    /// Migrants of a run that there is room for.
    pub migrants: u32,
    /// Whether `chosen` is given.
    pub drawn: u32,
}

/// The most threads of a block: who is best or worst is looked for by all of them.
pub const MIGRATION_BLOCK: u32 = 1024;

/// Shared memory of a block of so many threads, in bytes: a candidate a thread.
pub const fn migration_shared_bytes<R: Float>(block: u32) -> u32 {
    super::reduction_shared_bytes::<R>(block)
}

/// The kernels that take migrants from runs and bring them: a block a run, of a multiple of 32 threads up to
/// [`MIGRATION_BLOCK`], and [`migration_shared_bytes`](super::migration_shared_bytes).
pub mod migration_kernels {
    /// Copies the best individuals of each run, best first, or those that were drawn.
    pub const EMIGRATE: &str = "migration_emigrate";
    /// Finds the worst individuals of each run, worst first.
    pub const OFFER: &str = "migration_offer";
    /// Offers each run's migrants to those that were found or drawn.
    pub const IMMIGRATE: &str = "migration_immigrate";
}
