//! SHADE: differential evolution that learns its scale factors and crossover rates from those that succeed.
//!
//! **Idea.** Each individual makes a rival of itself on its way to one of the best, with a scale factor and a crossover rate
//! of its own. These are drawn around what has succeeded in the last generations. Points that were given up stay in an archive,
//! from which one end of the difference may come: it keeps steps long where the population has become narrow.
//!
//! **Equations** (of individual i; k uniform in 1..H; p one of the best, r1 and r2 distinct from each other and from i,
//! r2 of the population and the archive):
//!
//! ```text
//! CR    = M_CR,k + 0.1 N(0, 1), clamped to [0, 1]; 0 where M_CR,k is final
//! F     = M_F,k + 0.1 C(0, 1), drawn again where it is not above 0, at most 1
//! v     = x_i + F (x_p - x_i) + F (x_r1 - x_r2)
//! u     = v where r < CR or the coordinate is j, otherwise x_i
//! M_F   = sum w F^2 / sum w F      of those whose u is better than x_i, at the next place of the memory;
//! M_CR  = sum w CR^2 / sum w CR    w is by how much u is better
//! ```
//!
//! N is the normal distribution, C Cauchy's. M_CR becomes final where all CR that succeeded are 0.
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | H | `memory` | places of the memory | 1 to 100 | 6 |
//! | | `initial` | what is in the memory at first | (0, 1] | 0.5 |
//! | p | `elite` | part of the population that counts as the best, at least 2 individuals | (0, 1] | 0.11 |
//! | | `archive` | places of the archive, as a multiple of the individuals | [0, 10] | 1 |
//! | | `limits` | what happens at the bounds | | midpoint |
//!
//! **Source.** R. Tanabe, A. Fukunaga, "Success-history based parameter adaptation for differential evolution", IEEE CEC 2013;
//! the memory of 6 places, the final M_CR, its mean, and p as in their L-SHADE, "Improving the search performance of SHADE using
//! linear population size reduction", IEEE CEC 2014.
//!
//! **Deviations.** F is drawn again at most seven times; where it is not above 0 then, in one of 10^9 cases, it is M_F. All
//! individuals of a generation go into the archive at its end, so that nobody meets a point there that another has given up in
//! the same generation. Where violations differ, w is by how much less is violated.

use crate::boundary::{Boundary, Limits};
use crate::method::{
    Common, Individual, Lessons, MAX_OTHERS, Method, Numbers, Own, Population, Site,
};
use crate::order::Fitness;
use crate::real::Real;
use crate::sum::{Largest, Sum};

/// The fewest individuals: one, one of the best, and two others.
pub const MIN_INDIVIDUALS: u32 = 4;
/// The most places of the memory.
pub const MAX_MEMORY: u32 = 100;

/// An individual's numbers: its scale factor, its crossover rate, and by how much its rival was better.
const SCALE_FACTOR: usize = 0;
const CROSSOVER_RATE: usize = 1;
const GAIN: usize = 2;

/// What happens to a coordinate of a rival that leaves its bounds.
///
/// ```
/// use warpswarm_core::shade::Rebound;
/// assert_eq!(Rebound::ALL[0], ("midpoint", Rebound::Midpoint));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rebound {
    /// It lies halfway between the bound and the individual's own.
    #[default]
    Midpoint,
    /// One of the modes that all methods have.
    Mode(Boundary),
}

impl Rebound {
    /// Every mode with the name that users give it.
    pub const ALL: [(&'static str, Rebound); 6] = [
        ("midpoint", Rebound::Midpoint),
        ("clamp", Rebound::Mode(Boundary::Clamp)),
        ("reflect", Rebound::Mode(Boundary::Reflect)),
        ("wrap", Rebound::Mode(Boundary::Wrap)),
        ("random", Rebound::Mode(Boundary::Random)),
        ("reverse", Rebound::Mode(Boundary::Reverse)),
    ];
}

/// The parameters of SHADE, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shade<R> {
    /// What is in the memory at first.
    pub initial: R,
    /// What happens at the bounds, unless `midpoint` is 1.
    pub limits: Limits<R>,
    /// 1 where a coordinate beyond a bound is put halfway between that and the individual's own.
    pub midpoint: u32,
    /// H, places of the memory.
    pub memory: u32,
    /// How many individuals count as the best.
    pub elite: u32,
    /// Places of the archive.
    pub archive: u32,
}

/// What an individual sees of the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen<R> {
    /// M_F and M_CR
    pub means: [R; 2],
    /// p
    pub best: u32,
    /// Points in the archive.
    pub archived: u32,
}

/// What an individual decides before it looks at single coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan<R> {
    /// p, r1, r2
    pub others: [u32; 3],
    /// j, the coordinate that is taken over in any case.
    pub first: u32,
    /// F
    pub scale_factor: R,
    /// CR
    pub crossover_rate: R,
}

/// F from M_F and one draw, uniform in (0, 1).
#[inline(always)]
pub fn scale_factor<R: Real>(mean: R, u: R) -> R {
    let half = u * R::from_f64(0.5);
    mean - R::from_f64(0.1) * (half.cos_turns() / half.sin_turns())
}

/// CR from M_CR and two draws, uniform in (0, 1).
#[inline(always)]
pub fn crossover_rate<R: Real>(mean: R, [u, v]: [R; 2]) -> R {
    let normal = (R::from_f64(-2.0) * u.ln()).sqrt() * v.cos_turns();
    let rate = (mean + R::from_f64(0.1) * normal).clamp_to(R::ZERO, R::ONE);
    if mean < R::ZERO { R::ZERO } else { rate }
}

/// r1 and r2, distinct from each other and from `me`: of n individuals, and of those and so many in the archive. Of what is
/// `drawn`, the first is uniform in 0..n - 1, the second in 0..n + archived - 2.
#[inline(always)]
pub fn others(me: u32, drawn: [u32; 2]) -> [u32; 2] {
    let past = |x: u32, taken: u32| x + u32::from(x >= taken);
    let r1 = past(drawn[0], me);
    [r1, past(past(drawn[1], me.min(r1)), me.max(r1))]
}

/// By how much a rival is better than an individual; 0 where it is not.
#[inline(always)]
pub fn gain<R: Real>(own: Fitness<R>, rival: Fitness<R>) -> R {
    if !rival.beats(own) {
        return R::ZERO;
    }
    let (before, after) = (own.counted(), rival.counted());
    let gain = if before == after { own.value - rival.value } else { before - after };
    // What comes from infinity, or from no number, is better than anything else, and a number.
    if gain < R::MAX { gain.larger(R::ZERO) } else { R::MAX }
}

impl<R: Real> Shade<R> {
    #[inline(always)]
    fn draw_scale_factor(&self, who: &Individual<R>, mean: R) -> R {
        let mut k = 1;
        while k < 5 {
            let [u, v] = who.uniform(k);
            let (first, second) = (scale_factor(mean, u), scale_factor(mean, v));
            let found = if first > R::ZERO { first } else { second };
            if found > R::ZERO {
                return found.smaller(R::ONE);
            }
            k += 1;
        }
        mean
    }
}

impl<R: Real> Method<R> for Shade<R> {
    const OWN: usize = 0;
    const NUMBERS: usize = 3;
    const OTHERS: usize = 3;
    const SHARES: bool = true;
    type Seen = Seen<R>;
    type Plan = Plan<R>;

    #[inline(always)]
    fn common(&self, _: u32) -> Common {
        Common { memory: 2 * self.memory + 1, elite: self.elite, archive: self.archive }
    }

    #[inline(always)]
    fn first_remembered(&self, k: u32) -> R {
        if k < 2 * self.memory { self.initial } else { R::ZERO }
    }

    #[inline(always)]
    fn start(&self, _: R, _: R) -> Own<R> {
        Own::default()
    }

    #[inline(always)]
    fn look<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
        _: &mut Numbers<R>,
    ) -> Seen<R> {
        let k = who.below(self.memory, 0);
        Seen {
            means: [population.remembered(k), population.remembered(self.memory + k)],
            best: population.elite(who.below(self.elite, 1)),
            archived: population.archived(),
        }
    }

    #[inline(always)]
    fn plan(&self, who: &Individual<R>, seen: Seen<R>, numbers: &mut Numbers<R>) -> Plan<R> {
        let n = who.individuals;
        let [r1, r2] =
            others(who.index, [who.below(n - 1, 2), who.below(n + seen.archived - 2, 3)]);
        let [mean, rate] = seen.means;
        let plan = Plan {
            others: [seen.best, r1, r2],
            first: who.below(who.dimensions, 4),
            scale_factor: self.draw_scale_factor(who, mean),
            crossover_rate: crossover_rate(rate, who.uniform(0)),
        };
        numbers[SCALE_FACTOR] = plan.scale_factor;
        numbers[CROSSOVER_RATE] = plan.crossover_rate;
        numbers[GAIN] = R::ZERO;
        plan
    }

    #[inline(always)]
    fn others(&self, plan: &Plan<R>) -> [u32; MAX_OTHERS] {
        plan.others
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, plan: &Plan<R>, site: &S) -> (R, Own<R>) {
        let own = site.public();
        let [best, r1, r2] = plan.others;
        let (best, x1, x2) = (site.other(0, best), site.other(1, r1), site.other(2, r2));
        let f = plan.scale_factor;
        let mutant = own + f * (best - own) + f * (x1 - x2);
        let (lower, upper) = site.bounds();
        let mutant = if self.midpoint == 1 {
            let half = R::from_f64(0.5);
            let bound = if mutant < lower { lower } else { upper };
            // Halves first, whose sum is a number.
            let middle = bound * half + own * half;
            if mutant >= lower && mutant <= upper { mutant } else { middle }
        } else {
            self.limits.enforce(mutant, (lower, upper), || site.reentry())
        };
        let drawn = site.factors()[0].times(R::ONE);
        let crosses = drawn < plan.crossover_rate || site.coordinate() == plan.first;
        (if crosses { mutant } else { own }, Own::default())
    }

    #[inline(always)]
    fn accept(
        &self,
        who: &Individual<R>,
        _: &Plan<R>,
        proposal: Fitness<R>,
        numbers: &mut Numbers<R>,
    ) -> bool {
        numbers[GAIN] = gain(who.fitness, proposal);
        !who.fitness.beats(proposal)
    }

    #[inline(always)]
    fn leaves(&self, numbers: &Numbers<R>) -> bool {
        numbers[GAIN] > R::ZERO
    }

    #[inline(always)]
    fn learn<L: Lessons<R>>(&self, lessons: &mut L) {
        let largest = lessons.fold::<Largest>(|numbers| numbers[GAIN]);
        if largest <= R::ZERO {
            return;
        }
        // In units of the largest, so that no sum overflows.
        let weighted = |of: usize, times: usize| {
            lessons.fold::<Sum>(|numbers| {
                let x = numbers[of];
                let x = if times == 2 { x * x } else { x };
                numbers[GAIN] / largest * x
            })
        };
        let scale_factor = weighted(SCALE_FACTOR, 2) / weighted(SCALE_FACTOR, 1);
        let rate = weighted(CROSSOVER_RATE, 1);
        let squares = weighted(CROSSOVER_RATE, 2);
        let at = lessons.remembered(2 * self.memory);
        let place = (at.to_f64() as u32).min(self.memory - 1);
        let is_final = lessons.remembered(self.memory + place) < R::ZERO || rate <= R::ZERO;
        lessons.remember(place, scale_factor);
        let rate = if is_final { -R::ONE } else { squares / rate };
        lessons.remember(self.memory + place, rate);
        let next = if place + 1 < self.memory { place + 1 } else { 0 };
        lessons.remember(2 * self.memory, R::from_u32(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Fitnesses;
    use crate::method::tests::{Still, feasible, individual};
    use crate::sum::{self, Operator};
    use std::collections::BTreeMap;
    use std::vec::Vec;

    const SHADE: Shade<f64> = Shade {
        initial: 0.5,
        limits: Limits { correction: 0.22, boundary: Boundary::Clamp },
        midpoint: 1,
        memory: 2,
        elite: 2,
        archive: 4,
    };

    /// A third and two thirds of all numbers that Cauchy's distribution gives lie below -1/sqrt(3) and 1/sqrt(3).
    #[test]
    fn draws_by_hand() {
        let close = |x: f64, expected: f64| assert!((x - expected).abs() < 1e-14, "{x}");
        close(scale_factor(0.5, 0.5), 0.5);
        close(scale_factor(0.5, 1.0 / 3.0), 0.5 - 0.1 / 3.0_f64.sqrt());
        close(scale_factor(0.5, 2.0 / 3.0), 0.5 + 0.1 / 3.0_f64.sqrt());
        // The radius is 2 where u is e^-2; half a turn takes that away.
        close(crossover_rate(0.5, [(-2.0_f64).exp(), 0.5]), 0.3);
        close(crossover_rate(0.9, [(-2.0_f64).exp(), 1.0]), 1.0);
        close(crossover_rate(-1.0, [(-2.0_f64).exp(), 1.0]), 0.0);
    }

    #[test]
    fn others_are_distinct_and_each_pair_comes_up_once() {
        for (n, archived) in [(4, 0), (5, 3)] {
            for me in 0..n {
                let mut seen = BTreeMap::new();
                for a in 0..n - 1 {
                    for b in 0..n + archived - 2 {
                        let [r1, r2] = others(me, [a, b]);
                        assert!(r1 < n && r2 < n + archived && r1 != me && r2 != me && r1 != r2);
                        *seen.entry((r1, r2)).or_insert(0) += 1;
                    }
                }
                assert_eq!(seen.len() as u32, (n - 1) * (n + archived - 2));
            }
        }
    }

    #[test]
    fn a_gain_is_a_finite_number() {
        let of = |violation, value| Fitness { violation, value };
        assert_eq!(gain(feasible(3.0), feasible(1.0)), 2.0);
        assert_eq!(gain(feasible(1.0), feasible(1.0)), 0.0);
        assert_eq!(gain(feasible(1.0), feasible(f64::NAN)), 0.0);
        assert_eq!(gain(of(0.5, 1.0), of(0.25, 9.0)), 0.25);
        assert_eq!(gain(of(0.5, 9.0), of(0.5, 1.0)), 8.0);
        for worst in [f64::INFINITY, f64::NAN] {
            assert_eq!(gain(feasible(worst), feasible(1.0)), f64::MAX);
            assert_eq!(gain(of(worst, 0.0), feasible(1.0)), f64::MAX);
        }
    }

    #[test]
    fn mutants_by_hand() {
        let plan = Plan { others: [0, 1, 2], first: 0, scale_factor: 0.5, crossover_rate: 0.0 };
        let propose = |shade: Shade<f64>, others, draw, first| {
            let draws = [[draw, 0.5], [0.5; 2], [0.5; 2]];
            let site =
                Still { public: 1.0, others, bounds: (-2.0, 4.0), draws, ..Still::default() };
            shade.propose(&Plan { first, crossover_rate: 0.3, ..plan }, &site).0
        };
        // 1 + (3 - 1) / 2 + (2 - 1) / 2, where the draw is below the rate or the coordinate is j.
        assert_eq!(propose(SHADE, [3.0, 2.0, 1.0], 0.2, 1), 2.5);
        assert_eq!(propose(SHADE, [3.0, 2.0, 1.0], 0.4, 1), 1.0);
        assert_eq!(propose(SHADE, [3.0, 2.0, 1.0], 0.4, 0), 2.5);
        // Halfway from 1 to either bound; otherwise as the mode has it.
        assert_eq!(propose(SHADE, [3.0, 9.0, 1.0], 0.2, 1), 2.5);
        assert_eq!(propose(SHADE, [3.0, -9.0, 1.0], 0.2, 1), -0.5);
        assert_eq!(propose(Shade { midpoint: 0, ..SHADE }, [3.0, 9.0, 1.0], 0.2, 1), 4.0);
    }

    #[test]
    fn a_rival_that_is_as_good_takes_the_place_and_teaches_nothing() {
        let who = individual(feasible(2.0));
        let plan = Plan { others: [0, 1, 2], first: 0, scale_factor: 0.5, crossover_rate: 0.0 };
        for (value, accepted, gain) in [(1.5, true, 0.5), (2.0, true, 0.0), (3.0, false, 0.0)] {
            let mut numbers = [0.5, 0.25, 7.0, 0.0];
            assert_eq!(SHADE.accept(&who, &plan, feasible(value), &mut numbers), accepted);
            assert_eq!(numbers, [0.5, 0.25, gain, 0.0]);
            assert_eq!(SHADE.leaves(&numbers), gain > 0.0);
        }
    }

    /// A memory, and individuals whose numbers are written down.
    struct Class(Vec<f64>, Vec<Numbers<f64>>);

    impl Lessons<f64> for Class {
        fn remembered(&self, k: u32) -> f64 {
            self.0[k as usize]
        }
        fn remember(&mut self, k: u32, number: f64) {
            self.0[k as usize] = number;
        }
        fn fold<O: Operator<f64>>(&self, term: impl Fn(Numbers<f64>) -> f64) -> f64 {
            sum::fold_buffered::<f64, O>(self.1.len(), |i| term(self.1[i]))
        }
    }

    #[test]
    fn what_succeeds_is_remembered() {
        let memory: Vec<f64> = (0..5).map(|k| SHADE.first_remembered(k)).collect();
        assert_eq!(memory, [0.5, 0.5, 0.5, 0.5, 0.0]);
        let individuals = [[0.5, 0.25, 3.0, 0.0], [0.9, 0.9, 0.0, 0.0], [1.0, 0.5, 1.0, 0.0]];
        let mut class = Class(memory, individuals.to_vec());
        SHADE.learn(&mut class);
        // (3/4 1/4 + 1/4 1) / (3/4 1/2 + 1/4 1) and (3/4 1/16 + 1/4 1/4) / (3/4 1/4 + 1/4 1/2)
        let expected = [0.4375 / 0.625, 0.5, 0.109375 / 0.3125, 0.5, 1.0];
        for (found, expected) in class.0.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{:?}", class.0);
        }
        // Crossover rates that are all 0 are final; the next place is the first again.
        class.1 = [[0.25, 0.0, 1.0, 0.0]].to_vec();
        SHADE.learn(&mut class);
        assert_eq!(class.0[1..], [0.25, class.0[2], -1.0, 0.0]);
        class.1[0] = [0.75, 0.5, 2.0, 0.0];
        SHADE.learn(&mut class);
        SHADE.learn(&mut class);
        assert_eq!(class.0, [0.75, 0.75, 0.5, -1.0, 0.0]);
        // Where nobody succeeds nothing changes.
        class.1[0][GAIN] = 0.0;
        SHADE.learn(&mut class);
        assert_eq!(class.0, [0.75, 0.75, 0.5, -1.0, 0.0]);
    }

    /// A population that has an elite, an archive and a memory.
    struct Few;

    impl Fitnesses<f64> for Few {
        fn fitness(&self, _: u32) -> Fitness<f64> {
            feasible(1.0)
        }
    }

    impl Population<f64> for Few {
        fn numbers(&self, _: u32) -> Numbers<f64> {
            Numbers::default()
        }
        fn remembered(&self, k: u32) -> f64 {
            [0.25, 0.75, 0.1, -1.0, 0.0][k as usize]
        }
        fn elite(&self, k: u32) -> u32 {
            [3, 8][k as usize]
        }
        fn archived(&self) -> u32 {
            4
        }
        fn square(&self, _: u32, _: u32) -> f64 {
            0.0
        }
    }

    #[test]
    fn individuals_see_a_pair_of_the_memory_and_one_of_the_best() {
        let mut seen = BTreeMap::new();
        let mut factors = Vec::new();
        for iteration in 1..2000 {
            let who = Individual { iteration, ..individual(feasible(1.0)) };
            let mut numbers = Numbers::default();
            let looked = SHADE.look(&who, &Few, &mut numbers);
            let plan = SHADE.plan(&who, looked, &mut numbers);
            assert_eq!(numbers, [plan.scale_factor, plan.crossover_rate, 0.0, 0.0]);
            assert!(plan.scale_factor > 0.0 && plan.scale_factor <= 1.0);
            assert!((0.0..=1.0).contains(&plan.crossover_rate));
            assert!(plan.others[1] < 10 && plan.others[2] < 14 && plan.first < 2);
            let [mean, rate] = looked.means;
            assert!((mean, rate) == (0.25, 0.1) || (mean, rate) == (0.75, -1.0));
            assert!(rate > 0.0 || plan.crossover_rate == 0.0);
            *seen.entry((looked.best, mean.to_bits())).or_insert(0) += 1;
            factors.push(plan.scale_factor - mean);
        }
        assert_eq!(seen.len(), 4);
        assert!(seen.values().all(|&count| (400..600).contains(&count)), "{seen:?}");
        // A quarter of Cauchy's numbers is above 1, less what is cut off at the ends.
        let above = factors.iter().filter(|&&x| x > 0.1).count();
        assert!((450..600).contains(&above), "{above}");
    }
}
