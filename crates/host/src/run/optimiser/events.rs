//! The events that observers receive.

use warpswarm_core::Float;
use warpswarm_cpu_ref::Swarm;

use super::Optimiser;
use crate::engine::plan::Plan;
use crate::error::Result;
use crate::run::population::Population;
use crate::run::report::{Progress, Report, RunProgress};
use crate::settings::choices::Backend;
use crate::settings::reason::StopReason;

/// An event while runs are in progress; see [`Optimiser::run_observed`].
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Event, Optimiser, Settings, Stop, problems::Sphere};
/// let stop = Stop::iterations(60);
/// let settings = Settings { individuals: 16, stop, record_every: Some(20), ..Settings::default() };
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// let (mut improved, mut recorded) = (f32::INFINITY, 0);
/// let report = optimiser.run_observed(&mut |event, _| match event {
///     Event::Improved { at, .. } => improved = at.best.value,
///     Event::Recorded(_) => recorded += 1,
///     _ => {}
/// })?;
/// assert_eq!((improved, recorded), (report.best().value, 4));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a, R> {
    /// The runs are about to start or to continue: the first event.
    Started(&'a Progress<R>),
    /// A run's best has improved since the last event.
    Improved {
        /// The run's index in the batch, from 0.
        run: usize,
        /// The progress of the run.
        at: &'a RunProgress<R>,
    },
    /// A slice has ended: about every 50 ms, and also at the beginning and at the end.
    Progress(&'a Progress<R>),
    /// A record was added to the history: see [`Settings::record_every`](crate::Settings::record_every). If the number
    /// of records is limited, it may be dropped later.
    Recorded(&'a Progress<R>),
    /// The populations, one for each run: see [`Settings::populations_every`](crate::Settings::populations_every).
    Populations(&'a [Population<R>]),
    /// All runs have ended: the last event.
    Finished(&'a Report<R>),
}

/// The runs, as far as an observer can use them.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Event, Optimiser, Settings, Stop, problems::Sphere};
/// let settings = Settings { individuals: 16, stop: Stop::iterations(40), ..Settings::default() };
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// let mut last = None;
/// optimiser.run_observed(&mut |event, runs| {
///     if let Event::Finished(_) = event {
///         last = runs.checkpoint().ok();
///     }
/// })?;
/// assert_eq!(last.map(|checkpoint| checkpoint.states), Some(optimiser.state()?));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Debug)]
pub struct Runs<'a, R: Float>(pub(crate) &'a mut Optimiser<R>);

impl<R: Float> Runs<'_, R> {
    /// The whole state of every run; see [`Optimiser::state`].
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn state(&mut self) -> Result<Vec<Swarm<R>>> {
        self.0.state()
    }

    /// The report of the runs as if they were interrupted here; see [`Optimiser::report`].
    ///
    /// # Errors
    ///
    /// As [`Optimiser::report`].
    pub fn report(&mut self) -> Result<Report<R>> {
        self.0.report(StopReason::Interrupted)
    }

    /// Whether all first individuals have been evaluated. If the time limit or an interrupt prevented that, there is
    /// neither a state nor a checkpoint.
    pub fn are_placed(&self) -> bool {
        self.0.is_placed()
    }

    /// Ends the next slice at this iteration at the latest, counted from the beginning of the runs, with an
    /// [`Event::Progress`]. If the runs are already beyond it, or several processes share them, nothing changes.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Event, Optimiser, Settings, Stop, problems::Sphere};
    /// let settings = Settings { individuals: 16, stop: Stop::iterations(100), ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
    /// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
    /// // A look at the swarm after 1, 2, 4, 8... iterations.
    /// let (mut next, mut seen) = (1, vec![]);
    /// optimiser.run_observed(&mut |event, runs| {
    ///     if let Event::Progress(progress) = event {
    ///         if progress.iterations == next {
    ///             seen.push(runs.state().map(|swarms| swarms[0].control.iterations));
    ///             next *= 2;
    ///         }
    ///         runs.look_at(next);
    ///     }
    /// })?;
    /// let seen: Result<Vec<u64>, _> = seen.into_iter().collect();
    /// assert_eq!(seen?, [1, 2, 4, 8, 16, 32, 64]);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn look_at(&mut self, iterations: u64) {
        self.0.recording.look_at = iterations;
    }

    /// Points of states in the users' units; see [`Optimiser::natural`].
    pub fn natural(&self, points: &[R]) -> Vec<R> {
        self.0.natural(points)
    }

    /// The plan of the runs on the device; `None` on the CPU.
    pub fn plan(&self) -> Option<Plan> {
        self.0.plan()
    }

    /// The backend that carries out the runs, never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.0.backend()
    }

    /// A description of the device.
    pub fn device(&self) -> String {
        self.0.device()
    }
}
