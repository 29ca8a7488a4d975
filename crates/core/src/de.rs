//! Differential evolution, synchronous.
//!
//! **Idea.** Each individual builds a trial point: the difference of two other individuals is added to a base point,
//! and the result is crossed with the individual, coordinate by coordinate. The trial point replaces the individual
//! unless it is worse.
//!
//! **Equations** (of one coordinate; r1, r2, r3 are distinct individuals, none of them i):
//!
//! ```text
//! rand/1             v = x_r1 + F (x_r2 - x_r3)
//! best/1             v = g + F (x_r1 - x_r2)
//! target-to-best/1   v = x_i + F (g - x_i) + F (x_r1 - x_r2)
//! binomial           u = v where r < CR or the coordinate is j, otherwise x_i
//! exponential        u = v at j and at the L coordinates after it, cyclically, otherwise x_i;
//!                    P(L >= k) = CR^k
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | F | `scale_factor` | weight of differences | finite, > 0 | 0.5 |
//! | CR | `crossover_rate` | fraction of coordinates taken from v | [0, 1] | 0.9 |
//! | | `base` | rand, best or target-to-best | | rand |
//! | | `crossover` | binomial or exponential | | binomial |
//! | | `limits` | see [`boundary`](crate::boundary) | | reflect |
//! | g | | best point found so far | | |
//! | j | | a coordinate, uniform | | |
//!
//! **Source.** R. Storn, K. Price, "Differential evolution: a simple and efficient heuristic for
//! global optimization over continuous spaces", Journal of Global Optimization 11, 1997; variants
//! as in libCudaOptimize.
//!
//! **Deviations.**
//! * A trial point that is equally good replaces the individual, where libCudaOptimize's paper says "better". So a
//!   population can cross plateaus, as in K. Price, R. Storn, J. Lampinen, "Differential evolution", 2005.
//! * Updates are synchronous: all individuals use the previous generation.
//! * L is drawn by inversion, ln r / ln CR, in place of a loop.
//! * A coordinate's r is a multiple of 2^-16 in `f32`, of 2^-32 in `f64`.
//! * Storn and Price do not say what happens at the bounds.

use crate::boundary::{Boundary, Limits};
use crate::method::{
    Individual, MAX_OTHERS, Method, Numbers, Own, Planning, Population, Site, With,
};
use crate::order::Fitness;
use crate::real::Float;
use crate::words;

/// The smallest population: an individual and three others.
pub const MIN_INDIVIDUALS: u32 = 4;

/// The base point, to which differences are added.
///
/// ```
/// use warpswarm_core::de::Base;
/// let names = Base::ALL.map(|(name, _)| name);
/// assert_eq!(names, ["rand", "best", "target-to-best"]);
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// A random other individual: DE/rand/1.
    #[default]
    Rand = 0,
    /// The best point: DE/best/1.
    Best = 1,
    /// The individual, moved towards the best: DE/target-to-best/1.
    TargetToBest = 2,
}

impl Base {
    /// Every base with the name that users give it.
    pub const ALL: [(&'static str, Base); 3] =
        [("rand", Base::Rand), ("best", Base::Best), ("target-to-best", Base::TargetToBest)];
}

/// Which coordinates are taken from the mutant.
///
/// ```
/// use warpswarm_core::de::Crossover;
/// assert_eq!(Crossover::ALL[1], ("exponential", Crossover::Exponential));
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crossover {
    /// Each coordinate is chosen independently.
    #[default]
    Binomial = 0,
    /// Consecutive coordinates.
    Exponential = 1,
}

impl Crossover {
    /// Every crossover with the name that users give it.
    pub const ALL: [(&'static str, Crossover); 2] =
        [("binomial", Crossover::Binomial), ("exponential", Crossover::Exponential)];
}

words!(enum Base, Crossover);

/// The parameters of differential evolution, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct De<R> {
    /// F, the weight of differences.
    pub scale_factor: R,
    /// CR, the fraction of coordinates taken from the mutant.
    pub crossover_rate: R,
    /// What happens at the bounds.
    pub limits: Limits<R>,
    /// The base point, to which differences are added.
    pub base: Base,
    /// Which coordinates are taken from the mutant.
    pub crossover: Crossover,
}

/// The choices that an individual makes once for all coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan<R> {
    /// r1, r2, r3
    pub others: [u32; 3],
    /// j, the coordinate that is always taken from the mutant.
    pub first: u32,
    /// A number whose integer part is L; infinite for all coordinates.
    pub reach: R,
    /// D, the number of coordinates.
    pub dimensions: u32,
}

/// Three distinct individuals of n (at least 4), none of them `me`. `drawn[k]`, with k from 0, is uniform in
/// 0..n - 1 - k.
#[inline(always)]
pub fn others(me: u32, drawn: [u32; 3]) -> [u32; 3] {
    // Each is drawn from the remaining indices and then shifted past those already taken.
    let past = |x: u32, taken: u32| x + u32::from(x >= taken);
    let r1 = past(drawn[0], me);
    let (low, high) = (me.min(r1), me.max(r1));
    let r2 = past(past(drawn[1], low), high);
    let (first, last) = (low.min(r2), high.max(r2));
    let middle = low.max(r2).min(high);
    let r3 = past(past(past(drawn[2], first), middle), last);
    [r1, r2, r3]
}

/// ln r / ln CR, whose integer part is at least k with probability CR^k.
#[inline(always)]
pub fn reach<R: Float>(crossover_rate: R, r: R) -> R {
    if crossover_rate >= R::ONE { R::INFINITY } else { r.ln() / crossover_rate.ln() }
}

impl<R: Float> De<R> {
    /// The mutant's coordinate, from those of r1, r2 and r3, of the individual and of the best point.
    #[inline(always)]
    pub fn mutant(&self, [x1, x2, x3]: [R; 3], own: R, best: R) -> R {
        let f = self.scale_factor;
        // No `match`, for the reason given in `boundary::enforce`.
        if self.base == Base::Rand {
            x1 + f * (x2 - x3)
        } else if self.base == Base::Best {
            best + f * (x1 - x2)
        } else {
            own + f * (best - own) + f * (x1 - x2)
        }
    }

    /// Whether coordinate `i` is taken from the mutant; `r` is uniform in [0, 1).
    #[inline(always)]
    pub fn crosses(&self, plan: &Plan<R>, i: u32, r: R) -> bool {
        match self.crossover {
            Crossover::Binomial => r < self.crossover_rate || i == plan.first,
            Crossover::Exponential => {
                let after = if i >= plan.first { i } else { i + plan.dimensions } - plan.first;
                R::from_u32(after) <= plan.reach
            }
        }
    }
}

impl<R: Float> Method<R> for De<R> {
    const OWN: usize = 0;
    const NUMBERS: usize = 0;
    const OTHERS: usize = 3;
    const FRUGAL: bool = true;
    const MOST_THREADS: [u32; 2] = [640, 512];
    /// In f64 no registers are left for planning ahead.
    const PLANNING: Planning =
        if R::WORDS == 1 { Planning::IndividualEach } else { Planning::Together };
    type Observation = ();
    type Plan = Plan<R>;

    words!(scale_factor, crossover_rate, limits, base, crossover);

    #[inline(always)]
    fn specialised<W: With<Self>>(self, work: W) -> W::Output {
        let limits = Limits { boundary: Boundary::Reflect, ..self.limits };
        let common = De { limits, base: Base::Rand, crossover: Crossover::Binomial, ..self };
        if self == common { work.with(common) } else { work.with(self) }
    }

    #[inline(always)]
    fn start(&self, _: R, _: R) -> Own<R> {
        Own::default()
    }

    #[inline(always)]
    fn observe<P: Population<R>>(&self, _: &Individual<R>, _: &P, _: &mut Numbers<R>) {}

    #[inline(always)]
    fn plan(&self, who: &Individual<R>, (): (), _: &mut Numbers<R>) -> Plan<R> {
        let n = who.individuals;
        let drawn = [who.below(n - 1, 0), who.below(n - 2, 1), who.below(n - 3, 2)];
        Plan {
            others: others(who.index, drawn),
            first: who.below(who.dimensions, 3),
            reach: match self.crossover {
                Crossover::Binomial => R::ZERO,
                Crossover::Exponential => reach(self.crossover_rate, who.uniform(0)[0]),
            },
            dimensions: who.dimensions,
        }
    }

    #[inline(always)]
    fn mapped(plan: Plan<R>, word: impl Fn(u32) -> u32, number: impl Fn(R) -> R) -> Plan<R> {
        let [r1, r2, r3] = plan.others;
        Plan {
            others: [word(r1), word(r2), word(r3)],
            first: word(plan.first),
            reach: number(plan.reach),
            ..plan
        }
    }

    #[inline(always)]
    fn others(&self, plan: &Plan<R>) -> [u32; MAX_OTHERS] {
        plan.others
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, plan: &Plan<R>, site: &S) -> (R, Own<R>) {
        let [r1, r2, r3] = plan.others;
        let own = site.public();
        // Only DE/rand/1 uses the third individual.
        let x3 = if self.base == Base::Rand { site.other(2, r3) } else { R::ZERO };
        let mutant = self.mutant([site.other(0, r1), site.other(1, r2), x3], own, site.best());
        let mutant = self.limits.enforce(mutant, site.bounds(), || site.reentry());
        let crosses = self.crosses(plan, site.coordinate(), site.factors()[0].times(R::ONE));
        (if crosses { mutant } else { own }, Own::default())
    }

    #[inline(always)]
    fn accept(
        &self,
        who: &Individual<R>,
        _: &Plan<R>,
        proposal: Fitness<R>,
        _: &mut Numbers<R>,
    ) -> bool {
        !who.fitness.beats(proposal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits<f64> = Limits { correction: 0.22, boundary: Boundary::Clamp };
    const DE: De<f64> = De {
        scale_factor: 0.5,
        crossover_rate: 0.25,
        limits: LIMITS,
        base: Base::Rand,
        crossover: Crossover::Binomial,
    };

    #[test]
    fn mutants_by_hand() {
        let mutant = |base| De { base, ..DE }.mutant([1.0, 4.0, 10.0], 3.0, -1.0);
        assert_eq!(mutant(Base::Rand), 1.0 + 0.5 * (4.0 - 10.0));
        assert_eq!(mutant(Base::Best), -1.0 + 0.5 * (1.0 - 4.0));
        assert_eq!(mutant(Base::TargetToBest), 3.0 + 0.5 * (-1.0 - 3.0) + 0.5 * (1.0 - 4.0));
    }

    #[test]
    fn crossover_by_hand() {
        let plan = Plan { others: [1, 2, 3], first: 3, reach: 2.9, dimensions: 5 };
        let binomial = |i, r| DE.crosses(&plan, i, r);
        assert!(binomial(0, 0.2) && !binomial(0, 0.25) && binomial(3, 0.9));
        // At 3 and the two coordinates after it, cyclically: 4 and 0.
        let de = De { crossover: Crossover::Exponential, ..DE };
        assert_eq!(
            [0, 1, 2, 3, 4].map(|i| de.crosses(&plan, i, 0.0)),
            [true, false, false, true, true]
        );
        // ln(0.0625) / ln(0.25) = 2; a rate of 0 takes one coordinate, a rate of 1 takes all.
        assert!((reach(0.25_f64, 0.0625) - 2.0).abs() < 1e-15);
        assert_eq!(reach(0.0_f64, 0.5), 0.0);
        assert_eq!(reach(1.0_f64, 0.5), f64::INFINITY);
    }

    #[test]
    fn others_are_distinct_and_each_triple_comes_up_once() {
        for n in [4, 5, 7] {
            for me in 0..n {
                let mut seen = std::collections::BTreeSet::new();
                for a in 0..n - 1 {
                    for b in 0..n - 2 {
                        for c in 0..n - 3 {
                            let triple = others(me, [a, b, c]);
                            let [x, y, z] = triple;
                            assert!(triple.iter().all(|&r| r < n && r != me), "{triple:?}");
                            assert!(x != y && x != z && y != z, "{triple:?}");
                            seen.insert(triple);
                        }
                    }
                }
                assert_eq!(seen.len() as u32, (n - 1) * (n - 2) * (n - 3));
            }
        }
    }

    #[test]
    fn a_rival_takes_the_place_unless_it_is_worse() {
        let fitness = Fitness { violation: 0.0, value: 2.0 };
        let who = crate::method::tests::individual(fitness);
        let plan = Plan { others: [1, 2, 3], first: 0, reach: 0.0, dimensions: 2 };
        let accepts = |violation, value| {
            DE.accept(&who, &plan, Fitness { violation, value }, &mut Numbers::default())
        };
        assert!(accepts(0.0, 1.0) && accepts(0.0, 2.0) && !accepts(0.0, 2.5));
        assert!(!accepts(0.1, 0.0) && !accepts(0.0, f64::NAN));
    }
}
