//! Fits of models that closures compute.

use warpswarm::fit::{FitSettings, FittedModel, HostModel, Observed, Scatter};
use warpswarm::{Backend, Bounds, Data, Error, fit};

use crate::common::Decay;

const ROWS: usize = 700;

fn times() -> Vec<f64> {
    (0..ROWS).map(|k| 0.01 * k as f64).collect()
}

fn predicted(x: &[f64], into: &mut [f64]) {
    into.iter_mut().zip(times()).for_each(|(y, t)| *y = x[0] * (-t / x[1]).exp() + x[2]);
}

/// Data of fits: fit k has height 3 + k, lifetime 1.5 and background 0.5, and something like noise.
fn observed(fits: usize) -> Vec<f64> {
    let mut all = vec![0.0; fits * ROWS];
    for (fit, into) in all.chunks_mut(ROWS).enumerate() {
        predicted(&[3.0 + fit as f64, 1.5, 0.5], into);
        let noise = |k: usize| 0.05 * ((13 * k + 7 * fit) as f64).sin();
        into.iter_mut().enumerate().for_each(|(k, y)| *y += noise(k));
    }
    all
}

fn bounds() -> Bounds {
    Bounds::new(vec![0.0, 0.1, -1.0], vec![50.0, 20.0, 5.0]).unwrap()
}

/// A compiled model, a closure with differences, and one with derivatives give the same result, also block by block and
/// on many threads.
#[test]
fn a_closure_fits_as_a_model_does() {
    let fits = 9;
    let sigma: Vec<f64> = (0..ROWS).map(|k| 0.04 + 1e-5 * k as f64).collect();
    let mut data = Data::<f64>::new();
    let times = data.table(times()).unwrap();
    let values = data.table_of_runs(observed(fits), fits as u64).unwrap();
    let spread = data.table(&sigma).unwrap();
    let seen = Observed { sigma: spread, ..Observed::plain(values) };
    let compiled = FittedModel::<_, _, 3>::new(Decay { times }, seen, data);
    let settings = FitSettings { absolute_sigma: true, ..FitSettings::default() };
    let right = fit(&compiled, &bounds(), &settings).unwrap();

    let called = HostModel::of_fits(observed(fits), fits, |_, x, into| predicted(x, into));
    let by_differences = called.with_sigma(sigma.repeat(fits));
    let by_own = by_differences.clone().with_sigma(sigma).with_derivatives(|_, x, into| {
        for (k, t) in self::times().into_iter().enumerate() {
            let part = (-t / x[1]).exp();
            into[k] = part;
            into[ROWS + k] = x[0] * part * t / (x[1] * x[1]);
            into[2 * ROWS + k] = 1.0;
        }
    });
    for (model, digits) in [(by_differences, 1e-7), (by_own, 1e-8)] {
        for threads in [1, 3] {
            let settings = FitSettings { threads: Some(threads), ..settings.clone() };
            let found = fit(&model, &bounds(), &settings).unwrap();
            for number in 0..fits {
                let [ours, right] = [&found, &right].map(|fits| fits.get(number).unwrap());
                assert!(ours.status().is_converged(), "{number}: {:?}", ours.status());
                let pairs = ours.parameters().into_iter().zip(right.parameters());
                let errors = ours.errors().into_iter().zip(right.errors());
                for (ours, right) in pairs.chain(errors) {
                    assert!((ours / right - 1.0).abs() < digits, "{number}: {ours}, {right}");
                }
                assert!((ours.chi_squared() / right.chi_squared() - 1.0).abs() < 1e-9);
            }
        }
    }
}

/// Differences stay within the bounds, outside of which the model may be undefined, also at a bound.
#[test]
fn a_model_is_asked_between_its_bounds_alone() {
    let root = |x: &[f64], into: &mut [f64]| {
        assert!((0.0..=2.0).contains(&x[0]) && x[1] == 0.25, "{x:?}");
        into.iter_mut().enumerate().for_each(|(t, y)| *y = x[0].sqrt() * t as f64 + x[1]);
    };
    for (slope, right) in [(-1.0, 0.0), (9.0, 2.0), (1.0, 1.0)] {
        let seen = (0..5).map(|t| slope * t as f64 + 0.25).collect();
        let bounds = Bounds::new(vec![0.0, 0.25], vec![2.0, 0.25]).unwrap();
        let fits = fit(&HostModel::new(seen, root), &bounds, &FitSettings::default()).unwrap();
        let found = fits.get(0).unwrap().parameters();
        assert!((found[0] - right).abs() < 1e-6, "{slope}: {found:?}");
    }
}

#[test]
fn counts_have_their_likelihood() {
    // The maximum likelihood estimate of a rate is the mean of the counts.
    let model =
        HostModel::new(vec![3.0, 7.0, 5.0, 9.0], |x: &[f64], into: &mut [f64]| into.fill(x[0]));
    let bounds = Bounds::uniform(1, 0.1, 100.0).unwrap();
    let fits = fit(&model.with_scatter(Scatter::Counts), &bounds, &FitSettings::default()).unwrap();
    let fit = fits.get(0).unwrap();
    assert!((fit.parameters()[0] - 6.0).abs() < 1e-8);
    assert!((fit.errors()[0] - (6.0_f64 / 4.0).sqrt()).abs() < 1e-5, "{:?}", fit.errors());
}

#[test]
fn what_does_not_go_together_is_refused() {
    let line = |_, x: &[f64], into: &mut [f64]| into.fill(x[0]);
    let model = |numbers: usize, fits| HostModel::of_fits(vec![1.0; numbers], fits, line);
    let bounds = Bounds::uniform(1, 0.0, 2.0).unwrap();
    let settings = FitSettings::default();
    let error = |model: &HostModel<f64>, settings: &FitSettings| {
        fit(model, &bounds, settings).map(drop).unwrap_err()
    };
    for (model, field) in [
        (model(7, 2), "observed"),
        (model(0, 1), "observed"),
        (model(3, 0), "observed"),
        (model(6, 2).with_sigma(vec![1.0; 4]), "sigma"),
        (model(6, 2).with_names(["a", "b"]), "names"),
    ] {
        let error = error(&model, &settings);
        assert!(matches!(error, Error::Setting { field: found, .. } if found == field), "{error}");
    }
    let mut seen = vec![1.0; 6];
    seen[4] = f64::NAN;
    let said = error(&HostModel::of_fits(seen, 2, line), &settings).to_string();
    assert_eq!(said, "observed is NaN in row 1 of fit 1, both from 0; allowed: finite numbers");
    let said = error(&model(4, 2).with_sigma(vec![1.0, 0.0]), &settings).to_string();
    let allowed = "numbers above 0, infinite where a row is left out";
    assert_eq!(said, format!("sigma is 0.0 in row 1 of fit 0, both from 0; allowed: {allowed}"));
    let said =
        error(&HostModel::new(vec![-1.0], |_, _| ()).with_scatter(Scatter::Counts), &settings);
    assert!(said.to_string().ends_with("allowed: counts from 0 on"), "{said}");
    let start = FitSettings { start: vec![3.0], ..FitSettings::default() };
    let said = error(&model(6, 2).with_names(["level"]), &start).to_string();
    assert!(said.contains("3 for `level`"), "{said}");
    let on_gpu = FitSettings { backend: Backend::Gpu, ..settings };
    let said = error(&model(6, 2), &on_gpu).to_string();
    assert_eq!(said, "backend is gpu; allowed: cpu, where a closure computes the model");
}
