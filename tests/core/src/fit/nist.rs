//! Fits of NIST's nonlinear regressions, from both of NIST's starting points each.

use warpswarm_core::Float;
use warpswarm_core::fit::{
    Accumulator, Bounds, Covariance, Goodness, Normal, Parameters, Settings, Term, Triangular,
};

use super::regressions::{
    BoxBod, Enso, Gauss2, Hahn1, Lanczos3, Mgh09, Mgh10, Misra1a, Model, Rat42, Rat43, Thurber,
};
use super::{Made, run_within};

/// Fits a regression from one of its starts.
pub(crate) fn fitted<R: Float, M: Model<N>, A: Accumulator<R, N>, const N: usize>(
    start: usize,
    settings: &Settings<R>,
) -> Made<R, A, N> {
    let regression = M::regression();
    let rows: Vec<[R; 2]> = regression.rows.iter().map(|row| row.map(R::from_f64)).collect();
    let start = regression.starts[start].map(R::from_f64);
    run_within(start, &Bounds::unbounded(), settings, rows.len(), |b, k| {
        let (value, partials) = M::at(b, rows[k][0]);
        (Term::squared(value - rows[k][1], R::ONE), partials)
    })
}

/// The number of correct digits of the worst number: -log10 of its relative error.
fn digits(found: &[f64], certified: &[f64]) -> f64 {
    let error = |(f, c): (&f64, &f64)| ((f - c) / c).abs();
    let worst = found
        .iter()
        .zip(certified)
        .map(error)
        .fold(1e-16, |a, b| if b > a || b.is_nan() { b } else { a });
    -worst.log10()
}

/// A fit from one start: six digits of the certified values, four digits of their standard deviations, and with SciPy's
/// tolerances hardly more evaluations than `minpack`'s.
fn certified<M: Model<N>, A: Accumulator<f64, N>, const N: usize>(start: usize, minpack: u32) {
    let wanted = M::regression();
    let what = format!("{} from start {}, {}", wanted.name, start + 1, core::any::type_name::<A>());
    let tight = Settings { ftol: 1e-15, xtol: 1e-14, ..Settings::new(N) };
    let made = fitted::<f64, M, A, N>(start, &tight);
    assert!(made.status.converged(), "{what}: {:?}", made.status);
    let all = Parameters::first(N);
    let goodness = Goodness {
        chi_squared: made.chi_squared,
        rows: wanted.rows.len() as u64,
        parameters: N as u32,
    };
    let covariance = Covariance::of(&made.sums, all, goodness.reduced());
    let values = digits(&made.best, &wanted.certified);
    let deviations = digits(&covariance.standard_errors(), &wanted.deviations);
    let sum = digits(&[made.chi_squared], &[wanted.sum]);

    let as_scipy = Settings { ftol: 1e-8, xtol: 1e-8, ..Settings::new(N) };
    let usual = fitted::<f64, M, A, N>(start, &as_scipy);
    println!(
        "{what}: {} evaluations ({} tight, {:?}), digits {values:.1} {deviations:.1} {sum:.1}",
        usual.evaluations, made.evaluations, made.status
    );
    assert!(values >= 6.0 && deviations >= 4.0 && sum >= 6.0, "{what}: {made:?}");
    assert!(
        usual.evaluations <= minpack + minpack / 8,
        "{what}: {} evaluations",
        usual.evaluations
    );
    assert!((usual.chi_squared / wanted.sum - 1.0).abs() < 1e-7, "{what}: {usual:?}");
}

/// Both starts, both accumulators.
fn check<M: Model<N>, const N: usize>(minpack: [u32; 2]) {
    for start in 0..2 {
        certified::<M, Normal<f64, N>, N>(start, minpack[start]);
        certified::<M, Triangular<f64, N>, N>(start, minpack[start]);
    }
}

/// The limits are the evaluations of MINPACK's `lmder` with the same settings (SciPy 1.18.1's `leastsq` with `Dfun`, a
/// factor of 1 and tolerances of 1e-8) plus an eighth: 24, 5; 27, 9; 270, 126; 10, 6; 13, 7; 99, 18; 31, 19; 11, 12; 6,
/// 6; 83, 10; 21, 19.
#[test]
fn certified_values_from_both_starts() {
    check::<Misra1a, 2>([24, 5]);
    check::<BoxBod, 2>([27, 9]);
    check::<Mgh10, 3>([270, 126]);
    check::<Rat42, 3>([10, 6]);
    check::<Rat43, 4>([13, 7]);
    check::<Mgh09, 4>([99, 18]);
    check::<Thurber, 7>([31, 19]);
    check::<Hahn1, 7>([11, 12]);
    check::<Gauss2, 8>([6, 6]);
    check::<Lanczos3, 6>([83, 10]);
    check::<Enso, 9>([21, 19]);
}

/// In single precision: chi-squared, computed in f64, is as good as that of the certified values rounded to f32.
fn narrow<M: Model<N>, const N: usize>(start: usize) {
    let wanted = M::regression();
    let sum = |b: &[f64; N]| -> f64 {
        wanted.rows.iter().map(|&[t, y]| (M::at(b, t).0 - y).powi(2)).sum()
    };
    for (name, best, status, evaluations) in [
        {
            let made = fitted::<f32, M, Normal<f32, N>, N>(start, &Settings::new(N));
            ("normal", made.best, made.status, made.evaluations)
        },
        {
            let made = fitted::<f32, M, Triangular<f32, N>, N>(start, &Settings::new(N));
            ("triangular", made.best, made.status, made.evaluations)
        },
    ] {
        let excess = sum(&best.map(f64::from)) / wanted.sum - 1.0;
        println!("{} f32 {name}: {evaluations}, {status:?}, {excess:.1e}", wanted.name);
        assert!(
            status.converged() && excess < 1e-4,
            "{} {name}: {status:?} {excess:e}",
            wanted.name
        );
    }
}

#[test]
fn single_precision_comes_as_near_as_it_can() {
    narrow::<Misra1a, 2>(1);
    narrow::<BoxBod, 2>(0);
    narrow::<BoxBod, 2>(1);
    narrow::<Rat42, 3>(0);
    narrow::<Rat43, 4>(1);
    narrow::<Mgh09, 4>(1);
    narrow::<Thurber, 7>(1);
    narrow::<Gauss2, 8>(0);
    narrow::<Enso, 9>(1);
}
