//! Migration between runs on a device: arguments and names of its kernels.

use super::{Ptr, RunStateArgs};
use crate::order::Fitness;
use crate::real::Float;

/// The arguments of the kernels of [`migration_kernels`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MigrationArgs<R> {
    /// The stored points of the runs.
    pub state: RunStateArgs<R>,
    /// The number of migrants of each run, at most `migrants`, `[run]`
    pub counts: Ptr<u32>,
    /// The individuals that emigrate or are offered a migrant, `[run][migrant]`: given if `drawn` is 1, otherwise
    /// found.
    pub chosen: Ptr<u32>,
    /// The fitness of the migrants, `[run][migrant]`
    pub migrant_fitness: Ptr<Fitness<R>>,
    /// `[run][migrant][place]`
    pub migrant_points: Ptr<R>,
    /// The number of migrants of a run for which there is room.
    pub migrants: u32,
    /// 1 if `chosen` is given, otherwise 0.
    pub drawn: u32,
}

/// The largest number of threads in a block, all of which search for the best or the worst.
pub const MIGRATION_BLOCK: u32 = 1024;

/// Shared memory of a block of `block` threads, in bytes: a candidate for each thread.
pub const fn migration_shared_bytes<R: Float>(block: u32) -> u32 {
    super::reduction_shared_bytes::<R>(block)
}

/// The kernels that copy migrants out of runs and into them. A block for each run, of a multiple of 32 threads up to
/// [`MIGRATION_BLOCK`], and [`migration_shared_bytes`](super::migration_shared_bytes).
pub mod migration_kernels {
    /// Copies the best individuals of each run, best first, or the drawn ones.
    pub const EMIGRATE: &str = "migration_emigrate";
    /// Finds the worst individuals of each run, worst first.
    pub const OFFER: &str = "migration_offer";
    /// Offers each run's migrants to the found or drawn individuals.
    pub const IMMIGRATE: &str = "migration_immigrate";
}
