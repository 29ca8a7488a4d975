//! What an algorithm is made of: one small trait from which the CPU's loops and the GPU's kernels
//! are made, with no memory and no launch in it.
//!
//! **Idea.** A population is moved on in synchronous iterations. Every individual has one *public*
//! point with its fitness and a few *numbers*, which all may look at, and rows of its *own* that only it
//! sees. In an iteration it proposes one point (or several, of which the best counts, or none), on the
//! grounds of what the iteration before left; the point is evaluated; the individual decides
//! whether it becomes its public one. The best public point that there ever was is the run's best.
//!
//! ```text
//! initialise:  x_i from `place`, uniform in the bounds unless it says otherwise, evaluated; `numbers`, and own rows
//!              from `start`
//! step:        `look`, once an individual; `plan`, once an attempt; then a coordinate at a time, `propose`
//! evaluate:    the engine's
//! update:      `accept`
//! ```
//!
//! A method is a plain struct of parameters in the precision of the run. All that is random comes
//! from [`Individual`] and [`Site`], so that it does not depend on who asks, or when.

mod common;
mod cycle;
mod draws;
mod fitnesses;
mod individual;
mod planning;

use crate::order::Fitness;
use crate::pso;
use crate::random::{Draw, Factor};
use crate::real::Float;

pub use common::{GROUP, LESSONS, Lessons, Memory, sum_of_group, sum_of_groups};
pub use cycle::step_of_cycle;
pub use draws::SiteDraws;
pub use fitnesses::{Fitnesses, best_one_by_one};
pub use individual::{Individual, first};
pub use planning::Planning;

/// The most own rows of an individual.
pub const MAX_OWN: usize = 2;
/// The most numbers of an individual.
pub const MAX_NUMBERS: usize = 4;
/// The most others at whose points a proposal looks, as far as that is said ahead.
pub const MAX_OTHERS: usize = 3;
/// The most attempts of an individual in an iteration.
pub const MAX_ATTEMPTS: u32 = 64;

/// An individual's coordinate in each of its own rows; those beyond [`Method::OWN`] stay zero.
pub type Own<R> = [R; MAX_OWN];
/// An individual's numbers; those beyond [`Method::NUMBERS`] stay zero.
pub type Numbers<R> = [R; MAX_NUMBERS];

/// Something to be done with a method.
pub trait With<M> {
    /// What comes of it.
    type Output;
    /// Does it; to be `#[inline(always)]`.
    fn with(self, method: M) -> Self::Output;
}

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
///     type Seen = ();
///     type Plan = ();
///     fn start(&self, _: R, _: R) -> Own<R> {
///         Own::default()
///     }
///     fn look<P: Population<R>>(&self, _: &Individual<R>, _: &P, _: &mut Numbers<R>) {}
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
    /// Rows of coordinates that an individual keeps besides its public point, at most [`MAX_OWN`].
    const OWN: usize;
    /// Numbers that an individual keeps, at most [`MAX_NUMBERS`].
    const NUMBERS: usize;
    /// The others of which [`others`](Method::others) says who they are, at most [`MAX_OTHERS`].
    const OTHERS: usize = 0;
    /// Whether individuals have something in common: see [`learn`](Method::learn) and [`leaves`](Method::leaves).
    const SHARES: bool = false;
    /// Whether its kernels of eight lanes an individual, in `f32`, do with the 128 registers a thread that blocks of [512
    /// threads](crate::launch::TILE_BLOCKS) leave: `cargo xtask check-ptx` says if they do not.
    const FRUGAL: bool = false;

    /// Threads of the largest blocks in which eight lanes have an individual, in `f32` and `f64`, of a kernel that knows the parameters
    /// when it is loaded. Where more than a few registers have to be spilled for that, it is loaded as if
    /// this were not said.
    const MOST_THREADS: [u32; 2] = [512, 384];

    /// Whether individuals ask for the bests of [swarms](Method::swarms).
    const SWARMS: bool = false;
    /// Whether individuals never look at others, nor at the best: then blocks of individuals go on before they have heard what
    /// others have found.
    const ALONE: bool = false;
    /// How lanes that have an individual together share planning.
    const PLANNING: Planning = Planning::Together;

    /// What an individual sees of the others before it moves.
    type Seen: Copy;
    /// What it decides once an attempt, before it looks at single coordinates.
    type Plan: Copy + Send + Sync + 'static;

    /// The most attempts that an individual makes in an iteration, 1 to [`MAX_ATTEMPTS`].
    #[inline(always)]
    fn most_attempts(&self) -> u32 {
        1
    }

    /// Attempts that an individual makes in an iteration (from 1); with none its point stays.
    #[inline(always)]
    fn attempts(&self, iteration: u64, index: u32) -> u32 {
        let _ = (iteration, index);
        self.most_attempts()
    }

    /// Does `work` with this method, or with an equal one in which the most common choices are constants: so loops over
    /// coordinates are compiled anew for those, and have less to choose at each.
    #[inline(always)]
    fn specialised<W: With<Self>>(self, work: W) -> W::Output {
        work.with(self)
    }

    /// Does `work` with this method and a plan of it, or with equal ones of which the kind is a constant: so a CPU's loops over
    /// coordinates are compiled anew for each kind of plan.
    #[inline(always)]
    fn of_kind<W: With<(Self, Self::Plan)>>(self, plan: Self::Plan, work: W) -> W::Output {
        work.with((self, plan))
    }

    /// Calls `note` with the place, in bytes from `at` on, and the value of each word of the parameters that a kernel may take for
    /// a constant when it is loaded, which makes it faster; [`words!`](crate::words) writes this function for a list of fields.
    /// None unless the method says otherwise.
    fn words(&self, at: usize, note: &mut dyn FnMut(usize, u32)) {
        let _ = (at, note);
    }

    /// The evaluations of all individuals in the first so many iterations: the sum of all
    /// [`attempts`](Method::attempts). To be overridden with them.
    fn evaluations(&self, individuals: u32, iterations: u64) -> u64 {
        let each = iterations.saturating_mul(u64::from(self.most_attempts()));
        each.saturating_mul(u64::from(individuals))
    }

    /// The first iteration, from this one on, after which individuals look at others: at its end the run may
    /// stop by itself, and an improvement is noticed. An iteration before it takes only better points, and
    /// the one after it sees no others; blocks wait for each other between them only if it has [looked](Method::looks).
    #[inline(always)]
    fn noticed(&self, iteration: u64) -> u64 {
        iteration
    }

    /// Whether individuals look at others in an iteration (from 1) that is before the one in which improvements are
    /// [noticed](Method::noticed). Then all have done so before anyone goes on, since two iterations later what they look at is written anew.
    #[inline(always)]
    fn looks(&self, iteration: u64) -> bool {
        let _ = iteration;
        true
    }

    /// Whether number 0 becomes [`solis_wets::first_step`](crate::solis_wets::first_step) of the distance to the
    /// nearest other individual once all are placed.
    #[inline(always)]
    fn nearest(&self) -> bool {
        false
    }

    /// A coordinate of the point at which an individual begins, unless the caller has given one; what lies out of the bounds
    /// is put onto them. Uniform in the bounds unless the method says otherwise.
    ///
    /// `drawn` is this coordinate's own. It depends on nothing else, so that any number of lanes can place an individual.
    #[inline(always)]
    fn place(&self, who: &Individual<R>, coordinate: u32, bounds: (R, R), drawn: Draw<R>) -> R {
        let _ = (who, coordinate);
        pso::uniform(bounds, drawn)
    }

    /// An individual's numbers at the start; zero unless it says otherwise.
    #[inline(always)]
    fn numbers(&self, who: &Individual<R>) -> Numbers<R> {
        let _ = who;
        Numbers::default()
    }

    /// A coordinate of the own rows at the start, at `x`, with the first velocity `v` of
    /// [`pso::initial`].
    fn start(&self, x: R, v: R) -> Own<R>;

    /// Numbers that the run remembers.
    #[inline(always)]
    fn memory(&self) -> u32 {
        0
    }

    /// Number `k` of them at the start.
    #[inline(always)]
    fn first_remembered(&self, k: u32) -> R {
        let _ = k;
        R::ZERO
    }

    /// What an individual whose numbers are so after an iteration adds to the sums from which the run learns.
    #[inline(always)]
    fn lesson(&self, numbers: &Numbers<R>) -> Lessons<R> {
        let _ = numbers;
        [R::ZERO; LESSONS]
    }

    /// Changes the memory before an iteration, from the sums of the one before.
    #[inline(always)]
    fn learn<T: Memory<R>>(&self, sums: Lessons<R>, memory: &mut T) {
        let _ = (sums, memory);
    }

    /// In which of its two places of the archive, 1 or 2, an individual whose numbers are so after an iteration leaves the
    /// public point that it had before; 0 where it leaves none.
    #[inline(always)]
    fn leaves(&self, numbers: &Numbers<R>) -> u32 {
        let _ = numbers;
        0
    }

    /// Looks at the others, once an iteration, and may change the numbers.
    fn look<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
        numbers: &mut Numbers<R>,
    ) -> Self::Seen;

    /// Of how many swarms [`look`](Method::look) asks for the best by [`Fitnesses::best_of_swarm`] and
    /// [`best_of_swarms`](Fitnesses::best_of_swarms), and of how many neighbours each is: they are searched once for all.
    #[inline(always)]
    fn swarms(&self) -> (u32, u32) {
        (0, 1)
    }

    /// Whether [`look`](Method::look) goes over more than a few others, which lanes do together.
    #[inline(always)]
    fn looks_far(&self) -> bool {
        false
    }

    /// Whose public point, with its fitness, becomes the individual's before it proposes.
    #[inline(always)]
    fn takes_over(&self, who: &Individual<R>, seen: &Self::Seen) -> u32 {
        let _ = seen;
        who.index
    }

    /// Decides, and may change the numbers; those of the attempt that counts are kept.
    fn plan(&self, who: &Individual<R>, seen: Self::Seen, numbers: &mut Numbers<R>) -> Self::Plan;

    /// A plan of which each word and each number has gone through a function: so one lane hands it to others.
    #[inline(always)]
    fn handed(plan: Self::Plan, word: impl Fn(u32) -> u32, number: impl Fn(R) -> R) -> Self::Plan {
        let _ = (word, number);
        plan
    }

    /// At whose public points, or points in the archive (place 1 of individual k of n is that of n + k, place 2 of 2 n + k), [`propose`](Method::propose) looks by [`Site::other`]: the first [`OTHERS`](Method::OTHERS)
    /// of these, which are read ahead.
    #[inline(always)]
    fn others(&self, plan: &Self::Plan) -> [u32; MAX_OTHERS] {
        let _ = plan;
        [0; MAX_OTHERS]
    }

    /// Whether [`propose`](Method::propose) asks for normal numbers by [`Site::normal`], and then for those of which attempt,
    /// mostly this one's: `Some(who.attempt)`. They are drawn for several coordinates at once.
    #[inline(always)]
    fn normals(&self, who: &Individual<R>, plan: &Self::Plan) -> Option<u32> {
        let _ = (who, plan);
        None
    }

    /// One coordinate of the proposed point, which must lie in the bounds, and of the own rows as
    /// they are from now on, whatever comes of the proposal.
    ///
    /// It depends on nothing but this: it may be asked for several times, and for places behind the last coordinate.
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

/// The population as the iteration before left it.
pub trait Population<R: Float>: Fitnesses<R> {
    /// An individual's numbers.
    fn numbers(&self, individual: u32) -> Numbers<R>;

    /// Number `k` of the run's memory.
    fn remembered(&self, k: u32) -> R;

    /// The square of the distance between two individuals' public points, each coordinate in its range.
    fn square(&self, a: u32, b: u32) -> R;

    /// The least [square](Population::square) between an individual and one of the first `n`.
    #[inline(always)]
    fn nearest_square(&self, index: u32, n: u32) -> R {
        let (mut nearest, mut i) = (R::INFINITY, 0);
        while i < n {
            let square = self.square(index, i);
            nearest = if square < nearest { square } else { nearest };
            i += 1;
        }
        nearest
    }

    /// How many of the first `n` individuals are so, by their fitness and numbers.
    #[inline(always)]
    fn count(&self, n: u32, is_so: impl Fn(u32) -> bool) -> u32 {
        let (mut count, mut i) = (0, 0);
        while i < n {
            count += u32::from(is_so(i));
            i += 1;
        }
        count
    }

    /// The first of the first `n` individuals that is so, by its fitness and numbers; `n` if none is.
    #[inline(always)]
    fn first(&self, n: u32, is_so: impl Fn(u32) -> bool) -> u32 {
        let mut i = 0;
        while i < n && !is_so(i) {
            i += 1;
        }
        i
    }
}

/// One coordinate, for one individual.
pub trait Site<R: Float> {
    /// Which coordinate this is.
    fn coordinate(&self) -> u32;
    /// The individual's public point.
    fn public(&self) -> R;
    /// The individual's own row `row`.
    fn own(&self, row: usize) -> R;
    /// The public point of an individual.
    fn of(&self, individual: u32) -> R;
    /// The public point of an individual that is number `k` of [`Method::others`], which may have been read ahead, or a point
    /// of the archive.
    #[inline(always)]
    fn other(&self, k: usize, individual: u32) -> R {
        let _ = k;
        self.of(individual)
    }
    /// The best point that there ever was.
    fn best(&self) -> R;
    /// Lower and upper bound.
    fn bounds(&self) -> (R, R);
    /// The random factors (r1, r2) of the pulls of [`pso`]; not independent of the draws of set 0.
    fn factors(&self) -> [Factor<R>; 2];
    /// Two draws as they are made, for products; sets, below 8, are independent.
    fn drawn(&self, set: u32) -> [Draw<R>; 2];
    /// The same draws as numbers uniform in (0, 1).
    #[inline(always)]
    fn draws(&self, set: u32) -> [R; 2] {
        Draw::both(self.drawn(set))
    }
    /// A standard normal number, of the attempt that [`Method::normals`] names; not a number where it names none. Not
    /// independent of the draws of set 1.
    fn normal(&self) -> R;
    /// The draw with which the coordinate re-enters its bounds.
    fn reentry(&self) -> R;
}

#[cfg(test)]
pub(crate) mod tests;
