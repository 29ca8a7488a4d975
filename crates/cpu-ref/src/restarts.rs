//! A method with restarts after convergence.
//!
//! **Idea.** A converged population wastes the rest of the budget. So a run is a sequence of *legs*, each with
//! independent draws. Every [`METHOD_CHECK_INTERVAL`] iterations it is tested whether the population has converged, in values
//! or in position, or the leg has [stalled](restart::has_stalled). Then the next iteration of the run places its
//! individuals anew. The run keeps the leg's best point, but the next leg does not use it, because it would pull the
//! leg back to the same place.
//!
//! **State.** [`Swarm::global`] is the leg's best, and the method counts the leg's iterations. [`Swarm::earlier`] has
//! the best of the previous legs, [`Swarm::legs`] the number of the leg.

use warpswarm_core::cma_es::comparable;
use warpswarm_core::launch::stopped;
use warpswarm_core::method::Method;
use warpswarm_core::order::Candidate;
use warpswarm_core::real::Float;
use warpswarm_core::restart::{self, METHOD_CHECK_INTERVAL, RestartState};

pub use crate::fwa::Span;
use crate::generation::{self, Work};
use crate::swarm::Swarm;
use crate::task::Bounds;
use crate::threads::Threads;

/// The results of the legs before the present one.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier<R> {
    /// The best of these legs.
    pub best: Candidate<R>,
    /// Its position, `[stride]`.
    pub position: Vec<R>,
    /// The iteration of the run in which it was found.
    pub improved_at: u64,
    /// Evaluations of those legs.
    pub evaluations: u64,
}

impl<R: Float> Swarm<R> {
    /// The best of the run, over all its legs.
    pub fn found(&self) -> (Candidate<R>, &[R]) {
        match &self.earlier {
            Some(earlier) if earlier.stands(self.global) => {
                (earlier.best, &earlier.position[..self.dimensions])
            }
            _ => (self.global, self.best_point()),
        }
    }

    /// The number of restarts of the run.
    pub fn restarts(&self) -> u64 {
        restart::restarts(&self.legs, self.parked.as_ref().map(|parked| &parked.legs))
    }

    /// Ends the leg, which took `evaluations`: the next one is to be placed.
    fn leave_leg(&mut self, evaluations: u64) {
        let leg = Earlier {
            best: self.global,
            position: self.global_position.clone(),
            improved_at: self.control.improved_at,
            evaluations,
        };
        self.earlier = Some(Earlier::and(self.earlier.take(), leg));
        self.global = Candidate::NONE;
        self.control.iterations += 1;
        self.control.improved_at = self.control.iterations;
        self.legs = self.legs.begun_anew(self.control.iterations);
    }
}

impl<R: Float> Earlier<R> {
    /// Whether its best remains the run's best, compared with that of a later leg.
    pub fn stands(&self, later: Candidate<R>) -> bool {
        !later.fitness.beats(self.best.fitness)
    }

    /// These legs together with a later one.
    pub fn and(earlier: Option<Box<Self>>, leg: Self) -> Box<Self> {
        let evaluations = leg.evaluations + earlier.as_ref().map_or(0, |all| all.evaluations);
        match earlier {
            Some(earlier) if earlier.stands(leg.best) => {
                Box::new(Earlier { evaluations, ..*earlier })
            }
            _ => Box::new(Earlier { evaluations, ..leg }),
        }
    }
}

/// The evaluations of a run; `of_leg` returns those of a leg after a number of iterations, without its placement.
pub fn evaluations<R: Float>(swarm: &Swarm<R>, of_leg: impl Fn(u64) -> u64) -> u64 {
    let before = swarm.earlier.as_ref().map_or(0, |all| all.evaluations);
    before.saturating_add(swarm.individuals() as u64).saturating_add(of_leg(swarm.age()))
}

/// How many further iterations, at most `most`, a leg of this age can do within `evaluations` of the leg.
pub fn affordable(of_leg: impl Fn(u64) -> u64, age: u64, evaluations: u64, most: u64) -> u64 {
    let (mut good, mut bad) = (0, most + 1);
    while good + 1 < bad {
        let middle = good + (bad - good) / 2;
        if of_leg(age + middle) <= evaluations {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// The evaluations of a run of this many individuals after its next iteration; `until` returns those until an age of
/// its leg, which is now `age`.
pub fn after_next(
    legs: &RestartState,
    age: u64,
    individuals: u64,
    until: impl Fn(u64) -> u64,
) -> u64 {
    if legs.is_new { until(age).saturating_add(individuals) } else { until(age + 1) }
}

/// Whether a run's next iteration would exceed `limit` evaluations.
pub fn would_exceed<R: Float>(swarm: &Swarm<R>, of_leg: impl Fn(u64) -> u64, limit: u64) -> bool {
    let until = |age| evaluations(swarm, |_| of_leg(age));
    after_next(&swarm.legs, swarm.age(), swarm.individuals() as u64, until) > limit
}

/// Whether the present leg is to end.
pub fn is_over<R: Float>(swarm: &Swarm<R>, bounds: Bounds<'_, R>) -> bool {
    let improved_at = swarm.control.improved_at.saturating_sub(swarm.legs.began);
    restart::has_stalled(swarm.age(), improved_at) || has_converged(swarm, bounds)
}

/// Whether a population has converged: see [`restart::is_one_value`].
pub fn has_converged<R: Float>(swarm: &Swarm<R>, bounds: Bounds<'_, R>) -> bool {
    let spread = |numbers: &mut dyn Iterator<Item = R>| {
        let numbers = numbers.map(comparable);
        numbers.fold((R::INFINITY, -R::INFINITY), |(least, most), x| {
            (least.smaller(x), most.larger(x))
        })
    };
    let violations = spread(&mut swarm.best.iter().map(|fitness| fitness.counted()));
    let values = spread(&mut swarm.best.iter().map(|fitness| fitness.value));
    if restart::is_one_value(violations, values) {
        return true;
    }
    (0..swarm.dimensions).all(|i| {
        let mut of = swarm.best_positions.iter().skip(i).step_by(swarm.stride).copied();
        restart::is_one_place(spread(&mut of), bounds.of(i))
    })
}

/// Continues a run, with restarts, up to the limits of `span`; it may stop before.
///
/// N and then M iterations give the same bits as N + M, with any [`Threads`].
pub fn run<R: Float, M: Method<R>>(
    swarm: &mut Swarm<R>,
    method: &M,
    work: &Work<'_, R>,
    span: Span,
    threads: Threads,
) {
    let individuals = swarm.individuals() as u32;
    let of_leg = |age| Method::evaluations(method, individuals, age);
    let mut left = span.iterations;
    while left > 0 && !swarm.has_stopped() {
        if would_exceed(swarm, of_leg, span.evaluations) {
            swarm.control.stopped = stopped::EVALUATIONS;
            break;
        }
        if swarm.legs.is_new {
            swarm.leave_leg(u64::from(individuals) + of_leg(swarm.age()));
            generation::place(swarm, method, work, threads);
            left -= 1;
        } else {
            let (before, age) = (swarm.control.iterations, swarm.age());
            let room = span.evaluations - evaluations(swarm, |_| 0);
            let until_check = METHOD_CHECK_INTERVAL - before % METHOD_CHECK_INTERVAL;
            let now = affordable(of_leg, age, room, left.min(until_check));
            generation::run(swarm, method, work, now, threads);
            let done = swarm.control.iterations - before;
            left -= done;
            if done == 0 {
                break;
            }
        }
        if work.halt.is_due() {
            break;
        }
        look(swarm, work);
    }
    if !swarm.has_stopped() && would_exceed(swarm, of_leg, span.evaluations) {
        swarm.control.stopped = stopped::EVALUATIONS;
    }
}

/// Tests, if it is due, whether the leg is to end.
fn look<R: Float>(swarm: &mut Swarm<R>, work: &Work<'_, R>) {
    let is_time = swarm.control.iterations.is_multiple_of(METHOD_CHECK_INTERVAL);
    if is_time && swarm.age() > 0 && !swarm.has_stopped() && is_over(swarm, work.bounds) {
        swarm.legs.is_new = true;
        // Some methods notice the target only in iterations in which individuals read from others.
        let (Candidate { fitness, .. }, _) = swarm.found();
        if fitness.violation == R::ZERO && fitness.value <= work.stop.target {
            swarm.control.stopped = stopped::TARGET;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_iterations_as_can_be_afforded() {
        // 20 evaluations in each iteration; the fifth costs 100 more.
        let of_leg = |age: u64| 20 * age + if age >= 5 { 100 } else { 0 };
        assert_eq!(
            [0, 19, 20, 99, 199, 200].map(|all| affordable(of_leg, 0, all, 50)),
            [0, 0, 1, 4, 4, 5]
        );
        assert_eq!([79, 80].map(|all| affordable(of_leg, 3, all, 50)), [0, 1]);
        assert_eq!(affordable(of_leg, 0, u64::MAX, 50), 50);
    }
}
