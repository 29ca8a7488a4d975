//! Populations of a [`Method`], serial or on threads: the reference for the kernels of the same name.
//!
//! In a [`Swarm`] the public points are `best_positions`, with the fitness `best`. Own rows 0 and 1 are `positions` and
//! `velocities`, which are empty if the method has none.

mod before;
pub mod common;
mod individuals;
mod proposal;
mod propose_accept;

use warpswarm_core::launch::StopRule;
use warpswarm_core::method::{self, Fitnesses, Individual, Method, Numbers, SiteDraws, With};
use warpswarm_core::order::Fitness;
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::real::Float;
use warpswarm_core::solis_wets;

use before::{Before, Looking, square};
use individuals::{One, Ones, each};
use proposal::{Drawn, Proposal, ProposalContext};
pub use propose_accept::Moving;

use crate::flight::Rows;
use crate::swarm::{RunId, Swarm};
use crate::task::{Bounds, Start};
use crate::threads::{Halt, Outcome, Threads};
use crate::vectors::{self, Run};

/// The objective, its bounds, and when a run stops.
///
/// The objective is behind a pointer, so that the loops are compiled once for a method and not for every objective.
#[derive(Clone, Copy)]
pub struct Work<'a, R> {
    /// The fitness at a point, in the form of results.
    pub evaluate: &'a (dyn Fn(&[R]) -> Fitness<R> + Sync),
    /// The bounds.
    pub bounds: Bounds<'a, R>,
    /// The initial points of the first individuals.
    pub start: Start<'a, R>,
    /// When the run stops.
    pub stop: StopRule<R>,
    /// When a pass over the individuals is aborted.
    pub halt: Halt<'a>,
}

impl<R> std::fmt::Debug for Work<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Work")
    }
}

/// The population at iteration 0: placed, evaluated, and stopped if its best reaches the target.
pub fn start<R: Float, M: Method<R>>(
    method: &M,
    work: &Work<'_, R>,
    individuals: u32,
    id: RunId,
    threads: Threads,
) -> Swarm<R> {
    let dimensions = work.bounds.dimensions();
    let mut swarm = unplaced::<R, M>(dimensions, individuals, id);
    place(&mut swarm, method, work, threads);
    swarm
}

/// Places the individuals of a leg in a population of the right shape, and evaluates them.
pub fn place<R: Float, M: Method<R>>(
    swarm: &mut Swarm<R>,
    method: &M,
    work: &Work<'_, R>,
    threads: Threads,
) {
    common::first(swarm, method);
    let (key, individuals, dimensions) =
        (swarm.key(), swarm.individuals() as u32, swarm.dimensions);
    let is_first = swarm.legs.number == 0;
    let given = |index, i| if is_first { work.start.of(index, i, dimensions) } else { R::NAN };
    let place = |mut one: One<'_, R>| {
        let who = individual(&one, key, 0, individuals, dimensions);
        let stream = Stream::new(key, Purpose::Move, 0, one.index);
        for i in 0..dimensions {
            let given = given(one.index, i);
            let (drawn, bounds) = (stream.draws_of(i as u32), work.bounds.of(i));
            let (x, own) = method::first(method, &who, i as u32, bounds, (drawn, given));
            one.public[i] = x;
            one.set_own(i, own);
        }
        one.set_numbers(method.numbers(&who));
        *one.fitness = (work.evaluate)(&one.public[..dimensions]).judged_by(one.index);
        one.outcome(u64::from(!one.fitness.is_finite()))
    };
    let tasks = threads.tasks(swarm.stride, work.halt);
    let outcome = each(swarm, tasks, &|ones| ones.map(place).fold(Outcome::NONE, Outcome::join));
    swarm.begin(outcome, &work.stop);
    if method.nearest() {
        nearest(swarm, work, threads);
    }
}

/// A population of the right shape, with every coordinate zero and every fitness the worst.
pub fn unplaced<R: Float, M: Method<R>>(
    dimensions: usize,
    individuals: u32,
    id: RunId,
) -> Swarm<R> {
    let mut swarm = Swarm::unplaced(dimensions, individuals, id);
    if M::OWN < 2 {
        swarm.velocities = Vec::new();
    }
    if M::OWN < 1 {
        swarm.positions = Vec::new();
    }
    swarm.numbers = vec![R::ZERO; M::NUMBERS * individuals as usize];
    swarm
}

/// Does up to `iterations` iterations, fewer if the run stops.
///
/// N and then M iterations give the same bits as N + M, with any [`Threads`].
pub fn run<R: Float, M: Method<R>>(
    swarm: &mut Swarm<R>,
    method: &M,
    work: &Work<'_, R>,
    iterations: u64,
    threads: Threads,
) {
    let (mut rows, mut fitness, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    let bounds = Rows::of(work.bounds);
    if M::SHARES {
        // The archive comes after the individuals.
        rows.clone_from(&swarm.best_positions);
        rows.extend_from_slice(&swarm.archive);
    }
    for _ in 0..iterations {
        if swarm.has_stopped() {
            break;
        }
        if M::SHARES {
            rows[..swarm.best_positions.len()].copy_from_slice(&swarm.best_positions);
            common::learn(method, &swarm.numbers, &mut swarm.memory);
        } else {
            rows.clone_from(&swarm.best_positions);
        }
        fitness.clone_from(&swarm.best);
        numbers.clone_from(&swarm.numbers);
        let memory = std::mem::take(&mut swarm.memory);
        let before = Before {
            rows: &rows,
            fitness: &fitness,
            numbers: &numbers,
            count: M::NUMBERS,
            memory: &memory,
            stride: swarm.stride,
            bounds: work.bounds,
        };
        let is_done = step(swarm, method, work, (before, &bounds), threads);
        swarm.memory = memory;
        if !is_done {
            break;
        }
        if M::SHARES {
            common::leave(swarm, method, &mut rows);
        }
    }
}

/// One iteration; returns false if it was aborted.
fn step<R: Float, M: Method<R>>(
    swarm: &mut Swarm<R>,
    method: &M,
    work: &Work<'_, R>,
    (before, bounds): (Before<'_, R>, &Rows<R>),
    threads: Threads,
) -> bool {
    let iteration = swarm.age() + 1;
    let (key, individuals) = (swarm.key(), swarm.individuals() as u32);
    let best = std::mem::take(&mut swarm.global_position);
    let moves =
        Moves { method: *method, work, before, bounds, best: &best, key, iteration, individuals };
    let tasks = threads.tasks(swarm.stride, work.halt);
    let outcome = each(swarm, tasks, &|ones| vectors::run(Advance { moves, ones }));
    swarm.global_position = best;
    if work.halt.is_due() {
        return false;
    }
    finish(swarm, method, &work.stop, iteration, outcome);
    true
}

/// Takes the results of the individuals in an iteration of a leg.
fn finish<R: Float, M: Method<R>>(
    swarm: &mut Swarm<R>,
    method: &M,
    stop: &StopRule<R>,
    iteration: u64,
    outcome: Outcome<R>,
) {
    swarm.control.iterations += 1;
    swarm.control.not_finite += outcome.not_finite;
    if outcome.best.beats(swarm.global) {
        if outcome.best.fitness.beats(swarm.global.fitness) {
            swarm.control.improved_at = swarm.legs.began + method.noticed(iteration);
        }
        swarm.global = outcome.best;
        let holder = swarm.best_position(outcome.best.index as usize).to_vec();
        swarm.global_position = holder;
    }
    if method.noticed(iteration) == iteration {
        swarm.settle(stop);
    }
}

/// The best attempt so far: its fitness, plan, numbers, and index.
type BestAttempt<R, P> = (Fitness<R>, P, Numbers<R>, u32);

/// What all individuals share in an iteration.
#[derive(Clone, Copy)]
struct Moves<'a, R, M> {
    method: M,
    work: &'a Work<'a, R>,
    before: Before<'a, R>,
    bounds: &'a Rows<R>,
    best: &'a [R],
    key: RunKey,
    iteration: u64,
    individuals: u32,
}

/// Individuals to be moved.
struct Advance<'a, 'w, R, M> {
    moves: Moves<'a, R, M>,
    ones: Ones<'w, R>,
}

impl<R: Float, M: Method<R>> Run for Advance<'_, '_, R, M> {
    type Output = Outcome<R>;

    #[inline(always)]
    fn call(self) -> Outcome<R> {
        self.moves.method.specialised(self)
    }
}

impl<R: Float, M: Method<R>> With<M> for Advance<'_, '_, R, M> {
    type Output = Outcome<R>;

    #[inline(always)]
    fn with(self, method: M) -> Outcome<R> {
        let Advance { moves, ones } = self;
        // A copy without aliases: numbers that are equal for all coordinates are read once.
        let moves = Moves { method, ..moves };
        let mut scratch = Scratch::new::<M>(moves.before.stride);
        let mut outcome = Outcome::NONE;
        let looking = Looking::at(moves.before);
        // No closure: it would be compiled separately, without vector instructions.
        for one in ones {
            outcome = outcome.join(moves.advance(one, &looking, &mut scratch));
        }
        outcome
    }
}

/// Memory that is reused from individual to individual.
struct Scratch<R> {
    /// The last proposal.
    tried: Proposal<R>,
    /// The best proposal so far.
    kept: Proposal<R>,
    drawn: Drawn<R>,
}

impl<R: Float> Scratch<R> {
    fn new<M: Method<R>>(stride: usize) -> Self {
        let proposal = || Proposal::new::<M>(stride);
        Scratch { tried: proposal(), kept: proposal(), drawn: Drawn::none() }
    }
}

impl<R: Float, M: Method<R>> Moves<'_, R, M> {
    /// Computes the proposals of an individual, and replaces its public point if the best one is accepted.
    #[inline(always)]
    fn advance(
        self,
        mut one: One<'_, R>,
        looking: &Looking<'_, R>,
        scratch: &mut Scratch<R>,
    ) -> Outcome<R> {
        let Moves { ref method, work, before, bounds, best, .. } = self;
        let dimensions = work.bounds.dimensions();
        let who = &individual(&one, self.key, self.iteration, self.individuals, dimensions);
        let mut numbers = one.numbers(M::NUMBERS);
        let seen = method.observe(who, looking, &mut numbers);
        let from = method.takes_over(who, &seen);
        if from != who.index {
            one.public.copy_from_slice(before.row(from));
            *one.fitness = before.fitness(from);
        }
        let who = &Individual { fitness: *one.fitness, ..*who };
        let mut not_finite = 0;
        let mut kept: Option<BestAttempt<R, M::Plan>> = None;
        for attempt in 0..method.attempts(who.iteration, who.index) {
            let who = &Individual { attempt, ..*who };
            let mut tried = numbers;
            let plan = method.plan(who, seen, &mut tried);
            let own = [&*one.own[0], &*one.own[1]];
            let draws = SiteDraws::of(who);
            let normals = SiteDraws::of_normals(method, who, &plan);
            let public = &*one.public;
            let context = ProposalContext { before, bounds, public, own, best, draws, normals };
            scratch.tried.fill(method, &plan, &context, &mut scratch.drawn);
            let fitness = (work.evaluate)(&scratch.tried.x[..dimensions]).judged_by(who.index);
            not_finite += u64::from(!fitness.is_finite());
            if kept.as_ref().is_none_or(|(best, ..)| fitness.beats(*best)) {
                kept = Some((fitness, plan, tried, attempt));
                std::mem::swap(&mut scratch.tried, &mut scratch.kept);
            }
        }
        let Some((fitness, plan, mut numbers, attempt)) = kept else {
            one.set_numbers(numbers);
            return one.outcome(not_finite);
        };
        let who = &Individual { attempt, ..*who };
        if method.accept(who, &plan, fitness, &mut numbers) {
            one.public.copy_from_slice(&scratch.kept.x);
            *one.fitness = fitness;
        }
        for (row, kept) in one.own.iter_mut().zip(&scratch.kept.own).take(M::OWN) {
            row.copy_from_slice(kept);
        }
        one.set_numbers(numbers);
        one.outcome(not_finite)
    }
}

/// Writes the first step of [`solis_wets`] to number 0 of every individual.
fn nearest<R: Float>(swarm: &mut Swarm<R>, work: &Work<'_, R>, threads: Threads) {
    let (stride, dimensions) = (swarm.stride, swarm.dimensions);
    let Work { bounds, halt, .. } = *work;
    let rows = swarm.best_positions.clone();
    let step = |one: One<'_, R>| {
        // Each individual reads all others, so the halt is checked for each.
        if halt.is_due() {
            return Outcome::NONE;
        }
        let mut nearest = R::INFINITY;
        for (other, row) in rows.chunks_exact(stride).enumerate() {
            let square = square(&one.public[..dimensions], row, bounds);
            if other != one.index as usize && square < nearest {
                nearest = square;
            }
        }
        one.numbers[0] = solis_wets::first_step(nearest);
        Outcome::NONE
    };
    let tasks = threads.tasks(stride, halt);
    each(swarm, tasks, &|ones| ones.map(step).fold(Outcome::NONE, Outcome::join));
}

fn individual<R: Float>(
    one: &One<'_, R>,
    key: RunKey,
    iteration: u64,
    individuals: u32,
    dimensions: usize,
) -> Individual<R> {
    let (index, fitness) = (one.index, *one.fitness);
    let dimensions = dimensions as u32;
    Individual { key, iteration, index, individuals, dimensions, attempt: 0, fitness }
}
