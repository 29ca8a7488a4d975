//! The individual that moves, and its first point.

use super::{Method, Own};
use crate::order::Fitness;
use crate::pso;
use crate::random::{Draw, Purpose, RunKey, Stream, standard_normals};
use crate::real::Float;

/// The individual that moves, with the key of its random numbers.
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_core::method::Individual;
/// use warpswarm_core::random::RunKey;
/// let who = Individual::<f32> {
///     key: RunKey::new(7, 0),
///     iteration: 1,
///     index: 3,
///     individuals: 10,
///     dimensions: 2,
///     attempt: 0,
///     fitness: Fitness::WORST,
/// };
/// // What it draws depends on who it is, and on when: not on who drew before.
/// assert_eq!(who.uniform(1), who.uniform(1));
/// assert_ne!(who.uniform(1), Individual { iteration: 2, ..who }.uniform(1));
/// assert!((0..16).all(|number| who.below(6, number) < 6));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Individual<R> {
    /// The key of the run's draws.
    pub key: RunKey,
    /// The iteration, from 1; 0 is the start.
    pub iteration: u64,
    /// The index of the individual in its population.
    pub index: u32,
    /// The number of individuals.
    pub individuals: u32,
    /// The number of coordinates.
    pub dimensions: u32,
    /// The number of the attempt in the iteration, from 0.
    pub attempt: u32,
    /// The fitness of the public point.
    pub fitness: Fitness<R>,
}

impl<R: Float> Individual<R> {
    /// An integer uniform in 0..n, the `number`-th (below 16) of this individual in this attempt.
    #[inline(always)]
    pub fn below(&self, n: u32, number: u32) -> u32 {
        self.choices().below(n, 16 * self.attempt + number)
    }

    /// Two integers, uniform in 0..n and 0..m, in place of one of [`below`](Individual::below): see
    /// [`Stream::below_both`].
    #[inline(always)]
    pub fn below_both(&self, below: [u32; 2], number: u32) -> [u32; 2] {
        self.choices().below_both(below, 16 * self.attempt + number)
    }

    /// Two numbers uniform in (0, 1), the `number`-th pair (below 2^15) of this individual in this attempt.
    #[inline(always)]
    pub fn uniform(&self, number: u32) -> [R; 2] {
        // These blocks come after those of the integers.
        Draw::both(self.choices().set(512 + self.attempt).draws_of(number))
    }

    /// Two standard normal numbers, from the `number`-th pair of uniform ones.
    #[inline(always)]
    pub fn normals(&self, number: u32) -> [R; 2] {
        standard_normals(self.uniform(number))
    }

    #[inline(always)]
    fn choices(&self) -> Stream {
        Stream::new(self.key, Purpose::Choice, self.iteration, self.index)
    }
}

/// Coordinate `i` of an individual's first position, which is `given` unless that is a NaN, and of its own rows.
///
/// ```
/// use warpswarm_core::method::{Individual, first};
/// use warpswarm_core::random::{Draw, RunKey};
/// # use warpswarm_core::{Fitness, boundary::{Boundary, Limits}};
/// # let who = Individual { key: RunKey::new(7, 0), iteration: 0, index: 3, individuals: 10, dimensions: 2, attempt: 0, fitness: Fitness::WORST };
/// # let limits = Limits { correction: 0.0, boundary: Boundary::Clamp };
/// # let method = warpswarm_core::gpu_fwa::GpuFwa { amplitude: 1.0, amplitude_floor: 0.0, delta: 0.5, limits, modulo: 1, sparks: 1, explosions: 1 };
/// // Draws of 1.25 and 1.5 stand for 0.25 and 0.5, and half of the distance between two numbers.
/// let drawn = [1.25_f64, 1.5].map(Draw::of_one_to_two);
/// let (x, _) = first(&method, &who, 0, (-2.0, 2.0), (drawn, f64::NAN));
/// assert!((x + 1.0).abs() < 1e-12);
/// // Where the caller has given a point, that is taken.
/// assert_eq!(first(&method, &who, 0, (-2.0, 2.0), (drawn, 0.5)).0, 0.5);
/// ```
#[inline(always)]
pub fn first<R: Float, M: Method<R>>(
    method: &M,
    who: &Individual<R>,
    i: u32,
    bounds: (R, R),
    ([u1, u2], given): ([Draw<R>; 2], R),
) -> (R, Own<R>) {
    let position = if given.is_nan() {
        method.place(who, i, bounds, u1).clamp_to(bounds.0, bounds.1)
    } else {
        given
    };
    (position, method.start(position, pso::first_velocity(bounds, u2, position)))
}
