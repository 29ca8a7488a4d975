//! The trait [`Method`], from which the CPU's loops and the GPU's kernels are generated.
//!
//! **Idea.** A population is updated in synchronous iterations. Every individual has a *public* point with its fitness
//! and a few *numbers*, which all individuals may read, and rows of its *own*, which only it reads. In an iteration it
//! proposes one point (or several, of which the best is used, or none), based on the state after the previous
//! iteration. The point is evaluated, and the individual decides whether it becomes its public point. The best public
//! point so far is the run's best.
//!
//! ```text
//! initialise:  x_i from `place`, uniform in the bounds by default, evaluated; `numbers`, and own rows from `start`
//! step:        `observe`, once for an individual; `plan`, once for an attempt; then `propose`, once for a coordinate
//! evaluate:    by the engine
//! update:      `accept`
//! ```
//!
//! A method is a plain struct of parameters in the precision of the run. All random numbers come from [`Individual`]
//! and [`Site`], so that they do not depend on the caller or on the order of calls.

mod common;
mod cycle;
mod draws;
mod fitnesses;
mod individual;
mod planning;
mod with;

use crate::order::Fitness;
use crate::pso;
use crate::random::{Draw, Factor};
use crate::real::Float;

pub use crate::boundary::Limits;
pub use common::{GROUP, LESSONS, Lessons, Memory, sum_of_group, sum_of_groups};
pub use cycle::step_of_cycle;
pub use draws::SiteDraws;
pub use fitnesses::{Fitnesses, best_one_by_one};
pub use individual::{Individual, first};
pub use planning::Planning;
pub use with::With;

/// The largest number of own rows of an individual.
pub const MAX_OWN: usize = 2;
/// The largest number of numbers of an individual.
pub const MAX_NUMBERS: usize = 4;
/// The largest number of other individuals that [`Method::others`] can name.
pub const MAX_OTHERS: usize = 3;
/// The largest number of attempts of an individual in an iteration.
pub const MAX_ATTEMPTS: u32 = 64;

/// An individual's coordinate in each of its own rows; those beyond [`Method::OWN`] stay zero.
pub type Own<R> = [R; MAX_OWN];
/// An individual's numbers; those beyond [`Method::NUMBERS`] stay zero.
pub type Numbers<R> = [R; MAX_NUMBERS];

/// A population-based method.
///
/// ```
/// use warpswarm_core::Float;
/// use warpswarm_core::method::{Individual, Method, Numbers, Own, Population, Site};
///
/// /// Every individual goes a part of the way to the best.
/// #[derive(Clone, Copy)]
/// struct Follow<R> {
///     part: R,
/// }
///
/// impl<R: Float> Method<R> for Follow<R> {
///     const OWN: usize = 0;
///     const NUMBERS: usize = 0;
///     type Observation = ();
///     type Plan = ();
///     fn start(&self, _: R, _: R) -> Own<R> {
///         Own::default()
///     }
///     fn observe<P: Population<R>>(&self, _: &Individual<R>, _: &P, _: &mut Numbers<R>) {}
///     fn plan(&self, _: &Individual<R>, _: (), _: &mut Numbers<R>) {}
///     fn propose<S: Site<R>>(&self, _: &(), site: &S) -> (R, Own<R>) {
///         (site.public() + self.part * (site.best() - site.public()), Own::default())
///     }
/// }
///
/// // One attempt of each of 32 individuals in each of ten iterations.
/// assert_eq!(Follow { part: 0.5_f32 }.evaluations(32, 10), 320);
/// ```
pub trait Method<R: Float>: Copy + Send + Sync + 'static {
    /// The number of own rows of coordinates, besides the public point; at most [`MAX_OWN`].
    const OWN: usize;
    /// The number of numbers that an individual stores, at most [`MAX_NUMBERS`].
    const NUMBERS: usize;
    /// How many individuals [`others`](Method::others) names, at most [`MAX_OTHERS`].
    const OTHERS: usize = 0;
    /// Whether individuals share a memory and an archive: see [`learn`](Method::learn), [`leaves`](Method::leaves).
    const SHARES: bool = false;
    /// Whether its kernels with eight lanes for an individual, in `f32`, need at most the 128 registers a thread that
    /// blocks of [512 threads](crate::launch::TILE_BLOCKS) allow. `cargo xtask check-ptx` reports if they need more.
    const FRUGAL: bool = false;

    /// Threads of the largest blocks with eight lanes for an individual, in `f32` and `f64`, if parameters are compiled
    /// in at load time. A kernel that would then spill more than a few registers is loaded without this setting.
    const MOST_THREADS: [u32; 2] = [512, 384];

    /// Whether [`observe`](Method::observe) uses the bests of [swarms](Method::swarms).
    const SWARMS: bool = false;
    /// Whether individuals never use other individuals or the best point. Then blocks of individuals continue without
    /// waiting for the results of other blocks.
    const ALONE: bool = false;
    /// How lanes that share an individual divide planning.
    const PLANNING: Planning = Planning::Together;

    /// What an individual reads from the others before it moves.
    type Observation: Copy;
    /// The choices that an individual makes once for an attempt, before single coordinates.
    type Plan: Copy + Send + Sync + 'static;

    /// The largest number of attempts of an individual in an iteration, 1 to [`MAX_ATTEMPTS`].
    #[inline(always)]
    fn most_attempts(&self) -> u32 {
        1
    }

    /// The number of attempts of an individual in an iteration (from 1); with 0 its point stays.
    #[inline(always)]
    fn attempts(&self, iteration: u64, index: u32) -> u32 {
        let _ = (iteration, index);
        self.most_attempts()
    }

    /// Calls `work` with this method, or with an equal one in which the most common choices are constants. So loops
    /// over coordinates are compiled separately for those choices, with fewer branches.
    #[inline(always)]
    fn specialised<W: With<Self>>(self, work: W) -> W::Output {
        work.with(self)
    }

    /// Calls `work` with this method and a plan, or with equal ones in which the kind of plan is a constant. So a CPU's
    /// loops over coordinates are compiled separately for each kind of plan.
    #[inline(always)]
    fn of_kind<W: With<(Self, Self::Plan)>>(self, plan: Self::Plan, work: W) -> W::Output {
        work.with((self, plan))
    }

    /// Calls `note` for each word of the parameters that a kernel may compile in as a constant at load time, which
    /// makes it faster; with its position, in bytes from `at` on, and its value. [`words!`](crate::words) generates
    /// this function from a list of fields. No words by default.
    fn words(&self, at: usize, note: &mut dyn FnMut(usize, u32)) {
        let _ = (at, note);
    }

    /// The evaluations of all individuals in the first `iterations` iterations: the sum of all
    /// [`attempts`](Method::attempts). Override both together.
    fn evaluations(&self, individuals: u32, iterations: u64) -> u64 {
        let each = iterations.saturating_mul(u64::from(self.most_attempts()));
        each.saturating_mul(u64::from(individuals))
    }

    /// The first iteration, from this one on, after which individuals read from others. At its end the run may stop,
    /// and improvements are recorded. Iterations before it accept only better points, and the iterations after those
    /// read nothing from others. Between them, blocks wait for each other only if the method [`looks`](Method::observes).
    #[inline(always)]
    fn noticed(&self, iteration: u64) -> u64 {
        iteration
    }

    /// Whether individuals read from others in an iteration (from 1) before the [noticed](Method::noticed) one. Then
    /// all of them read before any continues, because what they read is overwritten two iterations later.
    #[inline(always)]
    fn observes(&self, iteration: u64) -> bool {
        let _ = iteration;
        true
    }

    /// Whether, after the placement, number 0 becomes [`solis_wets::first_step`](crate::solis_wets::first_step) of the
    /// distance to the nearest other individual.
    #[inline(always)]
    fn nearest(&self) -> bool {
        false
    }

    /// A coordinate of the first point of an individual, if the caller has given none. A coordinate out of the bounds
    /// is moved to the bound. Uniform in the bounds by default.
    ///
    /// `drawn` belongs to this coordinate. The result depends on nothing else, so that several lanes can place an
    /// individual.
    #[inline(always)]
    fn place(&self, who: &Individual<R>, coordinate: u32, bounds: (R, R), drawn: Draw<R>) -> R {
        let _ = (who, coordinate);
        pso::uniform(bounds, drawn)
    }

    /// An individual's numbers at the start; zero by default.
    #[inline(always)]
    fn numbers(&self, who: &Individual<R>) -> Numbers<R> {
        let _ = who;
        Numbers::default()
    }

    /// A coordinate of the own rows at the start, for the position `x` and the first velocity `v` of [`pso::initial`].
    fn start(&self, x: R, v: R) -> Own<R>;

    /// How many numbers the run's memory has.
    #[inline(always)]
    fn memory(&self) -> u32 {
        0
    }

    /// Number `k` of the memory at the start.
    #[inline(always)]
    fn first_remembered(&self, k: u32) -> R {
        let _ = k;
        R::ZERO
    }

    /// The terms in the sums for [`learn`](Method::learn) of an individual with these numbers after an iteration.
    #[inline(always)]
    fn lesson(&self, numbers: &Numbers<R>) -> Lessons<R> {
        let _ = numbers;
        [R::ZERO; LESSONS]
    }

    /// Updates the memory before an iteration, from the sums of the previous one.
    #[inline(always)]
    fn learn<T: Memory<R>>(&self, sums: Lessons<R>, memory: &mut T) {
        let _ = (sums, memory);
    }

    /// The place in the archive, 1 or 2, where an individual with these numbers after an iteration stores its previous
    /// public point; 0 for none.
    #[inline(always)]
    fn leaves(&self, numbers: &Numbers<R>) -> u32 {
        let _ = numbers;
        0
    }

    /// Reads from the others, once an iteration; may change the numbers.
    fn observe<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
        numbers: &mut Numbers<R>,
    ) -> Self::Observation;

    /// How many swarms, of how many neighbours each, [`observe`](Method::observe) uses by [`Fitnesses::best_of_swarm`] and
    /// [`best_of_swarms`](Fitnesses::best_of_swarms). Their bests are computed once for all.
    #[inline(always)]
    fn swarms(&self) -> (u32, u32) {
        (0, 1)
    }

    /// Whether [`observe`](Method::observe) loops over more than a few others; then lanes share that loop.
    #[inline(always)]
    fn observes_far(&self) -> bool {
        false
    }

    /// The individual whose public point and fitness replace this individual's before it proposes.
    #[inline(always)]
    fn takes_over(&self, who: &Individual<R>, seen: &Self::Observation) -> u32 {
        let _ = seen;
        who.index
    }

    /// Makes the choices of an attempt; may change the numbers. Those of the attempt that is used are kept.
    fn plan(
        &self,
        who: &Individual<R>,
        seen: Self::Observation,
        numbers: &mut Numbers<R>,
    ) -> Self::Plan;

    /// A plan with a function applied to each word and each number: so one lane sends it to others.
    #[inline(always)]
    fn mapped(plan: Self::Plan, word: impl Fn(u32) -> u32, number: impl Fn(R) -> R) -> Self::Plan {
        let _ = (word, number);
        plan
    }

    /// The individuals that [`propose`](Method::propose) reads by [`Site::other`]; the first [`OTHERS`](Method::OTHERS)
    /// are read in advance. Points in the archive have indices too: of n individuals, place 1 of individual k is n + k,
    /// place 2 is 2 n + k.
    #[inline(always)]
    fn others(&self, plan: &Self::Plan) -> [u32; MAX_OTHERS] {
        let _ = plan;
        [0; MAX_OTHERS]
    }

    /// Whether [`propose`](Method::propose) uses [`Site::normal`], and for which attempt the normal numbers are drawn,
    /// usually this one: `Some(who.attempt)`. They are drawn for several coordinates at once.
    #[inline(always)]
    fn normals(&self, who: &Individual<R>, plan: &Self::Plan) -> Option<u32> {
        let _ = (who, plan);
        None
    }

    /// One coordinate of the proposed point, which must lie in the bounds, and of the new own rows, which are kept
    /// whether or not the proposal is accepted.
    ///
    /// The result may depend only on the arguments. Calls can be repeated, and can be for places after the last
    /// coordinate.
    fn propose<S: Site<R>>(&self, plan: &Self::Plan, site: &S) -> (R, Own<R>);

    /// Whether a proposal with this fitness becomes the individual's public point; by default, if it is better. May
    /// change the numbers.
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

/// The population after the previous iteration.
pub trait Population<R: Float>: Fitnesses<R> {
    /// An individual's numbers.
    fn numbers(&self, individual: u32) -> Numbers<R>;

    /// Number `k` of the run's memory.
    fn remembered(&self, k: u32) -> R;

    /// The square of the distance between the public points of two individuals, in ranges.
    fn squared_distance(&self, a: u32, b: u32) -> R;

    /// The smallest [squared distance](Population::squared_distance) between an individual and one of the first `n`.
    #[inline(always)]
    fn nearest_squared_distance(&self, index: u32, n: u32) -> R {
        let (mut nearest, mut i) = (R::INFINITY, 0);
        while i < n {
            let square = self.squared_distance(index, i);
            nearest = if square < nearest { square } else { nearest };
            i += 1;
        }
        nearest
    }

    /// How many of the first `n` individuals satisfy `is_so`, which may use only their fitness and numbers.
    #[inline(always)]
    fn count(&self, n: u32, is_so: impl Fn(u32) -> bool) -> u32 {
        let (mut count, mut i) = (0, 0);
        while i < n {
            count += u32::from(is_so(i));
            i += 1;
        }
        count
    }

    /// The first of the first `n` individuals that satisfies `is_so`, which may use only fitness and numbers; `n` if
    /// none.
    #[inline(always)]
    fn first(&self, n: u32, is_so: impl Fn(u32) -> bool) -> u32 {
        let mut i = 0;
        while i < n && !is_so(i) {
            i += 1;
        }
        i
    }
}

/// One coordinate of one individual.
pub trait Site<R: Float> {
    /// The index of the coordinate.
    fn coordinate(&self) -> u32;
    /// The individual's public point.
    fn public(&self) -> R;
    /// The individual's own row `row`.
    fn own(&self, row: usize) -> R;
    /// The public point of an individual.
    fn of(&self, individual: u32) -> R;
    /// The public point of an individual that is number `k` of [`Method::others`] and may have been read in advance, or
    /// a point of the archive.
    #[inline(always)]
    fn other(&self, k: usize, individual: u32) -> R {
        let _ = k;
        self.of(individual)
    }
    /// The best point found so far.
    fn best(&self) -> R;
    /// The lower and the upper bound.
    fn bounds(&self) -> (R, R);
    /// The random factors (r1, r2) of the pulls of [`pso`]; not independent of the draws of set 0.
    fn factors(&self) -> [Factor<R>; 2];
    /// Two draws in their raw form, for products. Sets 0 to 7 are independent. With a larger one the CPU panics.
    fn drawn(&self, set: u32) -> [Draw<R>; 2];
    /// The same draws as numbers uniform in (0, 1).
    #[inline(always)]
    fn draws(&self, set: u32) -> [R; 2] {
        Draw::both(self.drawn(set))
    }
    /// A standard normal number, for the attempt that [`Method::normals`] returns. Not independent of the draws of set 1.
    /// If `Method::normals` returns `None`, it panics on the CPU, and is NaN on a GPU.
    fn normal(&self) -> R;
    /// The random number with which the coordinate is put back into its bounds.
    fn reentry(&self) -> R;
}

#[cfg(test)]
pub(crate) mod tests;
