//! The fireworks algorithm, serial or on threads.
//!
//! **Idea.** As in [`warpswarm_core::fwa`]: an iteration places the sparks, evaluates them, sums distances, and
//! selects. Sparks and sums are distributed over threads; the few decisions between them are made on the calling
//! thread.
//!
//! **Equations, symbols and source** are those of [`warpswarm_core::fwa`].
//!
//! **State.** In a [`Swarm`] the fireworks are `best_positions`, with the fitness `best`; from the first iteration on
//! the first of them is the best. `positions` and `velocities` are empty. `numbers` count the evaluations that each
//! place has spent; [`evaluations`] adds them.
//!
//! Candidates are numbered: the fireworks, then the sparks of each firework in turn, then the Gaussian sparks. A spark
//! uses the draws of the individual with its number, the selection those of the fireworks.

use warpswarm_core::fwa::{self, Fwa, NUMBERS, Range, Spark};
use warpswarm_core::launch::{row_stride, stopped};
use warpswarm_core::method::{Fitnesses, Individual, SiteDraws};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::pso;
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::real::Float;
use warpswarm_core::sum::{self, Sum};

use crate::generation::Work;
use crate::swarm::{RunId, Swarm};
use crate::threads::{Outcome, Split, Threads, spread};

/// The limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The number of further iterations.
    pub iterations: u64,
    /// The total number of evaluations; a run whose next iteration would exceed it has stopped.
    pub evaluations: u64,
}

impl Span {
    /// This number of iterations, without a limit of evaluations.
    pub fn iterations(iterations: u64) -> Self {
        Span { iterations, evaluations: u64::MAX }
    }
}

/// The fireworks at iteration 0: placed, evaluated, and stopped if their best reaches the target.
pub fn start<R: Float>(
    work: &Work<'_, R>,
    individuals: u32,
    id: RunId,
    threads: Threads,
) -> Swarm<R> {
    let mut swarm = unplaced(work.bounds.dimensions(), individuals, id);
    let key = id.key();
    let place = |index: u32, row: &mut [R]| {
        let stream = Stream::new(key, Purpose::Move, 0, index);
        for (i, x) in row.iter_mut().enumerate() {
            let given = work.start.of(index, i, work.bounds.dimensions());
            (*x, _) = pso::initial(work.bounds.of(i), stream.draws_of(i as u32), given);
        }
    };
    let (rows, fitness) = (&mut swarm.best_positions[..], &mut swarm.best[..]);
    let all = Points { first: 0, stride: swarm.stride, rows, fitness };
    let outcome = all.each(threads, work, &place);
    for numbers in swarm.numbers.chunks_exact_mut(NUMBERS) {
        numbers.copy_from_slice(&fwa::counted([R::ZERO; NUMBERS], 1));
    }
    swarm.begin(outcome, &work.stop);
    swarm
}

/// Fireworks of the right shape, with every coordinate zero and every fitness the worst.
pub fn unplaced<R: Float>(dimensions: usize, individuals: u32, id: RunId) -> Swarm<R> {
    let mut swarm = Swarm::unplaced(dimensions, individuals, id);
    (swarm.positions, swarm.velocities) = (Vec::new(), Vec::new());
    swarm.numbers = vec![R::ZERO; NUMBERS * individuals as usize];
    swarm
}

/// The evaluations that a run has spent, including those of the start.
pub fn evaluations<R: Float>(swarm: &Swarm<R>) -> u64 {
    let numbers = swarm.numbers.chunks_exact(NUMBERS);
    numbers.map(|row| fwa::evaluations([row[0], row[1]])).fold(0, u64::saturating_add)
}

/// The evaluations that a run's next iteration would take.
pub fn next_evaluations<R: Float>(swarm: &Swarm<R>, fwa: &Fwa<R>) -> u64 {
    let range = range(swarm);
    let sparks = swarm.best.iter().map(|&fitness| u64::from(fwa.sparks_of(&range, fitness)));
    sparks.sum::<u64>() + u64::from(fwa.gaussian_sparks)
}

/// Whether a run's next iteration would exceed `limit` evaluations.
pub fn would_exceed<R: Float>(swarm: &Swarm<R>, fwa: &Fwa<R>, limit: u64) -> bool {
    evaluations(swarm).saturating_add(next_evaluations(swarm, fwa)) > limit
}

/// Continues a run up to the limits of `span`; it may stop before.
///
/// N and then M iterations give the same bits as N + M, with any [`Threads`].
pub fn run<R: Float>(
    swarm: &mut Swarm<R>,
    fwa: &Fwa<R>,
    work: &Work<'_, R>,
    span: Span,
    threads: Threads,
) {
    let mut candidates = Candidates::default();
    settle(swarm, fwa, span.evaluations);
    for _ in 0..span.iterations {
        if swarm.has_stopped() {
            break;
        }
        candidates.throw(swarm, fwa);
        if !step(swarm, fwa, work, &mut candidates, threads) {
            break;
        }
        settle(swarm, fwa, span.evaluations);
    }
}

/// Records whether a run stops at its limit of evaluations.
fn settle<R: Float>(swarm: &mut Swarm<R>, fwa: &Fwa<R>, limit: u64) {
    if !swarm.has_stopped() && would_exceed(swarm, fwa, limit) {
        swarm.control.stopped = stopped::EVALUATIONS;
    }
}

/// The fireworks by their fitness.
struct Fireworks<'a, R>(&'a [Fitness<R>]);

impl<R: Float> Fitnesses<R> for Fireworks<'_, R> {
    fn fitness(&self, individual: u32) -> Fitness<R> {
        self.0[individual as usize]
    }
}

#[inline(never)]
fn range<R: Float>(swarm: &Swarm<R>) -> Range<R> {
    Range::of(swarm.individuals() as u32, &Fireworks(&swarm.best))
}

/// The fireworks and sparks of an iteration: memory that is reused from iteration to iteration.
#[derive(Default)]
struct Candidates<R> {
    /// `[spark]`
    sparks: Vec<Spark<R>>,
    /// The sparks' positions, `[spark][stride]`.
    rows: Vec<R>,
    /// Their fitness, `[spark]`.
    fitness: Vec<Fitness<R>>,
    /// The candidates' positions scaled by the ranges, `[candidate][dimensions]`.
    places: Vec<R>,
    /// First sums of distances, then the ends of the parts of the roulette wheel, `[candidate]`.
    sums: Vec<R>,
}

impl<R: Float> Candidates<R> {
    /// Chooses the sparks, and counts them.
    fn throw(&mut self, swarm: &mut Swarm<R>, fwa: &Fwa<R>) {
        let range = range(swarm);
        let fireworks = swarm.individuals() as u32;
        self.sparks.clear();
        for (firework, &fitness) in (0..).zip(&swarm.best) {
            let amplitude = fwa.amplitude_of(&range, fitness);
            for _ in 0..fwa.sparks_of(&range, fitness) {
                let who = who(swarm, fireworks + self.sparks.len() as u32);
                self.sparks.push(Spark::explosion(&who, firework, amplitude));
            }
        }
        for _ in 0..fwa.gaussian_sparks {
            let who = who(swarm, fireworks + self.sparks.len() as u32);
            self.sparks.push(Spark::gaussian(&who));
        }
        for spark in &self.sparks {
            let numbers = &mut swarm.numbers[spark.firework as usize * NUMBERS..][..NUMBERS];
            numbers.copy_from_slice(&fwa::counted([numbers[0], numbers[1]], 1));
        }
        self.rows.clear();
        self.rows.resize(self.sparks.len() * swarm.stride, R::ZERO);
        self.fitness.clear();
        self.fitness.resize(self.sparks.len(), Fitness::WORST);
    }

    /// The position of a candidate, `[stride]`.
    fn row<'a>(&'a self, swarm: &'a Swarm<R>, candidate: usize) -> &'a [R] {
        match candidate.checked_sub(swarm.individuals()) {
            None => swarm.best_position(candidate),
            Some(spark) => &self.rows[spark * swarm.stride..][..swarm.stride],
        }
    }

    /// Computes in `sums` the ends of the candidates' parts of the wheel.
    fn spin(&mut self, swarm: &Swarm<R>, work: &Work<'_, R>, threads: Threads) {
        let dimensions = swarm.dimensions;
        let all = swarm.individuals() + self.sparks.len();
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        for candidate in 0..all {
            let row = self.row(swarm, candidate)[..dimensions].iter().enumerate();
            places.extend(row.map(|(i, &x)| fwa::place_in_range(x, work.bounds.of(i))));
        }
        self.sums.clear();
        self.sums.resize(all, R::ZERO);
        let place = |candidate: usize| &places[candidate * dimensions..][..dimensions];
        let distances = |sums: Sums<'_, R>| {
            for (candidate, sum) in (sums.first..).zip(sums.sums) {
                let to = |other| fwa::distance(place(candidate), place(other));
                *sum = sum::fold_buffered::<R, Sum>(all, to);
            }
            Outcome::<R>::NONE
        };
        // A sum reads every candidate, whatever an evaluation costs.
        let threads = if threads == Threads::Serial { threads } else { Threads::Pool };
        let tasks = threads.tasks(all * dimensions, work.halt);
        spread(Sums { first: 0, sums: &mut self.sums }, tasks, &distances);
        let mut end = R::ZERO;
        for sum in &mut self.sums {
            end += *sum;
            *sum = end;
        }
        self.places = places;
    }
}

/// The individual that draws for candidate `index` in the next iteration.
fn who<R: Float>(swarm: &Swarm<R>, index: u32) -> Individual<R> {
    Individual {
        key: swarm.id.key(),
        iteration: swarm.control.iterations + 1,
        index,
        individuals: swarm.individuals() as u32,
        dimensions: swarm.dimensions as u32,
        attempt: 0,
        fitness: Fitness::WORST,
    }
}

/// Places the sparks, and selects; returns false if that was aborted.
fn step<R: Float>(
    swarm: &mut Swarm<R>,
    fwa: &Fwa<R>,
    work: &Work<'_, R>,
    candidates: &mut Candidates<R>,
    threads: Threads,
) -> bool {
    let fireworks = swarm.individuals();
    let mut rows = std::mem::take(&mut candidates.rows);
    let mut fitness = std::mem::take(&mut candidates.fitness);
    let place = |index: u32, row: &mut [R]| {
        let spark = &candidates.sparks[index as usize - fireworks];
        let draws = SiteDraws::of(&who(swarm, index));
        let from = swarm.best_position(spark.firework as usize);
        let (mut wanted, all) = (spark.coordinates, row.len());
        for (i, to) in row.iter_mut().enumerate() {
            let coordinate = i as u32;
            let [r, _] = draws.drawn::<R>(coordinate, 0);
            *to = from[i];
            if fwa::is_chosen(wanted, (all - i) as u32, r.open()) {
                wanted -= 1;
                let bounds = work.bounds.of(i);
                let x = spark.changed(from[i], bounds);
                *to = fwa.mapped(x, bounds, || draws.reentry(coordinate));
            }
        }
    };
    let (first, stride) = (fireworks as u32, swarm.stride);
    let all = Points { first, stride, rows: &mut rows, fitness: &mut fitness };
    let outcome = all.each(threads, work, &place);
    (candidates.rows, candidates.fitness) = (rows, fitness);
    candidates.spin(swarm, work, threads);
    if work.halt.is_due() {
        return false;
    }
    swarm.control.not_finite += outcome.not_finite;
    select(swarm, candidates, outcome.best);
    swarm.control.iterations += 1;
    if swarm.best[0].beats(swarm.global.fitness) {
        swarm.control.improved_at = swarm.control.iterations;
    }
    swarm.global = Candidate::new(swarm.best[0], 0);
    swarm.global_position = swarm.best_position(0).to_vec();
    swarm.settle(&work.stop);
    true
}

/// Copies the selected candidates to the fireworks; `best` is the best of the sparks.
fn select<R: Float>(swarm: &mut Swarm<R>, candidates: &Candidates<R>, best: Candidate<R>) {
    let fireworks = swarm.individuals();
    let key: RunKey = swarm.id.key();
    let iteration = swarm.control.iterations + 1;
    let stride = swarm.stride;
    let mut rows = vec![R::ZERO; fireworks * stride];
    let mut fitness = Vec::with_capacity(fireworks);
    let best = swarm.global.better(best).index as usize;
    for (slot, row) in rows.chunks_exact_mut(stride).enumerate() {
        let chosen = if slot == 0 {
            best
        } else {
            let stream = Stream::new(key, Purpose::Choice, iteration, slot as u32);
            let [r, _] = stream.draws_of(0);
            fwa::roulette(&candidates.sums, r.open())
        };
        row.copy_from_slice(candidates.row(swarm, chosen));
        fitness.push(match chosen.checked_sub(fireworks) {
            None => swarm.best[chosen],
            Some(spark) => candidates.fitness[spark],
        });
    }
    (swarm.best_positions, swarm.best) = (rows, fitness);
}

/// Consecutive points to be placed and evaluated, borrowed.
struct Points<'a, R> {
    /// The number of the first point.
    first: u32,
    stride: usize,
    rows: &'a mut [R],
    fitness: &'a mut [Fitness<R>],
}

impl<R: Float> Points<'_, R> {
    /// Places every point with `place`, evaluates it, and joins the outcomes.
    fn each(
        self,
        threads: Threads,
        work: &Work<'_, R>,
        place: &(impl Fn(u32, &mut [R]) + Sync),
    ) -> Outcome<R> {
        let dimensions = work.bounds.dimensions();
        debug_assert_eq!(self.stride, row_stride(dimensions as u32) as usize);
        let tasks = threads.tasks(self.stride, work.halt);
        spread(self, tasks, &|points: Points<'_, R>| {
            let mut outcome = Outcome::NONE;
            let rows = points.rows.chunks_exact_mut(points.stride);
            for (index, (row, fitness)) in (points.first..).zip(rows.zip(points.fitness)) {
                place(index, &mut row[..dimensions]);
                *fitness = (work.evaluate)(&row[..dimensions]);
                let not_finite = u64::from(!fitness.is_finite());
                outcome =
                    outcome.join(Outcome { best: Candidate::new(*fitness, index), not_finite });
            }
            outcome
        })
    }
}

impl<R: Float> Split for Points<'_, R> {
    fn len(&self) -> usize {
        self.fitness.len()
    }

    fn split_at(self, points: usize) -> (Self, Self) {
        let Points { first, stride, rows, fitness } = self;
        let (rows, more_rows) = rows.split_at_mut(points * stride);
        let (fitness, more_fitness) = fitness.split_at_mut(points);
        let more = first + points as u32;
        let right = Points { first: more, stride, rows: more_rows, fitness: more_fitness };
        (Points { first, stride, rows, fitness }, right)
    }
}

/// Sums of distances of consecutive candidates, borrowed.
struct Sums<'a, R> {
    first: usize,
    sums: &'a mut [R],
}

impl<R: Float> Split for Sums<'_, R> {
    fn len(&self) -> usize {
        self.sums.len()
    }

    fn split_at(self, candidates: usize) -> (Self, Self) {
        let (sums, more) = self.sums.split_at_mut(candidates);
        let right = Sums { first: self.first + candidates, sums: more };
        (Sums { first: self.first, sums }, right)
    }
}
