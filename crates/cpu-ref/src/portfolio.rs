//! CMA-ES with restarts, alone or in turns with SHADE.
//!
//! **Idea.** A run is a sequence of *legs*. When a leg has converged or stagnated, the next one starts elsewhere:
//! CMA-ES with twice as many samples in a generation (IPOP), or alternately with many and with few (BIPOP). CMA-ES is
//! best on functions with one valley, whatever its shape, and where many samples show the large-scale shape behind many
//! local minima. SHADE is best where coordinates can be changed one by one, or where peaks are scattered. So both run
//! in turns, with about equally many evaluations, CMA-ES [`AHEAD`] of SHADE.
//!
//! **State.** In a [`Swarm`] the running search is stored where methods have their state, the other one in
//! [`parked`](Swarm::parked). Both share the best point and the number of iterations.
//!
//! What comes after a leg, and its **sources**, are in [`warpswarm_core::restart`].

use warpswarm_core::cma_es::Strategy;
use warpswarm_core::launch::stopped;
use warpswarm_core::method::Method;
use warpswarm_core::real::Float;
use warpswarm_core::restart::{
    self, AHEAD, AHEAD_CONSTRAINED, CHECK_INTERVAL, RestartPolicy, RestartState, regime,
};
use warpswarm_core::shade::Shade;

use crate::cma_es::{self, Scratch};
pub use crate::fwa::Span;
use crate::generation::{self, Work};
use crate::parked::Parked;
use crate::restarts::has_converged;
use crate::swarm::{RunId, Swarm};
use crate::threads::Threads;

/// The searches of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Portfolio<R> {
    /// How legs of CMA-ES follow each other.
    pub restart_policy: RestartPolicy<R>,
    /// SHADE, if it runs in turns with CMA-ES, and its number of individuals.
    pub shade: Option<(Shade<R>, u32)>,
}

impl<R: Float> Portfolio<R> {
    fn strategy(&self, dimensions: usize, legs: &RestartState) -> Strategy<R> {
        Strategy::new(dimensions as u32, legs.individuals, self.restart_policy.active)
    }

    /// Whether a search can have these legs after `iterations` iterations of the run.
    pub fn admits(&self, legs: &RestartState, iterations: u64, stride: usize) -> bool {
        let individuals = match (legs.regime, self.shade) {
            (regime::SHADE, Some((_, all))) => all..=all,
            (regime::SMALL | regime::LARGE, _) => {
                let RestartPolicy { individuals, .. } = self.restart_policy;
                individuals..=self.restart_policy.large(legs.doubled, stride as u32)
            }
            _ => return false,
        };
        let [small, large] = legs.spent;
        individuals.contains(&legs.individuals)
            && small.checked_add(large).is_some_and(|spent| spent <= legs.evaluations)
            && legs.began <= iterations
    }

    /// The sizes of a search in a placed leg: numbers of each individual, numbers of its memory, and places of its
    /// archive for each individual.
    pub fn keeps(&self, dimensions: usize, legs: &RestartState) -> (usize, usize, usize) {
        match (legs.regime, self.shade) {
            (regime::SHADE, Some((shade, _))) => {
                (<Shade<R> as Method<R>>::NUMBERS, Method::memory(&shade) as usize, 2)
            }
            _ => (0, cma_es::memory(&self.strategy(dimensions, legs)), 0),
        }
    }

    /// Places the chosen leg, and evaluates its first points; returns false if that was aborted.
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
                let step = self.restart_policy.first_step(&legs, swarm.id.key());
                cma_es::begin(swarm, work, &self.strategy(swarm.dimensions, &legs), step);
                self.generation(swarm, work, scratch, threads)
            }
        }
    }

    /// One generation of CMA-ES; returns false if it was aborted.
    fn generation(
        &self,
        swarm: &mut Swarm<R>,
        work: &Work<'_, R>,
        scratch: &mut Scratch<R>,
        threads: Threads,
    ) -> bool {
        let n = swarm.dimensions as u32;
        let strategy = scratch.strategy(n, swarm.legs.individuals, self.restart_policy.active);
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
        if self.restart_policy.ends(legs.evaluations, legs.limit, goes_on) {
            self.end_leg(swarm);
        }
        true
    }

    fn end_leg(&self, swarm: &mut Swarm<R>) {
        let number =
            swarm.legs.number.max(swarm.parked.as_ref().map_or(0, |other| other.legs.number)) + 1;
        let at = (swarm.id.key(), swarm.stride as u32);
        swarm.legs = self.restart_policy.next(swarm.legs, at, number);
    }

    /// Whether the other search is to continue.
    fn is_others_turn(&self, swarm: &Swarm<R>) -> bool {
        let (Some(parked), Some((_, individuals))) = (&swarm.parked, self.shade) else {
            return false;
        };
        restart::is_others_turn(&swarm.legs, &parked.legs, swarm.age(), individuals)
    }

    /// The evaluations of a run so far.
    pub fn evaluations(swarm: &Swarm<R>) -> u64 {
        swarm.legs.evaluations + swarm.parked.as_ref().map_or(0, |other| other.legs.evaluations)
    }

    /// Whether a run's next iteration would exceed `limit` evaluations.
    pub fn would_exceed(&self, swarm: &Swarm<R>, limit: u64) -> bool {
        let legs = match &swarm.parked {
            Some(parked) if self.is_others_turn(swarm) => &parked.legs,
            _ => &swarm.legs,
        };
        Self::evaluations(swarm).saturating_add(u64::from(legs.individuals)) > limit
    }

    /// Records whether a run stops, by its stop rule or at its limit of evaluations.
    fn settle(&self, swarm: &mut Swarm<R>, work: &Work<'_, R>, limit: u64) {
        swarm.settle(&work.stop);
        if !swarm.has_stopped() && self.would_exceed(swarm, limit) {
            swarm.control.stopped = stopped::EVALUATIONS;
        }
    }

    /// Does one iteration, or with SHADE several, at most `most`; none if it was aborted.
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
            let until_check = CHECK_INTERVAL - swarm.age() % CHECK_INTERVAL;
            let iterations = span.iterations.min(affordable).min(until_check);
            generation::run(swarm, &shade, work, iterations, threads);
            let done = swarm.control.iterations - before;
            swarm.legs.evaluations += each * done;
            if done > 0
                && swarm.age().is_multiple_of(CHECK_INTERVAL)
                && has_converged(swarm, work.bounds)
            {
                self.end_leg(swarm);
            }
            return (done > 0).then_some(done);
        }
        swarm.control.iterations += 1;
        self.generation(swarm, work, scratch, threads).then_some(1)
    }
}

/// The first generation, and whether it stops the run.
pub fn start<R: Float>(
    portfolio: &Portfolio<R>,
    work: &Work<'_, R>,
    id: RunId,
    threads: Threads,
) -> Swarm<R> {
    let first = portfolio.restart_policy.individuals;
    let mut swarm = Swarm::unplaced(work.bounds.dimensions(), first, id);
    (swarm.positions, swarm.velocities) = (Vec::new(), Vec::new());
    swarm.legs.individuals = first;
    if let Some((_, individuals)) = portfolio.shade {
        swarm.legs.ahead = AHEAD * swarm.dimensions as u64;
        let legs = RestartState {
            number: 1,
            regime: regime::SHADE,
            individuals,
            is_new: true,
            ..RestartState::default()
        };
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

/// Continues a run up to the limits of `span`; it may stop before.
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
