//! Models with known solutions, and data that cannot be fitted.

use approx::assert_relative_eq;
use warpswarm_core::fit::{
    Accumulator, Bounds, Covariance, Next, Normal, Parameters, Settings, Solver, Status, Term,
    Triangular,
};
use warpswarm_core::{Float, Real};

use super::{Made, decay, line, near, run, run_within};

/// The line through (1, 2.1), (2, 3.9), (3, 6.2), (4, 7.8), (5, 10.1). The sums of t, t^2, y and t y are 15, 55, 30.1
/// and 110.2. So b = (5 * 110.2 - 15 * 30.1) / 50 = 1.99 and a = (30.1 - 15 * 1.99) / 5 = 0.05.
fn straight<A: Accumulator<f64, 2>>() -> Made<f64, A, 2> {
    let y = [2.1, 3.9, 6.2, 7.8, 10.1];
    run([100.0, -7.0], 5, |p, k| {
        let (value, partials) = line(p, k as f64 + 1.0);
        (Term::squared(value - y[k], 1.0), partials)
    })
}

#[test]
fn a_line_is_found_at_once() {
    fn check<A: Accumulator<f64, 2>>() {
        let made = straight::<A>();
        assert_relative_eq!(made.best[0], 0.05, max_relative = 1e-11);
        assert_relative_eq!(made.best[1], 1.99, max_relative = 1e-13);
        // Residuals -0.06, 0.13, -0.18, 0.21, -0.1.
        assert_relative_eq!(made.chi_squared, 0.107, max_relative = 1e-12);
        assert!(made.evaluations <= 4 && made.status.converged(), "{made:?}");
        // The inverse of ((5, 15), (15, 55)) is ((55, -15), (-15, 5)) / 50.
        let covariance = Covariance::of(&made.sums, Parameters::first(2), 1.0);
        near(covariance.matrix.as_flattened(), &[1.1, -0.3, -0.3, 0.1], 1e-13);
        assert_eq!(covariance.undetermined, Parameters::NONE);
        assert_relative_eq!(
            covariance.correlation(0, 1),
            -0.3 / 0.11_f64.sqrt(),
            max_relative = 1e-13
        );
        near(&covariance.standard_errors(), &[1.1_f64.sqrt(), 0.1_f64.sqrt()], 1e-13);
    }
    check::<Normal<f64, 2>>();
    check::<Triangular<f64, 2>>();
}

#[test]
fn noiseless_decay_is_found_exactly() {
    fn check<R: Float, A: Accumulator<R, 3>>(digits: f64) {
        let truth = [2.5, 0.7, -1.0].map(R::from_f64);
        let made = run::<R, A, 3>([1.0, 1.0, 0.0].map(R::from_f64), 25, |p, k| {
            let t = R::from_f64(k as f64 / 5.0);
            let (value, partials) = decay(p, t);
            (Term::squared(value - decay(&truth, t).0, R::ONE), partials)
        });
        assert!(made.status.converged() && made.evaluations < 15, "{made:?}");
        for (found, truth) in made.best.iter().zip(truth) {
            assert_relative_eq!(found.to_f64(), truth.to_f64(), max_relative = digits);
        }
    }
    check::<f64, Normal<f64, 3>>(1e-13);
    check::<f64, Triangular<f64, 3>>(1e-13);
    check::<f32, Normal<f32, 3>>(2e-6);
    check::<f32, Triangular<f32, 3>>(2e-6);
}

/// a b exp(-c t): only the product of a and b is determined.
fn product<R: Float>(p: &[R; 3], t: R) -> (R, [R; 3]) {
    let e = (-p[2] * t).exp();
    (p[0] * p[1] * e, [p[1] * e, p[0] * e, -t * p[0] * p[1] * e])
}

#[test]
fn a_product_of_parameters_is_determined_and_they_are_not() {
    fn check<R: Float, A: Accumulator<R, 3>>(digits: f64) {
        let made = run::<R, A, 3>([2.0, 4.0, 0.3].map(R::from_f64), 12, |p, k| {
            let t = R::from_f64(k as f64);
            let y = R::from_f64(10.0) * (R::from_f64(-0.4) * t).exp();
            let (value, partials) = product(p, t);
            (Term::squared(value - y, R::ONE), partials)
        });
        assert!(made.status.converged() && made.evaluations < 20, "{made:?}");
        let [a, b, c] = made.best.map(R::to_f64);
        assert_relative_eq!(a * b, 10.0, max_relative = digits);
        assert_relative_eq!(c, 0.4, max_relative = digits);
        let covariance = Covariance::of(&made.sums, Parameters::first(3), R::ONE);
        assert_eq!(covariance.undetermined, Parameters(0b011));
        let errors = covariance.standard_errors();
        assert_eq!([errors[0], errors[1]], [R::INFINITY; 2]);
        // The error of c is that of a fit of the product and c.
        let truth = [R::from_f64(a * b), R::from_f64(c), R::ZERO];
        let mut sums = A::empty();
        for k in 0..12 {
            let (_, [amplitude, rate, _]) = decay(&truth, R::from_f64(f64::from(k)));
            sums.add(R::ZERO, &[amplitude, rate, R::ZERO], R::ONE);
        }
        let two = Covariance::of(&sums, Parameters::first(2), R::ONE);
        let expected = two.standard_errors()[1].to_f64();
        assert_relative_eq!(errors[2].to_f64(), expected, max_relative = 50.0 * digits);
    }
    check::<f64, Normal<f64, 3>>(1e-9);
    check::<f64, Triangular<f64, 3>>(1e-9);
    check::<f32, Normal<f32, 3>>(2e-5);
    check::<f32, Triangular<f32, 3>>(2e-5);
}

#[test]
fn a_parameter_that_nothing_depends_on_stays_and_is_named() {
    fn check<A: Accumulator<f64, 3>>() {
        let made = run::<f64, A, 3>([0.0, 7.0, 0.0], 5, |p, k| {
            let (value, [first, second]) = line(&[p[0], p[2]], k as f64);
            (Term::squared(value - 3.0 * k as f64, 1.0), [first, 0.0, second])
        });
        assert!(made.status.converged() && made.evaluations < 8, "{made:?}");
        assert_eq!(made.best[1], 7.0);
        assert_relative_eq!(made.best[2], 3.0, max_relative = 1e-9);
        let covariance = Covariance::of(&made.sums, Parameters::first(3), 1.0);
        assert_eq!(covariance.undetermined, Parameters(0b010));
        // For the line, the sums of 1, t, t^2 are 5, 10, 30; the inverse is ((30, -10), (-10, 5)) / 50.
        let expected = [0.6, 0.0, -0.2, 0.0, 0.0, 0.0, -0.2, 0.0, 0.1];
        for (found, expected) in covariance.matrix.as_flattened().iter().zip(expected) {
            assert_relative_eq!(*found, expected, epsilon = 1e-14);
        }
    }
    check::<Normal<f64, 3>>();
    check::<Triangular<f64, 3>>();
}

#[test]
fn data_that_are_no_numbers_end_the_fit() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (start, y) in [([1.0, 1.0], bad), ([bad, 1.0], 2.0)] {
            let row = |p: &[f64; 2], k: usize| {
                let (value, partials) = line(p, k as f64);
                (Term::squared(value - if k == 3 { y } else { 1.0 }, 1.0), partials)
            };
            let made = run::<f64, Normal<f64, 2>, 2>(start, 5, row);
            assert_eq!((made.status, made.evaluations), (Status::NotFinite, 1));
            let made = run::<f64, Triangular<f64, 2>, 2>(start, 5, row);
            assert_eq!((made.status, made.evaluations), (Status::NotFinite, 1));
        }
    }
    // Only the derivative is NaN.
    let made =
        run::<f32, Triangular<f32, 1>, 1>([1.0], 3, |_, _| (Term::squared(1.0, 1.0), [f32::NAN]));
    assert_eq!(made.status, Status::NotFinite);
}

#[test]
fn points_without_a_value_are_left_again() {
    // The first step leads to where the logarithm is undefined.
    let made = run::<f64, Normal<f64, 1>, 1>([100.0], 1, |&[x], _| {
        (Term::squared(Real::ln(x) - 1.0, 1.0), [1.0 / x])
    });
    assert!(made.status.converged() && made.evaluations > 4, "{made:?}");
    assert_relative_eq!(made.best[0], core::f64::consts::E, max_relative = 1e-9);
}

#[test]
fn evaluations_are_limited_and_perfect_starts_need_one() {
    let row = |p: &[f64; 3], k: usize| {
        let t = k as f64;
        let (value, partials) = decay(p, t);
        (Term::squared(value - decay(&[2.0, 0.5, 1.0], t).0, 1.0), partials)
    };
    let settings = Settings { evaluations: 3, ..Settings::new(3) };
    let made = run_within::<f64, Normal<f64, 3>, 3>(
        [9.0, 2.0, 0.0],
        &Bounds::unbounded(),
        &settings,
        10,
        row,
    );
    assert_eq!((made.status, made.evaluations), (Status::Evaluations, 3));
    let made = run::<f64, Normal<f64, 3>, 3>([2.0, 0.5, 1.0], 10, row);
    assert_eq!((made.status, made.evaluations), (Status::Gradient, 1));
}

#[test]
fn each_test_stops_when_it_is_met() {
    let y = [10.0, 6.5, 4.1, 2.9, 1.7, 1.4];
    let stop = |ftol, xtol, gtol| {
        let settings = Settings { ftol, xtol, gtol, ..Settings::new(3) };
        run_within::<f64, Triangular<f64, 3>, 3>(
            [8.0, 0.3, 0.5],
            &Bounds::unbounded(),
            &settings,
            y.len(),
            |p, k| {
                let (value, partials) = decay(p, k as f64);
                (Term::squared(value - y[k], 1.0), partials)
            },
        )
    };
    assert_eq!(stop(1e-6, 0.0, 0.0).status, Status::Cost);
    assert_eq!(stop(0.0, 1e-3, 0.0).status, Status::Step);
    let flat = stop(0.0, 0.0, 1e-4);
    assert_eq!(flat.status, Status::Gradient);
    assert!(flat.sums.gradient().iter().all(|g| g.abs() <= 1e-4));
    assert!(stop(0.1, 0.0, 0.0).evaluations < stop(1e-12, 0.0, 0.0).evaluations);
}

#[test]
fn sums_may_come_from_anywhere() {
    // The caller decides when and where to evaluate; a solver is plain data, which can be stored in between.
    let bounds = Bounds::unbounded();
    let settings = Settings::new(1);
    let mut solver = Solver::<f32, Normal<f32, 1>, 1>::new([5.0], &bounds);
    let mut evaluated = 0;
    loop {
        let kept = solver;
        let mut sums = Normal::empty();
        sums.add(kept.point()[0] - 3.0, &[1.0], 4.0);
        evaluated += 1;
        solver = kept;
        if let Next::Done(status) = solver.advance(&settings, &bounds, &sums) {
            assert!(status.converged());
            break;
        }
    }
    assert_eq!((solver.best(), solver.evaluations()), (&[3.0], evaluated));
}

/// Sixteen parameters, the largest number intended for registers: a sum of waves, from exact data.
#[test]
fn sixteen_parameters_are_found() {
    fn check<A: Accumulator<f64, 16>>() {
        let truth: [f64; 16] = core::array::from_fn(|i| i as f64 - 7.5);
        let made = run::<f64, A, 16>([0.0; 16], 600, |p, k| {
            let partials = core::array::from_fn(|i| {
                let turns = ((i / 2 + 1) * k) as f64 / 600.0;
                if i % 2 == 0 { turns.sin_turns() } else { turns.cos_turns() }
            });
            let missed = (0..16).map(|i| (p[i] - truth[i]) * partials[i]).sum();
            (Term::squared(missed, 1.0), partials)
        });
        assert!(made.status.converged() && made.evaluations < 8, "{made:?}");
        near(&made.best, &truth, 1e-12);
        // 600 rows with mean square 1/2: each variance is 1/300, without correlations.
        let covariance = Covariance::of(&made.sums, Parameters::first(16), 300.0);
        near(&covariance.standard_errors(), &[1.0; 16], 1e-12);
        assert!(covariance.correlation(3, 12).abs() < 1e-13);
    }
    check::<Normal<f64, 16>>();
    check::<Triangular<f64, 16>>();
}
