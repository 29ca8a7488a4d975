//! How the runs went, as CSV.

use std::io;

use serde::Serialize;
use warpswarm::{DEFAULT_ITERATIONS, Fitness, Precise, Report, Stop};

use crate::failure::Failure;

/// Rows of a run, about, where it is known how long it will be.
const ROWS: u64 = 1000;
/// Iterations between rows where it is not.
const INTERVAL: u64 = 100;

/// Iterations from one row of a run to the next: it follows from the limits, so that the same
/// command gives the same rows.
pub(crate) fn interval(stop: &Stop, individuals: u64) -> u64 {
    let evaluations = stop.evaluations.map(|evaluations| evaluations / individuals.max(1));
    let open_ended = stop.seconds.is_some() || stop.stagnation.is_some();
    let limit = match (stop.iterations, evaluations) {
        (Some(iterations), Some(evaluations)) => Some(iterations.min(evaluations)),
        (Some(limit), None) | (None, Some(limit)) => Some(limit),
        (None, None) if open_ended => None,
        (None, None) => Some(DEFAULT_ITERATIONS),
    };
    limit.map_or(INTERVAL, |limit| limit.div_ceil(ROWS).max(1))
}

/// One row: the best of a run at an iteration.
#[derive(Debug, Serialize)]
struct Row<R> {
    run: u64,
    iteration: u64,
    evaluations: u64,
    seconds: f64,
    value: R,
    violation: R,
}

/// Writes the recorded history, run by run, each up to the iteration at which it ended.
pub(crate) fn write<R: Precise + Serialize>(
    report: &Report<R>,
    to: impl io::Write,
) -> Result<(), Failure> {
    let mut out = csv::Writer::from_writer(to);
    for (place, run) in report.runs.iter().enumerate() {
        let recorded = report.history.iter().map(|record| (record.seconds, record.runs[place]));
        let row = |seconds, iteration, evaluations, best: Fitness<R>| {
            let (value, violation) = (best.value, best.violation);
            Row { run: run.run, iteration, evaluations, seconds, value, violation }
        };
        let mut last = None;
        for (seconds, at) in recorded {
            // A run that has stopped stays in the records of those that have not.
            if last == Some(at.iterations) {
                break;
            }
            last = Some(at.iterations);
            out.serialize(row(seconds, at.iterations, at.evaluations, at.best)).map_err(failed)?;
        }
        if last != Some(run.iterations) {
            let best = Fitness { value: run.best.value, violation: run.best.violation };
            let end = row(report.seconds, run.iterations, run.evaluations, best);
            out.serialize(end).map_err(failed)?;
        }
    }
    Ok(out.flush()?)
}

fn failed(error: csv::Error) -> Failure {
    Failure::Running(format!("cannot write the trace (--trace): {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_about_a_thousand_rows() {
        assert_eq!(interval(&Stop::default(), 10), 1);
        assert_eq!(interval(&Stop::iterations(0), 10), 1);
        assert_eq!(interval(&Stop::iterations(100_000), 10), 100);
        assert_eq!(interval(&Stop::evaluations(100_000), 10), 10);
        assert_eq!(interval(&Stop::evaluations(100_000).or_iterations(1_000), 10), 1);
        assert_eq!(interval(&Stop::seconds(1.0), 10), INTERVAL);
        assert_eq!(interval(&Stop::seconds(1.0).or_iterations(5_000), 10), 5);
        assert_eq!(interval(&Stop::target(1.0), 10), 1);
    }
}
