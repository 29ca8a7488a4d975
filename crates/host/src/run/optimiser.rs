//! An optimisation in progress: its state, its steps, and the driver that decides when to stop.

mod ask_tell;
mod driving;
mod epsilon_level;
mod events;
mod lost;
mod migration;
mod reporting;
mod slice_length;
mod together;

use std::time::Instant;

use warpswarm_core::Float;
use warpswarm_core::launch::{Control, stopped};
use warpswarm_cpu_ref::Swarm;

pub use ask_tell::AskTell;
use epsilon_level::LevelSchedule;
pub use events::{Event, Runs};
pub use migration::Status;
pub use slice_length::SliceLength;

use super::history::History;
use super::polish::Polisher;
use super::population::{Population, Statistics};
use super::report::{Progress, Report, RunProgress};
use crate::algorithms::Algorithm;
use crate::engine::plan::Plan;
use crate::engine::{self, Deadline, Driver, Job, Placing, Wanted};
use crate::error::{Error, Result};
use crate::objective::any_objective::AnyObjective;
use crate::objective::bounds::{Bounds, Scales};
use crate::objective::evaluator::Evaluator;
use crate::settings::choices::Backend;
use crate::settings::limit::Limit;
use crate::settings::{MAX_ITERATIONS, Settings, Stop};

/// An optimisation in progress: one or many runs, on one of the backends.
///
/// Creating it places and evaluates the individuals; that is iteration 0.
///
/// If the backend fails during creation, no optimiser is returned, and nothing stays on the device. If a call that only
/// reads fails, such as [`state`](Optimiser::state) or a record of [`run`](Optimiser::run), the runs are unchanged, and
/// the call may be repeated. If a failure, or a panic of an [`Objective`](crate::Objective) on the CPU, stops runs in
/// the middle of an iteration, the runs are *lost*: every later call fails at once with the same error, until
/// [`restore`](Optimiser::restore) or [`resume`](Optimiser::resume) provides a state. Other optimisers are not
/// affected, unless the device itself was lost ([`Error::DeviceLost`]).
///
/// ```
/// use warpswarm::{Algorithm, Backend, Bounds, Optimiser, Settings, problems::Sphere};
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let settings = Settings { individuals: 32, backend: Backend::Cpu, ..Settings::default() };
/// let mut first = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// first.step(100)?;
/// let state = first.state()?;
///
/// // Another optimiser, elsewhere or later, continues from the state with the same results.
/// let mut second = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// second.restore(&state)?;
/// second.step(50)?;
/// first.step(50)?;
/// assert_eq!(first.state()?, second.state()?);
/// # Ok::<(), warpswarm::Error>(())
/// ```
pub struct Optimiser<R: Float> {
    driver: Driver<R>,
    /// The failure that stopped the runs in the middle of a change.
    lost: Option<Error>,
    pub(crate) job: Job<R>,
    stop: Stop,
    limit: Limit,
    /// How levels fall in a run from its beginning, if there are levels.
    schedule: Option<LevelSchedule>,
    /// How levels continue to fall; `None` if all are zero.
    active_schedule: Option<LevelSchedule>,
    recording: Recording,
    pub(crate) history: History<R>,
    slice_length: SliceLength,
    pub(crate) seconds: f64,
    setup_seconds: f64,
    placing: Placing,
    /// Polishes the runs at the end, if requested.
    pub(crate) polisher: Option<Polisher<R>>,
}

/// What records contain, and what observers receive.
#[derive(Clone, Copy, Debug)]
struct Recording {
    statistics: bool,
    populations_every: Option<u64>,
    /// See [`Runs::look_at`].
    look_at: u64,
}

impl<R: Float> std::fmt::Debug for Optimiser<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Optimiser").field("job", &self.job).field("plan", &self.plan()).finish()
    }
}

impl<R: Float> Optimiser<R> {
    /// Checks all arguments, chooses the backend, and places the individuals.
    ///
    /// # Errors
    ///
    /// If bounds, parameters or settings are not allowed, or the backend is unavailable or fails: see
    /// [`Error`](crate::Error).
    pub fn new<G: AnyObjective<R>>(
        objective: &G,
        bounds: &Bounds,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Self> {
        Optimiser::for_any(objective, bounds, algorithm, settings)
    }

    /// As [`new`](Optimiser::new), compiled once for all objectives.
    fn for_any(
        objective: &dyn AnyObjective<R>,
        bounds: &Bounds,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Self> {
        let (algorithm, settings) = algorithm.completed(settings, bounds.dimensions());
        settings.check()?;
        let wanted = Wanted::new(&algorithm, settings.individuals)?;
        Optimiser::start(objective, bounds, wanted, &settings)
    }

    /// As [`new`](Optimiser::new), for any algorithm, whose parameters and settings have been checked.
    pub(crate) fn start(
        objective: &dyn AnyObjective<R>,
        bounds: &Bounds,
        wanted: Wanted<R>,
        settings: &Settings,
    ) -> Result<Self> {
        let scales = Scales::new(bounds, settings.maximise);
        let by = objective.prepared(&scales).0;
        let on_host = by.on_host();
        let mut optimiser = Optimiser::with(by, bounds, wanted, settings)?;
        let known = || objective.known(&scales).0;
        optimiser.polisher = Polisher::new(on_host, known, (settings, bounds.dimensions()))?;
        Ok(optimiser)
    }

    /// As [`start`](Optimiser::start), with any evaluator.
    fn with(
        by: Evaluator<R>,
        bounds: &Bounds,
        wanted: Wanted<R>,
        settings: &Settings,
    ) -> Result<Self> {
        let start = Instant::now();
        let (job, driver) = engine::start(by, bounds, wanted, settings)?;
        let setup_seconds = start.elapsed().as_secs_f64();
        let limit = Limit::new(&settings.stop, |iterations| job.evaluations_until(iterations));
        let schedule = LevelSchedule::new(settings, limit);
        let mut optimiser = Optimiser {
            slice_length: SliceLength::first(&job, &driver),
            placing: driver.placing(),
            driver,
            lost: None,
            stop: settings.stop.clone(),
            limit,
            schedule,
            active_schedule: schedule,
            job,
            recording: Recording::new(settings),
            history: History::new(settings),
            seconds: 0.0,
            setup_seconds,
            polisher: None,
        };
        optimiser.lower_levels()?;
        Ok(optimiser)
    }

    /// Does this many iterations of every run that has not stopped on its own: at its target, by stagnation, or, if
    /// iterations differ in evaluations, before it exceeds the limit of evaluations. The other limits of [`Stop`] do
    /// not apply here.
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn step(&mut self, iterations: u64) -> Result<()> {
        let left = MAX_ITERATIONS - reached(&self.runs()?.landmarks()?);
        let start = Instant::now();
        self.advance(iterations.min(left), None, &Deadline::never())?;
        // A launch returns before the device has finished: wait, so that the time is that of the work.
        self.runs()?.landmarks()?;
        self.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Iterates until every run has met one of the conditions of [`Stop`].
    ///
    /// Iterations, evaluations and seconds count from the beginning, including earlier steps.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Optimiser, Settings, Stop, problems::Sphere};
    /// let settings = Settings { individuals: 16, stop: Stop::iterations(30), ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
    /// let optimiser = || Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings);
    /// let mut in_two = optimiser()?;
    /// in_two.step(10)?;
    /// assert_eq!(in_two.run()?.runs, optimiser()?.run()?.runs);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn run(&mut self) -> Result<Report<R>> {
        self.drive(None, None)
    }

    /// As [`run`](Optimiser::run), calling `observer` with each [event](Event).
    ///
    /// ```
    /// use warpswarm::{Bounds, Event, Optimiser, PsoParams, Settings, problems::Sphere};
    /// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
    /// let settings = Settings { individuals: 32, populations_every: Some(500), ..Settings::default() };
    /// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &PsoParams::default().into(), &settings)?;
    /// let mut seen = Vec::new();
    /// optimiser.run_observed(&mut |event, _| {
    ///     if let Event::Populations(populations) = event {
    ///         seen.push(populations[0].iterations);
    ///     }
    /// })?;
    /// assert_eq!(seen, [0, 500, 1000]);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn run_observed(
        &mut self,
        observer: &mut dyn FnMut(Event<'_, R>, &mut Runs<'_, R>),
    ) -> Result<Report<R>> {
        self.drive(Some(observer), None)
    }

    /// The progress of the runs.
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn progress(&mut self) -> Result<Progress<R>> {
        let controls = self.runs()?.controls()?;
        let bests = self.runs()?.bests()?;
        let evaluations = self.evaluations(&controls)?;
        let runs =
            controls.iter().zip(bests).zip(evaluations).map(|((control, best), evaluations)| {
                let best = self.job.scales.fitness(best.fitness.exact());
                RunProgress { iterations: control.iterations, evaluations, best, population: None }
            });
        Ok(Progress {
            iterations: reached(&controls),
            limit: self.limit.given(),
            seconds: self.seconds,
            maximised: self.job.scales.maximises,
            runs: runs.collect(),
        })
    }

    /// The whole state of every run: for pictures, to compare backends, or to continue later. It contains the
    /// individuals' own numbers: for a variable on another scale the number on that scale, and for maximised objectives
    /// the negative value.
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn state(&mut self) -> Result<Vec<Swarm<R>>> {
        self.check_placed()?;
        self.runs()?.snapshot()
    }

    /// The points that the individuals of each run keep, and their values, in the users' units, unlike those of a
    /// [`state`](Optimiser::state).
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Optimiser, Settings, problems::Sphere};
    /// let settings = Settings { individuals: 8, ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
    /// let mut optimiser = Optimiser::<f64>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
    /// let population = &optimiser.populations()?[0];
    /// let x = &population.positions[..2];
    /// assert_eq!(population.fitness[0].value, x[0] * x[0] + x[1] * x[1]);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`state`](Optimiser::state).
    pub fn populations(&mut self) -> Result<Vec<Population<R>>> {
        let swarms = self.state()?;
        Ok(swarms.iter().map(|swarm| Population::of(&self.job, swarm)).collect())
    }

    /// Points of a [`state`](Optimiser::state) in the users' units, `[point][coordinate]` as in the input: for a
    /// variable on another scale its value instead of the number on that scale.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Optimiser, Settings, Variable, problems::Sphere};
    /// let bounds = Bounds::of(&[Variable::log("rate", 1.0, 100.0)])?;
    /// let settings = Settings { individuals: 8, ..Settings::default() };
    /// let mut optimiser = Optimiser::<f64>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
    /// let held = optimiser.state()?[0].best_point().to_vec();
    /// let meant = optimiser.natural(&held);
    /// assert!((meant[0].ln() - held[0]).abs() < 1e-14 && (1.0..=100.0).contains(&meant[0]));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn natural(&self, points: &[R]) -> Vec<R> {
        self.job.scales.natural(points)
    }

    /// Continues from a state, from any backend: N iterations there and M here give the same bits as N + M iterations.
    ///
    /// A run that had stopped on its own continues if this optimiser's target and stagnation allow it.
    ///
    /// # Errors
    ///
    /// If the state has another size, seed or run number, a coordinate in it is NaN, or the backend fails.
    pub fn restore(&mut self, state: &[Swarm<R>]) -> Result<()> {
        self.job.check_state(state)?;
        self.replace(|runs| runs.restore(state))?;
        self.restore_levels()?;
        // The last record could otherwise hide an earlier iteration from the next run.
        self.history.replace(Vec::new());
        Ok(())
    }

    /// The plan of the runs on the device; `None` on the CPU.
    pub fn plan(&self) -> Option<Plan> {
        self.driver.state().plan()
    }

    /// The backend that carries out the runs, never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.driver.state().backend()
    }

    /// A description of the device.
    pub fn device(&self) -> String {
        self.driver.state().device()
    }

    /// The evaluations of each run so far.
    fn evaluations(&mut self, controls: &[Control]) -> Result<Vec<u64>> {
        if let Some(evaluations) = &self.placing.given_up {
            return Ok(evaluations.clone());
        }
        if !self.driver.is_placed() {
            return Ok(vec![0; controls.len()]);
        }
        let of = |control: &Control| self.job.evaluations_until(control.iterations).unwrap_or(0);
        let known = controls.iter().map(of).collect();
        Ok(self.runs()?.evaluations()?.unwrap_or(known))
    }

    /// The statistics of each population.
    fn statistics(&mut self) -> Result<Vec<Statistics>> {
        let swarms = self.state()?;
        Ok(swarms.iter().map(|swarm| Statistics::of(&self.job, swarm)).collect())
    }
}

/// The iterations of the runs that have not stopped on their own.
fn going(controls: &[Control]) -> impl Iterator<Item = u64> {
    let going = controls.iter().filter(|control| control.stopped == stopped::NOT);
    going.map(|control| control.iterations)
}

/// The iterations of the running runs, which are all the same; if none is running, the most of any run.
fn reached(controls: &[Control]) -> u64 {
    let most = || controls.iter().map(|control| control.iterations).max();
    going(controls).max().or_else(most).unwrap_or(0)
}
