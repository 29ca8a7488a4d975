//! Fits of problem files have the same bits on the CPU and under the emulator.
#![cfg(all(feature = "problem-files", feature = "emulator"))]

use warpswarm::fit::{FitSettings, Fits};
use warpswarm::problem_file::{NamedNumbers, ProblemFile};
use warpswarm::{Backend, Precise};

const DECAY: &str = r#"
    fit = "y ~ height * exp(-t / lifetime) + background"
    sigma = "0.1 + 0.01 * y"
    loss = "soft-l1"
    [variables]
    height = { lower = 0, upper = 100 }
    lifetime = { lower = 0.01, upper = 100, scale = "log" }
    background = { lower = -5, upper = 5 }
"#;

fn bits<R: Precise>(fits: &Fits<R>) -> Vec<[u64; 9]> {
    let of = |number: usize| {
        let fit = fits.get(number).unwrap();
        let (x, other) = (fit.parameters(), fit.other_minimum().unwrap_or(R::NAN));
        let more = [fit.covariance(0, 0), fit.covariance(2, 1), fit.chi_squared(), other];
        let numbers = [x[0], x[1], x[x.len() - 1], more[0], more[1], more[2], more[3]];
        let numbers = numbers.map(R::to_bits64);
        let [a, b, c, d, e, f, g] = numbers;
        [a, b, c, d, e, f, g, u64::from(fit.evaluations()), fit.status() as u64]
    };
    (0..fits.len()).map(of).collect()
}

/// Both backends, with the same settings.
fn compared<R: Precise>(problem: &ProblemFile, settings: &FitSettings) -> Fits<R> {
    let on =
        |backend| problem.fit_models::<R>(&FitSettings { backend, ..settings.clone() }).unwrap();
    let (cpu, emulator) = (on(Backend::Cpu), on(Backend::Emulator));
    assert_eq!(bits(&cpu), bits(&emulator));
    cpu
}

/// The observations of a fit: a decay with noise, with an outlier in some.
fn seen(fit: usize, rows: usize) -> impl Iterator<Item = f64> {
    (0..rows).map(move |k| {
        let clean = (20.0 + fit as f64) * (-(k as f64) * 0.2 / 1.5).exp() + 2.0;
        let noise = ((fit * 31 + k) * 7919 % 13) as f64 / 60.0 - 0.1;
        if fit == 5 { 2.0 } else { clean + noise }
    })
}

fn decays(fits: usize, rows: usize) -> ProblemFile {
    let t: Vec<f64> = (0..rows).map(|k| k as f64 * 0.2).collect();
    let y: Vec<f64> = (0..fits).flat_map(|fit| seen(fit, rows)).collect();
    let shared = NamedNumbers { name: "t", numbers: &t, columns: None, of_runs: None };
    let own = NamedNumbers { name: "y", numbers: &y, columns: None, of_runs: Some(fits as u64) };
    ProblemFile::parse_with_data(DECAY, "decay", &[shared, own]).unwrap()
}

#[test]
fn batches_have_the_same_bits() {
    let problem = decays(7, 40);
    let start = vec![10.0, 1.0, 0.5];
    let fits = compared::<f64>(&problem, &FitSettings::default());
    assert!((fits.get(3).unwrap().parameters()[1] - 1.5).abs() < 0.05);
    compared::<f32>(&problem, &FitSettings { start, ..FitSettings::default() });
    // Rows that are excluded.
    let rows = vec![40, 39, 30, 12, 8, 40, 3];
    compared::<f32>(&problem, &FitSettings { rows, ..FitSettings::default() });
}

/// With this many fits, starting values are searched for on the device.
#[test]
fn searches_have_the_same_bits() {
    let settings = FitSettings { starts: Some(8), samples: Some(2), ..FitSettings::default() };
    compared::<f32>(&decays(256, 8), &settings);
}

/// With this many rows, the host does the fit, and the device sums rows.
#[test]
fn large_fits_have_the_same_bits() {
    let fits = compared::<f32>(
        &decays(1, 66_000),
        &FitSettings { start: vec![19.0, 1.4, 1.9], ..FitSettings::default() },
    );
    assert!(fits.get(0).unwrap().status().is_converged());
}

/// Seven parameters use the kernels for eight; several models are fitted together.
#[test]
fn other_sizes_and_several_models_have_the_same_bits() {
    let t: Vec<f64> = (0..30).map(|k| f64::from(k) * 0.2).collect();
    let y: Vec<f64> = seen(1, 30).collect();
    let z: Vec<f64> = seen(2, 30).map(|y| y * 0.5).collect();
    let column = |name, numbers| NamedNumbers { name, numbers, columns: None, of_runs: None };
    let data = [column("t", &t[..]), column("y", &y), column("z", &z)];
    let text = r#"
        fits = ["y ~ a * exp(-t / tau) + b + g * t", "z ~ c * exp(-t / tau) + d * max(t, 1) + e"]
        [variables]
        a = { lower = 0, upper = 50 }
        b = { lower = -5, upper = 5 }
        c = { lower = 0, upper = 50 }
        d = { lower = -1, upper = 1 }
        e = { lower = -5, upper = 5 }
        g = { lower = -1, upper = 1 }
        tau = { lower = 0.01, upper = 100, scale = "log" }
    "#;
    let problem = ProblemFile::parse_with_data(text, "two", &data).unwrap();
    let fits = compared::<f64>(&problem, &FitSettings::default());
    let fit = fits.get(0).unwrap();
    assert_eq!((fit.degrees_of_freedom(), fit.parameters().len()), (53, 7));
    assert!((fit.parameters()[6] - 1.5).abs() < 0.1, "{:?}", fit.parameters());
}

/// Results so large that other threads prepare their memory: 12 parameters, most of them fixed, have 78 covariances.
#[test]
fn large_results_have_the_same_bits() {
    const FITS: u16 = 3500;
    let t = [0.0, 1.0, 2.0, 3.0];
    let y: Vec<f64> = (0..FITS).flat_map(|fit| seen(usize::from(fit), 4)).collect();
    let of_runs = Some(u64::from(FITS));
    let data = [
        NamedNumbers { name: "t", numbers: &t, columns: None, of_runs: None },
        NamedNumbers { name: "y", numbers: &y, columns: None, of_runs },
    ];
    let fixed = "cdefghijkl".chars().map(|name| format!("+ {name} ")).collect::<String>();
    let names = "abcdefghijkl".chars();
    let variables = names.map(|name| format!("{name} = {{ lower = -9000, upper = 9000 }}\n"));
    let variables = variables.collect::<String>();
    let text = format!("fit = \"y ~ a + b * t {fixed}\"\n[variables]\n{variables}");
    let problem = ProblemFile::parse_with_data(&text, "twelve", &data).unwrap();
    let limits = (0..12).map(|i| if i < 2 { [-9000.0, 9000.0] } else { [0.25; 2] }).collect();
    let start = vec![0.25; 12];
    let fits = compared::<f64>(&problem, &FitSettings { start, limits, ..FitSettings::default() });
    assert!(fits.iter().all(|fit| fit.status().is_converged()));
}

/// If a call of a device fails, the fits fail, and the memory is freed.
#[test]
#[cfg(feature = "faults")]
fn each_call_that_fails_gives_the_memory_back() {
    use warpswarm::faults::{self, Call};
    let problem = decays(7, 8);
    let settings = FitSettings {
        start: vec![10.0, 1.0, 0.5],
        backend: Backend::Emulator,
        ..FitSettings::default()
    };
    let before = faults::held();
    let mut failed = Vec::new();
    loop {
        let n = failed.len() as u64;
        let (fits, call) = faults::at(n, || problem.fit_models::<f64>(&settings));
        assert_eq!((fits.is_err(), faults::held()), (call.is_some(), before), "{n}: {call:?}");
        let Some(call) = call else { break };
        failed.push(call);
    }
    // Shared data, per-fit data, starts, results and bounds: one array each; all results are copied to the host.
    let count = |of: Call| failed.iter().filter(|&&call| call == of).count();
    assert_eq!((count(Call::Allocate), count(Call::Launch), count(Call::Download)), (11, 1, 4));
}
