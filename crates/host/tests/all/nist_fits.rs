//! The nonlinear regressions of NIST, fitted without starting values and from both of NIST's.
#![cfg(feature = "problem-files")]

use warpswarm::fit::{FitSettings, Fits};
use warpswarm::problem_file::ProblemFile;

use crate::common::long;
use crate::nist_data::{Case, cases, relative};

/// Parameters in the order of the certified ones; groups of parameters may be exchanged.
fn in_order(case: &Case, fits: &Fits<f64>) -> (Vec<f64>, Vec<f64>) {
    let fit = fits.get(0).unwrap();
    let (mut values, mut errors) = (fit.parameters(), fit.errors());
    let groups = case.exchangeable();
    let wanted = &case.about.refined.values;
    // A few exchanges are enough to try every order of the groups.
    for one in 0..groups.len() {
        for other in one + 1..groups.len() {
            let distance = |values: &[f64]| -> f64 {
                groups.iter().flatten().map(|&i| relative(values[i], wanted[i])).sum()
            };
            let mut swapped = values.clone();
            groups[one].iter().zip(&groups[other]).for_each(|(&a, &b)| swapped.swap(a, b));
            if distance(&swapped) < distance(&values) {
                values = swapped;
                groups[one].iter().zip(&groups[other]).for_each(|(&a, &b)| errors.swap(a, b));
            }
        }
    }
    (values, errors)
}

/// The number of matching digits of values and of standard deviations, the smallest over all parameters.
fn digits(case: &Case, fits: &Fits<f64>) -> (f64, f64) {
    let (values, errors) = in_order(case, fits);
    let refined = &case.about.refined;
    let least = |found: &[f64], wanted: &[f64]| {
        let errors = found.iter().zip(wanted).map(|(&found, &wanted)| relative(found, wanted));
        -errors.fold(1e-16, f64::max).log10()
    };
    (least(&values, &refined.values), least(&errors, &refined.standard_deviations))
}

/// The digits that a fit needs: six of the values and four of the standard deviations. Lanczos1 is generated without
/// noise, so that its deviations consist of rounding errors.
fn check(case: &Case, settings: &FitSettings) {
    let problem = ProblemFile::load(&case.file).unwrap();
    let fits = problem.fit_models::<f64>(settings).unwrap();
    let (values, errors) = digits(case, &fits);
    let name = &case.about.name;
    let wanted = if name == "Lanczos1" { 2.0 } else { 4.0 };
    println!("{name:9} {values:.1} {errors:.1} digits");
    assert!(values >= 6.0, "{name}: {values:.1} digits, {settings:?}");
    assert!(errors >= wanted, "{name}: {errors:.1} digits of deviations, {settings:?}");
    let found = fits.get(0).unwrap();
    assert!(found.status().is_converged(), "{name}: {:?}", found.status());
}

/// All of 20 seeds succeed; this is one of two of them.
#[test]
fn nist_without_starting_values() {
    for (number, case) in (0..).zip(cases()) {
        let seeds = if long() { 0..2 } else { number % 2..number % 2 + 1 };
        for seed in seeds {
            check(&case, &FitSettings { seed, ..FitSettings::default() });
        }
    }
}

/// From NIST's starting values, without bounds. Bennett5 needs thousands of steps along a valley from the first one.
#[test]
fn nist_from_its_starting_values() {
    for case in cases() {
        for start in [&case.about.start1, &case.about.start2] {
            let limits = vec![[f64::NEG_INFINITY, f64::INFINITY]; start.len()];
            let evaluations = Some(20_000);
            let settings =
                FitSettings { start: start.clone(), limits, evaluations, ..FitSettings::default() };
            check(&case, &settings);
        }
    }
}
