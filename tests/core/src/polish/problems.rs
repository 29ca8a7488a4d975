//! Built-in problems with derivatives by dual numbers.

use warpswarm_core::dual::{Differentiable, gradient};
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::polish::{Landscape, Settings, Smooth, Store};
use warpswarm_core::problems::{NistEnso, NistGauss2, NistHahn1, NistMgh09, NistThurber, Problem};
use warpswarm_core::{Fitness, Objective};

use super::functions::{all, descended};

/// A built-in problem, with derivatives by dual numbers.
#[derive(Clone)]
struct BuiltIn<F>(F);

impl<F: Problem + Differentiable<f64>> Landscape<f64> for BuiltIn<F> {
    fn dimensions(&self) -> usize {
        F::DIMENSIONS.usual()
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        F::bounds(i)
    }
    fn evaluate(&mut self, x: impl Store<f64>, _: impl FnMut(usize, f64)) -> Fitness<f64> {
        let x = all(x, self.dimensions());
        Objective::<f64>::evaluate(&self.0, &SlicePoint(&x))
    }
}

impl<F: Problem + Differentiable<f64>> Smooth<f64> for BuiltIn<F> {
    fn partials(&mut self, x: impl Store<f64>, mut partial: impl FnMut(usize, usize, f64)) {
        let x = all(x, self.dimensions());
        let mut slopes = vec![0.0; x.len()];
        gradient(&self.0, &SlicePoint(&x), &mut slopes);
        slopes.into_iter().enumerate().for_each(|(i, slope)| partial(0, i, slope));
    }
}

/// Sums of squares whose minimum is not zero: near it they fluctuate within rounding errors, which is no progress.
#[test]
fn a_sum_that_is_rounded_many_times_ends() {
    fn check<F: Problem + Differentiable<f64>>() {
        let n = F::DIMENSIONS.usual();
        let optimum: Vec<f64> = (0..n).map(|i| F::optimum_position(n, i).unwrap()).collect();
        for distance in [0.0, 1e-9, -1e-6, 1e-4] {
            let start: Vec<f64> = optimum.iter().map(|x| x * (1.0 + distance)).collect();
            let (_, report) = descended(&BuiltIn(F::default()), &Settings::default(), &start);
            assert!(report.evaluations < 3_000, "{} from {distance}: {report:?}", F::ID);
        }
    }
    check::<NistThurber>();
    check::<NistMgh09>();
    check::<NistHahn1>();
    check::<NistEnso>();
    check::<NistGauss2>();
}
