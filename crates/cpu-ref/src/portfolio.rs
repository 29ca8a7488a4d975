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
//! **Sources** of the restarts: those of [`warpswarm_core::cma_es`].

use warpswarm_core::cma_es::Strategy;
use warpswarm_core::launch::stopped;
use warpswarm_core::method::Method;
use warpswarm_core::random::{Draw, Purpose, RunKey, Stream};
use warpswarm_core::real::Real;
use warpswarm_core::shade::Shade;

use crate::cma_es::{self, Scratch};
pub use crate::fwa::Span;
use crate::generation::{self, Work};
use crate::legs::{Legs, Parked};
use crate::swarm::{RunId, Swarm};
use crate::threads::Threads;

/// What a search does.
pub mod regime {
    /// CMA-ES, of the first size or, after a large leg, of any between that and the large one's.
    pub const SMALL: u32 = 0;
    /// CMA-ES with twice as many samples as the last large leg.
    pub const LARGE: u32 = 1;
    /// SHADE.
    pub const SHADE: u32 = 2;
}

/// Evaluations, for each dimension, that CMA-ES is ahead of SHADE.
///
/// Measured on BBOB, 15 instances, share of COCO's targets after 1,000 D and 10,000 D evaluations in 5, 10 and 20 dimensions
/// (2026-11-26): 500 ahead 66.4 and 88.9 %, 57.9 and 80.4 %, 51.7 and 74.8 %; 1,000 ahead 67.4 and 88.7 %, 59.4 and 80.7 %, 52.8 and
/// 74.1 %; 2,000 ahead 67.4 and 88.3 %, 59.4 and 80.6 %, 52.8 and 74.5 %.
pub const AHEAD: u64 = 1000;
/// Evaluations, for each dimension, that SHADE is ahead of CMA-ES from where a point has violated a constraint.
const AHEAD_CONSTRAINED: u64 = 10_000;
/// Iterations between two looks at whether a population has converged.
const LOOK: u64 = 32;
/// No more samples than so many, nor than have so many places, come of doubling them.
const MOST_SAMPLES: u32 = 65_536;
const MOST_PLACES: u32 = 1 << 20;

/// What comes after a leg of CMA-ES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restarts {
    /// Nothing: it goes on as it is.
    Never,
    /// A leg with twice as many samples.
    Ipop,
    /// Legs with twice as many samples, and small ones, so that both have spent as much.
    Bipop,
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Portfolio<R> {
    /// What comes after a leg of CMA-ES.
    pub restarts: Restarts,
    /// Samples of its first generation.
    pub individuals: u32,
    /// Its first step size, as a part of the ranges.
    pub step: R,
    /// Whether bad samples teach the matrix, too.
    pub active: bool,
    /// SHADE, if it takes turns with CMA-ES, and how many individuals it has.
    pub shade: Option<(Shade<R>, u32)>,
}

impl<R: Real> Portfolio<R> {
    fn strategy(&self, dimensions: usize, legs: &Legs) -> Strategy<R> {
        Strategy::new(dimensions as u32, legs.individuals, self.active)
    }

    /// Whether a search can be where its legs say, in so many iterations of the run.
    pub fn admits(&self, legs: &Legs, iterations: u64, stride: usize) -> bool {
        let individuals = match (legs.regime, self.shade) {
            (regime::SHADE, Some((_, all))) => all..=all,
            (regime::SMALL | regime::LARGE, _) => {
                self.individuals..=self.large(legs.doubled, stride)
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

    /// Samples of a large leg before which they have been doubled so often, at least as many as at first.
    fn large(&self, doubled: u32, stride: usize) -> u32 {
        let most = MOST_SAMPLES.min(MOST_PLACES / stride as u32).max(self.individuals);
        let wanted = u64::from(self.individuals) << doubled.min(31);
        wanted.min(u64::from(most)) as u32
    }

    /// Chooses what comes after a leg that has ended; `number` is the next one's.
    fn choose(&self, legs: &mut Legs, (key, stride): (RunKey, usize), number: u64) {
        (legs.number, legs.limit, legs.is_new) = (number, 0, true);
        if legs.regime == regime::SHADE {
            return;
        }
        legs.spent[legs.regime as usize] += legs.evaluations - legs.spent[0] - legs.spent[1];
        let [small, large] = legs.spent;
        if self.restarts == Restarts::Bipop && small < large {
            legs.regime = regime::SMALL;
            let first = R::from_u32(self.individuals);
            let times = R::from_u32(self.large(legs.doubled, stride)) / first;
            let [_, v] = drawn_of::<R>(key, number);
            legs.individuals = ((first * times.pow(v * v)).to_f64() as u32).max(self.individuals);
            legs.limit = legs.evaluations + large / 2;
        } else {
            legs.regime = regime::LARGE;
            legs.doubled += 1;
            legs.individuals = self.large(legs.doubled, stride);
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
                let mut step = self.step;
                if legs.regime == regime::SMALL && legs.number > 0 {
                    // A hundredth of it to all of it: 10^-2u.
                    let [u, _] = drawn_of::<R>(swarm.id.key(), legs.number);
                    step = step * (u * R::from_f64(-4.605170185988091)).exp();
                }
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
        let strategy = scratch.strategy(n, swarm.legs.individuals, self.active);
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
        let is_over = legs.limit > 0 && legs.evaluations >= legs.limit;
        if self.restarts != Restarts::Never && (!goes_on || is_over) {
            self.end_leg(swarm);
        }
        true
    }

    fn end_leg(&self, swarm: &mut Swarm<R>) {
        let number =
            swarm.legs.number.max(swarm.parked.as_ref().map_or(0, |other| other.legs.number)) + 1;
        self.choose(&mut swarm.legs, (swarm.id.key(), swarm.stride), number);
    }

    /// Whether it is the other search's turn.
    fn is_others_turn(&self, swarm: &Swarm<R>) -> bool {
        let (Some(parked), Some((_, individuals))) = (&swarm.parked, self.shade) else {
            return false;
        };
        let (own, others) = (&swarm.legs, &parked.legs);
        let lead = (own.evaluations + others.ahead).checked_sub(others.evaluations + own.ahead);
        if own.regime == regime::SHADE {
            let may = own.is_new || swarm.age().is_multiple_of(LOOK);
            return may && lead.is_some_and(|lead| lead > 0);
        }
        // Where it is to be ahead it converges once, whatever that takes.
        let is_first = own.number == 0 && own.ahead > 0;
        !is_first && lead.is_some_and(|lead| lead > LOOK * u64::from(individuals))
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
            if done > 0 && swarm.age().is_multiple_of(LOOK) && has_converged(swarm, work) {
                self.end_leg(swarm);
            }
            return (done > 0).then_some(done);
        }
        swarm.control.iterations += 1;
        self.generation(swarm, work, scratch, threads).then_some(1)
    }
}

/// Two numbers uniform in (0, 1) that a leg draws before it begins.
fn drawn_of<R: Real>(key: RunKey, number: u64) -> [R; 2] {
    Draw::both(Stream::new(key.of_leg(number), Purpose::Choice, 0, 0).draws_of::<R>(0))
}

/// The first generation, and whether that stops the run.
pub fn start<R: Real>(
    portfolio: &Portfolio<R>,
    work: &Work<'_, R>,
    id: RunId,
    threads: Threads,
) -> Swarm<R> {
    let mut swarm = Swarm::unplaced(work.bounds.dimensions(), portfolio.individuals, id);
    (swarm.positions, swarm.velocities) = (Vec::new(), Vec::new());
    swarm.legs.individuals = portfolio.individuals;
    if let Some((_, individuals)) = portfolio.shade {
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
    swarm.legs.ahead = AHEAD * swarm.dimensions as u64;
    portfolio.place(&mut swarm, work, &mut Scratch::default(), threads);
    swarm.settle(&work.stop);
    swarm
}

/// Goes as far as `span` has it, less far if the run stops by itself.
///
/// N and then M iterations give the same bits as N + M, with any [`Threads`].
pub fn run<R: Real>(
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

/// Whether a population has come together: all its values, or all its points in their ranges, are the same in three quarters
/// of the digits of its precision.
fn has_converged<R: Real>(swarm: &Swarm<R>, work: &Work<'_, R>) -> bool {
    let spread = |numbers: &mut dyn Iterator<Item = R>| {
        let (mut least, mut most) = (R::INFINITY, -R::INFINITY);
        for x in numbers {
            (least, most) = (least.smaller(x), most.larger(x));
        }
        (most - least, least.abs().larger(most.abs()))
    };
    let (violations, _) = spread(&mut swarm.best.iter().map(|fitness| fitness.counted()));
    let (values, size) = spread(&mut swarm.best.iter().map(|fitness| fitness.value));
    let root = R::HALF_EPSILON.sqrt();
    let precision = root * root.sqrt();
    if violations == R::ZERO && values <= size * precision {
        return true;
    }
    (0..swarm.dimensions).all(|i| {
        let mut of = swarm.best_positions.iter().skip(i).step_by(swarm.stride).copied();
        let (lower, upper) = work.bounds.of(i);
        let (points, _) = spread(&mut of);
        points <= (upper - lower) * precision
    })
}
