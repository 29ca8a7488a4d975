//! How results are compared: by (violation, value, index), NaN last.
//!
//! A feasible point (violation 0) beats every infeasible one. Of two infeasible points the one with the smaller
//! violation wins, with equal violations the smaller value, and with equal values the lower index. This is Deb's
//! feasibility rule. The order is total: every reduction over a population, in any order, finds the same best
//! individual.
//!
//! A run may relax the constraints for a while: if its *level* is above zero, violations up to the level count as none,
//! and such points are compared by value. This is the epsilon-constrained method. A violation that counts as none is
//! stored as its negative. So comparisons need no level, and nothing is lost when the level falls.
//!
//! One of [`STRICT_EVERY`] individuals always has level zero: it searches for the feasible region, or stays in it,
//! while the others search where the level allows it. So when the level falls to zero, there are still differences
//! between individuals that reach into the feasible region.
//!
//! **Sources.** K. Deb, "An efficient constraint handling method for genetic algorithms", Computer Methods in Applied
//! Mechanics and Engineering 186, 2000. T. Takahama and S. Sakai, "Constrained optimization by the epsilon constrained
//! differential evolution with gradient-based mutation and feasible elites", IEEE CEC 2006.

use crate::real::{Float, Real};

/// The last of this many consecutive individuals is compared at level zero, whatever the run's level.
///
/// The measurements are where levels fall, in the host's `optimiser::epsilon_level`.
pub const STRICT_EVERY: u32 = 8;

/// Whether an individual is compared at level zero, whatever the run's level.
///
/// ```
/// use warpswarm_core::order::is_strict;
/// let strict: Vec<u32> = (0..20).filter(|&individual| is_strict(individual)).collect();
/// assert_eq!(strict, [7, 15]);
/// ```
#[inline(always)]
pub fn is_strict(individual: u32) -> bool {
    individual % STRICT_EVERY == STRICT_EVERY - 1
}

/// The level of an individual in a run at this level: zero for a [strict](is_strict) individual.
///
/// ```
/// use warpswarm_core::order::level_of;
/// assert_eq!([6, 7, 8].map(|individual| level_of(0.5, individual)), [0.5, 0.0, 0.5]);
/// ```
#[inline(always)]
pub fn level_of<R: Real>(level: R, individual: u32) -> R {
    if is_strict(individual) { R::ZERO } else { level }
}

/// The result of an evaluation.
///
/// ```
/// use warpswarm_core::Fitness;
/// let fitness = |violation, value| Fitness::<f64> { violation, value };
/// assert!(fitness(0.0, 9.0).beats(fitness(0.5, 1.0)), "the one that is feasible");
/// assert!(fitness(0.5, 9.0).beats(fitness(0.6, 1.0)), "the one that is nearly so");
/// assert!(fitness(0.0, 1.0).beats(fitness(0.0, f64::NAN)), "the one that is a number");
/// assert!(!fitness(0.0, -0.0).beats(fitness(0.0, 0.0)));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitness<R> {
    /// The total constraint violation, zero if the point is feasible. In the state of a run it is negative if the run's
    /// [level](Fitness::within) makes it count as none; an evaluation's negative violation is treated as zero.
    pub violation: R,
    /// The objective's value.
    pub value: R,
}

impl<R: Real> Fitness<R> {
    /// The fitness that every other one beats or equals.
    pub const WORST: Self = Fitness { violation: R::NAN, value: R::NAN };

    /// The fitness as stored at this level, which is at least 0: a violation up to the level becomes its negative, and
    /// a negative one becomes zero.
    ///
    /// ```
    /// use warpswarm_core::Fitness;
    /// let near = Fitness { violation: 0.25_f64, value: 1.0 };
    /// let feasible = Fitness { violation: 0.0, value: 2.0 };
    /// assert!(feasible.beats(near) && near.within(0.5).beats(feasible) && feasible.beats(near.within(0.1)));
    /// assert_eq!(near.within(0.5).exact(), near);
    /// ```
    #[inline(always)]
    pub fn within(self, level: R) -> Self {
        let violation = if self.violation <= R::ZERO {
            R::ZERO
        } else if self.violation <= level {
            R::ZERO - self.violation
        } else {
            self.violation
        };
        Fitness { violation, ..self }
    }

    /// The fitness with its true violation, independent of the level.
    #[inline(always)]
    pub fn exact(self) -> Self {
        let violation =
            if self.violation < R::ZERO { R::ZERO - self.violation } else { self.violation };
        Fitness { violation, ..self }
    }

    /// A fitness at the run's level, as an individual stores it: exact for a [strict](is_strict) individual.
    ///
    /// ```
    /// use warpswarm_core::Fitness;
    /// use warpswarm_core::order::level_of;
    /// let near = Fitness { violation: 0.25_f64, value: 1.0 };
    /// for individual in 0..20 {
    ///     let judged = near.within(level_of(0.5, individual));
    ///     assert_eq!(near.within(0.5).judged_by(individual), judged);
    /// }
    /// ```
    #[inline(always)]
    pub fn judged_by(self, individual: u32) -> Self {
        if is_strict(individual) { self.exact() } else { self }
    }

    /// The violation for comparisons: negative ones count as zero.
    #[inline(always)]
    pub fn counted(self) -> R {
        if self.violation < R::ZERO { R::ZERO } else { self.violation }
    }

    /// Whether this fitness strictly beats `other`: the same as comparing [`ordered`](Fitness::ordered), with fewer
    /// instructions.
    #[inline(always)]
    pub fn beats(self, other: Self) -> bool {
        let (own, others) = (self.counted(), other.counted());
        precedes(own, others) || (!precedes(others, own) && precedes(self.value, other.value))
    }

    /// Whether violation and value are both NaN, as in [`WORST`](Fitness::WORST), which stands for a missing
    /// evaluation.
    #[inline(always)]
    pub fn is_worst(self) -> bool {
        self.violation.is_nan() & self.value.is_nan()
    }

    /// Whether value and violation are finite.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.violation.is_finite() & self.value.is_finite()
    }

    /// The same fitness with every NaN replaced by one canonical NaN and -0 by +0, so that equal fitnesses have equal
    /// bits.
    #[inline(always)]
    pub fn canonical(self) -> Self {
        let canonical = |x: R| if x.is_nan() { R::NAN } else { x + R::ZERO };
        Fitness { violation: canonical(self.violation), value: canonical(self.value) }
    }
}

impl<R: Float> Fitness<R> {
    /// Integers in the order of fitnesses: of the violation for comparisons, then of the value.
    #[inline(always)]
    pub fn ordered(self) -> (u64, u64) {
        (self.counted().ordered(), self.value.ordered())
    }

    /// Integers of violation and value, from which [`keyed_fitness`](crate::launch::keyed_fitness) restores the
    /// fitness; [`counted_key`] turns the first into that of [`ordered`](Fitness::ordered).
    #[inline(always)]
    pub fn keys(self) -> (u64, u64) {
        (self.violation.ordered(), self.value.ordered())
    }
}

/// The [key](Fitness::keys) of the violation for comparisons, from the key of a violation.
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_core::order::counted_key;
/// let near = Fitness { violation: 0.25_f32, value: 1.0 }.within(0.5);
/// assert_eq!((counted_key::<f32>(near.keys().0), near.keys().1), near.ordered());
/// assert_ne!(near.keys(), near.ordered());
/// ```
#[inline(always)]
pub fn counted_key<R: Float>(violation: u64) -> u64 {
    violation.max(R::ZERO.ordered())
}

/// Whether `a` comes before `b`: it is smaller, or `b` is NaN and `a` is not.
#[inline(always)]
fn precedes<R: Real>(a: R, b: R) -> bool {
    a < b || (b.is_nan() && !a.is_nan())
}

/// A fitness with the index of its individual: the total order of a population.
///
/// ```
/// use warpswarm_core::order::{Candidate, Fitness};
/// let of = |value, index| Candidate::<f32>::new(Fitness { violation: 0.0, value }, index);
/// let all = [of(2.0, 0), of(1.0, 1), of(1.0, 2)];
/// // Of equals the first, from wherever one begins.
/// assert_eq!(all.into_iter().fold(Candidate::NONE, Candidate::better).index, 1);
/// assert_eq!(all.into_iter().rev().fold(Candidate::NONE, Candidate::better).index, 1);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate<R> {
    /// The individual's fitness.
    pub fitness: Fitness<R>,
    /// The individual's index in its population.
    pub index: u32,
    /// Unused, so that the layout has no padding.
    pub reserved: u32,
}

impl<R: Real> Candidate<R> {
    /// A candidate that every other one beats: the identity of [`better`](Candidate::better).
    pub const NONE: Self = Candidate { fitness: Fitness::WORST, index: u32::MAX, reserved: 0 };

    /// The candidate of individual `index`.
    #[inline(always)]
    pub fn new(fitness: Fitness<R>, index: u32) -> Self {
        Candidate { fitness, index, reserved: 0 }
    }

    /// Whether this candidate comes before `other` in (violation, value, index).
    #[inline(always)]
    pub fn beats(self, other: Self) -> bool {
        let (a, b) = (self.fitness, other.fitness);
        a.beats(b) || (!b.beats(a) && self.index < other.index)
    }

    /// The better of two candidates.
    #[inline(always)]
    pub fn better(self, other: Self) -> Self {
        if other.beats(self) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn keys_order_as_the_contract_says() {
        fn check<R: Float>() {
            let tiny = R::from_f64(1e-30);
            let line =
                [-R::INFINITY, -R::MAX, -R::ONE, -tiny, R::ZERO, tiny, R::ONE, R::MAX, R::INFINITY];
            let keys: Vec<u64> = line.iter().map(|x| x.ordered()).collect();
            assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
            for x in line {
                assert_eq!(R::from_ordered(x.ordered()).to_bits64(), x.to_bits64());
            }
            assert_eq!((-R::ZERO).ordered(), R::ZERO.ordered());
            let nan = R::from_bits64((-R::NAN).to_bits64() | 1);
            assert_eq!(nan.ordered(), R::NAN.ordered());
            assert!(nan.ordered() > R::INFINITY.ordered());
            assert_eq!(R::from_ordered(nan.ordered()).to_bits64(), R::NAN.to_bits64());
        }
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn comparing_is_comparing_keys() {
        let numbers = [f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-40, 2.0, f32::INFINITY, f32::NAN];
        let all = numbers.map(|violation| numbers.map(|value| Fitness { violation, value }));
        for a in all.as_flattened() {
            for b in all.as_flattened() {
                assert_eq!(a.beats(*b), a.ordered() < b.ordered(), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn feasibility_then_value_then_index() {
        let candidate =
            |violation: f64, value: f64, index| Candidate::new(Fitness { violation, value }, index);
        let line = [
            candidate(0.0, f64::NEG_INFINITY, 9),
            candidate(0.0, -1.0, 3),
            candidate(-0.0, -1.0, 4),
            candidate(0.0, f64::NAN, 0),
            candidate(0.5, -100.0, 1),
            candidate(f64::NAN, -100.0, 2),
            Candidate::NONE,
        ];
        for pair in line.windows(2) {
            assert!(pair[0].beats(pair[1]) && !pair[1].beats(pair[0]), "{pair:?}");
            assert_eq!(pair[0].better(pair[1]).index, pair[0].index);
            assert_eq!(pair[1].better(pair[0]).index, pair[0].index);
        }
        assert!(!Candidate::<f32>::NONE.beats(Candidate::NONE));
    }
}
