//! The nonlinear regressions of NIST, fitted without starting values and from both of NIST's.
#![cfg(feature = "problem-files")]

use warpswarm::fit::{FitSettings, Fits};
use warpswarm::problem_file::ProblemFile;

use crate::nist_data::{Case, cases, relative};

/// Parameters in the order of the certified ones, where groups of them may change places.
fn in_order(case: &Case, fits: &Fits<f64>) -> (Vec<f64>, Vec<f64>) {
    let fit = fits.get(0).unwrap();
    let (mut values, mut errors) = (fit.parameters(), fit.errors());
    let groups = case.exchangeable();
    let wanted = &case.about.refined.values;
    // A few exchanges: every order of the groups is tried.
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

/// Digits of values and of standard deviations that agree, the fewest of all parameters.
fn digits(case: &Case, fits: &Fits<f64>) -> (f64, f64) {
    let (values, errors) = in_order(case, fits);
    let refined = &case.about.refined;
    let least = |found: &[f64], wanted: &[f64]| {
        let errors = found.iter().zip(wanted).map(|(&found, &wanted)| relative(found, wanted));
        -errors.fold(1e-16, f64::max).log10()
    };
    (least(&values, &refined.values), least(&errors, &refined.standard_deviations))
}

#[test]
fn nist_without_starting_values() {
    let seeds: u64 = std::env::var("SEEDS").map_or(2, |seeds| seeds.parse().unwrap());
    for case in cases() {
        let problem = ProblemFile::load(&case.file).unwrap();
        let mut found = 0;
        let mut worst = (16.0_f64, 16.0_f64);
        let began = std::time::Instant::now();
        for seed in 0..seeds {
            let of = |name: &str| std::env::var(name).ok().map(|n| n.parse().unwrap());
            let settings = FitSettings {
                seed,
                starts: of("STARTS"),
                samples: of("SAMPLES"),
                ..FitSettings::default()
            };
            let fits = problem.fit_models::<f64>(&settings).unwrap();
            let here = digits(&case, &fits);
            let needs = if case.about.name == "Lanczos1" { (6.0, -1.0) } else { (6.0, 4.0) };
            if here.0 >= needs.0 && here.1 >= needs.1 {
                found += 1;
                worst = (worst.0.min(here.0), worst.1.min(here.1));
            } else {
                let fit = fits.get(0).unwrap();
                println!(
                    "  seed {seed}: {here:.1?} {:?} chi {:e} of {:e}, {} evaluations",
                    fit.ended(),
                    fit.chi_squared(),
                    case.about.refined.residual_sum_of_squares,
                    fit.evaluations()
                );
            }
        }
        println!(
            "{:9} {found} of {seeds}, digits {worst:.1?}, {:.2} s each",
            case.about.name,
            began.elapsed().as_secs_f64() / seeds as f64
        );
    }
}
