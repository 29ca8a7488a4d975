//! An iteration in two halves, for callers that evaluate all points of an iteration themselves: first the individuals'
//! proposals, then their acceptance.

use warpswarm_core::launch::StopRule;
use warpswarm_core::method::{Individual, Method, Numbers, SiteDraws, With};
use warpswarm_core::order::Fitness;
use warpswarm_core::random::RunKey;
use warpswarm_core::real::Float;

use super::individuals::{One, Ones, ones};
use super::proposal::{Drawn, Proposal, ProposalContext};
use super::{Before, Looking, common, finish};
use crate::flight::Rows;
use crate::propose_accept::ProposeAccept;
use crate::swarm::Swarm;
use crate::task::Bounds;
use crate::threads::{Halt, Outcome, Split, Threads, spread};
use crate::vectors::{self, Run};

/// The [halves](ProposeAccept) of a method's iterations.
pub struct Moving<R: Float, M: Method<R>> {
    method: M,
    /// `[individual]`
    movers: Vec<Mover<R>>,
    /// Those of all individuals one after the other; there may be room for more.
    attempts: Vec<Attempt<R, M::Plan>>,
    /// The public points before the iteration, and after them the archive, if the method has one.
    rows: Vec<R>,
    /// The memory of the run in the iteration.
    memory: Vec<R>,
}

/// An individual to be moved.
struct Mover<R> {
    /// The individual whose point it takes over, perhaps its own.
    from: u32,
    /// Its numbers after it has read from the others.
    numbers: Numbers<R>,
    /// The number of its attempts.
    attempts: u32,
}

/// One attempt.
struct Attempt<R, P> {
    proposal: Proposal<R>,
    /// Set once the attempt is made, with its numbers.
    plan: Option<P>,
    numbers: Numbers<R>,
}

impl<R: Float, M: Method<R>> std::fmt::Debug for Moving<R, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Moving")
    }
}

impl<R: Float, M: Method<R>> Moving<R, M> {
    /// No iteration yet.
    pub fn new(method: M) -> Self {
        let (movers, attempts, rows, memory) = Default::default();
        Moving { method, movers, attempts, rows, memory }
    }
}

impl<R: Float, M: Method<R>> ProposeAccept<R> for Moving<R, M> {
    fn propose(
        &mut self,
        swarm: &Swarm<R>,
        bounds: Bounds<'_, R>,
        threads: Threads,
        points: &mut Vec<R>,
    ) {
        let (method, stride) = (self.method, swarm.stride);
        let (iteration, individuals) = (swarm.age() + 1, swarm.individuals() as u32);
        if M::SHARES {
            self.rows.clone_from(&swarm.best_positions);
            self.rows.extend_from_slice(&swarm.archive);
        }
        self.memory.clone_from(&swarm.memory);
        common::learn(&method, &swarm.numbers, &mut self.memory);
        self.movers.clear();
        self.movers.extend((0..individuals).map(|index| Mover {
            from: index,
            numbers: Numbers::default(),
            attempts: method.attempts(iteration, index),
        }));
        let made = attempts_of(&self.movers);
        let attempt = || {
            let (proposal, numbers) = (Proposal::new::<M>(stride), Numbers::default());
            Attempt { proposal, plan: None, numbers }
        };
        self.attempts.resize_with(made.max(self.attempts.len()), attempt);
        points.resize(made * bounds.dimensions(), R::ZERO);
        let rows = Rows::of(bounds);
        let context = Proposing {
            method,
            swarm,
            before: Before {
                rows: if M::SHARES { &self.rows } else { &swarm.best_positions },
                fitness: &swarm.best,
                numbers: &swarm.numbers,
                count: M::NUMBERS,
                memory: &self.memory,
                stride,
                bounds,
            },
            bounds: &rows,
            key: swarm.key(),
            iteration,
        };
        let all = Part {
            first: 0,
            dimensions: bounds.dimensions(),
            movers: &mut self.movers,
            attempts: &mut self.attempts[..made],
            points,
        };
        let tasks = threads.tasks(stride, Halt::NEVER);
        let work = |part: Part<'_, R, M::Plan>| vectors::run(Propose { context, part });
        spread(all, tasks, &work);
    }

    fn accept(
        &mut self,
        swarm: &mut Swarm<R>,
        stop: &StopRule<R>,
        told: &[Fitness<R>],
        threads: Threads,
    ) {
        let made = attempts_of(&self.movers);
        assert!(told.len() == made && self.movers.len() == swarm.individuals());
        let Moving { method, ref movers, ref attempts, ref mut rows, ref memory } = *self;
        let (key, iteration) = (swarm.key(), swarm.age() + 1);
        let (individuals, dimensions) = (swarm.individuals() as u32, swarm.dimensions as u32);
        let takes_over = (0..).zip(movers).any(|(index, mover)| mover.from != index);
        let mut fitness = Vec::new();
        if takes_over {
            fitness.clone_from(&swarm.best);
            if !M::SHARES {
                rows.clone_from(&swarm.best_positions);
            }
        }
        let stride = swarm.stride;
        let accept = |(mut one, moved): (One<'_, R>, Moved<'_, R, M::Plan>)| {
            let mover = &moved.movers[0];
            if mover.from != one.index {
                let from = mover.from as usize;
                one.public.copy_from_slice(&rows[from * stride..][..stride]);
                *one.fitness = fitness[from];
            }
            let (index, fitness) = (one.index, *one.fitness);
            let who =
                Individual { key, iteration, index, individuals, dimensions, attempt: 0, fitness };
            moved.accept(&method, who, &mut one)
        };
        let work = |Both(ones, moved): Both<Ones<'_, R>, Moved<'_, R, M::Plan>>| {
            ones.zip(moved).map(accept).fold(Outcome::NONE, Outcome::join)
        };
        let tasks = threads.tasks(stride, Halt::NEVER);
        let moved = Moved { movers, attempts: &attempts[..made], told };
        let outcome = spread(Both(ones(swarm), moved), tasks, &work);
        swarm.memory.clone_from(memory);
        finish(swarm, &method, stop, iteration, outcome);
        if M::SHARES {
            common::leave(swarm, &method, rows);
        }
    }
}

fn attempts_of<R>(movers: &[Mover<R>]) -> usize {
    movers.iter().map(|mover| mover.attempts as usize).sum()
}

/// What all individuals share while they propose.
struct Proposing<'a, R: Float, M> {
    method: M,
    swarm: &'a Swarm<R>,
    before: Before<'a, R>,
    bounds: &'a Rows<R>,
    key: RunKey,
    iteration: u64,
}

impl<R: Float, M: Copy> Clone for Proposing<'_, R, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<R: Float, M: Copy> Copy for Proposing<'_, R, M> {}

/// Consecutive individuals that are to propose, and room for their proposals.
struct Part<'a, R, P> {
    first: u32,
    dimensions: usize,
    movers: &'a mut [Mover<R>],
    attempts: &'a mut [Attempt<R, P>],
    points: &'a mut [R],
}

impl<R: Float, P: Send> Split for Part<'_, R, P> {
    fn len(&self) -> usize {
        self.movers.len()
    }

    fn split_at(self, individuals: usize) -> (Self, Self) {
        let Part { first, dimensions, movers, attempts, points } = self;
        let (movers, other_movers) = movers.split_at_mut(individuals);
        let made = attempts_of(movers);
        let (attempts, other_attempts) = attempts.split_at_mut(made);
        let (points, other_points) = points.split_at_mut(made * dimensions);
        let others = Part {
            first: first + individuals as u32,
            dimensions,
            movers: other_movers,
            attempts: other_attempts,
            points: other_points,
        };
        (Part { first, dimensions, movers, attempts, points }, others)
    }
}

/// Individuals that are to propose.
struct Propose<'a, 'w, R: Float, M: Method<R>> {
    context: Proposing<'a, R, M>,
    part: Part<'w, R, M::Plan>,
}

impl<R: Float, M: Method<R>> Run for Propose<'_, '_, R, M> {
    type Output = Outcome<R>;

    #[inline(always)]
    fn call(self) -> Outcome<R> {
        self.context.method.specialised(self)
    }
}

impl<R: Float, M: Method<R>> With<M> for Propose<'_, '_, R, M> {
    type Output = Outcome<R>;

    #[inline(always)]
    fn with(self, method: M) -> Outcome<R> {
        let Propose { context: Proposing { swarm, before, bounds, key, iteration, .. }, part } =
            self;
        let (stride, dimensions) = (swarm.stride, swarm.dimensions);
        let mut attempts = part.attempts.iter_mut();
        let mut points = part.points.chunks_exact_mut(dimensions);
        let mut drawn = Drawn::none();
        let looking = Looking::at(before);
        for (index, mover) in (part.first..).zip(part.movers) {
            let who = &Individual {
                key,
                iteration,
                index,
                individuals: swarm.individuals() as u32,
                dimensions: dimensions as u32,
                attempt: 0,
                fitness: swarm.best[index as usize],
            };
            // Rows that the method does not have are empty.
            let row = index as usize * stride..(index as usize + 1) * stride;
            let own = [&swarm.positions, &swarm.velocities]
                .map(|rows| rows.get(row.clone()).unwrap_or_default());
            mover.numbers[..M::NUMBERS]
                .copy_from_slice(&swarm.numbers[index as usize * M::NUMBERS..][..M::NUMBERS]);
            let seen = method.observe(who, &looking, &mut mover.numbers);
            mover.from = method.takes_over(who, &seen);
            let public = before.row(mover.from);
            let who = &Individual { fitness: swarm.best[mover.from as usize], ..*who };
            for attempt in 0..mover.attempts {
                let who = &Individual { attempt, ..*who };
                let (Some(tried), Some(point)) = (attempts.next(), points.next()) else { break };
                tried.numbers = mover.numbers;
                let plan = method.plan(who, seen, &mut tried.numbers);
                let draws = SiteDraws::of(who);
                let best = &swarm.global_position;
                let normals = SiteDraws::of_normals(&method, who, &plan);
                let context = ProposalContext { before, bounds, public, own, best, draws, normals };
                tried.proposal.fill(&method, &plan, &context, &mut drawn);
                tried.plan = Some(plan);
                point.copy_from_slice(&tried.proposal.x[..dimensions]);
            }
        }
        Outcome::NONE
    }
}

/// Consecutive individuals that have proposed, and the fitnesses of their proposals.
struct Moved<'a, R, P> {
    movers: &'a [Mover<R>],
    attempts: &'a [Attempt<R, P>],
    told: &'a [Fitness<R>],
}

impl<R: Float, P: Copy> Moved<'_, R, P> {
    /// Lets the first of them keep its best attempt, if it is accepted.
    #[inline(always)]
    fn accept<M: Method<R, Plan = P>>(
        &self,
        method: &M,
        who: Individual<R>,
        one: &mut One<'_, R>,
    ) -> Outcome<R> {
        let mut not_finite = 0;
        let mut kept: Option<(Fitness<R>, &Attempt<R, P>, u32)> = None;
        for ((number, attempt), fitness) in (0..).zip(self.attempts).zip(self.told) {
            let fitness = fitness.judged_by(who.index);
            not_finite += u64::from(!fitness.is_finite());
            if kept.as_ref().is_none_or(|(best, ..)| fitness.beats(*best)) {
                kept = Some((fitness, attempt, number));
            }
        }
        let Some((fitness, attempt, number, plan)) = kept
            .and_then(|(fitness, attempt, number)| Some((fitness, attempt, number, attempt.plan?)))
        else {
            one.set_numbers(self.movers[0].numbers);
            return one.outcome(not_finite);
        };
        let who = &Individual { attempt: number, ..who };
        let mut numbers = attempt.numbers;
        if method.accept(who, &plan, fitness, &mut numbers) {
            one.public.copy_from_slice(&attempt.proposal.x);
            *one.fitness = fitness;
        }
        for (row, kept) in one.own.iter_mut().zip(&attempt.proposal.own).take(M::OWN) {
            row.copy_from_slice(kept);
        }
        one.set_numbers(numbers);
        one.outcome(not_finite)
    }
}

impl<R: Float, P: Sync> Split for Moved<'_, R, P> {
    fn len(&self) -> usize {
        self.movers.len()
    }

    fn split_at(self, individuals: usize) -> (Self, Self) {
        let (movers, other_movers) = self.movers.split_at(individuals);
        let made = attempts_of(movers);
        let (attempts, other_attempts) = self.attempts.split_at(made);
        let (told, other_told) = self.told.split_at(made);
        let others = Moved { movers: other_movers, attempts: other_attempts, told: other_told };
        (Moved { movers, attempts, told }, others)
    }
}

/// The individuals one after the other.
impl<R: Float, P: Sync> Iterator for Moved<'_, R, P> {
    type Item = Self;

    #[inline(always)]
    fn next(&mut self) -> Option<Self> {
        if self.movers.is_empty() {
            return None;
        }
        let Moved { movers, attempts, told } = *self;
        let (first, others) = Moved { movers, attempts, told }.split_at(1);
        *self = others;
        Some(first)
    }
}

/// Two collections over the same individuals.
struct Both<A, B>(A, B);

impl<A: Split, B: Split> Split for Both<A, B> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn split_at(self, individuals: usize) -> (Self, Self) {
        let (a, other_a) = self.0.split_at(individuals);
        let (b, other_b) = self.1.split_at(individuals);
        (Both(a, b), Both(other_a, other_b))
    }
}
