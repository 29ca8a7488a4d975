//! The engineering problems, with their derivatives by formulas of this file's own.

use std::ops::{Add, Div, Mul, Sub};

use warpswarm_core::objective::SlicePoint;
use warpswarm_core::polish::{Landscape, Report, Settings, Smooth, Store, cells, descend, numbers};
use warpswarm_core::problems::*;
use warpswarm_core::{Fitness, Objective};

use crate::functions::all;

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
    let polar = h * l * (l * l * (1.0 / 12.0) + half * half) * if cmepso { 2.0 } else { 8.0_f64.sqrt() };
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
}

impl<F: Problem + Objective<f64>> Engineering<F> {
    fn of(problem: F, formulas: Formulas) -> Self {
        Engineering { problem, formulas, dimensions: F::COORDINATES.len() }
    }
    fn formulas(&self, x: &[f64]) -> Vec<Dual> {
        let dual = |(i, x): (usize, &f64)| {
            let mut slopes = [0.0; 7];
            slopes[i] = 1.0;
            Dual(*x, slopes)
        };
        (self.formulas)(&x.iter().enumerate().map(dual).collect::<Vec<_>>())
    }
}

impl<F: Problem + Objective<f64>> Landscape<f64> for Engineering<F> {
    fn dimensions(&self) -> usize {
        self.dimensions
    }
    fn constraints(&self) -> usize {
        F::CONSTRAINTS.len()
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        F::bounds(i)
    }
    fn evaluate(&mut self, x: impl Store<f64>, mut each: impl FnMut(usize, f64)) -> Fitness<f64> {
        let x = all(x, self.dimensions);
        let mut row = 0;
        F::constraints(&SlicePoint(&x), |g| {
            each(row, g);
            row += 1;
        });
        self.problem.evaluate(&SlicePoint(&x))
    }
}

impl<F: Problem + Objective<f64>> Smooth<f64> for Engineering<F> {
    fn partials(&mut self, x: impl Store<f64>, mut partial: impl FnMut(usize, usize, f64)) {
        for (row, number) in self.formulas(&all(x, self.dimensions)).into_iter().enumerate() {
            for i in 0..self.dimensions {
                partial(row, i, number.1[i]);
            }
        }
    }
}

fn polish<F: Problem + Objective<f64>>(of: Engineering<F>, x: &[f64]) -> (Vec<f64>, Report<f64>) {
    let settings = Settings { evaluations: 20_000, gradient: 1e-16, change: 0.0 };
    let mut x = x.to_vec();
    let mut work = vec![f64::NAN; numbers(of.dimensions, F::CONSTRAINTS.len())];
    let report = descend(&mut of.clone(), &settings, cells(&mut x), cells(&mut work));
    (x, report)
}

fn check<F: Problem + Objective<f64>>(problem: F, formulas: Formulas) {
    let of = Engineering::of(problem, formulas);
    let n = of.dimensions;
    for (seed, r) in [(1, 1e-3), (2, 1e-3), (3, 1e-2), (4, 1e-2), (5, 3e-2), (6, 0.1), (7, 0.1)] {
        let x: Vec<f64> = (0..n)
            .map(|i| {
                let (lower, upper) = F::bounds(i);
                let o = ((i * 7919 + 13 * seed) % 101) as f64 / 101.0 - 0.5;
                (F::optimum_position(n, i).unwrap() + r * (upper - lower) * o).clamp(lower, upper)
            })
            .collect();
        let (y, rep) = polish(of, &x);
        let best = F::optimum_value(n).unwrap();
        println!("{} r={r}: ({:.1e}, {:.12e}) -> viol {:e} rel {:.2e} steps {} ev {} gr {} {:?}", F::ID, rep.start.violation, rep.start.value, rep.best.violation, (rep.best.value - best) / best, rep.steps, rep.evaluations, rep.gradients, rep.status);
        if rep.best.violation > 0.0 { println!("{y:?}"); }
    }
}

#[test]
fn probe_engineering() {
    check(ThreeBarTruss, three_bar_truss);
    check(PressureVessel, pressure_vessel);
    check(Spring, |x| spring(x, (71785.0, 12566.0)));
    check(SpringCmepso, |x| spring(x, (7178.0, 1.0)));
    check(WeldedBeam, |x| welded_beam(x, false));
    check(WeldedBeamCmepso, |x| welded_beam(x, true));
    check(SpeedReducer, |x| speed_reducer(x, false));
    check(SpeedReducerMezura, |x| speed_reducer(x, false));
    check(SpeedReducerCmepso, |x| speed_reducer(x, true));
}

/// The formulas of this file are those of the problems.
#[test]
fn formulas_agree() {
    fn agree<F: Problem + Objective<f64>>(problem: F, formulas: Formulas) {
        let of = Engineering::of(problem, formulas);
        let n = of.dimensions;
        let x: Vec<f64> = (0..n)
            .map(|i| {
                let (lower, upper) = F::bounds(i);
                lower + (upper - lower) * (0.3 + 0.05 * i as f64)
            })
            .collect();
        let mut expected = vec![problem.value(&SlicePoint(&x))];
        F::constraints(&SlicePoint(&x), |g: f64| expected.push(g));
        let found = of.formulas(&x);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found.0 - expected).abs() <= 1e-11 * expected.abs().max(1.0), "{} {} {expected}", F::ID, found.0);
        }
    }
    agree(ThreeBarTruss, three_bar_truss);
    agree(PressureVessel, pressure_vessel);
    agree(Spring, |x| spring(x, (71785.0, 12566.0)));
    agree(SpringCmepso, |x| spring(x, (7178.0, 1.0)));
    agree(WeldedBeam, |x| welded_beam(x, false));
    agree(WeldedBeamCmepso, |x| welded_beam(x, true));
    agree(SpeedReducer, |x| speed_reducer(x, false));
    agree(SpeedReducerMezura, |x| speed_reducer(x, false));
    agree(SpeedReducerCmepso, |x| speed_reducer(x, true));
}
