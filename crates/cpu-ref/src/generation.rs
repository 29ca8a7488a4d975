//! Populations that a [`Method`] moves, serial or on threads: the oracle of the kernels of the same
//! name.
//!
//! In a [`Swarm`] the public points are `best_positions`, with the fitness `best`; own rows 0 and 1 are
//! `positions` and `velocities`, empty where the method has none.

use warpswarm_core::launch::StopRule;
use warpswarm_core::method::{Individual, Method, Numbers, Own, Population, Site, SiteDraws};
use warpswarm_core::objective::{Point, SlicePoint};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::pso;
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::real::Real;
use warpswarm_core::solis_wets;

use crate::swarm::{RunId, Swarm};
use crate::task::Bounds;
use crate::threads::Threads;

/// What is minimised, where, and when a run stops by itself.
///
/// The objective is behind a pointer, so that the loops are compiled once for a method and not for every
/// objective.
#[derive(Clone, Copy)]
pub struct Work<'a, R> {
    /// The fitness at a point, in the bits that results have.
    pub evaluate: &'a (dyn Fn(&[R]) -> Fitness<R> + Sync),
    /// Where.
    pub bounds: Bounds<'a, R>,
    /// When the run stops by itself.
    pub stop: StopRule<R>,
}

impl<R> std::fmt::Debug for Work<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Work")
    }
}

/// The population at iteration 0: placed, evaluated, and stopped if its best meets the target.
pub fn start<R: Real, M: Method<R>>(
    method: &M,
    work: &Work<'_, R>,
    individuals: u32,
    id: RunId,
    threads: Threads,
) -> Swarm<R> {
    let dimensions = work.bounds.dimensions();
    let mut swarm = unplaced::<R, M>(dimensions, individuals, id);
    let key = id.key();
    let place = |mut one: One<'_, R>, _: &mut Scratch<R>| {
        let who = individual(&one, key, 0, individuals, dimensions);
        let stream = Stream::new(key, Purpose::Move, 0, one.index);
        for i in 0..dimensions {
            let (x, v) = pso::initial(work.bounds.of(i), stream.draws_of(i as u32));
            one.public[i] = x;
            one.set_own(i, method.start(x, v));
        }
        one.set_numbers(method.numbers(&who));
        *one.fitness = (work.evaluate)(&one.public[..dimensions]);
        Outcome::of(*one.fitness, one.index, u64::from(!one.fitness.is_finite()))
    };
    let outcome = each(&mut swarm, threads, &place);
    swarm.control.not_finite = outcome.not_finite;
    swarm.global = outcome.best;
    swarm.global_position = swarm.best_position(outcome.best.index as usize).to_vec();
    settle(&mut swarm, work);
    if method.nearest() {
        nearest(&mut swarm, work.bounds, threads);
    }
    swarm
}

/// A population of the right shape, every coordinate zero and every fitness the worst.
pub fn unplaced<R: Real, M: Method<R>>(dimensions: usize, individuals: u32, id: RunId) -> Swarm<R> {
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

/// Does up to `iterations` iterations, fewer if the population stops by itself.
///
/// N and then M iterations give the same bits as N + M, with any [`Threads`].
pub fn run<R: Real, M: Method<R>>(
    swarm: &mut Swarm<R>,
    method: &M,
    work: &Work<'_, R>,
    iterations: u64,
    threads: Threads,
) {
    let (mut rows, mut fitness) = (Vec::new(), Vec::new());
    for _ in 0..iterations {
        if swarm.has_stopped() {
            break;
        }
        rows.clone_from(&swarm.best_positions);
        fitness.clone_from(&swarm.best);
        let before = Before { rows: &rows, fitness: &fitness, stride: swarm.stride };
        step(swarm, method, work, before, threads);
    }
}

/// The public points and their fitness as the iteration before left them.
#[derive(Clone, Copy)]
struct Before<'a, R> {
    rows: &'a [R],
    fitness: &'a [Fitness<R>],
    stride: usize,
}

impl<R: Real> Population<R> for Before<'_, R> {
    #[inline(always)]
    fn fitness(&self, individual: u32) -> Fitness<R> {
        self.fitness[individual as usize]
    }
}

fn step<R: Real, M: Method<R>>(
    swarm: &mut Swarm<R>,
    method: &M,
    work: &Work<'_, R>,
    before: Before<'_, R>,
    threads: Threads,
) {
    let iteration = swarm.control.iterations + 1;
    let (key, individuals) = (swarm.id.key(), swarm.individuals() as u32);
    let best = std::mem::take(&mut swarm.global_position);
    let advance = |mut one: One<'_, R>, scratch: &mut Scratch<R>| {
        let who = individual(&one, key, iteration, individuals, work.bounds.dimensions());
        advance(&mut one, scratch, method, work, before, &who, &best)
    };
    let outcome = each(swarm, threads, &advance);
    swarm.global_position = best;

    swarm.control.iterations = iteration;
    swarm.control.not_finite += outcome.not_finite;
    if outcome.best.beats(swarm.global) {
        if outcome.best.fitness.beats(swarm.global.fitness) {
            swarm.control.improved_at = iteration;
        }
        swarm.global = outcome.best;
        let holder = swarm.best_position(outcome.best.index as usize).to_vec();
        swarm.global_position = holder;
    }
    settle(swarm, work);
}

/// A proposal: its coordinates, and the own rows that go with it.
#[derive(Default)]
struct Proposal<R> {
    x: Vec<R>,
    own: Vec<Own<R>>,
}

/// Memory that individuals use one after the other: the last proposal and the best so far.
#[derive(Default)]
struct Scratch<R> {
    tried: Proposal<R>,
    kept: Proposal<R>,
}

/// Has an individual propose, and perhaps take its proposal for its public point.
fn advance<R: Real, M: Method<R>>(
    one: &mut One<'_, R>,
    scratch: &mut Scratch<R>,
    method: &M,
    work: &Work<'_, R>,
    before: Before<'_, R>,
    who: &Individual<R>,
    best: &[R],
) -> Outcome<R> {
    let numbers = one.numbers(M::NUMBERS);
    let mut not_finite = 0;
    let mut kept: Option<(Fitness<R>, M::Plan, Numbers<R>, u32)> = None;
    for attempt in 0..method.attempts() {
        let who = Individual { attempt, ..*who };
        let mut tried = numbers;
        let plan = method.plan(&who, &mut tried, &before);
        scratch.tried.x.clear();
        scratch.tried.own.clear();
        for i in 0..work.bounds.dimensions() {
            let place = Place {
                before,
                draws: SiteDraws::of(&who),
                coordinate: i,
                public: one.public[i],
                own: one.own(i),
                best: best[i],
                bounds: work.bounds.of(i),
            };
            let (x, own) = method.propose(&plan, &place);
            scratch.tried.x.push(x);
            scratch.tried.own.push(own);
        }
        let fitness = (work.evaluate)(&scratch.tried.x);
        not_finite += u64::from(!fitness.is_finite());
        if kept.as_ref().is_none_or(|(best, ..)| fitness.beats(*best)) {
            kept = Some((fitness, plan, tried, attempt));
            std::mem::swap(&mut scratch.tried, &mut scratch.kept);
        }
    }
    let (fitness, plan, mut numbers, attempt) = kept.expect("there is an attempt");
    let who = &Individual { attempt, ..*who };
    if method.accept(who, &plan, fitness, &mut numbers) {
        one.public[..scratch.kept.x.len()].copy_from_slice(&scratch.kept.x);
        *one.fitness = fitness;
    }
    for (i, own) in scratch.kept.own.iter().enumerate() {
        one.set_own(i, *own);
    }
    one.set_numbers(numbers);
    Outcome::of(*one.fitness, one.index, not_finite)
}

/// Puts the first step of [`solis_wets`] into number 0 of every individual.
fn nearest<R: Real>(swarm: &mut Swarm<R>, bounds: Bounds<'_, R>, threads: Threads) {
    let (stride, dimensions) = (swarm.stride, swarm.dimensions);
    let rows = swarm.best_positions.clone();
    let step = |one: One<'_, R>, _: &mut Scratch<R>| {
        let point = SlicePoint(&one.public[..dimensions]);
        let mut nearest = R::INFINITY;
        for (other, row) in rows.chunks_exact(stride).enumerate() {
            let square = point.sum(|i, x| solis_wets::square_in_ranges(x, row[i], bounds.of(i)));
            if other != one.index as usize && square < nearest {
                nearest = square;
            }
        }
        one.numbers[0] = solis_wets::first_step(nearest);
        Outcome::NONE
    };
    each(swarm, threads, &step);
}

fn settle<R: Real>(swarm: &mut Swarm<R>, work: &Work<'_, R>) {
    let (iterations, improved_at) = (swarm.control.iterations, swarm.control.improved_at);
    swarm.control.stopped = work.stop.check(swarm.global.fitness, iterations, improved_at);
}

fn individual<R: Real>(
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

/// One individual, borrowed.
struct One<'a, R> {
    index: u32,
    public: &'a mut [R],
    fitness: &'a mut Fitness<R>,
    /// The own rows; empty where there are none.
    own: [&'a mut [R]; 2],
    numbers: &'a mut [R],
}

impl<R: Real> One<'_, R> {
    fn own(&self, i: usize) -> Own<R> {
        let of = |row: &[R]| row.get(i).copied().unwrap_or(R::ZERO);
        [of(self.own[0]), of(self.own[1])]
    }

    fn set_own(&mut self, i: usize, own: Own<R>) {
        for (row, x) in self.own.iter_mut().zip(own) {
            if let Some(place) = row.get_mut(i) {
                *place = x;
            }
        }
    }

    fn numbers(&self, count: usize) -> Numbers<R> {
        let mut numbers = Numbers::default();
        numbers[..count].copy_from_slice(self.numbers);
        numbers
    }

    fn set_numbers(&mut self, numbers: Numbers<R>) {
        let count = self.numbers.len();
        self.numbers.copy_from_slice(&numbers[..count]);
    }
}

/// A coordinate of an individual that proposes.
struct Place<'a, R> {
    before: Before<'a, R>,
    draws: SiteDraws,
    coordinate: usize,
    public: R,
    own: Own<R>,
    best: R,
    bounds: (R, R),
}

impl<R: Real> Site<R> for Place<'_, R> {
    fn coordinate(&self) -> u32 {
        self.coordinate as u32
    }
    fn public(&self) -> R {
        self.public
    }
    fn own(&self, row: usize) -> R {
        self.own[row]
    }
    fn of(&self, individual: u32) -> R {
        self.before.rows[individual as usize * self.before.stride + self.coordinate]
    }
    fn best(&self) -> R {
        self.best
    }
    fn bounds(&self) -> (R, R) {
        self.bounds
    }
    fn draws(&self, set: u32) -> [R; 2] {
        self.draws.draws(self.coordinate as u32, set)
    }
    fn reentry(&self) -> R {
        self.draws.reentry(self.coordinate as u32)
    }
}

/// What moving some individuals gave.
#[derive(Clone, Copy)]
struct Outcome<R> {
    best: Candidate<R>,
    not_finite: u64,
}

impl<R: Real> Outcome<R> {
    const NONE: Self = Outcome { best: Candidate::NONE, not_finite: 0 };

    fn of(fitness: Fitness<R>, index: u32, not_finite: u64) -> Self {
        Outcome { best: Candidate::new(fitness, index), not_finite }
    }

    fn join(self, other: Self) -> Self {
        let best = self.best.better(other.best);
        Outcome { best, not_finite: self.not_finite + other.not_finite }
    }
}

/// Does `work` on every individual and joins the outcomes.
fn each<R: Real>(
    swarm: &mut Swarm<R>,
    threads: Threads,
    work: &(dyn Fn(One<'_, R>, &mut Scratch<R>) -> Outcome<R> + Sync),
) -> Outcome<R> {
    let individuals = swarm.best.len();
    let stride = swarm.stride;
    let count = swarm.numbers.len() / individuals;
    let all = Ones {
        first: 0,
        stride,
        count,
        public: &mut swarm.best_positions,
        fitness: &mut swarm.best,
        own: [&mut swarm.positions, &mut swarm.velocities],
        numbers: &mut swarm.numbers,
    };
    let grain = threads.grain(stride);
    all.work(grain, work)
}

/// Consecutive individuals, borrowed.
struct Ones<'a, R> {
    first: u32,
    stride: usize,
    count: usize,
    public: &'a mut [R],
    fitness: &'a mut [Fitness<R>],
    own: [&'a mut [R]; 2],
    numbers: &'a mut [R],
}

impl<R: Real> Ones<'_, R> {
    fn work(
        self,
        grain: usize,
        work: &(dyn Fn(One<'_, R>, &mut Scratch<R>) -> Outcome<R> + Sync),
    ) -> Outcome<R> {
        let individuals = self.fitness.len();
        if individuals > grain {
            let (left, right) = self.split_at(individuals / 2);
            let (left, right) = rayon::join(|| left.work(grain, work), || right.work(grain, work));
            return left.join(right);
        }
        let Ones { first, stride, count, public, fitness, own: [own0, own1], numbers } = self;
        let mut outcome = Outcome::NONE;
        let mut scratch = Scratch::default();
        for (i, (public, fitness)) in
            public.chunks_exact_mut(stride).zip(fitness.iter_mut()).enumerate()
        {
            let row = |rows: &'_ mut [R]| {
                if rows.is_empty() { 0..0 } else { i * stride..(i + 1) * stride }
            };
            let (row0, row1) = (row(own0), row(own1));
            let one = One {
                index: first + i as u32,
                public,
                fitness,
                own: [&mut own0[row0], &mut own1[row1]],
                numbers: &mut numbers[i * count..(i + 1) * count],
            };
            outcome = outcome.join(work(one, &mut scratch));
        }
        outcome
    }

    fn split_at(self, individuals: usize) -> (Self, Self) {
        let Ones { first, stride, count, public, fitness, own: [own0, own1], numbers } = self;
        let places = individuals * stride;
        let row = |rows: &[R]| if rows.is_empty() { 0 } else { places };
        let (public, more_public) = public.split_at_mut(places);
        let (fitness, more_fitness) = fitness.split_at_mut(individuals);
        let (at0, at1) = (row(own0), row(own1));
        let (own0, more_own0) = own0.split_at_mut(at0);
        let (own1, more_own1) = own1.split_at_mut(at1);
        let (numbers, more_numbers) = numbers.split_at_mut(individuals * count);
        let left = Ones { first, stride, count, public, fitness, own: [own0, own1], numbers };
        let right = Ones {
            first: first + individuals as u32,
            stride,
            count,
            public: more_public,
            fitness: more_fitness,
            own: [more_own0, more_own1],
            numbers: more_numbers,
        };
        (left, right)
    }
}
