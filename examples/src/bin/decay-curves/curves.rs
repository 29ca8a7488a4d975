//! Synthetic curves and their fits, shared by the program and its test.

use warpswarm::fit::{FitSettings, Fits};
use warpswarm::problem_file::{NamedNumbers, ProblemFile};
use warpswarm::{Precise, Result};
use warpswarm_examples::uniform;

/// Number of points of a curve.
pub(crate) const POINTS: usize = 64;

/// The model, and the bounds of its parameters. One lifetime is at most 1 and the other at least 1, which makes them
/// distinguishable.
const MODEL: &str = r#"
fit = "counts ~ a1 * exp(-t / tau1) + a2 * exp(-t / tau2) + background"
[variables]
a1         = { lower = 0, upper = 10 }
tau1       = { lower = 0.05, upper = 1, scale = "log" }
a2         = { lower = 0, upper = 10 }
tau2       = { lower = 1, upper = 10, scale = "log" }
background = { lower = -1, upper = 1 }
"#;

/// The parameters of curve `number`: a1, tau1, a2, tau2, background.
pub(crate) fn truth(number: u64) -> [f64; 5] {
    let part = |k: u64| (((number * 5 + k + 1) * 0x9e37_79b9) % 10_007) as f64 / 10_007.0;
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(part);
    [1.0 + a, 0.3 + 0.4 * b, 0.5 + c, 2.0 + 2.0 * d, 0.2 * e]
}

/// The times of a curve's points.
pub(crate) fn times() -> Vec<f64> {
    (0..POINTS).map(|i| 0.15 * i as f64).collect()
}

/// The counts of curve `number`, `[point]`, with noise of this size.
pub(crate) fn counts(number: u64, noise: f64) -> Vec<f64> {
    let [a1, tau1, a2, tau2, background] = truth(number);
    let curve = |t: f64| a1 * (-t / tau1).exp() + a2 * (-t / tau2).exp() + background;
    let noise = |i: usize| noise * (uniform(number * POINTS as u64 + i as u64) - 0.5);
    let at = |(i, t): (usize, f64)| curve(t) + noise(i);
    times().into_iter().enumerate().map(at).collect()
}

/// Fits all curves. They share their times, and each has its own counts.
///
/// # Errors
///
/// If there are no curves, or the backend fails.
pub(crate) fn fit<R: Precise>(curves: u64, noise: f64, settings: &FitSettings) -> Result<Fits<R>> {
    let times = times();
    let counts: Vec<f64> = (0..curves).flat_map(|number| counts(number, noise)).collect();
    let shared = NamedNumbers { name: "t", numbers: &times, columns: None, of_runs: None };
    let own =
        NamedNumbers { name: "counts", numbers: &counts, columns: None, of_runs: Some(curves) };
    ProblemFile::parse_with_data(MODEL, "decay-curves", &[shared, own])?.fit_models(settings)
}
