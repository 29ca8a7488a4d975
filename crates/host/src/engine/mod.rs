//! Where runs are carried out: one [`Engine`] per place, or one that [`Asks`], all with the same numbers.

use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::migration::{self as migrating, Departure, Migrants, Migration};
use warpswarm_cpu_ref::swarm::first_level;

use cpu::hosted::Evaluation;
pub(crate) use cpu::hosted::caught;
pub(crate) use device::epochs::Ferry;
pub(crate) use device::gradients::PointsOfRuns;
pub(crate) use device::polish::Searches;
pub(crate) use job::Job;
pub(crate) use once::start;
pub(crate) use procedure::{Named, Procedure, Wanted};
pub(crate) use until::Until;

use crate::error::{Error, Result};
use crate::machine;
use crate::objective::bounds::Bounds;
use crate::objective::evaluator::{Asked, Evaluator, Portable};
use crate::objective::on_device::{DevicePoints, DeviceValues};
use crate::settings::Settings;
use crate::settings::choices::Backend;
use crate::settings::communicator::Communicator;
use crate::settings::peers::Exchange;
use plan::Plan;
use planner::Demand;

mod any_method;
mod choose;
mod chosen;
pub(crate) mod cpu;
pub(crate) mod device;
mod job;
mod once;
pub(crate) mod plan;
pub(crate) mod planner;
mod procedure;
mod searches;
mod until;

/// The state of all runs of an optimiser.
pub(crate) trait State<R: Float>: Send {
    /// Where the runs are.
    fn controls(&mut self) -> Result<Vec<Control>>;
    /// Where so many of the runs are that it is known of all how far they are and whether any goes on: of a batch of
    /// a million runs that cannot stop by themselves, of one.
    fn landmarks(&mut self) -> Result<Vec<Control>> {
        self.controls()
    }
    /// The evaluations of each run; none where an iteration evaluates every individual once.
    fn evaluations(&mut self) -> Result<Option<Vec<u64>>> {
        Ok(None)
    }
    /// How often each run has begun anew; nothing where none does.
    fn restarts(&mut self) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }
    /// The best of each run.
    fn bests(&mut self) -> Result<Vec<Candidate<R>>>;
    /// The position of each run's best, `[run][coordinate]`.
    fn best_positions(&mut self) -> Result<Vec<Vec<R>>>;
    /// The whole state.
    fn snapshot(&mut self) -> Result<Vec<Swarm<R>>>;
    /// Takes over a state of the same shape, which [`Job::check_state`] has seen.
    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()>;
    /// The level at which each run, whose individuals have just been placed, begins to be lenient: see [`first_level`].
    fn first_levels(&mut self) -> Result<Vec<R>> {
        Ok(self.snapshot()?.iter().map(|swarm| first_level(&swarm.best)).collect())
    }
    /// Has each run that goes on do so at a level, `[run]`: see [`Job::ease`].
    fn ease(&mut self, job: &Job<R>, levels: &[R]) -> Result<()> {
        let mut swarms = self.snapshot()?;
        job.ease(&mut swarms, levels);
        self.restore(&swarms)
    }
    /// Who leaves each run, and to whom so many immigrants of each, `[run]`, will be offered; neither are more than it has
    /// individuals.
    fn depart(&mut self, migration: &Migration, immigrants: &[usize]) -> Result<Vec<Departure<R>>> {
        let swarms = self.snapshot()?;
        Ok(departures(&swarms, migration, immigrants))
    }
    /// Offers each run its immigrants; see [`Job::immigrate`].
    fn immigrate(
        &mut self,
        job: &Job<R>,
        immigrants: &[Migrants<R>],
        places: &[Vec<u32>],
    ) -> Result<()> {
        let mut swarms = self.snapshot()?;
        job.immigrate(&mut swarms, immigrants, places);
        self.restore(&swarms)
    }
    /// Which backend this is.
    fn backend(&self) -> Backend;
    /// The device in words.
    fn device(&self) -> String;
    /// How the runs are laid over the device.
    fn plan(&self) -> Option<Plan>;
}

/// The departures of runs whose whole states are at hand.
fn departures<R: Float>(
    swarms: &[Swarm<R>],
    migration: &Migration,
    immigrants: &[usize],
) -> Vec<Departure<R>> {
    let of_runs = swarms.iter().zip(immigrants);
    of_runs.map(|(swarm, &count)| migrating::departure(swarm, migration, count)).collect()
}

/// A state that advances by itself.
pub(crate) trait Engine<R: Float>: State<R> {
    /// Does so many iterations of every run that has not stopped by itself.
    fn advance(&mut self, iterations: u64) -> Result<()>;
    /// As [`advance`](Engine::advance), for no longer than until then, where an iteration takes so long that it matters; one
    /// that is given up is as if it had not begun.
    fn advance_until(&mut self, iterations: u64, _: &Until) -> Result<()> {
        self.advance(iterations)
    }
    /// How placing the first individuals went, where that is known.
    fn placing(&self) -> Placing {
        Placing::default()
    }
    /// Whether it does epochs in one go, for which it is made ready: the identity of the device whose whole room that may
    /// take. See [`advance_epochs`](Engine::advance_epochs).
    fn prepare_epochs(&mut self) -> Result<Option<String>> {
        Ok(None)
    }
    /// Does so many epochs of `every` iterations of one run, at whose ends its best individual sets out and another one is
    /// offered to the worst, as [`depart`](State::depart) and [`immigrate`](State::immigrate) have it. Whether it does: only
    /// where that is faster than one after the other.
    fn advance_epochs(&mut self, _every: u64, _epochs: u64, _: Ferry<'_, R>) -> Result<bool> {
        Ok(false)
    }
    /// Meets the other ranks that have particles of these runs too, before anything is done; whether devices exchange by
    /// themselves what they have found.
    fn meet(&mut self, _: &dyn Communicator, _: Exchange) -> Result<bool> {
        Ok(false)
    }
    /// As [`advance`](Engine::advance), where those do the same.
    fn advance_with(&mut self, _: &dyn Communicator, iterations: u64) -> Result<()> {
        self.advance(iterations)
    }
}

/// How placing the first individuals went.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placing {
    /// How long it took; nothing where a device did it.
    pub(crate) seconds: f64,
    /// The evaluations of each run where it was given up, so that there is no state to go on from.
    pub(crate) given_up: Option<Vec<u64>>,
}

/// A state that advances with what others tell it: at first it asks for its first individuals.
pub(crate) trait Asks<R: Float>: State<R> {
    /// The points to be evaluated next, the same until they have been told of; none where all runs have stopped.
    /// There may be none in an iteration.
    fn ask(&mut self) -> Result<Option<&Asked<R>>>;
    /// Whether the individuals have a fitness.
    fn is_placed(&self) -> bool;
    /// Takes the fitness of the points last asked for, and goes on; until then nothing has changed.
    fn tell(&mut self, told: &[Fitness<R>]) -> Result<()>;
    /// As [`ask`](Asks::ask), on the device on which the individuals move, and as the points are meant.
    fn ask_on_device(&mut self) -> Result<Option<DevicePoints>> {
        let what = "an objective that evaluates on a GPU".into();
        Err(Error::Unsupported { what, backend: self.backend().name(), allowed: "gpu" })
    }
    /// As [`tell`](Asks::tell), of points that were asked for on the device; values have their own signs.
    fn tell_on_device(&mut self, values: &DeviceValues) -> Result<()> {
        Err(Error::Told { expected: 0, found: values.count })
    }
}

/// All runs, and who evaluates.
pub(crate) enum Driver<R: Float> {
    /// What moves them.
    Engine(Box<dyn Engine<R>>),
    /// The host.
    Host(Box<dyn Asks<R>>, Evaluation<R>),
    /// Whoever calls.
    Caller(Box<dyn Asks<R>>),
}

impl<R: Float> Driver<R> {
    pub(crate) fn state(&self) -> &dyn State<R> {
        match self {
            Driver::Engine(engine) => &**engine,
            Driver::Host(asks, _) | Driver::Caller(asks) => &**asks,
        }
    }

    pub(crate) fn state_mut(&mut self) -> &mut dyn State<R> {
        match self {
            Driver::Engine(engine) => &mut **engine,
            Driver::Host(asks, _) | Driver::Caller(asks) => &mut **asks,
        }
    }

    /// Whether the individuals have a fitness.
    pub(crate) fn is_placed(&self) -> bool {
        match self {
            Driver::Engine(_) => true,
            Driver::Host(asks, _) | Driver::Caller(asks) => asks.is_placed(),
        }
    }

    /// Whether runs that were to go on are nowhere after this error: what an objective of the host says comes between
    /// iterations.
    pub(crate) fn is_lost_by(&self, error: &Error) -> bool {
        let said = matches!(error, Error::Objective { .. } | Error::Told { .. });
        !(said && matches!(self, Driver::Host(..)))
    }

    /// See [`Engine::placing`].
    pub(crate) fn placing(&self) -> Placing {
        match self {
            Driver::Engine(engine) => engine.placing(),
            Driver::Host(_, evaluation) => evaluation.placing().clone(),
            Driver::Caller(_) => Placing::default(),
        }
    }

    /// See [`Engine::prepare_epochs`].
    pub(crate) fn prepare_epochs(&mut self) -> Result<Option<String>> {
        match self {
            Driver::Engine(engine) => engine.prepare_epochs(),
            _ => Ok(None),
        }
    }

    /// See [`Engine::advance_epochs`].
    pub(crate) fn advance_epochs(
        &mut self,
        every: u64,
        epochs: u64,
        exchange: Ferry<'_, R>,
    ) -> Result<bool> {
        match self {
            Driver::Engine(engine) => engine.advance_epochs(every, epochs, exchange),
            _ => Ok(false),
        }
    }

    /// Meets other ranks: see [`Engine::meet`].
    pub(crate) fn meet(&mut self, others: &dyn Communicator, exchange: Exchange) -> Result<bool> {
        match self {
            Driver::Engine(engine) => engine.meet(others, exchange),
            _ => Ok(false),
        }
    }

    /// Does so many iterations of every run that has not stopped by itself, fewer where that time comes before, with other
    /// ranks where there are any; where the caller evaluates, none.
    pub(crate) fn advance(
        &mut self,
        iterations: u64,
        others: Option<&dyn Communicator>,
        until: &Until,
    ) -> Result<()> {
        match self {
            Driver::Engine(engine) => match others {
                // All do the same, and none knows when it is time for another.
                Some(others) => engine.advance_with(others, iterations),
                None => engine.advance_until(iterations, until),
            },
            Driver::Host(asks, evaluation) => evaluation.advance(&mut **asks, iterations, until),
            Driver::Caller(_) => Ok(()),
        }
    }
}

/// Makes the driver that the settings ask for, its individuals placed, unless the caller evaluates.
fn start_here<R: Float>(
    by: Evaluator<R>,
    bounds: &Bounds,
    wanted: Wanted<R>,
    settings: &Settings,
) -> Result<(Job<R>, Driver<R>)> {
    let job = Job::new(bounds, wanted.procedure.clone(), settings)?;
    if let Evaluator::Portable(Portable { target, data, .. }) = &by {
        data.check_runs(settings.runs)?;
        target.as_ref().map_or(Ok(()), |target| target.check_dimensions(bounds.dimensions()))?;
    }
    let driver = choose::choose(job.clone(), &wanted, settings, by)?;
    Ok((job, driver))
}

/// What is to be laid over a device, of points whose coordinates lanes show each other or not.
fn demand<R: Float>(
    job: &Job<R>,
    gathers: bool,
    settings: &Settings,
    machine: &impl machine::Machine,
) -> Demand {
    Demand {
        individuals: job.individuals,
        runs: job.runs,
        dimensions: job.dimensions(),
        gathers,
        clamps: false,
        multiprocessors: machine.multiprocessors(),
        schedule: settings.schedule,
        block: settings.block_size,
    }
}
