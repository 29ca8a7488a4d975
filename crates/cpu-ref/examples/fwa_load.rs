//! The distribution of the fireworks algorithm's work, as it would be on a GPU: sparks per firework, and the
//! selection's share of the time.
//!
//! ```text
//! cargo run --release -p warpswarm-cpu-ref --example fwa_load [ITERATIONS]
//! ```
//!
//! The module documentation of `warpswarm_core::fwa` draws the conclusions. All runs are in f64, in 30 dimensions, on
//! one thread. Sparks are counted in every iteration. Times are measured in every tenth, and the smallest are compared,
//! which are least disturbed by other programs.

use std::time::Instant;

use warpswarm_core::Objective;
use warpswarm_core::fwa::{self, Fwa, Mapping, Range};
use warpswarm_core::launch::StopRule;
use warpswarm_core::method::Fitnesses;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::order::Fitness;
use warpswarm_core::problems::{
    Ackley, Griewank, HyperEllipsoid, Problem, Rastrigin, Rosenbrock, Schwefel12, Schwefel226,
    Sphere,
};
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::sum::{self, Sum};
use warpswarm_cpu_ref::fwa::Span;
use warpswarm_cpu_ref::generation::Work;
use warpswarm_cpu_ref::{Bounds, Halt, RunId, Start, Threads};

const DIMENSIONS: usize = 30;
const LANES: u32 = 32;
const ITERATIONS: u64 = 1_000;

/// A number of fireworks with parameters for it.
struct Sizes {
    name: &'static str,
    fireworks: u32,
    fwa: Fwa<f64>,
}

/// The counts and times over all iterations of a run.
#[derive(Default)]
struct Load {
    /// The sum over iterations of the largest number of sparks of a firework, relative to the mean number.
    unevenness: f64,
    worst_unevenness: f64,
    largest: u32,
    /// The sum over iterations of the fraction of lanes with a spark, with a warp for a firework and a lane for a
    /// spark.
    lanes: f64,
    candidates: u64,
    iterations: u64,
    /// Seconds of iterations, and of the parts of a selection.
    whole: Vec<f64>,
    distances: Vec<f64>,
    roulette: Vec<f64>,
}

/// The fireworks by their fitness.
struct Fireworks<'a>(&'a [Fitness<f64>]);

impl Fitnesses<f64> for Fireworks<'_> {
    fn fitness(&self, individual: u32) -> Fitness<f64> {
        self.0[individual as usize]
    }
}

fn main() {
    let iterations = std::env::args().nth(1).map_or(Ok(ITERATIONS), |text| text.parse());
    let Ok(iterations) = iterations else {
        eprintln!("usage: fwa_load [ITERATIONS], a whole number");
        std::process::exit(2);
    };
    // The presets `gpu-fwa-paper` and `tan-zhu`.
    let defaults = Fwa {
        amplitude: 0.2,
        amplitude_floor: 0.0,
        fewest: 0.04,
        most: 0.8,
        correction: 0.22,
        sparks: 50,
        gaussian_sparks: 5,
        mapping: Mapping::Modulo,
    };
    let of_paper = Fwa { sparks: 640, gaussian_sparks: 64, fewest: 2.0 / 640.0, ..defaults };
    let all = [
        Sizes { name: "gpu-fwa-paper", fireworks: 64, fwa: of_paper },
        Sizes { name: "tan-zhu", fireworks: 5, fwa: defaults },
    ];
    for sizes in &all {
        println!("{}, {} fireworks, {iterations} iterations", sizes.name, sizes.fireworks);
        println!(
            "{:>16} {:>16} {:>8} {:>8} {:>6} {:>11} {:>8} {:>10} {:>9}",
            "problem",
            "largest/mean",
            "worst",
            "largest",
            "lanes",
            "candidates",
            "ms",
            "distances",
            "roulette"
        );
        of::<Sphere>(sizes, iterations);
        of::<HyperEllipsoid>(sizes, iterations);
        of::<Schwefel12>(sizes, iterations);
        of::<Rosenbrock>(sizes, iterations);
        of::<Rastrigin>(sizes, iterations);
        of::<Schwefel226>(sizes, iterations);
        of::<Griewank>(sizes, iterations);
        of::<Ackley>(sizes, iterations);
    }
}

fn of<F: Problem + Objective<f64>>(sizes: &Sizes, iterations: u64) {
    let load = run::<F>(sizes, iterations);
    let of_iterations = |x: f64| x / load.iterations as f64;
    let whole = least(&load.whole);
    let part = |seconds: &[f64]| 100.0 * least(seconds) / whole;
    println!(
        "{:>16} {:>16.1} {:>8.1} {:>8} {:>5.0}% {:>11.0} {:>8.3} {:>9.1}% {:>8.2}%",
        F::ID,
        of_iterations(load.unevenness),
        load.worst_unevenness,
        load.largest,
        100.0 * of_iterations(load.lanes),
        of_iterations(load.candidates as f64),
        1e3 * whole,
        part(&load.distances),
        part(&load.roulette),
    );
}

/// The smallest of the times, zero if there are none.
fn least(seconds: &[f64]) -> f64 {
    seconds.iter().copied().min_by(f64::total_cmp).unwrap_or(0.0)
}

fn run<F: Problem + Objective<f64>>(sizes: &Sizes, iterations: u64) -> Load {
    let (lower, upper): (Vec<f64>, Vec<f64>) = (0..DIMENSIONS).map(F::bounds).unzip();
    let evaluate = |x: &[f64]| F::default().evaluate(&SlicePoint(x));
    let work = Work {
        evaluate: &evaluate,
        bounds: Bounds { lower: &lower, upper: &upper },
        start: Start(&[]),
        stop: StopRule::NEVER,
        halt: Halt::NEVER,
    };
    let id = RunId { seed: 1, run: 0 };
    let mut swarm = warpswarm_cpu_ref::fwa::start(&work, sizes.fireworks, id, Threads::Serial);
    let mut load = Load::default();
    for iteration in 0..iterations {
        load.count(sizes, &swarm.best);
        let begin = Instant::now();
        warpswarm_cpu_ref::fwa::run(
            &mut swarm,
            &sizes.fwa,
            &work,
            Span::iterations(1),
            Threads::Serial,
        );
        if iteration % 10 == 0 {
            load.whole.push(begin.elapsed().as_secs_f64());
            load.time_selection(sizes, &swarm.best, iteration);
        }
    }
    load
}

impl Load {
    /// Counts the sparks of fireworks with this fitness.
    fn count(&mut self, sizes: &Sizes, best: &[Fitness<f64>]) {
        let sparks = sparks(sizes, best);
        let all: u32 = sparks.iter().sum();
        let largest = sparks.iter().copied().max().unwrap_or(0);
        let unevenness = f64::from(largest) * f64::from(sizes.fireworks) / f64::from(all);
        self.unevenness += unevenness;
        self.worst_unevenness = self.worst_unevenness.max(unevenness);
        self.largest = self.largest.max(largest);
        // All warps take as many rounds as the one with the most sparks.
        let places = sizes.fireworks * LANES * largest.div_ceil(LANES);
        self.lanes += f64::from(all) / f64::from(places);
        self.candidates += u64::from(sizes.fireworks + all + sizes.fwa.gaussian_sparks);
        self.iterations += 1;
    }

    /// Performs the algorithm's selection among as many candidates as these fireworks make; the time does not depend on
    /// their positions.
    fn time_selection(&mut self, sizes: &Sizes, best: &[Fitness<f64>], iteration: u64) {
        let thrown: u32 = sparks(sizes, best).iter().sum();
        let candidates = (sizes.fireworks + thrown + sizes.fwa.gaussian_sparks) as usize;
        let stream = |index| Stream::new(RunKey::new(2, 0), Purpose::Choice, iteration, index);
        let coordinate = |i: usize| {
            let draws = stream((i / DIMENSIONS) as u32).draws_of::<f64>((i % DIMENSIONS) as u32);
            draws[0].open()
        };
        let places: Vec<f64> = (0..candidates * DIMENSIONS).map(coordinate).collect();
        let place = |candidate: usize| &places[candidate * DIMENSIONS..][..DIMENSIONS];
        let begin = Instant::now();
        let mut ends = Vec::with_capacity(candidates);
        let mut end = 0.0;
        for candidate in 0..candidates {
            let to = |other| fwa::distance(place(candidate), place(other));
            end += sum::fold_buffered::<f64, Sum>(candidates, to);
            ends.push(end);
        }
        self.distances.push(begin.elapsed().as_secs_f64());
        let begin = Instant::now();
        for slot in 1..sizes.fireworks {
            let [r, _] = stream(slot).draws_of::<f64>(0);
            std::hint::black_box(fwa::roulette(&ends, r.open()));
        }
        self.roulette.push(begin.elapsed().as_secs_f64());
    }
}

/// The number of sparks of each firework.
fn sparks(sizes: &Sizes, best: &[Fitness<f64>]) -> Vec<u32> {
    let range = Range::of(sizes.fireworks, &Fireworks(best));
    best.iter().map(|&fitness| sizes.fwa.sparks_of(&range, fitness)).collect()
}
