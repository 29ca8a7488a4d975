//! The CPU as an engine that asks for fitnesses. An algorithm that proposes all points of an iteration before it
//! evaluates any does so, and continues when it is told their fitness. For other algorithms, an iteration is executed
//! once to find which points it evaluates, and again with their fitness. So every algorithm can ask, whatever its loops
//! are.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_cpu_ref::threads::POOL_PLACES;
use warpswarm_cpu_ref::{ProposeAccept, Swarm, Threads, population_reduction};

use super::super::plan::Plan;
use super::super::{Asks, Job, Procedure, State};
use super::workers::{Workers, check_memory};
use super::{advance, evaluations, place};
use crate::error::{Error, Result};
use crate::objective::evaluator::Asked;
use crate::settings::choices::Backend;

/// The number of tasks from which a run is divided among threads: waking threads takes as long as a few tasks.
const ENOUGH_TASKS: usize = 8;

/// All runs on the CPU, evaluated elsewhere.
pub(in crate::engine) struct Replay<R> {
    job: Job<R>,
    workers: Workers,
    runs: Vec<Run<R>>,
    /// The current question, or the memory for one.
    asked: Asked<R>,
    is_asked: bool,
}

/// One run.
struct Run<R> {
    swarm: Swarm<R>,
    /// Whether the fitness of its individuals has been told.
    placed: bool,
    /// The fitnesses told so far in the current iteration, in the order of its evaluations.
    told: Vec<Fitness<R>>,
    /// The run one iteration later, or the memory for it.
    next: Swarm<R>,
    /// The points that are still needed for that, `[point][coordinate]`.
    lacking: Vec<R>,
    /// For algorithms that propose all points of an iteration before they evaluate any.
    propose_accept: Option<Box<dyn ProposeAccept<R>>>,
}

impl<R: Float> Run<R> {
    fn new(job: &Job<R>, swarm: Swarm<R>, placed: bool) -> Self {
        let next = Swarm::unplaced(swarm.dimensions, 0, swarm.id);
        let propose_accept = if job.restarts { None } else { job.procedure.propose_accept() };
        Run { swarm, placed, told: Vec::new(), next, lacking: Vec::new(), propose_accept }
    }

    /// Finds the points that are needed for the next iteration, or for the placement.
    fn look(&mut self, job: &Job<R>, threads: Threads) {
        let Run {
            swarm, placed: true, next, lacking, propose_accept: Some(propose_accept), ..
        } = self
        else {
            return self.go_through(job);
        };
        let reduction = job.procedure.reduction();
        let individuals =
            reduction.map(|reduction| reduction.individuals(swarm.control.iterations + 1));
        let swarm = match (reduction, individuals) {
            (Some(reduction), Some(fewer)) if (fewer as usize) < swarm.individuals() => {
                next.clone_from(swarm);
                population_reduction::reduce_if_due(next, reduction);
                next
            }
            _ => swarm,
        };
        propose_accept.propose(swarm, job.bounds_of(job.place_of(swarm)), threads, lacking);
    }

    /// Completes the iteration, if no points are needed any more.
    fn go_on(&mut self, job: &Job<R>, threads: Threads) {
        if let Run { swarm, placed: true, told, propose_accept: Some(propose_accept), .. } = self {
            if let Some(reduction) = job.procedure.reduction() {
                population_reduction::reduce_if_due(swarm, reduction);
            }
            let level = swarm.control.level();
            told.iter_mut().for_each(|told| *told = told.within(level));
            propose_accept.accept(swarm, &job.stop_of(job.place_of(swarm)), told, threads);
        } else {
            self.go_through(job);
            if !self.lacking.is_empty() {
                return;
            }
            std::mem::swap(&mut self.swarm, &mut self.next);
        }
        self.placed = true;
        self.told.clear();
    }

    /// Executes the next iteration of `next`, or places its individuals, with the fitnesses told so far; collects the
    /// points that are still needed.
    fn go_through(&mut self, job: &Job<R>) {
        let Run { swarm, placed, told, next, lacking, .. } = self;
        lacking.clear();
        let (level, run) = (swarm.control.level(), job.place_of(swarm));
        let points = Mutex::new((0, &mut *lacking));
        let evaluate = |x: &[R]| {
            let mut points = points.lock().unwrap_or_else(PoisonError::into_inner);
            let (number, points) = &mut *points;
            *number += 1;
            let fitness = told.get(*number - 1).copied().unwrap_or_else(|| {
                points.extend_from_slice(x);
                Fitness::WORST
            });
            fitness.within(level)
        };
        let work = job.work(run, &evaluate);
        match *placed {
            true => {
                next.clone_from(swarm);
                advance::<R, true>(next, job, &work, 1, Threads::Serial);
            }
            false => *next = place(job, run, &work, Threads::Serial),
        }
        // The next evaluations of the asynchronous algorithm depend on the first missing point.
        if *placed && matches!(job.procedure, Procedure::Spso(_)) {
            lacking.truncate(job.dimensions);
        }
    }
}

impl<R: Float> Replay<R> {
    /// All runs, before their individuals are placed.
    pub(in crate::engine) fn new(job: Job<R>, threads: Option<usize>) -> Result<Self> {
        check_memory(job.bytes()?.saturating_mul(2))?;
        let workers = Workers::new(threads)?;
        let run = |run| {
            let (n, dimensions) = (job.individuals, job.dimensions);
            Run::new(&job, Swarm::unplaced(dimensions, n, job.run_id(run)), false)
        };
        let runs = (0..job.runs).map(run).collect();
        Ok(Replay { runs, job, workers, asked: Asked::default(), is_asked: false })
    }

    /// Does `work` for each running run.
    fn each(&mut self, work: impl Fn(&mut Run<R>, &Job<R>, Threads) + Sync) {
        let Replay { job, workers, runs, .. } = self;
        let work = |run: &mut Run<R>, threads| {
            if !run.swarm.has_stopped() {
                work(run, job, threads);
            }
        };
        let places = job.individuals as usize * job.stride() as usize;
        let is_large = places > ENOUGH_TASKS * POOL_PLACES;
        match (&workers.pool, runs.as_mut_slice()) {
            (Some(pool), [run]) if is_large => pool.install(|| work(run, Threads::Pool)),
            (None, runs) | (_, runs @ [_]) => {
                runs.iter_mut().for_each(|run| work(run, Threads::Serial));
            }
            (Some(pool), runs) => {
                let work = |run| work(run, Threads::Serial);
                pool.install(|| runs.par_iter_mut().for_each(work));
            }
        }
    }
}

impl<R: Float> Asks<R> for Replay<R> {
    fn ask(&mut self) -> Result<Option<&Asked<R>>> {
        if self.runs.iter().all(|run| run.swarm.has_stopped()) {
            return Ok(None);
        }
        if !self.is_asked {
            self.each(Run::look);
            let Asked { points, runs } = &mut self.asked;
            points.clear();
            runs.clear();
            let only = self.runs.len() == 1;
            for (place, run) in self.runs.iter_mut().enumerate() {
                if run.swarm.has_stopped() {
                    continue;
                }
                let count = run.lacking.len() / self.job.dimensions;
                runs.extend(std::iter::repeat_n(place as u32, count));
                if only {
                    std::mem::swap(points, &mut run.lacking);
                } else {
                    points.extend_from_slice(&run.lacking);
                }
            }
            self.is_asked = true;
        }
        Ok(Some(&self.asked))
    }

    fn is_placed(&self) -> bool {
        self.runs.iter().all(|run| run.placed)
    }

    fn tell(&mut self, told: &[Fitness<R>]) -> Result<()> {
        let expected = if self.is_asked { self.asked.runs.len() } else { 0 };
        if !self.is_asked || told.len() != expected {
            return Err(Error::Told { expected, found: told.len() });
        }
        self.is_asked = false;
        for (&place, fitness) in self.asked.runs.iter().zip(told) {
            self.runs[place as usize].told.push(*fitness);
        }
        self.each(Run::go_on);
        Ok(())
    }
}

impl<R: Float> State<R> for Replay<R> {
    fn controls(&mut self) -> Result<Vec<Control>> {
        Ok(self.runs.iter().map(|run| run.swarm.control).collect())
    }

    fn evaluations(&mut self) -> Result<Option<Vec<u64>>> {
        Ok(evaluations(&self.job, self.runs.iter().map(|run| &run.swarm)))
    }

    fn restarts(&mut self) -> Result<Vec<u64>> {
        Ok(self.runs.iter().map(|run| run.swarm.restarts()).collect())
    }

    fn bests(&mut self) -> Result<Vec<Candidate<R>>> {
        Ok(self.runs.iter().map(|run| run.swarm.found().0).collect())
    }

    fn best_positions(&mut self) -> Result<Vec<Vec<R>>> {
        Ok(self.runs.iter().map(|run| run.swarm.found().1.to_vec()).collect())
    }

    fn snapshot(&mut self) -> Result<Vec<Swarm<R>>> {
        if !self.is_placed() {
            return Err(Error::NotPlaced);
        }
        check_memory(self.job.bytes()?)?;
        Ok(self.runs.iter().map(|run| run.swarm.clone()).collect())
    }

    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()> {
        let run = |swarm: &Swarm<R>| {
            let control = self.job.going_on(swarm);
            Run::new(&self.job, Swarm { control, ..swarm.clone() }, true)
        };
        self.runs = swarms.iter().map(run).collect();
        self.is_asked = false;
        Ok(())
    }

    fn backend(&self) -> Backend {
        Backend::Cpu
    }

    fn device(&self) -> String {
        self.workers.name()
    }

    fn plan(&self) -> Option<Plan> {
        None
    }
}
