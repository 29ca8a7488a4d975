//! Falling levels of violation on a device: arguments and name of the kernel that applies new levels to a population.

use super::{KeptArgs, Ptr};

/// The arguments of [`EASE`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EaseArgs<R> {
    /// The stored points of the runs.
    pub kept: KeptArgs<R>,
    /// The new levels, `[run]`
    pub levels: Ptr<R>,
}

/// Applies new levels to all stored fitnesses. A block for each run, of a multiple of 32 threads up to
/// [`MIGRATION_BLOCK`](super::MIGRATION_BLOCK), and [`migration_shared_bytes`](super::migration_shared_bytes).
pub const EASE: &str = "ease";
