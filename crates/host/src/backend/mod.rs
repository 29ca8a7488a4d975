//! Where runs are carried out: one [`Engine`] per place, all with the same numbers.

use warpswarm_core::Objective;
use warpswarm_core::Real;
use warpswarm_core::launch::{Control, StopRule, row_stride, stopped};
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_cpu_ref::{self as cpu_ref, RunId, Swarm};

use cpu::{Cpu, HostObjective};
use device::{Device, Target};
use generation::Generations;
pub(crate) use procedure::{Named, Procedure, Wanted};

use crate::bounds::Bounds;
use crate::choices::{Backend, Schedule};
use crate::error::{Error, Result};
use crate::planner::Demand;
use crate::problems::built_in;
use crate::report::Plan;
use crate::settings::{MAX_ITERATIONS, Settings};

pub(crate) mod cpu;
mod device;
mod encode;
mod generation;
pub(crate) mod machine;
mod memory;
mod procedure;

/// The state of all runs of an optimiser, and the means to advance it.
pub(crate) trait Engine<R: Real>: Send {
    /// Does so many iterations of every run that has not stopped by itself.
    fn advance(&mut self, iterations: u64) -> Result<()>;
    /// Where the runs are.
    fn controls(&mut self) -> Result<Vec<Control>>;
    /// The evaluations of each run; none where an iteration evaluates every individual once.
    fn evaluations(&mut self) -> Result<Option<Vec<u64>>> {
        Ok(None)
    }
    /// The best of each run.
    fn bests(&mut self) -> Result<Vec<Candidate<R>>>;
    /// The position of each run's best, `[run][coordinate]`.
    fn best_positions(&mut self) -> Result<Vec<Vec<R>>>;
    /// The whole state.
    fn snapshot(&mut self) -> Result<Vec<Swarm<R>>>;
    /// Takes over a state of the same shape, which [`Job::check_state`] has seen.
    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()>;
    /// Which backend this is.
    fn backend(&self) -> Backend;
    /// The device in words.
    fn device(&self) -> String;
    /// How the runs are laid over the device.
    fn plan(&self) -> Option<Plan>;
}

/// What is to be done, checked and in the run's number type: the same for every backend.
#[derive(Clone, Debug)]
pub(crate) struct Job<R> {
    pub(crate) lower: Vec<R>,
    pub(crate) upper: Vec<R>,
    pub(crate) procedure: Procedure<R>,
    pub(crate) stop: StopRule<R>,
    /// The most evaluations of a run whose iterations differ in them.
    pub(crate) evaluations: u64,
    pub(crate) individuals: u32,
    pub(crate) runs: u32,
    pub(crate) first_run: u64,
    pub(crate) seed: u64,
}

impl<R: Real> Job<R> {
    fn new(bounds: &Bounds, procedure: Procedure<R>, settings: &Settings) -> Result<Self> {
        let (lower, upper) = bounds.rounded()?;
        let job = Job {
            lower,
            upper,
            procedure,
            stop: settings.stop.rule(),
            evaluations: settings.stop.evaluations.unwrap_or(u64::MAX),
            // The settings' check has seen that both fit.
            individuals: settings.individuals as u32,
            runs: settings.runs as u32,
            first_run: settings.first_run,
            seed: settings.seed,
        };
        job.bytes()?;
        Ok(job)
    }

    pub(crate) fn dimensions(&self) -> u32 {
        self.lower.len() as u32
    }

    /// Places in a row.
    pub(crate) fn stride(&self) -> u32 {
        row_stride(self.dimensions())
    }

    pub(crate) fn run_id(&self, run: u32) -> RunId {
        RunId { seed: self.seed, run: self.first_run + u64::from(run) }
    }

    /// The evaluations of a run until after an iteration, where they do not depend on the run.
    pub(crate) fn evaluations_until(&self, iterations: u64) -> Option<u64> {
        let after_the_first = self.procedure.evaluations(self.individuals, iterations)?;
        Some(after_the_first.saturating_add(u64::from(self.individuals)))
    }

    /// The bytes of the state of all runs.
    pub(crate) fn bytes(&self) -> Result<u64> {
        let [runs, individuals] = [self.runs, self.individuals].map(u64::from);
        let number = size_of::<R>() as u64;
        let row = u64::from(self.stride()) * number;
        let (own, numbers) = self.procedure.keeps();
        // What all may look at is there twice, in a method.
        let public =
            if matches!(self.procedure, Procedure::Pso(_) | Procedure::Spso(_)) { 1 } else { 2 };
        let rows = (public + own as u64) * row;
        let seen = size_of::<Fitness<R>>() as u64 + numbers as u64 * number;
        let individual = rows + public * seen;
        // Sparks lie in memory twice, the second time in their ranges.
        let candidates = match &self.procedure {
            Procedure::Fwa(fwa) => fwa.most_candidates(self.individuals),
            _ => 0,
        };
        let all = individuals
            .checked_mul(individual)
            .and_then(|run| run.checked_add(candidates.checked_mul(2 * row)?))
            .and_then(|run| run.checked_add(row + 64))
            .and_then(|run| run.checked_mul(runs))
            .filter(|&all| all <= isize::MAX as u64);
        all.ok_or(Error::TooLarge { runs, individuals, dimensions: u64::from(self.dimensions()) })
    }

    /// Whether a state is one of these runs.
    pub(crate) fn check_state(&self, swarms: &[Swarm<R>]) -> Result<()> {
        let check = |what, expected: u64, found: u64| {
            if expected == found {
                return Ok(());
            }
            let [expected, found] = [expected, found].map(|number| number.to_string());
            Err(Error::State { what, expected, found })
        };
        let at_most = |what, most: u64, found: u64| {
            if found <= most {
                return Ok(());
            }
            let expected = format!("at most {most}");
            Err(Error::State { what, expected, found: found.to_string() })
        };
        check("runs", u64::from(self.runs), swarms.len() as u64)?;
        let row = u64::from(self.stride());
        let rows = u64::from(self.individuals) * row;
        let (own, numbers) = self.procedure.keeps();
        for (run, swarm) in (0..).zip(swarms) {
            check("individuals", u64::from(self.individuals), swarm.best.len() as u64)?;
            check("dimensions", u64::from(self.dimensions()), swarm.dimensions as u64)?;
            check("stride", row, swarm.stride as u64)?;
            let own = |row: usize| if row < own { rows } else { 0 };
            check("positions", own(0), swarm.positions.len() as u64)?;
            check("velocities", own(1), swarm.velocities.len() as u64)?;
            check(
                "numbers",
                u64::from(self.individuals) * numbers as u64,
                swarm.numbers.len() as u64,
            )?;
            check("best positions", rows, swarm.best_positions.len() as u64)?;
            check("places of the global best", row, swarm.global_position.len() as u64)?;
            check("seed", self.seed, swarm.id.seed)?;
            check("run number", self.run_id(run).run, swarm.id.run)?;
            let Control { iterations, improved_at, .. } = swarm.control;
            at_most("iterations", MAX_ITERATIONS, iterations)?;
            let noticed = self.procedure.noticed(iterations);
            at_most("last improvement at iteration", noticed, improved_at)?;
            let last = u64::from(self.individuals) - 1;
            at_most("global best of individual", last, u64::from(swarm.global.index))?;
        }
        let going = swarms
            .iter()
            .map(|swarm| self.going_on(swarm))
            .filter(|control| control.stopped == stopped::NOT);
        let mut iterations = going.map(|control| control.iterations);
        let first = iterations.next().unwrap_or(0);
        iterations.try_for_each(|other| check("a run at iteration", first, other))
    }

    /// Where a run is as this job goes on from its state.
    pub(crate) fn going_on(&self, swarm: &Swarm<R>) -> Control {
        let control = self.settled(swarm.control, swarm.global.fitness);
        match &self.procedure {
            Procedure::Fwa(fwa)
                if control.stopped == stopped::NOT
                    && cpu_ref::fwa::would_exceed(swarm, fwa, self.evaluations) =>
            {
                Control { stopped: stopped::EVALUATIONS, ..control }
            }
            _ => control,
        }
    }

    /// The state as this job goes on from it: stopped, or not, by this job's stop rule.
    pub(crate) fn settled(&self, control: Control, best: Fitness<R>) -> Control {
        let Control { iterations, improved_at, .. } = control;
        let stopped = if self.procedure.noticed(iterations) == iterations {
            self.stop.check(best, iterations, improved_at)
        } else {
            stopped::NOT
        };
        Control { stopped, ticket: 0, ..control }
    }
}

/// Makes the engine that the settings ask for, its individuals placed.
pub(crate) fn start<R: Real, O: Objective<R>>(
    objective: &O,
    bounds: &Bounds,
    wanted: Wanted<R>,
    settings: &Settings,
) -> Result<(Job<R>, Box<dyn Engine<R>>)> {
    let job = Job::new(bounds, wanted.procedure.clone(), settings)?;
    let problem = built_in(objective);
    if let Some(problem) = &problem {
        problem.check_dimensions(bounds.dimensions())?;
    }
    let target =
        problem.map(|problem| Target { problem, constrained: O::CONSTRAINED, gathers: O::GATHERS });
    let objective = *objective;
    let evaluate = Box::new(move |x: &[R]| objective.evaluate(&SlicePoint(x)));
    let objective = HostObjective { evaluate, constrained: O::CONSTRAINED };
    let engine = choose(job.clone(), &wanted, settings, target, objective)?;
    Ok((job, engine))
}

fn choose<R: Real>(
    job: Job<R>,
    wanted: &Wanted<R>,
    settings: &Settings,
    target: Option<Target>,
    objective: HostObjective<R>,
) -> Result<Box<dyn Engine<R>>> {
    let backend = settings.backend;
    match backend {
        Backend::Cpu => {
            check_no_geometry(settings)?;
            Ok(Box::new(Cpu::new(job, objective, settings.threads)?))
        }
        Backend::Gpu => {
            check_algorithm(wanted, backend)?;
            let by = evaluator(target, objective, settings)?;
            on_device(backend, job, by, settings, machine::gpu::Gpu::open()?)
        }
        Backend::Emulator => {
            check_algorithm(wanted, backend)?;
            emulated(job, evaluator(target, objective, settings)?, settings)
        }
        Backend::Auto => {
            // Where the host evaluates, the way to the GPU and back usually costs more than it saves.
            let worth = target.is_some() || settings.schedule == Schedule::Hosted;
            let gpu = if worth && check_algorithm(wanted, Backend::Gpu).is_ok() {
                machine::gpu::Gpu::open().ok()
            } else {
                None
            };
            match gpu {
                Some(gpu) => {
                    let by = evaluator(target, objective, settings)?;
                    on_device(Backend::Gpu, job, by, settings, gpu)
                }
                None => Ok(Box::new(Cpu::new(job, objective, settings.threads)?)),
            }
        }
    }
}

/// Who evaluates what a device moves.
pub(crate) enum Evaluator<R> {
    /// The device.
    Device(Target),
    /// The host.
    Host(HostObjective<R>),
}

/// Who evaluates where a device moves the individuals: the host, where it has to or is to.
fn evaluator<R>(
    target: Option<Target>,
    objective: HostObjective<R>,
    settings: &Settings,
) -> Result<Evaluator<R>> {
    match (settings.schedule, target) {
        (Schedule::Hosted, _) | (Schedule::Auto, None) => Ok(Evaluator::Host(objective)),
        (_, Some(target)) => Ok(Evaluator::Device(target)),
        (schedule, None) => Err(Error::Schedule {
            schedule,
            reason: "the objective has no GPU kernels".into(),
            alternatives: "auto, hosted",
        }),
    }
}

/// What is to be laid over a device, of points whose coordinates lanes show each other or not.
fn demand<R: Real>(
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
        multiprocessors: machine.multiprocessors(),
        schedule: settings.schedule,
        block: settings.block_size,
    }
}

/// The engine of a device for what is to be done.
fn on_device<R: Real, M: machine::Machine + 'static>(
    backend: Backend,
    mut job: Job<R>,
    by: Evaluator<R>,
    settings: &Settings,
    machine: M,
) -> Result<Box<dyn Engine<R>>> {
    if matches!(by, Evaluator::Host(_)) {
        job.procedure = job.procedure.as_method();
    }
    Ok(match (job.procedure.clone(), by) {
        (Procedure::Pso(coefficients), Evaluator::Device(target)) => {
            Box::new(Device::new(backend, job, coefficients, target, settings, machine)?)
        }
        (Procedure::Method(named), by) => {
            Box::new(Generations::new(backend, job, named, by, settings, machine)?)
        }
        _ => unreachable!("`check_algorithm` has refused it"),
    })
}

#[cfg(feature = "emulator")]
fn emulated<R: Real>(
    job: Job<R>,
    by: Evaluator<R>,
    settings: &Settings,
) -> Result<Box<dyn Engine<R>>> {
    let machine = machine::emulator::Emulator::default();
    on_device(Backend::Emulator, job, by, settings, machine)
}

#[cfg(not(feature = "emulator"))]
fn emulated<R: Real>(_: Job<R>, _: Evaluator<R>, _: &Settings) -> Result<Box<dyn Engine<R>>> {
    Err(Error::NoEmulator)
}

/// A schedule or a block size means nothing to the CPU: whoever asks for both has made a mistake.
fn check_no_geometry(settings: &Settings) -> Result<()> {
    let what = match (settings.schedule, settings.block_size) {
        (Schedule::Auto, None) => return Ok(()),
        (Schedule::Auto, Some(block)) => format!("block size {block}"),
        (schedule, _) => format!("schedule {schedule}"),
    };
    Err(Error::Unsupported { what, backend: Backend::Cpu.name(), allowed: "gpu, emulator, auto" })
}

/// Whether an algorithm runs on a backend.
fn check_algorithm<R>(wanted: &Wanted<R>, backend: Backend) -> Result<()> {
    if wanted.backends.contains(&backend) {
        return Ok(());
    }
    let what = format!("algorithm {}", wanted.id);
    Err(Error::Unsupported { what, backend: backend.name(), allowed: "cpu, auto" })
}
