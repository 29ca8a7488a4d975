//! The CPSO paper's serial SPSO, asynchronous: the baseline of the speed tables.
//!
//! **Idea.** As [`pso`](crate::pso), but a particle that improves on the global best updates it immediately, and the
//! particles after it are pulled to the new one in the same iteration.
//!
//! **Equations and symbols** are those of [`warpswarm_core::pso`].
//!
//! **Source.** CPSO, Algorithm 1.
//!
//! **Deviations.**
//! * The pseudo-code updates when the fitness is *greater*, while the experiments minimise. This code minimises.
//! * The pseudo-code leaves the loops as soon as the global best reaches the target. Here the iteration is finished
//!   first, so that a state is always between two iterations and can be continued. A run can also stop by stagnation.
//! * The global best is replaced only if it is strictly beaten. So of equal points the first one found stays, not the
//!   one with the lowest index.
//! * Draws are those of `pso`: a function of (seed, run, iteration, particle, coordinate).

use warpswarm_core::boundary::Boundary;
use warpswarm_core::launch::row_stride;
use warpswarm_core::order::Candidate;
use warpswarm_core::pso::Coefficients;
use warpswarm_core::real::Float;

use crate::flight::{Flight, Rows, specialised};
use crate::swarm::Swarm;
use crate::task::{Bounds, Evaluate, Task};
use crate::vectors::{self, Run};

/// Does up to `iterations` iterations on the calling thread, fewer if the run stops.
///
/// N and then M iterations give the same bits as N + M.
pub fn run<R: Float, O: Evaluate<R>>(
    swarm: &mut Swarm<R>,
    task: &Task<'_, R, O>,
    coefficients: &Coefficients<R>,
    iterations: u64,
) {
    let rows = Rows::of(task.bounds);
    for _ in 0..iterations {
        if swarm.has_stopped() {
            break;
        }
        if !step_in(swarm, task, &rows, coefficients) {
            break;
        }
    }
}

/// Does one iteration; a stopped swarm does not change.
pub fn step<R: Float, O: Evaluate<R>>(
    swarm: &mut Swarm<R>,
    task: &Task<'_, R, O>,
    coefficients: &Coefficients<R>,
) {
    run(swarm, task, coefficients, 1);
}

/// One iteration of a swarm that has not stopped; returns false if it was aborted.
fn step_in<R: Float, O: Evaluate<R>>(
    swarm: &mut Swarm<R>,
    task: &Task<'_, R, O>,
    rows: &Rows<R>,
    coefficients: &Coefficients<R>,
) -> bool {
    let iteration = swarm.control.iterations + 1;
    let flight = Flight::new(task, rows, coefficients, swarm.id.key(), iteration);
    let old = swarm.global.fitness;
    vectors::run(Advance { swarm: &mut *swarm, flight });
    if task.halt.is_due() {
        return false;
    }
    swarm.control.iterations = iteration;
    if swarm.global.fitness.beats(old) {
        swarm.control.improved_at = iteration;
    }
    swarm.settle(&task.stop);
    true
}

/// A swarm to be moved.
struct Advance<'a, R, O> {
    swarm: &'a mut Swarm<R>,
    flight: Flight<'a, R, O>,
}

impl<R: Float, O: Evaluate<R>> Run for Advance<'_, R, O> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Advance { swarm, flight } = self;
        specialised!(flight => advance(swarm, flight));
    }
}

/// Moves the particles one after the other, and updates the global best after each.
#[inline(always)]
fn advance<R: Float, O: Evaluate<R>>(swarm: &mut Swarm<R>, flight: Flight<'_, R, O>) {
    let stride = row_stride(flight.bounds.dimensions() as u32) as usize;
    let mut global = swarm.global;
    let mut not_finite = 0;
    let (mut chunk, global_position) = swarm.chunk();
    let global_position = &mut global_position[..stride];
    for mut particle in chunk.particles(stride) {
        let fitness = flight.fly(&mut particle, global_position);
        not_finite += u64::from(!fitness.is_finite());
        if flight.beats(fitness, *particle.best) {
            *particle.best = fitness;
            particle.best_position.copy_from_slice(particle.position);
            if flight.beats(fitness, global.fitness) {
                global = Candidate::new(fitness, particle.index);
                global_position.copy_from_slice(particle.position);
            }
        }
    }
    swarm.global = global;
    swarm.control.not_finite += not_finite;
}
