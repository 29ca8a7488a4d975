//! Searches for the starts of fits.

use std::cell::Cell;

use warpswarm_core::fit::{
    Accumulator, Best, Bounds, Normal, Parameters, Search, Settings, Solver, Term, sum_costs,
    sum_rows,
};

const ROWS: usize = 70;
const LOW: [f64; 5] = [0.0, 0.05, 0.0, 1.0, 0.0];
const HIGH: [f64; 5] = [4.0, 1.0, 3.0, 6.0, 1.0];

/// Two decays above a background, at a time t.
fn decays([a, b, c, d, e]: &[f64; 5], t: f64) -> (f64, [f64; 5]) {
    let (fast, slow) = ((-t / b).exp(), (-t / d).exp());
    let partials = [fast, a * fast * t / (b * b), slow, c * slow * t / (d * d), 1.0];
    (a * fast + c * slow + e, partials)
}

/// A row, with some noise.
fn row(at: &[f64; 5], k: usize) -> (Term<f64>, [f64; 5]) {
    let t = k as f64 * 0.15;
    let noise = ((k * 7919) % 101) as f64 / 1e4 - 0.005;
    let seen = decays(&[1.5, 0.4, 0.9, 2.5, 0.1], t).0 + noise;
    let (mean, partials) = decays(at, t);
    (Term::squared(mean - seen, 1.0), partials)
}

fn cost(at: &[f64; 5], most: f64) -> f64 {
    sum_costs(ROWS, most, &|k| row(at, k).0.cost)
}

fn sums(at: &[f64; 5]) -> Normal<f64, 5> {
    sum_rows(ROWS, &|k| row(at, k))
}

#[test]
fn starts_on_their_way_to_what_is_known_end_there() {
    let (bounds, settings) = (Bounds::new(LOW, HIGH).unwrap(), Settings::new(5));
    let (mut short, mut long) = (0, 0);
    for seed in 0..20 {
        let search = Search::between(LOW, HIGH, Parameters::NONE, seed);
        let count = Cell::new(0);
        let counted = |at: &[f64; 5]| {
            count.set(count.get() + 1);
            sums(at)
        };
        let found = search.best(0, &bounds, &settings, 20.0, cost, counted);
        short += count.take();

        // Every start is fitted until it converges.
        let mut to_the_end = Best::new(20.0);
        while !to_the_end.is_enough(&search) {
            let drawn = search.best_drawn(0, to_the_end.starts, &bounds, cost);
            let mut solver = Solver::<f64, Normal<f64, 5>, 5>::new(drawn, &bounds);
            let status = loop {
                let next =
                    solver.advance(&search.loose(&settings), &bounds, &counted(solver.point()));
                if let Some(status) = next.status() {
                    break status;
                }
            };
            assert!(to_the_end.has_ended(&search, &solver, Some(status)));
        }
        long += count.take();
        assert_eq!(found.starts, to_the_end.starts, "seed {seed}");
        let [found, wanted] = [found.point, to_the_end.point].map(|at| sums(&at).chi_squared());
        assert!((found / wanted - 1.0).abs() < 1e-4, "seed {seed}: {found}, {wanted}");
    }
    assert!(10 * short < 9 * long, "{short} and {long} evaluations");
}

/// A point of the sample may be dropped before all of its rows are evaluated, but never the best one.
#[test]
fn the_best_of_a_sample_does_not_depend_on_where_costs_end() {
    let bounds = Bounds::new(LOW, HIGH).unwrap();
    let search = Search::between(LOW, HIGH, Parameters::NONE.with(1), 5);
    let (seen, given_up) = (Cell::new(0), Cell::new(0));
    for start in 0..200 {
        let limited = search.best_drawn(0, start, &bounds, |at, most| {
            let found = cost(at, most);
            seen.set(seen.get() + 1);
            given_up.set(given_up.get() + u32::from(found < cost(at, f64::NAN)));
            found
        });
        assert_eq!(limited, search.best_drawn(0, start, &bounds, |at, _| cost(at, f64::NAN)));
    }
    assert!(2 * given_up.get() > seen.get(), "{} of {}", given_up.get(), seen.get());
}

/// Sums that a limit ends early are above the limit, and all others are complete.
#[test]
fn costs_end_where_they_are_more_than_asked_for() {
    for rows in [0, 1, 31, 32, 33, 255, 256, 257, 1000] {
        let all = sum_costs(rows, f64::NAN, &|_| 1.0);
        assert_eq!(all, rows as f64);
        for most in [0.5, 32.0, 300.0, 2000.0] {
            let found = sum_costs(rows, most, &|_| 1.0);
            assert!(found == all || (found > most && found < all), "{rows} rows, {most}");
        }
    }
    assert_eq!(sum_costs(1000, 300.0, &|_| 1.0), 320.0);
}

/// A better minimum is not dropped in favour of a known one.
#[test]
fn the_better_of_two_minima_near_each_other_is_found() {
    // (x^2 - 1)^2 + (x / 10 + 1 / 10)^2 is 0 at -1, and 0.04 near 1.
    let row = |[x]: &[f64; 1], k: usize| match k {
        0 => (Term::squared(x * x - 1.0, 1.0), [2.0 * x]),
        _ => (Term::squared(0.1 * x + 0.1, 1.0), [0.1]),
    };
    let bounds = Bounds::new([-3.0], [3.0]).unwrap();
    for seed in 0..50 {
        let search = Search::between([-3.0], [3.0], Parameters::NONE, seed);
        let found = search.best::<Normal<f64, 1>>(
            0,
            &bounds,
            &Settings::new(1),
            1.0,
            |at, most| sum_costs(2, most, &|k| row(at, k).0.cost),
            |at| sum_rows(2, &|k| row(at, k)),
        );
        assert!((found.point[0] + 1.0).abs() < 1e-3, "seed {seed}: {:?}", found.point);
        assert!((found.other() - 0.04).abs() < 1e-3 || found.other().is_nan(), "seed {seed}");
    }
}

/// What a search finds for a model whose row `k` is `row(parameters, k)`; the observations' weighted squares sum up to `size`.
fn searched<const N: usize>(
    search: &Search<f64, N>,
    bounds: &Bounds<f64, N>,
    (rows, size): (usize, f64),
    row: impl Fn(&[f64; N], usize) -> (Term<f64>, [f64; N]),
) -> Best<f64, N> {
    let cost = |at: &[f64; N], most: f64| sum_costs(rows, most, &|k| row(at, k).0.cost);
    let sums = |at: &[f64; N]| -> Normal<f64, N> { sum_rows(rows, &|k| row(at, k)) };
    search.best(0, bounds, &Settings::new(N), size, cost, sums)
}

/// A long first step takes most starts to a lifetime so short that it has no influence.
#[test]
fn a_plateau_is_no_minimum() {
    let (low, high) = ([0.0, 0.01, 0.0], [100.0, 100.0, 10.0]);
    let row = |&[a, b, c]: &[f64; 3], k: usize| {
        let t = 0.5 * k as f64;
        let noise = ((k * 7919) % 101) as f64 / 1e3 - 0.05;
        let seen = 7.5 * (-t / 2.0).exp() + 0.8 + noise;
        let e = (-t / b).exp();
        (Term::squared(a * e + c - seen, 100.0), [e, a * e * t / (b * b), 1.0])
    };
    let bounds = Bounds::new(low, high).unwrap();
    for logarithmic in [Parameters::NONE, Parameters::NONE.with(1)] {
        for seed in 0..200 {
            let search = Search::between(low, high, logarithmic, seed);
            let found = searched(&search, &bounds, (16, 3e4), row);
            assert!((found.point[1] - 2.0).abs() < 0.2, "seed {seed}: {:?}", found.point);
            assert!(found.starts < 64, "seed {seed}: {} starts", found.starts);
        }
    }
}

/// Nothing but noise: the amplitude is 0, and no lifetime is better than another.
#[test]
fn a_search_without_any_minimum_ends() {
    let row = |&[a, b]: &[f64; 2], k: usize| {
        let t = 0.5 * k as f64;
        let e = (-t / b).exp();
        (Term::squared(a * e + 1.0 + 0.1 * (k % 2) as f64, 1.0), [e, a * e * t / (b * b)])
    };
    let (low, high) = ([0.0, 0.01], [10.0, 10.0]);
    let bounds = Bounds::new(low, high).unwrap();
    for seed in 0..20 {
        let search = Search::between(low, high, Parameters::NONE, seed);
        let found = searched(&search, &bounds, (16, 16.0), row);
        assert_eq!((found.point[0], found.starts), (0.0, 28), "seed {seed}");
    }
}

/// Of samples at whole numbers, frequencies f and 1 - f are the same.
#[test]
fn equal_minima_at_other_parameters_are_told() {
    let row = |&[f]: &[f64; 1], k: usize| {
        let (turn, noise) = (core::f64::consts::TAU * k as f64, ((k * 7919) % 101) as f64 / 1e3);
        let seen = (0.23 * turn).cos() + noise;
        (Term::squared((f * turn).cos() - seen, 1.0), [-turn * (f * turn).sin()])
    };
    for (high, is_twin) in [(1.0, true), (0.5, false)] {
        let bounds = Bounds::new([0.0], [high]).unwrap();
        let mut told = 0;
        for seed in 0..50 {
            let search = Search::between([0.0], [high], Parameters::NONE, seed);
            let found = searched(&search, &bounds, (40, 20.0), row);
            let [f] = found.point;
            // Most of the other minima have nearly the same cost.
            assert!((f - 0.23).abs().min((f - 0.77).abs()) < 1e-2, "seed {seed}: {f}");
            let cost: f64 = (0..40).map(|k| row(&[f], k).0.cost).sum();
            told += u32::from((found.other() / cost - 1.0).abs() < 1e-2);
        }
        assert_eq!(told, if is_twin { 50 } else { 0 });
    }
}
