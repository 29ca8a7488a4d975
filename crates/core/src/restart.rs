//! Runs that restart after convergence: the state of a run between restarts, and the choice of the next restart.
//!
//! **Idea.** A run is a sequence of *legs*. When a leg has converged, the next one starts elsewhere, with independent
//! draws. For CMA-ES it has twice as many samples in a generation (IPOP), or alternately many and few (BIPOP).
//!
//! **Source.** A. Auger, N. Hansen, A restart CMA evolution strategy with increasing population size, IEEE CEC 2005; N.
//! Hansen, Benchmarking a bi-population CMA-ES on the BBOB-2009 function testbed, GECCO 2009.

use crate::random::{Draw, Purpose, RunKey, Stream};
use crate::real::Float;

/// What a search does in a leg.
pub mod regime {
    /// CMA-ES with the first number of samples or, after a large leg, any number between the first and the large one.
    pub const SMALL: u32 = 0;
    /// CMA-ES with twice as many samples as the last large leg.
    pub const LARGE: u32 = 1;
    /// SHADE.
    pub const SHADE: u32 = 2;
}

/// Evaluations, for each dimension, by which CMA-ES is to be ahead of SHADE.
///
/// Measured on BBOB, 15 instances, share of COCO's targets after 1,000 D and 10,000 D evaluations in 5, 10 and 20
/// dimensions (2026-11-26): 500 ahead 66.4 and 88.9 %, 57.9 and 80.4 %, 51.7 and 74.8 %; 1,000 ahead 67.4 and 88.7 %,
/// 59.4 and 80.7 %, 52.8 and 74.1 %; 2,000 ahead 67.4 and 88.3 %, 59.4 and 80.6 %, 52.8 and 74.5 %.
pub const AHEAD: u64 = 1000;
/// Evaluations, for each dimension, by which SHADE is to be ahead of CMA-ES, once a point has violated a constraint.
pub const AHEAD_CONSTRAINED: u64 = 10_000;
/// Iterations between two tests for convergence.
pub const CHECK_INTERVAL: u64 = 32;
/// Iterations between two tests for methods that restart: each test interrupts a GPU.
pub const METHOD_CHECK_INTERVAL: u64 = 128;
/// A leg of a method ends when it has not improved for this many iterations and for half of its iterations.
const PATIENCE: u64 = 500;
/// Doubling stops at this many samples, and where the samples would have this many coordinates in all.
const MOST_SAMPLES: u32 = 65_536;
const MOST_PLACES: u32 = 1 << 20;

/// The state of a search in its *legs*. A leg lasts from the placement of the first points to convergence, with its own
/// draws.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RestartState {
    /// The number of this leg among all legs of the run, from 0.
    pub number: u64,
    /// The iteration of the run in which it was placed, plus the iterations in which it has waited since.
    pub began: u64,
    /// Evaluations of all legs of this search.
    pub evaluations: u64,
    /// Evaluations of the legs that have ended: of small and of large ones.
    pub spent: [u64; 2],
    /// The leg ends when the search has done this many evaluations; 0 for no limit.
    pub limit: u64,
    /// Evaluations by which this search is to be ahead of the other one, if there are two.
    pub ahead: u64,
    /// What this search does in the leg: a code of [`regime`].
    pub regime: u32,
    /// How often the number of samples has been doubled.
    pub doubled: u32,
    /// Points in a generation of this leg.
    pub individuals: u32,
    /// Whether the leg is still to be placed; until then the points are those of the previous leg.
    pub is_new: bool,
}

impl RestartState {
    /// The next leg of a method, placed in this iteration of the run.
    pub fn begun_anew(self, iteration: u64) -> Self {
        RestartState { number: self.number + 1, began: iteration, is_new: false, ..self }
    }
}

/// What comes after a leg of CMA-ES.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restarts {
    /// No next leg: the search continues after convergence.
    Never,
    /// A leg with twice as many samples.
    Ipop,
    /// A leg with twice as many samples, or a small one, so that both kinds take equally many evaluations.
    Bipop,
}

/// The rules by which legs of CMA-ES follow each other.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestartPolicy<R> {
    /// The first step size, as a fraction of the ranges.
    pub step: R,
    /// What comes after a leg.
    pub restarts: Restarts,
    /// The number of samples of the first leg.
    pub individuals: u32,
    /// Whether the worse samples update the matrix with negative weights.
    pub active: bool,
}

impl<R: Float> RestartPolicy<R> {
    /// The samples of a large leg after `doubled` doublings; at least as many as in the first leg.
    #[inline(always)]
    pub fn large(&self, doubled: u32, stride: u32) -> u32 {
        let most = MOST_SAMPLES.min(MOST_PLACES / stride.max(1)).max(self.individuals);
        let wanted = u64::from(self.individuals) << doubled.min(31);
        wanted.min(u64::from(most)) as u32
    }

    /// Whether the leg ends, when the search has done this many evaluations; `goes_on` is false after convergence.
    #[inline(always)]
    pub fn ends(&self, evaluations: u64, limit: u64, goes_on: bool) -> bool {
        let is_over = limit > 0 && evaluations >= limit;
        self.restarts != Restarts::Never && (!goes_on || is_over)
    }

    /// Chooses the leg after one that has ended. It is leg `number` of the run. SHADE restarts with unchanged settings.
    #[inline(always)]
    pub fn next(
        &self,
        legs: RestartState,
        (key, stride): (RunKey, u32),
        number: u64,
    ) -> RestartState {
        let mut next = RestartState { number, limit: 0, is_new: true, ..legs };
        if legs.regime == regime::SHADE {
            return next;
        }
        let ended = legs.evaluations - legs.spent[0] - legs.spent[1];
        let is_small = legs.regime == regime::SMALL;
        let [small, large] = legs.spent;
        let (small, large) = if is_small { (small + ended, large) } else { (small, large + ended) };
        next.spent = [small, large];
        if self.restarts == Restarts::Bipop && small < large {
            next.regime = regime::SMALL;
            let first = R::from_u32(self.individuals);
            let times = R::from_u32(self.large(legs.doubled, stride)) / first;
            let [_, v] = drawn_before::<R>(key, number);
            next.individuals = ((first * times.pow(v * v)).to_f64() as u32).max(self.individuals);
            next.limit = legs.evaluations + large / 2;
        } else {
            next.regime = regime::LARGE;
            next.doubled += 1;
            next.individuals = self.large(next.doubled, stride);
        }
        next
    }

    /// The first step size of a leg, as a fraction of the ranges.
    #[inline(always)]
    pub fn first_step(&self, legs: &RestartState, key: RunKey) -> R {
        if legs.regime != regime::SMALL || legs.number == 0 {
            return self.step;
        }
        // From a hundredth of it to all of it: 10^-2u.
        let [u, _] = drawn_before::<R>(key, legs.number);
        self.step * (u * R::from_f64(-4.605170185988091)).exp()
    }
}

/// How often a run has restarted: the number of legs that have been placed, without the first leg of each search.
pub fn restarts(own: &RestartState, other: Option<&RestartState>) -> u64 {
    if own.individuals == 0 {
        // A method counts a leg when it is placed.
        return own.number;
    }
    let legs = || other.into_iter().chain([own]);
    let all = legs().map(|legs| legs.number).max().unwrap_or(0) + 1;
    // Searches count a leg when the previous one ends; the first leg of SHADE is number 1.
    let is_first = |legs: &RestartState| legs.regime == regime::SHADE && legs.number == 1;
    let waiting = legs().filter(|legs| legs.is_new && !is_first(legs)).count();
    all - (legs().count() + waiting) as u64
}

/// Whether the other of two searches is to continue. `age` counts the iterations of the present leg of this search, and
/// `individuals` is the number of individuals in a generation of SHADE.
#[inline(always)]
pub fn is_others_turn(
    own: &RestartState,
    others: &RestartState,
    age: u64,
    individuals: u32,
) -> bool {
    let own_lead = own.evaluations.saturating_add(others.ahead);
    let lead = own_lead.saturating_sub(others.evaluations.saturating_add(own.ahead));
    if own.regime == regime::SHADE {
        return (own.is_new || age.is_multiple_of(CHECK_INTERVAL)) && lead > 0;
    }
    // A search that is to be ahead first converges once, however long that takes.
    let is_first = own.number == 0 && own.ahead > 0;
    !is_first && lead > CHECK_INTERVAL * u64::from(individuals)
}

/// Whether the violations of a population are equal, and its values equal in three quarters of the digits of the
/// precision. Each pair is the smallest and the largest.
#[inline(always)]
pub fn is_one_value<R: Float>(violations: (R, R), (least, most): (R, R)) -> bool {
    let size = least.abs().larger(most.abs());
    violations.0 == violations.1 && most - least <= size * three_quarters()
}

/// Whether a coordinate, from the smallest to the largest in a population, is equal in as many digits of its range.
#[inline(always)]
pub fn is_one_place<R: Float>((least, most): (R, R), (lower, upper): (R, R)) -> bool {
    most - least <= (upper - lower) * three_quarters()
}

/// Whether a leg of a method has stagnated, at this age in iterations, with the last improvement at `improved_at`.
#[inline(always)]
pub fn has_stalled(age: u64, improved_at: u64) -> bool {
    age.saturating_sub(improved_at) > PATIENCE.max(age / 2)
}

/// The relative distance of two numbers that agree in three quarters of the digits of the precision.
#[inline(always)]
fn three_quarters<R: Float>() -> R {
    let root = R::HALF_EPSILON.sqrt();
    root * root.sqrt()
}

/// Two numbers uniform in (0, 1) that a leg draws before it starts.
#[inline(always)]
fn drawn_before<R: Float>(key: RunKey, number: u64) -> [R; 2] {
    Draw::both(Stream::new(key.of_leg(number), Purpose::Choice, 0, 0).draws_of::<R>(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IPOP: RestartPolicy<f64> =
        RestartPolicy { step: 0.5, restarts: Restarts::Ipop, individuals: 10, active: true };
    const FIRST: RestartState = RestartState {
        number: 0,
        began: 0,
        evaluations: 300,
        spent: [0, 0],
        limit: 0,
        ahead: 0,
        regime: regime::SMALL,
        doubled: 0,
        individuals: 10,
        is_new: false,
    };

    fn key() -> RunKey {
        RunKey::new(1, 2)
    }

    #[test]
    fn samples_are_doubled_up_to_a_limit() {
        let large = |doubled, stride| IPOP.large(doubled, stride);
        assert_eq!([0, 1, 5].map(|doubled| large(doubled, 4)), [10, 20, 320]);
        assert_eq!([large(40, 4), large(40, 64)], [65_536, 16_384]);
        assert_eq!(RestartPolicy { individuals: 100_000, ..IPOP }.large(3, 64), 100_000);
    }

    #[test]
    fn legs_follow_each_other() {
        let next = IPOP.next(FIRST, (key(), 4), 1);
        assert_eq!((next.number, next.individuals, next.is_new), (1, 20, true));
        assert_eq!((next.spent, next.regime), ([300, 0], regime::LARGE));
        let bipop = RestartPolicy { restarts: Restarts::Bipop, ..IPOP };
        // Large legs first have to take as many evaluations.
        let large = bipop.next(FIRST, (key(), 4), 1);
        assert_eq!(large, next);
        let ended = RestartState { evaluations: 1300, is_new: false, ..large };
        let small = bipop.next(ended, (key(), 4), 2);
        assert_eq!((small.regime, small.spent), (regime::SMALL, [300, 1000]));
        assert_eq!((small.limit, small.doubled), (1300 + 500, 1));
        assert!((10..=20).contains(&small.individuals));
        let step = bipop.first_step(&small, key());
        assert!((0.005..=0.5).contains(&step) && step != 0.5);
        assert_eq!([FIRST, large].map(|legs| bipop.first_step(&legs, key())), [0.5, 0.5]);
        let shade = RestartState { regime: regime::SHADE, limit: 7, ..FIRST };
        let again = IPOP.next(shade, (key(), 4), 3);
        assert_eq!(again, RestartState { number: 3, limit: 0, is_new: true, ..shade });
    }

    #[test]
    fn restarts_are_legs_that_have_been_placed_after_the_first() {
        let leg = |number, is_new| RestartState { number, is_new, ..FIRST };
        let shade = |number, is_new| RestartState { regime: regime::SHADE, ..leg(number, is_new) };
        assert_eq!(
            [leg(0, false), leg(1, true), leg(1, false)].map(|own| restarts(&own, None)),
            [0, 0, 1]
        );
        let both = |own, other| restarts(&own, Some(&other));
        assert_eq!(both(leg(0, false), shade(1, true)), 0);
        assert_eq!(both(leg(2, true), shade(1, true)), 0);
        assert_eq!(both(leg(2, false), shade(1, true)), 1);
        assert_eq!(both(shade(3, true), leg(2, false)), 1);
        assert_eq!(both(shade(3, false), leg(2, false)), 2);
        // A leg of a method that is to restart.
        assert_eq!(restarts(&RestartState { individuals: 0, ..leg(4, true) }, None), 4);
    }

    #[test]
    fn a_leg_stalls_after_half_of_its_life() {
        assert!(!has_stalled(500, 0) && has_stalled(501, 0));
        assert!(!has_stalled(3000, 1500) && has_stalled(3001, 1500));
        // An improvement that is recorded late is not a stall.
        assert!(!has_stalled(5, 9));
    }

    #[test]
    fn legs_end_by_themselves_or_at_a_limit() {
        assert!(!IPOP.ends(100, 0, true) && IPOP.ends(100, 0, false));
        assert!(!IPOP.ends(99, 100, true) && IPOP.ends(100, 100, true));
        assert!(!RestartPolicy { restarts: Restarts::Never, ..IPOP }.ends(100, 100, false));
    }
}
