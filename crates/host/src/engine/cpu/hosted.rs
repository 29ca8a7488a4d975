//! Evaluates on the host what another engine moves.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use warpswarm_core::Float;
use warpswarm_core::launch::stopped;
use warpswarm_core::order::Fitness;

use super::super::{Asks, Deadline, Driver, Placing};
use super::TASK_SECONDS;
use super::workers::Workers;
use crate::error::{Error, Result};
use crate::objective::closure::{HostObjective, Kind, Points};
use crate::objective::evaluator::Asked;
use crate::objective::on_device::DeviceValues;
use crate::settings::Settings;

/// An objective on the host, and the threads that evaluate it.
pub(crate) struct Evaluation<R> {
    objective: HostObjective<R>,
    workers: Workers,
    first_run: u64,
    dimensions: usize,
    /// The number of points in a task of a thread; `None` before the first evaluations.
    grain: Option<usize>,
    placing: Placing,
}

impl<R: Float> Evaluation<R> {
    /// Creates the driver and places the individuals.
    pub(in crate::engine) fn start(
        mut asks: Box<dyn Asks<R>>,
        (objective, dimensions): (HostObjective<R>, usize),
        settings: &Settings,
    ) -> Result<Driver<R>> {
        let workers = Workers::new(settings.threads)?;
        let first_run = settings.first_run;
        let (grain, placing) = (None, Placing::default());
        let mut evaluation =
            Evaluation { objective, workers, first_run, dimensions, grain, placing };
        evaluation.place(&mut *asks, settings)?;
        Ok(Driver::Host(asks, evaluation))
    }

    /// Evaluates the first individuals, or as many of them as the time allows.
    fn place(&mut self, asks: &mut dyn Asks<R>, settings: &Settings) -> Result<()> {
        let start = Instant::now();
        if self.step_on_device(asks)?.is_some() {
            self.placing.seconds = start.elapsed().as_secs_f64();
            return Ok(());
        }
        let deadline = Deadline::of_placing(&settings.stop);
        let Some(asked) = asks.ask()? else { return Ok(()) };
        let told = self.evaluate(asked, &deadline, true)?;
        if deadline.has_come() {
            let mut evaluations = vec![0; settings.runs as usize];
            for (&run, fitness) in asked.runs.iter().zip(&told) {
                evaluations[run as usize] += u64::from(!fitness.is_worst());
            }
            self.placing.given_up = Some(evaluations);
        }
        self.placing.seconds = start.elapsed().as_secs_f64();
        asks.tell(&told)
    }

    /// How the first individuals were placed.
    pub(in crate::engine) fn placing(&self) -> &Placing {
        &self.placing
    }

    /// Does this many iterations of every run that has not stopped on its own, or fewer if the time is over before.
    pub(in crate::engine) fn advance(
        &mut self,
        asks: &mut dyn Asks<R>,
        iterations: u64,
        deadline: &Deadline,
    ) -> Result<()> {
        // The iteration that the running runs have reached, which is the same for all.
        let reached = |asks: &mut dyn Asks<R>| -> Result<Option<u64>> {
            let controls = asks.landmarks()?;
            let mut going = controls.iter().filter(|control| control.stopped == stopped::NOT);
            Ok(going.next().map(|control| control.iterations))
        };
        let Some(first) = reached(asks)? else { return Ok(()) };
        if matches!(self.objective.kind, Kind::Device(_)) {
            for _ in 0..iterations {
                if deadline.has_come() || self.step_on_device(asks)? == Some(false) {
                    break;
                }
            }
            return Ok(());
        }
        while reached(asks)?.is_some_and(|reached| reached - first < iterations) {
            let Some(asked) = asks.ask()? else { return Ok(()) };
            let told = self.evaluate(asked, deadline, false)?;
            if deadline.has_come() {
                // Without the call of `tell`, the iteration has not happened.
                return Ok(());
            }
            asks.tell(&told)?;
        }
        Ok(())
    }

    /// Does an iteration, or places the individuals, if all of it happens on a device; returns whether any run was
    /// running. `None` if it does not happen on a device.
    fn step_on_device(&mut self, asks: &mut dyn Asks<R>) -> Result<Option<bool>> {
        let Kind::Device(evaluate) = &self.objective.kind else { return Ok(None) };
        let Some(points) = asks.ask_on_device()? else { return Ok(Some(false)) };
        let found = match points.is_empty() {
            true => DeviceValues { count: 0, values: 0, violations: None, stream: None },
            false => caught(|| evaluate(&points))?,
        };
        asks.tell_on_device(&found)?;
        Ok(Some(true))
    }

    /// The fitness at the points, or the message of a panic. When the time is over, the remaining points get the worst
    /// fitness; with `at_least`, one point is evaluated in any case.
    fn evaluate(
        &mut self,
        asked: &Asked<R>,
        deadline: &Deadline,
        at_least: bool,
    ) -> Result<Vec<Fitness<R>>> {
        let begun = AtomicBool::new(!at_least);
        let is_late = || begun.swap(true, Ordering::Relaxed) && deadline.has_come();
        let count = asked.runs.len();
        let start = Instant::now();
        let fitness = match &self.objective.kind {
            _ if count == 0 => Vec::new(),
            Kind::Point(evaluate) => {
                let at = |(x, &run): (&[R], &u32)| match deadline.may_come() && is_late() {
                    true => Ok(Fitness::WORST),
                    false => caught(|| evaluate(run, x).canonical()),
                };
                match &self.workers.pool {
                    Some(pool) if self.grain.is_none_or(|grain| grain < count) => {
                        let points = asked.points.par_chunks_exact(self.dimensions);
                        let points = points.zip(&asked.runs);
                        let points = points.with_min_len(self.grain.unwrap_or(1));
                        pool.install(|| points.map(at).collect::<Result<Vec<_>>>())?
                    }
                    _ => {
                        let points = asked.points.chunks_exact(self.dimensions).zip(&asked.runs);
                        points.map(at).collect::<Result<_>>()?
                    }
                }
            }
            Kind::Device(_) => unreachable!("its points are not fetched"),
            Kind::Population(_) if is_late() => vec![Fitness::WORST; count],
            Kind::Population(evaluate) => {
                let points = Points::new(asked, self.dimensions, self.first_run);
                let mut told = caught(|| evaluate(&points))?;
                if told.len() != count {
                    return Err(Error::Told { expected: count, found: told.len() });
                }
                told.iter_mut().for_each(|fitness| *fitness = fitness.canonical());
                told
            }
        };
        if count > 0 {
            self.grain.get_or_insert_with(|| {
                let seconds = start.elapsed().as_secs_f64() * self.workers.threads as f64;
                (TASK_SECONDS * count as f64 / seconds).ceil() as usize
            });
        }
        Ok(fitness)
    }
}

/// The result of calling a user's objective, or the error with the message of its panic.
pub(crate) fn caught<T>(evaluate: impl FnOnce() -> T) -> Result<T> {
    // The objective is responsible for its own state. Callers discard their state after an error, unless it was only
    // shared.
    catch_unwind(AssertUnwindSafe(evaluate)).map_err(|panic| Error::Objective {
        message: message(&*panic).unwrap_or("no message").into(),
    })
}

fn message(panic: &(dyn Any + Send)) -> Option<&str> {
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    panic.downcast_ref::<&str>().copied().or_else(owned)
}
