//! Edge cases that occur in practice, each with its one outcome.

use crate::common::{Cube, ID, assert_same, assert_sound, coefficients, diverging};
use warpswarm_core::boundary::Boundary;
use warpswarm_core::launch::{StopRule, stopped};
use warpswarm_core::problems::{Euclidean, Shifted, Sphere};
use warpswarm_core::{Float, Objective, Point, Real};
use warpswarm_cpu_ref::{
    Bounds, DynObjective, Halt, Start, StaticObjective, Swarm, Task, Threads, pso, spso,
};

/// The sphere, with a NaN wherever the first coordinate is above a limit.
#[derive(Clone, Copy)]
pub(crate) struct Holed<R> {
    pub(crate) above: R,
}

impl<R: Real> Objective<R> for Holed<R> {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        if x.get(0) > self.above { R::NAN } else { x.sum(|_, x| x * x) }
    }
}

/// Zero everywhere: every particle is as good as every other.
#[derive(Clone, Copy)]
pub(crate) struct Flat;

impl<R: Real> Objective<R> for Flat {
    fn value<P: Point<R>>(&self, _: &P) -> R {
        R::ZERO
    }
}

/// The sum of the coordinates, feasible where the first is at least 1.
#[derive(Clone, Copy)]
pub(crate) struct Constrained;

impl<R: Real> Objective<R> for Constrained {
    const CONSTRAINED: bool = true;
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.sum(|_, x| x)
    }
    fn violation<P: Point<R>>(&self, x: &P) -> R {
        (R::ONE - x.get(0)).larger(R::ZERO)
    }
}

#[test]
fn nan_is_never_best_and_is_counted() {
    fn check<R: Float>(dimensions: usize) {
        let cube = Cube::<R>::new(dimensions, -4.0, 6.0);
        for (_, boundary) in Boundary::ALL {
            let task = cube.task(Holed { above: R::ZERO });
            let mut swarm = Swarm::new(&task, 33, ID, Threads::Serial);
            let holes = swarm.best.iter().filter(|f| f.value.is_nan()).count() as u64;
            assert!(holes > 0 && holes < 33);
            assert_eq!(swarm.control.not_finite, holes);
            let mut other = swarm.clone();
            pso::run(&mut swarm, &task, &coefficients(boundary), 50, Threads::Serial);
            spso::run(&mut other, &task, &coefficients(boundary), 50);
            for swarm in [swarm, other] {
                assert!(swarm.global.fitness.value.is_finite());
                assert!(swarm.control.not_finite > holes);
                assert!(swarm.best_point()[0] <= R::ZERO);
                assert_sound(&swarm, cube.bounds());
            }
        }
    }
    check::<f32>(1);
    check::<f32>(2);
    check::<f64>(2);
    check::<f64>(30);
}

#[test]
fn nothing_but_nan_is_survived() {
    let cube = Cube::<f64>::new(2, -4.0, 6.0);
    let task = cube.task(Holed { above: f64::NEG_INFINITY });
    let mut swarm = Swarm::new(&task, 33, ID, Threads::Serial);
    let start = swarm.clone();
    pso::run(&mut swarm, &task, &coefficients(Boundary::Clamp), 10, Threads::Chunks(5));
    assert!(swarm.global.fitness.value.is_nan());
    assert_eq!((swarm.global.index, swarm.control.improved_at), (0, 0));
    assert_eq!(swarm.control.not_finite, 33 * 11);
    assert_eq!(swarm.best_point(), start.position(0));
    assert_sound(&swarm, cube.bounds());
    let mut swarm = start;
    spso::run(&mut swarm, &task, &coefficients(Boundary::Clamp), 10);
    assert_eq!((swarm.global.index, swarm.control.not_finite), (0, 33 * 11));
    assert_sound(&swarm, cube.bounds());
}

#[test]
fn the_papers_coefficients_diverge_within_bounds() {
    let cube = Cube::<f32>::new(2, -100.0, 100.0);
    let task = cube.task(Euclidean);
    for (_, boundary) in Boundary::ALL {
        let mut swarm = Swarm::new(&task, 32, ID, Threads::Serial);
        let mut other = swarm.clone();
        pso::run(&mut swarm, &task, &diverging(boundary), 100_000, Threads::Serial);
        spso::run(&mut other, &task, &diverging(boundary), 100_000);
        for swarm in [swarm, other] {
            assert_eq!((swarm.control.iterations, swarm.control.not_finite), (100_000, 0));
            assert_sound(&swarm, cube.bounds());
        }
    }
}

#[test]
fn ties_go_to_the_lowest_index() {
    let cube = Cube::<f32>::new(2, -4.0, 6.0);
    let task = cube.task(Flat);
    let mut swarm = Swarm::new(&task, 100, ID, Threads::Chunks(7));
    let start = swarm.clone();
    assert_eq!(swarm.global.index, 0);
    pso::run(&mut swarm, &task, &coefficients(Boundary::Clamp), 10, Threads::Chunks(7));
    assert_eq!((swarm.global.index, swarm.control.improved_at), (0, 0));
    assert_eq!(swarm.best_positions, start.best_positions);
    assert_ne!(swarm.positions, start.positions);
}

#[test]
fn a_lower_index_that_draws_level_takes_over_without_an_improvement() {
    let bounds = Bounds { lower: &[0.0], upper: &[1.0] };
    let task = Task {
        objective: StaticObjective(Flat),
        bounds,
        start: Start::default(),
        stop: StopRule::NEVER,
        halt: Halt::NEVER,
    };
    let mut swarm = Swarm::<f64>::new(&task, 3, ID, Threads::Serial);
    // Particle 2 has the best; the others will equal it, because all values are zero.
    swarm.best[0].value = 5.0;
    swarm.best[1].value = 5.0;
    swarm.global.index = 2;
    swarm.global_position.copy_from_slice(&swarm.best_positions[4..6]);
    pso::step(&mut swarm, &task, &coefficients(Boundary::Clamp), Threads::Serial);
    assert_eq!((swarm.global.index, swarm.control.improved_at), (0, 0));
    assert_eq!(swarm.best_point(), swarm.position(0));
}

#[test]
fn a_frozen_coordinate_stays() {
    for (_, boundary) in Boundary::ALL {
        for dimensions in [2, 3] {
            let mut cube = Cube::<f64>::new(dimensions, -4.0, 6.0);
            (cube.0[1], cube.1[1]) = (2.5, 2.5);
            let task = cube.task(Sphere);
            let mut swarm = Swarm::new(&task, 40, ID, Threads::Serial);
            pso::run(&mut swarm, &task, &coefficients(boundary), 200, Threads::Serial);
            assert_sound(&swarm, cube.bounds());
            assert_eq!(swarm.best_point()[1], 2.5);
            assert!(swarm.global.fitness.value < 6.25 + 1e-3, "{:?}", swarm.global);
        }
    }
}

#[test]
fn the_target_stops_at_the_first_iteration_that_meets_it() {
    let cube = Cube::<f64>::new(3, -4.0, 6.0);
    let free = cube.task(Sphere);
    let coefficients = coefficients(Boundary::Clamp);
    for asynchronous in [false, true] {
        let run = |swarm: &mut Swarm<f64>,
                   task: &Task<'_, f64, DynObjective<'_, f64, false>>,
                   iterations| {
            if asynchronous {
                spso::run(swarm, task, &coefficients, iterations);
            } else {
                pso::run(swarm, task, &coefficients, iterations, Threads::Serial);
            }
        };
        let mut by_hand = Swarm::new(&free, 20, ID, Threads::Serial);
        while by_hand.global.fitness.value > 1e-3 {
            run(&mut by_hand, &free, 1);
        }
        let task = Task { stop: StopRule { target: 1e-3, stagnation: 0 }, ..free };
        let mut swarm = Swarm::new(&task, 20, ID, Threads::Serial);
        run(&mut swarm, &task, 10_000);
        assert_eq!(swarm.control.stopped, stopped::TARGET);
        by_hand.control.stopped = stopped::TARGET;
        assert_same(&swarm, &by_hand, "stopped at the target");
        run(&mut swarm, &task, 5);
        assert_same(&swarm, &by_hand, "a stopped swarm does not move");
        swarm.settle(&free.stop);
        run(&mut swarm, &free, 1);
        assert_eq!(swarm.control.iterations, by_hand.control.iterations + 1);
    }
}

#[test]
fn a_start_that_meets_the_target_has_stopped() {
    let cube = Cube::<f32>::new(2, -4.0, 6.0);
    let task = Task { stop: StopRule { target: 1e6, stagnation: 0 }, ..cube.task(Sphere) };
    let mut swarm = Swarm::new(&task, 20, ID, Threads::Serial);
    assert!(swarm.has_stopped());
    pso::run(&mut swarm, &task, &coefficients(Boundary::Clamp), 10, Threads::Serial);
    assert_eq!(swarm.control.iterations, 0);
}

#[test]
fn stagnation_stops_at_its_exact_iteration() {
    let cube = Cube::<f64>::new(2, -4.0, 6.0);
    let task = Task { stop: StopRule { target: f64::NAN, stagnation: 7 }, ..cube.task(Flat) };
    let mut swarm = Swarm::new(&task, 20, ID, Threads::Serial);
    let mut other = swarm.clone();
    pso::run(&mut swarm, &task, &coefficients(Boundary::Clamp), 100, Threads::Serial);
    spso::run(&mut other, &task, &coefficients(Boundary::Clamp), 100);
    for control in [swarm.control, other.control] {
        assert_eq!((control.iterations, control.stopped), (7, stopped::STAGNATION));
    }
}

#[test]
fn constraints_come_first() {
    let cube = Cube::<f32>::new(4, -4.0, 6.0);
    let task = cube.constrained(Constrained);
    let mut swarm = Swarm::new(&task, 40, ID, Threads::Serial);
    let mut other = swarm.clone();
    pso::run(&mut swarm, &task, &coefficients(Boundary::Clamp), 300, Threads::Pool);
    spso::run(&mut other, &task, &coefficients(Boundary::Clamp), 300);
    for swarm in [swarm, other] {
        assert_eq!(swarm.global.fitness.violation, 0.0);
        assert!(swarm.global.fitness.value < -10.99, "{:?}", swarm.global);
        let holder = &swarm.best[swarm.global.index as usize];
        assert_eq!(*holder, swarm.global.fitness);
    }
}

#[test]
fn the_asynchronous_one_converges_and_differs() {
    for dimensions in [2, 10] {
        let cube = Cube::<f64>::new(dimensions, -4.0, 6.0);
        let task = cube.task(Shifted { shift: 1.75, problem: Sphere });
        let mut swarm = Swarm::new(&task, 40, ID, Threads::Serial);
        let mut other = swarm.clone();
        let coefficients = coefficients(Boundary::Clamp);
        pso::run(&mut swarm, &task, &coefficients, 2, Threads::Serial);
        spso::run(&mut other, &task, &coefficients, 2);
        assert_ne!(swarm.positions, other.positions);
        pso::run(&mut swarm, &task, &coefficients, 598, Threads::Serial);
        spso::run(&mut other, &task, &coefficients, 598);
        assert!(swarm.global.fitness.value < 1e-9, "{:?}", swarm.global);
        assert!(other.global.fitness.value < 1e-9, "{:?}", other.global);
    }
}
