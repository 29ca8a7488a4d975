//! Robust fits and fits of counts.

use warpswarm_core::fit::{
    Accumulator, Bounds, Covariance, Loss, Normal, Parameters, Settings, Triangular, poisson,
};

use super::{decay, near, run_within};

fn settings() -> Settings<f64> {
    Settings { ftol: 1e-15, xtol: 1e-12, ..Settings::new(3) }
}

/// A decay with two outliers. Expected: SciPy 1.18.1, `least_squares(f, [8, .3, 1], J, loss=loss, f_scale=.4,
/// method='trf')` with ftol, xtol and gtol of 1e-15: parameters, and twice the cost.
#[test]
fn robust_fits_are_scipys() {
    const Y: [f64; 12] = [10.2, 8.1, 6.9, 5.3, 12.0, 3.9, 2.8, 2.6, 2.0, -3.0, 1.4, 1.0];
    fn check<A: Accumulator<f64, 3>>(loss: Loss, expected: [f64; 3], cost: f64) {
        let bounds = Bounds::unbounded();
        let made = run_within::<f64, A, 3>([8.0, 0.3, 1.0], &bounds, &settings(), 12, |p, k| {
            let (value, partials) = decay(p, k as f64);
            (loss.term(value - Y[k], 1.0, 0.4), partials)
        });
        println!("{loss:?}: {} evaluations, {:?}", made.evaluations, made.status);
        assert!(made.status.converged(), "{made:?}");
        near(&made.best, &expected, 2e-6);
        near(&[made.chi_squared], &[cost], 1e-9);
    }
    fn both(loss: Loss, expected: [f64; 3], cost: f64) {
        check::<Normal<f64, 3>>(loss, expected, cost);
        check::<Triangular<f64, 3>>(loss, expected, cost);
    }
    let linear = [37.71701609820983, 0.03018416476875098, -27.68801990665788];
    both(Loss::Linear, linear, 65.14628988944158);
    let huber = [10.518002062413869, 0.18427588235896447, -0.4415061693859206];
    both(Loss::Huber, huber, 9.552368216837301);
    let soft = [10.607229730533671, 0.1805466322865691, -0.5299605870511228];
    both(Loss::SoftL1, soft, 9.230706918430599);
    let cauchy = [10.134310403841672, 0.20215472263914258, -0.010217206420372521];
    both(Loss::Cauchy, cauchy, 1.9283095633164147);
}

/// Counts, two of them zero. Expected: `scipy.optimize.root` (SciPy 1.18.1) of the likelihood's gradient, from the
/// minimum that L-BFGS-B finds; standard errors from the inverse of J^T diag(y / m^2) J there.
#[test]
fn counts_are_fitted_by_maximum_likelihood() {
    const COUNTS: [f64; 12] = [23.0, 14.0, 17.0, 8.0, 6.0, 4.0, 5.0, 0.0, 2.0, 1.0, 0.0, 1.0];
    fn check<A: Accumulator<f64, 3>>() {
        let bounds = Bounds::unbounded();
        let made = run_within::<f64, A, 3>([20.0, 0.3, 1.0], &bounds, &settings(), 12, |p, k| {
            let (value, partials) = decay(p, k as f64);
            (poisson(value, COUNTS[k]), partials)
        });
        println!("counts: {} evaluations, {:?}", made.evaluations, made.status);
        assert!(made.status.converged(), "{made:?}");
        let expected = [23.758601228472966, 0.32953559355403433, -0.16712526567008784];
        near(&made.best, &expected, 1e-6);
        near(&[made.chi_squared], &[9.758599100608096], 1e-12);
        let covariance = Covariance::of(&made.sums, Parameters::first(3), 1.0);
        let expected = [3.656346965162683, 0.07930561241432162, 0.800392819660665];
        near(&covariance.standard_errors(), &expected, 1e-5);
    }
    check::<Normal<f64, 3>>();
    check::<Triangular<f64, 3>>();
}

/// A fit of zeros only has no curvature: it ends at a mean of zero.
#[test]
fn counts_of_zero_are_fitted() {
    fn check<A: Accumulator<f64, 1>>() {
        let bounds = Bounds::new([0.0], [f64::INFINITY]).unwrap();
        let settings = Settings::new(1);
        let made = run_within::<f64, A, 1>([3.0], &bounds, &settings, 5, |p, _| {
            (poisson(p[0], 0.0), [1.0])
        });
        assert!(made.status.converged() && made.evaluations < 10, "{made:?}");
        assert_eq!((made.best, made.chi_squared), ([0.0], 0.0));
    }
    check::<Normal<f64, 1>>();
    check::<Triangular<f64, 1>>();
}
