//! An optimisation under way: its state, steps, and the driver that knows when to stop.

mod ask_tell;
mod limit;

use std::sync::atomic::Ordering;
use std::time::Instant;

use warpswarm_core::Real;
use warpswarm_core::launch::{Control, stopped};
use warpswarm_core::order::Fitness;
use warpswarm_cpu_ref::Swarm;

pub use ask_tell::AskTell;
pub(crate) use limit::Limit;

use crate::algorithms::Algorithm;
use crate::backend::{self, Driver, Evaluator, Job, Wanted};
use crate::bounds::{Bounds, Scales};
use crate::choices::Backend;
use crate::error::Result;
use crate::goal::Goal;
use crate::report::{Best, Plan, Progress, Report, RunProgress, RunReport, StopReason};
use crate::settings::{MAX_ITERATIONS, Settings, Stop};

/// An optimisation under way: one or many runs, on one of the backends.
///
/// The individuals are placed and evaluated when it is made; that is iteration 0.
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
pub struct Optimiser<R: Real> {
    driver: Driver<R>,
    job: Job<R>,
    stop: Stop,
    limit: Limit,
    record_every: Option<u64>,
    history: Vec<Progress<R>>,
    pace: Pace,
    seconds: f64,
    setup_seconds: f64,
}

/// Who is shown where the runs are.
type Observer<'a, R> = &'a mut dyn FnMut(&Progress<R>);

impl<R: Real> std::fmt::Debug for Optimiser<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Optimiser").field("job", &self.job).field("plan", &self.plan()).finish()
    }
}

impl<R: Real> Optimiser<R> {
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
        settings.check()?;
        let wanted = Wanted::new(algorithm, settings.individuals)?;
        Optimiser::start(objective, bounds, wanted, settings)
    }

    /// The same for any algorithm, whose parameters have been checked, as the settings have.
    pub(crate) fn start<G: Goal<R>>(
        objective: &G,
        bounds: &Bounds,
        wanted: Wanted<R>,
        settings: &Settings,
    ) -> Result<Self> {
        let by = objective.prepared(&Scales::new(bounds, settings.maximise)).0;
        Optimiser::with(by, bounds, wanted, settings)
    }

    /// The same with whoever evaluates.
    fn with(
        by: Evaluator<R>,
        bounds: &Bounds,
        wanted: Wanted<R>,
        settings: &Settings,
    ) -> Result<Self> {
        let start = Instant::now();
        let (job, driver) = backend::start(by, bounds, wanted, settings)?;
        let setup_seconds = start.elapsed().as_secs_f64();
        Ok(Optimiser {
            pace: Pace::first(&job, &driver),
            driver,
            stop: settings.stop.clone(),
            limit: Limit::new(&settings.stop, |iterations| job.evaluations_until(iterations)),
            job,
            record_every: settings.record_every,
            history: Vec::new(),
            seconds: 0.0,
            setup_seconds,
        })
    }

    /// Does so many iterations of every run that has not stopped by itself (at its target, or by
    /// stagnation; where iterations differ in evaluations also before it exceeds theirs). The other
    /// limits of [`Stop`] do not count here.
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn step(&mut self, iterations: u64) -> Result<()> {
        let left = MAX_ITERATIONS - reached(&self.driver.state_mut().landmarks()?);
        let start = Instant::now();
        self.driver.advance(iterations.min(left))?;
        // The device works on after a launch: wait for it, so that the time is that of the work.
        self.driver.state_mut().landmarks()?;
        self.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Iterates until every run has met one of the conditions of [`Stop`].
    ///
    /// Iterations, evaluations and seconds count from the beginning, earlier steps included.
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn run(&mut self) -> Result<Report<R>> {
        self.drive(None)
    }

    /// As [`run`](Optimiser::run), showing `observer` where the runs are: at the beginning, then
    /// about every 50 ms, and at every iteration that is to be recorded.
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn run_observed(&mut self, observer: &mut dyn FnMut(&Progress<R>)) -> Result<Report<R>> {
        self.drive(Some(observer))
    }

    /// Where the runs are.
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn progress(&mut self) -> Result<Progress<R>> {
        let controls = self.driver.state_mut().controls()?;
        let bests = self.driver.state_mut().bests()?;
        let evaluations = self.evaluations(&controls)?;
        let runs =
            controls.iter().zip(bests).zip(evaluations).map(|((control, best), evaluations)| {
                let best = self.job.scales.fitness(best.fitness);
                RunProgress { iterations: control.iterations, evaluations, best }
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
        self.driver.state_mut().snapshot()
    }

    /// Goes on from a state, of whatever backend: N + M iterations give the same bits as N here
    /// and M there.
    ///
    /// A run that had stopped by itself goes on if this optimiser's target and stagnation allow it.
    ///
    /// # Errors
    ///
    /// Where the state is of another size, seed or run, or the backend fails.
    pub fn restore(&mut self, state: &[Swarm<R>]) -> Result<()> {
        self.job.check_state(state)?;
        self.driver.state_mut().restore(state)?;
        // The end of the last record would hide an earlier iteration from the next run.
        self.history.clear();
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
        let of = |control: &Control| self.job.evaluations_until(control.iterations).unwrap_or(0);
        let known = controls.iter().map(of).collect();
        Ok(self.driver.state_mut().evaluations()?.unwrap_or(known))
    }

    fn drive(&mut self, mut observer: Option<Observer<'_, R>>) -> Result<Report<R>> {
        let reason = loop {
            let controls = self.driver.state_mut().landmarks()?;
            let due = self.is_due(reached(&controls));
            if due || observer.is_some() {
                let progress = self.progress()?;
                if let Some(observer) = &mut observer {
                    observer(&progress);
                }
                if due {
                    self.history.push(progress);
                }
            }
            if let Some(reason) = self.finished(&controls) {
                break reason;
            }
            let slice = self.slice(&controls);
            let start = Instant::now();
            self.driver.advance(slice)?;
            self.driver.state_mut().landmarks()?;
            let seconds = start.elapsed().as_secs_f64();
            self.pace.took(slice, seconds);
            self.seconds += seconds;
        };
        self.report(reason)
    }

    /// Whether this iteration is to be recorded, and has not been.
    fn is_due(&self, iterations: u64) -> bool {
        let recorded = self.history.last().is_some_and(|last| last.iterations == iterations);
        self.record_every.is_some_and(|every| iterations.is_multiple_of(every)) && !recorded
    }

    /// Why the runs that have not stopped by themselves end now, if they do.
    fn finished(&self, controls: &[Control]) -> Option<StopReason> {
        let interrupted = self.stop.interrupt.as_ref();
        match going(controls).max() {
            // Not said of any run: each has its own reason.
            None => Some(self.limit.reason),
            Some(done) if done >= self.limit.iterations => Some(self.limit.reason),
            _ if interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) => {
                Some(StopReason::Interrupted)
            }
            _ if self.stop.seconds.is_some_and(|limit| self.seconds >= limit) => {
                Some(StopReason::Seconds)
            }
            _ => None,
        }
    }

    /// The iterations of the next slice, at least 1.
    fn slice(&self, controls: &[Control]) -> u64 {
        let done = reached(controls);
        let mut slice = self.pace.next.min(self.limit.iterations.saturating_sub(done));
        if let Some(every) = self.record_every {
            slice = slice.min(every - done % every);
        }
        if let Some(limit) = self.stop.seconds {
            slice = slice.min(self.pace.within(limit - self.seconds));
        }
        slice.max(1)
    }

    fn report(&mut self, reason: StopReason) -> Result<Report<R>> {
        let controls = self.driver.state_mut().controls()?;
        let bests = self.driver.state_mut().bests()?;
        let positions = self.driver.state_mut().best_positions()?;
        let evaluations = self.evaluations(&controls)?;
        let found = bests.into_iter().zip(positions).zip(evaluations);
        let runs = controls.iter().zip(found).zip(self.job.first_run..).map(
            |((control, ((best, position), evaluations)), run)| {
                let Fitness { violation, value } = self.job.scales.fitness(best.fitness);
                let position = self.job.scales.natural(&position);
                RunReport {
                    run,
                    best: Best { value, violation, position },
                    evaluations,
                    iterations: control.iterations,
                    stop_reason: run_reason(control, best.fitness, reason),
                    not_finite: control.not_finite,
                }
            },
        );
        Ok(Report {
            maximised: self.job.scales.maximises,
            runs: runs.collect(),
            backend: self.driver.state().backend(),
            device: self.driver.state().device(),
            plan: self.driver.state().plan(),
            seconds: self.seconds,
            setup_seconds: self.setup_seconds,
            history: std::mem::take(&mut self.history),
        })
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

/// Why one run ended, where the others ended for `reason`.
fn run_reason<R: Real>(control: &Control, best: Fitness<R>, reason: StopReason) -> StopReason {
    let reason = match control.stopped {
        stopped::TARGET => StopReason::Target,
        stopped::STAGNATION => StopReason::Stagnation,
        stopped::EVALUATIONS => StopReason::Evaluations,
        _ => reason,
    };
    let nothing = !(best.value < R::INFINITY && best.violation < R::INFINITY);
    match reason {
        StopReason::Target | StopReason::Interrupted => reason,
        _ if nothing => StopReason::NothingFinite,
        _ => reason,
    }
}

/// How many iterations a slice has, so that one takes about [`SLICE_SECONDS`].
#[derive(Clone, Copy, Debug)]
struct Pace {
    next: u64,
    /// Seconds of one iteration in the last slice.
    seconds: f64,
}

/// A slice is as long as an interrupt may have to wait, at most half of what is allowed.
const SLICE_SECONDS: f64 = 0.05;
/// A slice is at most so many times as long as the one before, since the first ones tell little.
const GROWTH: u64 = 16;
/// Coordinates that a GPU certainly moves in a fraction of a slice.
const FIRST_DEVICE_WORK: u64 = 1 << 26;

impl Pace {
    /// The first slice: one iteration where it could be long, more where many are surely short.
    fn first<R: Real>(job: &Job<R>, driver: &Driver<R>) -> Self {
        let [runs, individuals, stride] = [job.runs, job.individuals, job.stride()].map(u64::from);
        let work = (runs * individuals).saturating_mul(stride);
        let next = match driver {
            Driver::Engine(engine) if engine.backend() == Backend::Gpu => {
                (FIRST_DEVICE_WORK / work).clamp(1, 256)
            }
            _ => 1,
        };
        Pace { next, seconds: 0.0 }
    }

    fn took(&mut self, iterations: u64, seconds: f64) {
        self.seconds = seconds / iterations as f64;
        let most = iterations.saturating_mul(GROWTH);
        let fitting = SLICE_SECONDS / self.seconds.max(1e-12);
        self.next = (fitting as u64).clamp(1, most);
    }

    /// How many iterations fit in so many seconds.
    fn within(&self, seconds: f64) -> u64 {
        if self.seconds == 0.0 { u64::MAX } else { (seconds / self.seconds).ceil() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_approach_their_length() {
        let mut pace = Pace { next: 1, seconds: 0.0 };
        for _ in 0..10 {
            pace.took(pace.next, pace.next as f64 * 1e-5);
        }
        assert!((4900..=5100).contains(&pace.next), "{pace:?}");
        pace.took(pace.next, 100.0);
        assert!(pace.next < 10, "{pace:?}");
        pace.took(1, 0.0);
        assert_eq!(pace.next, GROWTH);
    }
}
