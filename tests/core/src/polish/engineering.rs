//! The engineering problems, with derivatives by separate formulas in this file.

use std::ops::{Add, Div, Mul, Sub};

use warpswarm_core::objective::SlicePoint;
use warpswarm_core::polish::{Landscape, Settings, Smooth, Status, Store};
use warpswarm_core::problems::*;
use warpswarm_core::{Fitness, Float, Objective};

use super::functions::{all, descended, simplex};

/// A number with its derivatives by up to seven coordinates.
#[derive(Clone, Copy)]
struct Dual(f64, [f64; 7]);

impl Dual {
    fn map(self, value: f64, slope: f64) -> Dual {
        Dual(value, self.1.map(|d| d * slope))
    }
    fn powi(self, n: i32) -> Dual {
        self.map(self.0.powi(n), f64::from(n) * self.0.powi(n - 1))
    }
    fn sqrt(self) -> Dual {
        self.map(self.0.sqrt(), 0.5 / self.0.sqrt())
    }
}
impl Add for Dual {
    type Output = Dual;
    fn add(self, other: Dual) -> Dual {
        Dual(self.0 + other.0, std::array::from_fn(|i| self.1[i] + other.1[i]))
    }
}
impl Mul for Dual {
    type Output = Dual;
    #[allow(clippy::suspicious_arithmetic_impl)]
    fn mul(self, other: Dual) -> Dual {
        Dual(self.0 * other.0, std::array::from_fn(|i| self.1[i] * other.0 + self.0 * other.1[i]))
    }
}
impl Div for Dual {
    type Output = Dual;
    fn div(self, other: Dual) -> Dual {
        self * other.powi(-1)
    }
}
impl Sub for Dual {
    type Output = Dual;
    fn sub(self, other: Dual) -> Dual {
        self + other * -1.0
    }
}
impl Add<f64> for Dual {
    type Output = Dual;
    fn add(self, other: f64) -> Dual {
        Dual(self.0 + other, self.1)
    }
}
impl Sub<f64> for Dual {
    type Output = Dual;
    fn sub(self, other: f64) -> Dual {
        self + -other
    }
}
impl Mul<f64> for Dual {
    type Output = Dual;
    fn mul(self, other: f64) -> Dual {
        self.map(self.0 * other, other)
    }
}
/// c / x.
fn over(c: f64, x: Dual) -> Dual {
    x.powi(-1) * c
}

/// The value and the constraints of a problem.
type Formulas = fn(&[Dual]) -> Vec<Dual>;

fn pressure_vessel(x: &[Dual]) -> Vec<Dual> {
    let [a, b, r, l] = [x[0], x[1], x[2], x[3]];
    let value = a * r * l * 0.6224 + b * r * r * 1.7781 + a * a * l * 3.1661 + a * a * r * 19.84;
    let volume = (r * r * l + r * r * r * (4.0 / 3.0)) * -std::f64::consts::PI + 1_296_000.0;
    vec![value, r * 0.0193 - a, r * 0.00954 - b, volume, l - 240.0]
}

fn spring(x: &[Dual], (deflection, shear): (f64, f64)) -> Vec<Dual> {
    let [d, c, p] = [x[0], x[1], x[2]];
    let sheared = (c * 12566.0 - d * shear) * d.powi(3);
    vec![
        (p + 2.0) * c * d * d,
        c.powi(3) * p / d.powi(4) * (-1.0 / deflection) + 1.0,
        (c * c * 4.0 - d * c) / sheared + over(1.0, d * d * 5108.0) - 1.0,
        d / (c * c * p) * -140.45 + 1.0,
        (d + c) * (1.0 / 1.5) - 1.0,
    ]
}

fn welded_beam(x: &[Dual], cmepso: bool) -> Vec<Dual> {
    let [h, l, t, b] = [x[0], x[1], x[2], x[3]];
    let half = (h + t) * 0.5;
    let radius = (l * l * 0.25 + half * half).sqrt();
    let polar =
        h * l * (l * l * (1.0 / 12.0) + half * half) * if cmepso { 2.0 } else { 8.0_f64.sqrt() };
    let force = if cmepso { 14.0 } else { 6000.0 };
    let direct = over(6000.0 / 2.0_f64.sqrt(), h * l);
    let twisting = (l * 0.5 + 14.0) * radius / polar * force;
    let both = direct * twisting * l / radius;
    let price = t * b * (l + 14.0) * 0.04811;
    let stiff = t * b.powi(3) * (t * (-0.625_f64.sqrt() / 28.0) + 1.0);
    vec![
        h * h * l * 1.10471 + price,
        (direct * direct + both + twisting * twisting).sqrt() - 13600.0,
        over(504_000.0, b * t * t) - 30_000.0,
        h - b,
        h * h * 0.10471 + price - 5.0,
        h * -1.0 + 0.125,
        over(4.0 * 6000.0 * 2744.0 / 30e6, t.powi(3) * b) - 0.25,
        stiff * (-4.013 * 30e6 / 1176.0) + 6000.0,
    ]
}

fn three_bar_truss(x: &[Dual]) -> Vec<Dual> {
    let (outer, middle, root) = (x[0], x[1], 2.0_f64.sqrt());
    let stiff = outer * outer * root + outer * middle * 2.0;
    vec![
        (outer * (2.0 * root) + middle) * 100.0,
        (outer * root + middle) / stiff * 2.0 - 2.0,
        middle / stiff * 2.0 - 2.0,
        over(2.0, outer + middle * root) - 2.0,
    ]
}

#[allow(clippy::approx_constant)]
fn speed_reducer(x: &[Dual], cmepso: bool) -> Vec<Dual> {
    let [a, m, z, l, k, r, s] = std::array::from_fn(|i| x[i]);
    let gears = z * z * 3.3333 + z * 14.9334 - 43.0934;
    let value = a * m * m * gears * 0.7854 - a * (r * r + s * s) * 1.508
        + (r.powi(3) + s.powi(3)) * 7.4777
        + (l * r * r + k * s * s) * 0.7854;
    let stress = |length: Dual, torque: f64| {
        let bending = length / (m * z) * 745.0;
        (bending * bending + torque).sqrt()
    };
    let g5 = stress(l, 16.9e6) / r.powi(3) * (1.0 / 110.0) - 1.0;
    let g9 = if cmepso { a * m } else { a / m };
    vec![
        value,
        over(27.0, a * m * m * z) - 1.0,
        over(397.5, a * m * m * z * z) - 1.0,
        l.powi(3) / (m * z * r.powi(4)) * 1.93 - 1.0,
        k.powi(3) / (m * z * s.powi(4)) * 1.93 - 1.0,
        if cmepso { g5 * 0.0 - 1.0 } else { g5 },
        stress(k, 157.5e6) / s.powi(3) * (1.0 / 85.0) - 1.0,
        m * z * (1.0 / 40.0) - 1.0,
        m / a * 5.0 - 1.0,
        g9 * (1.0 / 12.0) - 1.0,
        (r * 1.5 + 1.9) / l - 1.0,
        (s * 1.1 + 1.9) / k - 1.0,
    ]
}

/// A problem of the registry with formulas for its derivatives.
#[derive(Clone, Copy)]
struct Engineering<F> {
    problem: F,
    formulas: Formulas,
    dimensions: usize,
    fixed: Option<usize>,
}

impl<F: Problem> Engineering<F> {
    fn formulas(&self, x: &[f64]) -> Vec<Dual> {
        let dual = |(i, x): (usize, &f64)| {
            let mut slopes = [0.0; 7];
            slopes[i] = 1.0;
            Dual(*x, slopes)
        };
        (self.formulas)(&x.iter().enumerate().map(dual).collect::<Vec<_>>())
    }

    /// A point near the optimum, at a distance of up to half of `r` times the ranges.
    fn start(&self, seed: usize, r: f64) -> Vec<f64> {
        let moved = |i: usize| {
            let (lower, upper) = F::bounds(i);
            let off = ((i * 7919 + 13 * seed) % 101) as f64 / 101.0 - 0.5;
            let optimum = F::optimum_position(self.dimensions, i).unwrap();
            (optimum + r * (upper - lower) * off).clamp(lower, upper)
        };
        (0..self.dimensions).map(moved).collect()
    }
}

impl<R: Float, F: Problem + Objective<R>> Landscape<R> for Engineering<F> {
    fn dimensions(&self) -> usize {
        self.dimensions
    }
    fn constraints(&self) -> usize {
        F::CONSTRAINTS.len()
    }
    fn bounds(&self, i: usize) -> (R, R) {
        let (lower, upper) = F::bounds(i);
        (R::from_f64(lower), R::from_f64(upper))
    }
    fn is_fixed(&self, i: usize) -> bool {
        self.fixed == Some(i)
    }
    fn evaluate(&mut self, x: impl Store<R>, mut each: impl FnMut(usize, R)) -> Fitness<R> {
        let x: Vec<R> = (0..self.dimensions).map(|i| x.get(i)).collect();
        let mut row = 0;
        F::constraints(&SlicePoint(&x), |g| {
            each(row, g);
            row += 1;
        });
        self.problem.evaluate(&SlicePoint(&x))
    }
}

impl<R: Float, F: Problem + Objective<R>> Smooth<R> for Engineering<F> {
    fn partials(&mut self, x: impl Store<R>, mut partial: impl FnMut(usize, usize, R)) {
        for (row, number) in self.formulas(&all(x, self.dimensions)).into_iter().enumerate() {
            for i in 0..self.dimensions {
                partial(row, i, R::from_f64(number.1[i]));
            }
        }
    }
}

/// A check that a test applies to each of the problems.
trait Check {
    fn check<F: Problem + Objective<f32> + Objective<f64>>(&self, of: Engineering<F>);
}

fn for_all(check: impl Check) {
    fn of<F: Problem>(problem: F, formulas: Formulas) -> Engineering<F> {
        Engineering { problem, formulas, dimensions: F::COORDINATES.len(), fixed: None }
    }
    check.check(of(ThreeBarTruss, three_bar_truss));
    check.check(of(PressureVessel, pressure_vessel));
    check.check(of(Spring, |x| spring(x, (71785.0, 12566.0))));
    check.check(of(SpringCmepso, |x| spring(x, (7178.0, 1.0))));
    check.check(of(WeldedBeam, |x| welded_beam(x, false)));
    check.check(of(WeldedBeamCmepso, |x| welded_beam(x, true)));
    check.check(of(SpeedReducer, |x| speed_reducer(x, false)));
    check.check(of(SpeedReducerMezura, |x| speed_reducer(x, false)));
    check.check(of(SpeedReducerCmepso, |x| speed_reducer(x, true)));
}

/// The formulas of this file agree with those of the problems.
#[test]
fn formulas_agree() {
    struct Agree;
    impl Check for Agree {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self, of: Engineering<F>) {
            let x = of.start(5, 0.5);
            let mut expected: Vec<f64> = vec![of.problem.value(&SlicePoint(&x))];
            F::constraints(&SlicePoint(&x), |g| expected.push(g));
            let found = of.formulas(&x);
            assert_eq!(found.len(), expected.len(), "{}", F::ID);
            for (found, expected) in found.iter().zip(&expected) {
                // Constraints are differences of larger numbers.
                let error = (found.0 - expected).abs();
                assert!(error <= 1e-10 * expected.abs().max(1.0), "{}: {}", F::ID, found.0);
            }
        }
    }
    for_all(Agree);
}

/// The best known value is reached, to the last digits, by a feasible point, from far and near starts.
#[test]
fn every_optimum_is_reached_and_feasible() {
    struct Reached;
    impl Check for Reached {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self, of: Engineering<F>) {
            let best = F::optimum_value(of.dimensions).unwrap();
            let mut evaluations = 0;
            for (seed, r) in (1..).zip([0.0, 1e-9, 1e-6, 1e-3, 1e-3, 0.01, 0.01, 0.03, 0.1, 0.1]) {
                let (_, report) = descended(&of, &Settings::default(), &of.start(seed, r));
                let off = (report.best.value - best) / best;
                assert_eq!(report.best.violation, 0.0, "{} {seed}: {report:?}", F::ID);
                assert!(off.abs() < 1e-14, "{} {seed}: off by {off:e}, {report:?}", F::ID);
                evaluations += report.evaluations;
            }
            assert!(evaluations < 1500, "{}: {evaluations}", F::ID);
        }
    }
    for_all(Reached);
}

/// In single precision there are fewer digits, but the result is feasible too.
#[test]
fn single_precision_is_feasible_too() {
    struct Single;
    impl Check for Single {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self, of: Engineering<F>) {
            let best = F::optimum_value(of.dimensions).unwrap() as f32;
            for (seed, r) in (1..).zip([1e-3, 0.01, 0.03, 0.1]) {
                let start: Vec<f32> = of.start(seed, r).iter().map(|x| *x as f32).collect();
                let (_, report) = descended(&of, &Settings::default(), &start);
                let off = (report.best.value - best) / best;
                assert_eq!(report.best.violation, 0.0, "{} {seed}: {report:?}", F::ID);
                assert!(off.abs() < 2e-5, "{} {seed}: off by {off:e}, {report:?}", F::ID);
            }
        }
    }
    for_all(Single);
}

/// A fixed coordinate keeps its value, and the others are optimal for it.
#[test]
fn a_fixed_coordinate_stays() {
    struct Fixed;
    impl Check for Fixed {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self, of: Engineering<F>) {
            for fixed in 0..of.dimensions {
                let held = Engineering { fixed: Some(fixed), ..of };
                let start = of.start(3, 0.01);
                let (x, report) = descended::<f64, _>(&held, &Settings::default(), &start);
                assert_eq!(x[fixed], start[fixed], "{}", F::ID);
                // With the coordinate fixed at its optimum, the result is the optimum.
                let mut there = start;
                there[fixed] = F::optimum_position(of.dimensions, fixed).unwrap();
                let (_, best) = descended::<f64, _>(&held, &Settings::default(), &there);
                if report.best.violation == 0.0 {
                    assert!(best.best.value <= report.best.value * (1.0 + 1e-14), "{}", F::ID);
                }
            }
        }
    }
    for_all(Fixed);
}

/// A small budget gives some improvement, and is never exceeded.
#[test]
fn budgets_are_kept() {
    struct Budgets;
    impl Check for Budgets {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self, of: Engineering<F>) {
            let start = of.start(5, 0.03);
            for evaluations in [0, 1, 2, 3, 5, 10, 20, 40] {
                let settings = Settings { evaluations, ..Settings::<f64>::default() };
                let (_, report) = descended(&of, &settings, &start);
                assert!(report.evaluations <= evaluations.max(1), "{report:?}");
                let (_, report) = simplex(&of, &settings, &start);
                assert!(report.evaluations <= evaluations.max(1), "{report:?}");
                assert_eq!(report.status, Status::Budget);
            }
        }
    }
    for_all(Budgets);
}

/// Without derivatives, only by the order of results: feasible, and better than the start.
#[test]
fn a_simplex_gets_better_among_constraints() {
    struct Better;
    impl Check for Better {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self, of: Engineering<F>) {
            let (_, report) = simplex::<f64, _>(&of, &Settings::default(), &of.start(4, 0.01));
            assert!(report.best.beats(report.start), "{}: {report:?}", F::ID);
        }
    }
    for_all(Better);
}

/// The same from many starts in all directions.
#[test]
fn many_starts_lead_to_the_optimum() {
    struct Many;
    impl Check for Many {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self, of: Engineering<F>) {
            let best = F::optimum_value(of.dimensions).unwrap();
            for seed in 0..120 {
                let r = [1e-6, 1e-3, 0.01, 0.1][seed % 4];
                let start = of.start(seed * 31 + 7, r);
                let (_, report) = descended::<f64, _>(&of, &Settings::default(), &start);
                let off = (report.best.value - best) / best;
                let good = report.best.violation == 0.0 && off.abs() < 1e-13;
                assert!(good && report.evaluations < 250, "{} {seed}: {report:?}", F::ID);
            }
        }
    }
    for_all(Many);
}
