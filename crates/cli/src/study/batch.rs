//! The runs of one algorithm on one task.

use std::cmp::Ordering;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use warpswarm::{
    Backend, Error, Fitness, Optimiser, Precise, Precision, Report, RunReport, Settings, Stop,
    StopReason,
};

use super::conditions::Conditions;
use super::entrant::Entrant;
use super::task::Task;
use crate::failure::Failure;

/// The number of records of a run in which intermediate targets are looked up. The run stops only at the last target.
const RECORDS: u64 = 100;

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    /// The run number, which selects its random streams together with the seed.
    pub(crate) run: u64,
    /// The best point, with the value as if the problem was minimised.
    pub(crate) best: Fitness<f64>,
    pub(crate) evaluations: u64,
    pub(crate) iterations: u64,
    pub(crate) stop_reason: StopReason,
    pub(crate) not_finite: u64,
    /// The number of evaluations after which each target was reached.
    pub(crate) reached: Vec<Option<u64>>,
}

impl Run {
    /// The number of evaluations after which the last target was reached and the run stopped.
    pub(crate) fn solved(&self) -> Option<u64> {
        self.reached.last().copied().flatten()
    }

    /// Orders runs from best to worst. Runs that reached the last target come first, those with fewer evaluations
    /// before the others. Then the smaller violation and the smaller value decide. NaN comes last.
    pub(crate) fn order(&self, other: &Run) -> Ordering {
        match (self.solved(), other.solved()) {
            (Some(a), Some(b)) => a.cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => self.best.ordered().cmp(&other.best.ordered()),
        }
    }
}

/// The runs of one algorithm on one problem.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) runs: Vec<Run>,
    /// The time of the batch without set-up.
    pub(crate) seconds: f64,
    pub(crate) setup_seconds: f64,
    pub(crate) backend: Backend,
    pub(crate) device: String,
}

/// Runs of one algorithm on one problem, numbered from `first_run`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch<'a> {
    pub(crate) task: &'a Task,
    pub(crate) entrant: &'a Entrant,
    pub(crate) first_run: u64,
}

impl Batch<'_> {
    /// Sets up the runs and carries them out when `turn` is free; `None` if they were interrupted.
    pub(crate) fn run(
        &self,
        conditions: &Conditions,
        interrupt: &Arc<AtomicBool>,
        turn: &Mutex<()>,
    ) -> Result<Option<Cell>, Error> {
        match conditions.precision {
            Precision::F32 => self.run_in::<f32>(conditions, interrupt, turn),
            Precision::F64 => self.run_in::<f64>(conditions, interrupt, turn),
        }
    }

    fn run_in<R: Precise>(
        &self,
        conditions: &Conditions,
        interrupt: &Arc<AtomicBool>,
        turn: &Mutex<()>,
    ) -> Result<Option<Cell>, Error> {
        let stop = self.stop(conditions).or_interrupt(interrupt.clone());
        let Entrant { algorithm, individuals, .. } = self.entrant;
        let individuals = match individuals {
            0 => algorithm.usual_individuals(self.task.problem.dimensions()),
            individuals => *individuals,
        };
        let every = (conditions.evaluations / individuals / RECORDS).max(1);
        let settings = Settings {
            individuals,
            runs: conditions.runs,
            first_run: self.first_run,
            seed: conditions.seed,
            stop,
            constraints: self.task.problem.usual_constraints(),
            backend: conditions.backend,
            threads: conditions.threads,
            record_every: (self.task.targets.len() > 1).then_some(every),
            polish: Some(false),
            ..Settings::default()
        };
        let mut optimiser = self.optimiser::<R>(&settings)?;
        let report = {
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            optimiser.run()?
        };
        let interrupted = |run: &RunReport<R>| run.stop_reason == StopReason::Interrupted;
        let cell = || Cell {
            runs: (0..report.runs.len()).map(|run| self.outcome(&report, run)).collect(),
            seconds: report.seconds,
            setup_seconds: report.setup_seconds,
            backend: report.backend,
            device: report.device.clone(),
        };
        Ok((!report.runs.iter().any(interrupted)).then(cell))
    }

    fn stop(&self, conditions: &Conditions) -> Stop {
        let stop = Stop::evaluations(conditions.evaluations);
        match self.task.targets.last() {
            Some(target) => stop.or_target(self.task.turned(self.task.value(*target))),
            None => stop,
        }
    }

    fn optimiser<R: Precise>(&self, settings: &Settings) -> Result<Optimiser<R>, Error> {
        self.task.problem.optimiser::<R>(&self.entrant.algorithm, settings)
    }

    fn outcome<R: Precise>(&self, report: &Report<R>, place: usize) -> Run {
        let run = &report.runs[place];
        let turned = |value: R| self.task.turned(value.to_f64());
        let reaches = |violation: R, value: R, target: f64| {
            violation == R::ZERO && turned(value) <= self.task.value(target)
        };
        let (violation, value) = (run.best.violation, run.best.value);
        let reached = self.task.targets.iter().map(|&target| {
            let at = report.history.iter().map(|record| &record.runs[place]);
            let first = at
                .clone()
                .find(|run| reaches(run.best.violation, run.best.value, target))
                .map(|run| run.evaluations);
            first.or_else(|| reaches(violation, value, target).then_some(run.evaluations))
        });
        Run {
            run: run.run,
            evaluations: run.evaluations,
            iterations: run.iterations,
            stop_reason: run.stop_reason,
            not_finite: run.not_finite,
            reached: reached.collect(),
            best: Fitness { violation: violation.to_f64(), value: turned(value) },
        }
    }
}

/// Checks that every algorithm can be run on every problem, before the first run starts.
pub(crate) fn check(
    tasks: &[Task],
    entrants: &[Entrant],
    conditions: &Conditions,
) -> Result<(), Failure> {
    for entrant in entrants {
        let info = entrant.algorithm.info();
        if conditions.backend != Backend::Auto && !info.backends.contains(&conditions.backend) {
            let what = format!("algorithm {}", info.id);
            let backend = conditions.backend.name();
            return Err(Error::Unsupported { what, backend, allowed: "cpu, auto" }.into());
        }
        for task in tasks {
            set_up(task, entrant, conditions).map_err(|error| match error.is_input() {
                true => Failure::Input(format!("{} on {}: {error}", entrant.name, task.name)),
                false => error.into(),
            })?;
        }
    }
    Ok(())
}

/// Checks that an algorithm can be run on a problem. Creating the optimiser performs all checks.
fn set_up(task: &Task, entrant: &Entrant, conditions: &Conditions) -> Result<(), Error> {
    let batch = Batch { task, entrant, first_run: 0 };
    let settings = Settings {
        individuals: entrant.individuals,
        stop: batch.stop(conditions),
        constraints: task.problem.usual_constraints(),
        backend: Backend::Cpu,
        threads: Some(1),
        polish: Some(false),
        ..Settings::default()
    };
    match conditions.precision {
        Precision::F32 => batch.optimiser::<f32>(&settings).map(drop),
        Precision::F64 => batch.optimiser::<f64>(&settings).map(drop),
    }
}
