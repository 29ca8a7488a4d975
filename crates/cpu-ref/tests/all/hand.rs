//! Two particles, two iterations, computed without the library from the published equations.

use crate::common::ID;
use warpswarm_core::boundary::Boundary;
use warpswarm_core::launch::StopRule;
use warpswarm_core::problems::Sphere;
use warpswarm_core::pso::Coefficients;
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_cpu_ref::{Bounds, Halt, Start, StaticObjective, Swarm, Task, Threads, pso, spso};

const LOWER: [f64; 2] = [-3.0, -1.0];
const UPPER: [f64; 2] = [5.0, 9.0];
const W: f64 = 0.75;
const C1: f64 = 1.25;
const C2: f64 = 1.5;
const K: f64 = 0.25;

/// A particle of the paper's figure 5.
#[derive(Clone, Copy)]
struct Particle {
    x: [f64; 2],
    v: [f64; 2],
    pbest: [f64; 2],
    pbest_fitness: f64,
}

/// The two draws of a coordinate's start, in [0, 1), directly from the words of the block.
fn draws(particle: usize, coordinate: usize) -> [f64; 2] {
    let stream = Stream::new(ID.key(), Purpose::Move, 0, particle as u32);
    let words = stream.block(coordinate as u32);
    let uniform = |high: u32, low: u32| {
        let bits = u64::from(high % 1_048_576) * 4_294_967_296 + u64::from(low);
        bits as f64 / 2.0_f64.powi(52)
    };
    [uniform(words[0], words[1]), uniform(words[2], words[3])]
}

/// The two random factors of a coordinate, directly from the words of the block.
fn factors(iteration: u64, particle: usize, coordinate: usize) -> [f64; 2] {
    let stream = Stream::new(ID.key(), Purpose::Move, iteration, particle as u32);
    let words = stream.block(0);
    [0, 1].map(|k| f64::from(words[2 * coordinate + k]) / 2.0_f64.powi(32))
}

fn fitness(x: [f64; 2]) -> f64 {
    x[0] * x[0] + x[1] * x[1]
}

fn start(particle: usize) -> Particle {
    let (mut x, mut v) = ([0.0; 2], [0.0; 2]);
    for d in 0..2 {
        // In the middle of their steps, so that they are never 0.
        let [u1, u2] = draws(particle, d).map(|r| r + 2.0_f64.powi(-53));
        x[d] = LOWER[d] + (UPPER[d] - LOWER[d]) * u1;
        v[d] = 0.5 * (LOWER[d] + (UPPER[d] - LOWER[d]) * u2 - x[d]);
    }
    Particle { x, v, pbest: x, pbest_fitness: fitness(x) }
}

/// Equations 2 and 3, the limit, the clamping, the personal best.
fn fly(p: &mut Particle, gbest: [f64; 2], iteration: u64, particle: usize) {
    for d in 0..2 {
        let [r1, r2] = factors(iteration, particle, d);
        let limit = K * (UPPER[d] - LOWER[d]);
        let v = (C1 * r1).mul_add(p.pbest[d] - p.x[d], W * p.v[d]);
        let v = (C2 * r2).mul_add(gbest[d] - p.x[d], v);
        p.v[d] = v.clamp(-limit, limit);
        p.x[d] += p.v[d];
        if p.x[d] < LOWER[d] || p.x[d] > UPPER[d] {
            p.x[d] = p.x[d].clamp(LOWER[d], UPPER[d]);
            p.v[d] = 0.0;
        }
    }
    if fitness(p.x) < p.pbest_fitness {
        p.pbest = p.x;
        p.pbest_fitness = fitness(p.x);
    }
}

fn best_of(particles: &[Particle; 2]) -> usize {
    usize::from(particles[1].pbest_fitness < particles[0].pbest_fitness)
}

fn check(iterations: u64, asynchronous: bool) {
    let task = Task {
        objective: StaticObjective(Sphere),
        bounds: Bounds { lower: &LOWER, upper: &UPPER },
        start: Start::default(),
        stop: StopRule::NEVER,
        halt: Halt::NEVER,
    };
    let coefficients = Coefficients {
        inertia: W,
        cognitive: C1,
        social: C2,
        velocity_limit: K,
        correction: 0.0,
        boundary: Boundary::Clamp,
    };
    let mut swarm = Swarm::new(&task, 2, ID, Threads::Serial);
    let mut particles = [start(0), start(1)];
    let mut gbest = particles[best_of(&particles)].pbest;
    let mut improved_at = 0;
    for iteration in 1..=iterations {
        let before = fitness(gbest);
        for (i, particle) in particles.iter_mut().enumerate() {
            fly(particle, gbest, iteration, i);
            if asynchronous && particle.pbest_fitness < fitness(gbest) {
                gbest = particle.pbest;
            }
        }
        gbest = particles[best_of(&particles)].pbest;
        if fitness(gbest) < before {
            improved_at = iteration;
        }
    }
    if asynchronous {
        spso::run(&mut swarm, &task, &coefficients, iterations);
    } else {
        pso::run(&mut swarm, &task, &coefficients, iterations, Threads::Serial);
    }
    assert_eq!(swarm.positions, [particles[0].x, particles[1].x].concat());
    assert_eq!(swarm.velocities, [particles[0].v, particles[1].v].concat());
    assert_eq!(swarm.best_positions, [particles[0].pbest, particles[1].pbest].concat());
    assert_eq!(swarm.best.iter().map(|f| f.value).collect::<Vec<_>>(), {
        particles.map(|p| p.pbest_fitness)
    });
    assert_eq!(swarm.global.index as usize, best_of(&particles));
    assert_eq!(swarm.global.fitness.value, fitness(gbest));
    assert_eq!(swarm.best_point(), gbest);
    assert_eq!((swarm.control.iterations, swarm.control.improved_at), (iterations, improved_at));
}

#[test]
fn the_start_by_hand() {
    check(0, false);
}

#[test]
fn the_first_iterations_by_hand() {
    for iterations in [1, 2, 3, 10, 50] {
        check(iterations, false);
    }
}

#[test]
fn the_asynchronous_iterations_by_hand() {
    for iterations in [1, 2, 3, 10, 50] {
        check(iterations, true);
    }
}
