//! Migration between runs on a device: arguments and names of its kernels.

use super::{Control, OwnRun, Ptr};
use crate::order::{Candidate, Fitness};
use crate::real::Real;

/// The arguments of the kernels of [`migration_kernels`].
///
/// Arrays are row-major; a row of coordinates has `stride` places.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MigrationArgs<R> {
    /// Public points, `[run][half][individual][place]`
    pub points: Ptr<R>,
    /// Their fitness, `[run][half][individual]`
    pub fitness: Ptr<Fitness<R>>,
    /// `[run]`
    pub global: Ptr<Candidate<R>>,
    /// `[run][place]`
    pub global_positions: Ptr<R>,
    /// `[run]`
    pub control: Ptr<Control>,
    /// `[run]`
    pub own_runs: Ptr<OwnRun<R>>,
    /// Migrants of each run, at most `migrants`, `[run]`
    pub counts: Ptr<u32>,
    /// Who emigrates or is offered a migrant, `[run][migrant]`: given where they are `drawn`, otherwise found.
    pub chosen: Ptr<u32>,
    /// Fitness of the migrants, `[run][migrant]`
    pub migrant_fitness: Ptr<Fitness<R>>,
    /// `[run][migrant][place]`
    pub migrant_points: Ptr<R>,
    /// The iteration in which an improvement of now is noticed; 0 for the one that a run has reached.
    pub noticed: u64,
    /// Runs.
    pub runs: u32,
    /// Individuals of each.
    pub individuals: u32,
    /// Places in a row.
    pub stride: u32,
    /// How often points and fitnesses are there: where twice, those in the half of the iteration's parity count.
    pub halves: u32,
    /// Migrants of a run that there is room for.
    pub migrants: u32,
    /// Whether `chosen` is given.
    pub drawn: u32,
}

/// The most threads of a block: who is best or worst is looked for by all of them.
pub const MIGRATION_BLOCK: u32 = 1024;

/// Shared memory of a block of so many threads, in bytes: a candidate a thread.
pub const fn migration_shared_bytes<R: Real>(block: u32) -> u32 {
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
