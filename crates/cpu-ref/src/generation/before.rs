//! A population, as other individuals read it.

use std::cell::Cell;

use warpswarm_core::method::{Fitnesses, Numbers, Population, best_one_by_one};
use warpswarm_core::objective::{Point, SlicePoint};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::real::Float;
use warpswarm_core::solis_wets;

use crate::task::Bounds;

/// The individuals after the previous iteration.
#[derive(Clone, Copy)]
pub(super) struct Before<'a, R> {
    pub(super) rows: &'a [R],
    pub(super) fitness: &'a [Fitness<R>],
    pub(super) numbers: &'a [R],
    /// The number of numbers of an individual.
    pub(super) count: usize,
    pub(super) memory: &'a [R],
    pub(super) stride: usize,
    pub(super) bounds: Bounds<'a, R>,
}

impl<R: Float> Before<'_, R> {
    pub(super) fn row(&self, individual: u32) -> &[R] {
        &self.rows[individual as usize * self.stride..][..self.stride]
    }
}

impl<R: Float> Fitnesses<R> for Before<'_, R> {
    #[inline(always)]
    fn fitness(&self, individual: u32) -> Fitness<R> {
        self.fitness[individual as usize]
    }
}

impl<R: Float> Population<R> for Before<'_, R> {
    #[inline(always)]
    fn numbers(&self, individual: u32) -> Numbers<R> {
        let own = &self.numbers[individual as usize * self.count..][..self.count];
        // A single copy if there are as many numbers as fit.
        Numbers::try_from(own).unwrap_or_else(|_| {
            let mut numbers = Numbers::default();
            numbers[..own.len()].copy_from_slice(own);
            numbers
        })
    }

    fn remembered(&self, k: u32) -> R {
        self.memory[k as usize]
    }

    fn squared_distance(&self, a: u32, b: u32) -> R {
        square(&self.row(a)[..self.bounds.dimensions()], self.row(b), self.bounds)
    }
}

/// The population for one thread, which caches the last best of consecutive individuals: neighbouring individuals ask
/// for the same one.
pub(super) struct Looking<'a, R> {
    before: Before<'a, R>,
    last: Cell<Option<BestOf<R>>>,
}

/// The first of some consecutive individuals and their number, and their best.
type BestOf<R> = ((u32, u32), Candidate<R>);

impl<'a, R: Float> Looking<'a, R> {
    pub(super) fn at(before: Before<'a, R>) -> Self {
        Looking { before, last: Cell::new(None) }
    }
}

impl<R: Float> Fitnesses<R> for Looking<'_, R> {
    #[inline(always)]
    fn fitness(&self, individual: u32) -> Fitness<R> {
        self.before.fitness(individual)
    }

    #[inline(always)]
    fn best_of(&self, first: u32, count: u32) -> Candidate<R> {
        match self.last.get() {
            Some((last, best)) if last == (first, count) => best,
            _ => {
                let best = best_one_by_one(self, first, count);
                self.last.set(Some(((first, count), best)));
                best
            }
        }
    }
}

impl<R: Float> Population<R> for Looking<'_, R> {
    #[inline(always)]
    fn numbers(&self, individual: u32) -> Numbers<R> {
        self.before.numbers(individual)
    }

    fn remembered(&self, k: u32) -> R {
        self.before.remembered(k)
    }

    fn squared_distance(&self, a: u32, b: u32) -> R {
        self.before.squared_distance(a, b)
    }
}

/// The square of the distance between two points, in ranges.
pub(super) fn square<R: Float>(x: &[R], y: &[R], bounds: Bounds<'_, R>) -> R {
    SlicePoint(x).sum(|i, x| solis_wets::square_in_ranges(x, y[i], bounds.of(i)))
}
