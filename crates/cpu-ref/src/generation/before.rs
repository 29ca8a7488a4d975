//! A population as others see it.

use warpswarm_core::method::{Fitnesses, Numbers, Population};
use warpswarm_core::objective::{Point, SlicePoint};
use warpswarm_core::order::Fitness;
use warpswarm_core::real::Float;
use warpswarm_core::solis_wets;

use crate::task::Bounds;

/// The individuals as the iteration before left them.
#[derive(Clone, Copy)]
pub(super) struct Before<'a, R> {
    pub(super) rows: &'a [R],
    pub(super) fitness: &'a [Fitness<R>],
    pub(super) numbers: &'a [R],
    /// Numbers of an individual.
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
    fn numbers(&self, individual: u32) -> Numbers<R> {
        let mut numbers = Numbers::default();
        let first = individual as usize * self.count;
        numbers[..self.count].copy_from_slice(&self.numbers[first..][..self.count]);
        numbers
    }

    fn remembered(&self, k: u32) -> R {
        self.memory[k as usize]
    }

    fn square(&self, a: u32, b: u32) -> R {
        square(&self.row(a)[..self.bounds.dimensions()], self.row(b), self.bounds)
    }
}

/// The square of the distance between two points, each coordinate in its range.
pub(super) fn square<R: Float>(x: &[R], y: &[R], bounds: Bounds<'_, R>) -> R {
    SlicePoint(x).sum(|i, x| solis_wets::square_in_ranges(x, y[i], bounds.of(i)))
}
