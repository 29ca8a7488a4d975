//! Fits of your own model have the same bits on the CPU and on a device.

use probe::Decay;
use warpswarm::fit::{Fit, FitSettings, Fits, FittedModel, Observed};
use warpswarm::{Backend, Bounds, Data, Precise, Variable, fit};

use crate::own::KERNELS;

/// All results of a fit, as bits.
fn bits<R: Precise>(fit: Fit<'_, R>) -> Vec<u64> {
    let mut all: Vec<R> = fit.parameters();
    all.extend((0..9).map(|k| fit.covariance(k / 3, k % 3)));
    all.extend([fit.chi_squared(), fit.other_minimum().unwrap_or(R::NAN)]);
    let bits = all.into_iter().map(R::to_bits64);
    bits.chain([u64::from(fit.evaluations()), fit.status() as u64]).collect()
}

/// Runs `count` fits. `starts` is the number of starting points: 0 for a search, 1 for a common one, or one for each
/// fit.
fn on<R: Precise>(
    backend: Backend,
    (fits, rows): (u64, usize),
    starts: u64,
) -> Result<Fits<R>, warpswarm::Error> {
    let number = |fit: usize, k: usize| {
        let clean = (20.0 + fit as f64 % 9.0) * (-(k as f64) * 0.2 / 1.5).exp() + 2.0;
        R::from_f64(clean + ((fit * 31 + k) * 7919 % 13) as f64 / 60.0 - 0.1)
    };
    let times: Vec<R> = (0..rows).map(|k| R::from_f64(k as f64 * 0.2)).collect();
    let seen: Vec<R> =
        (0..fits as usize).flat_map(|fit| (0..rows).map(move |k| number(fit, k))).collect();
    let mut data = Data::new();
    let decay = Decay { times: data.table(&times)? };
    let observed = Observed::plain(data.table_of_runs(&seen, fits)?);
    let model = FittedModel::<R, _, 3>::new(decay, observed, data).with_kernels("Decay", KERNELS);
    let bounds = Bounds::of(&[
        Variable::linear("height", 0.0, 90.0),
        Variable::log("lifetime", 0.01, 100.0),
        Variable::linear("background", -5.0, 5.0),
    ])?;
    let start = (0..starts).flat_map(|fit| [15.0 + fit as f64 % 7.0, 1.0, 0.5]).collect();
    let settings = FitSettings { backend, start, samples: Some(4), ..FitSettings::default() };
    fit(&model, &bounds, &settings)
}

fn of<R: Precise>(
    backend: Backend,
    (fits, rows): (u64, usize),
    starts: u64,
) -> Result<(), warpswarm::Error> {
    let here = on::<R>(Backend::Cpu, (fits, rows), starts)?;
    let there = on::<R>(backend, (fits, rows), starts)?;
    for (one, other) in here.iter().zip(there.iter()) {
        assert_eq!(bits(one), bits(other), "fit {} of {fits} over {rows} rows", one.number());
    }
    assert!((there.parameters()[fits as usize].to_f64() - 1.5).abs() < 0.1, "the lifetime");
    Ok(())
}

/// Compares fits on a backend with those on the CPU: a few fits, enough fits that the device searches for starting
/// points, and one fit of many rows.
///
/// # Errors
///
/// If the device fails.
pub fn check(backend: Backend) -> Result<(), warpswarm::Error> {
    for (fits, rows, starts) in
        [(5, 40, 0), (300, 12, 0), (300, 12, 1), (70, 12, 70), (1, 66_000, 0)]
    {
        of::<f32>(backend, (fits, rows), starts)?;
        of::<f64>(backend, (fits, rows), starts)?;
    }
    Ok(())
}

/// The same for so many fits that several threads copy their data and results.
///
/// # Errors
///
/// If the device fails.
pub fn check_many(backend: Backend) -> Result<(), warpswarm::Error> {
    of::<f32>(backend, (150_000, 12), 0)?;
    of::<f64>(backend, (150_001, 12), 150_001)?;
    of::<f32>(backend, (2, 2_000_001), 0)
}
