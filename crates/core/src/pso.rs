//! Particle swarm optimisation, global best, synchronous.
//!
//! **Idea.** Each particle remembers the best point that it has seen and knows the best point that the swarm has seen.
//! Its velocity is pulled towards both. The strength of each pull is random, with a separate draw for each coordinate.
//!
//! **Equations** (of one coordinate; CPSO's 2 and 3):
//!
//! ```text
//! v = w v + c1 r1 (p - x) + c2 r2 (g - x),   limited to +-k (upper - lower)
//! x = x + v,                                 then the boundary mode
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | w | `inertia` | fraction of the velocity that is kept | finite | 0.7298 |
//! | c1 | `cognitive` | pull to the personal best | [0, 1e30] | 1.4962 |
//! | c2 | `social` | pull to the global best | [0, 1e30] | 1.4962 |
//! | k | `velocity_limit` | largest speed in ranges per iteration | > 0, inf for no limit | 1 |
//! | | `boundary` | see [`boundary`] | | clamp |
//! | COR | `correction` | reach of the mode `reverse` | [0, 1] | 0.22 |
//! | r1, r2 | | uniform in [0, 1), a new draw for every coordinate: [`Factor`]s | | |
//! | p, g | | personal best and global best of the previous iteration | | |
//!
//! **Source.** The paper on CPSO, particle swarm optimisation with CUDA and a tree reduction (equations 2 and 3,
//! Algorithms 1 to 5; `docs/papers/cpso.md`). With c1 = c2 = 2 and w = 1 its equations are also those of the notes
//! on whole-matrix operations (`docs/papers/pso-notes.md`). The default coefficients are from M. Clerc, J. Kennedy,
//! "The particle swarm: explosion, stability, and convergence in a multidimensional complex space", IEEE TEVC 6, 2002.
//! The limit k = 1 is from R. Eberhart, Y. Shi, "Comparing inertia weights and constriction factors in particle swarm
//! optimization", CEC 2000.
//!
//! **Deviations.**
//! * The paper's pseudo-code updates when the fitness is *greater*, while its experiments and its reduction minimise.
//!   This code minimises.
//! * The paper does not say whether r1 and r2 are drawn per particle or per coordinate. Here they are drawn per
//!   coordinate, as in the original PSO. Its r1 and r2 are in [0, 1], ours in [0, 1).
//! * The paper starts with random velocities but does not say which. Here the first velocity is half the difference
//!   to a random point, as in Clerc's SPSO 2007.
//! * The notes say that r1 and r2 are "between one and two", a slip for zero and one: with [1, 2) every pull would
//!   overshoot. They begin with a global best of zero and fitnesses of minus infinity (they maximise). Here the first
//!   points are evaluated.
//! * The paper has no velocity limit and no boundary. Here positions stay in the bounds, and without a limit the
//!   largest finite number limits the velocity, so that no NaN can arise.

use crate::boundary::{self, Boundary};
use crate::launch::Words;
use crate::random::{Draw, Factor, Purpose, RunKey, Stream};
use crate::real::Float;
use crate::words;

/// The coefficients of a particle's move, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients<R> {
    /// w, the fraction of the velocity that is kept.
    pub inertia: R,
    /// c1, the pull to the personal best.
    pub cognitive: R,
    /// c2, the pull to the global best.
    pub social: R,
    /// k, the largest speed, in ranges per iteration; infinite for no limit.
    pub velocity_limit: R,
    /// COR, the reach of [`Boundary::Reverse`], as a fraction of the range.
    pub correction: R,
    /// What happens at the bounds.
    pub boundary: Boundary,
}

impl<R: Float> Words for Coefficients<R> {
    words!(inertia, cognitive, social, velocity_limit, correction, boundary);
}

/// One coordinate of a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinate<R> {
    /// x
    pub position: R,
    /// v
    pub velocity: R,
    /// p
    pub personal_best: R,
}

/// The weights c1 r1 and c2 r2 of the pulls to the personal and the global best.
#[inline(always)]
pub fn pulls<R: Float>(coefficients: &Coefficients<R>, [r1, r2]: [Factor<R>; 2]) -> [R; 2] {
    [r1.times(coefficients.cognitive), r2.times(coefficients.social)]
}

/// The velocity of CPSO's equation 2, before the limit. Products and sums are fused.
#[inline(always)]
pub fn velocity<R: Float>(
    coefficients: &Coefficients<R>,
    at: Coordinate<R>,
    global_best: R,
    [c1_r1, c2_r2]: [R; 2],
) -> R {
    let kept = coefficients.inertia * at.velocity;
    let pulled = c1_r1.fused(at.personal_best - at.position, kept);
    c2_r2.fused(global_best - at.position, pulled)
}

/// The range of velocities, +-k (upper - lower).
#[inline(always)]
pub fn speeds<R: Float>(coefficients: &Coefficients<R>, (lower, upper): (R, R)) -> (R, R) {
    let limit = (coefficients.velocity_limit * (upper - lower)).smaller(R::MAX);
    // A bound must not be -0: zero minus zero is +0.
    (R::ZERO - limit, limit)
}

/// The velocity limited to its [`speeds`]; a NaN becomes the upper limit.
#[inline(always)]
pub fn limited<R: Float>(coefficients: &Coefficients<R>, velocity: R, bounds: (R, R)) -> R {
    let (lower, upper) = speeds(coefficients, bounds);
    velocity.clamp_to(lower, upper)
}

/// Position and velocity after CPSO's equation 3 and the boundary mode.
///
/// `draw` returns the random number of the modes that need one.
#[inline(always)]
pub fn moved<R: Float>(
    coefficients: &Coefficients<R>,
    position: R,
    velocity: R,
    bounds: (R, R),
    draw: impl FnOnce() -> R,
) -> (R, R) {
    let there = (position + velocity, velocity);
    boundary::enforce(coefficients.boundary, coefficients.correction, there, bounds, draw)
}

/// An inertia that falls linearly from `start` to `end` over `iterations` iterations; with 0 it stays at `start`.
#[inline(always)]
pub fn falling<R: Float>(start: R, end: R, iteration: u64, iterations: u32) -> R {
    if iterations == 0 {
        return start;
    }
    let reached = iteration.min(u64::from(iterations)) as u32;
    start - (start - end) * (R::from_u32(reached) / R::from_u32(iterations))
}

/// The random number with which coordinate `i` of a particle is put back into its bounds.
#[inline(always)]
pub fn reentry_draw<R: Float>(key: RunKey, iteration: u64, individual: u32, i: u32) -> R {
    Stream::new(key, Purpose::Reentry, iteration, individual).draws_of::<R>(i)[0].open()
}

/// The first position and velocity of a coordinate, from two draws.
///
/// The position is `given`, or uniform in the bounds if `given` is a NaN. The velocity is half the difference to
/// another uniform point.
#[inline(always)]
pub fn initial<R: Float>(bounds: (R, R), [u1, u2]: [Draw<R>; 2], given: R) -> (R, R) {
    let position = if given.is_nan() { uniform(bounds, u1) } else { given };
    (position, first_velocity(bounds, u2, position))
}

/// A coordinate that is uniform in its bounds.
#[inline(always)]
pub fn uniform<R: Float>((lower, upper): (R, R), u: Draw<R>) -> R {
    (lower + (upper - lower) * u.open()).clamp_to(lower, upper)
}

/// Half the difference from a position to a point that is uniform in the bounds.
#[inline(always)]
pub fn first_velocity<R: Float>(bounds: (R, R), u: Draw<R>, position: R) -> R {
    R::HALF * (uniform(bounds, u) - position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::FromWords;

    const C: Coefficients<f64> = Coefficients {
        inertia: 0.5,
        cognitive: 2.0,
        social: 4.0,
        velocity_limit: 1.0,
        correction: 0.25,
        boundary: Boundary::Clamp,
    };

    #[test]
    fn equation_2_by_hand() {
        let at = Coordinate { position: 1.0, velocity: 3.0, personal_best: 2.0 };
        let factors = [0.25, 0.5].map(|r| Factor::of_offset(f64::FACTOR_OFFSET + r));
        // 0.5 * 3 + 2 * 0.25 * (2 - 1) + 4 * 0.5 * (-1 - 1) = 1.5 + 0.5 - 4
        assert_eq!(velocity(&C, at, -1.0, pulls(&C, factors)), -2.0);
    }

    #[test]
    fn equation_3_and_the_bounds_by_hand() {
        let unused = || unreachable!("clamp draws nothing");
        assert_eq!(moved(&C, 1.0, -2.0, (-5.0, 5.0), unused), (-1.0, -2.0));
        assert_eq!(moved(&C, 1.0, -7.0, (-5.0, 5.0), unused), (-5.0, 0.0));
        let reverse = Coefficients { boundary: Boundary::Reverse, ..C };
        // -5 + 0.25 * 0.5 * 10
        assert_eq!(moved(&reverse, 1.0, -7.0, (-5.0, 5.0), || 0.5), (-3.75, 7.0));
    }

    #[test]
    fn the_limit_is_in_ranges_and_leaves_no_nan() {
        assert_eq!(limited(&C, 11.0, (-5.0, 5.0)), 10.0);
        assert_eq!(limited(&C, -11.0, (-5.0, 5.0)), -10.0);
        assert_eq!(limited(&C, 9.0, (-5.0, 5.0)), 9.0);
        assert_eq!(limited(&C, 9.0, (5.0, 5.0)), 0.0);
        let free = Coefficients { velocity_limit: f64::INFINITY, ..C };
        assert_eq!(limited(&free, 1e300, (-5.0, 5.0)), 1e300);
        assert_eq!(limited(&free, f64::NEG_INFINITY, (-5.0, 5.0)), -f64::MAX);
        assert_eq!(limited(&free, f64::NAN, (5.0, 5.0)), f64::MAX);
    }

    #[test]
    fn the_start_by_hand() {
        // `open` adds half a step to 1/4 and 3/4, which is below the tolerance.
        let draws = [1.25_f32, 1.75].map(Draw::of_one_to_two);
        let (x, v) = initial((-2.0, 6.0), draws, f32::NAN);
        assert!(x.abs() < 1e-6 && (v - 2.0).abs() < 1e-6, "{x} {v}");
        assert_eq!(initial((3.0, 3.0), draws, f32::NAN), (3.0, 0.0));
        // A given position of 1: the velocity is half the difference to 4.
        let (x, v) = initial((-2.0, 6.0), draws, 1.0);
        assert!(x == 1.0 && (v - 1.5).abs() < 1e-6, "{x} {v}");
    }
}
