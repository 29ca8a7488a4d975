//! The quality of a configuration: the cost of its runs relative to the default's.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use warpswarm::{Algorithm, Error};

use crate::study::batch::{Batch, Run};
use crate::study::conditions::Conditions;
use crate::study::entrant::Entrant;
use crate::study::task::Task;

/// The largest number of powers of ten that is counted, for a distance and for a violation.
const POWERS: f64 = 16.0;
/// The violation from which powers of ten are counted.
const LEAST_VIOLATION: f64 = 1e-8;

/// The conditions under which configurations are evaluated.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) tasks: Vec<Task>,
    pub(crate) individuals: u64,
    pub(crate) conditions: Conditions,
    pub(crate) interrupt: Arc<AtomicBool>,
}

impl Trial {
    /// The costs of `runs` runs from the given number on, `[problem][run]`; `None` if interrupted.
    pub(crate) fn costs(
        &self,
        algorithm: Algorithm,
        first_run: u64,
        runs: u64,
    ) -> Result<Option<Vec<Vec<f64>>>, Error> {
        let entrant = Entrant { name: String::new(), algorithm, individuals: self.individuals };
        let conditions = Conditions { runs, ..self.conditions };
        let turn = Mutex::new(());
        let mut costs = Vec::new();
        for task in &self.tasks {
            let batch = Batch { task, entrant: &entrant, first_run };
            let Some(cell) = batch.run(&conditions, &self.interrupt, &turn)? else {
                return Ok(None);
            };
            costs.push(
                cell.runs.iter().map(|run| cost(run, task, conditions.evaluations)).collect(),
            );
        }
        Ok(Some(costs))
    }
}

/// The cost of a run: the fraction of its evaluations that it used to reach the target; otherwise 1 plus the powers of
/// ten by which it missed the target; for an infeasible run 17 plus the powers of ten of its violation above 1e-8.
fn cost(run: &Run, task: &Task, evaluations: u64) -> f64 {
    // NaN counts as the largest distance.
    let powers = |x: f64| if x.is_nan() { POWERS } else { x.log10().clamp(0.0, POWERS) };
    let target = task.targets.last().copied().unwrap_or(LEAST_VIOLATION);
    match run.solved() {
        Some(taken) => taken as f64 / evaluations as f64,
        None if run.best.violation == 0.0 => {
            1.0 + powers((run.best.value - task.value(0.0)) / target)
        }
        None => 1.0 + POWERS + powers(run.best.violation / LEAST_VIOLATION),
    }
}

/// The ratio of the mean costs to those of the reference, as the geometric mean over all problems. Less than 1 is
/// better.
pub(crate) fn quality<C: AsRef<[f64]>>(costs: &[C], beside: &[C]) -> f64 {
    let logarithm = |(costs, beside): (&C, &C)| (mean(costs.as_ref()) / mean(beside.as_ref())).ln();
    let sum: f64 = costs.iter().zip(beside).map(logarithm).sum();
    (sum / costs.len() as f64).exp()
}

pub(crate) fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::CommonArgs;
    use crate::study::task::{Given, tasks};
    use warpswarm::{Fitness, StopReason};

    #[test]
    fn costs_by_hand() {
        let common = CommonArgs { dim: Some(2), ..CommonArgs::default() };
        let task = &tasks(&["sphere:goal=2".into()], &common, &Given::new(), &[1e-3])
            .unwrap_or_default()[0];
        let of = |violation, value, reached| {
            let best = Fitness { violation, value };
            let stop_reason = StopReason::Evaluations;
            let reached = vec![reached];
            let run = Run {
                run: 0,
                best,
                evaluations: 100,
                iterations: 1,
                stop_reason,
                not_finite: 0,
                reached,
            };
            cost(&run, task, 100)
        };
        assert_eq!(of(0.0, 2.0005, Some(25)), 0.25);
        assert!((of(0.0, 2.1, None) - 3.0).abs() < 1e-9);
        assert_eq!(of(0.0, f64::INFINITY, None), 17.0);
        assert_eq!(of(0.0, f64::NAN, None), 17.0);
        assert!((of(1e-6, 0.0, None) - 19.0).abs() < 1e-9);
        assert_eq!(of(f64::NAN, 0.0, None), 33.0);
    }

    /// Half the cost on one problem and twice the cost on another cancel out.
    #[test]
    fn quality_by_hand() {
        assert!(
            (quality(&[[1.0, 3.0], [8.0, 8.0]], &[[4.0, 4.0], [4.0, 4.0]]) - 1.0).abs() < 1e-12
        );
        assert!((quality(&[[1.0, 3.0]], &[[4.0, 4.0]]) - 0.5).abs() < 1e-12);
    }
}
