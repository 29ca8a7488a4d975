//! Many fits at once: they find the truth, their errors are SciPy's, and threads and the emulator give the same bits.

use warpswarm::Backend;
use warpswarm::fit::{FitSettings, FitStatus, Fits};

#[path = "../src/bin/decay-curves/curves.rs"]
mod curves;
use curves::{fit, truth};

fn on(backend: Backend, threads: Option<usize>) -> FitSettings {
    FitSettings { backend, threads, ..FitSettings::default() }
}

#[track_caller]
fn is_near(found: &[f64], expected: &[f64], off: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= off * expected.abs(), "{found} and not {expected}");
    }
}

#[test]
fn without_noise_the_truth_is_found_to_all_digits() {
    let fits = fit::<f64>(50, 0.0, &on(Backend::Cpu, None)).unwrap();
    for one in fits.iter() {
        is_near(&one.parameters(), &truth(one.number() as u64), 1e-9);
    }
}

/// Expected values: SciPy 1.17.1, `curve_fit` in `decay_curves_scipy.py` with exact derivatives, followed by
/// Gauss-Newton steps until nothing changes.
#[test]
fn parameters_and_errors_are_curve_fits() {
    let fits = fit::<f64>(18, 0.01, &on(Backend::Cpu, None)).unwrap();
    assert!(fits.iter().all(|fit| fit.status() == FitStatus::Converged));
    let expected = [
        (
            0,
            [
                1.914_755_621_610,
                0.622_295_486_432,
                1.174_997_746_834,
                3.245_254_482_485,
                0.091_044_525_348,
            ],
            [
                0.010_658_068_432,
                0.003_934_246_825,
                0.009_024_552_593,
                0.039_673_590_432,
                0.002_665_015_814,
            ],
        ),
        (
            17,
            [
                1.096_977_345_170,
                0.698_388_672_871,
                1.373_091_044_500,
                3.558_319_033_120,
                0.135_740_895_928,
            ],
            [
                0.010_550_243_148,
                0.007_120_477_539,
                0.008_572_583_178,
                0.038_660_095_233,
                0.002_987_841_806,
            ],
        ),
    ];
    for (number, parameters, errors) in expected {
        let one = fits.get(number).unwrap();
        // Parameters within 2e-8 give the same chi-squared to all digits.
        is_near(&one.parameters(), &parameters, 2e-8);
        is_near(&one.errors(), &errors, 1e-7);
    }
}

#[test]
fn everywhere_the_same() {
    let bits = |fits: &Fits<f32>| -> Vec<u32> {
        let errors = fits.iter().flat_map(|fit| fit.errors());
        fits.parameters().iter().copied().chain(errors).map(f32::to_bits).collect()
    };
    let at = |backend, threads| bits(&fit(3, 0.01, &on(backend, threads)).unwrap());
    let serial = at(Backend::Cpu, Some(1));
    assert_eq!(serial, at(Backend::Cpu, Some(3)));
    assert_eq!(serial, at(Backend::Emulator, None));
}
