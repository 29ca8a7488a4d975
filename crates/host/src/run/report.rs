//! The results of runs.

use warpswarm_core::order::Fitness;

use super::polish::Polish;
use super::population::Statistics;
use crate::engine::plan::Plan;
use crate::settings::choices::{Backend, Schedule};
use crate::settings::reason::StopReason;

/// The best point of a run.
///
/// ```
/// use warpswarm::{Algorithm, Settings, Stop, problems};
/// let ackley = problems::find("ackley")?;
/// let settings = Settings { individuals: 16, stop: Stop::iterations(10), ..Settings::default() };
/// let mut optimiser = ackley.optimiser::<f64>(0.0, &ackley.bounds(3)?, &Algorithm::default(), &settings)?;
/// let best = optimiser.run()?.best().clone();
/// assert_eq!(ackley.evaluate(&best.position)?.fitness.value, best.value);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "R: warpswarm_core::Float + serde::Serialize",
        deserialize = "R: warpswarm_core::Float + serde::Deserialize<'de>"
    ))
)]
pub struct Best<R> {
    /// The objective's value there.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::number"))]
    pub value: R,
    /// The total constraint violation there; zero if the point is feasible.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::number"))]
    pub violation: R,
    /// The point, `[coordinate]`.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::numbers"))]
    pub position: Vec<R>,
}

/// The result of one run.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Settings, Stop, minimise, problems::Sphere};
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let stop = Stop::iterations(10);
/// let settings = Settings { individuals: 16, first_run: 40, runs: 2, stop, ..Settings::default() };
/// let report = minimise::<f32, _>(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// let run = &report.runs[1];
/// assert_eq!((run.run, run.iterations, run.evaluations, run.not_finite), (41, 10, 176, 0));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "R: warpswarm_core::Float + serde::Serialize",
        deserialize = "R: warpswarm_core::Float + serde::Deserialize<'de>"
    ))
)]
pub struct RunReport<R> {
    /// The run's number among those of its seed.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::whole"))]
    pub run: u64,
    /// The best point.
    pub best: Best<R>,
    /// Evaluations of the objective, the initial ones included.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::whole"))]
    pub evaluations: u64,
    /// Iterations since the initial placement.
    pub iterations: u64,
    /// The number of restarts: see [`Restart`](crate::Restart).
    #[cfg_attr(feature = "serde", serde(default))]
    pub restarts: u64,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// The number of evaluations with a value or a violation that is not finite.
    pub not_finite: u64,
    /// The statistics of its population, if [`Settings::record_statistics`](crate::Settings::record_statistics)
    /// requests them.
    pub population: Option<Statistics>,
    /// What a local search did with its best point, if one was done: see [`Settings::polish`](crate::Settings::polish).
    #[cfg_attr(feature = "serde", serde(default))]
    pub polish: Option<Polish<R>>,
}

/// The results of all runs, and where and how they were carried out.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Settings, Stop, minimise, problems::Sphere};
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let settings = Settings { individuals: 16, runs: 3, stop: Stop::iterations(5), ..Settings::default() };
/// let report = minimise::<f32, _>(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// let values: Vec<f32> = report.runs.iter().map(|run| run.best.value).collect();
/// assert_eq!(values.len(), 3);
/// assert_eq!(report.best().value, values.into_iter().fold(f32::INFINITY, f32::min));
/// println!("{}, after {:.3} s on {}", report.best().value, report.seconds, report.device);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "R: warpswarm_core::Float + serde::Serialize",
        deserialize = "R: warpswarm_core::Float + serde::Deserialize<'de>"
    ))
)]
pub struct Report<R> {
    /// The runs, at least one.
    pub runs: Vec<RunReport<R>>,
    /// Whether larger values are better.
    pub maximised: bool,
    /// The backend that carried out the runs, never [`Backend::Auto`].
    pub backend: Backend,
    /// A description of the device.
    pub device: String,
    /// The plan of the runs on the device; `None` on the CPU.
    pub plan: Option<Plan>,
    /// Seconds of stepping.
    pub seconds: f64,
    /// Seconds of the local searches after stepping: see [`RunReport::polish`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub polish_seconds: f64,
    /// Seconds before stepping: starting the driver, loading kernels, allocating memory, initial placement.
    pub setup_seconds: f64,
    /// The records that [`Settings::record_every`](crate::Settings::record_every) requests, thinned to
    /// [`Settings::records_at_most`](crate::Settings::records_at_most).
    pub history: Vec<Progress<R>>,
}

impl<R: warpswarm_core::Float> Report<R> {
    /// The best point of all runs; of equal ones, that of the first run.
    pub fn best(&self) -> &Best<R> {
        let key = |run: &&RunReport<R>| {
            let Best { violation, value, .. } = run.best;
            Fitness { violation, value: signed(value, self.maximised) }.ordered()
        };
        // A report has at least one run, by construction.
        &self.runs.iter().min_by_key(key).unwrap_or(&self.runs[0]).best
    }

    /// The schedule, if there is one.
    pub fn schedule(&self) -> Option<Schedule> {
        self.plan.map(|plan| plan.schedule)
    }
}

/// A value, or its negative if larger values are better.
fn signed<R: warpswarm_core::Float>(value: R, maximised: bool) -> R {
    if maximised { -value } else { value }
}

/// The progress of the runs at the end of a slice.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Optimiser, Settings, Stop, problems::Sphere};
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let settings = Settings { individuals: 16, stop: Stop::iterations(80), ..Settings::default() };
/// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// optimiser.step(20)?;
/// let progress = optimiser.progress()?;
/// assert_eq!((progress.iterations, progress.limit), (20, Some(80)));
/// assert_eq!(progress.best(), progress.runs[0].best);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "R: warpswarm_core::Float + serde::Serialize",
        deserialize = "R: warpswarm_core::Float + serde::Deserialize<'de>"
    ))
)]
pub struct Progress<R> {
    /// The iterations of the running runs; if none is running, the most of any run.
    pub iterations: u64,
    /// The iteration at which the limits of iterations and evaluations end all runs, if there are such limits.
    pub limit: Option<u64>,
    /// Seconds of stepping so far.
    pub seconds: f64,
    /// The runs.
    pub runs: Vec<RunProgress<R>>,
    /// Whether larger values are better.
    pub maximised: bool,
}

impl<R: warpswarm_core::Float> Progress<R> {
    /// The best fitness of all runs.
    pub fn best(&self) -> Fitness<R> {
        let key = |best: &Fitness<R>| {
            Fitness { value: signed(best.value, self.maximised), ..*best }.ordered()
        };
        self.runs.iter().map(|run| run.best).min_by_key(key).unwrap_or(Fitness::WORST)
    }
}

/// The progress of one run.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Settings, Stop, minimise, problems::Sphere};
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let stop = Stop::iterations(50);
/// let settings = Settings { individuals: 16, stop, record_every: Some(10), ..Settings::default() };
/// let report = minimise::<f32, _>(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// let values: Vec<f32> = report.history.iter().map(|record| record.runs[0].best.value).collect();
/// assert_eq!(values.len(), 6);
/// assert!(values.is_sorted_by(|earlier, later| earlier >= later));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "R: warpswarm_core::Float + serde::Serialize",
        deserialize = "R: warpswarm_core::Float + serde::Deserialize<'de>"
    ))
)]
pub struct RunProgress<R> {
    /// Iterations since the initial placement.
    pub iterations: u64,
    /// Evaluations, the initial ones included.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::whole"))]
    pub evaluations: u64,
    /// Violation and value of its best point.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::fitness"))]
    pub best: Fitness<R>,
    /// The statistics of its population: in records, if
    /// [`Settings::record_statistics`](crate::Settings::record_statistics) requests them.
    pub population: Option<Statistics>,
}
