//! Covariances and measures of fit, compared with SciPy and worked out by hand.

use approx::assert_relative_eq;
use warpswarm_core::fit::{
    Accumulator, Bounds, Covariance, Goodness, Normal, Parameters, Settings, Spread, Term,
    Triangular,
};
use warpswarm_core::{Float, Real};

use super::{decay, near, run_within};

/// Expected: SciPy 1.18.1, `curve_fit` with `sigma`, an analytic `jac`, and ftol and xtol of 1e-15.
#[test]
fn a_weighted_fit_is_curve_fits() {
    const Y: [f64; 12] = [10.2, 8.1, 6.9, 5.3, 12.0, 3.9, 2.8, 2.6, 2.0, -3.0, 1.4, 1.0];
    const SIGMA: [f64; 12] = [0.5, 0.4, 0.4, 0.3, 3.0, 0.3, 0.3, 0.3, 0.2, 3.0, 0.2, 0.2];
    fn check<A: Accumulator<f64, 3>>() {
        let bounds = Bounds::unbounded();
        let settings = Settings { ftol: 1e-15, xtol: 1e-12, ..Settings::new(3) };
        let made = run_within::<f64, A, 3>([8.0, 0.3, 1.0], &bounds, &settings, 12, |p, k| {
            let (value, partials) = decay(p, k as f64);
            (Term::squared(value - Y[k], 1.0 / (SIGMA[k] * SIGMA[k])), partials)
        });
        near(&made.best, &[10.14063830545587, 0.19710548197280092, -0.09018540834407954], 1e-6);
        let all = Parameters::first(3);
        let absolute = Covariance::of(&made.sums, all, 1.0).matrix;
        near(
            absolute.as_flattened(),
            &[
                0.17471672044307654,
                -0.004683018249627632,
                -0.12315655080624326,
                -0.004683018249627632,
                0.0006631025681995103,
                0.01133736068387239,
                -0.12315655080624326,
                0.01133736068387239,
                0.21429174989042107,
            ],
            2e-6,
        );
        let goodness = Goodness { chi_squared: made.chi_squared, rows: 12, parameters: 3 };
        let scaled = Covariance::of(&made.sums, all, goodness.reduced()).matrix;
        near(
            scaled.as_flattened(),
            &[
                0.2133047233587927,
                -0.005717311483914036,
                -0.15035695457726758,
                -0.005717311483914036,
                0.0008095556596392514,
                0.013841334579538137,
                -0.15035695457726758,
                0.013841334579538137,
                0.26162030922129287,
            ],
            2e-6,
        );
    }
    check::<Normal<f64, 3>>();
    check::<Triangular<f64, 3>>();
}

/// The third column is the sum of the first two. Expected: `numpy.linalg.pinv(A.T @ A)`.
#[test]
fn the_pseudo_inverse_is_that_of_moore_and_penrose() {
    const ROWS: [[f64; 3]; 5] =
        [[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [0.0, 1.0, 1.0], [1.0, -1.0, 0.0], [3.0, 1.0, 4.0]];
    const EXPECTED: [f64; 9] = [
        0.0939153439153439,
        -0.1005291005291005,
        -0.006613756613756621,
        -0.1005291005291005,
        0.12169312169312164,
        0.021164021164021173,
        -0.006613756613756649,
        0.0211640211640212,
        0.014550264550264558,
    ];
    fn check<R: Float, A: Accumulator<R, 3>>(scale: f64, digits: f64) {
        let mut sums = A::empty();
        for row in ROWS {
            sums.add(R::ONE, &row.map(|x| R::from_f64(x * scale)), R::ONE);
        }
        let covariance = Covariance::of(&sums, Parameters::first(3), R::from_f64(scale * scale));
        assert_eq!(covariance.undetermined, Parameters(0b111));
        for (found, expected) in covariance.matrix.as_flattened().iter().zip(EXPECTED) {
            assert_relative_eq!(found.to_f64(), expected, epsilon = digits, max_relative = digits);
        }
        // Without one of the three, the other two are determined.
        let two = Covariance::of(&sums, Parameters(0b110), R::ONE);
        assert_eq!(two.undetermined, Parameters::NONE);
        assert_eq!(two.matrix[0], [R::ZERO; 3]);
    }
    for scale in [1.0, 1e-5, 1e6] {
        check::<f64, Normal<f64, 3>>(scale, 1e-13);
        check::<f64, Triangular<f64, 3>>(scale, 1e-13);
        check::<f32, Normal<f32, 3>>(scale, 2e-6);
        check::<f32, Triangular<f32, 3>>(scale, 2e-6);
    }
}

/// Columns 1, t, t^2 and t^3 around t = 1, a ten-thousandth apart: the normal equations treat them as dependent, the
/// triangle does not.
#[test]
fn the_triangle_sees_twice_as_many_digits() {
    fn fitted<A: Accumulator<f64, 4>>() -> (Parameters, f64) {
        let mut sums = A::empty();
        for k in -10..=10 {
            let t = 1.0 + f64::from(k) / 10000.0;
            // y = t^3, from parameters of zero.
            sums.add(-t * t * t, &[1.0, t, t * t, t * t * t], 1.0);
        }
        let all = Parameters::first(4);
        let step = sums.damped(&[0.0; 4], all, &[0.0; 4]).step;
        let error = [0.0, 0.0, 0.0, 1.0].iter().zip(step).map(|(e, s)| (e - s).abs());
        (Covariance::of(&sums, all, 1.0).undetermined, error.fold(0.0, f64::max))
    }
    let (undetermined, error) = fitted::<Triangular<f64, 4>>();
    assert!(undetermined.is_empty() && error < 1e-6, "{undetermined:?} {error:e}");
    let (undetermined, _) = fitted::<Normal<f64, 4>>();
    assert!(!undetermined.is_empty());
}

/// The line of `basics`: chi-squared 0.107, five observations whose squares around their mean 6.02 sum to 39.708.
#[test]
fn measures_of_fit() {
    let fit = Goodness { chi_squared: 0.107_f64, rows: 5, parameters: 2 };
    let mut spread = Spread::EMPTY;
    for y in [2.1, 3.9, 6.2, 7.8, 10.1] {
        spread.add(y, 1.0);
    }
    assert_eq!((fit.degrees_of_freedom(), spread.rows), (3, 5));
    assert_relative_eq!(spread.mean, 6.02, max_relative = 1e-15);
    assert_relative_eq!(spread.squares, 39.708, max_relative = 1e-14);
    assert_relative_eq!(fit.reduced(), 0.107 / 3.0, max_relative = 1e-15);
    assert_relative_eq!(fit.r_squared(&spread), 0.9973053289009771, max_relative = 1e-14);
    // numpy: n * log(chi2 / n) + 2 * k, and + k * log(n).
    assert_relative_eq!(fit.aic(), -15.221821784771638, max_relative = 1e-13);
    assert_relative_eq!(fit.bic(), -16.00294595990344, max_relative = 1e-13);
    assert_relative_eq!(fit.count_aic(), 4.107, max_relative = 1e-15);
    assert_relative_eq!(fit.count_bic(), 0.107 + 2.0 * Real::ln(5.0_f64), max_relative = 1e-15);
    // As many parameters as observations: the errors are undefined, as SciPy's infinite covariance shows.
    let exact = Goodness { chi_squared: 0.0_f32, rows: 2, parameters: 2 };
    assert_eq!(exact.reduced(), f32::INFINITY);

    // Weights, in two parts: 1 and 4 with weights 3 and 1 around 1.75.
    let mut weighted = Spread::EMPTY;
    weighted.add(1.0_f64, 3.0);
    let mut later = Spread::EMPTY;
    later.add(100.0, 0.0);
    later.add(4.0, 1.0);
    weighted.combine(&later);
    assert_eq!((weighted.rows, weighted.weight, weighted.mean), (3, 4.0, 1.75));
    assert_eq!(weighted.squares, 3.0 * 0.75 * 0.75 + 2.25 * 2.25);
}
