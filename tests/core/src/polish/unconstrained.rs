//! Functions between bounds.

use warpswarm_core::polish::{Settings, Status};

use super::functions::*;

/// The optimum of the Dixon-Price function: 2^-(1 - 2^-i).
fn dixon_price_optimum(i: usize) -> f64 {
    2.0_f64.powf(0.5_f64.powi(i as i32) - 1.0)
}

fn narrow(x: &[f64]) -> Vec<f32> {
    x.iter().map(|x| *x as f32).collect()
}

/// Fails unless a descent from a point near `centre` gets below `value` within `most` evaluations.
fn reaches(function: &Function, centre: impl Fn(usize) -> f64, r: f64, (value, most): (f64, u32)) {
    let (_, report) = descended(function, &Settings::default(), &function.start(centre, r));
    let name = (function.name, function.dimensions(), r);
    assert!(report.best.value < value, "{name:?}: {report:?}");
    assert!(report.evaluations <= most, "{name:?}: {report:?}");
}

#[test]
fn minima_of_zero_are_reached_to_the_rounding() {
    for n in [2, 10, 30, 100, 300] {
        for r in [0.01, 1.0] {
            reaches(&sphere(n), |_| 0.0, r, (1e-20, 12));
            reaches(&rosenbrock(n), |_| 1.0, r, (1e-20, 150));
            reaches(&zakharov(n), |_| 0.0, r, (1e-20, 80));
            reaches(&dixon_price(n), dixon_price_optimum, r, (1e-20, 750));
        }
    }
    for (n, most) in [(2, 30), (10, 150), (30, 400)] {
        for r in [0.01, 1.0] {
            reaches(&ellipsoid(n), |_| 0.0, r, (1e-20, most));
        }
    }
    reaches(&ellipsoid(100), |_| 0.0, 0.01, (1e-20, 15_000));
}

#[test]
fn single_precision_reaches_its_rounding() {
    for n in [2, 10, 30, 100] {
        for (function, centre) in [(sphere(n), 0.0), (rosenbrock(n), 1.0), (zakharov(n), 0.0)] {
            let start = narrow(&function.start(|_| centre, 0.1));
            let (_, report) = descended::<f32, _>(&function, &Settings::default(), &start);
            assert!(report.best.value < 1e-10, "{} {n}: {report:?}", function.name);
            assert!(report.evaluations < 300, "{} {n}: {report:?}", function.name);
        }
    }
}

/// The conditions of a minimum: free coordinates have no slope, and coordinates at a bound are pushed outwards.
#[test]
fn bounds_that_hold_are_found() {
    for n in [2, 3, 10, 30, 100, 1000] {
        let function = bounded_quadratic(n);
        for r in [0.01, 1.0] {
            let start = function.start(|_| 0.5, r);
            let (x, report) = descended(&function, &Settings::default(), &start);
            let gradient = (function.gradient)(&x);
            let mut held = 0;
            for (x, slope) in x.iter().zip(&gradient) {
                let free = *x > -1.0 && *x < 2.0;
                held += usize::from(!free);
                let back = if *x == 2.0 { *slope } else { -slope };
                assert!(if free { slope.abs() < 1e-5 } else { back <= 1e-12 }, "{x} {slope}");
            }
            assert!(n < 30 || held > n / 3, "{held}");
            assert!(report.evaluations < 60, "{report:?}");
        }
    }
}

#[test]
fn a_start_at_the_optimum_stays() {
    let (x, report) = descended(&rosenbrock(5), &Settings::default(), &[1.0; 5]);
    assert_eq!((x, report.status), (vec![1.0; 5], Status::Gradient));
    assert_eq!((report.steps, report.evaluations), (0, 1));
    // In a corner from which the function rises.
    let mut function = sphere(3);
    function.bounds = vec![(2.0, 3.0); 3];
    let (x, report) = descended(&function, &Settings::default(), &[2.0; 3]);
    assert_eq!((x, report.status, report.evaluations), (vec![2.0; 3], Status::Gradient, 1));
    let (x, report) = simplex(&rosenbrock(5), &Settings::default(), &[1.0; 5]);
    assert_eq!((x, report.best.value), (vec![1.0; 5], 0.0));
}

#[test]
fn fixed_coordinates_stay_whatever_they_are() {
    let mut function = rosenbrock(6);
    function.fixed = vec![false, true, false, false, true, false];
    let start = [0.5, 2.0, 0.5, 0.5, -7.0, 0.5];
    for search in [descended::<f64, Function>, simplex::<f64, Function>] {
        let (x, report) = search(&function, &Settings::default(), &start);
        assert_eq!((x[1], x[4]), (2.0, -7.0));
        assert!(report.best.value < report.start.value);
        let gradient = (function.gradient)(&x);
        assert!([0, 2, 3, 5].iter().all(|i| gradient[*i].abs() < 1e-3 || x[*i] == 10.0), "{x:?}");
    }
    // A coordinate that the function does not use may be NaN.
    let mut function = sphere(2);
    function.fixed = vec![false, true];
    function.value = |x| x[0] * x[0];
    function.gradient = |x| vec![2.0 * x[0], f64::NAN];
    let (x, report) = descended(&function, &Settings::default(), &[1.0, f64::NAN]);
    assert!(x[1].is_nan() && report.best.value < 1e-30, "{report:?}");
    // All coordinates are fixed.
    function.fixed = vec![true, true];
    for search in [descended::<f64, Function>, simplex::<f64, Function>] {
        let (x, report) = search(&function, &Settings::default(), &[1.0, 3.0]);
        assert_eq!((x, report.evaluations), (vec![1.0, 3.0], 1));
    }
}

#[test]
fn starts_beyond_the_bounds_are_moved_in() {
    for search in [descended::<f64, Function>, simplex::<f64, Function>] {
        let (x, report) = search(&sphere(2), &Settings::default(), &[9.0, f64::NAN]);
        assert_eq!(report.start.value, 50.0);
        assert!(x.iter().all(|x| x.abs() < 1e-8), "{x:?} {report:?}");
    }
}

#[test]
fn without_bounds_too() {
    let mut function = rosenbrock(10);
    function.bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); 10];
    let (_, report) = descended(&function, &Settings::default(), &[-1.5; 10]);
    assert!(report.best.value < 4.0, "{report:?}");
    let (_, report) = descended(&function, &Settings::default(), &[0.9; 10]);
    assert!(report.best.value < 1e-20, "{report:?}");
    let (_, report) = simplex(&function, &Settings::default(), &[0.9; 10]);
    assert!(report.best.value < 1e-8, "{report:?}");
}

#[test]
fn regions_without_a_value_are_kept_out_of() {
    for n in [1, 2, 5, 40] {
        let function = logarithms(n);
        let start = function.start(|_| 0.6, 1.0);
        let (x, report) = descended(&function, &Settings::default(), &start);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{n}: {x:?} {report:?}");
        let function = cliff(n);
        let start = function.start(|_| 0.6, 1.0);
        let (_, report) = descended(&function, &Settings::default(), &start);
        assert!(report.best.value.is_finite() && report.best.value < report.start.value);
    }
    for n in [1, 2, 5] {
        for function in [logarithms(n), cliff(n)] {
            let best = if function.name == "cliff" { 0.25 } else { 1.0 } * n as f64;
            let start = function.start(|_| 0.6, 1.0);
            let (_, report) = simplex(&function, &Settings::default(), &start);
            assert!(report.best.value < best * 1.05, "{} {n}: {report:?}", function.name);
        }
    }
    // The value at the start is not finite.
    let (x, report) = descended(&logarithms(2), &Settings::default(), &[-1.0, 1.0]);
    assert_eq!((x, report.status), (vec![-1.0, 1.0], Status::NotFinite));
    // A simplex may find a finite value nevertheless.
    let (_, report) = simplex::<f64, _>(&logarithms(2), &Settings::default(), &[-1e-3, 1.0]);
    assert!(report.best.value.is_finite(), "{report:?}");
}

#[test]
fn simplices_reach_the_rounding_in_few_dimensions() {
    for (n, most) in [(1, 500), (2, 1100), (5, 6000), (10, 16_000)] {
        let mut functions = vec![(sphere(n), 0.0), (zakharov(n), 0.0)];
        if n > 1 {
            functions.extend([(rosenbrock(n), 1.0), (ellipsoid(n), 0.0)]);
        }
        for (function, centre) in functions {
            let start = function.start(|_| centre, 0.1);
            let (_, report) = simplex(&function, &Settings::default(), &start);
            assert!(report.best.value < 1e-20, "{} {n}: {report:?}", function.name);
            assert!(report.evaluations < most, "{} {n}: {report:?}", function.name);
        }
    }
}

#[test]
fn tolerances_end_a_search_early() {
    let start = rosenbrock(10).start(|_| 1.0, 1.0);
    let all = descended::<f64, _>(&rosenbrock(10), &Settings::default(), &start).1;
    // Its minimum is 13.
    let function = bounded_quadratic(10);
    let coarse = Settings { gradient: 1e-3, ..Settings::default() };
    let early = descended(&function, &coarse, &function.start(|_| 0.5, 1.0)).1;
    assert_eq!(early.status, Status::Gradient);
    assert!(early.evaluations < 25, "{early:?}");
    let coarse = Settings { change: 1.0, ..Settings::default() };
    let early = descended(&rosenbrock(10), &coarse, &start).1;
    assert_eq!(early.status, Status::Change);
    assert!(early.evaluations < all.evaluations / 2, "{early:?} {all:?}");
}
