//! Individuals one by one, on the calling thread or spread over a pool.

use warpswarm_core::method::{Numbers, Own};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::real::Real;

use crate::swarm::Swarm;
use crate::threads::{Outcome, Split, Threads, spread};

/// One individual, borrowed.
pub(super) struct One<'a, R> {
    pub(super) index: u32,
    pub(super) public: &'a mut [R],
    pub(super) fitness: &'a mut Fitness<R>,
    /// The own rows; empty where there are none.
    pub(super) own: [&'a mut [R]; 2],
    pub(super) numbers: &'a mut [R],
}

impl<R: Real> One<'_, R> {
    /// What this individual gave, with so many evaluations that were not finite.
    pub(super) fn outcome(&self, not_finite: u64) -> Outcome<R> {
        Outcome { best: Candidate::new(*self.fitness, self.index), not_finite }
    }

    pub(super) fn own(&self, i: usize) -> Own<R> {
        let of = |row: &[R]| row.get(i).copied().unwrap_or(R::ZERO);
        [of(self.own[0]), of(self.own[1])]
    }

    pub(super) fn set_own(&mut self, i: usize, own: Own<R>) {
        for (row, x) in self.own.iter_mut().zip(own) {
            if let Some(place) = row.get_mut(i) {
                *place = x;
            }
        }
    }

    pub(super) fn numbers(&self, count: usize) -> Numbers<R> {
        let mut numbers = Numbers::default();
        numbers[..count].copy_from_slice(self.numbers);
        numbers
    }

    pub(super) fn set_numbers(&mut self, numbers: Numbers<R>) {
        let count = self.numbers.len();
        self.numbers.copy_from_slice(&numbers[..count]);
    }
}

/// A proposal: its coordinates, and the own rows that go with it.
#[derive(Default)]
pub(super) struct Proposal<R> {
    pub(super) x: Vec<R>,
    pub(super) own: Vec<Own<R>>,
}

/// Memory that individuals use one after the other: the last proposal and the best so far.
#[derive(Default)]
pub(super) struct Scratch<R> {
    pub(super) tried: Proposal<R>,
    pub(super) kept: Proposal<R>,
}

/// What is done with an individual.
type Work<'a, R> = &'a (dyn Fn(One<'_, R>, &mut Scratch<R>) -> Outcome<R> + Sync);

/// Does `work` on every individual and joins the outcomes.
pub(super) fn each<R: Real>(
    swarm: &mut Swarm<R>,
    threads: Threads,
    work: Work<'_, R>,
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
    spread(all, threads.grain(stride), &|ones| ones.work(work))
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
    fn work(self, work: Work<'_, R>) -> Outcome<R> {
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
}

impl<R: Real> Split for Ones<'_, R> {
    fn len(&self) -> usize {
        self.fitness.len()
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
