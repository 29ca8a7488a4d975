//! The random draws of a method.

use super::{Individual, Method};
use crate::random::{Draw, Factor, PLACES, Purpose, RunKey, Stream};
use crate::real::Float;

/// The set of draws from which normal numbers are made.
const NORMALS: u32 = 1;

/// The draws of a [`Site`](super::Site).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteDraws {
    key: RunKey,
    iteration: u64,
    individual: u32,
    attempt: u32,
}

impl SiteDraws {
    /// The draws for an attempt of an individual.
    #[inline(always)]
    pub fn of<R: Float>(who: &Individual<R>) -> Self {
        let Individual { key, iteration, index, attempt, .. } = *who;
        SiteDraws { key, iteration, individual: index, attempt }
    }

    /// The draws for the normal numbers that a method uses, if any.
    #[inline(always)]
    pub fn of_normals<R: Float, M: Method<R>>(
        method: &M,
        who: &Individual<R>,
        plan: &M::Plan,
    ) -> Option<Self> {
        let of_attempt = |attempt| SiteDraws::of(&Individual { attempt, ..*who });
        method.normals(who, plan).map(of_attempt)
    }

    /// The draws of set 0 for the coordinates `2 * pair` and `2 * pair + 1`; cheaper than one by one.
    #[inline(always)]
    pub fn of_pair<R: Float>(&self, pair: u32) -> [[Draw<R>; 2]; 2] {
        self.moves(0).coordinate_draws(pair)
    }

    /// The draws of a set for `count` coordinates from `first` on: see [`Stream::row_draws`].
    #[inline(always)]
    pub fn of_row<R: Float>(&self, set: u32, first: u32, count: usize) -> [[Draw<R>; PLACES]; 2] {
        self.moves(set).row_draws(first, count)
    }

    /// The draws with which `count` coordinates from `first` on are put back into their bounds, in the first row.
    #[inline(always)]
    pub fn reentry_row<R: Float>(&self, first: u32, count: usize) -> [[Draw<R>; PLACES]; 2] {
        self.reentries().row_draws(first, count)
    }

    /// See [`Site::drawn`](super::Site::drawn).
    #[inline(always)]
    pub fn drawn<R: Float>(&self, coordinate: u32, set: u32) -> [Draw<R>; 2] {
        self.moves(set).draws_of(coordinate)
    }

    /// See [`Site::reentry`](super::Site::reentry).
    #[inline(always)]
    pub fn reentry<R: Float>(&self, coordinate: u32) -> R {
        self.reentries().draws_of::<R>(coordinate)[0].open()
    }

    /// See [`Site::factors`](super::Site::factors).
    #[inline(always)]
    pub fn factors<R: Float>(&self, coordinate: u32) -> [Factor<R>; 2] {
        self.moves(0).factors_of(coordinate)
    }

    /// The factors of the coordinates `2 * pair` and `2 * pair + 1`.
    #[inline(always)]
    pub fn factors_of_pair<R: Float>(&self, pair: u32) -> [[Factor<R>; 2]; 2] {
        self.moves(0).pair_factors(pair)
    }

    /// The factors of the four coordinates from `4 * quad` on.
    #[inline(always)]
    pub fn factors_of_quad<R: Float>(&self, quad: u32) -> [[Factor<R>; 2]; 4] {
        self.moves(0).quad_factors(quad)
    }

    /// The factors of `count` coordinates from `first` on: see [`Stream::row_factors`].
    #[inline(always)]
    pub fn factors_of_row<R: Float>(&self, first: u32, count: usize) -> [[Factor<R>; PLACES]; 2] {
        self.moves(0).row_factors(first, count)
    }

    /// The standard normal number of a coordinate: see [`Site::normal`](super::Site::normal).
    #[inline(always)]
    pub fn normal<R: Float>(&self, coordinate: u32) -> R {
        let [even, odd] = self.moves(NORMALS).pair_normals(coordinate / 2);
        if coordinate.is_multiple_of(2) { even } else { odd }
    }

    /// The standard normal numbers of the coordinates `2 * pair` and `2 * pair + 1`.
    #[inline(always)]
    pub fn normals_of_pair<R: Float>(&self, pair: u32) -> [R; 2] {
        self.moves(NORMALS).pair_normals(pair)
    }

    /// The standard normal numbers of the four coordinates from `4 * quad` on.
    #[inline(always)]
    pub fn normals_of_quad<R: Float>(&self, quad: u32) -> [R; 4] {
        self.moves(NORMALS).quad_normals(quad)
    }

    /// The standard normal numbers of `count` coordinates from `first` on: see [`Stream::row_normals`].
    #[inline(always)]
    pub fn normals_of_row<R: Float>(&self, first: u32, count: usize) -> [R; PLACES] {
        self.moves(NORMALS).row_normals(first, count)
    }

    /// The stream of a set of draws of this attempt.
    #[inline(always)]
    fn moves(&self, set: u32) -> Stream {
        self.stream(Purpose::Move).set(8 * self.attempt + set)
    }

    #[inline(always)]
    fn reentries(&self) -> Stream {
        self.stream(Purpose::Reentry).set(8 * self.attempt)
    }

    #[inline(always)]
    fn stream(&self, purpose: Purpose) -> Stream {
        Stream::new(self.key, purpose, self.iteration, self.individual)
    }
}
