//! Optimisation in which the caller evaluates.

use std::time::Instant;

use warpswarm_core::Float;
use warpswarm_core::order::Fitness;
use warpswarm_cpu_ref::Swarm;

use super::Optimiser;
use crate::algorithms::Algorithm;
use crate::engine::plan::Plan;
use crate::engine::{Asks, Driver, Wanted};
use crate::error::{Error, Result};
use crate::objective::bounds::Bounds;
use crate::objective::closure::Points;
use crate::objective::evaluator::{Asked, Evaluator};
use crate::objective::on_device::{DevicePoints, DeviceValues};
use crate::run::polish::no_polish;
use crate::run::population::Population;
use crate::run::report::{Progress, Report};
use crate::settings::Settings;
use crate::settings::choices::Backend;
use crate::settings::reason::StopReason;

/// An optimisation that asks for the fitness of points and is told of it: for objectives that are no function
/// here, such as experiments, other programs, or other machines.
///
/// It moves individuals as an [`Optimiser`] does, on the CPU or on a GPU, with the same numbers. What it asks
/// first are the initial individuals. After a failure it is as an [`Optimiser`] is: a `tell` that fails on the way loses the
/// runs, until a state is brought.
///
/// ```
/// use warpswarm::{Algorithm, AskTell, Bounds, Fitness, Settings, Stop};
/// let bounds = Bounds::uniform(3, -4.0, 4.0)?;
/// let settings = Settings { individuals: 32, stop: Stop::iterations(200), ..Settings::default() };
/// let mut search = AskTell::<f64>::new(&bounds, &Algorithm::default(), &settings)?;
/// while let Some(points) = search.ask()? {
///     let fitness: Vec<_> = points
///         .iter()
///         .map(|x| Fitness { violation: 0.0, value: x.iter().map(|x| x * x).sum() })
///         .collect();
///     search.tell(&fitness)?;
/// }
/// assert!(search.report()?.best().value < 1e-6);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Debug)]
pub struct AskTell<R: Float> {
    pub(crate) optimiser: Optimiser<R>,
    /// The points as they are meant, where that is not what individuals hold.
    asked: Option<Asked<R>>,
    /// When the points were asked for that are to be told of.
    since: Option<Instant>,
    reason: Option<StopReason>,
}

impl<R: Float> AskTell<R> {
    /// Checks everything and chooses the backend; with [`Backend::Auto`] it is the CPU, unless the settings say
    /// [`Schedule::Hosted`](crate::Schedule::Hosted).
    ///
    /// # Errors
    ///
    /// As [`Optimiser::new`].
    pub fn new(bounds: &Bounds, algorithm: &Algorithm, settings: &Settings) -> Result<Self> {
        let (algorithm, settings) = algorithm.completed(settings, bounds.dimensions());
        settings.check()?;
        AskTell::start(bounds, Wanted::new(&algorithm, settings.individuals)?, &settings)
    }

    /// The same for any algorithm, whose parameters have been checked, as the settings have.
    pub(crate) fn start(bounds: &Bounds, wanted: Wanted<R>, settings: &Settings) -> Result<Self> {
        if settings.polish == Some(true) {
            return Err(no_polish("by whoever is asked"));
        }
        let optimiser = Optimiser::with(Evaluator::Caller, bounds, wanted, settings)?;
        Ok(AskTell { optimiser, asked: None, since: None, reason: None })
    }

    /// The points to be evaluated next, the same until they have been told of; none where every run has met one of
    /// the conditions of [`Stop`](crate::Stop).
    ///
    /// They are those that all runs evaluate in an iteration; of `spso`, whose particles move one after the other,
    /// one a run.
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn ask(&mut self) -> Result<Option<Points<'_, R>>> {
        loop {
            if self.has_finished()? {
                return Ok(None);
            }
            match self.asks()?.ask()? {
                None => return Ok(None),
                Some(asked) if asked.runs.is_empty() => self.told(|asks| asks.tell(&[]))?,
                Some(_) => break,
            }
        }
        self.since.get_or_insert_with(Instant::now);
        let (dimensions, first_run) = (self.optimiser.job.dimensions, self.optimiser.job.first_run);
        if !self.optimiser.job.scales.are_plain() && self.asked.is_none() {
            let scales = self.optimiser.job.scales.clone();
            self.asked = self.asks()?.ask()?.map(|asked| asked.seen_through(&scales));
        }
        let asked = match &self.asked {
            Some(asked) => Some(asked),
            None => asks(&mut self.optimiser.driver).ask()?,
        };
        Ok(asked.map(|asked| Points::new(asked, dimensions, first_run)))
    }

    /// Takes the fitness of the points last asked for, in their order. A violation below zero counts as none.
    ///
    /// # Errors
    ///
    /// Where there are fewer or more than points, or the backend fails.
    pub fn tell(&mut self, fitness: &[Fitness<R>]) -> Result<()> {
        let expected = match self.since {
            Some(_) => self.asks()?.ask()?.map_or(0, |asked| asked.runs.len()),
            None => 0,
        };
        if fitness.len() != expected || expected == 0 {
            return Err(Error::Told { expected, found: fitness.len() });
        }
        let scales = &self.optimiser.job.scales;
        let own = |fitness: &Fitness<R>| scales.fitness(*fitness).canonical();
        let told: Vec<_> = fitness.iter().map(own).collect();
        self.told(|asks| asks.tell(&told))?;
        self.answered();
        Ok(())
    }

    /// As [`ask`](AskTell::ask), where individuals move on a GPU: the points stay there.
    ///
    /// # Errors
    ///
    /// Where the individuals move on the CPU, or the backend fails.
    pub fn ask_on_device(&mut self) -> Result<Option<DevicePoints>> {
        loop {
            if self.has_finished()? {
                return Ok(None);
            }
            match self.asks()?.ask_on_device()? {
                None => return Ok(None),
                Some(points) if points.is_empty() => {
                    let none = DeviceValues { count: 0, values: 0, violations: None, stream: None };
                    self.told(|asks| asks.tell_on_device(&none))?;
                }
                Some(points) => {
                    self.since.get_or_insert_with(Instant::now);
                    return Ok(Some(points));
                }
            }
        }
    }

    /// As [`tell`](AskTell::tell), of the points last [asked for on the GPU](AskTell::ask_on_device).
    ///
    /// # Errors
    ///
    /// Where there are fewer or more values than points, or the backend fails, as it does of memory that is not the GPU's.
    pub fn tell_on_device(&mut self, values: &DeviceValues) -> Result<()> {
        if self.since.is_none() || values.count == 0 {
            return Err(Error::Told { expected: 0, found: values.count });
        }
        self.told(|asks| asks.tell_on_device(values))?;
        self.answered();
        Ok(())
    }

    /// The runs as they are after the last iteration of which all points have been told; before the first of them values
    /// are NaN and evaluations 0. A run that has met no condition of [`Stop`](crate::Stop) counts as interrupted.
    ///
    /// # Errors
    ///
    /// Where the backend fails, or statistics of the populations are to be reported and there are none yet.
    pub fn report(&mut self) -> Result<Report<R>> {
        self.optimiser.reported(self.reason.unwrap_or(StopReason::Interrupted))
    }

    /// Where the runs are; see [`Optimiser::progress`].
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn progress(&mut self) -> Result<Progress<R>> {
        self.optimiser.progress()
    }

    /// The whole state of every run, as it was before the points were asked for that are to be told of; see
    /// [`Optimiser::state`].
    ///
    /// # Errors
    ///
    /// Where the first individuals have not been told of, or the backend fails.
    pub fn state(&mut self) -> Result<Vec<Swarm<R>>> {
        self.optimiser.state()
    }

    /// The points that the individuals of each run keep, and their values; see [`Optimiser::populations`].
    ///
    /// # Errors
    ///
    /// As [`state`](AskTell::state).
    pub fn populations(&mut self) -> Result<Vec<Population<R>>> {
        self.optimiser.populations()
    }

    /// Goes on from a state, also of an [`Optimiser`]; see [`Optimiser::restore`].
    ///
    /// ```
    /// use warpswarm::{Algorithm, AskTell, Bounds, Optimiser, Settings, problems::Sphere};
    /// let bounds = Bounds::uniform(2, -1.0, 1.0)?;
    /// let settings = Settings { individuals: 8, ..Settings::default() };
    /// let mut here = Optimiser::<f64>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
    /// here.step(7)?;
    /// // From now on somebody else evaluates.
    /// let mut search = AskTell::new(&bounds, &Algorithm::default(), &settings)?;
    /// search.restore(&here.state()?)?;
    /// assert_eq!(search.progress()?.iterations, 7);
    /// assert_eq!(search.ask()?.map(|points| points.len()), Some(8));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the state is of another size, seed or run, a coordinate in it is NaN, or the backend fails.
    pub fn restore(&mut self, state: &[Swarm<R>]) -> Result<()> {
        self.forget_the_question();
        self.optimiser.restore(state)
    }

    pub(crate) fn forget_the_question(&mut self) {
        (self.since, self.asked) = (None, None);
    }

    /// How the runs are laid over the device; `None` on the CPU.
    pub fn plan(&self) -> Option<Plan> {
        self.optimiser.plan()
    }

    /// Where the individuals move.
    pub fn backend(&self) -> Backend {
        self.optimiser.backend()
    }

    fn asks(&mut self) -> Result<&mut dyn Asks<R>> {
        self.optimiser.runs()?;
        Ok(asks(&mut self.optimiser.driver))
    }

    /// Whether all runs have ended, and why.
    fn has_finished(&mut self) -> Result<bool> {
        let placed = self.optimiser.driver.is_placed();
        let controls = self.optimiser.runs()?.landmarks()?;
        self.reason = self.optimiser.finished(&controls).filter(|_| placed);
        Ok(self.reason.is_some())
    }

    fn told(&mut self, tell: impl FnOnce(&mut dyn Asks<R>) -> Result<()>) -> Result<()> {
        self.optimiser.change(|driver| tell(asks(driver)))?;
        self.optimiser.ease()
    }

    /// Counts the time that passed between question and answer.
    fn answered(&mut self) {
        self.asked = None;
        let since = self.since.take();
        self.optimiser.seconds += since.map_or(0.0, |since| since.elapsed().as_secs_f64());
    }
}

fn asks<R: Float>(driver: &mut Driver<R>) -> &mut dyn Asks<R> {
    match driver {
        Driver::Caller(asks) | Driver::Host(asks, _) => &mut **asks,
        Driver::Engine(_) => unreachable!("`start` makes one that asks"),
    }
}
