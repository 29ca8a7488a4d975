//! Minimises functions of real variables with particle swarms and other populations, on NVIDIA GPUs and on the CPU,
//! with the same bits on both.
//!
//! ```
//! use warpswarm::{Bounds, PsoParams, Settings, Stop, problems::Rastrigin};
//!
//! let bounds = Bounds::uniform(30, -5.12, 5.12)?;
//! let settings = Settings { individuals: 64, seed: 7, stop: Stop::iterations(200), ..Settings::default() };
//! let report = warpswarm::minimise::<f32, _>(&Rastrigin, &bounds, &PsoParams::default().into(), &settings)?;
//! println!("{}", report.best().value);
//! # assert!(report.best().value < 100.0);
//! # Ok::<(), warpswarm::Error>(())
//! ```
//!
//! To minimise a function of your own, implement [`Objective`] for a type. The code is written once for CPU and GPU:
//!
//! ```
//! use warpswarm::{Bounds, Algorithm, Objective, Point, Real, Settings};
//!
//! #[derive(Clone, Copy)]
//! struct Valley {
//!     floor: f64,
//! }
//! impl<R: Real> Objective<R> for Valley {
//!     fn value<P: Point<R>>(&self, x: &P) -> R {
//!         x.sum(|i, x| x * x * R::from_u32(i as u32 + 1)) + R::from_f64(self.floor)
//!     }
//! }
//! let bounds = Bounds::new(vec![-1.0, -2.0], vec![3.0, 4.0])?;
//! let settings = Settings { individuals: 64, ..Settings::default() };
//! let report = warpswarm::minimise::<f64, _>(&Valley { floor: 2.5 }, &bounds, &Algorithm::default(), &settings)?;
//! assert!((report.best().value - 2.5).abs() < 1e-9);
//! # Ok::<(), warpswarm::Error>(())
//! ```
//!
//! * [`Bounds`], [`Algorithm`] (such as [`PsoParams`]), [`Settings`] and [`Stop`] describe a run. They are checked
//!   before the run starts; errors name the field, the value and what is allowed.
//! * [`minimise`] carries out a run and returns a [`Report`]. An [`Optimiser`] does so step by step; its state can be
//!   read and restored.
//! * An [`Objective`] runs on CPU and GPU. A [`HostObjective`] is a closure. With [`AskTell`] the caller evaluates the
//!   points.
//! * The crate `warpswarm-islands` runs several optimisers together as islands, in one process or many. [`migration`]
//!   describes the individuals that they exchange.
//! * [`problems`] contains objectives with known optima, [`algorithms`] the algorithms; both can be looked up by name.
//! * With the feature `problem-files`, `problem_file` reads problems from files, and `bbob` contains the functions of
//!   COCO's noiseless suite.
//! * [`system`] reports what this machine and this build of the library can do.

#![deny(unsafe_code, missing_docs)]

pub mod algorithms;
mod check;
mod checkpoint;
mod engine;
mod error;
pub mod fit;
mod machine;
mod objective;
mod problem;
mod run;
#[cfg(feature = "serde")]
mod serial;
mod settings;

pub use warpswarm_core::boundary::Boundary;
pub use warpswarm_core::dual;
pub use warpswarm_core::fwa::Mapping;
pub use warpswarm_core::method;
pub use warpswarm_core::objective::SlicePoint;
pub use warpswarm_core::order::Fitness;
pub use warpswarm_core::variable::{Scale, Variable, above};
pub use warpswarm_core::{Curve, Float, Objective, Point, Real, Surface, Table};
pub use warpswarm_cpu_ref::migration;
pub use warpswarm_cpu_ref::{RunId, Swarm, difference, fingerprint};

pub use algorithms::{
    Algorithm, AutoParams, CmaEsParams, CmepsoParams, DeParams, EpsoParams, FwaParams,
    GpuFwaParams, PsoParams, SaParams, ScatterSearchParams, ShadeParams, SolisWetsParams,
};
pub use check::{
    CheckReport, DerivativeDifference, Derivatives, Difference, Speed, WrongDerivative, check,
};
pub use checkpoint::Checkpoint;
#[cfg(feature = "checkpoint")]
pub use checkpoint::{CheckpointFile, write_whole};
pub use engine::plan::Plan;
pub use error::{Error, Result};
pub use fit::fit;
pub use machine::kernels::Kernels;
pub use machine::{Stream, system};
pub use objective::any_objective::AnyObjective;
pub use objective::bounds::{Bounds, MAX_DIMENSIONS};
pub use objective::closure::{HostObjective, Points};
pub use objective::data::Data;
pub use objective::on_device::{DevicePoints, DeviceValues};
pub use objective::own::OwnObjective;
pub use problem::problems;
#[cfg(feature = "problem-files")]
pub use problem::{bbob, problem_file};
pub use run::history::History;
#[doc(hidden)]
pub use run::optimiser::SliceLength;
pub use run::optimiser::{AskTell, Event, Optimiser, Runs, Status};
pub use run::own_method::OwnMethod;
pub use run::polish::Polish;
pub use run::population::{Population, Statistics};
pub use run::report::{Best, Progress, Report, RunProgress, RunReport};
pub use settings::choices::{Backend, Constraints, Precision, Restart, Schedule};
pub use settings::communicator::Communicator;
pub use settings::devices::Devices;
pub use settings::peers::{Exchange, Peers};
pub use settings::precise::Precise;
pub use settings::reason::StopReason;
pub use settings::{
    DEFAULT_ITERATIONS, MAX_INDIVIDUALS, MAX_ITERATIONS, MAX_RUNS, RunSettings, Settings, Stop,
};

/// Injected faults: calls that fail when a test asks for it.
#[doc(hidden)]
pub mod faults {
    pub use crate::error::faults::*;
    #[cfg(feature = "faults")]
    pub use crate::machine::gpu::free_on_gpu;
}

/// Maximises `objective` within `bounds`: [`minimise`] with [`Settings::maximise`]. Reported values keep their sign,
/// and a target is reached from below.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, HostObjective, Settings, Stop, maximise};
/// // The rectangle of circumference 4 with the largest area.
/// let area = HostObjective::new(|x: &[f64]| x[0] * (2.0 - x[0]));
/// let bounds = Bounds::uniform(1, 0.0, 2.0)?;
/// let settings = Settings { individuals: 16, stop: Stop::iterations(100), ..Settings::default() };
/// let report = maximise(&area, &bounds, &Algorithm::default(), &settings)?;
/// assert!((report.best().value - 1.0).abs() < 1e-9);
/// assert!((report.best().position[0] - 1.0).abs() < 1e-4);
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// # Errors
///
/// As [`minimise`].
pub fn maximise<R: Float, G: AnyObjective<R>>(
    objective: &G,
    bounds: &Bounds,
    algorithm: &Algorithm,
    settings: &Settings,
) -> Result<Report<R>> {
    minimise(objective, bounds, algorithm, &Settings { maximise: true, ..settings.clone() })
}

/// Minimises `objective` within `bounds`.
///
/// ```
/// use warpswarm::{Bounds, DeParams, Settings, Stop, minimise, problems::Rosenbrock};
/// let bounds = Bounds::uniform(2, -2.048, 2.048)?;
/// let settings = Settings { individuals: 32, stop: Stop::target(1e-8), ..Settings::default() };
/// let report = minimise::<f64, _>(&Rosenbrock, &bounds, &DeParams::default().into(), &settings)?;
/// assert!(report.best().value <= 1e-8);
/// assert!((report.best().position[0] - 1.0).abs() < 1e-3);
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// # Errors
///
/// If bounds, parameters or settings are not allowed, or the backend fails: see [`Error`].
pub fn minimise<R: Float, G: AnyObjective<R>>(
    objective: &G,
    bounds: &Bounds,
    algorithm: &Algorithm,
    settings: &Settings,
) -> Result<Report<R>> {
    Optimiser::new(objective, bounds, algorithm, settings)?.run()
}
