//! The CPU as one that asks: an iteration is gone through to see which points it evaluates, and again with what
//! was told of them. So every algorithm can ask, whatever its loops are.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use warpswarm_core::Real;
use warpswarm_core::launch::Control;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_cpu_ref::{Swarm, Threads};

use super::cpu::{advance, evaluations, place};
use super::workers::{Workers, check_memory};
use super::{Asked, Asks, Job, Procedure, State};
use crate::choices::Backend;
use crate::error::{Error, Result};
use crate::report::Plan;

/// All runs on the CPU, evaluated by others.
pub(super) struct Replay<R> {
    job: Job<R>,
    workers: Workers,
    runs: Vec<Run<R>>,
    asked: Option<Asked<R>>,
}

/// One run.
struct Run<R> {
    swarm: Swarm<R>,
    /// Whether its individuals have been told of.
    placed: bool,
    /// What was told so far of the iteration that is under way, in the order of its evaluations.
    told: Vec<Fitness<R>>,
}

/// A run one iteration further, and the points that it lacks for that, `[point][coordinate]`.
type Next<R> = (Swarm<R>, Vec<R>);

impl<R: Real> Run<R> {
    /// Goes through an iteration, or through the placing, with what is known.
    fn next(&self, job: &Job<R>) -> Next<R> {
        let lacking = Mutex::new((0, Vec::new()));
        let level = self.swarm.control.level();
        let evaluate = |x: &[R]| {
            let mut lacking = lacking.lock().unwrap_or_else(PoisonError::into_inner);
            let (number, points) = &mut *lacking;
            *number += 1;
            let known = self.told.get(*number - 1);
            let fitness = known.copied().unwrap_or_else(|| {
                points.extend_from_slice(x);
                Fitness::WORST
            });
            fitness.within(level)
        };
        let run = job.place_of(&self.swarm);
        let work = job.work(run, &evaluate);
        let swarm = if self.placed {
            let mut swarm = self.swarm.clone();
            advance::<R, true>(&mut swarm, job, &work, 1, Threads::Serial);
            swarm
        } else {
            place(job, run, &work, Threads::Serial)
        };
        let (_, mut points) = lacking.into_inner().unwrap_or_else(PoisonError::into_inner);
        // What the asynchronous algorithm would evaluate next depends on the first point it lacks.
        if self.placed && matches!(job.procedure, Procedure::Spso(_)) {
            points.truncate(job.dimensions);
        }
        (swarm, points)
    }
}

impl<R: Real> Replay<R> {
    /// All runs before their individuals are placed.
    pub(super) fn new(job: Job<R>, threads: Option<usize>) -> Result<Self> {
        check_memory(job.bytes()?.saturating_mul(2))?;
        let workers = Workers::new(threads)?;
        let run = |run| {
            let (n, dimensions) = (job.individuals, job.dimensions);
            let swarm = Swarm::unplaced(dimensions, n, job.run_id(run));
            Run { swarm, placed: false, told: Vec::new() }
        };
        let runs = (0..job.runs).map(run).collect();
        Ok(Replay { runs, job, workers, asked: None })
    }

    /// What comes next in each run that goes on, with its place in the batch.
    fn next(&self) -> Vec<(usize, Next<R>)> {
        let going = |(_, run): &(usize, &Run<R>)| !run.swarm.has_stopped();
        let next = |(place, run): (usize, &Run<R>)| (place, run.next(&self.job));
        match &self.workers.pool {
            Some(pool) if self.runs.len() > 1 => {
                pool.install(|| self.runs.par_iter().enumerate().filter(going).map(next).collect())
            }
            _ => self.runs.iter().enumerate().filter(going).map(next).collect(),
        }
    }
}

impl<R: Real> Asks<R> for Replay<R> {
    fn ask(&mut self) -> Result<Option<&Asked<R>>> {
        if self.runs.iter().all(|run| run.swarm.has_stopped()) {
            return Ok(None);
        }
        if self.asked.is_none() {
            let mut asked = Asked { points: Vec::new(), runs: Vec::new() };
            for (place, (_, points)) in self.next() {
                let count = points.len() / self.job.dimensions;
                asked.runs.extend(std::iter::repeat_n(place as u32, count));
                asked.points.extend(points);
            }
            self.asked = Some(asked);
        }
        Ok(self.asked.as_ref())
    }

    fn is_placed(&self) -> bool {
        self.runs.iter().all(|run| run.placed)
    }

    fn tell(&mut self, told: &[Fitness<R>]) -> Result<()> {
        let asked = self.asked.take().unwrap_or_default();
        for (&place, fitness) in asked.runs.iter().zip(told) {
            self.runs[place as usize].told.push(*fitness);
        }
        for (place, (swarm, lacking)) in self.next() {
            if lacking.is_empty() {
                self.runs[place] = Run { swarm, placed: true, told: Vec::new() };
            }
        }
        Ok(())
    }
}

impl<R: Real> State<R> for Replay<R> {
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
            Run { swarm: Swarm { control, ..swarm.clone() }, placed: true, told: Vec::new() }
        };
        self.runs = swarms.iter().map(run).collect();
        self.asked = None;
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
