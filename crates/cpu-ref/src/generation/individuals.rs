//! Individuals one by one, on the calling thread or on a pool.

use warpswarm_core::method::{MAX_OWN, Numbers, Own};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::real::Float;

use crate::swarm::Swarm;
use crate::threads::{Outcome, Split, Tasks, spread};

/// One individual, borrowed.
pub(super) struct One<'a, R> {
    pub(super) index: u32,
    pub(super) public: &'a mut [R],
    pub(super) fitness: &'a mut Fitness<R>,
    /// The own rows; empty if there are none.
    pub(super) own: [&'a mut [R]; MAX_OWN],
    pub(super) numbers: &'a mut [R],
}

impl<R: Float> One<'_, R> {
    /// The result of this individual, with the number of its evaluations that were not finite.
    pub(super) fn outcome(&self, not_finite: u64) -> Outcome<R> {
        Outcome { best: Candidate::new(*self.fitness, self.index), not_finite }
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

/// A function that is applied to individuals.
type Work<'a, R> = &'a (dyn Fn(Ones<'_, R>) -> Outcome<R> + Sync);

/// Applies `work` to every individual and joins the outcomes.
pub(super) fn each<R: Float>(
    swarm: &mut Swarm<R>,
    tasks: Tasks<'_>,
    work: Work<'_, R>,
) -> Outcome<R> {
    spread(ones(swarm), tasks, &work)
}

/// All individuals.
pub(super) fn ones<R: Float>(swarm: &mut Swarm<R>) -> Ones<'_, R> {
    let individuals = swarm.best.len();
    let stride = swarm.stride;
    let count = swarm.numbers.len() / individuals;
    Ones {
        first: 0,
        stride,
        count,
        public: &mut swarm.best_positions,
        fitness: &mut swarm.best,
        own: [&mut swarm.positions, &mut swarm.velocities],
        numbers: &mut swarm.numbers,
    }
}

/// Consecutive individuals, borrowed.
pub(super) struct Ones<'a, R> {
    first: u32,
    stride: usize,
    count: usize,
    public: &'a mut [R],
    fitness: &'a mut [Fitness<R>],
    own: [&'a mut [R]; MAX_OWN],
    numbers: &'a mut [R],
}

/// The first `count` of `rest`, or all if there are fewer.
#[inline(always)]
fn first<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let count = count.min(rest.len());
    let (first, others) = std::mem::take(rest).split_at_mut(count);
    *rest = others;
    first
}

impl<'a, R: Float> Ones<'a, R> {
    /// Splits off the first `individuals`, or all if there are fewer; the others stay.
    #[inline(always)]
    fn cut(&mut self, individuals: usize) -> Self {
        let Ones { stride, count, .. } = *self;
        let places = individuals * stride;
        let [own0, own1] = &mut self.own;
        let taken = Ones {
            first: self.first,
            stride,
            count,
            public: first(&mut self.public, places),
            fitness: first(&mut self.fitness, individuals),
            own: [first(own0, places), first(own1, places)],
            numbers: first(&mut self.numbers, individuals * count),
        };
        self.first += individuals as u32;
        taken
    }
}

impl<'a, R: Float> Iterator for Ones<'a, R> {
    type Item = One<'a, R>;

    #[inline(always)]
    fn next(&mut self) -> Option<One<'a, R>> {
        let Ones { first, public, fitness, own, numbers, .. } = self.cut(1);
        let fitness = fitness.first_mut()?;
        Some(One { index: first, public, fitness, own, numbers })
    }
}

impl<R: Float> Split for Ones<'_, R> {
    fn len(&self) -> usize {
        self.fitness.len()
    }

    fn split_at(mut self, individuals: usize) -> (Self, Self) {
        (self.cut(individuals), self)
    }
}
