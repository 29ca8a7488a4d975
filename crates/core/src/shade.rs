//! SHADE: differential evolution that adapts its scale factors and crossover rates to those that succeed.
//!
//! **Idea.** Each individual builds a trial point, moved towards one of the best, with a scale factor and a crossover
//! rate of its own. These are drawn around values that have succeeded in recent generations. Replaced points stay in an
//! archive, from which one end of the difference can be taken: this keeps steps long when the population has become
//! narrow.
//!
//! **Equations** (for individual i; k uniform in 1..H; p is the best of T neighbours, the first of which is drawn; r1
//! and r2 are distinct from each other and from i; r2 is from the archive A times as often as from the population):
//!
//! ```text
//! CR    = M_CR,k + 0.1 N(0, 1), clamped to [0, 1]; 0 where M_CR,k is final
//! F     = M_F,k + 0.1 C(0, 1), drawn again where it is not above 0, at most 1
//! v     = x_i + F (x_p - x_i) + F (x_r1 - x_r2)
//! u     = v where r < CR or the coordinate is j, otherwise x_i
//! M_F   = sum w F^2 / sum w F      over those whose u is better than x_i, at the next place of the memory;
//! M_CR  = sum w CR^2 / sum w CR    w is the improvement of u over x_i
//! ```
//!
//! N is the normal distribution, C the Cauchy distribution. M_CR becomes final where all successful CR are 0.
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | H | `memory` | places of the memory | 1 to 100 | 6 |
//! | | `initial` | initial value of the memory | (0, 1] | 0.5 |
//! | T | `tournament` | neighbours from which p is chosen, at most half of all | 1 to 64 | 13 |
//! | A | `archive` | points in the archive for each individual | 0 to 10, in steps of 0.2 | 1 |
//! | | `limits` | what happens at the bounds | | midpoint |
//!
//! **Source.** R. Tanabe, A. Fukunaga, "Success-history based parameter adaptation for differential evolution", IEEE
//! CEC 2013; the memory of 6 places, the final M_CR and its mean as in their L-SHADE, "Improving the search performance
//! of SHADE using linear population size reduction", IEEE CEC 2014.
//!
//! **Deviations.**
//! * Theirs draws p from the best 11 % of the population, which requires a partial sort. The best of 13 neighbours
//!   needs no sort, and only a single draw.
//! * In their archive each replaced point overwrites a random one. Here each individual has its own place in the
//!   archive. The next point that it replaces overwrites the stored one with probability 1 / A, so points stay equally
//!   long on average. With A = 1 that took 3 to 5 % fewer evaluations on ellipsoid, Rosenbrock's, Rastrigin's and
//!   Schaffer's function in 10 and 20 dimensions.
//! * If r2 is to come from the archive, and the drawn individual has no point there, r2 is that individual itself.
//! * F is redrawn at most seven times. If it is still not above 0, in one of 10^9 cases, it is M_F.
//! * Where violations differ, w is the decrease of the violation.

use crate::boundary::{Boundary, Limits};
use crate::method::{
    Individual, Lessons, MAX_OTHERS, Memory, Method, Numbers, Own, Planning, Population, Site,
};
use crate::order::Fitness;
use crate::real::Float;
use crate::words;

/// The smallest population, as in L-SHADE.
pub const MIN_INDIVIDUALS: u32 = 4;
/// The largest tournament.
pub const MAX_TOURNAMENT: u32 = 64;
/// The largest memory.
pub const MAX_MEMORY: u32 = 100;

/// Indices of an individual's numbers: its scale factor, its crossover rate, the improvement of its trial point, and
/// which of its two places in the archive holds a point: 1, 2, or 0 for none; negative if it was there before this
/// iteration.
const SCALE_FACTOR: usize = 0;
const CROSSOVER_RATE: usize = 1;
const GAIN: usize = 2;
const PLACE: usize = 3;

/// What happens to a coordinate of a trial point that leaves its bounds.
///
/// ```
/// use warpswarm_core::shade::Rebound;
/// assert_eq!(Rebound::ALL[0], ("midpoint", Rebound::Midpoint));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rebound {
    /// It is put halfway between the bound and the individual's coordinate.
    #[default]
    Midpoint,
    /// One of the boundary modes of all methods.
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
    /// The initial value of the memory.
    pub initial: R,
    /// What happens at the bounds, unless `midpoint` is 1.
    pub limits: Limits<R>,
    /// 1 to put a coordinate outside a bound halfway between the bound and the individual's coordinate.
    pub midpoint: u32,
    /// H, places of the memory.
    pub memory: u32,
    /// T, the number of neighbours of which the best becomes p.
    pub tournament: u32,
    /// The weights with which r2 is from the population and from the archive: 1 and A, or 5 and 5 A.
    pub weights: [u32; 2],
}

/// What an individual sees of the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation<R> {
    /// M_F and M_CR
    pub means: [R; 2],
    /// p, r1, r2
    pub others: [u32; 3],
    /// j, the coordinate that is always taken from the mutant.
    pub first: u32,
    /// Whether the replaced point overwrites a point in the archive.
    pub replaces: bool,
}

/// The choices that an individual makes once for all coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan<R> {
    /// p, r1, r2
    pub others: [u32; 3],
    /// j, the coordinate that is always taken from the mutant.
    pub first: u32,
    /// Whether the replaced point overwrites a point in the archive.
    pub replaces: bool,
    /// F
    pub scale_factor: R,
    /// CR
    pub crossover_rate: R,
}

/// F from M_F and one draw, uniform in (0, 1).
#[inline(always)]
pub fn scale_factor<R: Float>(mean: R, u: R) -> R {
    let half = u * R::from_f64(0.5);
    mean - R::from_f64(0.1) * (half.cos_turns() / half.sin_turns())
}

/// CR from M_CR and two draws, uniform in (0, 1).
#[inline(always)]
pub fn crossover_rate<R: Float>(mean: R, [u, v]: [R; 2]) -> R {
    let normal = (R::from_f64(-2.0) * u.ln()).sqrt() * v.cos_turns();
    let rate = (mean + R::from_f64(0.1) * normal).clamp_to(R::ZERO, R::ONE);
    if mean < R::ZERO { R::ZERO } else { rate }
}

/// r1, distinct from `me`, and r2, distinct from both. `drawn` is uniform in 0..n - 1 and 0..n - 2.
#[inline(always)]
pub fn others(me: u32, drawn: [u32; 2]) -> [u32; 2] {
    let past = |x: u32, taken: u32| x + u32::from(x >= taken);
    let r1 = past(drawn[0], me);
    [r1, past(past(drawn[1], me.min(r1)), me.max(r1))]
}

/// The place in the archive that holds the individual's point, 1 or 2; 0 for none.
#[inline(always)]
fn place<R: Float>(numbers: &Numbers<R>) -> u32 {
    let place = numbers[PLACE];
    // The sign is removed before the cast, which would turn negative numbers into 0.
    let place = if place < R::ZERO { -place } else { place };
    (place.to_f64() as u32).min(2)
}

/// A population has at most 2^32 individuals: this is the reciprocal.
const LEAST_PART: f64 = 1.0 / (1_u64 << 32) as f64;

/// The improvement of a trial point over an individual; 0 if it is not better.
#[inline(always)]
pub fn gain<R: Float>(own: Fitness<R>, rival: Fitness<R>) -> R {
    if !rival.beats(own) {
        return R::ZERO;
    }
    let (before, after) = (own.counted(), rival.counted());
    let gain = if before == after { own.value - rival.value } else { before - after };
    // An infinite or undefined improvement becomes the largest number that can still be summed over a population.
    let most = R::MAX * R::from_f64(LEAST_PART);
    if gain < most { gain.larger(R::ZERO) } else { most }
}

impl<R: Float> Shade<R> {
    /// The index of the best of T consecutive individuals, cyclically; of equal ones the first.
    #[inline(always)]
    fn draw_best<P: Population<R>>(&self, who: &Individual<R>, population: &P) -> u32 {
        let n = who.individuals;
        let first = who.below(n, 3);
        // At most half the population, so that small populations do not always return the best.
        population.best_drawn(self.tournament.min(n / 2), |k| {
            let one = first + k;
            if one < n { one } else { one - n }
        })
    }

    /// r1 and r2, and whether the replaced point overwrites a point in the archive.
    #[inline(always)]
    fn draw_others<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
    ) -> ([u32; 2], bool) {
        let (n, [present, left]) = (who.individuals, self.weights);
        let [replaces, first] = who.below_both([left.max(1), n - 1], 1);
        let [kind, second] = who.below_both([present + left, n - 2], 2);
        let [r1, r2] = others(who.index, [first, second]);
        let place = if kind < present { 0 } else { place(&population.numbers(r2)) };
        ([r1, place * n + r2], replaces < present)
    }

    #[inline(always)]
    fn draw_scale_factor(&self, who: &Individual<R>, mean: R) -> R {
        let mut k = 1;
        while k < 5 {
            let [u, v] = who.uniform(k);
            let mut found = scale_factor(mean, u);
            if found <= R::ZERO {
                found = scale_factor(mean, v);
            }
            if found > R::ZERO {
                return found.smaller(R::ONE);
            }
            k += 1;
        }
        mean
    }
}

impl<R: Float> Method<R> for Shade<R> {
    const OWN: usize = 0;
    const NUMBERS: usize = 4;
    const OTHERS: usize = 3;
    const SHARES: bool = true;
    // Slightly above the limit: a few registers are spilled, which costs less than a third more warps gain.
    const FRUGAL: bool = true;
    const PLANNING: Planning = Planning::IndividualEach;
    type Observation = Observation<R>;
    type Plan = Plan<R>;

    words!(initial, limits, midpoint, memory, tournament, weights);

    #[inline(always)]
    fn memory(&self) -> u32 {
        2 * self.memory + 1
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
    fn observe<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
        _: &mut Numbers<R>,
    ) -> Observation<R> {
        let [k, first] = who.below_both([self.memory, who.dimensions], 0);
        let means = [population.remembered(k), population.remembered(self.memory + k)];
        let ([r1, r2], replaces) = self.draw_others(who, population);
        Observation { means, others: [self.draw_best(who, population), r1, r2], first, replaces }
    }

    #[inline(always)]
    fn plan(&self, who: &Individual<R>, seen: Observation<R>, _: &mut Numbers<R>) -> Plan<R> {
        let [mean, rate] = seen.means;
        Plan {
            others: seen.others,
            first: seen.first,
            replaces: seen.replaces,
            scale_factor: self.draw_scale_factor(who, mean),
            crossover_rate: crossover_rate(rate, who.uniform(0)),
        }
    }

    #[inline(always)]
    fn mapped(plan: Plan<R>, word: impl Fn(u32) -> u32, number: impl Fn(R) -> R) -> Plan<R> {
        let [best, r1, r2] = plan.others;
        Plan {
            others: [word(best), word(r1), word(r2)],
            first: word(plan.first),
            replaces: word(u32::from(plan.replaces)) != 0,
            scale_factor: number(plan.scale_factor),
            crossover_rate: number(plan.crossover_rate),
        }
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
            // Each is halved before the addition, so that the sum cannot overflow.
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
        plan: &Plan<R>,
        proposal: Fitness<R>,
        numbers: &mut Numbers<R>,
    ) -> bool {
        numbers[SCALE_FACTOR] = plan.scale_factor;
        numbers[CROSSOVER_RATE] = plan.crossover_rate;
        numbers[GAIN] = gain(who.fitness, proposal);
        let place = place(numbers);
        let leaves = self.weights[1] > 0 && numbers[GAIN] > R::ZERO;
        numbers[PLACE] = if leaves && (plan.replaces || place == 0) {
            R::from_u32(if place == 1 { 2 } else { 1 })
        } else {
            -R::from_u32(place)
        };
        !who.fitness.beats(proposal)
    }

    #[inline(always)]
    fn leaves(&self, numbers: &Numbers<R>) -> u32 {
        if numbers[PLACE] > R::ZERO { place(numbers) } else { 0 }
    }

    #[inline(always)]
    fn lesson(&self, numbers: &Numbers<R>) -> Lessons<R> {
        let [scale_factor, rate, gain, _] = *numbers;
        let (of_factor, of_rate) = (gain * scale_factor, gain * rate);
        [of_factor * scale_factor, of_factor, of_rate * rate, of_rate]
    }

    #[inline(always)]
    fn learn<T: Memory<R>>(&self, sums: Lessons<R>, memory: &mut T) {
        let [factors_squared, factors, rates_squared, rates] = sums;
        if factors <= R::ZERO {
            return;
        }
        let place = (memory.get(2 * self.memory).to_f64() as u32).min(self.memory - 1);
        let is_final = memory.get(self.memory + place) < R::ZERO || rates <= R::ZERO;
        memory.set(place, factors_squared / factors);
        memory.set(self.memory + place, if is_final { -R::ONE } else { rates_squared / rates });
        let next = if place + 1 < self.memory { place + 1 } else { 0 };
        memory.set(2 * self.memory, R::from_u32(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Fitnesses;
    use crate::method::tests::{Still, feasible, individual};
    use std::collections::{BTreeMap, BTreeSet};
    use std::vec::Vec;

    const SHADE: Shade<f64> = Shade {
        initial: 0.5,
        limits: Limits { correction: 0.22, boundary: Boundary::Clamp },
        midpoint: 1,
        memory: 2,
        tournament: 3,
        weights: [1, 1],
    };

    /// A third of all Cauchy-distributed numbers is below -1/sqrt(3), two thirds are below 1/sqrt(3).
    #[test]
    fn draws_by_hand() {
        let close = |x: f64, expected: f64| assert!((x - expected).abs() < 1e-14, "{x}");
        close(scale_factor(0.5, 0.5), 0.5);
        close(scale_factor(0.5, 1.0 / 3.0), 0.5 - 0.1 / 3.0_f64.sqrt());
        close(scale_factor(0.5, 2.0 / 3.0), 0.5 + 0.1 / 3.0_f64.sqrt());
        // The radius is 2 for u = e^-2; the cosine of half a turn is -1.
        close(crossover_rate(0.5, [(-2.0_f64).exp(), 0.5]), 0.3);
        close(crossover_rate(0.9, [(-2.0_f64).exp(), 1.0]), 1.0);
        close(crossover_rate(-1.0, [(-2.0_f64).exp(), 1.0]), 0.0);
    }

    #[test]
    fn others_are_distinct_and_each_pair_comes_up_once() {
        for n in [4, 5, 7] {
            for me in 0..n {
                let mut seen = BTreeSet::new();
                for a in 0..n - 1 {
                    for b in 0..n - 2 {
                        let [r1, r2] = others(me, [a, b]);
                        assert!(r1 < n && r2 < n && r1 != me && r2 != me && r1 != r2);
                        seen.insert((r1, r2));
                    }
                }
                assert_eq!(seen.len() as u32, (n - 1) * (n - 2));
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
            let most = f64::MAX * LEAST_PART;
            assert_eq!(gain(feasible(worst), feasible(1.0)), most);
            assert_eq!(gain(of(worst, 0.0), feasible(1.0)), most);
        }
    }

    #[test]
    fn mutants_by_hand() {
        let plan = Plan {
            others: [0, 1, 2],
            first: 0,
            replaces: true,
            scale_factor: 0.5,
            crossover_rate: 0.0,
        };
        let propose = |shade: Shade<f64>, others, draw, first| {
            let draws = [[draw, 0.5], [0.5; 2], [0.5; 2]];
            let site =
                Still { public: 1.0, others, bounds: (-2.0, 4.0), draws, ..Still::default() };
            shade.propose(&Plan { first, crossover_rate: 0.3, ..plan }, &site).0
        };
        // 1 + (3 - 1) / 2 + (2 - 1) / 2 if the draw is below the rate or the coordinate is j.
        assert_eq!(propose(SHADE, [3.0, 2.0, 1.0], 0.2, 1), 2.5);
        assert_eq!(propose(SHADE, [3.0, 2.0, 1.0], 0.4, 1), 1.0);
        assert_eq!(propose(SHADE, [3.0, 2.0, 1.0], 0.4, 0), 2.5);
        // Halfway from 1 to either bound; otherwise the boundary mode applies.
        assert_eq!(propose(SHADE, [3.0, 9.0, 1.0], 0.2, 1), 2.5);
        assert_eq!(propose(SHADE, [3.0, -9.0, 1.0], 0.2, 1), -0.5);
        assert_eq!(propose(Shade { midpoint: 0, ..SHADE }, [3.0, 9.0, 1.0], 0.2, 1), 4.0);
    }

    /// The replaced point goes to the other of the two places, or is dropped if a stored point is not to be
    /// overwritten.
    #[test]
    fn a_rival_that_is_as_good_takes_the_place_and_teaches_nothing() {
        let who = individual(feasible(2.0));
        let plan = |replaces| Plan {
            others: [0, 1, 2],
            first: 0,
            replaces,
            scale_factor: 0.5,
            crossover_rate: 0.0,
        };
        for (value, accepted, gain, replaces, places) in [
            (1.5, true, 0.5, true, [1.0, 2.0, 1.0]),
            (1.5, true, 0.5, false, [1.0, -1.0, -2.0]),
            (2.0, true, 0.0, true, [0.0, -1.0, -2.0]),
            (3.0, false, 0.0, true, [0.0, -1.0, -2.0]),
        ] {
            for (before, after) in [0.0, 1.0, 2.0].into_iter().zip(places) {
                for before in [before, -before] {
                    let mut numbers = [0.9, 0.8, 7.0, before];
                    let plan = plan(replaces);
                    assert_eq!(SHADE.accept(&who, &plan, feasible(value), &mut numbers), accepted);
                    assert_eq!(numbers, [plan.scale_factor, plan.crossover_rate, gain, after]);
                    assert_eq!(SHADE.leaves(&numbers), after.max(0.0) as u32);
                    let mut without = [0.5, 0.25, 7.0, 0.0];
                    let shade = Shade { weights: [1, 0], ..SHADE };
                    shade.accept(&who, &plan, feasible(value), &mut without);
                    assert_eq!((without[3], shade.leaves(&without)), (0.0, 0));
                }
            }
        }
    }

    struct Remembered(Vec<f64>);

    impl Memory<f64> for Remembered {
        fn get(&self, k: u32) -> f64 {
            self.0[k as usize]
        }
        fn set(&mut self, k: u32, number: f64) {
            self.0[k as usize] = number;
        }
    }

    #[test]
    fn what_succeeds_is_remembered() {
        let first: Vec<f64> =
            (0..Method::<f64>::memory(&SHADE)).map(|k| SHADE.first_remembered(k)).collect();
        assert_eq!(first, [0.5, 0.5, 0.5, 0.5, 0.0]);
        let mut memory = Remembered(first);
        let mut learn = |individuals: &[Numbers<f64>]| {
            let mut sums = [0.0; 4];
            for numbers in individuals {
                let lesson = SHADE.lesson(numbers);
                sums.iter_mut().zip(lesson).for_each(|(sum, part)| *sum += part);
            }
            SHADE.learn(sums, &mut memory);
            memory.0.clone()
        };
        let found = learn(&[[0.5, 0.25, 3.0, 1.0], [0.9, 0.9, 0.0, 0.0], [1.0, 0.5, 1.0, 2.0]]);
        // (3/4 1/4 + 1/4 1) / (3/4 1/2 + 1/4 1) and (3/4 1/16 + 1/4 1/4) / (3/4 1/4 + 1/4 1/2)
        let expected = [0.4375 / 0.625, 0.5, 0.109375 / 0.3125, 0.5, 1.0];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        // If all crossover rates are 0, M_CR becomes final; the next place is the first again.
        assert_eq!(learn(&[[0.25, 0.0, 1.0, 1.0]])[1..], [0.25, found[2], -1.0, 0.0]);
        learn(&[[0.75, 0.5, 2.0, 1.0]]);
        assert_eq!(learn(&[[0.75, 0.5, 2.0, 1.0]]), [0.75, 0.75, 0.5, -1.0, 0.0]);
        // Without a success nothing changes.
        assert_eq!(learn(&[[0.1, 0.1, 0.0, 1.0]]), [0.75, 0.75, 0.5, -1.0, 0.0]);
    }

    /// Ten individuals. The later ones are better, and the first two have points in the archive.
    struct Few;

    impl Fitnesses<f64> for Few {
        fn fitness(&self, individual: u32) -> Fitness<f64> {
            feasible(-f64::from(individual))
        }
    }

    impl Population<f64> for Few {
        fn numbers(&self, individual: u32) -> Numbers<f64> {
            let place = if individual < 2 { -f64::from(individual + 1) } else { 0.0 };
            [0.0, 0.0, 0.0, place]
        }
        fn remembered(&self, k: u32) -> f64 {
            [0.25, 0.75, 0.1, -1.0, 0.0][k as usize]
        }
        fn squared_distance(&self, _: u32, _: u32) -> f64 {
            0.0
        }
    }

    #[test]
    fn individuals_see_a_pair_of_the_memory_one_of_the_best_and_what_others_left() {
        let (mut means, mut bests, mut left) = (BTreeMap::new(), [0_i32; 10], BTreeMap::new());
        let mut factors = Vec::new();
        for iteration in 1..4000 {
            let who = Individual { iteration, ..individual(feasible(1.0)) };
            let mut numbers = [0.0, 0.0, 0.0, 2.0];
            let looked = SHADE.observe(&who, &Few, &mut numbers);
            let plan = SHADE.plan(&who, looked, &mut numbers);
            assert_eq!(numbers, [0.0, 0.0, 0.0, 2.0]);
            assert!(plan.scale_factor > 0.0 && plan.scale_factor <= 1.0);
            assert!((0.0..=1.0).contains(&plan.crossover_rate));
            let [best, r1, r2] = plan.others;
            assert!(r1 < 10 && r1 != r2 && r1 != 0 && r2 != 0 && plan.first < 2);
            let [mean, rate] = looked.means;
            assert!((mean, rate) == (0.25, 0.1) || (mean, rate) == (0.75, -1.0));
            assert!(rate > 0.0 || plan.crossover_rate == 0.0);
            *means.entry(mean.to_bits()).or_insert(0) += 1;
            bests[best as usize] += 1;
            if r2 >= 10 {
                *left.entry(r2).or_insert(0) += 1;
            }
            factors.push(plan.scale_factor - mean);
        }
        assert!(means.values().all(|&count| (1800..2200).contains(&count)), "{means:?}");
        // Of ten windows of three, three contain the last individual, and one contains the second to last without it.
        let expected = [0, 0, 400, 400, 400, 400, 400, 400, 400, 1200];
        for (found, expected) in bests.into_iter().zip(expected) {
            assert!((found - expected).abs() < 110 && (found > 0) == (expected > 0), "{bests:?}");
        }
        // Half of all r2 are to be from the archive, a ninth of which mean the only other with a point, in its second
        // place.
        assert_eq!(left.keys().copied().collect::<Vec<u32>>(), [21]);
        assert!((180..270).contains(&left[&21]), "{left:?}");
        // Of 18 r2, 13 are from the archive, whose points stay as long on average as in one that is 2.6 times as large.
        let many = Shade { weights: [5, 13], ..SHADE };
        let seen = (1..4000).map(|iteration| {
            let who = Individual { iteration, ..individual(feasible(1.0)) };
            many.observe(&who, &Few, &mut [0.0; 4])
        });
        let (replacing, of_archive) = seen.fold((0, 0), |(a, b), seen| {
            (a + u32::from(seen.replaces), b + u32::from(seen.others[2] >= 10))
        });
        assert!((1440..1640).contains(&replacing), "{replacing}");
        // A ninth of 13/18, as above.
        assert!((260..385).contains(&of_archive), "{of_archive}");
        // A quarter of all Cauchy-distributed numbers is above 1, minus those cut off at the ends.
        let above = factors.iter().filter(|&&x| x > 0.1).count();
        assert!((900..1200).contains(&above), "{above}");
    }
}
