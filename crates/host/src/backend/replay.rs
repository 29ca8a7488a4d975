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
    /// What is asked, or the memory for that.
    asked: Asked<R>,
    is_asked: bool,
}

/// One run.
struct Run<R> {
    swarm: Swarm<R>,
    /// Whether its individuals have been told of.
    placed: bool,
    /// What was told so far of the iteration that is under way, in the order of its evaluations.
    told: Vec<Fitness<R>>,
    /// The run one iteration further, or the memory for that.
    next: Swarm<R>,
    /// The points that it lacks for that, `[point][coordinate]`.
    lacking: Vec<R>,
}

impl<R: Real> Run<R> {
    fn new(swarm: Swarm<R>, placed: bool) -> Self {
        let next = Swarm::unplaced(swarm.dimensions, 0, swarm.id);
        Run { swarm, placed, told: Vec::new(), next, lacking: Vec::new() }
    }

    /// Goes through an iteration, or through the placing, to see what it lacks.
    fn look(&mut self, job: &Job<R>) {
        let Run { swarm, placed, told, next, lacking } = self;
        lacking.clear();
        if *placed {
            next.clone_from(swarm);
        }
        go_through(job, (next, swarm), *placed, (told, lacking));
        // What the asynchronous algorithm would evaluate next depends on the first point it lacks.
        if *placed && matches!(job.procedure, Procedure::Spso(_)) {
            lacking.truncate(job.dimensions);
        }
    }

    /// Goes on, if nothing lacks any more.
    fn go_on(&mut self, job: &Job<R>) {
        // What is evaluated in an iteration of a method does not depend on what was found in it: it can be gone through in place.
        let is_known = matches!(job.procedure, Procedure::Method(_) | Procedure::Pso(_));
        if self.placed && is_known && !job.restarts {
            let Run { swarm, told, next, lacking, .. } = self;
            lacking.clear();
            go_through(job, (swarm, next), true, (told, lacking));
            debug_assert!(lacking.is_empty(), "all points of an iteration are known at once");
        } else {
            self.look(job);
            if !self.lacking.is_empty() {
                return;
            }
            std::mem::swap(&mut self.swarm, &mut self.next);
        }
        self.placed = true;
        self.told.clear();
    }
}

/// Takes a run an iteration further, or places its individuals, with what was told so far; notes the points that lack.
fn go_through<R: Real>(
    job: &Job<R>,
    (swarm, other): (&mut Swarm<R>, &Swarm<R>),
    placed: bool,
    (told, lacking): (&[Fitness<R>], &mut Vec<R>),
) {
    let before = if placed { &*swarm } else { other };
    let (level, run) = (before.control.level(), job.place_of(before));
    let lacking = Mutex::new((0, lacking));
    let evaluate = |x: &[R]| {
        let mut lacking = lacking.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, points) = &mut *lacking;
        *number += 1;
        let fitness = told.get(*number - 1).copied().unwrap_or_else(|| {
            points.extend_from_slice(x);
            Fitness::WORST
        });
        fitness.within(level)
    };
    let work = job.work(run, &evaluate);
    match placed {
        true => advance::<R, true>(swarm, job, &work, 1, Threads::Serial),
        false => *swarm = place(job, run, &work, Threads::Serial),
    }
}

impl<R: Real> Replay<R> {
    /// All runs before their individuals are placed.
    pub(super) fn new(job: Job<R>, threads: Option<usize>) -> Result<Self> {
        check_memory(job.bytes()?.saturating_mul(2))?;
        let workers = Workers::new(threads)?;
        let run = |run| {
            let (n, dimensions) = (job.individuals, job.dimensions);
            Run::new(Swarm::unplaced(dimensions, n, job.run_id(run)), false)
        };
        let runs = (0..job.runs).map(run).collect();
        Ok(Replay { runs, job, workers, asked: Asked::default(), is_asked: false })
    }

    /// Does something with each run that goes on.
    fn each(&mut self, work: impl Fn(&mut Run<R>, &Job<R>) + Sync) {
        let Replay { job, workers, runs, .. } = self;
        let work = |run: &mut Run<R>| {
            if !run.swarm.has_stopped() {
                work(run, job);
            }
        };
        match &workers.pool {
            Some(pool) if runs.len() > 1 => pool.install(|| runs.par_iter_mut().for_each(work)),
            _ => runs.iter_mut().for_each(work),
        }
    }
}

impl<R: Real> Asks<R> for Replay<R> {
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
            Run::new(Swarm { control, ..swarm.clone() }, true)
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
