//! Carries out runs: one [`Engine`] for each backend, or one that [`Asks`], all with the same results.

use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::migration::{self as migrating, Departure, Migrants, Migration};
use warpswarm_cpu_ref::swarm::first_level;

use cpu::hosted::Evaluation;
pub(crate) use cpu::hosted::caught;
pub(crate) use deadline::Deadline;
pub(crate) use device::epochs::MigrantExchange;
pub(crate) use device::gradients::PointsOfRuns;
pub(crate) use device::polish::Searches;
pub(crate) use job::Job;
pub(crate) use once::start;
pub(crate) use procedure::{Named, Procedure, Wanted};

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
pub(crate) mod cpu;
mod deadline;
pub(crate) mod device;
mod job;
mod once;
pub(crate) mod plan;
pub(crate) mod planner;
mod procedure;
mod searches;
mod selected_devices;

/// The state of all runs of an optimiser.
pub(crate) trait State<R: Float>: Send {
    /// The controls of all runs.
    fn controls(&mut self) -> Result<Vec<Control>>;
    /// The controls of enough runs to know how far all are and whether any is running: one, for a batch of a million
    /// runs that cannot stop on their own.
    fn landmarks(&mut self) -> Result<Vec<Control>> {
        self.controls()
    }
    /// The evaluations of each run; `None` if an iteration evaluates every individual once.
    fn evaluations(&mut self) -> Result<Option<Vec<u64>>> {
        Ok(None)
    }
    /// The number of restarts of each run; empty if there are no restarts.
    fn restarts(&mut self) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }
    /// The best of each run.
    fn bests(&mut self) -> Result<Vec<Candidate<R>>>;
    /// The position of each run's best, `[run][coordinate]`.
    fn best_positions(&mut self) -> Result<Vec<Vec<R>>>;
    /// The whole state.
    fn snapshot(&mut self) -> Result<Vec<Swarm<R>>>;
    /// Replaces the state by one of the same shape, which [`Job::check_state`] has checked.
    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()>;
    /// The level at which the relaxation of constraints starts, for each run, whose individuals have just been placed:
    /// see [`first_level`].
    fn first_levels(&mut self) -> Result<Vec<R>> {
        Ok(self.snapshot()?.iter().map(|swarm| first_level(&swarm.best)).collect())
    }
    /// Sets the levels of all running runs, `[run]`: see [`Job::set_levels`].
    fn set_levels(&mut self, job: &Job<R>, levels: &[R]) -> Result<()> {
        let mut swarms = self.snapshot()?;
        job.set_levels(&mut swarms, levels);
        self.restore(&swarms)
    }
    /// The individuals that leave each run, and the individuals that immigrants may replace, for this number of
    /// immigrants, `[run]`. Neither number exceeds that of its individuals.
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
    /// The backend.
    fn backend(&self) -> Backend;
    /// A description of the device.
    fn device(&self) -> String;
    /// The plan of the runs on the device.
    fn plan(&self) -> Option<Plan>;
}

/// The departures of runs from their whole states.
fn departures<R: Float>(
    swarms: &[Swarm<R>],
    migration: &Migration,
    immigrants: &[usize],
) -> Vec<Departure<R>> {
    let of_runs = swarms.iter().zip(immigrants);
    of_runs.map(|(swarm, &count)| migrating::departure(swarm, migration, count)).collect()
}

/// A state that advances without the caller's help.
pub(crate) trait Engine<R: Float>: State<R> {
    /// Does this many iterations of every run that has not stopped on its own.
    fn advance(&mut self, iterations: u64) -> Result<()>;
    /// As [`advance`](Engine::advance), but only until the given time, if an iteration takes so long that it matters.
    /// An abandoned iteration has no effect.
    fn advance_until(&mut self, iterations: u64, _: &Deadline) -> Result<()> {
        self.advance(iterations)
    }
    /// How the first individuals were placed, if known.
    fn placing(&self) -> Placing {
        Placing::default()
    }
    /// Prepares for [`advance_epochs`](Engine::advance_epochs), if it is supported. Returns the identity of the device,
    /// which a launch may use completely.
    fn prepare_epochs(&mut self) -> Result<Option<String>> {
        Ok(None)
    }
    /// Does `epochs` epochs of `every` iterations of one run. In each epoch its best individual leaves and another one
    /// is offered to the worst, as by [`depart`](State::depart) and [`immigrate`](State::immigrate). Returns whether it
    /// was done: only if this is faster than separate calls.
    fn advance_epochs(
        &mut self,
        _every: u64,
        _epochs: u64,
        _: MigrantExchange<'_, R>,
    ) -> Result<bool> {
        Ok(false)
    }
    /// Connects to the other ranks that share the particles of these runs, before anything else is done. Returns
    /// whether devices exchange their results directly.
    fn meet(&mut self, _: &dyn Communicator, _: Exchange) -> Result<bool> {
        Ok(false)
    }
    /// As [`advance`](Engine::advance), while the other ranks do the same.
    fn advance_with(&mut self, _: &dyn Communicator, iterations: u64) -> Result<()> {
        self.advance(iterations)
    }
}

/// How the first individuals were placed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placing {
    /// The time it took in seconds; 0 if a device did it.
    pub(crate) seconds: f64,
    /// The evaluations of each run if the placement was abandoned, so that there is no state to continue from.
    pub(crate) given_up: Option<Vec<u64>>,
}

/// A state that advances with fitnesses from the caller: the first question contains its first individuals.
pub(crate) trait Asks<R: Float>: State<R> {
    /// The next points to evaluate; the same points until their fitness is told. `None` if all runs have stopped. An
    /// iteration may have no points.
    fn ask(&mut self) -> Result<Option<&Asked<R>>>;
    /// Whether the individuals have a fitness.
    fn is_placed(&self) -> bool;
    /// Takes the fitness of the last requested points, and continues; until then nothing has changed.
    fn tell(&mut self, told: &[Fitness<R>]) -> Result<()>;
    /// As [`ask`](Asks::ask), on the device on which the individuals move, and in the users' units.
    fn ask_on_device(&mut self) -> Result<Option<DevicePoints>> {
        let what = "an objective that evaluates on a GPU".into();
        Err(Error::Unsupported { what, backend: self.backend().name(), allowed: "gpu" })
    }
    /// As [`tell`](Asks::tell), for points that were requested on the device; values have the users' sign.
    fn tell_on_device(&mut self, values: &DeviceValues) -> Result<()> {
        Err(Error::Told { expected: 0, found: values.count })
    }
}

/// All runs, and what evaluates them.
pub(crate) enum Driver<R: Float> {
    /// The engine that moves them.
    Engine(Box<dyn Engine<R>>),
    /// The host.
    Host(Box<dyn Asks<R>>, Evaluation<R>),
    /// The caller.
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

    /// Whether running runs are in an undefined state after this error: errors of an objective on the host occur
    /// between iterations.
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
        exchange: MigrantExchange<'_, R>,
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

    /// Does this many iterations of every run that has not stopped on its own, or fewer if the time is over before;
    /// with other ranks, if there are any. Does nothing if the caller evaluates.
    pub(crate) fn advance(
        &mut self,
        iterations: u64,
        others: Option<&dyn Communicator>,
        deadline: &Deadline,
    ) -> Result<()> {
        match self {
            Driver::Engine(engine) => match others {
                // All ranks do the same number of iterations, and none knows when the time of another is over.
                Some(others) => engine.advance_with(others, iterations),
                None => engine.advance_until(iterations, deadline),
            },
            Driver::Host(asks, evaluation) => evaluation.advance(&mut **asks, iterations, deadline),
            Driver::Caller(_) => Ok(()),
        }
    }
}

/// Creates the driver for the settings and places its individuals, unless the caller evaluates.
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

/// The planner's input; `gathers` says whether lanes exchange coordinates.
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
