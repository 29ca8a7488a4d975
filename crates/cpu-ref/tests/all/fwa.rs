//! The fireworks algorithm: worked out by hand; the same bits on threads, resumed and in all versions; within its
//! limits; and its quality.

use warpswarm_core::boundary::Boundary;
use warpswarm_core::fwa::{Fwa, Mapping, NUMBERS};
use warpswarm_core::launch::{StopRule, stopped};
use warpswarm_core::method::{Individual, SiteDraws};
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::problems::{Rosenbrock, Shifted, Sphere};
use warpswarm_core::random::{Purpose, Stream, standard_normal};
use warpswarm_core::{Fitness, Float, Objective};
use warpswarm_cpu_ref::fwa::{self, Span};
use warpswarm_cpu_ref::generation::Work;
use warpswarm_cpu_ref::{Halt, RunId, Start, Swarm, Threads, fingerprint};

use crate::common::{Cube, ID, assert_same};
use crate::edges::{Constrained, Flat, Holed};

fn tan_zhu<R: Float>() -> Fwa<R> {
    Fwa {
        amplitude: R::from_f64(0.2),
        amplitude_floor: R::ZERO,
        fewest: R::from_f64(0.04),
        most: R::from_f64(0.8),
        correction: R::from_f64(0.22),
        sparks: 50,
        gaussian_sparks: 5,
        mapping: Mapping::Modulo,
    }
}

/// Fireworks on an objective in a cube, not symmetric.
struct Case<R, O> {
    fwa: Fwa<R>,
    objective: O,
    cube: Cube<R>,
    individuals: u32,
}

impl<R: Float, O: Objective<R>> Case<R, O> {
    fn new(fwa: Fwa<R>, objective: O, dimensions: usize, individuals: u32) -> Self {
        Case { fwa, objective, cube: Cube::new(dimensions, -4.0, 6.0), individuals }
    }

    fn work<T>(&self, stop: StopRule<R>, then: impl FnOnce(&Work<'_, R>) -> T) -> T {
        let evaluate = |x: &[R]| self.objective.evaluate(&SlicePoint(x));
        then(&Work {
            evaluate: &evaluate,
            bounds: self.cube.bounds(),
            start: Start::default(),
            stop,
            halt: Halt::NEVER,
        })
    }

    fn start(&self, id: RunId, threads: Threads) -> Swarm<R> {
        self.work(StopRule::NEVER, |work| fwa::start(work, self.individuals, id, threads))
    }

    fn go_on(&self, from: &Swarm<R>, span: Span, threads: Threads) -> Swarm<R> {
        let mut swarm = from.clone();
        self.work(StopRule::NEVER, |work| fwa::run(&mut swarm, &self.fwa, work, span, threads));
        swarm
    }

    fn run(&self, id: RunId, iterations: u64) -> Swarm<R> {
        let start = self.start(id, Threads::Serial);
        self.go_on(&start, Span::iterations(iterations), Threads::Serial)
    }

    /// Fails unless everything is within bounds, and the fitnesses belong to the positions.
    #[track_caller]
    fn assert_sound(&self, swarm: &Swarm<R>) {
        assert!(swarm.positions.is_empty() && swarm.velocities.is_empty());
        for (row, fitness) in swarm.best_positions.chunks(swarm.stride).zip(&swarm.best) {
            for (i, &x) in row[..swarm.dimensions].iter().enumerate() {
                let (lower, upper) = self.cube.bounds().of(i);
                assert!(x >= lower && x <= upper, "{x} in [{lower}, {upper}]");
            }
            assert!(row[swarm.dimensions..].iter().all(|x| x.to_bits64() == 0), "{row:?}");
            let there = self.objective.evaluate(&SlicePoint(&row[..swarm.dimensions]));
            assert_eq!(there.ordered(), fitness.ordered());
        }
    }
}

/// Serial = threads, straight = resumed.
fn check<R: Float, O: Objective<R>>(case: &Case<R, O>, what: &str) -> Swarm<R> {
    let serial = case.run(ID, 37);
    case.assert_sound(&serial);
    for threads in [Threads::Pool, Threads::Chunks(1), Threads::Chunks(5)] {
        let start = case.start(ID, threads);
        let spread = case.go_on(&start, Span::iterations(37), threads);
        assert_same(&serial, &spread, &format!("{what}, {threads:?}"));
    }
    let resumed = case.go_on(&case.run(ID, 13), Span::iterations(24), Threads::Serial);
    assert_same(&serial, &resumed, what);
    serial
}

fn in_a_pool(work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    pool.install(work);
}

#[test]
fn threads_and_resuming_change_nothing() {
    fn all<R: Float>() {
        for (name, mapping) in Mapping::ALL {
            // An amplitude with which sparks often leave the cube.
            let fwa = Fwa { mapping, amplitude: R::ONE, ..tan_zhu() };
            for (dimensions, individuals) in [(1, 1), (2, 5), (3, 21), (33, 4)] {
                let what = format!("{} {name} {individuals} x {dimensions}", R::NAME);
                check(&Case::new(fwa, Sphere, dimensions, individuals), &what);
            }
            check(&Case::new(fwa, Constrained, 3, 8), name);
            check(&Case::new(fwa, Holed { above: R::ZERO }, 3, 8), name);
        }
    }
    in_a_pool(|| {
        all::<f32>();
        all::<f64>();
    });
}

/// Changing one of these numbers changes all users' seeded results: add an entry to the CHANGELOG.
#[test]
fn values_are_stable() {
    fn stable<R: Float>(fwa: Fwa<R>, dimensions: usize, individuals: u32, expected: [u64; 2]) {
        let objective = Shifted { shift: R::from_f64(0.75), problem: Rosenbrock };
        let swarm = check(&Case::new(fwa, objective, dimensions, individuals), "stable");
        let found = [swarm.global.fitness.value.to_bits64(), fingerprint(&swarm)];
        assert_eq!(found, expected, "{} {dimensions}: {found:#x?}", R::NAME);
    }
    in_a_pool(|| {
        stable::<f32>(tan_zhu(), 3, 5, [0x4008_e0a6, 0x5ef4_220c_365b_63d4]);
        stable::<f64>(tan_zhu(), 5, 5, [0x402a_039c_0923_77ac, 0x2f73_da58_838f_f063]);
        let mapping = Mapping::Boundary(Boundary::Reflect);
        let few =
            Fwa { sparks: 7, gaussian_sparks: 0, mapping, amplitude_floor: 0.125, ..tan_zhu() };
        stable::<f64>(few, 5, 21, [0x4088_d259_4d2c_cfbf, 0xdf37_79f2_8323_c8a6]);
    });
}

/// A candidate of the 2010 paper.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: [f64; 2],
    f: f64,
}

fn point(x: [f64; 2]) -> Point {
    Point { x, f: x[0] * x[0] + x[1] * x[1] }
}

/// One iteration of three fireworks in [-4, 6]^2, from the equations.
fn iterate(fireworks: &[Point; 3], iteration: u64) -> ([Point; 3], [u32; 3]) {
    const N: u32 = 3;
    let f = fireworks.map(|p| p.f);
    let (least, most) = (f[0].min(f[1]).min(f[2]), f[0].max(f[1]).max(f[2]));
    let e = 2.0_f64.powi(-52);
    // The tree of three terms is the same as their sequence.
    let above = f.iter().fold(0.0, |sum, f| sum + (f - least + e));
    let below = f.iter().fold(0.0, |sum, f| sum + (most - f + e));
    let mut all = fireworks.to_vec();
    let mut counts = [0; 3];
    let who = |index| Individual {
        key: ID.key(),
        iteration,
        index,
        individuals: N,
        dimensions: 2,
        attempt: 0,
        fitness: Fitness::WORST,
    };
    let place = |all: &mut Vec<Point>, from: [f64; 2], change: &dyn Fn(f64) -> f64| {
        let who = who(all.len() as u32);
        let draws = SiteDraws::of(&who);
        let [first, second] = [0, 1].map(|i| draws.drawn::<f64>(i, 0)[0].open());
        let chosen = match 1 + who.below(2, 0) {
            1 => [2.0 * first < 1.0, 2.0 * first >= 1.0],
            _ => [true, true],
        };
        assert!(second > 0.0);
        let mut x = from;
        for i in 0..2 {
            if chosen[i] {
                x[i] = change(x[i]);
                if !(-4.0..=6.0).contains(&x[i]) {
                    let turns = (x[i] + 4.0).abs() / 10.0;
                    x[i] = -4.0 + (turns - turns.floor()) * 10.0;
                }
            }
        }
        all.push(point(x));
    };
    for i in 0..3 {
        let amplitude = 0.2 * ((f[i] - least + e) / above);
        let s: f64 = 50.0 * ((most - f[i] + e) / below);
        for _ in 0..(s.clamp(2.0, 40.0) + 0.5).floor() as u32 {
            let u = who(all.len() as u32).uniform(0)[0];
            let h = amplitude * (2.0 * u - 1.0);
            place(&mut all, fireworks[i].x, &|x| x + h * 10.0);
            counts[i] += 1;
        }
    }
    for _ in 0..5 {
        let who = who(all.len() as u32);
        let firework = who.below(N, 1) as usize;
        let g = 1.0 + standard_normal::<f64>(who.uniform(0));
        place(&mut all, fireworks[firework].x, &|x| g * x);
        counts[firework] += 1;
    }
    (select(&all, iteration), counts)
}

fn select(all: &[Point], iteration: u64) -> [Point; 3] {
    let scaled = |p: &Point| p.x.map(|x| (x + 4.0) / 10.0);
    let mut ends = Vec::new();
    for p in all {
        let terms = all.iter().map(|q| {
            let ([a, b], [c, d]) = (scaled(p), scaled(q));
            ((a - c) * (a - c) + (b - d) * (b - d)).sqrt()
        });
        let terms: Vec<f64> = terms.collect();
        let sum =
            warpswarm_core::sum::fold_buffered::<f64, warpswarm_core::sum::Sum>(terms.len(), |i| {
                terms[i]
            });
        ends.push(ends.last().unwrap_or(&0.0) + sum);
    }
    let best = all.iter().fold(all[0], |best, p| if p.f < best.f { *p } else { best });
    let falls = |slot| {
        let stream = Stream::new(ID.key(), Purpose::Choice, iteration, slot);
        let ball = stream.draws_of::<f64>(0)[0].open() * ends[ends.len() - 1];
        all[ends.iter().position(|&end| end > ball).expect("a part of the wheel")]
    };
    [best, falls(1), falls(2)]
}

#[test]
fn iterations_by_hand() {
    let case = Case::new(tan_zhu::<f64>(), Sphere, 2, 3);
    let start = case.start(ID, Threads::Serial);
    let row = |swarm: &Swarm<f64>, i: usize| point([0, 1].map(|k| swarm.best_positions[2 * i + k]));
    let mut fireworks = [0, 1, 2].map(|i| row(&start, i));
    let mut spent = [1; 3];
    for iteration in 1..=30 {
        let (next, counts) = iterate(&fireworks, iteration);
        fireworks = next;
        (0..3).for_each(|i| spent[i] += counts[i]);
        let swarm = case.run(ID, iteration);
        assert_eq!([0, 1, 2].map(|i| row(&swarm, i)), fireworks, "{iteration}");
        assert_eq!(swarm.global.fitness.value, fireworks[0].f);
        assert_eq!([0, 1, 2].map(|i| swarm.numbers[NUMBERS * i]), spent.map(f64::from));
    }
}

#[test]
fn evaluations_are_those_that_were_made() {
    use std::sync::atomic::{AtomicU64, Ordering};
    let case = Case::new(tan_zhu::<f32>(), Sphere, 4, 6);
    let made = AtomicU64::new(0);
    let evaluate = |x: &[f32]| {
        made.fetch_add(1, Ordering::Relaxed);
        Sphere.evaluate(&SlicePoint(x))
    };
    let bounds = case.cube.bounds();
    let work = Work {
        evaluate: &evaluate,
        bounds,
        start: Start::default(),
        stop: StopRule::NEVER,
        halt: Halt::NEVER,
    };
    let mut swarm = fwa::start(&work, 6, ID, Threads::Serial);
    for _ in 0..50 {
        let before = made.load(Ordering::Relaxed);
        assert_eq!(fwa::evaluations(&swarm), before);
        let next = fwa::next_evaluations(&swarm, &case.fwa);
        // Six shares of 50, each rounded and at least 2.
        assert!((50 - 3..=50 + 3 + 12).contains(&(next - 5)), "{next}");
        fwa::run(&mut swarm, &case.fwa, &work, Span::iterations(1), Threads::Serial);
        assert_eq!(made.load(Ordering::Relaxed), before + next);
    }
    let most = case.fwa.most_candidates(6);
    assert!(6 + fwa::next_evaluations(&swarm, &case.fwa) <= most);
}

#[test]
fn a_limit_of_evaluations_is_met_and_never_exceeded() {
    let case = Case::new(tan_zhu::<f64>(), Sphere, 3, 5);
    let start = case.start(ID, Threads::Serial);
    for limit in [5, 6, 59, 60, 500, 5_000] {
        let span = Span { iterations: 1_000_000, evaluations: limit };
        let swarm = case.go_on(&start, span, Threads::Serial);
        let spent = fwa::evaluations(&swarm);
        assert!(spent <= limit && spent + fwa::next_evaluations(&swarm, &case.fwa) > limit);
        assert_eq!(swarm.control.stopped, stopped::EVALUATIONS);
        let mut straight = case.run(ID, swarm.control.iterations);
        straight.control.stopped = stopped::EVALUATIONS;
        assert_same(&swarm, &straight, "up to the limit");
    }
}

#[test]
fn the_best_is_kept_whatever_else_is() {
    for individuals in [1, 2, 9] {
        let objective = Shifted { shift: 1.5_f32, problem: Rosenbrock };
        let case = Case::<f32, _>::new(tan_zhu(), objective, 4, individuals);
        let mut swarm = case.start(ID, Threads::Serial);
        for iteration in 1..200 {
            let before = swarm.global.fitness;
            swarm = case.go_on(&swarm, Span::iterations(1), Threads::Serial);
            let improved = swarm.global.fitness.beats(before);
            assert!(improved || swarm.global.fitness == before);
            assert_eq!(improved, swarm.control.improved_at == iteration);
            assert_eq!((swarm.global.fitness, swarm.global.index), (swarm.best[0], 0));
            assert!(swarm.best.iter().all(|f| !f.beats(swarm.global.fitness)));
            case.assert_sound(&swarm);
        }
    }
}

#[test]
fn what_goes_wrong_has_an_outcome() {
    // Only NaN: the fireworks get equal shares, and the first stays the best.
    let case = Case::new(tan_zhu::<f64>(), Holed { above: f64::NEG_INFINITY }, 2, 5);
    let swarm = case.run(ID, 10);
    assert_eq!(swarm.control.not_finite, fwa::evaluations(&swarm));
    assert_eq!(fwa::evaluations(&swarm), 5 + 10 * 55);
    assert_eq!((swarm.global.index, swarm.control.improved_at), (0, 0));
    // Single NaN are counted, and are never the best.
    let swarm = Case::new(tan_zhu::<f32>(), Holed { above: 0.0 }, 2, 5).run(ID, 50);
    assert!(swarm.control.not_finite > 50 && swarm.global.fitness.value.is_finite());
    // Zero everywhere.
    let case = Case::new(tan_zhu::<f32>(), Flat, 2, 5);
    let start = case.start(ID, Threads::Serial);
    let swarm = case.run(ID, 20);
    assert_eq!((swarm.best_point(), swarm.control.improved_at), (start.best_point(), 0));
    // Constraints come first.
    let swarm = Case::new(tan_zhu::<f64>(), Constrained, 3, 5).run(ID, 300);
    assert_eq!(swarm.global.fitness.violation, 0.0);
    assert!(swarm.global.fitness.value < -6.5, "{:?}", swarm.global);
    // A frozen coordinate keeps its value, and a cube with a single point is allowed.
    let mut case = Case::new(tan_zhu::<f64>(), Sphere, 3, 5);
    (case.cube.0[1], case.cube.1[1]) = (2.5, 2.5);
    let swarm = case.run(ID, 300);
    assert!(swarm.best_point()[1] == 2.5 && swarm.global.fitness.value < 6.25 + 1e-3);
    (case.cube.0, case.cube.1) = (vec![2.0; 3], vec![2.0; 3]);
    assert_eq!(case.run(ID, 5).global.fitness.value, 12.0);
}

#[test]
fn targets_and_stagnation_stop_it() {
    let case = Case::new(tan_zhu::<f64>(), Sphere, 3, 5);
    let stopped_by = |case: &Case<f64, Sphere>, stop| {
        case.work(stop, |work| {
            let mut swarm = fwa::start(work, 5, ID, Threads::Serial);
            fwa::run(&mut swarm, &case.fwa, work, Span::iterations(10_000), Threads::Serial);
            swarm
        })
    };
    let swarm = stopped_by(&case, StopRule { target: 1e-3, stagnation: 0 });
    assert_eq!(swarm.control.stopped, stopped::TARGET);
    let before = case.run(ID, swarm.control.iterations - 1);
    assert!(swarm.global.fitness.value <= 1e-3 && before.global.fitness.value > 1e-3);
    let swarm = stopped_by(&case, StopRule { target: f64::NAN, stagnation: 4 });
    assert_eq!(swarm.control.stopped, stopped::STAGNATION);
    assert_eq!(swarm.control.iterations, swarm.control.improved_at + 4);
}

/// The median of the best values of 5 runs of 200,000 evaluations, in ten dimensions.
fn median(fwa: Fwa<f64>, shift: f64) -> f64 {
    let cube = Cube::new(10, -5.12, 5.12);
    let case = Case { fwa, objective: Shifted { shift, problem: Sphere }, cube, individuals: 5 };
    let span = Span { iterations: u64::MAX, evaluations: 200_000 };
    let best = |run| {
        let start = case.start(RunId { seed: 1, run }, Threads::Serial);
        case.go_on(&start, span, Threads::Serial).global.fitness.value
    };
    let mut values: Vec<f64> = (0..5).map(best).collect();
    values.sort_by(f64::total_cmp);
    values[2]
}

/// The measurements in the documentation of the algorithm.
#[test]
fn the_sphere_is_solved_at_the_origin_and_not_elsewhere() {
    let floored = Fwa { amplitude_floor: 1e-3, ..tan_zhu() };
    let found = [median(tan_zhu(), 0.0), median(tan_zhu(), 1.3), median(floored, 1.3)];
    println!("{found:?}");
    assert_eq!(found[0], 0.0);
    assert!(found[1] > 1e-5 && found[1] < 1e-3, "{found:?}");
    assert!(found[2] < 1e-9, "{found:?}");
}
