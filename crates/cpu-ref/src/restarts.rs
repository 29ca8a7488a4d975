//! A method that begins anew when its population has converged.
//!
//! **Idea.** Whoever has converged wastes the rest of the budget. So a run is a sequence of *legs*, each with draws of its
//! own: every [`LOOK_OF_METHODS`] iterations it is seen whether the population has come together, in values or in place, or the
//! leg has [stopped getting better](legs::has_stalled); then the next iteration of the run places its individuals anew.
//! What the leg has found stays with the run, but is no leader of the next one, which it would draw to where it was.
//!
//! **State.** [`Swarm::global`] is the leg's, and so are all iterations of which a method is told; [`Swarm::earlier`] has the
//! best of the legs before, [`Swarm::legs`] says which leg it is.

use warpswarm_core::cma_es::comparable;
use warpswarm_core::launch::stopped;
use warpswarm_core::legs::{self, LOOK_OF_METHODS, Legs};
use warpswarm_core::method::Method;
use warpswarm_core::order::Candidate;
use warpswarm_core::real::Float;

pub use crate::fwa::Span;
use crate::generation::{self, Work};
use crate::swarm::Swarm;
use crate::task::Bounds;
use crate::threads::Threads;

/// What a run has from the legs before the present one.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier<R> {
    /// The best of them.
    pub best: Candidate<R>,
    /// Its place, `[stride]`.
    pub position: Vec<R>,
    /// The iteration of the run at which that was found.
    pub improved_at: u64,
    /// Evaluations of those legs.
    pub evaluations: u64,
}

impl<R: Float> Swarm<R> {
    /// The best of the run, of all its legs.
    pub fn found(&self) -> (Candidate<R>, &[R]) {
        match &self.earlier {
            Some(earlier) if earlier.stands(self.global) => {
                (earlier.best, &earlier.position[..self.dimensions])
            }
            _ => (self.global, self.best_point()),
        }
    }

    /// How often the run has begun anew.
    pub fn restarts(&self) -> u64 {
        legs::restarts(&self.legs, self.parked.as_ref().map(|parked| &parked.legs))
    }

    /// Leaves the leg behind, of which so many evaluations were made: the next one is to be placed.
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
    /// Whether its best is the run's, beside that of a later leg.
    pub fn stands(&self, later: Candidate<R>) -> bool {
        !later.fitness.beats(self.best.fitness)
    }

    /// With another leg, which came after these.
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

/// The evaluations of a run, if those of a leg of so many iterations are these, its placing not counted.
pub fn evaluations<R: Float>(swarm: &Swarm<R>, of_leg: impl Fn(u64) -> u64) -> u64 {
    let before = swarm.earlier.as_ref().map_or(0, |all| all.evaluations);
    before.saturating_add(swarm.individuals() as u64).saturating_add(of_leg(swarm.age()))
}

/// How many iterations of a leg, which is so many old, may follow where there may be so many evaluations of it; at most `most`.
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

/// Evaluations of a run of so many individuals until after its next iteration, if until some age of its leg, now `age`, they are these.
pub fn after_next(legs: &Legs, age: u64, individuals: u64, until: impl Fn(u64) -> u64) -> u64 {
    if legs.is_new { until(age).saturating_add(individuals) } else { until(age + 1) }
}

/// Whether a run's next iteration would exceed so many evaluations.
pub fn would_exceed<R: Float>(swarm: &Swarm<R>, of_leg: impl Fn(u64) -> u64, limit: u64) -> bool {
    let until = |age| evaluations(swarm, |_| of_leg(age));
    after_next(&swarm.legs, swarm.age(), swarm.individuals() as u64, until) > limit
}

/// Whether a leg that has come so far is to end.
pub fn is_over<R: Float>(swarm: &Swarm<R>, bounds: Bounds<'_, R>) -> bool {
    let improved_at = swarm.control.improved_at.saturating_sub(swarm.legs.began);
    legs::has_stalled(swarm.age(), improved_at) || has_come_together(swarm, bounds)
}

/// Whether a population has come together: see [`legs::is_one_value`].
pub fn has_come_together<R: Float>(swarm: &Swarm<R>, bounds: Bounds<'_, R>) -> bool {
    let spread = |numbers: &mut dyn Iterator<Item = R>| {
        let numbers = numbers.map(comparable);
        numbers.fold((R::INFINITY, -R::INFINITY), |(least, most), x| {
            (least.smaller(x), most.larger(x))
        })
    };
    let violations = spread(&mut swarm.best.iter().map(|fitness| fitness.counted()));
    let values = spread(&mut swarm.best.iter().map(|fitness| fitness.value));
    if legs::is_one_value(violations, values) {
        return true;
    }
    (0..swarm.dimensions).all(|i| {
        let mut of = swarm.best_positions.iter().skip(i).step_by(swarm.stride).copied();
        legs::is_one_place(spread(&mut of), bounds.of(i))
    })
}

/// Goes as far as `span` has it, less far if the run stops by itself, beginning anew on the way.
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
            let until_look = LOOK_OF_METHODS - before % LOOK_OF_METHODS;
            let now = affordable(of_leg, age, room, left.min(until_look));
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

/// Sees, where it is time, whether the leg is to end.
fn look<R: Float>(swarm: &mut Swarm<R>, work: &Work<'_, R>) {
    let is_time = swarm.control.iterations.is_multiple_of(LOOK_OF_METHODS);
    if is_time && swarm.age() > 0 && !swarm.has_stopped() && is_over(swarm, work.bounds) {
        swarm.legs.is_new = true;
        // Of some methods that is noticed only where individuals look at others.
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
        // 20 each, the fifth costs 100 more.
        let of_leg = |age: u64| 20 * age + if age >= 5 { 100 } else { 0 };
        assert_eq!(
            [0, 19, 20, 99, 199, 200].map(|all| affordable(of_leg, 0, all, 50)),
            [0, 0, 1, 4, 4, 5]
        );
        assert_eq!([79, 80].map(|all| affordable(of_leg, 3, all, 50)), [0, 1]);
        assert_eq!(affordable(of_leg, 0, u64::MAX, 50), 50);
    }
}
