//! How runs are laid over a GPU, as reports say it.

use crate::settings::choices::Schedule;

/// Under a name of its own, since serde would borrow a `str` that it sees from what it reads.
type TileName = &'static str;

/// How runs are laid over a GPU.
///
/// ```
/// use warpswarm::{Algorithm, Backend, Bounds, Error, Schedule, Settings, Stop, minimise, problems::Sphere};
/// let stop = Stop::iterations(2);
/// let settings = Settings { individuals: 32, stop, backend: Backend::Emulator, ..Settings::default() };
/// match minimise::<f32, _>(&Sphere, &Bounds::uniform(2, -1.0, 1.0)?, &Algorithm::default(), &settings) {
///     Ok(report) => {
///         let plan = report.plan.expect("the emulator is laid out as a GPU is");
///         assert!(plan.schedule != Schedule::Auto && plan.block % 32 == 0);
///     }
///     // Where the feature `emulator` is missing.
///     Err(error) => assert_eq!(error, Error::NoEmulator),
/// }
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plan {
    /// The schedule, never [`Schedule::Auto`].
    pub schedule: Schedule,
    /// The name of the tile that holds particles in registers; none where particles are not.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::tile"))]
    pub tile: Option<TileName>,
    /// Threads of a block.
    pub block: u32,
    /// Blocks that share a run.
    pub blocks_per_run: u32,
    /// Whether they are a cluster, as GPUs of compute capability 9.0 and later have them.
    pub cluster: bool,
    /// Whether bulk copies bring and take away what streams, as GPUs of compute capability 9.0 and later have them.
    pub bulk_copies: bool,
    /// Runs in one launch.
    pub runs_per_launch: u32,
}
