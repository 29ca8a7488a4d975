//! Particle swarm optimisation, synchronous, serial or on threads: the reference for the GPU's kernels.
//!
//! **Idea.** In iteration t every particle is pulled by the global best of iteration t - 1. After all have moved, the
//! best of all personal bests is the new global best. So the particles can move in any order, or at the same time.
//!
//! **Equations and symbols** are those of [`warpswarm_core::pso`].
//!
//! **Source.** CPSO, Algorithms 2 to 5.
//!
//! [`Flying`] is for callers that evaluate points themselves.
//!
//! **Deviations.** The last step of the reduction is a minimum over a total order, so it has no race. A run can also
//! stop by stagnation.

mod propose_accept;

pub use propose_accept::Flying;

use warpswarm_core::boundary::Boundary;
use warpswarm_core::launch::{StopRule, row_stride};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::pso::Coefficients;
use warpswarm_core::real::Float;

use crate::flight::{Flight, Rows, specialised};
use crate::swarm::Swarm;
use crate::task::{Bounds, Evaluate, Task};
use crate::threads::{Chunk, Outcome, Split, Threads, spread};
use crate::vectors::{self, Run};

/// Does up to `iterations` iterations, fewer if the run stops.
///
/// N and then M iterations give the same bits as N + M, with any [`Threads`].
pub fn run<R: Float, O: Evaluate<R>>(
    swarm: &mut Swarm<R>,
    task: &Task<'_, R, O>,
    coefficients: &Coefficients<R>,
    iterations: u64,
    threads: Threads,
) {
    let rows = Rows::of(task.bounds);
    for _ in 0..iterations {
        if swarm.has_stopped() {
            break;
        }
        if !step_in(swarm, task, &rows, coefficients, threads) {
            break;
        }
    }
}

/// Does one iteration; a stopped swarm does not change.
pub fn step<R: Float, O: Evaluate<R>>(
    swarm: &mut Swarm<R>,
    task: &Task<'_, R, O>,
    coefficients: &Coefficients<R>,
    threads: Threads,
) {
    run(swarm, task, coefficients, 1, threads);
}

/// One iteration of a swarm that has not stopped; returns false if it was aborted.
fn step_in<R: Float, O: Evaluate<R>>(
    swarm: &mut Swarm<R>,
    task: &Task<'_, R, O>,
    rows: &Rows<R>,
    coefficients: &Coefficients<R>,
    threads: Threads,
) -> bool {
    let iteration = swarm.control.iterations + 1;
    let tasks = threads.tasks(swarm.stride, task.halt);
    let key = swarm.id.key();
    let (chunk, global_position) = swarm.chunk();
    let flight = Flight::new(task, rows, coefficients, key, iteration);
    let outcome =
        spread(chunk, tasks, &|chunk| vectors::run(Advance { chunk, flight, global_position }));
    if task.halt.is_due() {
        return false;
    }

    finish(swarm, &task.stop, outcome);
    true
}

/// Takes the results of the particles in an iteration.
fn finish<R: Float>(swarm: &mut Swarm<R>, stop: &StopRule<R>, outcome: Outcome<R>) {
    let improved = outcome.best.fitness.beats(swarm.global.fitness);
    let holder = outcome.best.index as usize * swarm.stride;
    swarm.global = outcome.best;
    swarm.global_position.copy_from_slice(&swarm.best_positions[holder..][..swarm.stride]);
    swarm.control.iterations += 1;
    swarm.control.not_finite += outcome.not_finite;
    if improved {
        swarm.control.improved_at = swarm.control.iterations;
    }
    swarm.settle(stop);
}

/// A chunk to be moved.
struct Advance<'a, R, O> {
    chunk: Chunk<'a, R>,
    flight: Flight<'a, R, O>,
    global_position: &'a [R],
}

impl<R: Float, O: Evaluate<R>> Run for Advance<'_, R, O> {
    type Output = Outcome<R>;

    #[inline(always)]
    fn call(self) -> Outcome<R> {
        let Advance { chunk, flight, global_position } = self;
        specialised!(flight => advance(chunk, flight, global_position))
    }
}

/// The number of particles that are evaluated before the first of them is compared.
const TOGETHER: usize = 8;

/// Moves and evaluates the particles of a chunk, and updates their personal bests.
#[inline(always)]
fn advance<R: Float, O: Evaluate<R>>(
    chunk: Chunk<'_, R>,
    flight: Flight<'_, R, O>,
    global_position: &[R],
) -> Outcome<R> {
    let stride = row_stride(flight.bounds.dimensions() as u32) as usize;
    let global_position = &global_position[..stride];
    let mut outcome = Outcome::NONE;
    let mut rest = chunk;
    while rest.len() > 0 {
        // Several particles are evaluated before any is compared. Which of them improves is hard to predict, and after
        // a misprediction a processor would have to repeat the evaluations that it had begun.
        let some = rest.len().min(TOGETHER);
        let (mut these, others) = rest.split_at(some);
        rest = others;
        let mut found = [Fitness::WORST; TOGETHER];
        for (mut particle, found) in these.particles(stride).zip(&mut found) {
            *found = flight.fly(&mut particle, global_position);
        }
        for (particle, fitness) in these.particles(stride).zip(found) {
            outcome.not_finite += u64::from(!fitness.is_finite());
            if flight.beats(fitness, *particle.best) {
                *particle.best = fitness;
                particle.best_position.copy_from_slice(particle.position);
            }
            // Of equal ones the first stays, which has the lowest index.
            let first = outcome.best.index == Candidate::<R>::NONE.index;
            if first || flight.beats(*particle.best, outcome.best.fitness) {
                outcome.best = Candidate::new(*particle.best, particle.index);
            }
        }
    }
    outcome
}
