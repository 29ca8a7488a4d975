//! Coverage of standard errors: how often the truth lies within them, in many fits of data with known noise.

use warpswarm::fit::{FitSettings, FittedModel, Observed, fit};
use warpswarm::{Backend, Bounds, Data};
use warpswarm_core::random::{Purpose, RunKey, Stream, standard_normal};

use crate::common::Decay;

const FITS: usize = 10_000;
const ROWS: usize = 23;
/// Height, lifetime and background.
const TRUTH: [f64; 3] = [10.0, 1.5, 2.0];

fn time(row: usize) -> f64 {
    0.25 * row as f64
}

/// The standard deviation of a row: the first is the most uncertain.
fn sigma(row: usize) -> f64 {
    0.04 + 0.08 * (-0.2 * row as f64).exp()
}

/// The observation in a row of a fit: the truth, and normally distributed noise.
fn observed(fit: usize, row: usize) -> f64 {
    let [height, lifetime, background] = TRUTH;
    let stream = Stream::new(RunKey::new(1, fit as u64), Purpose::Move, 0, 0);
    let [first, second] = stream.draws_of::<f64>(row as u32);
    let normal: f64 = standard_normal([first.open(), second.open()]);
    height * (-time(row) / lifetime).exp() + background + sigma(row) * normal
}

/// The fractions of all fits in which each parameter is within the given number of standard errors of the truth. If
/// sigma is relative, fits get ten times its size, so that only the ratios are right.
fn within(absolute_sigma: bool, limits: [f64; 2]) -> [[f64; 3]; 2] {
    let mut data = Data::<f64>::new();
    let each = |of: &dyn Fn(usize) -> f64| (0..ROWS).map(of).collect::<Vec<f64>>();
    let times = data.table(each(&time)).unwrap();
    let factor = if absolute_sigma { 1.0 } else { 10.0 };
    let sigma = data.table(each(&|row| factor * sigma(row))).unwrap();
    let seen: Vec<f64> = (0..FITS).flat_map(|fit| each(&|row| observed(fit, row))).collect();
    let values = data.table_of_runs(&seen, FITS as u64).unwrap();
    let observed = Observed { sigma, ..Observed::plain(values) };
    let model = FittedModel::<_, _, 3>::new(Decay { times }, observed, data);
    let bounds = Bounds::new(vec![0.0, 0.1, -10.0], vec![100.0, 50.0, 10.0]).unwrap();
    let start = vec![8.0, 2.0, 1.0];
    let backend = Backend::Cpu;
    let settings = FitSettings { start, absolute_sigma, backend, ..FitSettings::default() };
    let fits = fit(&model, &bounds, &settings).unwrap();
    let mut counts = [[0_u32; 3]; 2];
    for one in fits.iter() {
        assert!(one.status().is_converged(), "{}: {:?}", one.number(), one.status());
        assert_eq!(one.degrees_of_freedom(), 20);
        let both = one.parameters().into_iter().zip(one.errors());
        for (i, (value, error)) in both.enumerate() {
            for (counts, limit) in counts.iter_mut().zip(limits) {
                counts[i] += u32::from((value - TRUTH[i]).abs() <= limit * error);
            }
        }
    }
    counts.map(|counts| counts.map(|count| f64::from(count) / FITS as f64))
}

/// Of 10,000 fits, a fraction of 68.27 % has a standard deviation of 0.47 %, and one of 95 % has 0.22 %.
fn check(absolute_sigma: bool, limits: [f64; 2]) {
    let parts = within(absolute_sigma, limits);
    for (parts, nominal) in parts.into_iter().zip([0.682_689, 0.95]) {
        for (i, part) in parts.into_iter().enumerate() {
            let off = (part - nominal).abs();
            assert!(off <= 0.01, "parameter {i}: {part} of the fits and not {nominal}");
        }
    }
}

/// The quantiles of the normal distribution.
#[test]
fn errors_of_known_sigma_cover_the_truth_as_often_as_they_say() {
    check(true, [1.0, 1.959_964]);
}

/// Where the size of sigma comes from the residuals, the quantiles are those of Student's t with 20 degrees of freedom (SciPy
/// 1.17.1, `t.ppf`). With those of the normal distribution 67.1 % and 93.6 % would be expected.
#[test]
fn errors_of_relative_sigma_cover_the_truth_as_often_as_they_say() {
    check(false, [1.025_633, 2.085_963]);
}
