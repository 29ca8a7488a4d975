//! What the program and its test share: curves that were made up, and how to fit them.

use models::decay::Decay;
use warpswarm::{Bounds, Data, DeParams, Float, OwnObjective, Report, Result, Settings, minimise};
use warpswarm_examples::{KERNELS, uniform};

/// Points of a curve.
pub(crate) const POINTS: usize = 64;

/// The parameters of curve `number`: a1, tau1, a2, tau2, background.
pub(crate) fn truth(number: u64) -> [f64; 5] {
    let part = |k: u64| (((number * 5 + k + 1) * 0x9e37_79b9) % 10_007) as f64 / 10_007.0;
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(part);
    [1.0 + a, 0.3 + 0.4 * b, 0.5 + c, 2.0 + 2.0 * d, 0.2 * e]
}

/// When a curve's points are counted.
pub(crate) fn times() -> Vec<f64> {
    (0..POINTS).map(|i| 0.15 * i as f64).collect()
}

/// What is counted of curve `number`, `[point]`, with so much noise.
pub(crate) fn counts(number: u64, noise: f64) -> Vec<f64> {
    let [a1, tau1, a2, tau2, background] = truth(number);
    let curve = |t: f64| a1 * (-t / tau1).exp() + a2 * (-t / tau2).exp() + background;
    let noise = |i: usize| noise * (uniform(number * POINTS as u64 + i as u64) - 0.5);
    let at = |(i, t): (usize, f64)| curve(t) + noise(i);
    times().into_iter().enumerate().map(at).collect()
}

/// The objective over so many curves.
///
/// # Errors
///
/// Where there are more numbers than a table holds.
pub(crate) fn objective<R: Float>(curves: u64, noise: f64) -> Result<OwnObjective<R, Decay>> {
    let rounded = |numbers: Vec<f64>| numbers.into_iter().map(R::from_f64).collect::<Vec<R>>();
    let mut data = Data::new();
    let times = data.table(&rounded(times()))?;
    let all: Vec<R> = (0..curves).flat_map(|number| rounded(counts(number, noise))).collect();
    let counts = data.table_of_runs(&all, curves)?;
    Ok(OwnObjective::new("Decay", Decay { times, counts }).with_data(data).with_kernels(KERNELS))
}

/// Where the parameters of so many curves are sought: amplitudes and background up to what was counted first.
///
/// # Errors
///
/// Where there are no curves.
pub(crate) fn bounds(curves: u64, noise: f64) -> Result<Bounds> {
    let of_curve = |number| {
        let first = counts(number, noise)[0];
        Bounds::new(vec![0.0, 0.05, 0.0, 1.0, 0.0], vec![1.2 * first, 1.0, first, 6.0, 0.5 * first])
    };
    Bounds::of_runs((0..curves).map(of_curve).collect::<Result<Vec<_>>>()?)
}

/// Fits all curves: a run each.
///
/// # Errors
///
/// Where the backend fails.
pub(crate) fn fit<R: Float>(curves: u64, noise: f64, settings: &Settings) -> Result<Report<R>> {
    let algorithm = DeParams { scale_factor: 0.6, ..DeParams::default() }.into();
    minimise(&objective::<R>(curves, noise)?, &bounds(curves, noise)?, &algorithm, settings)
}
