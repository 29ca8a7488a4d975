//! Scatter search: pairs from a small reference set of good and of distant points are combined, and the offspring
//! improved.
//!
//! **Idea.** The first individuals are the reference set: the *best set*, then the *diverse set*. The others are the
//! pool. In a cycle each individual of the pool is placed between or near two of the reference set and then improved by
//! a local search. After that the reference set takes over the best points of all, or those farthest from the best set,
//! or both. If it took over none of the pool, the pool is placed anew.
//!
//! **Equations** (of one coordinate; a and b are the parents'):
//!
//! ```text
//! combine   x = min(a, b) - alpha |a - b| + u (1 + 2 alpha) |a - b|      BLX-alpha, u uniform in (0, 1)
//! improve   as in solis_wets; the first step is half the distance to the nearest of the reference set
//! best      the i-th best of all becomes the i-th of the best set
//! diverse   the i-th farthest from the best set, by the distance to its nearest member, becomes the i-th of the
//!           diverse set; candidates are all but the best set, or the pool if it was placed anew
//! ```
//!
//! A cycle has six iterations and `improvement` more: three to measure, two for the reference set to take over, one to
//! combine.
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | | `best_set` | individuals of the best set | >= 1 | 10 |
//! | | `diverse_set` | individuals of the diverse set | >= 1 | 10 |
//! | alpha | `alpha` | how far outside its parents a coordinate may be | finite, >= 0 | 0.5 |
//! | | `improvement` | local search steps of each individual of the pool in a cycle | >= 0 | 20 |
//! | | `update` | whether the diverse set takes over the best or the farthest points | | diverse |
//! | | `search` | see [`solis_wets`]; here `step` = 0 means the first step above; `mirror` is `failure` | | |
//!
//! **Source.** F. Glover, "A template for scatter search and path relinking", 1998; in the form of libCudaOptimize
//! ("libCudaOptimize: an open source library of GPU-based metaheuristics", GECCO 2012): BLX-alpha after L. Eshelman, J.
//! Schaffer, "Real-coded genetic algorithms and interval-schemata", 1993.
//!
//! **Deviations.**
//! * libCudaOptimize does not say which elements of the two sets it combines. Here the pool gets all pairs, one after
//!   the other. It also gives neither the sets' sizes, nor alpha, nor the length of the improvement.
//! * Distances are in ranges of the bounds.
//! * The best set also takes over better points of a new pool.
//! * The improvement tries a mirror image only after a failure (libCudaOptimize: the better of both). With two
//!   evaluations in an iteration, the kernels did not link.

mod phase;
mod update;

use crate::boundary::{Boundary, Limits};
use crate::method::{Individual, Method, Numbers, Own, Population, Site, With, step_of_cycle};
use crate::order::{Candidate, Fitness};
use crate::real::Float;
use crate::solis_wets::{self, Mirror, SolisWets};

pub use phase::Phase;
pub use update::Update;

/// The parameters of scatter search, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScatterSearch<R> {
    /// The local search that improves the pool.
    pub search: SolisWets<R>,
    /// How far outside its parents a coordinate may be, as a multiple of the parents' difference.
    pub alpha: R,
    /// The number of individuals in the best set.
    pub best_set: u32,
    /// The number of individuals in the diverse set.
    pub diverse_set: u32,
    /// Local search steps of each individual of the pool in a cycle.
    pub improvement: u32,
    /// How the diverse set is renewed.
    pub update: Update,
}

/// What an individual uses of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The phase of the cycle.
    pub phase: Phase,
    /// The individual whose point it takes over.
    pub from: u32,
    /// The parents of its new point; none if the pool is placed anew.
    pub parents: Option<[u32; 2]>,
}

/// How a point is changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plan<R> {
    /// Placed anew, uniformly in the bounds.
    Anew,
    /// Combined from these two individuals.
    Combined([u32; 2]),
    /// A step of the local search.
    Improved(solis_wets::Plan<R>),
}

/// Index of the number that holds a rank, or the square of a distance.
const KEY: usize = 0;
/// Index of a number of the reference set: one if the individual took over a point of the pool at its last chance.
const REPLACED: usize = 1;
/// Index of a number of the diverse set: one if the pool has been placed anew.
const RENEWED: usize = 2;
/// Iterations of a cycle before the first step of the local search.
const BEFORE: u64 = 6;

impl<R: Float> ScatterSearch<R> {
    /// The size of the reference set.
    #[inline(always)]
    pub fn reference_set(&self) -> u32 {
        self.best_set + self.diverse_set
    }

    /// The phase of an iteration, which counts from 1; the result for 0 is unused.
    #[inline(always)]
    pub fn phase(&self, iteration: u64) -> Phase {
        match self.step(iteration) {
            0 => Phase::Rank,
            1 => Phase::Best,
            2 => Phase::Measure,
            3 => Phase::RankFarthest,
            4 => Phase::Diverse,
            5 => Phase::Combine,
            _ => Phase::Improve,
        }
    }

    #[inline(always)]
    fn cycle(&self) -> u64 {
        BEFORE + u64::from(self.improvement)
    }

    #[inline(always)]
    fn step(&self, iteration: u64) -> u64 {
        step_of_cycle(iteration, self.cycle())
    }

    /// The parents of offspring `number`: all pairs of the reference set, one after the other, again and again.
    #[inline(always)]
    pub fn parents(&self, number: u64) -> [u32; 2] {
        let n = u64::from(self.reference_set());
        // Never zero; `max` shows this to the compiler, which then leaves out a check for a division by zero.
        let mut rest = (number % (n * (n - 1) / 2).max(1)) as u32;
        let (mut first, mut with_it) = (0, self.reference_set() - 1);
        while rest >= with_it {
            rest -= with_it;
            with_it -= 1;
            first += 1;
        }
        [first, first + 1 + rest]
    }

    /// Whether the reference set took over none of the pool at its last chance.
    #[inline(always)]
    fn is_stuck<P: Population<R>>(&self, population: &P) -> bool {
        let replaced = |i| population.numbers(i)[REPLACED] != R::ZERO;
        population.count(self.reference_set(), replaced) == 0
    }

    /// Whether the diverse set is chosen by distance in this cycle.
    #[inline(always)]
    fn scatters<P: Population<R>>(&self, population: &P) -> bool {
        self.update == Update::Diverse || self.is_renewed(population)
    }

    /// Whether the pool has been placed anew in this cycle.
    #[inline(always)]
    fn is_renewed<P: Population<R>>(&self, population: &P) -> bool {
        population.numbers(self.best_set)[RENEWED] != R::ZERO
    }

    /// The first individual that is a candidate for the diverse set.
    #[inline(always)]
    fn first_far<P: Population<R>>(&self, population: &P) -> u32 {
        if self.is_renewed(population) { self.reference_set() } else { self.best_set }
    }

    /// How many candidates are farther from the best set than this individual.
    #[inline(always)]
    fn rank_of_farthest<P: Population<R>>(&self, who: &Individual<R>, population: &P) -> u32 {
        let Individual { index, individuals, .. } = *who;
        let (mine, first) = (population.numbers(index)[KEY], self.first_far(population));
        population.count(individuals, |i| {
            let far = population.numbers(i)[KEY];
            i >= first && (far > mine || (far == mine && i < index))
        })
    }

    /// The individual whose point `who` takes over: for the best set, and for the diverse set if it takes over the
    /// best.
    #[inline(always)]
    fn take_best<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
        numbers: &mut Numbers<R>,
    ) -> u32 {
        let stuck = self.is_stuck(population);
        let rank = R::from_u32(who.index);
        let mut from = who.index;
        if who.index >= self.best_set {
            numbers[RENEWED] = if stuck { R::ONE } else { R::ZERO };
        }
        if who.index < self.best_set || (self.update == Update::Best && !stuck) {
            from = found(who, population, |i| population.numbers(i)[KEY] == rank);
            numbers[REPLACED] = self.replaced_by(from);
        }
        from
    }

    #[inline(always)]
    fn replaced_by(&self, from: u32) -> R {
        if from >= self.reference_set() { R::ONE } else { R::ZERO }
    }
}

/// The first individual for which `is_so` is true; `who` if there is none.
#[inline(always)]
fn found<R: Float, P: Population<R>>(
    who: &Individual<R>,
    population: &P,
    is_so: impl Fn(u32) -> bool,
) -> u32 {
    let found = population.first(who.individuals, is_so);
    if found < who.individuals { found } else { who.index }
}

impl<R: Float> Method<R> for ScatterSearch<R> {
    /// The last step of the improvement.
    const OWN: usize = 1;
    const NUMBERS: usize = 4;
    type Observation = Observation;
    type Plan = Plan<R>;

    crate::words!(search, alpha, best_set, diverse_set, improvement, update);

    #[inline(always)]
    fn of_kind<W: With<(Self, Plan<R>)>>(self, plan: Plan<R>, work: W) -> W::Output {
        let limits = Limits { boundary: Boundary::Clamp, ..self.search.limits };
        let search = SolisWets { limits, mirror: Mirror::Failure, ..self.search };
        let common = ScatterSearch { search, ..self };
        let Plan::Improved(improved) = plan else { return work.with((self, plan)) };
        let of_kind = |mirror| (common, Plan::Improved(solis_wets::Plan { mirror, ..improved }));
        match (self == common, improved.mirror) {
            (false, _) => work.with((self, plan)),
            (true, true) => work.with(of_kind(true)),
            (true, false) => work.with(of_kind(false)),
        }
    }

    #[inline(always)]
    fn attempts(&self, iteration: u64, index: u32) -> u32 {
        u32::from(index >= self.reference_set() && self.step(iteration) + 1 >= BEFORE)
    }

    fn evaluations(&self, individuals: u32, iterations: u64) -> u64 {
        let (cycles, rest) = (iterations / self.cycle(), iterations % self.cycle());
        let tries = u64::from(self.improvement) + 1;
        let each = cycles.saturating_mul(tries).saturating_add((rest + 1).saturating_sub(BEFORE));
        each.saturating_mul(u64::from(individuals - self.reference_set()))
    }

    /// During the local search the individuals are independent of each other.
    #[inline(always)]
    fn noticed(&self, iteration: u64) -> u64 {
        let (step, last) = (self.step(iteration), self.cycle() - 1);
        if iteration == 0 || step < BEFORE { iteration } else { iteration + (last - step) }
    }

    /// The first step of the local search uses the distance to the nearest of the reference set.
    #[inline(always)]
    fn observes(&self, iteration: u64) -> bool {
        self.step(iteration) <= BEFORE
    }

    #[inline(always)]
    fn start(&self, _: R, _: R) -> Own<R> {
        Own::default()
    }

    fn observes_far(&self) -> bool {
        true
    }

    #[inline(always)]
    fn observe<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
        numbers: &mut Numbers<R>,
    ) -> Observation {
        let (phase, index, n) = (self.phase(who.iteration), who.index, who.individuals);
        let mut seen = Observation { phase, from: index, parents: None };
        let is_pool = index >= self.reference_set();
        match phase {
            Phase::Rank => {
                let me = Candidate::new(who.fitness, index);
                let before = |i| Candidate::new(population.fitness(i), i).beats(me);
                numbers[KEY] = R::from_u32(population.count(n, before));
            }
            Phase::Best if !is_pool => seen.from = self.take_best(who, population, numbers),
            Phase::Measure if index >= self.best_set && self.scatters(population) => {
                numbers[KEY] = population.nearest_squared_distance(index, self.best_set);
            }
            Phase::RankFarthest if index >= self.best_set && self.scatters(population) => {
                let rank = self.rank_of_farthest(who, population);
                let may = index >= self.first_far(population);
                numbers[KEY] = R::from_u32(if may { rank } else { n });
            }
            Phase::Diverse if index >= self.best_set && !is_pool && self.scatters(population) => {
                let rank = R::from_u32(index - self.best_set);
                let is_it = |i| i >= self.best_set && population.numbers(i)[KEY] == rank;
                seen.from = found(who, population, is_it);
                numbers[REPLACED] = self.replaced_by(seen.from);
            }
            Phase::Combine if is_pool && !self.is_stuck(population) => {
                let pool = u64::from(n - self.reference_set());
                let cycles = who.iteration / self.cycle();
                let number = cycles.wrapping_mul(pool) + u64::from(index - self.reference_set());
                seen.parents = Some(self.parents(number));
            }
            Phase::Improve if is_pool && self.step(who.iteration) == BEFORE => {
                let square = population.nearest_squared_distance(index, self.reference_set());
                *numbers = self.search.numbers(who);
                if self.search.nearest() {
                    numbers[0] = solis_wets::first_step(square);
                }
            }
            _ => (),
        }
        seen
    }

    #[inline(always)]
    fn takes_over(&self, _: &Individual<R>, seen: &Observation) -> u32 {
        seen.from
    }

    #[inline(always)]
    fn plan(&self, _: &Individual<R>, seen: Observation, numbers: &mut Numbers<R>) -> Plan<R> {
        match (seen.phase, seen.parents) {
            (Phase::Combine, None) => Plan::Anew,
            (Phase::Combine, Some(parents)) => Plan::Combined(parents),
            _ => Plan::Improved(self.search.planned(numbers)),
        }
    }

    #[inline(always)]
    fn normals(&self, _: &Individual<R>, plan: &Plan<R>) -> Option<u32> {
        let Plan::Improved(plan) = plan else { return None };
        self.search.drawn(plan)
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, plan: &Plan<R>, site: &S) -> (R, Own<R>) {
        let (lower, upper) = site.bounds();
        match plan {
            Plan::Anew => (lower + site.draws(0)[0] * (upper - lower), Own::default()),
            Plan::Combined([a, b]) => {
                let (a, b) = (site.of(*a), site.of(*b));
                let (low, high) = if a < b { (a, b) } else { (b, a) };
                let outside = self.alpha * (high - low);
                let from = low - outside;
                let x = from + site.draws(0)[0] * (high + outside - from);
                let x = self.search.limits.enforce(x, (lower, upper), || site.reentry());
                (x, Own::default())
            }
            Plan::Improved(plan) => self.search.stepped(plan, site),
        }
    }

    #[inline(always)]
    fn accept(
        &self,
        who: &Individual<R>,
        plan: &Plan<R>,
        proposal: Fitness<R>,
        numbers: &mut Numbers<R>,
    ) -> bool {
        match plan {
            Plan::Improved(_) => self.search.judged(who, proposal, numbers),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests;
