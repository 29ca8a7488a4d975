//! Solis and Wets' random search, one searcher an individual.
//!
//! **Idea.** A searcher tries a normal step, and where that is no better its mirror image; its
//! steps grow after a row of successes and shrink after a row of failures.
//!
//! **Equations** (x' of one coordinate; an iteration is one evaluation):
//!
//! ```text
//! p = rho (upper - lower) z         z standard normal
//! first x' = x + p; where that does not beat x, in the next iteration x' = x - p
//! rho = 2 rho                       after N+ successes in a row
//! rho = rho / 2                     after N- failures in a row; a failure is both tries
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | rho | `step` | deviation of the first step, in ranges; 0 for half the distance to the nearest searcher | finite, >= 0 | 0 |
//! | | `smallest_step` | rho does not fall below it | finite, > 0 | 1e-12 |
//! | N+ | `successes` | in a row, before steps grow | >= 1 | 5 |
//! | N- | `failures` | in a row, before steps shrink | >= 1 | 3 |
//! | | `limits` | see [`boundary`](crate::boundary) | | clamp |
//!
//! **Source.** F. Solis, R. Wets, "Minimization by random search techniques", Mathematics of
//! Operations Research 6, 1981; the first rho as in libCudaOptimize.
//!
//! **Deviations.** As in libCudaOptimize, without Solis and Wets' bias. Steps and distances are in
//! ranges of the bounds, so that coordinates of different sizes are searched alike; in a cube that is
//! libCudaOptimize's. A lone searcher, or one that stands where another does, starts with 0.1.

use crate::boundary::{Boundary, Limits};
use crate::method::{Individual, Method, Numbers, Own, Population, Site, With};
use crate::order::Fitness;
use crate::random::standard_normal;
use crate::real::Real;

/// The parameters of Solis and Wets' search, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolisWets<R> {
    /// rho at the start, in ranges; zero for half the distance to the nearest other.
    pub step: R,
    /// The smallest rho.
    pub smallest_step: R,
    /// What happens at the bounds.
    pub limits: Limits<R>,
    /// N+, successes in a row before steps grow.
    pub successes: u32,
    /// N-, failures in a row before steps shrink.
    pub failures: u32,
}

/// rho where there is no nearest searcher, or no distance to it.
const ALONE: f64 = 0.1;

/// The number that is rho; those of successes and of failures in a row come next.
const RHO: usize = 0;
/// The number that is one where the mirror image is to be tried.
const MIRROR: usize = 3;

/// The term of one coordinate in the square of a distance in ranges.
#[inline(always)]
pub fn square_in_ranges<R: Real>(x: R, y: R, (lower, upper): (R, R)) -> R {
    // The range of a frozen coordinate is zero, and so is the difference.
    let part = (x - y) / (upper - lower);
    if upper > lower { part * part } else { R::ZERO }
}

/// The first rho of a searcher whose nearest other is at this distance, squared, in ranges.
#[inline(always)]
pub fn first_step<R: Real>(square: R) -> R {
    let half = R::HALF * square.sqrt();
    if half > R::ZERO && half.is_finite() { half } else { R::from_f64(ALONE) }
}

/// What an iteration does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan<R> {
    /// The deviation of a step, in ranges.
    pub rho: R,
    /// Whether the mirror image of the last step is tried.
    pub mirror: bool,
}

impl<R: Real> SolisWets<R> {
    /// The numbers after a try that succeeded or did not.
    #[inline(always)]
    pub fn adapted(&self, numbers: Numbers<R>, succeeded: bool) -> Numbers<R> {
        let [mut rho, mut successes, mut failures, mirror] = numbers;
        let mut next_mirror = R::ZERO;
        if succeeded {
            successes += R::ONE;
            failures = R::ZERO;
        } else if mirror == R::ZERO {
            next_mirror = R::ONE;
        } else {
            failures += R::ONE;
            successes = R::ZERO;
        }
        if successes >= R::from_u32(self.successes) {
            rho = R::TWO * rho;
            successes = R::ZERO;
        }
        if failures >= R::from_u32(self.failures) {
            rho = (R::HALF * rho).larger(self.smallest_step);
            failures = R::ZERO;
        }
        [rho, successes, failures, next_mirror]
    }
}

impl<R: Real> Method<R> for SolisWets<R> {
    /// The last step.
    const OWN: usize = 1;
    const NUMBERS: usize = 4;
    type Seen = ();
    type Plan = Plan<R>;

    #[inline(always)]
    fn specialised<W: With<Self>>(self, work: W) -> W::Output {
        let limits = Limits { boundary: Boundary::Clamp, ..self.limits };
        let common = SolisWets { limits, ..self };
        if self == common { work.with(common) } else { work.with(self) }
    }

    #[inline(always)]
    fn nearest(&self) -> bool {
        self.step == R::ZERO
    }

    #[inline(always)]
    fn numbers(&self, _: &Individual<R>) -> Numbers<R> {
        let step = if self.step == R::ZERO { R::from_f64(ALONE) } else { self.step };
        [step, R::ZERO, R::ZERO, R::ZERO]
    }

    #[inline(always)]
    fn start(&self, _: R, _: R) -> Own<R> {
        Own::default()
    }

    #[inline(always)]
    fn look<P: Population<R>>(&self, _: &Individual<R>, _: &P, _: &mut Numbers<R>) {}

    #[inline(always)]
    fn plan(&self, _: &Individual<R>, (): (), numbers: &mut Numbers<R>) -> Plan<R> {
        Plan { rho: numbers[RHO], mirror: numbers[MIRROR] != R::ZERO }
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, plan: &Plan<R>, site: &S) -> (R, Own<R>) {
        let (lower, upper) = site.bounds();
        let step = if plan.mirror {
            R::ZERO - site.own(0)
        } else {
            plan.rho * (upper - lower) * standard_normal(site.draws(0))
        };
        let x = site.public() + step;
        (self.limits.enforce(x, (lower, upper), || site.reentry()), [step, R::ZERO])
    }

    #[inline(always)]
    fn accept(
        &self,
        who: &Individual<R>,
        _: &Plan<R>,
        proposal: Fitness<R>,
        numbers: &mut Numbers<R>,
    ) -> bool {
        let succeeded = proposal.beats(who.fitness);
        *numbers = self.adapted(*numbers, succeeded);
        succeeded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SW: SolisWets<f64> = SolisWets {
        step: 0.0,
        smallest_step: 0.3,
        limits: Limits { correction: 0.22, boundary: Boundary::Clamp },
        successes: 2,
        failures: 1,
    };

    #[test]
    fn steps_grow_and_shrink_by_hand() {
        assert_eq!(SW.adapted([0.5, 0.0, 0.0, 0.0], true), [0.5, 1.0, 0.0, 0.0]);
        assert_eq!(SW.adapted([0.5, 1.0, 0.0, 0.0], true), [1.0, 0.0, 0.0, 0.0]);
        // The first failure asks for the mirror image and counts for nothing.
        assert_eq!(SW.adapted([0.5, 1.0, 0.0, 0.0], false), [0.5, 1.0, 0.0, 1.0]);
        assert_eq!(SW.adapted([0.5, 1.0, 0.0, 1.0], true), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(SW.adapted([1.0, 1.0, 0.0, 1.0], false), [0.5, 0.0, 0.0, 0.0]);
        assert_eq!(SW.adapted([0.5, 1.0, 0.0, 1.0], false), [0.3, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn the_first_step_by_hand() {
        // (3 / 10)^2 + (2 / 5)^2 = 0.25; a frozen coordinate counts for nothing.
        let square = square_in_ranges(1.0, 4.0, (0.0, 10.0))
            + square_in_ranges(3.0, 1.0, (0.0, 5.0))
            + square_in_ranges(7.0, 7.0, (7.0, 7.0));
        assert!((first_step::<f64>(square) - 0.25).abs() < 1e-15);
        for alone in [0.0, f64::INFINITY, f64::NAN] {
            assert_eq!(first_step(alone), ALONE);
        }
    }
}
