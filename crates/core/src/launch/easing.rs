//! Levels of violation that fall, on a device: arguments and name of the kernel that judges a population anew.

use super::{KeptArgs, Ptr};

/// The arguments of [`EASE`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EaseArgs<R> {
    /// What runs keep.
    pub kept: KeptArgs<R>,
    /// The new levels, `[run]`
    pub levels: Ptr<R>,
}

/// Judges all that runs keep by new levels: a block a run, of a multiple of 32 threads up to
/// [`MIGRATION_BLOCK`](super::MIGRATION_BLOCK), and [`migration_shared_bytes`](super::migration_shared_bytes).
pub const EASE: &str = "ease";
