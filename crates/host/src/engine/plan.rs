//! The plan of runs on a GPU, for reports.

use crate::settings::choices::Schedule;

/// An alias, because serde would borrow a `str` in a field from its input.
type TileName = &'static str;

/// How runs are mapped to a GPU.
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
    /// The name of the tile that holds particles in registers; `None` if they are not in registers.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::tile"))]
    pub tile: Option<TileName>,
    /// The number of threads per block.
    pub block: u32,
    /// The number of blocks that share a run.
    pub blocks_per_run: u32,
    /// Whether these blocks are a cluster, as supported by GPUs of compute capability 9.0 and later.
    pub cluster: bool,
    /// Whether streaming uses bulk copies, as supported by GPUs of compute capability 9.0 and later.
    pub bulk_copies: bool,
    /// The number of runs in one launch.
    pub runs_per_launch: u32,
}
