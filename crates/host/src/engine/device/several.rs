//! The runs of a batch on several devices.
//!
//! The runs are divided into parts. Each part is an engine with its own memory and queue on its device. To advance, the
//! parts wait in a queue on the host. One thread for each device takes that device's parts one after the other. When
//! none is left, it takes a part of another device, moves it to its own device, and keeps it. So devices of different
//! speed finish at about the same time, and devices of equal speed move nothing. The results of a run do not depend on
//! this.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::order::Candidate;
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::migration::{Departure, Migrants, Migration};

use crate::engine::plan::Plan;
use crate::engine::{Engine, Job, State};
use crate::error::{Error, Result};
use crate::settings::choices::Backend;

/// The number of individuals in a part for each multiprocessor of its device: enough to keep a device busy with two
/// parts at a time.
const OF_A_PART: u64 = 4 * 2048;
/// The largest number of parts of a device at the start.
const PARTS: u64 = 8;
/// The number of parts that a device has in its queues at the same time: while one ends, the next has started.
const AT_ONCE: usize = 2;
/// The seconds that a part must take to be moved to another device: it is copied through the host, and memory is
/// allocated for it.
const WORTH_MOVING: f64 = 0.01;

/// Creates the engine of some runs on a device, given by its index among the devices.
pub(in crate::engine) type Make<R> =
    Box<dyn Fn(Range<u32>, usize) -> Result<Box<dyn Engine<R>>> + Send + Sync>;

/// Runs on several devices.
pub(in crate::engine) struct Several<R: Float> {
    backend: Backend,
    names: Vec<String>,
    /// In the order of their runs; complete between calls.
    parts: Vec<Part<R>>,
    make: Make<R>,
    /// See [`WORTH_MOVING`].
    worth_moving: f64,
}

/// Consecutive runs.
struct Part<R: Float> {
    runs: Range<u32>,
    /// The index of its device.
    device: usize,
    engine: Box<dyn Engine<R>>,
    /// The seconds of its last advance.
    seconds: f64,
}

/// The properties of a device by which runs are divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Described {
    pub(in crate::engine) name: String,
    pub(in crate::engine) multiprocessors: u32,
}

impl<R: Float> Several<R> {
    /// Divides `runs` runs of `individuals` individuals into parts, and places their individuals.
    pub(in crate::engine) fn new(
        backend: Backend,
        (runs, individuals): (u32, u32),
        devices: Vec<Described>,
        make: Make<R>,
    ) -> Result<Self> {
        let cuts = cut((runs, individuals), &devices);
        let make_all = |device: usize| -> Result<Vec<Part<R>>> {
            let part = |runs: &Range<u32>| {
                let engine = make(runs.clone(), device)?;
                Ok(Part { runs: runs.clone(), device, engine, seconds: 0.0 })
            };
            cuts[device].iter().map(part).collect()
        };
        let parts = on_threads(devices.len(), &make_all)?.into_iter().flatten().collect();
        let names = devices.into_iter().map(|device| device.name).collect();
        Ok(Several { backend, names, parts, make, worth_moving: WORTH_MOVING })
    }

    /// The results of all parts, in the order of the runs.
    fn of_parts<T>(
        &mut self,
        mut ask: impl FnMut(&mut dyn Engine<R>) -> Result<Vec<T>>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        for part in &mut self.parts {
            all.extend(ask(&mut *part.engine)?);
        }
        Ok(all)
    }
}

/// The parts that wait for a device, and those that are done.
struct Queue<'a, R: Float> {
    waiting: Mutex<Vec<Part<R>>>,
    done: Mutex<Vec<Part<R>>>,
    failed: Mutex<Option<Error>>,
    make: &'a Make<R>,
    worth_moving: f64,
    iterations: u64,
}

impl<R: Float> Queue<'_, R> {
    /// The work of a device's thread: advances parts until none is left.
    fn serve(&self, device: usize) {
        let mut under_way = VecDeque::new();
        let mut since = Instant::now();
        loop {
            let next = self.next(device);
            let nothing_left = next.is_none();
            if let Some(mut part) = next {
                let begun = self
                    .here(&mut part, device)
                    .and_then(|()| part.engine.advance(self.iterations));
                match begun {
                    Ok(()) => under_way.push_back(part),
                    Err(error) => self.failed(part, error),
                }
            }
            if under_way.len() < AT_ONCE && !nothing_left {
                continue;
            }
            let Some(mut part) = under_way.pop_front() else { break };
            // Wait for the part.
            match part.engine.landmarks() {
                Ok(_) => {
                    part.seconds = since.elapsed().as_secs_f64();
                    since = Instant::now();
                    self.done(part);
                }
                Err(error) => self.failed(part, error),
            }
        }
    }

    /// Moves a part to a device, if it is on another one.
    fn here(&self, part: &mut Part<R>, device: usize) -> Result<()> {
        if part.device == device {
            return Ok(());
        }
        let state = part.engine.snapshot()?;
        let mut engine = (self.make)(part.runs.clone(), device)?;
        engine.restore(&state)?;
        part.engine = engine;
        part.device = device;
        Ok(())
    }

    /// The next part for a device.
    fn next(&self, device: usize) -> Option<Part<R>> {
        let mut waiting = lock(&self.waiting);
        if lock(&self.failed).is_some() {
            return None;
        }
        let own = waiting.iter().position(|part| part.device == device);
        // The part that its own device would take last.
        let others = || waiting.iter().rposition(|part| part.seconds > self.worth_moving);
        own.or_else(others).map(|at| waiting.remove(at))
    }

    fn done(&self, part: Part<R>) {
        lock(&self.done).push(part);
    }

    /// Takes back a part that is in the middle of an iteration; the first failure is reported.
    fn failed(&self, part: Part<R>, error: Error) {
        lock(&self.failed).get_or_insert(error);
        self.done(part);
    }
}

/// The runs of each device's parts: in proportion to its multiprocessors.
fn cut((runs, individuals): (u32, u32), devices: &[Described]) -> Vec<Vec<Range<u32>>> {
    let all: u64 = devices.iter().map(|device| u64::from(device.multiprocessors)).sum();
    let mut before = 0;
    let cut_one = |device: &Described| {
        let first = (u64::from(runs) * before / all) as u32;
        before += u64::from(device.multiprocessors);
        let end = (u64::from(runs) * before / all) as u32;
        let individuals = u64::from(end - first) * u64::from(individuals);
        let parts = individuals / (OF_A_PART * u64::from(device.multiprocessors).max(1));
        let parts = parts.clamp(1, PARTS).min(u64::from(end - first));
        let edge = |part: u64| first + (u64::from(end - first) * part / parts) as u32;
        (0..parts).map(|part| edge(part)..edge(part + 1)).collect()
    };
    devices.iter().map(cut_one).collect()
}

/// Creates something for each device, each in its own thread, because the driver compiles kernels for each.
pub(super) fn on_threads<T: Send>(
    devices: usize,
    make: &(dyn Fn(usize) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..devices).map(|device| scope.spawn(move || make(device))).collect();
        let joined = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(joined).collect()
    })
}

/// A poisoned lock is still usable: its data change only by single insertions and removals.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl<R: Float> Engine<R> for Several<R> {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        let queue = Queue {
            waiting: Mutex::new(std::mem::take(&mut self.parts)),
            done: Mutex::default(),
            failed: Mutex::default(),
            make: &self.make,
            worth_moving: self.worth_moving,
            iterations,
        };
        let devices = self.names.len();
        thread::scope(|scope| {
            for device in 0..devices {
                let queue = &queue;
                scope.spawn(move || queue.serve(device));
            }
        });
        let Queue { waiting, done, failed, .. } = queue;
        self.parts = unlocked(done);
        self.parts.append(&mut unlocked(waiting));
        self.parts.sort_unstable_by_key(|part| part.runs.start);
        unlocked(failed).map_or(Ok(()), Err)
    }
}

impl<R: Float> State<R> for Several<R> {
    fn controls(&mut self) -> Result<Vec<Control>> {
        self.of_parts(|engine| engine.controls())
    }

    fn landmarks(&mut self) -> Result<Vec<Control>> {
        self.of_parts(|engine| engine.landmarks())
    }

    fn evaluations(&mut self) -> Result<Option<Vec<u64>>> {
        let of_parts = self.parts.iter_mut().map(|part| part.engine.evaluations());
        let of_parts = of_parts.collect::<Result<Option<Vec<_>>>>()?;
        Ok(of_parts.map(|of_parts| of_parts.concat()))
    }

    fn restarts(&mut self) -> Result<Vec<u64>> {
        self.of_parts(|engine| engine.restarts())
    }

    fn bests(&mut self) -> Result<Vec<Candidate<R>>> {
        self.of_parts(|engine| engine.bests())
    }

    fn best_positions(&mut self) -> Result<Vec<Vec<R>>> {
        self.of_parts(|engine| engine.best_positions())
    }

    fn snapshot(&mut self) -> Result<Vec<Swarm<R>>> {
        self.of_parts(|engine| engine.snapshot())
    }

    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()> {
        self.parts.iter_mut().try_for_each(|part| {
            let Range { start, end } = part.runs;
            part.engine.restore(&swarms[start as usize..end as usize])
        })
    }

    fn depart(&mut self, migration: &Migration, immigrants: &[usize]) -> Result<Vec<Departure<R>>> {
        let mut all = Vec::with_capacity(immigrants.len());
        for part in &mut self.parts {
            let runs = part.runs.start as usize..part.runs.end as usize;
            all.extend(part.engine.depart(migration, &immigrants[runs])?);
        }
        Ok(all)
    }

    fn immigrate(
        &mut self,
        job: &Job<R>,
        immigrants: &[Migrants<R>],
        places: &[Vec<u32>],
    ) -> Result<()> {
        self.parts.iter_mut().try_for_each(|part| {
            let runs = part.runs.start as usize..part.runs.end as usize;
            let own = job.of_part(part.runs.clone());
            part.engine.immigrate(&own, &immigrants[runs.clone()], &places[runs])
        })
    }

    fn backend(&self) -> Backend {
        self.backend
    }

    fn device(&self) -> String {
        in_words(&self.names)
    }

    fn plan(&self) -> Option<Plan> {
        self.parts.first().and_then(|part| part.engine.plan())
    }
}

/// The devices in words: `2 x NVIDIA H200`.
pub(super) fn in_words(names: &[String]) -> String {
    let equal = names.chunk_by(|a, b| a == b);
    let words: Vec<_> = equal
        .map(|names| match names.len() {
            1 => names[0].clone(),
            count => format!("{count} x {}", names[0]),
        })
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests;
