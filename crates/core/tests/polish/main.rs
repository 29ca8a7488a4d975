//! Polishing.
mod engineering;
mod functions;

use functions::*;
use warpswarm_core::polish::{Report, Settings, cells, descend, nelder_mead, simplex_numbers, numbers};
use warpswarm_core::random::{Purpose, RunKey, Stream};

fn settings() -> Settings<f64> {
    Settings { evaluations: 20_000, gradient: 1e-16, change: 0.0 }
}

fn polished(function: &Function, start: &[f64]) -> (Vec<f64>, Report<f64>) {
    let mut x = start.to_vec();
    let mut work = vec![f64::NAN; numbers(x.len(), 0)];
    let report = descend(&mut function.clone(), &settings(), cells(&mut x), cells(&mut work));
    (x, report)
}

#[test]
fn probe() {
    let offset = |i: usize| ((i * 7919 + 13) % 101) as f64 / 101.0 - 0.5;
    let at = |f: Function, opt: &dyn Fn(usize) -> f64, r: f64| {
        let n = f.bounds.len();
        let x: Vec<f64> = (0..n).map(|i| (opt(i) + r * offset(i)).clamp(f.bounds[i].0, f.bounds[i].1)).collect();
        let (_, rep) = polished(&f, &x);
        println!("{} {n} r={r}: {:.3e} -> {:.17e} steps {} ev {} gr {} {:?}", f.name, rep.start.value, rep.best.value, rep.steps, rep.evaluations, rep.gradients, rep.status);
    };
    let dp = |i: usize| { let p = 2f64.powi(i as i32 + 1); 2f64.powf(-(p - 2.0) / p) };
    for n in [2, 10, 30, 100, 1000] {
        for r in [1e-2, 1.0] {
            at(sphere(n), &|_| 0.0, r);
            at(ellipsoid(n), &|_| 0.0, r);
            at(rosenbrock(n), &|_| 1.0, r);
            at(zakharov(n), &|_| 0.0, r);
            at(dixon_price(n), &dp, r);
            at(bounded_quadratic(n), &|_| 0.5, r);
        }
    }
}

#[test]
fn probe_simplex() {
    let offset = |i: usize| ((i * 7919 + 13) % 101) as f64 / 101.0 - 0.5;
    let at = |f: Function, opt: &dyn Fn(usize) -> f64, r: f64| {
        let n = f.bounds.len();
        let mut x: Vec<f64> = (0..n).map(|i| (opt(i) + r * offset(i)).clamp(f.bounds[i].0, f.bounds[i].1)).collect();
        let mut work = vec![f64::NAN; simplex_numbers(x.len())];
        let rep = nelder_mead(&mut f.clone(), &settings(), cells(&mut x), cells(&mut work));
        println!("NM {} {n} r={r}: {:.3e} -> {:.17e} steps {} ev {} {:?}", f.name, rep.start.value, rep.best.value, rep.steps, rep.evaluations, rep.status);
    };
    let dp = |i: usize| { let p = 2f64.powi(i as i32 + 1); 2f64.powf(-(p - 2.0) / p) };
    for n in [2, 5, 10, 20] {
        for r in [1e-2, 1.0] {
            at(sphere(n), &|_| 0.0, r);
            at(ellipsoid(n), &|_| 0.0, r);
            at(rosenbrock(n), &|_| 1.0, r);
            at(zakharov(n), &|_| 0.0, r);
            at(dixon_price(n), &dp, r);
            at(bounded_quadratic(n), &|_| 0.5, r);
        }
    }
}
