//! Times runs: selects the number of repetitions and the amount of work.
//!
//! The unit of work is that of the paper: iterations or evaluations.

use anyhow::Result;

/// One run to time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) work: u64,
    pub(crate) seed: u64,
}

/// Limits for a cell of a table. A cell consists of all repetitions of one measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The smallest amount of work of a run, with which the trials begin.
    pub(crate) least: u64,
    /// The largest amount of work per repetition.
    pub(crate) most: u64,
    pub(crate) repetitions: u64,
    /// Seconds for all repetitions of a cell; infinite for no limit.
    pub(crate) seconds: f64,
}

/// The times of the repetitions of one measurement.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// The requested amount of work.
    pub(crate) wanted: u64,
    /// The actual amount of work in each repetition.
    pub(crate) work: u64,
    /// The time of each repetition, in seconds.
    pub(crate) seconds: Vec<f64>,
}

impl Cell {
    /// Whether the times for the requested work are extrapolated.
    pub(crate) fn is_scaled(&self) -> bool {
        self.work != self.wanted
    }

    /// The times for the requested work in seconds, in proportion to the measured ones.
    pub(crate) fn scaled_seconds(&self) -> impl Iterator<Item = f64> {
        let factor = self.wanted as f64 / self.work as f64;
        self.seconds.iter().map(move |s| s * factor)
    }
}

/// The amount of work that a repetition can do within the plan, determined by trials, which also warm up. `run`
/// returns seconds.
pub(crate) fn fitting(plan: &Plan, run: &mut dyn FnMut(Load) -> Result<f64>) -> Result<u64> {
    let mut trial = Load { work: plan.least.min(plan.most), seed: 0 };
    let mut seconds = run(trial)?;
    let enough = plan.seconds.min(100.0) / 50.0;
    while trial.work < plan.most && seconds < enough {
        // Small amounts of work seem slow because of the set-up, so this is rather too little than too much.
        let times = (enough / seconds).clamp(4.0, 64.0) as u64;
        trial.work = (trial.work * times).min(plan.most);
        seconds = run(trial)?;
    }
    let per_repetition = plan.seconds / plan.repetitions as f64;
    let fit = per_repetition / (seconds / trial.work as f64);
    Ok(if fit >= plan.most as f64 {
        plan.most
    } else {
        rounded_down(fit as u64).max(plan.least.min(plan.most))
    })
}

/// Times one cell: trials, then the repetitions with the seeds 1, 2, and so on. `run` returns seconds.
pub(crate) fn cell(
    wanted: u64,
    plan: &Plan,
    run: &mut dyn FnMut(Load) -> Result<f64>,
) -> Result<Cell> {
    let work = fitting(plan, run)?;
    let times = (1..=plan.repetitions).map(|seed| run(Load { work, seed }));
    Ok(Cell { wanted, work, seconds: times.collect::<Result<_>>()? })
}

/// `n` with all digits except the first two replaced by zeros.
fn rounded_down(n: u64) -> u64 {
    let mut unit = 1;
    while n / unit >= 100 {
        unit *= 10;
    }
    n / unit * unit
}

/// The processor's name, as reported by Linux.
pub(crate) fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| "the CPU".into(), |(_, name)| name.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan { least: 1, most: 100_000, repetitions: 10, seconds: 1.1 };

    /// A machine that needs a microsecond per unit of work.
    fn steady(load: Load) -> Result<f64> {
        Ok(load.work as f64 * 1e-6)
    }

    fn last(cell: &Cell) -> f64 {
        cell.scaled_seconds().last().unwrap()
    }

    #[test]
    fn a_cell_that_fits_is_measured_in_full() {
        let cell = cell(100_000, &PLAN, &mut steady).unwrap();
        assert!(!cell.is_scaled());
        assert_eq!(cell.work, 100_000);
        assert_eq!(cell.seconds.len(), 10);
        assert!((last(&cell) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_cell_that_does_not_fit_is_scaled() {
        let mut most = 0;
        let mut run = |load: Load| {
            most = most.max(load.work);
            steady(load)
        };
        let cell = cell(100_000, &Plan { seconds: 0.1, ..PLAN }, &mut run).unwrap();
        assert!(cell.is_scaled());
        assert!((9_900..=10_000).contains(&cell.work), "{}", cell.work);
        assert!((last(&cell) - 0.1).abs() < 1e-12);
        assert!(most <= 10_000);
    }

    /// The work grows from 1 by the factors 64, 31 and 4; work that takes a fiftieth of the budget is tried only once.
    #[test]
    fn few_trials_are_enough() {
        let mut trials = Vec::new();
        let mut run = |load: Load| {
            trials.push(load.work);
            steady(load)
        };
        fitting(&Plan { seconds: 0.1, ..PLAN }, &mut run).unwrap();
        assert_eq!(trials, [1, 64, 1_984, 7_936]);
    }

    #[test]
    fn even_the_least_can_be_too_much() {
        for least in [1, 700] {
            let plan = Plan { least, seconds: 1e-9, ..PLAN };
            assert_eq!(cell(100_000, &plan, &mut steady).unwrap().work, least);
        }
        let plan = Plan { least: 200_000, seconds: 1e-9, ..PLAN };
        assert_eq!(cell(100_000, &plan, &mut steady).unwrap().work, 100_000);
    }

    #[test]
    fn two_digits_are_kept() {
        for (n, rounded) in [(0, 0), (1, 1), (99, 99), (100, 100), (129, 120), (98_765, 98_000)] {
            assert_eq!(rounded_down(n), rounded);
        }
    }
}
