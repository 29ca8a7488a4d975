//! Constraints in many dimensions, and awkward ones.

use warpswarm_core::Fitness;
use warpswarm_core::polish::{Landscape, Settings, Smooth, Store};

use super::functions::{all, descended};

/// The squared distance from a point, with one kind of constraints.
#[derive(Clone)]
struct Nearest {
    target: Vec<f64>,
    kind: Kind,
    fixed: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// |x|^2 <= 1.
    Ball,
    /// The sum is 1, as two constraints.
    Plane,
    /// The sum is at most 1, as three constraints with factors of 10^-5, 1 and 10^5.
    Thrice,
    /// x_0 >= 3, which cannot be satisfied between bounds of -2 and 2.
    Infeasible,
    /// x_0^3 <= 0, whose slope vanishes where it is active.
    Flat,
}

impl Nearest {
    fn rows(&self, x: &[f64]) -> Vec<(f64, Vec<f64>)> {
        let n = x.len();
        let sum: f64 = x.iter().sum();
        let first = |value: f64, slope: f64| {
            let mut row = vec![0.0; n];
            row[0] = slope;
            (value, row)
        };
        match self.kind {
            Kind::Ball => {
                let square: f64 = x.iter().map(|x| x * x).sum();
                vec![(square - 1.0, x.iter().map(|x| 2.0 * x).collect())]
            }
            Kind::Plane => vec![(sum - 1.0, vec![1.0; n]), (1.0 - sum, vec![-1.0; n])],
            Kind::Thrice => [1e-5, 1.0, 1e5].map(|by| (by * (sum - 1.0), vec![by; n])).to_vec(),
            Kind::Infeasible => vec![first(3.0 - x[0], -1.0)],
            Kind::Flat => vec![first(x[0].powi(3), 3.0 * x[0] * x[0])],
        }
    }
}

impl Landscape<f64> for Nearest {
    fn dimensions(&self) -> usize {
        self.target.len()
    }
    fn constraints(&self) -> usize {
        self.rows(&vec![0.0; self.target.len()]).len()
    }
    fn bounds(&self, _i: usize) -> (f64, f64) {
        (-2.0, 2.0)
    }
    fn is_fixed(&self, _i: usize) -> bool {
        self.fixed
    }
    fn evaluate(&mut self, x: impl Store<f64>, mut each: impl FnMut(usize, f64)) -> Fitness<f64> {
        let x = all(x, self.target.len());
        let mut violation = 0.0;
        for (k, (value, _)) in self.rows(&x).into_iter().enumerate() {
            each(k, value);
            violation += value.max(0.0);
        }
        let value = x.iter().zip(&self.target).map(|(x, t)| (x - t) * (x - t)).sum();
        Fitness { violation, value }
    }
}

impl Smooth<f64> for Nearest {
    fn partials(&mut self, x: impl Store<f64>, mut partial: impl FnMut(usize, usize, f64)) {
        let x = all(x, self.target.len());
        for i in 0..x.len() {
            partial(0, i, 2.0 * (x[i] - self.target[i]));
        }
        for (k, (_, slopes)) in self.rows(&x).into_iter().enumerate() {
            for (i, slope) in slopes.into_iter().enumerate() {
                partial(k + 1, i, slope);
            }
        }
    }
}

fn nearest(n: usize, kind: Kind) -> Nearest {
    let target = (0..n).map(|i| 0.3 + ((i * 37) % 11) as f64 / 10.0).collect();
    Nearest { target, kind, fixed: false }
}

#[test]
fn the_ball_in_few_and_many_dimensions() {
    for n in [1, 2, 10, 32, 33, 100, 400] {
        let problem = nearest(n, Kind::Ball);
        let length = problem.target.iter().map(|t| t * t).sum::<f64>().sqrt();
        let expected = if length > 1.0 { (length - 1.0).powi(2) } else { 0.0 };
        for start in [0.0, 0.01, 0.5, -1.0] {
            let (x, report) = descended(&problem, &Settings::default(), &vec![start; n]);
            assert_eq!(report.best.violation, 0.0, "{n}: {report:?}");
            let off = report.best.value - expected;
            assert!(off.abs() <= 1e-12 * expected.max(1e-3), "{n}: {off:e} {report:?}");
            assert!(x.iter().all(|x| x.is_finite()) && report.evaluations < 20000, "{report:?}");
        }
    }
}

#[test]
fn equations_hold_to_the_rounding() {
    for n in [2, 10, 100] {
        let problem = nearest(n, Kind::Plane);
        let off = (problem.target.iter().sum::<f64>() - 1.0) / n as f64;
        let expected = off * off * n as f64;
        let (_, report) = descended(&problem, &Settings::default(), &vec![0.1; n]);
        assert!(report.best.violation < 1e-13, "{n}: {report:?}");
        assert!(
            (report.best.value - expected).abs() < 1e-12 * expected.max(1e-3),
            "{n}: {report:?}"
        );
    }
}

#[test]
fn constraints_that_say_the_same_do_no_harm() {
    for n in [2, 10, 100] {
        let problem = nearest(n, Kind::Thrice);
        let off = (problem.target.iter().sum::<f64>() - 1.0).max(0.0) / n as f64;
        let expected = off * off * n as f64;
        let (_, report) = descended(&problem, &Settings::default(), &vec![0.1; n]);
        assert_eq!(report.best.violation, 0.0, "{n}: {report:?}");
        let error = (report.best.value - expected).abs();
        assert!(error < 1e-12 * expected.max(1e-3), "{n}: {report:?}");
    }
}

#[test]
fn what_cannot_be_met_comes_as_near_as_may_be() {
    let (x, report) = descended(&nearest(3, Kind::Infeasible), &Settings::default(), &[0.0; 3]);
    assert_eq!((x[0], report.best.violation), (2.0, 1.0), "{report:?}");
}

#[test]
fn a_constraint_without_a_slope_ends_feasible() {
    for start in [-1.0, 0.5] {
        let (x, report) =
            descended(&nearest(3, Kind::Flat), &Settings::default(), &[start, 0.0, 0.0]);
        assert!(report.best.violation < 1e-12 && x[0] < 1e-4, "{x:?} {report:?}");
    }
}

#[test]
fn nothing_that_moves() {
    let problem = Nearest { fixed: true, ..nearest(3, Kind::Ball) };
    let (x, report) = descended(&problem, &Settings::default(), &[0.9; 3]);
    assert_eq!(x, [0.9; 3]);
    assert!(report.evaluations < 100, "{report:?}");
}
