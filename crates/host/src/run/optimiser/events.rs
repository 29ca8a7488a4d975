//! What observers are told.

use warpswarm_core::Float;
use warpswarm_cpu_ref::Swarm;

use super::Optimiser;
use crate::engine::plan::Plan;
use crate::error::Result;
use crate::run::population::Population;
use crate::run::report::{Progress, Report, RunProgress};
use crate::settings::choices::Backend;
use crate::settings::reason::StopReason;

/// What happens while runs are under way; see [`Optimiser::run_observed`].
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
    /// The runs are about to begin, or to go on: the first event.
    Started(&'a Progress<R>),
    /// A run's best is better than it was at the last event; `run` is its place in the batch.
    Improved {
        /// The run's place in the batch, from 0.
        run: usize,
        /// Where it is.
        at: &'a RunProgress<R>,
    },
    /// A slice has ended: about every 50 ms, at the beginning, and at the end.
    Progress(&'a Progress<R>),
    /// A record was added to the history: see [`Settings::record_every`](crate::Settings::record_every). Where these are
    /// limited in number it may be dropped later.
    Recorded(&'a Progress<R>),
    /// The populations, one a run: see [`Settings::populations_every`](crate::Settings::populations_every).
    Populations(&'a [Population<R>]),
    /// All runs have ended: the last event.
    Finished(&'a Report<R>),
}

/// The runs as an observer may look at them.
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

    /// What the runs have given so far, as if they were interrupted here; see [`Optimiser::report`].
    ///
    /// # Errors
    ///
    /// As [`Optimiser::report`].
    pub fn report(&mut self) -> Result<Report<R>> {
        self.0.report(StopReason::Interrupted)
    }

    /// Whether all first individuals have been evaluated: where the time, or an interrupt, ended that, there is neither a
    /// state nor a checkpoint.
    pub fn are_placed(&self) -> bool {
        self.0.is_placed()
    }

    /// Ends the next slice after so many iterations of a run, counted from its beginning, at the latest: there is an
    /// [`Event::Progress`] then. Where the runs are beyond that already, or several processes share them, nothing changes.
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

    /// Points of states as their variables read; see [`Optimiser::natural`].
    pub fn natural(&self, points: &[R]) -> Vec<R> {
        self.0.natural(points)
    }

    /// How the runs are laid over the device; `None` on the CPU.
    pub fn plan(&self) -> Option<Plan> {
        self.0.plan()
    }

    /// Where the runs are carried out, never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.0.backend()
    }

    /// The device in words.
    pub fn device(&self) -> String {
        self.0.device()
    }
}
