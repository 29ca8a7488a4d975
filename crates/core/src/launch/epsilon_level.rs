//! Falling levels of violation on a device: arguments and name of the kernel that applies new levels to a population.

use super::{Ptr, RunStateArgs};

/// The arguments of [`SET_LEVELS`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EpsilonLevelArgs<R> {
    /// The stored points of the runs.
    pub state: RunStateArgs<R>,
    /// The new levels, `[run]`
    pub levels: Ptr<R>,
}

/// Applies new levels to all stored fitnesses. A block for each run, of a multiple of 32 threads up to
/// [`MIGRATION_BLOCK`](super::MIGRATION_BLOCK), and [`migration_shared_bytes`](super::migration_shared_bytes).
pub const SET_LEVELS: &str = "ease";
