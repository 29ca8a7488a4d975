//! The CPU engine: the loops of `cpu-ref` on several threads, with the same bits for any number of threads.

pub(super) mod hosted;
mod loops;
pub(super) mod replay;
pub(crate) mod workers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_cpu_ref::generation::Work;
use warpswarm_cpu_ref::migration::{Departure, Migrants, Migration};
use warpswarm_cpu_ref::{self as cpu_ref, Halt, RunId, Swarm, Threads};

use super::plan::Plan;
use super::{Deadline, Engine, Job, Placing, State, departures};
use crate::error::Result;
use crate::objective::evaluator::Portable;
use crate::settings::choices::Backend;
use crate::settings::{Settings, Stop};
use hosted::caught;
use workers::{Workers, check_memory};

pub(super) use loops::{advance, evaluations, place};

/// The shortest useful task for a thread, in seconds: starting one takes about a microsecond.
pub(crate) const TASK_SECONDS: f64 = 20e-6;

/// A shorter placement does not show how long an evaluation takes, because caches are cold at first.
const COLD_SECONDS: f64 = 4.0 * TASK_SECONDS;

/// From this number of runs per thread, each run stays on one thread.
const RUNS_PER_THREAD: usize = 4;

pub(crate) struct Cpu<R> {
    job: Job<R>,
    objective: Portable<R>,
    swarms: Vec<Swarm<R>>,
    workers: Workers,
    /// How one run is divided among the threads of the pool.
    spread: Threads,
    placing: Placing,
    /// Approximate seconds of an iteration of all runs; at first estimated from the placement.
    seconds: f64,
    /// Memory for a copy of the runs from before an iteration that may be abandoned.
    before: Vec<Swarm<R>>,
}

/// Iterations that take longer than this many seconds may be abandoned; shorter ones are completed.
const LONG_SECONDS: f64 = 0.02;
/// Abandoning requires a copy of the state. It may take at most this fraction of an iteration, except for the last
/// iteration before the time limit.
const COPY_PART: f64 = 0.05;
/// The bytes that are copied per second, and the additional cost of copying a run.
const COPY_RATE: f64 = 4e9;
const COPY_SECONDS: f64 = 2e-7;
/// Larger states are not copied: there may be memory for only one of them.
const COPY_BYTES: u64 = 1 << 30;
/// If an evaluation takes this many seconds, the clock is checked after each one; otherwise after each task.
const SLOW_SECONDS: f64 = 2e-6;

impl<R: Float> Cpu<R> {
    /// Places the individuals, or as many of them as the time allows.
    pub(crate) fn new(
        job: Job<R>,
        objective: Portable<R>,
        Settings { threads, stop, .. }: &Settings,
    ) -> Result<Self> {
        check_memory(job.bytes()?)?;
        let workers = Workers::new(*threads)?;
        let many = job.runs as usize >= RUNS_PER_THREAD * workers.threads;
        let spread = if workers.pool.is_none() || many { Threads::Serial } else { Threads::Pool };
        let (placing, seconds) = (Placing::default(), 0.0);
        let (swarms, before) = (Vec::new(), Vec::new());
        let mut cpu = Cpu { job, objective, swarms, workers, spread, placing, seconds, before };
        cpu.place(stop)?;
        Ok(cpu)
    }

    /// Places the individuals of all runs, and estimates from that how long an evaluation takes.
    fn place(&mut self, stop: &Stop) -> Result<()> {
        let (job, spread) = (&self.job, self.spread);
        let deadline = Deadline::of_placing(stop);
        // At least one individual is evaluated, so that there is a result.
        let begun = AtomicBool::new(false);
        let is_late = || begun.load(Ordering::Relaxed) && deadline.has_come();
        let place = |run| {
            // Measured here, when the thread is already awake.
            let start = Instant::now();
            let evaluate = |x: &[R]| (self.objective.evaluate)(run, x).within(R::ZERO);
            let in_time = |x: &[R]| {
                if is_late() {
                    return Fitness::WORST;
                }
                begun.store(true, Ordering::Relaxed);
                evaluate(x)
            };
            let work = match deadline.may_come() {
                true => Work { halt: Halt::when(&is_late), ..job.work(run, &in_time) },
                false => job.work(run, &evaluate),
            };
            (place(job, run, &work, spread), start.elapsed().as_secs_f64())
        };
        let start = Instant::now();
        let placed = caught(|| collect(self.workers.pool.as_ref(), job.runs, &place))?;
        self.placing.seconds = start.elapsed().as_secs_f64();
        let (swarms, seconds): (_, Vec<f64>) = placed.into_iter().unzip();
        self.swarms = swarms;
        if deadline.has_come() {
            let job = &self.job;
            self.placing.given_up =
                Some(self.swarms.iter_mut().map(|swarm| give_up(swarm, job)).collect());
            return Ok(());
        }
        self.seconds = self.placing.seconds * self.job.evaluations_of_an_iteration();
        let seconds: f64 = seconds.iter().sum();
        if self.spread == Threads::Pool && seconds > COLD_SECONDS {
            let evaluations = f64::from(job.individuals) * f64::from(job.runs);
            let seconds = seconds / evaluations;
            let enough = (TASK_SECONDS / seconds).ceil() as usize;
            let particles = of_a_task(job.individuals as usize, enough, self.workers.threads);
            if particles * job.stride() as usize <= cpu_ref::threads::POOL_PLACES {
                self.spread = Threads::Chunks(particles);
            }
        }
        Ok(())
    }
}

/// Makes a run whose individuals were not all placed presentable; returns its evaluations.
fn give_up<R: Float>(swarm: &mut Swarm<R>, job: &Job<R>) -> u64 {
    if swarm.global.index == Candidate::<R>::NONE.index {
        // Without a best, use a point within the bounds.
        let lower = job.bounds_of(job.place_of(swarm)).lower;
        swarm.global_position[..lower.len()].copy_from_slice(lower);
    }
    let count = |is: &dyn Fn(&Fitness<R>) -> bool| swarm.best.iter().filter(|at| is(at)).count();
    let (evaluations, not_finite) = (count(&|at| !at.is_worst()), count(&|at| !at.is_finite()));
    // Individuals that were not evaluated count too, as in an ask-and-tell run.
    swarm.control.not_finite = not_finite as u64;
    evaluations as u64
}

/// The number of particles in a task, if `enough` of them take long enough: fewer, if otherwise some threads would have
/// one task more than others.
fn of_a_task(all: usize, enough: usize, threads: usize) -> usize {
    let tasks = all.div_ceil(enough);
    if tasks > threads { all.div_ceil(tasks.next_multiple_of(threads)) } else { enough }
}

/// Creates all runs, in parallel if there is a pool.
fn collect<T: Send>(
    pool: Option<&rayon::ThreadPool>,
    runs: u32,
    make: &(dyn Fn(u32) -> T + Sync),
) -> Vec<T> {
    match pool {
        None => (0..runs).map(make).collect(),
        Some(pool) => pool.install(|| (0..runs).into_par_iter().map(make).collect()),
    }
}

/// Does `work` on all runs, in parallel if there is a pool.
fn for_each<R: Float>(
    pool: Option<&rayon::ThreadPool>,
    swarms: &mut [Swarm<R>],
    work: &(dyn Fn(&mut Swarm<R>) + Sync),
) {
    match pool {
        None => swarms.iter_mut().for_each(work),
        Some(pool) => pool.install(|| swarms.par_iter_mut().for_each(work)),
    }
}

impl<R: Float> Cpu<R> {
    /// Whether an iteration may take so long that it should be abandoned when the time is over.
    fn may_give_up(&self, deadline: &Deadline) -> Result<bool> {
        if !deadline.may_come() || self.seconds < LONG_SECONDS {
            return Ok(false);
        }
        let bytes = self.job.bytes()?;
        let copying = bytes as f64 / COPY_RATE + f64::from(self.job.runs) * COPY_SECONDS;
        let is_cheap = copying < COPY_PART * self.seconds;
        Ok(bytes <= COPY_BYTES && (is_cheap || deadline.is_within(2.0 * self.seconds)))
    }

    /// Does one iteration, or none if the time is over before its end.
    fn try_one(&mut self, deadline: &Deadline) -> Result<()> {
        self.before.resize_with(self.swarms.len(), || Swarm::unplaced(1, 1, RunId::default()));
        self.before.iter_mut().zip(&self.swarms).for_each(|(copy, swarm)| copy.clone_from(swarm));
        self.advance_all(1, deadline)?;
        if deadline.has_come() {
            std::mem::swap(&mut self.before, &mut self.swarms);
        }
        Ok(())
    }

    /// Does this many iterations of all runs; if the time is over before, their state is undefined.
    fn advance_all(&mut self, iterations: u64, deadline: &Deadline) -> Result<()> {
        let (spread, constrained) = (self.spread, self.objective.constrained);
        let mut swarms = std::mem::take(&mut self.swarms);
        let job = &self.job;
        let evaluations = f64::from(job.individuals) * f64::from(job.runs);
        let is_slow = self.seconds * self.workers.threads as f64 > SLOW_SECONDS * evaluations;
        let is_late = || deadline.has_come();
        let advance_one = |swarm: &mut Swarm<R>| {
            let run = job.place_of(swarm);
            let evaluate = |x: &[R]| (self.objective.evaluate)(run, x);
            let level = swarm.control.level();
            let judge = |x: &[R]| evaluate(x).within(level);
            let plain: &(dyn Fn(&[R]) -> Fitness<R> + Sync) =
                if constrained { &judge } else { &evaluate };
            let in_time = |x: &[R]| if is_late() { Fitness::WORST } else { plain(x) };
            let work = match deadline.may_come() {
                true if is_slow => Work { halt: Halt::when(&is_late), ..job.work(run, &in_time) },
                true => Work { halt: Halt::when(&is_late), ..job.work(run, plain) },
                false => job.work(run, plain),
            };
            if constrained {
                advance::<R, true>(swarm, job, &work, iterations, spread);
            } else {
                advance::<R, false>(swarm, job, &work, iterations, spread);
            }
        };
        // If the objective panics, the swarms are in the middle of an iteration.
        let done = caught(|| for_each(self.workers.pool.as_ref(), &mut swarms, &advance_one));
        self.swarms = swarms;
        done
    }
}

impl<R: Float> Engine<R> for Cpu<R> {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        self.advance_until(iterations, &Deadline::never())
    }

    fn advance_until(&mut self, iterations: u64, deadline: &Deadline) -> Result<()> {
        let start = Instant::now();
        if self.may_give_up(deadline)? {
            for _ in 0..iterations {
                self.try_one(deadline)?;
                if deadline.has_come() {
                    return Ok(());
                }
            }
        } else {
            self.advance_all(iterations, &Deadline::never())?;
        }
        // Iterations may differ in time.
        let seconds = start.elapsed().as_secs_f64() / iterations.max(1) as f64;
        self.seconds = seconds.max(0.5 * self.seconds);
        Ok(())
    }

    fn placing(&self) -> Placing {
        self.placing.clone()
    }
}

impl<R: Float> State<R> for Cpu<R> {
    fn controls(&mut self) -> Result<Vec<Control>> {
        Ok(self.swarms.iter().map(|swarm| swarm.control).collect())
    }

    fn evaluations(&mut self) -> Result<Option<Vec<u64>>> {
        Ok(evaluations(&self.job, self.swarms.iter()))
    }

    fn restarts(&mut self) -> Result<Vec<u64>> {
        Ok(self.swarms.iter().map(Swarm::restarts).collect())
    }

    fn bests(&mut self) -> Result<Vec<Candidate<R>>> {
        Ok(self.swarms.iter().map(|swarm| swarm.found().0).collect())
    }

    fn best_positions(&mut self) -> Result<Vec<Vec<R>>> {
        Ok(self.swarms.iter().map(|swarm| swarm.found().1.to_vec()).collect())
    }

    fn snapshot(&mut self) -> Result<Vec<Swarm<R>>> {
        check_memory(self.job.bytes()?)?;
        Ok(self.swarms.clone())
    }

    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()> {
        self.swarms.clone_from_slice(swarms);
        for swarm in &mut self.swarms {
            swarm.control = self.job.going_on(swarm);
        }
        Ok(())
    }

    fn set_levels(&mut self, job: &Job<R>, levels: &[R]) -> Result<()> {
        job.set_levels(&mut self.swarms, levels);
        Ok(())
    }

    fn depart(&mut self, migration: &Migration, immigrants: &[usize]) -> Result<Vec<Departure<R>>> {
        Ok(departures(&self.swarms, migration, immigrants))
    }

    fn immigrate(
        &mut self,
        job: &Job<R>,
        immigrants: &[Migrants<R>],
        places: &[Vec<u32>],
    ) -> Result<()> {
        job.immigrate(&mut self.swarms, immigrants, places);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use warpswarm_core::order::Fitness;

    use super::*;
    use crate::algorithms::Algorithm;
    use crate::engine::Wanted;
    use crate::objective::bounds::Bounds;
    use crate::objective::evaluator::Portable;
    use crate::settings::Settings;

    /// How a run of 64 individuals is divided among four threads, if an evaluation takes this additional time.
    fn spread(evaluation: Duration) -> Threads {
        let settings = Settings { individuals: 64, threads: Some(4), ..Settings::default() };
        let procedure = Wanted::new(&Algorithm::Pso(Default::default()), 64).unwrap().procedure;
        let bounds = Bounds::uniform(2, -1.0, 2.0).unwrap();
        let objective = Portable {
            evaluate: Arc::new(move |_, x: &[f32]| {
                if !evaluation.is_zero() {
                    std::thread::sleep(evaluation);
                }
                Fitness { violation: 0.0, value: x[0] }
            }),
            constrained: false,
            target: None,
            data: Arc::default(),
        };
        let job = Job::new(&bounds, procedure, &settings).unwrap();
        Cpu::new(job, objective, &settings).unwrap().spread
    }

    #[test]
    fn threads_have_equally_many_tasks() {
        assert_eq!(of_a_task(768, 300, 2), 192);
        assert_eq!(of_a_task(768, 384, 2), 384);
        assert_eq!(of_a_task(64, 1, 4), 1);
        // Too few for all threads.
        assert_eq!([of_a_task(64, 100, 4), of_a_task(64, 30, 4)], [100, 30]);
    }

    #[test]
    fn only_what_takes_long_is_cut_finely() {
        assert_eq!(spread(Duration::from_micros(50)), Threads::Chunks(1));
        // An interruption of the process may lead to another choice.
        assert!((0..20).any(|_| spread(Duration::ZERO) == Threads::Pool));
    }
}
