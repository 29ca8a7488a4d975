//! An iteration in two halves: first the particles' moves, then the comparison with their personal bests.

use warpswarm_core::boundary::Boundary;
use warpswarm_core::launch::{StopRule, row_stride};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::pso::Coefficients;
use warpswarm_core::real::Float;

use super::finish;
use crate::flight::{Flight, Leaders, Rows, specialised};
use crate::propose_accept::ProposeAccept;
use crate::swarm::Swarm;
use crate::task::{Bounds, Evaluate, Start, Task};
use crate::threads::{Halt, Outcome, Split, Threads, spread};
use crate::vectors::{self, Run};

/// The [halves](ProposeAccept) of a swarm's iterations.
#[derive(Debug)]
pub struct Flying<R> {
    coefficients: Coefficients<R>,
    /// The new positions and velocities, `[particle][stride]`.
    positions: Vec<R>,
    velocities: Vec<R>,
}

/// A placeholder for an objective that the caller evaluates.
#[derive(Clone, Copy, Debug)]
struct Elsewhere;

impl<R: Float> Evaluate<R> for Elsewhere {
    const CONSTRAINED: bool = true;

    #[inline(always)]
    fn evaluate(&self, _: &[R]) -> Fitness<R> {
        Fitness::WORST
    }
}

impl<R: Float> Flying<R> {
    /// No iteration yet.
    pub fn new(coefficients: Coefficients<R>) -> Self {
        Flying { coefficients, positions: Vec::new(), velocities: Vec::new() }
    }
}

impl<R: Float> ProposeAccept<R> for Flying<R> {
    fn propose(
        &mut self,
        swarm: &Swarm<R>,
        bounds: Bounds<'_, R>,
        threads: Threads,
        points: &mut Vec<R>,
    ) {
        let Flying { ref coefficients, ref mut positions, ref mut velocities } = *self;
        let (start, stop, halt) = (Start::default(), StopRule::NEVER, Halt::NEVER);
        let task = Task { objective: Elsewhere, bounds, start, stop, halt };
        let rows = Rows::of(bounds);
        let iteration = swarm.control.iterations + 1;
        let flight = Flight::new(&task, &rows, coefficients, swarm.id.key(), iteration);
        let places = swarm.positions.len();
        positions.resize(places, R::ZERO);
        velocities.resize(places, R::ZERO);
        points.resize(swarm.individuals() * swarm.dimensions, R::ZERO);
        let all = Part { first: 0, swarm, positions, velocities, points };
        let tasks = threads.tasks(swarm.stride, halt);
        spread(all, tasks, &|part: Part<'_, R>| vectors::run(Fly { part, flight }));
    }

    fn accept(
        &mut self,
        swarm: &mut Swarm<R>,
        stop: &StopRule<R>,
        told: &[Fitness<R>],
        _: Threads,
    ) {
        assert!(told.len() == swarm.individuals(), "a fitness of each particle");
        std::mem::swap(&mut swarm.positions, &mut self.positions);
        std::mem::swap(&mut swarm.velocities, &mut self.velocities);
        let mut outcome = Outcome::NONE;
        for ((i, best), fitness) in swarm.best.iter_mut().enumerate().zip(told) {
            let fitness = fitness.judged_by(i as u32);
            outcome.not_finite += u64::from(!fitness.is_finite());
            if fitness.beats(*best) {
                *best = fitness;
                let row = i * swarm.stride..(i + 1) * swarm.stride;
                swarm.best_positions[row.clone()].copy_from_slice(&swarm.positions[row]);
            }
            outcome.best = outcome.best.better(Candidate::new(*best, i as u32));
        }
        finish(swarm, stop, outcome);
    }
}

/// Consecutive particles to be moved, and room for their moves.
struct Part<'a, R> {
    first: usize,
    swarm: &'a Swarm<R>,
    positions: &'a mut [R],
    velocities: &'a mut [R],
    points: &'a mut [R],
}

impl<R: Float> Split for Part<'_, R> {
    fn len(&self) -> usize {
        self.positions.len() / self.swarm.stride
    }

    fn split_at(self, particles: usize) -> (Self, Self) {
        let Part { first, swarm, positions, velocities, points } = self;
        let (positions, other_positions) = positions.split_at_mut(particles * swarm.stride);
        let (velocities, other_velocities) = velocities.split_at_mut(particles * swarm.stride);
        let (points, other_points) = points.split_at_mut(particles * swarm.dimensions);
        let others = Part {
            first: first + particles,
            swarm,
            positions: other_positions,
            velocities: other_velocities,
            points: other_points,
        };
        (Part { first, swarm, positions, velocities, points }, others)
    }
}

struct Fly<'a, 'w, R> {
    part: Part<'w, R>,
    flight: Flight<'a, R, Elsewhere>,
}

impl<R: Float> Run for Fly<'_, '_, R> {
    type Output = Outcome<R>;

    #[inline(always)]
    fn call(self) -> Outcome<R> {
        let Fly { part, flight } = self;
        specialised!(flight => fly(part, flight))
    }
}

#[inline(always)]
fn fly<R: Float>(part: Part<'_, R>, flight: Flight<'_, R, Elsewhere>) -> Outcome<R> {
    let Part { first, swarm, positions, velocities, points } = part;
    let dimensions = flight.bounds.dimensions();
    let stride = row_stride(dimensions as u32) as usize;
    let global = &swarm.global_position[..stride];
    let rows = positions.chunks_exact_mut(stride).zip(velocities.chunks_exact_mut(stride));
    for ((i, (position, velocity)), point) in
        (first..).zip(rows).zip(points.chunks_exact_mut(dimensions))
    {
        let row = i * stride..(i + 1) * stride;
        position.copy_from_slice(&swarm.positions[row.clone()]);
        velocity.copy_from_slice(&swarm.velocities[row.clone()]);
        let leaders = Leaders { personal: &swarm.best_positions[row], global };
        flight.fly_rows(i as u32, position, velocity, leaders);
        point.copy_from_slice(&position[..dimensions]);
    }
    Outcome::NONE
}
