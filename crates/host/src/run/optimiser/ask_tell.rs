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

/// An optimisation that asks for the fitness of points and receives it: for objectives that are not functions in this
/// program, such as experiments, other programs, or other machines.
///
/// It moves individuals as an [`Optimiser`] does, on the CPU or on a GPU, with the same results. The first points are
/// the initial individuals. After a failure it behaves like an [`Optimiser`]: a `tell` that fails half-way loses the
/// runs, until a state is restored.
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
    /// The points in the users' units, if these differ from the individuals' numbers.
    asked: Option<Asked<R>>,
    /// When the unanswered points were requested.
    since: Option<Instant>,
    reason: Option<StopReason>,
}

impl<R: Float> AskTell<R> {
    /// Checks all arguments and chooses the backend. With [`Backend::Auto`] it is the CPU, unless the settings have
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

    /// As [`new`](AskTell::new), for any algorithm, whose parameters and settings have been checked.
    pub(crate) fn start(bounds: &Bounds, wanted: Wanted<R>, settings: &Settings) -> Result<Self> {
        if settings.polish == Some(true) {
            return Err(no_polish("by whoever is asked"));
        }
        let optimiser = Optimiser::with(Evaluator::Caller, bounds, wanted, settings)?;
        Ok(AskTell { optimiser, asked: None, since: None, reason: None })
    }

    /// The next points to evaluate; the same points until their fitness is told. `None` if every run has met one of the
    /// conditions of [`Stop`](crate::Stop).
    ///
    /// They are the points that all runs evaluate in an iteration; for `spso`, whose particles move one after the
    /// other, one point for each run.
    ///
    /// # Errors
    ///
    /// If the backend fails.
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

    /// Takes the fitness of the last requested points, in order. A negative violation counts as zero.
    ///
    /// # Errors
    ///
    /// If the number of fitnesses is not the number of points, or the backend fails.
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

    /// As [`ask`](AskTell::ask), if individuals move on a GPU: the points stay there.
    ///
    /// # Errors
    ///
    /// If the individuals move on the CPU, or the backend fails.
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

    /// As [`tell`](AskTell::tell), for the points last [requested on the GPU](AskTell::ask_on_device).
    ///
    /// # Errors
    ///
    /// If the number of values is not the number of points, or the backend fails, for example because an address is not
    /// in the memory of the GPU.
    pub fn tell_on_device(&mut self, values: &DeviceValues) -> Result<()> {
        if self.since.is_none() || values.count == 0 {
            return Err(Error::Told { expected: 0, found: values.count });
        }
        self.told(|asks| asks.tell_on_device(values))?;
        self.answered();
        Ok(())
    }

    /// The report of the runs after the last iteration whose points have all been told; before the first one, values
    /// are NaN and evaluations 0. A run that has met no condition of [`Stop`](crate::Stop) counts as interrupted.
    ///
    /// # Errors
    ///
    /// If the backend fails, or if statistics of the populations are requested and there are none yet.
    pub fn report(&mut self) -> Result<Report<R>> {
        self.optimiser.reported(self.reason.unwrap_or(StopReason::Interrupted))
    }

    /// The progress of the runs; see [`Optimiser::progress`].
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn progress(&mut self) -> Result<Progress<R>> {
        self.optimiser.progress()
    }

    /// The whole state of every run, from before the unanswered points were requested; see [`Optimiser::state`].
    ///
    /// # Errors
    ///
    /// If the first individuals have not been told, or the backend fails.
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

    /// Continues from a state, also from one of an [`Optimiser`]; see [`Optimiser::restore`].
    ///
    /// ```
    /// use warpswarm::{Algorithm, AskTell, Bounds, Optimiser, Settings, problems::Sphere};
    /// let bounds = Bounds::uniform(2, -1.0, 1.0)?;
    /// let settings = Settings { individuals: 8, ..Settings::default() };
    /// let mut here = Optimiser::<f64>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
    /// here.step(7)?;
    /// // From now on the caller evaluates.
    /// let mut search = AskTell::new(&bounds, &Algorithm::default(), &settings)?;
    /// search.restore(&here.state()?)?;
    /// assert_eq!(search.progress()?.iterations, 7);
    /// assert_eq!(search.ask()?.map(|points| points.len()), Some(8));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the state has another size, seed or run number, a coordinate in it is NaN, or the backend fails.
    pub fn restore(&mut self, state: &[Swarm<R>]) -> Result<()> {
        self.forget_the_question();
        self.optimiser.restore(state)
    }

    pub(crate) fn forget_the_question(&mut self) {
        (self.since, self.asked) = (None, None);
    }

    /// The plan of the runs on the device; `None` on the CPU.
    pub fn plan(&self) -> Option<Plan> {
        self.optimiser.plan()
    }

    /// The backend that moves the individuals.
    pub fn backend(&self) -> Backend {
        self.optimiser.backend()
    }

    fn asks(&mut self) -> Result<&mut dyn Asks<R>> {
        self.optimiser.runs()?;
        Ok(asks(&mut self.optimiser.driver))
    }

    /// Whether all runs have ended; stores the reason.
    fn has_finished(&mut self) -> Result<bool> {
        let placed = self.optimiser.driver.is_placed();
        let controls = self.optimiser.runs()?.landmarks()?;
        self.reason = self.optimiser.finished(&controls).filter(|_| placed);
        Ok(self.reason.is_some())
    }

    fn told(&mut self, tell: impl FnOnce(&mut dyn Asks<R>) -> Result<()>) -> Result<()> {
        self.optimiser.change(|driver| tell(asks(driver)))?;
        self.optimiser.lower_levels()
    }

    /// Adds the time between question and answer.
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
