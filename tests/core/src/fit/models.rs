//! Fits of models with derivatives by dual numbers.

use std::marker::PhantomData;

use approx::assert_relative_eq;
use warpswarm_core::data::{DataSlices, Table, WithData};
use warpswarm_core::dual::gradient;
use warpswarm_core::fit::{
    Accumulator, Bounds, Covariance, Goodness, Loss, Misfit, Model, Normal, Observed, Parameters,
    Scatter, Settings, Triangular, fit_model,
};
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::{Objective, Point, Real};

use super::near;
use super::regressions::{
    self, BoxBod, Enso, Gauss2, Hahn1, Lanczos3, Mgh09, Mgh10, Misra1a, Rat42, Rat43, Thurber,
};

/// A regression's model, of which only the value is used.
struct Value<M> {
    times: Table,
    model: PhantomData<M>,
}

impl<M> Clone for Value<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Value<M> {}

impl<R: Real, M: regressions::Model<N> + Send + Sync + 'static, const N: usize> Model<R, N>
    for Value<M>
{
    fn predict<P: Point<R>>(&self, x: &P, row: usize) -> R {
        let b = std::array::from_fn(|i| x.get(i));
        M::at(&b, x.data(self.times, row)).0
    }
}

/// From both starts: six digits of the certified values, four digits of their standard deviations.
fn certified<M, A, const N: usize>()
where
    M: regressions::Model<N> + Send + Sync + 'static,
    A: Accumulator<f64, N>,
{
    let wanted = M::regression();
    let n = wanted.rows.len();
    let column = |c: usize| wanted.rows.iter().map(move |row| row[c]);
    let numbers: Vec<f64> = column(0).chain(column(1)).collect();
    let data = DataSlices { all: &numbers, of_run: &[] };
    let model = Value::<M> { times: Table::new(0, n as u32, 1, false), model: PhantomData };
    let observed = Observed::plain(Table::new(n as u32, n as u32, 1, false));
    let settings = Settings { ftol: 1e-15, xtol: 1e-14, ..Settings::new(N) };
    for start in wanted.starts {
        let bounds = Bounds::unbounded();
        let (status, solver) =
            fit_model::<f64, A, _, _, N>(&model, &observed, data, start, &bounds, &settings);
        assert!(status.converged(), "{}: {status:?}", wanted.name);
        near(solver.best(), &wanted.certified, 1e-6);
        let goodness = Goodness {
            chi_squared: solver.sums().chi_squared(),
            rows: n as u64,
            parameters: N as u32,
        };
        let covariance = Covariance::of(solver.sums(), Parameters::first(N), goodness.reduced());
        near(&covariance.standard_errors(), &wanted.deviations, 1e-4);
    }
}

#[test]
fn derivatives_by_duals_lead_to_nists_values() {
    certified::<Misra1a, Normal<f64, 2>, 2>();
    certified::<BoxBod, Normal<f64, 2>, 2>();
    certified::<Mgh10, Triangular<f64, 3>, 3>();
    certified::<Rat42, Normal<f64, 3>, 3>();
    certified::<Rat43, Normal<f64, 4>, 4>();
    certified::<Mgh09, Triangular<f64, 4>, 4>();
    certified::<Thurber, Triangular<f64, 7>, 7>();
    certified::<Hahn1, Triangular<f64, 7>, 7>();
    certified::<Gauss2, Normal<f64, 8>, 8>();
    certified::<Lanczos3, Triangular<f64, 6>, 6>();
    certified::<Enso, Normal<f64, 9>, 9>();
}

/// height exp(-t / lifetime) + background
#[derive(Clone, Copy)]
struct Decay {
    times: Table,
}

impl<R: Real> Model<R, 3> for Decay {
    fn predict<P: Point<R>>(&self, x: &P, row: usize) -> R {
        let [height, lifetime, background] = [0, 1, 2].map(|i| x.get(i));
        height * (-x.data(self.times, row) / lifetime).exp() + background
    }
}

/// Times that all runs share, and counts and deviations of two runs.
fn measured() -> (Vec<f64>, [Vec<f64>; 2]) {
    let times: Vec<f64> = (0..300).map(|k| f64::from(k) * 0.02).collect();
    let of_run = |height: f64| {
        let count = |(k, t): (usize, &f64)| {
            (height * (-t / 1.5).exp() + 4.0 + ((k * 7919) % 13) as f64 / 3.0 - 2.0)
                .round()
                .max(0.0)
        };
        let counts: Vec<f64> = times.iter().enumerate().map(count).collect();
        let deviations = counts.iter().map(|count| count.max(1.0).sqrt());
        counts.iter().copied().chain(deviations).collect()
    };
    let runs = [of_run(40.0), of_run(90.0)];
    (times, runs)
}

#[test]
fn what_a_fit_minimises_is_the_objective_that_is_searched() {
    let (times, runs) = measured();
    let n = times.len() as u32;
    let model = Decay { times: Table::new(0, n, 1, false) };
    let plain = Observed::plain(Table::new(0, n, 1, true));
    let sigma = Table::new(n, n, 1, true);
    let residuals = |loss| Scatter::Residuals { loss, scale: 1.5 };
    let all = [
        plain,
        Observed { sigma, ..plain },
        Observed { sigma, scatter: residuals(Loss::Huber), ..plain },
        Observed { sigma, scatter: residuals(Loss::SoftL1), ..plain },
        Observed { scatter: residuals(Loss::Cauchy), ..plain },
        Observed { scatter: Scatter::Counts, ..plain },
    ];
    for observed in all {
        let misfit = Misfit::<_, 3> { model, observed };
        for (of_run, height) in runs.iter().zip([40.0, 90.0]) {
            let data = DataSlices { all: &times, of_run };
            let bounds = Bounds::new([0.0, 0.1, 0.0], [200.0, 9.0, 50.0]).unwrap();
            let (status, solver) = fit_model::<f64, Normal<f64, 3>, _, _, 3>(
                &model,
                &observed,
                data,
                [60.0, 1.0, 1.0],
                &bounds,
                &Settings { ftol: 1e-14, xtol: 1e-12, ..Settings::new(3) },
            );
            assert!(status.converged(), "{observed:?}: {status:?}");
            assert!((solver.best()[0] - height).abs() < 3.0, "{observed:?}: {:?}", solver.best());
            let point = WithData { point: SlicePoint(solver.best()), data };
            let chi_squared = solver.sums().chi_squared();
            let value: f64 = misfit.value(&point);
            assert_relative_eq!(value, chi_squared, max_relative = 1e-12);
            // The gradient of the objective is zero there, too.
            let mut slopes = [0.0; 3];
            gradient(&misfit, &point, &mut slopes);
            for (slope, x) in slopes.iter().zip(solver.best()) {
                assert!((slope * x).abs() < 1e-4 * chi_squared, "{observed:?}: {slopes:?}");
            }
        }
    }
}

#[test]
fn a_row_that_cannot_be_is_not_finite() {
    let (times, runs) = measured();
    let n = times.len() as u32;
    let model = Decay { times: Table::new(0, n, 1, false) };
    // A table that does not exist.
    let observed = Observed::plain(Table::new(9_999, n, 1, true));
    let data = DataSlices { all: &times, of_run: &runs[0] };
    let (bounds, settings) = (Bounds::unbounded(), Settings::new(3));
    let (status, _) = fit_model::<f64, Normal<f64, 3>, _, _, 3>(
        &model, &observed, data, [1.0; 3], &bounds, &settings,
    );
    assert_eq!(status, warpswarm_core::fit::Status::NotFinite);
}
