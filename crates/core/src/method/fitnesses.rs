//! How individuals read the fitness of others.

use crate::order::{Candidate, Fitness};
use crate::real::Float;
use crate::sum::{self, Operator};

/// The default of [`Fitnesses::best_of`].
///
/// ```
/// use warpswarm_core::{Fitness, method};
/// struct Falling;
/// impl method::Fitnesses<f64> for Falling {
///     fn fitness(&self, individual: u32) -> Fitness<f64> {
///         Fitness { violation: 0.0, value: -f64::from(individual) }
///     }
/// }
/// assert_eq!(method::best_one_by_one(&Falling, 3, 4).index, 6);
/// ```
#[inline(always)]
pub fn best_one_by_one<R: Float, F: Fitnesses<R> + ?Sized>(
    population: &F,
    first: u32,
    count: u32,
) -> Candidate<R> {
    let mut best = Candidate::NONE;
    let mut i = 0;
    while i < count {
        best = best.better(Candidate::new(population.fitness(first + i), first + i));
        i += 1;
    }
    best
}

/// The fitnesses of a population.
///
/// ```
/// use warpswarm_core::{Fitness, method::Fitnesses};
/// struct Known([f64; 4]);
/// impl Fitnesses<f64> for Known {
///     fn fitness(&self, individual: u32) -> Fitness<f64> {
///         Fitness { violation: 0.0, value: self.0[individual as usize] }
///     }
/// }
/// let known = Known([1.0, 3.0, 2.0, 2.0]);
/// assert_eq!((known.best_of(0, 4).index, known.best_of(1, 3).index), (0, 2));
/// // Individuals 2 and 3 are equal: the first that is drawn.
/// assert_eq!(known.best_drawn(3, |draw| [1, 3, 2][draw as usize]), 3);
/// ```
pub trait Fitnesses<R: Float> {
    /// The fitness of an individual's public point.
    fn fitness(&self, individual: u32) -> Fitness<R>;

    /// The best of `count` individuals, at least 1, from `first` on; of equal ones the first.
    #[inline(always)]
    fn best_of(&self, first: u32, count: u32) -> Candidate<R> {
        best_one_by_one(self, first, count)
    }

    /// The best of a swarm of `size` neighbours, at least 1, number `swarm` from 0; see
    /// [`Method::swarms`](super::Method::swarms).
    #[inline(always)]
    fn best_of_swarm(&self, swarm: u32, size: u32) -> Candidate<R> {
        self.best_of(swarm * size, size)
    }

    /// The best of the first `swarms` swarms, at least 1.
    #[inline(always)]
    fn best_of_swarms(&self, swarms: u32, size: u32) -> Candidate<R> {
        self.best_of(0, swarms * size)
    }

    /// The best of `count` drawn individuals, at least 1; of equal ones the first. `drawn(k)` returns the k-th.
    #[inline(always)]
    fn best_drawn(&self, count: u32, drawn: impl Fn(u32) -> u32) -> u32 {
        let (mut best, mut who, mut number) = (Candidate::NONE, 0, 0);
        while number < count {
            let other = drawn(number);
            let rival = Candidate::new(self.fitness(other), number);
            (best, who) = if rival.beats(best) { (rival, other) } else { (best, who) };
            number += 1;
        }
        who
    }

    /// Combines `term` of the fitness of all `count` individuals in the fixed order of [`sum`].
    #[inline(always)]
    fn fold<O: Operator<R>>(&self, count: u32, term: impl Fn(Fitness<R>) -> R) -> R {
        sum::fold_buffered::<R, O>(count as usize, |i| term(self.fitness(i as u32)))
    }
}
