//! The trace of the runs as CSV.

use std::io;

use serde::Serialize;
use warpswarm::{DEFAULT_ITERATIONS, Fitness, Precise, Report, RunProgress, Stop};

/// The largest number of iterations for which a run has a row each. The initial individuals have an additional row.
const ROWS: u64 = 1000;
/// The largest number of rows of all runs; a row takes about 64 bytes.
const ROWS_IN_ALL: u64 = 1_000_000;
/// The iterations between rows if the limits are far away or may not be what ends the run. Surplus rows are removed
/// later.
const INTERVAL: u64 = 10;

/// The largest number of rows of each run, not counting the row of its end.
pub(crate) fn rows_at_most(runs: u64) -> u64 {
    (ROWS_IN_ALL / runs.max(1)).clamp(2, ROWS + 1)
}

/// The initial number of iterations between two rows. It depends only on the limits, so that the same command produces
/// the same rows.
pub(crate) fn interval(stop: &Stop, individuals: u64) -> u64 {
    let evaluations = stop.evaluations.map(|evaluations| evaluations / individuals.max(1));
    let open_ended = stop.seconds.is_some() || stop.stagnation.is_some();
    let limit = match (stop.iterations, evaluations) {
        (Some(iterations), Some(evaluations)) => Some(iterations.min(evaluations)),
        (Some(limit), None) | (None, Some(limit)) => Some(limit),
        (None, None) if open_ended => None,
        (None, None) => Some(DEFAULT_ITERATIONS),
    };
    limit.map_or(INTERVAL, |limit| limit.div_ceil(ROWS).clamp(1, INTERVAL))
}

/// A row: the state of a run at an iteration.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Row<R> {
    pub(crate) run: u64,
    pub(crate) iteration: u64,
    pub(crate) evaluations: u64,
    pub(crate) seconds: f64,
    pub(crate) best: R,
    pub(crate) violation: R,
    pub(crate) mean: Option<f64>,
    pub(crate) spread: Option<f64>,
}

impl<R: Copy> Row<R> {
    fn at(run: u64, seconds: f64, at: &RunProgress<R>) -> Self {
        Row {
            run,
            iteration: at.iterations,
            evaluations: at.evaluations,
            seconds,
            best: at.best.value,
            violation: at.best.violation,
            mean: at.population.and_then(|population| population.mean),
            spread: at.population.map(|population| population.spread),
        }
    }
}

/// The recorded history, run after run.
pub(crate) fn rows<R: Precise>(report: &Report<R>) -> impl Iterator<Item = Row<R>> {
    (0..report.runs.len()).flat_map(|place| rows_of(report, place))
}

/// The recorded history of one run of the batch, up to the iteration in which it ended.
pub(crate) fn rows_of<R: Precise>(
    report: &Report<R>,
    place: usize,
) -> impl Iterator<Item = Row<R>> {
    let run = &report.runs[place];
    let best = Fitness { value: run.best.value, violation: run.best.violation };
    let (iterations, evaluations) = (run.iterations, run.evaluations);
    let end = RunProgress { iterations, evaluations, best, population: run.population };
    let recorded = report.history.iter().map(move |record| (record.seconds, record.runs[place]));
    // The records of the other runs still contain a run that has stopped.
    let before = recorded.take_while(move |(_, at)| at.iterations < iterations);
    let there = report.history.iter().find(|record| record.runs[place].iterations == iterations);
    let seconds = there.map_or(report.seconds, |record| record.seconds);
    before.chain([(seconds, end)]).map(|(seconds, at)| Row::at(run.run, seconds, &at))
}

/// Writes the rows.
pub(crate) fn write<R: Precise + Serialize>(
    report: &Report<R>,
    to: impl io::Write,
) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(to);
    for row in rows(report) {
        out.serialize(row)?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_about_a_thousand_rows() {
        assert_eq!(interval(&Stop::default(), 10), 1);
        assert_eq!(interval(&Stop::iterations(0), 10), 1);
        assert_eq!(interval(&Stop::iterations(2_001), 10), 3);
        assert_eq!(interval(&Stop::iterations(100_000), 10), INTERVAL);
        assert_eq!(interval(&Stop::evaluations(50_000), 10), 5);
        assert_eq!(interval(&Stop::evaluations(100_000).or_iterations(1_000), 10), 1);
        assert_eq!(interval(&Stop::seconds(1.0), 10), INTERVAL);
        assert_eq!(interval(&Stop::seconds(1.0).or_iterations(5_000), 10), 5);
        assert_eq!(interval(&Stop::target(1.0), 10), 1);
        assert_eq!([1, 999, 40_000, 10_000_000].map(rows_at_most), [1001, 1001, 25, 2]);
    }
}
