//! What an algorithm is made of: one small trait from which the CPU's loops and the GPU's kernels
//! are made, with no memory and no launch in it.
//!
//! **Idea.** A population is moved on in synchronous iterations. Every individual has one *public*
//! point with its fitness, which all may look at, rows of its *own* that only it sees, and a few
//! *numbers*. In an iteration it proposes one point (or several, of which the best counts), on the
//! grounds of what the iteration before left; the point is evaluated; the individual decides
//! whether it becomes its public one. The best public point that there ever was is the run's best.
//!
//! ```text
//! initialise:  x_i uniform in the bounds, evaluated; numbers and own rows from `start`
//! step:        `look`, once an individual; `plan`, once an attempt; then a coordinate at a time, `propose`
//! evaluate:    the engine's
//! update:      `accept`
//! ```
//!
//! A method is a plain struct of parameters in the precision of the run. All that is random comes
//! from [`Individual`] and [`Site`], so that it does not depend on who asks, or when.

use crate::order::{Candidate, Fitness};
use crate::random::{Purpose, RunKey, Stream};
use crate::real::Real;
use crate::sum::{self, Operator};

/// The most own rows of an individual.
pub const MAX_OWN: usize = 2;
/// The most numbers of an individual.
pub const MAX_NUMBERS: usize = 4;
/// The most attempts of an individual in an iteration.
pub const MAX_ATTEMPTS: u32 = 64;

/// An individual's coordinate in each of its own rows; those beyond [`Method::OWN`] stay zero.
pub type Own<R> = [R; MAX_OWN];
/// An individual's numbers; those beyond [`Method::NUMBERS`] stay zero.
pub type Numbers<R> = [R; MAX_NUMBERS];

/// A population-based method.
pub trait Method<R: Real>: Copy + Send + Sync + 'static {
    /// Rows of coordinates that an individual keeps besides its public point, at most [`MAX_OWN`].
    const OWN: usize;
    /// Numbers that an individual keeps, at most [`MAX_NUMBERS`].
    const NUMBERS: usize;

    /// What an individual sees of the others before it moves.
    type Seen: Copy;
    /// What it decides once an attempt, before it looks at single coordinates.
    type Plan: Copy;

    /// Attempts that each individual makes in an iteration (from 1), 1 to [`MAX_ATTEMPTS`].
    #[inline(always)]
    fn attempts(&self, iteration: u64) -> u32 {
        let _ = iteration;
        1
    }

    /// The evaluations of an individual in the first so many iterations: the sum of all
    /// [`attempts`](Method::attempts). To be overridden where iterations differ in them.
    fn evaluations(&self, iterations: u64) -> u64 {
        iterations.saturating_mul(u64::from(self.attempts(1)))
    }

    /// Whether number 0 becomes [`solis_wets::first_step`](crate::solis_wets::first_step) of the distance to the
    /// nearest other individual once all are placed.
    #[inline(always)]
    fn nearest(&self) -> bool {
        false
    }

    /// An individual's numbers at the start; zero unless it says otherwise.
    #[inline(always)]
    fn numbers(&self, who: &Individual<R>) -> Numbers<R> {
        let _ = who;
        Numbers::default()
    }

    /// A coordinate of the own rows at the start, at `x`, with the first velocity `v` of
    /// [`pso::initial`](crate::pso::initial).
    fn start(&self, x: R, v: R) -> Own<R>;

    /// Looks at the others, once an iteration.
    fn look<P: Population<R>>(&self, who: &Individual<R>, population: &P) -> Self::Seen;

    /// Decides, and may change the numbers; those of the attempt that counts are kept.
    fn plan(&self, who: &Individual<R>, seen: Self::Seen, numbers: &mut Numbers<R>) -> Self::Plan;

    /// One coordinate of the proposed point, which must lie in the bounds, and of the own rows as
    /// they are from now on, whatever comes of the proposal.
    fn propose<S: Site<R>>(&self, plan: &Self::Plan, site: &S) -> (R, Own<R>);

    /// Whether a proposal of this fitness becomes the individual's public point, as it does where it beats
    /// that unless the method says otherwise; may change the numbers.
    #[inline(always)]
    fn accept(
        &self,
        who: &Individual<R>,
        plan: &Self::Plan,
        proposal: Fitness<R>,
        numbers: &mut Numbers<R>,
    ) -> bool {
        let _ = (plan, numbers);
        proposal.beats(who.fitness)
    }
}

/// Who is moving.
#[derive(Clone, Copy, Debug)]
pub struct Individual<R> {
    /// The key of the run's draws.
    pub key: RunKey,
    /// The iteration, from 1; 0 is the start.
    pub iteration: u64,
    /// Its index in its population.
    pub index: u32,
    /// How many there are.
    pub individuals: u32,
    /// Coordinates of each.
    pub dimensions: u32,
    /// Which attempt of the iteration this is, from 0.
    pub attempt: u32,
    /// The fitness of its public point.
    pub fitness: Fitness<R>,
}

impl<R: Real> Individual<R> {
    /// An integer uniform in 0..n, the `number`-th (below 16) that this individual draws now.
    #[inline(always)]
    pub fn below(&self, n: u32, number: u32) -> u32 {
        self.choices().below(n, 16 * self.attempt + number)
    }

    /// Two numbers uniform in (0, 1), the `number`-th pair (below 2^15) that this individual draws now.
    #[inline(always)]
    pub fn uniform(&self, number: u32) -> [R; 2] {
        // Beyond the blocks from which integers come.
        self.choices().set(512 + self.attempt).draws_of(number)
    }

    #[inline(always)]
    fn choices(&self) -> Stream {
        Stream::new(self.key, Purpose::Choice, self.iteration, self.index)
    }
}

/// The population as the iteration before left it.
pub trait Population<R: Real> {
    /// The fitness of an individual's public point.
    fn fitness(&self, individual: u32) -> Fitness<R>;

    /// The best of the `count` individuals, at least 1, from `first` on; of equals the first.
    #[inline(always)]
    fn best_of(&self, first: u32, count: u32) -> Candidate<R> {
        let mut best = Candidate::NONE;
        let mut i = 0;
        while i < count {
            best = best.better(Candidate::new(self.fitness(first + i), first + i));
            i += 1;
        }
        best
    }

    /// Combines `term` of the fitness of all `count` individuals in the fixed order of [`sum`].
    #[inline(always)]
    fn fold<O: Operator<R>>(&self, count: u32, term: impl Fn(Fitness<R>) -> R) -> R {
        sum::fold_buffered::<R, O>(count as usize, |i| term(self.fitness(i as u32)))
    }
}

/// One coordinate, for one individual.
pub trait Site<R: Real> {
    /// Which coordinate this is.
    fn coordinate(&self) -> u32;
    /// The individual's public point.
    fn public(&self) -> R;
    /// The individual's own row `row`.
    fn own(&self, row: usize) -> R;
    /// The public point of an individual.
    fn of(&self, individual: u32) -> R;
    /// The best point that there ever was.
    fn best(&self) -> R;
    /// Lower and upper bound.
    fn bounds(&self) -> (R, R);
    /// Two draws uniform in (0, 1); sets, below 8, are independent.
    fn draws(&self, set: u32) -> [R; 2];
    /// The draw with which the coordinate re-enters its bounds.
    fn reentry(&self) -> R;
}

/// The draws of a [`Site`].
#[derive(Clone, Copy, Debug)]
pub struct SiteDraws {
    key: RunKey,
    iteration: u64,
    individual: u32,
    attempt: u32,
}

impl SiteDraws {
    /// Those of an individual's attempt.
    #[inline(always)]
    pub fn of<R: Real>(who: &Individual<R>) -> Self {
        let Individual { key, iteration, index, attempt, .. } = *who;
        SiteDraws { key, iteration, individual: index, attempt }
    }

    /// See [`Site::draws`].
    #[inline(always)]
    pub fn draws<R: Real>(&self, coordinate: u32, set: u32) -> [R; 2] {
        self.stream(Purpose::Move).set(8 * self.attempt + set).draws_of(coordinate)
    }

    /// See [`Site::reentry`].
    #[inline(always)]
    pub fn reentry<R: Real>(&self, coordinate: u32) -> R {
        self.stream(Purpose::Reentry).set(8 * self.attempt).draws_of::<R>(coordinate)[0]
    }

    #[inline(always)]
    fn stream(&self, purpose: Purpose) -> Stream {
        Stream::new(self.key, purpose, self.iteration, self.individual)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An individual with this fitness.
    pub(crate) fn individual(fitness: Fitness<f64>) -> Individual<f64> {
        Individual {
            key: RunKey::new(1, 0),
            iteration: 1,
            index: 0,
            individuals: 10,
            dimensions: 2,
            attempt: 0,
            fitness,
        }
    }

    /// One coordinate whose surroundings are written down.
    #[derive(Default)]
    pub(crate) struct Still {
        pub(crate) public: f64,
        pub(crate) own: Own<f64>,
        pub(crate) others: [f64; 3],
        pub(crate) best: f64,
        pub(crate) bounds: (f64, f64),
        pub(crate) draws: [[f64; 2]; 3],
        pub(crate) reentry: f64,
    }

    impl Site<f64> for Still {
        fn coordinate(&self) -> u32 {
            0
        }
        fn public(&self) -> f64 {
            self.public
        }
        fn own(&self, row: usize) -> f64 {
            self.own[row]
        }
        fn of(&self, individual: u32) -> f64 {
            self.others[individual as usize]
        }
        fn best(&self) -> f64 {
            self.best
        }
        fn bounds(&self) -> (f64, f64) {
            self.bounds
        }
        fn draws(&self, set: u32) -> [f64; 2] {
            self.draws[set as usize]
        }
        fn reentry(&self) -> f64 {
            self.reentry
        }
    }

    #[test]
    fn attempts_draw_apart() {
        let fitness = Fitness { violation: 0.0, value: 1.0 };
        let first = individual(fitness);
        let second = Individual { attempt: 1, ..first };
        let site = |who| SiteDraws::of::<f64>(who);
        assert_ne!(first.uniform(0), second.uniform(0));
        assert_ne!(site(&first).draws::<f64>(0, 0), site(&second).draws::<f64>(0, 0));
        assert_ne!(site(&first).draws::<f64>(0, 0), site(&first).draws::<f64>(0, 1));
        assert_ne!(site(&first).reentry::<f64>(0), site(&second).reentry::<f64>(0));
        assert_ne!(first.below(1 << 31, 0), second.below(1 << 31, 0));
    }
}
