//! How long runs take: what is timed, how often, and with how much work.
//!
//! Work is counted in whatever a paper counts: iterations or evaluations.

use anyhow::Result;

/// One run to be timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) work: u64,
    pub(crate) seed: u64,
}

/// How much time a cell of a table, which is all repetitions of one thing, may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The least work that a run can do, with which the trial begins.
    pub(crate) least: u64,
    /// The most work per repetition.
    pub(crate) most: u64,
    pub(crate) repetitions: u64,
    /// Seconds for all repetitions of a cell; infinite for no limit.
    pub(crate) seconds: f64,
}

/// The times of the repetitions of one thing.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// The work that is asked about.
    pub(crate) wanted: u64,
    /// The work that each repetition really did.
    pub(crate) work: u64,
    /// What each took, in seconds.
    pub(crate) seconds: Vec<f64>,
}

impl Cell {
    /// Whether times for the wanted work are extrapolated.
    pub(crate) fn is_scaled(&self) -> bool {
        self.work != self.wanted
    }

    /// Seconds for the wanted work: measured if the repetitions did as much, otherwise in proportion.
    pub(crate) fn scaled_seconds(&self) -> impl Iterator<Item = f64> {
        let factor = self.wanted as f64 / self.work as f64;
        self.seconds.iter().map(move |s| s * factor)
    }
}

/// How much work a repetition can do within the plan, found by trials that also warm up. `run` returns
/// seconds.
pub(crate) fn fitting(plan: &Plan, run: &mut dyn FnMut(Load) -> Result<f64>) -> Result<u64> {
    let mut trial = Load { work: plan.least.min(plan.most), seed: 0 };
    let mut seconds = run(trial)?;
    let enough = plan.seconds.min(100.0) / 50.0;
    while trial.work < plan.most && seconds < enough {
        // Set-up makes little work look slow, so that this is rather too little than too much.
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

/// Times one cell: trials, then the repetitions, with the seeds 1, 2, and so on. `run` returns seconds.
pub(crate) fn cell(
    wanted: u64,
    plan: &Plan,
    run: &mut dyn FnMut(Load) -> Result<f64>,
) -> Result<Cell> {
    let work = fitting(plan, run)?;
    let times = (1..=plan.repetitions).map(|seed| run(Load { work, seed }));
    Ok(Cell { wanted, work, seconds: times.collect::<Result<_>>()? })
}

/// `n` with all but its first two digits replaced by zeros.
fn rounded_down(n: u64) -> u64 {
    let mut unit = 1;
    while n / unit >= 100 {
        unit *= 10;
    }
    n / unit * unit
}

/// The processor's name, as Linux gives it.
pub(crate) fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| "the CPU".into(), |(_, name)| name.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan { least: 1, most: 100_000, repetitions: 10, seconds: 1.1 };

    /// A machine that needs a microsecond per piece of work.
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

    /// From 1 by 64, 31, and 4: what takes longer than a fiftieth of the budget is tried once.
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
