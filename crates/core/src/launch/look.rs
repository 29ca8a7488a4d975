//! Whether populations have come together, on a device: arguments and name of the kernel that looks.

use super::{KeptArgs, Ptr};

/// The arguments of [`LOOK`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LookArgs<R> {
    /// What runs keep.
    pub kept: KeptArgs<R>,
    /// `[run][coordinate]`, of `bounds_runs`
    pub lower: Ptr<R>,
    /// `[run][coordinate]`, of `bounds_runs`
    pub upper: Ptr<R>,
    /// 1 where a run's population [has come together](crate::legs::is_one_value), otherwise 0, `[run]`
    pub come_together: Ptr<u32>,
    /// Runs that have bounds of their own: all, or 1 where they have the same.
    pub bounds_runs: u32,
    /// Coordinates of a point.
    pub dimensions: u32,
}

/// Says of each run whether its population has come together: a block a run, of a multiple of 32 threads up to
/// [`MIGRATION_BLOCK`](super::MIGRATION_BLOCK).
pub const LOOK: &str = "look";
