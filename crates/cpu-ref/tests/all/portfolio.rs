//! CMA-ES with restarts, alone and in turns with SHADE: the same bits on threads, resumed and in all versions; within
//! its limits; and its quality.

use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::cma_es::usual_individuals;
use warpswarm_core::launch::{StopRule, stopped};
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::problems::{Rastrigin, Rosenbrock, Shifted, Sphere};
use warpswarm_core::restart::{RestartPolicy, Restarts, regime};
use warpswarm_core::shade::Shade;
use warpswarm_core::{Float, Objective};
use warpswarm_cpu_ref::generation::Work;
use warpswarm_cpu_ref::portfolio::{self, Portfolio, Span};
use warpswarm_cpu_ref::{Halt, RunId, Start, Swarm, Threads, fingerprint};

use crate::common::{Cube, ID, assert_same};
use crate::edges::{Constrained, Flat, Holed};

fn shade<R: Float>() -> Shade<R> {
    Shade {
        initial: R::HALF,
        limits: Limits { correction: R::from_f64(0.22), boundary: Boundary::Clamp },
        midpoint: 1,
        memory: 6,
        tournament: 13,
        weights: [1, 1],
    }
}

fn alone<R: Float>(restarts: Restarts, individuals: u32) -> Portfolio<R> {
    let step = R::from_f64(0.15);
    Portfolio {
        restart_policy: RestartPolicy { restarts, individuals, step, active: true },
        shade: None,
    }
}

fn with_shade<R: Float>(individuals: u32) -> Portfolio<R> {
    Portfolio { shade: Some((shade(), 16)), ..alone(Restarts::Ipop, individuals) }
}

/// A portfolio on an objective in a cube, not symmetric.
struct Case<R, O> {
    searches: Portfolio<R>,
    objective: O,
    cube: Cube<R>,
    start: Vec<R>,
}

impl<R: Float, O: Objective<R>> Case<R, O> {
    fn new(searches: Portfolio<R>, objective: O, dimensions: usize) -> Self {
        Case { searches, objective, cube: Cube::new(dimensions, -4.0, 6.0), start: Vec::new() }
    }

    fn work<T>(&self, stop: StopRule<R>, then: impl FnOnce(&Work<'_, R>) -> T) -> T {
        let evaluate = |x: &[R]| self.objective.evaluate(&SlicePoint(x));
        then(&Work {
            evaluate: &evaluate,
            bounds: self.cube.bounds(),
            start: Start(&self.start),
            stop,
            halt: Halt::NEVER,
        })
    }

    fn start(&self, threads: Threads) -> Swarm<R> {
        self.work(StopRule::NEVER, |work| portfolio::start(&self.searches, work, ID, threads))
    }

    fn go_on(&self, from: &Swarm<R>, span: Span, threads: Threads) -> Swarm<R> {
        let mut swarm = from.clone();
        let searches = &self.searches;
        self.work(StopRule::NEVER, |work| {
            portfolio::run(&mut swarm, searches, work, span, threads)
        });
        swarm
    }

    fn run(&self, iterations: u64) -> Swarm<R> {
        self.go_on(&self.start(Threads::Serial), Span::iterations(iterations), Threads::Serial)
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
            let there = self.objective.evaluate(&SlicePoint(&row[..swarm.dimensions]));
            assert_eq!(there.ordered(), fitness.ordered());
        }
        let best = self.objective.evaluate(&SlicePoint(swarm.best_point()));
        assert_eq!(best.ordered(), swarm.global.fitness.ordered());
    }
}

/// Serial = threads, straight = resumed, at several iterations.
fn check<R: Float, O: Objective<R>>(case: &Case<R, O>, iterations: u64, what: &str) -> Swarm<R> {
    let serial = case.run(iterations);
    case.assert_sound(&serial);
    for threads in [Threads::Pool, Threads::Chunks(1), Threads::Chunks(5)] {
        let start = case.start(threads);
        let spread = case.go_on(&start, Span::iterations(iterations), threads);
        assert_same(&serial, &spread, &format!("{what}, {threads:?}"));
    }
    for first in [1, iterations / 3, iterations - 1] {
        let rest = Span::iterations(iterations - first);
        let resumed = case.go_on(&case.run(first), rest, Threads::Serial);
        assert_same(&serial, &resumed, what);
    }
    serial
}

fn in_a_pool(work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    pool.install(work);
}

#[test]
fn threads_and_resuming_change_nothing() {
    fn all<R: Float>() {
        for (dimensions, individuals) in [(1, 4), (2, 5), (7, 12), (33, 14)] {
            let what = format!("{} {individuals} x {dimensions}", R::NAME);
            let bipop = alone::<R>(Restarts::Bipop, individuals);
            check(&Case::new(bipop, Rastrigin, dimensions), 150, &what);
            check(&Case::new(with_shade::<R>(individuals), Rastrigin, dimensions), 150, &what);
        }
        // More samples than a chunk.
        check(&Case::new(alone::<R>(Restarts::Never, 300), Rosenbrock, 3), 12, "many");
        check(&Case::new(with_shade::<R>(8), Constrained, 3), 150, "constrained");
        check(&Case::new(with_shade::<R>(8), Holed { above: R::ZERO }, 3), 150, "holed");
    }
    in_a_pool(|| {
        all::<f32>();
        all::<f64>();
    });
}

/// A run can be interrupted and resumed after every iteration.
#[test]
fn runs_may_be_left_after_any_iteration() {
    let case = Case::new(with_shade::<f64>(6), Rastrigin, 2);
    let mut swarm = case.start(Threads::Serial);
    let mut legs = swarm.legs.number;
    for iteration in 1..=700 {
        swarm = case.go_on(&swarm, Span::iterations(1), Threads::Serial);
        assert_eq!(swarm.control.iterations, iteration);
        legs = legs.max(swarm.legs.number);
    }
    assert!(legs > 3, "{legs}");
    assert_same(&swarm, &case.run(700), "one by one");
}

/// Changing one of these numbers changes all users' seeded results: add an entry to the CHANGELOG.
#[test]
fn values_are_stable() {
    fn stable<R: Float>(searches: Portfolio<R>, dimensions: usize, expected: [u64; 2]) {
        let objective = Shifted { shift: R::from_f64(0.75), problem: Rosenbrock };
        let swarm = check(&Case::new(searches, objective, dimensions), 150, "stable");
        let found = [swarm.global.fitness.value.to_bits64(), fingerprint(&swarm)];
        assert_eq!(found, expected, "{} {dimensions}: {found:#x?}", R::NAME);
    }
    in_a_pool(|| {
        stable::<f32>(alone(Restarts::Bipop, 7), 3, [0x2d07_0000, 0xc927_343a_e77c_c77c]);
        stable::<f64>(
            alone(Restarts::Ipop, 10),
            10,
            [0x4020_ba6d_567d_4603, 0xbb07_4a93_b9c1_29e0],
        );
        stable::<f64>(with_shade(6), 2, [0x3c8f_321b_a60f_b3a0, 0x1085_3f64_f197_324b]);
    });
}

#[test]
fn evaluations_are_those_that_were_made_and_never_exceed_the_limit() {
    use std::sync::atomic::{AtomicU64, Ordering};
    for searches in [alone::<f64>(Restarts::Bipop, 6), with_shade(6)] {
        for limit in [6, 7, 12, 500, 5_001, 9_000] {
            let made = AtomicU64::new(0);
            let evaluate = |x: &[f64]| {
                made.fetch_add(1, Ordering::Relaxed);
                Rastrigin.evaluate(&SlicePoint(x))
            };
            let cube = Cube::new(2, -4.0, 6.0);
            let (start, stop, halt) = (Start::default(), StopRule::NEVER, Halt::NEVER);
            let work = Work { evaluate: &evaluate, bounds: cube.bounds(), start, stop, halt };
            let mut swarm = portfolio::start(&searches, &work, ID, Threads::Serial);
            let span = Span { iterations: 1_000_000, evaluations: limit };
            portfolio::run(&mut swarm, &searches, &work, span, Threads::Serial);
            let made = made.load(Ordering::Relaxed);
            assert_eq!(Portfolio::evaluations(&swarm), made);
            assert!(made <= limit && searches.would_exceed(&swarm, limit));
            assert_eq!(swarm.control.stopped, stopped::EVALUATIONS);
        }
    }
}

/// After a converged leg comes a larger one; the small ones between them together take as many evaluations.
#[test]
fn legs_grow_and_take_turns() {
    let legs = |searches: Portfolio<f64>, iterations: u64| {
        let case = Case::new(searches, Rastrigin, 2);
        let mut swarm = case.start(Threads::Serial);
        let mut seen = vec![swarm.legs];
        for _ in 0..iterations {
            let before = swarm.global;
            swarm = case.go_on(&swarm, Span::iterations(1), Threads::Serial);
            assert!(!before.fitness.beats(swarm.global.fitness), "the best is kept");
            if swarm.legs.number > seen.iter().map(|legs| legs.number).max().unwrap_or(0) {
                seen.push(swarm.legs);
            }
        }
        seen
    };
    let ipop = legs(alone(Restarts::Ipop, 6), 600);
    assert!(ipop.len() > 3, "{}", ipop.len());
    for (doubled, leg) in (0..).zip(&ipop) {
        assert_eq!((leg.doubled, leg.individuals), (doubled, 6 << doubled));
    }
    let bipop = legs(alone(Restarts::Bipop, 6), 1500);
    let small = bipop.iter().filter(|leg| leg.regime == regime::SMALL && leg.number > 0);
    assert!(small.clone().count() > 2);
    assert!(small.clone().all(|leg| (6..=6 << leg.doubled).contains(&leg.individuals)));
    assert!(small.clone().all(|leg| leg.spent[0] < leg.spent[1] && leg.limit > leg.evaluations));
    let both = legs(with_shade(6), 1500);
    let shades = both.iter().filter(|leg| leg.regime == regime::SHADE).count();
    assert!(shades > 1 && shades < both.len() - 1, "{shades} of {}", both.len());
    assert_eq!(legs(alone(Restarts::Never, 6), 600).len(), 1);
}

/// Searches in turns take about equally many evaluations, each after its lead.
#[test]
fn both_searches_have_their_share() {
    let spent = |objective: fn(&[f64]) -> f64, evaluations: u64| {
        let evaluate = |x: &[f64]| warpswarm_core::Fitness {
            violation: if x[0] > 5.0 { x[0] - 5.0 } else { 0.0 },
            value: objective(x),
        };
        let cube = Cube::new(3, -4.0, 6.0);
        let (start, stop, halt) = (Start::default(), StopRule::NEVER, Halt::NEVER);
        let work = Work { evaluate: &evaluate, bounds: cube.bounds(), start, stop, halt };
        let searches = with_shade(7);
        let mut swarm = portfolio::start(&searches, &work, ID, Threads::Serial);
        let span = Span { iterations: 1_000_000, evaluations };
        portfolio::run(&mut swarm, &searches, &work, span, Threads::Serial);
        let parked = swarm.parked.as_ref().expect("two searches").legs;
        let of = |wanted| {
            let both = [swarm.legs, parked].into_iter();
            both.filter(|legs| (legs.regime == regime::SHADE) == wanted)
                .map(|legs| legs.evaluations)
                .sum()
        };
        let (shade, cma): (u64, u64) = (of(true), of(false));
        (shade, cma)
    };
    // No constraint is violated near the minimum at 0, and hardly ever far away.
    let rastrigin = |x: &[f64]| Rastrigin.value(&SlicePoint(x));
    let (shade, cma) = spent(rastrigin, 3_000);
    assert!(shade == 0 || cma < 1_000, "{shade} {cma}");
    // If a point has violated a constraint, SHADE gets the lead.
    let (shade, cma) = spent(|x| -x[0], 20_000);
    assert!(shade > 18_000 && cma < 2_000, "{shade} {cma}");
    let (shade, cma) = spent(|x| -x[0], 90_000);
    assert!(shade.abs_diff(cma + 30_000) < 5_000, "{shade} {cma}");
}

#[test]
fn what_goes_wrong_has_an_outcome() {
    for searches in [alone::<f64>(Restarts::Bipop, 6), with_shade(6)] {
        // Only NaN, so that no values differ: the run continues, and ends.
        let swarm = Case::new(searches, Holed { above: f64::NEG_INFINITY }, 2).run(300);
        assert_eq!(swarm.control.not_finite, Portfolio::evaluations(&swarm));
        assert!(swarm.global.fitness.value.is_nan());
        let swarm = Case::new(searches, Flat, 3).run(300);
        assert_eq!((swarm.global.fitness.value, swarm.control.improved_at), (0.0, 0));
        assert!(swarm.legs.number > 1, "where nothing differs it begins anew");
    }
    // A frozen coordinate.
    let mut case = Case::new(with_shade::<f64>(6), Sphere, 2);
    case.cube = Cube(vec![1.5, -4.0], vec![1.5, 6.0]);
    let swarm = case.run(300);
    assert_eq!(swarm.best_point()[0], 1.5);
    assert!(swarm.best_point()[1].abs() < 1e-6);
}

#[test]
fn given_points_are_evaluated_first() {
    let mut case = Case::new(alone::<f64>(Restarts::Never, 8), Sphere, 3);
    case.start = vec![1.0, 2.0, 3.0, -1.0, f64::NAN, 0.5];
    let swarm = case.start(Threads::Serial);
    assert_eq!(swarm.best_positions[..3], [1.0, 2.0, 3.0]);
    assert_eq!((swarm.best_positions[4], swarm.best_positions[6]), (-1.0, 0.5));
    case.assert_sound(&swarm);
}

/// Rosenbrock's and Rastrigin's functions in ten dimensions, whose minima `pso` and `de` rarely reach with as many
/// evaluations.
#[test]
fn minima_are_found() {
    fn reached<O: Objective<f64>>(problem: O, evaluations: u64) -> usize {
        let searches = Portfolio {
            shade: Some((shade(), 64)),
            ..alone(Restarts::Ipop, usual_individuals(10))
        };
        let case = Case::new(searches, Shifted { shift: 0.75, problem }, 10);
        let stop = StopRule { target: 1e-8, stagnation: 0 };
        let is_reached = |run: &u64| {
            let id = RunId { seed: 5, run: *run };
            let mut swarm =
                case.work(stop, |work| portfolio::start(&searches, work, id, Threads::Serial));
            let span = Span { iterations: u64::MAX, evaluations };
            case.work(stop, |work| {
                portfolio::run(&mut swarm, &searches, work, span, Threads::Serial)
            });
            swarm.control.stopped == stopped::TARGET
        };
        (0..10).filter(is_reached).count()
    }
    assert_eq!(reached(Rosenbrock, 30_000), 10);
    assert_eq!(reached(Rastrigin, 100_000), 10);
}

/// When the level falls, it is applied to the waiting search, too.
#[test]
fn levels_fall_for_both_searches() {
    let mut case = Case::new(with_shade::<f64>(6), Constrained, 2);
    case.start = vec![-3.0, 0.0];
    let lenient = |swarm: &Swarm<f64>| {
        let parked = swarm.parked.as_ref().expect("two searches");
        swarm.best.iter().chain(&parked.best).filter(|fitness| fitness.violation < 0.0).count()
    };
    let mut swarm = case.start(Threads::Serial);
    swarm.set_level(1e9);
    swarm = case.go_on(&swarm, Span::iterations(3), Threads::Serial);
    swarm.best.iter_mut().for_each(|fitness| *fitness = fitness.within(1e9));
    assert!(swarm.parked.as_ref().is_some_and(|parked| !parked.best.is_empty()));
    assert!(lenient(&swarm) > 0);
    swarm.set_level(0.0);
    assert_eq!(lenient(&swarm), 0);
}
