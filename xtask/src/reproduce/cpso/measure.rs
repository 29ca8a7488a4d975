//! How long runs take: what is timed, how often, and with how many iterations.

use anyhow::Result;

use super::paper;

/// One run to be timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) particles: u32,
    pub(crate) iterations: u64,
    pub(crate) seed: u64,
}

/// How much time a cell (one algorithm, one number of particles, all repetitions) may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The most iterations per repetition.
    pub(crate) iterations: u64,
    pub(crate) repetitions: u64,
    /// Seconds for all repetitions of a cell; infinite for no limit.
    pub(crate) seconds: f64,
}

/// The times of the repetitions of one algorithm with one number of particles.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) particles: u32,
    /// Iterations that each repetition really did.
    pub(crate) iterations: u64,
    /// What each took, in seconds.
    pub(crate) seconds: Vec<f64>,
}

impl Cell {
    /// Whether times for the paper's iterations are extrapolated.
    pub(crate) fn is_scaled(&self) -> bool {
        self.iterations != paper::ITERATIONS
    }

    /// Milliseconds for the paper's number of iterations: measured if the repetitions did as many,
    /// otherwise in proportion to the iterations.
    pub(crate) fn milliseconds(&self) -> Vec<f64> {
        let factor = paper::ITERATIONS as f64 / self.iterations as f64;
        self.seconds.iter().map(|s| s * factor * 1e3).collect()
    }
}

/// Times one cell: a trial that warms up and says how many iterations fit into the plan, then the
/// repetitions, with the seeds 1, 2, and so on. `run` returns seconds.
pub(crate) fn cell(
    particles: u32,
    plan: &Plan,
    run: &mut dyn FnMut(Load) -> Result<f64>,
) -> Result<Cell> {
    let mut trial = Load { particles, iterations: 1, seed: 0 };
    let mut seconds = run(trial)?;
    while trial.iterations < plan.iterations && seconds < plan.seconds.min(100.0) / 50.0 {
        trial.iterations = (trial.iterations * 4).min(plan.iterations);
        seconds = run(trial)?;
    }
    let per_repetition = plan.seconds / plan.repetitions as f64;
    let fit = per_repetition / (seconds / trial.iterations as f64);
    let iterations =
        if fit >= plan.iterations as f64 { plan.iterations } else { rounded_down(fit as u64) };
    let times = (1..=plan.repetitions)
        .map(|seed| run(Load { particles, iterations, seed }))
        .collect::<Result<Vec<f64>>>()?;
    Ok(Cell { particles, iterations, seconds: times })
}

/// `n` with all but its first two digits replaced by zeros; at least 1.
fn rounded_down(n: u64) -> u64 {
    let mut unit = 1;
    while n / unit >= 100 {
        unit *= 10;
    }
    (n / unit * unit).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that needs a microsecond per iteration.
    fn steady(load: Load) -> Result<f64> {
        Ok(load.iterations as f64 * 1e-6)
    }

    #[test]
    fn a_cell_that_fits_is_measured_in_full() {
        let plan = Plan { iterations: 100_000, repetitions: 10, seconds: 1.1 };
        let cell = cell(32, &plan, &mut steady).unwrap();
        assert!(!cell.is_scaled());
        assert_eq!(cell.iterations, 100_000);
        assert_eq!(cell.seconds.len(), 10);
        assert!((cell.milliseconds()[9] - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_cell_that_does_not_fit_is_scaled() {
        let plan = Plan { iterations: 100_000, repetitions: 10, seconds: 0.1 };
        let mut most = 0;
        let mut run = |load: Load| {
            most = most.max(load.iterations);
            steady(load)
        };
        let cell = cell(32, &plan, &mut run).unwrap();
        assert!(cell.is_scaled());
        assert!((9_900..=10_000).contains(&cell.iterations), "{}", cell.iterations);
        assert!((cell.milliseconds()[0] - 100.0).abs() < 1e-9);
        assert!(most <= 10_000);
    }

    #[test]
    fn even_one_iteration_can_be_too_long() {
        let plan = Plan { iterations: 100_000, repetitions: 10, seconds: 1e-9 };
        assert_eq!(cell(32, &plan, &mut steady).unwrap().iterations, 1);
    }

    #[test]
    fn two_digits_are_kept() {
        for (n, rounded) in [(0, 1), (1, 1), (99, 99), (100, 100), (129, 120), (98_765, 98_000)] {
            assert_eq!(rounded_down(n), rounded);
        }
    }
}
