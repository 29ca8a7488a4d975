//! CMA-ES that begins anew when it has converged, alone or taking turns with SHADE.
//!
//! **Idea.** A run is a sequence of *legs*. When one has converged, or has stopped getting better, the next one begins
//! elsewhere: after CMA-ES with twice as many samples a generation (IPOP), or by turns with many and with few (BIPOP). CMA-ES
//! is best where a function has one valley, whatever its shape, and where many samples show the shape of what lies
//! behind many local minima; SHADE where coordinates can be changed one by one, or peaks are scattered. So both take
//! turns, and each has spent about as many evaluations as the other, CMA-ES [`AHEAD`] of it.
//!
//! **State.** In a [`Swarm`] the search whose turn it is lies where methods have theirs, the other one in
//! [`parked`](Swarm::parked). The best and the count of iterations are both's.
//!
//! What comes after a leg, and the **sources** of that, are in [`warpswarm_core::legs`].

use warpswarm_core::cma_es::Strategy;
use warpswarm_core::launch::stopped;
use warpswarm_core::legs::{self, AHEAD, AHEAD_CONSTRAINED, LOOK, Legs, Succession, regime};
use warpswarm_core::method::Method;
use warpswarm_core::real::Float;
use warpswarm_core::shade::Shade;

use crate::cma_es::{self, Scratch};
pub use crate::fwa::Span;
use crate::generation::{self, Work};
use crate::parked::Parked;
use crate::restarts::has_come_together;
use crate::swarm::{RunId, Swarm};
use crate::threads::Threads;

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Portfolio<R> {
    /// How legs of CMA-ES follow each other.
    pub succession: Succession<R>,
    /// SHADE, if it takes turns with CMA-ES, and how many individuals it has.
    pub shade: Option<(Shade<R>, u32)>,
}

impl<R: Float> Portfolio<R> {
    fn strategy(&self, dimensions: usize, legs: &Legs) -> Strategy<R> {
        Strategy::new(dimensions as u32, legs.individuals, self.succession.active)
    }

    /// Whether a search can be where its legs say, in so many iterations of the run.
    pub fn admits(&self, legs: &Legs, iterations: u64, stride: usize) -> bool {
        let individuals = match (legs.regime, self.shade) {
            (regime::SHADE, Some((_, all))) => all..=all,
            (regime::SMALL | regime::LARGE, _) => {
                let Succession { individuals, .. } = self.succession;
                individuals..=self.succession.large(legs.doubled, stride as u32)
            }
            _ => return false,
        };
        let [small, large] = legs.spent;
        individuals.contains(&legs.individuals)
            && small.checked_add(large).is_some_and(|spent| spent <= legs.evaluations)
            && legs.began <= iterations
    }

    /// Numbers of a search at a leg that has been placed: those of each individual, those that it remembers, and places of its archive for each individual.
    pub fn keeps(&self, dimensions: usize, legs: &Legs) -> (usize, usize, usize) {
        match (legs.regime, self.shade) {
            (regime::SHADE, Some((shade, _))) => {
                (<Shade<R> as Method<R>>::NUMBERS, Method::memory(&shade) as usize, 2)
            }
            _ => (0, cma_es::memory(&self.strategy(dimensions, legs)), 0),
        }
    }

    /// Places the leg that has been chosen, and evaluates its first points; whether it was not given up.
    fn place(
        &self,
        swarm: &mut Swarm<R>,
        work: &Work<'_, R>,
        scratch: &mut Scratch<R>,
        threads: Threads,
    ) -> bool {
        swarm.legs.is_new = false;
        let legs = swarm.legs;
        match (legs.regime, self.shade) {
            (regime::SHADE, Some((shade, individuals))) => {
                let (n, id) = (swarm.dimensions, swarm.id);
                let Swarm { best_positions, best, numbers, .. } =
                    generation::unplaced::<R, Shade<R>>(n, individuals, id);
                (swarm.best_positions, swarm.best, swarm.numbers) = (best_positions, best, numbers);
                generation::place(swarm, &shade, work, threads);
                swarm.legs.evaluations += u64::from(individuals);
                !work.halt.is_due()
            }
            _ => {
                let step = self.succession.first_step(&legs, swarm.id.key());
                cma_es::begin(swarm, work, &self.strategy(swarm.dimensions, &legs), step);
                self.generation(swarm, work, scratch, threads)
            }
        }
    }

    /// A generation of CMA-ES; whether it was not given up.
    fn generation(
        &self,
        swarm: &mut Swarm<R>,
        work: &Work<'_, R>,
        scratch: &mut Scratch<R>,
        threads: Threads,
    ) -> bool {
        let n = swarm.dimensions as u32;
        let strategy = scratch.strategy(n, swarm.legs.individuals, self.succession.active);
        let Some(goes_on) = cma_es::generation(swarm, work, &strategy, scratch, threads) else {
            return false;
        };
        let legs = &mut swarm.legs;
        legs.evaluations += u64::from(legs.individuals);
        if let Some(parked) = &mut swarm.parked
            && legs.ahead > 0
            && swarm.best.iter().any(|fitness| fitness.violation != R::ZERO)
        {
            legs.ahead = 0;
            parked.legs.ahead = AHEAD_CONSTRAINED * swarm.dimensions as u64;
        }
        if self.succession.ends(legs.evaluations, legs.limit, goes_on) {
            self.end_leg(swarm);
        }
        true
    }

    fn end_leg(&self, swarm: &mut Swarm<R>) {
        let number =
            swarm.legs.number.max(swarm.parked.as_ref().map_or(0, |other| other.legs.number)) + 1;
        let at = (swarm.id.key(), swarm.stride as u32);
        swarm.legs = self.succession.next(swarm.legs, at, number);
    }

    /// Whether it is the other search's turn.
    fn is_others_turn(&self, swarm: &Swarm<R>) -> bool {
        let (Some(parked), Some((_, individuals))) = (&swarm.parked, self.shade) else {
            return false;
        };
        legs::is_others_turn(&swarm.legs, &parked.legs, swarm.age(), individuals)
    }

    /// Evaluations of a run so far.
    pub fn evaluations(swarm: &Swarm<R>) -> u64 {
        swarm.legs.evaluations + swarm.parked.as_ref().map_or(0, |other| other.legs.evaluations)
    }

    /// Whether a run's next iteration would exceed so many evaluations.
    pub fn would_exceed(&self, swarm: &Swarm<R>, limit: u64) -> bool {
        let legs = match &swarm.parked {
            Some(parked) if self.is_others_turn(swarm) => &parked.legs,
            _ => &swarm.legs,
        };
        Self::evaluations(swarm).saturating_add(u64::from(legs.individuals)) > limit
    }

    /// Notes whether a run that goes on stops by itself, or at its limit of evaluations.
    fn settle(&self, swarm: &mut Swarm<R>, work: &Work<'_, R>, limit: u64) {
        swarm.settle(&work.stop);
        if !swarm.has_stopped() && self.would_exceed(swarm, limit) {
            swarm.control.stopped = stopped::EVALUATIONS;
        }
    }

    /// Goes on by one iteration, or by some where they are of SHADE, at most so many; none where it was given up.
    fn advance(
        &self,
        swarm: &mut Swarm<R>,
        work: &Work<'_, R>,
        span: Span,
        scratch: &mut Scratch<R>,
        threads: Threads,
    ) -> Option<u64> {
        if self.is_others_turn(swarm) {
            swarm.take_turns();
        }
        if swarm.legs.is_new {
            swarm.control.iterations += 1;
            swarm.legs.began = swarm.control.iterations;
            return self.place(swarm, work, scratch, threads).then_some(1);
        }
        if let (regime::SHADE, Some((shade, individuals))) = (swarm.legs.regime, self.shade) {
            let (before, each) = (swarm.control.iterations, u64::from(individuals));
            let affordable = (span.evaluations - Self::evaluations(swarm)) / each;
            let until_look = LOOK - swarm.age() % LOOK;
            let iterations = span.iterations.min(affordable).min(until_look);
            generation::run(swarm, &shade, work, iterations, threads);
            let done = swarm.control.iterations - before;
            swarm.legs.evaluations += each * done;
            if done > 0 && swarm.age().is_multiple_of(LOOK) && has_come_together(swarm, work.bounds)
            {
                self.end_leg(swarm);
            }
            return (done > 0).then_some(done);
        }
        swarm.control.iterations += 1;
        self.generation(swarm, work, scratch, threads).then_some(1)
    }
}

/// The first generation, and whether that stops the run.
pub fn start<R: Float>(
    portfolio: &Portfolio<R>,
    work: &Work<'_, R>,
    id: RunId,
    threads: Threads,
) -> Swarm<R> {
    let first = portfolio.succession.individuals;
    let mut swarm = Swarm::unplaced(work.bounds.dimensions(), first, id);
    (swarm.positions, swarm.velocities) = (Vec::new(), Vec::new());
    swarm.legs.individuals = first;
    if let Some((_, individuals)) = portfolio.shade {
        swarm.legs.ahead = AHEAD * swarm.dimensions as u64;
        let legs =
            Legs { number: 1, regime: regime::SHADE, individuals, is_new: true, ..Legs::default() };
        swarm.parked = Some(Box::new(Parked {
            age: 0,
            best_positions: Vec::new(),
            best: Vec::new(),
            numbers: Vec::new(),
            memory: Vec::new(),
            archive: Vec::new(),
            legs,
        }));
    }
    portfolio.place(&mut swarm, work, &mut Scratch::default(), threads);
    swarm.settle(&work.stop);
    swarm
}

/// Goes as far as `span` has it, less far if the run stops by itself.
///
/// N and then M iterations give the same bits as N + M, with any [`Threads`].
pub fn run<R: Float>(
    swarm: &mut Swarm<R>,
    portfolio: &Portfolio<R>,
    work: &Work<'_, R>,
    span: Span,
    threads: Threads,
) {
    let mut scratch = Scratch::default();
    let mut left = span.iterations;
    if !swarm.has_stopped() {
        portfolio.settle(swarm, work, span.evaluations);
    }
    while left > 0 && !swarm.has_stopped() {
        let span = Span { iterations: left, ..span };
        let Some(done) = portfolio.advance(swarm, work, span, &mut scratch, threads) else { break };
        left -= done;
        portfolio.settle(swarm, work, span.evaluations);
    }
}
