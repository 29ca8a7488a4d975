//! An optimisation under way: its state, steps, and the driver that knows when to stop.

mod ask_tell;
mod driving;
mod easing;
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
use easing::Easing;
pub use events::{Event, Runs};
pub use migration::Standing;
pub use slice_length::SliceLength;

use super::history::History;
use super::polish::Polisher;
use super::population::{Population, Statistics};
use super::report::{Progress, Report, RunProgress};
use crate::algorithms::Algorithm;
use crate::engine::plan::Plan;
use crate::engine::{self, Driver, Job, Placing, Until, Wanted};
use crate::error::{Error, Result};
use crate::objective::bounds::{Bounds, Scales};
use crate::objective::evaluator::Evaluator;
use crate::objective::goal::Goal;
use crate::settings::choices::Backend;
use crate::settings::limit::Limit;
use crate::settings::{MAX_ITERATIONS, Settings, Stop};

/// An optimisation under way: one or many runs, on one of the backends.
///
/// The individuals are placed and evaluated when it is made; that is iteration 0.
///
/// Where the backend fails when it is made, there is no optimiser, and nothing of it stays on the device. Where a call
/// fails that only looks, such as [`state`](Optimiser::state) or a record of [`run`](Optimiser::run), the runs are where
/// they were, and the call may be repeated. Where a failure, or a panic of an [`Objective`](crate::Objective) on the CPU,
/// leaves runs in the middle of an iteration, they are *lost*:
/// every later call fails at once with the same error, until [`restore`](Optimiser::restore) or
/// [`resume`](Optimiser::resume) has brought a state. Other optimisers are as before, unless the device itself was lost
/// ([`Error::DeviceLost`]).
///
/// ```
/// use warpswarm::{Algorithm, Backend, Bounds, Optimiser, Settings, problems::Sphere};
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let settings = Settings { individuals: 32, backend: Backend::Cpu, ..Settings::default() };
/// let mut first = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// first.step(100)?;
/// let state = first.state()?;
///
/// // Elsewhere, or later: the state goes on as if nothing had happened.
/// let mut second = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// second.restore(&state)?;
/// second.step(50)?;
/// first.step(50)?;
/// assert_eq!(first.state()?, second.state()?);
/// # Ok::<(), warpswarm::Error>(())
/// ```
pub struct Optimiser<R: Float> {
    driver: Driver<R>,
    /// The failure that has left the runs in the middle of a change.
    lost: Option<Error>,
    pub(crate) job: Job<R>,
    stop: Stop,
    limit: Limit,
    /// How levels fall in a run from its beginning, where there are levels.
    schedule: Option<Easing>,
    /// How they go on falling; none where there are none any more.
    easing: Option<Easing>,
    recording: Recording,
    pub(crate) history: History<R>,
    slice_length: SliceLength,
    pub(crate) seconds: f64,
    setup_seconds: f64,
    placing: Placing,
    /// What finishes the runs at the end, where that is wanted.
    pub(crate) polisher: Option<Polisher<R>>,
}

/// What records say, and what observers are shown.
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
    /// Checks everything, chooses the backend, and places the individuals.
    ///
    /// # Errors
    ///
    /// Where bounds, parameters or settings are not allowed, or the backend cannot be had or
    /// fails; see [`Error`](crate::Error).
    pub fn new<G: Goal<R>>(
        objective: &G,
        bounds: &Bounds,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Self> {
        let (algorithm, settings) = algorithm.completed(settings, bounds.dimensions());
        settings.check()?;
        let wanted = Wanted::new(&algorithm, settings.individuals)?;
        Optimiser::start(objective, bounds, wanted, &settings)
    }

    /// The same for any algorithm, whose parameters have been checked, as the settings have.
    pub(crate) fn start<G: Goal<R>>(
        objective: &G,
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

    /// The same with whoever evaluates.
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
        let schedule = Easing::new(settings, limit);
        let mut optimiser = Optimiser {
            slice_length: SliceLength::first(&job, &driver),
            placing: driver.placing(),
            driver,
            lost: None,
            stop: settings.stop.clone(),
            limit,
            schedule,
            easing: schedule,
            job,
            recording: Recording::new(settings),
            history: History::new(settings),
            seconds: 0.0,
            setup_seconds,
            polisher: None,
        };
        optimiser.ease()?;
        Ok(optimiser)
    }

    /// Does so many iterations of every run that has not stopped by itself (at its target, or by
    /// stagnation; where iterations differ in evaluations also before it exceeds theirs). The other
    /// limits of [`Stop`] do not count here.
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn step(&mut self, iterations: u64) -> Result<()> {
        let left = MAX_ITERATIONS - reached(&self.runs()?.landmarks()?);
        let start = Instant::now();
        self.advance(iterations.min(left), None, &Until::never())?;
        // The device works on after a launch: wait for it, so that the time is that of the work.
        self.runs()?.landmarks()?;
        self.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Iterates until every run has met one of the conditions of [`Stop`].
    ///
    /// Iterations, evaluations and seconds count from the beginning, earlier steps included.
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
    /// Where the backend fails.
    pub fn run(&mut self) -> Result<Report<R>> {
        self.drive(None, None)
    }

    /// As [`run`](Optimiser::run), telling `observer` what [happens](Event).
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
    /// Where the backend fails.
    pub fn run_observed(
        &mut self,
        observer: &mut dyn FnMut(Event<'_, R>, &mut Runs<'_, R>),
    ) -> Result<Report<R>> {
        self.drive(Some(observer), None)
    }

    /// Where the runs are.
    ///
    /// # Errors
    ///
    /// Where the backend fails.
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

    /// The whole state of every run: for pictures, for comparing backends, for going on later. It is as individuals
    /// have it: of a variable on another scale their own number, of what is maximised the negative value.
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn state(&mut self) -> Result<Vec<Swarm<R>>> {
        self.check_placed()?;
        self.runs()?.snapshot()
    }

    /// The points that the individuals of each run keep, and their values: as they are meant, unlike those of a
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

    /// Points of a [`state`](Optimiser::state) as they are meant, `[point][coordinate]` like these: of a variable on
    /// another scale its value instead of the individual's own number.
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

    /// Goes on from a state, of whatever backend: N + M iterations give the same bits as N here
    /// and M there.
    ///
    /// A run that had stopped by itself goes on if this optimiser's target and stagnation allow it.
    ///
    /// # Errors
    ///
    /// Where the state is of another size, seed or run, a coordinate in it is NaN, or the backend fails.
    pub fn restore(&mut self, state: &[Swarm<R>]) -> Result<()> {
        self.job.check_state(state)?;
        self.replace(|runs| runs.restore(state))?;
        self.go_on_easing()?;
        // The end of the last record would hide an earlier iteration from the next run.
        self.history.replace(Vec::new());
        Ok(())
    }

    /// How the runs are laid over the device; `None` on the CPU.
    pub fn plan(&self) -> Option<Plan> {
        self.driver.state().plan()
    }

    /// Where the runs are carried out, never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.driver.state().backend()
    }

    /// The device in words.
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

    /// How each population lies.
    fn statistics(&mut self) -> Result<Vec<Statistics>> {
        let swarms = self.state()?;
        Ok(swarms.iter().map(|swarm| Statistics::of(&self.job, swarm)).collect())
    }
}

/// The iterations of the runs that have not stopped by themselves.
fn going(controls: &[Control]) -> impl Iterator<Item = u64> {
    let going = controls.iter().filter(|control| control.stopped == stopped::NOT);
    going.map(|control| control.iterations)
}

/// The iterations of the runs that go on, which are the same; where none does, the most of any.
fn reached(controls: &[Control]) -> u64 {
    let most = || controls.iter().map(|control| control.iterations).max();
    going(controls).max().or_else(most).unwrap_or(0)
}
