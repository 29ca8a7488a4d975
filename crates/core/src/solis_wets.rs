//! Solis and Wets' random search; each individual is an independent searcher.
//!
//! **Idea.** A searcher tries a normally distributed step and its mirror image. Its steps grow after several
//! consecutive successes and shrink after several consecutive failures.
//!
//! **Equations** (x' of one coordinate):
//!
//! ```text
//! p = rho (upper - lower) z         z standard normal
//! failure:  x' = x + p; where that does not beat x, in the next iteration x' = x - p
//! always:   x' = the better of x + p and x - p, both evaluated in one iteration
//! rho = 2 rho                       after N+ consecutive successes
//! rho = rho / 2                     after N- consecutive failures; both tries together are one failure
//! ```
//!
//! With `mirror` = `failure` an iteration takes one evaluation, with `always` two.
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | rho | `step` | standard deviation of the first step, in ranges; 0: half the distance to the nearest searcher | finite, >= 0 | 0 |
//! | | `smallest_step` | lower limit of rho | finite, > 0 | 1e-12 |
//! | N+ | `successes` | consecutive successes before steps grow | >= 1 | 5 |
//! | N- | `failures` | consecutive failures before steps shrink | >= 1 | 3 |
//! | | `mirror` | when x - p is tried: after a failure of x + p, or always | | failure |
//! | | `limits` | see [`boundary`](crate::boundary) | | clamp |
//!
//! **Source.** F. Solis, R. Wets, "Minimization by random search techniques", Mathematics of
//! Operations Research 6, 1981; the first rho as in libCudaOptimize.
//!
//! **Deviations.**
//! * As in libCudaOptimize, there is no bias, which Solis and Wets have.
//! * libCudaOptimize moves to the better of x + p and x - p: that is `mirror` = `always`. The default, `failure`, saves
//!   the second evaluation if the first succeeds.
//! * Steps and distances are in ranges of the bounds, so that coordinates of different sizes are treated equally. If
//!   all ranges are equal, this is the same as in libCudaOptimize.
//! * Its paper gives neither N+ and N- nor the factors of rho: 5, 3, 2 and 1/2 are ours.
//! * A single searcher, or one at the same point as another, starts with 0.1.

use crate::boundary::{Boundary, Limits};
use crate::launch::Words;
use crate::method::{Individual, Method, Numbers, Own, Population, Site, With};
use crate::order::Fitness;
use crate::real::Float;
use crate::words;

/// When the mirror image of a step is tried.
///
/// ```
/// use warpswarm_core::solis_wets::Mirror;
/// assert_eq!(Mirror::ALL.map(|(_, mirror)| mirror == Mirror::default()), [true, false]);
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mirror {
    /// In the next iteration, if the step is no improvement.
    #[default]
    Failure = 0,
    /// In the same iteration; the better of the two points is used.
    Always = 1,
}

impl Mirror {
    /// Every mirror mode with the name that users give it.
    pub const ALL: [(&'static str, Mirror); 2] =
        [("failure", Mirror::Failure), ("always", Mirror::Always)];
}

words!(enum Mirror);

/// The parameters of Solis and Wets' search, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolisWets<R> {
    /// rho at the start, in ranges; zero for half the distance to the nearest searcher.
    pub step: R,
    /// The smallest rho.
    pub smallest_step: R,
    /// What happens at the bounds.
    pub limits: Limits<R>,
    /// N+, consecutive successes before steps grow.
    pub successes: u32,
    /// N-, consecutive failures before steps shrink.
    pub failures: u32,
    /// When the mirror image of a step is tried.
    pub mirror: Mirror,
}

/// The first rho if there is no other searcher, or if the distance to it is zero.
const ALONE: f64 = 0.1;

/// Index of the number that holds rho; the next two hold the consecutive successes and failures.
const RHO: usize = 0;
/// Index of the number that is one if the next try is the mirror image.
const MIRROR: usize = 3;

/// The term of one coordinate in the square of a distance, in ranges.
#[inline(always)]
pub fn square_in_ranges<R: Float>(x: R, y: R, (lower, upper): (R, R)) -> R {
    // The range of a frozen coordinate is zero, and so is its difference.
    let part = (x - y) / (upper - lower);
    if upper > lower { part * part } else { R::ZERO }
}

/// The first rho, from the square of the distance to the nearest searcher, in ranges.
#[inline(always)]
pub fn first_step<R: Float>(square: R) -> R {
    let half = R::HALF * square.sqrt();
    if half > R::ZERO && half.is_finite() { half } else { R::from_f64(ALONE) }
}

/// What an attempt tries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan<R> {
    /// The standard deviation of a step, in ranges.
    pub rho: R,
    /// Whether the mirror image of a step is tried.
    pub mirror: bool,
}

impl<R: Float> SolisWets<R> {
    /// The plan of an iteration with one attempt, that is with [`Mirror::Failure`].
    #[inline(always)]
    pub fn planned(&self, numbers: &Numbers<R>) -> Plan<R> {
        Plan { rho: numbers[RHO], mirror: numbers[MIRROR] != R::ZERO }
    }

    /// The attempt whose normal numbers make the step; none for the mirror image of the last step.
    #[inline(always)]
    pub fn drawn(&self, plan: &Plan<R>) -> Option<u32> {
        // Both attempts of an iteration use the numbers that the first has drawn.
        (self.mirror == Mirror::Always || !plan.mirror).then_some(0)
    }

    /// A coordinate after the step, or after the mirror image, and the step itself.
    #[inline(always)]
    pub fn stepped<S: Site<R>>(&self, plan: &Plan<R>, site: &S) -> (R, Own<R>) {
        let (lower, upper) = site.bounds();
        let step = if self.mirror == Mirror::Failure && plan.mirror {
            R::ZERO - site.own(0)
        } else {
            let rho = if plan.mirror { R::ZERO - plan.rho } else { plan.rho };
            rho * (upper - lower) * site.normal()
        };
        let x = self.limits.enforce(site.public() + step, site.bounds(), || site.reentry());
        (x, [step, R::ZERO])
    }

    /// Whether a try succeeded; updates the numbers.
    #[inline(always)]
    pub fn judged(
        &self,
        who: &Individual<R>,
        proposal: Fitness<R>,
        numbers: &mut Numbers<R>,
    ) -> bool {
        let succeeded = proposal.beats(who.fitness);
        *numbers = self.adapted(*numbers, succeeded);
        succeeded
    }

    /// The numbers after a success or a failure.
    #[inline(always)]
    pub fn adapted(&self, numbers: Numbers<R>, succeeded: bool) -> Numbers<R> {
        let [mut rho, mut successes, mut failures, mirror] = numbers;
        let mut next_mirror = R::ZERO;
        if succeeded {
            successes += R::ONE;
            failures = R::ZERO;
        } else if mirror == R::ZERO && self.mirror == Mirror::Failure {
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

impl<R: Float> Words for SolisWets<R> {
    words!(step, smallest_step, limits, successes, failures, mirror);
}

impl<R: Float> Method<R> for SolisWets<R> {
    /// The last step.
    const OWN: usize = 1;
    const NUMBERS: usize = 4;
    const ALONE: bool = true;
    const MOST_THREADS: [u32; 2] = [512, 256];
    type Observation = ();
    type Plan = Plan<R>;

    fn words(&self, at: usize, note: &mut dyn FnMut(usize, u32)) {
        Words::words(self, at, note);
    }

    #[inline(always)]
    fn specialised<W: With<Self>>(self, work: W) -> W::Output {
        let limits = Limits { boundary: Boundary::Clamp, ..self.limits };
        let common = SolisWets { limits, mirror: Mirror::Failure, ..self };
        if self == common { work.with(common) } else { work.with(self) }
    }

    #[inline(always)]
    fn of_kind<W: With<(Self, Plan<R>)>>(self, plan: Plan<R>, work: W) -> W::Output {
        if plan.mirror {
            work.with((self, Plan { mirror: true, ..plan }))
        } else {
            work.with((self, Plan { mirror: false, ..plan }))
        }
    }

    #[inline(always)]
    fn most_attempts(&self) -> u32 {
        match self.mirror {
            Mirror::Failure => 1,
            Mirror::Always => 2,
        }
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
    fn observe<P: Population<R>>(&self, _: &Individual<R>, _: &P, _: &mut Numbers<R>) {}

    #[inline(always)]
    fn plan(&self, who: &Individual<R>, (): (), numbers: &mut Numbers<R>) -> Plan<R> {
        match self.mirror {
            Mirror::Failure => self.planned(numbers),
            Mirror::Always => Plan { rho: numbers[RHO], mirror: who.attempt == 1 },
        }
    }

    #[inline(always)]
    fn normals(&self, _: &Individual<R>, plan: &Plan<R>) -> Option<u32> {
        self.drawn(plan)
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, plan: &Plan<R>, site: &S) -> (R, Own<R>) {
        self.stepped(plan, site)
    }

    #[inline(always)]
    fn accept(
        &self,
        who: &Individual<R>,
        _: &Plan<R>,
        proposal: Fitness<R>,
        numbers: &mut Numbers<R>,
    ) -> bool {
        self.judged(who, proposal, numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::tests::{Still, feasible, individual};

    const SW: SolisWets<f64> = SolisWets {
        step: 0.0,
        smallest_step: 0.3,
        limits: Limits { correction: 0.22, boundary: Boundary::Clamp },
        successes: 2,
        failures: 1,
        mirror: Mirror::Failure,
    };

    #[test]
    fn steps_grow_and_shrink_by_hand() {
        assert_eq!(SW.adapted([0.5, 0.0, 0.0, 0.0], true), [0.5, 1.0, 0.0, 0.0]);
        assert_eq!(SW.adapted([0.5, 1.0, 0.0, 0.0], true), [1.0, 0.0, 0.0, 0.0]);
        // The first failure requests the mirror image and is not counted.
        assert_eq!(SW.adapted([0.5, 1.0, 0.0, 0.0], false), [0.5, 1.0, 0.0, 1.0]);
        assert_eq!(SW.adapted([0.5, 1.0, 0.0, 1.0], true), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(SW.adapted([1.0, 1.0, 0.0, 1.0], false), [0.5, 0.0, 0.0, 0.0]);
        assert_eq!(SW.adapted([0.5, 1.0, 0.0, 1.0], false), [0.3, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn both_ways_from_one_draw_by_hand() {
        let always = SolisWets { mirror: Mirror::Always, ..SW };
        assert_eq!((SW.attempts(1, 0), always.attempts(1, 0)), (1, 2));
        assert_eq!(always.evaluations(8, 3), 48);
        let who = individual(feasible(1.0));
        let plan =
            |attempt| always.plan(&Individual { attempt, ..who }, (), &mut [0.25, 0.0, 0.0, 0.0]);
        assert_eq!([0, 1].map(|attempt| plan(attempt).mirror), [false, true]);
        // Both attempts use the numbers of the first, whatever the last step was.
        assert_eq!([0, 1].map(|attempt| always.normals(&who, &plan(attempt))), [Some(0); 2]);
        let (bounds, own) = ((-4.0, 6.0), [9.0, 0.0]);
        let site = Still { public: 1.0, bounds, own, normal: 0.5, ..Still::default() };
        assert_eq!(always.propose(&plan(0), &site), (1.0 + 1.25, [1.25, 0.0]));
        assert_eq!(always.propose(&plan(1), &site), (1.0 - 1.25, [-1.25, 0.0]));
        // With the mirror image after a failure, nothing is drawn for it.
        let tried = |mirror| Plan { rho: 0.25, mirror };
        assert_eq!([false, true].map(|mirror| SW.normals(&who, &tried(mirror))), [Some(0), None]);
        assert_eq!(SW.propose(&tried(false), &site), (1.0 + 1.25, [1.25, 0.0]));
        assert_eq!(SW.propose(&tried(true), &site), (-4.0, [-9.0, 0.0]));
        // Both tries are one failure: with N- = 1 the step shrinks at once, down to the smallest.
        assert_eq!(always.adapted([1.0, 1.0, 0.0, 0.0], false), [0.5, 0.0, 0.0, 0.0]);
        assert_eq!(always.adapted([0.5, 1.0, 0.0, 0.0], true), [1.0, 0.0, 0.0, 0.0]);
    }

    /// One dimension, with the optimum at 3 and a searcher at 1 whose step is 1 or -1.
    #[test]
    fn the_better_of_the_two_counts() {
        let always = SolisWets { mirror: Mirror::Always, ..SW };
        let at = |x: f64| feasible((x - 3.0) * (x - 3.0));
        let who = individual(at(1.0));
        let bounds = (-100.0, 100.0);
        let plan =
            |attempt| always.plan(&Individual { attempt, ..who }, (), &mut [0.005, 0.0, 0.0, 0.0]);
        let site = Still { public: 1.0, bounds, normal: 1.0, ..Still::default() };
        let [there, back] = [0, 1].map(|attempt| always.propose(&plan(attempt), &site).0);
        assert_eq!(there - 1.0, 1.0 - back);
        let (better, worse) = if there > back { (there, back) } else { (back, there) };
        assert!(at(better).beats(at(worse)));
        let mut numbers = [0.005, 0.0, 0.0, 0.0];
        assert!(always.accept(&who, &plan(0), at(better), &mut numbers));
        assert_eq!(numbers, [0.005, 1.0, 0.0, 0.0]);
        assert!(!always.accept(&who, &plan(0), at(worse), &mut numbers));
    }

    #[test]
    fn the_first_step_by_hand() {
        // (3 / 10)^2 + (2 / 5)^2 = 0.25; a frozen coordinate adds nothing.
        let square = square_in_ranges(1.0, 4.0, (0.0, 10.0))
            + square_in_ranges(3.0, 1.0, (0.0, 5.0))
            + square_in_ranges(7.0, 7.0, (7.0, 7.0));
        assert!((first_step::<f64>(square) - 0.25).abs() < 1e-15);
        for alone in [0.0, f64::INFINITY, f64::NAN] {
            assert_eq!(first_step(alone), ALONE);
        }
    }
}
