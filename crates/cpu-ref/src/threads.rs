//! How the particles of a run are spread over threads.
//!
//! A particle's move depends on nothing but itself and the global best of the iteration before, and
//! outcomes are joined by a total order; so the number of threads and the cut cannot change a bit.

use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::real::Real;

/// Who moves the particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// The calling thread.
    #[default]
    Serial,
    /// The rayon pool that the caller has installed, in tasks of [`POOL_PLACES`] places: right for
    /// objectives that cost about as much as the move. A swarm that is no larger than one task
    /// runs on the calling thread.
    Pool,
    /// The rayon pool that the caller has installed, in tasks of at most this many particles (at
    /// least 1): for objectives so expensive that a few particles are worth a thread.
    Chunks(usize),
}

/// Places (particles times stride) of a task of [`Threads::Pool`].
pub const POOL_PLACES: usize = 8192;

impl Threads {
    /// The most particles that one task moves.
    pub(crate) fn grain(self, stride: usize) -> usize {
        match self {
            Threads::Serial => usize::MAX,
            Threads::Pool => (POOL_PLACES / stride).max(1),
            Threads::Chunks(particles) => particles.max(1),
        }
    }
}

/// Consecutive individuals, which can be cut in two.
pub(crate) trait Split: Send + Sized {
    fn len(&self) -> usize;
    /// The first so many, and the others.
    fn split_at(self, individuals: usize) -> (Self, Self);
}

/// Consecutive particles of a swarm, borrowed.
pub(crate) struct Chunk<'a, R> {
    /// The index of the first of them.
    pub(crate) first: u32,
    /// Places in a row.
    pub(crate) stride: usize,
    /// `[particle][place]`
    pub(crate) positions: &'a mut [R],
    /// `[particle][place]`
    pub(crate) velocities: &'a mut [R],
    /// `[particle][place]`
    pub(crate) best_positions: &'a mut [R],
    /// `[particle]`
    pub(crate) best: &'a mut [Fitness<R>],
}

/// One particle of a swarm, borrowed; its rows have `stride` places.
pub(crate) struct Particle<'a, R> {
    pub(crate) index: u32,
    pub(crate) position: &'a mut [R],
    pub(crate) velocity: &'a mut [R],
    pub(crate) best_position: &'a mut [R],
    pub(crate) best: &'a mut Fitness<R>,
}

impl<R: Real> Chunk<'_, R> {
    /// The particles, in the order of their indices, as rows of `stride` places.
    ///
    /// `stride` is the chunk's own; a caller that knows it as a constant passes that, and the loops
    /// over rows unroll.
    #[inline(always)]
    pub(crate) fn particles(&mut self, stride: usize) -> impl Iterator<Item = Particle<'_, R>> {
        debug_assert_eq!(stride, self.stride);
        let positions = self.positions.chunks_exact_mut(stride);
        let velocities = self.velocities.chunks_exact_mut(stride);
        let best_positions = self.best_positions.chunks_exact_mut(stride);
        let rows = positions.zip(velocities).zip(best_positions).zip(self.best.iter_mut());
        (self.first..).zip(rows).map(|(index, (((position, velocity), best_position), best))| {
            Particle { index, position, velocity, best_position, best }
        })
    }
}

impl<R: Real> Split for Chunk<'_, R> {
    fn len(&self) -> usize {
        self.best.len()
    }

    fn split_at(self, particles: usize) -> (Self, Self) {
        let (first, stride, places) = (self.first, self.stride, particles * self.stride);
        let (positions, more_positions) = self.positions.split_at_mut(places);
        let (velocities, more_velocities) = self.velocities.split_at_mut(places);
        let (best_positions, more_best_positions) = self.best_positions.split_at_mut(places);
        let (best, more_best) = self.best.split_at_mut(particles);
        let second = Chunk {
            first: first + particles as u32,
            stride,
            positions: more_positions,
            velocities: more_velocities,
            best_positions: more_best_positions,
            best: more_best,
        };
        (Chunk { first, stride, positions, velocities, best_positions, best }, second)
    }
}

/// What moving some particles gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome<R> {
    /// The best of their personal bests.
    pub(crate) best: Candidate<R>,
    /// How many of their evaluations were not finite.
    pub(crate) not_finite: u64,
}

impl<R: Real> Outcome<R> {
    /// That of no particle.
    pub(crate) const NONE: Self = Outcome { best: Candidate::NONE, not_finite: 0 };

    pub(crate) fn join(self, other: Self) -> Self {
        let best = self.best.better(other.best);
        Outcome { best, not_finite: self.not_finite + other.not_finite }
    }
}

/// Does `work` on all of `whole`, in tasks of at most `grain`, and joins the outcomes.
pub(crate) fn spread<R: Real, T: Split>(
    whole: T,
    grain: usize,
    work: &(impl Fn(T) -> Outcome<R> + Sync),
) -> Outcome<R> {
    let all = whole.len();
    if all <= grain {
        return work(whole);
    }
    let (left, right) = whole.split_at(all / 2);
    let (left, right) = rayon::join(|| spread(left, grain, work), || spread(right, grain, work));
    left.join(right)
}
