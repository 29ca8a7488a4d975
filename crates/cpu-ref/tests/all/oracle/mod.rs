//! Two papers' algorithms a second time, as independent oracles: serial programs written from the papers' pages, which
//! share nothing with `core` except the objective functions.
//!
//! The other tests of this crate use `core`'s own equations and draws, and so cannot see an error in them. Here the
//! draws come in sequence from [`XorShiftRng`], so that no single run can agree. Instead the distributions of the best
//! values of many runs are compared by [`smirnov`](crate::smirnov). An oracle can make one deliberate error ("fault"),
//! and the tests check that each error is detected.
//!
//! * `spso`: the CPSO paper's Algorithm 1; `cmepso`: the CMEPSO paper's Algorithm 3.

mod cmepso;
mod spso;

use rand_core::{Rng, SeedableRng};
use rand_xorshift::XorShiftRng;
use rayon::prelude::*;

use crate::smirnov::{critical, distance};

/// The number of runs of a sample; obvious faults need fewer.
const RUNS: u64 = 1000;

/// Draws in sequence.
struct Draws(XorShiftRng);

impl Draws {
    fn of_run(run: u64) -> Self {
        Draws(XorShiftRng::seed_from_u64(run))
    }

    /// Uniform in [0, 1).
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, (lower, upper): (f64, f64)) -> f64 {
        lower + (upper - lower) * self.uniform()
    }

    /// Standard normal, by Marsaglia's polar method: `core` uses another method.
    fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (self.between((-1.0, 1.0)), self.between((-1.0, 1.0)));
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }
}

/// The numbers of many runs, each sorted: `[number][run]`.
type Sample = Vec<Vec<f64>>;

/// The sample of `runs` runs, where `run` returns the numbers of one.
fn sample(runs: u64, run: impl Fn(u64) -> Vec<f64> + Send + Sync) -> Sample {
    let all: Vec<Vec<f64>> = (0..runs).into_par_iter().map(run).collect();
    let sorted = |number: usize| {
        let mut values: Vec<f64> = all.iter().map(|numbers| numbers[number]).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    (0..all[0].len()).map(sorted).collect()
}

/// D of each number, relative to its largest allowed value.
fn distances(left: &Sample, right: &Sample) -> Vec<f64> {
    assert_eq!(left.len(), right.len());
    let pairs = left.iter().zip(right);
    pairs.map(|(l, r)| distance(l, r) / critical(l.len() as u64, r.len() as u64)).collect()
}

/// Fails unless both samples can have the same distributions.
#[track_caller]
fn assert_alike(left: &Sample, right: &Sample, what: &str) {
    let distances = distances(left, right);
    println!("{what}: {distances:.2?}");
    assert!(distances.iter().all(|&distance| distance <= 1.0), "{what}: {distances:.2?}");
}

/// Fails unless the samples have different distributions.
#[track_caller]
fn assert_apart(left: &Sample, right: &Sample, what: &str) {
    let distances = distances(left, right);
    println!("{what}: {distances:.2?}");
    assert!(distances.iter().any(|&distance| distance > 1.0), "{what}: {distances:.2?}");
}

#[test]
fn draws_have_their_moments() {
    let mut draws = Draws::of_run(1);
    let n = 100_000;
    let mut moments = |draw: fn(&mut Draws) -> f64| {
        let x: Vec<f64> = (0..n).map(|_| draw(&mut draws)).collect();
        let mean = x.iter().sum::<f64>() / f64::from(n);
        let square = x.iter().map(|x| x * x).sum::<f64>() / f64::from(n);
        [mean, square]
    };
    // Five standard deviations of each mean.
    let [mean, square] = moments(Draws::uniform);
    assert!((mean - 0.5).abs() < 0.0046 && (square - 1.0 / 3.0).abs() < 0.0047, "{mean} {square}");
    let [mean, square] = moments(Draws::normal);
    assert!(mean.abs() < 0.0158 && (square - 1.0).abs() < 0.0224, "{mean} {square}");
}
