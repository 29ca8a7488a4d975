//! How the particles of a run are distributed over threads.
//!
//! A pass over all of them can be aborted: [`Halt`] is checked before each task.
//!
//! A particle's move depends only on the particle and the global best of the previous iteration, and outcomes are
//! joined by a total order. So neither the number of threads nor the division into tasks changes any bit.

use std::fmt;

use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::real::Float;

/// The threads that move the particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// The calling thread.
    #[default]
    Serial,
    /// The rayon pool that the caller has installed, in tasks of [`POOL_PLACES`] places; for objectives that cost about
    /// as much as the move. A swarm that is no larger than one task runs on the calling thread.
    Pool,
    /// The rayon pool that the caller has installed, in tasks of at most this many particles (at least 1); for
    /// objectives so expensive that a few particles are worth a thread.
    Chunks(usize),
}

/// The number of places (particles times stride) in a task of [`Threads::Pool`].
pub const POOL_PLACES: usize = 8192;

/// When a pass over the individuals of a run is aborted, before its end.
///
/// If an iteration was aborted, the run's best, its position and its progress are those of the previous iteration, but
/// its individuals are in an undefined state. To continue such a run, keep a copy. If the placement was aborted,
/// individuals that were not placed have the [worst](Fitness::WORST) fitness.
#[derive(Clone, Copy, Default)]
pub struct Halt<'a>(Option<&'a (dyn Fn() -> bool + Sync)>);

impl fmt::Debug for Halt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Halt")
    }
}

impl<'a> Halt<'a> {
    /// No pass is aborted.
    pub const NEVER: Self = Halt(None);

    /// Aborts as soon as `is_due` returns true, after which it must stay true; all threads call it.
    pub fn when(is_due: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Halt(Some(is_due))
    }

    /// Whether to abort now.
    pub(crate) fn is_due(self) -> bool {
        self.0.is_some_and(|is_due| is_due())
    }
}

/// How a pass is divided into tasks.
#[derive(Clone, Copy)]
pub(crate) struct Tasks<'a> {
    /// The largest number of individuals in a task.
    grain: usize,
    /// Whether the calling thread does the tasks one after the other.
    serial: bool,
    halt: Halt<'a>,
}

impl Threads {
    /// Tasks for individuals of `stride` places.
    pub(crate) fn tasks(self, stride: usize, halt: Halt<'_>) -> Tasks<'_> {
        let pool = (POOL_PLACES / stride).max(1);
        let (grain, serial) = match self {
            // In several tasks only if there is a halt to check between them.
            Threads::Serial if halt.0.is_none() => (usize::MAX, true),
            Threads::Serial => (pool, true),
            Threads::Pool => (pool, false),
            Threads::Chunks(particles) => (particles.max(1), false),
        };
        Tasks { grain, serial, halt }
    }
}

/// Consecutive individuals, which can be split in two.
pub(crate) trait Split: Send + Sized {
    fn len(&self) -> usize;
    /// The first `individuals`, and the others.
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

impl<R: Float> Chunk<'_, R> {
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

impl<R: Float> Split for Chunk<'_, R> {
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

/// The result of moving some particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome<R> {
    /// The best of their personal bests.
    pub(crate) best: Candidate<R>,
    /// The number of their evaluations that were not finite.
    pub(crate) not_finite: u64,
}

impl<R: Float> Outcome<R> {
    /// The outcome for no particle.
    pub(crate) const NONE: Self = Outcome { best: Candidate::NONE, not_finite: 0 };

    pub(crate) fn join(self, other: Self) -> Self {
        let best = self.best.better(other.best);
        Outcome { best, not_finite: self.not_finite + other.not_finite }
    }
}

/// Applies `work` to `whole`, in these tasks, and joins the outcomes of the tasks that were done.
pub(crate) fn spread<R: Float, T: Split>(
    whole: T,
    tasks: Tasks<'_>,
    work: &(impl Fn(T) -> Outcome<R> + Sync),
) -> Outcome<R> {
    let all = whole.len();
    if all <= tasks.grain {
        return if tasks.halt.is_due() { Outcome::NONE } else { work(whole) };
    }
    let (left, right) = whole.split_at(all / 2);
    if tasks.serial {
        return spread(left, tasks, work).join(spread(right, tasks, work));
    }
    let (mut left, mut right) = (Some(left), Some(right));
    let (mut of_left, mut of_right) = (Outcome::NONE, Outcome::NONE);
    let done = |part: &mut Option<T>| match part.take() {
        Some(part) => spread(part, tasks, work),
        None => Outcome::NONE,
    };
    side_by_side(&mut || of_left = done(&mut left), &mut || of_right = done(&mut right));
    of_left.join(of_right)
}

/// Runs both on the pool. They are trait objects, so that rayon's `join` is compiled once and not for each kind of work.
fn side_by_side(left: &mut (dyn FnMut() + Send), right: &mut (dyn FnMut() + Send)) {
    rayon::join(left, right);
}
