//! The fireworks algorithm: points throw sparks, and some of all points survive.
//!
//! **Idea.** Every firework throws sparks around itself: a good one many sparks nearby, a bad one few sparks far away.
//! A few additional sparks stretch coordinates of a firework by a normally distributed factor. The best of all points
//! survives. The others are drawn by roulette-wheel selection, which prefers points far from the rest.
//!
//! **Equations** (f, y_min, y_max over the n fireworks; lengths of coordinate k in its range, u_k - l_k):
//!
//! ```text
//! amplitude     A_i = A ((f_i - y_min + e) / sum_j (f_j - y_min + e) + d)                       (1)
//! sparks        s_i = m (y_max - f_i + e) / sum_j (y_max - f_j + e),
//!               then a m if less, b m if more, rounded, at least 1                             (2)
//! explosion     x'_k = x_k + h (u_k - l_k),  h = A_i U(-1, 1), the same for z coordinates
//! Gaussian      x'_k = g x_k,                g = N(1, 1), the same for z coordinates of a random firework
//! z             uniform in 1 to D; the z coordinates are a uniform random subset
//! mapping       x' = l + |x' - l| mod (u - l)   out of bounds (mode modulo)
//! selection     the best of all candidates, and n - 1 times candidate c with p_c = R_c / sum_j R_j,
//!               R_c = sum_j |x_c - x_j|
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | A | `amplitude` | sum of all amplitudes, in ranges | finite, > 0 | 0.2 |
//! | d | `amplitude_floor` | least share of A for every firework | finite, >= 0 | 0 |
//! | m | `sparks` | approximate number of sparks of all explosions | >= 1 | 50 |
//! | a | `fewest` | least share of m for a firework | [0, 1] | 0.04 |
//! | b | `most` | largest share of m for a firework | (0, 1], >= a | 0.8 |
//! | | `gaussian_sparks` | sparks that stretch coordinates | >= 0 | 5 |
//! | | `mapping` | what happens out of bounds | | modulo |
//! | n | | fireworks: the individuals | >= 1 | |
//! | e | | machine precision | | |
//! | R_c | | Euclidean distances to all candidates, in ranges | | |
//!
//! **What it is for.** Comparison with later algorithms. The Gaussian sparks pull to the origin, and nothing else
//! converges to an optimum: the best firework's amplitude is nearly zero, so that its sparks are almost copies, and the
//! other fireworks are selected for being far away. Measured in f64 with seed 0:
//!
//! | sphere in [-5.12, 5.12]^D | optimum at the origin | shifted by 1.3 |
//! |---|---|---|
//! | D = 10, defaults, n = 5, 200,000 evaluations, median of 25 | 0 | 9e-5 |
//! | the same with d = 0.001 | 0 | 2e-11 |
//! | D = 30, GPU-FWA's sizes, n = 64, 768,000 evaluations, one run | 1e-218 | 3.8 |
//!
//! **On a GPU** there is no implementation. What it would cost was measured on 2026-11-25, on one thread of an AMD
//! EPYC, in f64, over 1,000 iterations of each of GPU-FWA's eight functions in 30 dimensions
//! (`cargo run --release -p warpswarm-cpu-ref --example fwa_load`):
//!
//! | | n = 64, m = 640, 64 Gaussian sparks | n = 5, defaults |
//! |---|---|---|
//! | largest number of sparks of a firework over the mean | 1.2 to 2.0 | 1.5 to 1.8 |
//! | the same in the worst iteration | 2.1 to 8.9 | 4.2 |
//! | lanes with a spark, with a warp for each firework | 31 to 34 % | 32 to 33 % |
//! | candidates | 769 to 822 | 63 |
//! | time of an iteration | 17 to 18 ms | 0.13 to 0.15 ms |
//! | share of the distances | 93 to 96 % | 66 to 80 % |
//! | share of n - 1 draws of the roulette | 0.01 % | 0.07 % |
//!
//! Uneven numbers of sparks are the smaller obstacle: if a warp throws the sparks of one firework, the others wait for
//! one to two times the mean. The larger obstacle is the selection. It compares all pairs of candidates in every
//! iteration, and blocks would need a barrier after evaluating sparks, after summing distances, and after choosing
//! fireworks, for only some 700 evaluations. GPU-FWA has neither obstacle: its fireworks throw equally many sparks and
//! use each other's fitness only once in L explosions.
//!
//! **Source.** Y. Tan, Y. Zhu, "Fireworks algorithm for optimization", ICSI 2010; equations 1 and 2
//! and the mapping as in GPU-FWA: K. Ding, S. Zheng, Y. Tan, "A GPU-based parallel fireworks algorithm
//! for optimization", GECCO 2013.
//!
//! **Deviations.**
//! * Lengths and distances are in ranges, so that coordinates of different sizes are treated equally. In the 2010
//!   paper's box, 200 wide, its amplitude of 40 is 0.2 here.
//! * e is inside the sum of equation 2, as in equation 1. Outside, as printed, n fireworks of the same fitness would
//!   throw m sparks each.
//! * z is 1 to D, where the paper has round(D U(0, 1)): with z = 0 the spark would be a copy. A firework throws at
//!   least one spark.
//! * The 2010 paper maps to l + |x'| mod (u - l), which in a symmetric box leads to the middle. The [`Boundary`] modes
//!   are alternatives.
//! * The roulette draws with replacement; the papers do not say.
//! * Under constraints f is Deb's: the value if feasible, otherwise the worst feasible value plus the violation. A NaN
//!   or +inf counts as the worst finite f, -inf as the best. Candidates are compared by (violation, value, index).

use crate::boundary::{Boundary, Limits};
use crate::method::{Fitnesses, Individual};
use crate::order::Fitness;
use crate::random::standard_normal;
use crate::real::Float;
use crate::sum::{self, Largest, Least, Sum};

/// The number of values that a firework stores: see [`counted`].
pub const NUMBERS: usize = 2;

/// How a coordinate that left its bounds is put back.
///
/// ```
/// use warpswarm_core::fwa::Mapping;
/// use warpswarm_core::boundary::Boundary;
/// let named = |name| Mapping::ALL.iter().find(|mapping| mapping.0 == name).map(|mapping| mapping.1);
/// assert_eq!(named("modulo"), Some(Mapping::default()));
/// assert_eq!(named("wrap"), Some(Mapping::Boundary(Boundary::Wrap)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mapping {
    /// l + |x - l| mod (u - l).
    #[default]
    Modulo,
    /// A boundary mode of the other algorithms.
    Boundary(Boundary),
}

impl Mapping {
    /// Every mapping with the name that users give it.
    pub const ALL: [(&'static str, Mapping); 6] = {
        let mut all = [("modulo", Mapping::Modulo); 6];
        let mut i = 0;
        while i < Boundary::ALL.len() {
            let (name, boundary) = Boundary::ALL[i];
            all[i + 1] = (name, Mapping::Boundary(boundary));
            i += 1;
        }
        all
    };
}

/// The parameters of the fireworks algorithm, in the precision of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fwa<R> {
    /// A, the sum of all amplitudes, in ranges.
    pub amplitude: R,
    /// d, the least share of A for every firework.
    pub amplitude_floor: R,
    /// a, the least share of m for a firework.
    pub fewest: R,
    /// b, the largest share of m for a firework.
    pub most: R,
    /// COR, the reach of [`Boundary::Reverse`], as a fraction of the range.
    pub correction: R,
    /// m, the approximate number of sparks of all explosions.
    pub sparks: u32,
    /// The number of sparks that stretch coordinates.
    pub gaussian_sparks: u32,
    /// What happens out of bounds.
    pub mapping: Mapping,
}

/// The statistics of all fireworks that equations 1 and 2 need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range<R> {
    /// The worst finite value of a feasible firework; zero if there is none.
    worst_feasible: R,
    /// y_min
    least: R,
    /// y_max
    largest: R,
    /// A factor that keeps sums of differences finite; usually one.
    factor: R,
    /// The sum of f_j - y_min + e.
    above: R,
    /// The sum of y_max - f_j + e.
    below: R,
}

/// e, the distance from one to the next number.
#[inline(always)]
fn epsilon<R: Float>() -> R {
    R::from_f64(if R::WORDS == 1 { f64::from(f32::EPSILON) } else { f64::EPSILON })
}

impl<R: Float> Range<R> {
    /// The statistics of a population of n fireworks, at least one.
    #[inline(always)]
    pub fn of<P: Fitnesses<R>>(n: u32, population: &P) -> Self {
        let zero = R::ZERO;
        let or_zero = |x: R| if x.is_finite() { x } else { zero };
        let finite = |x: R, otherwise: R| if x.is_finite() { x } else { otherwise };
        let lowest = zero - R::INFINITY;
        let worst_feasible = population.fold::<Largest>(n, |f: Fitness<R>| {
            if f.counted() == zero { finite(f.value, lowest) } else { lowest }
        });
        let mut range = Range {
            worst_feasible: or_zero(worst_feasible),
            least: zero,
            largest: zero,
            factor: R::ONE,
            above: zero,
            below: zero,
        };
        let cost = |f: Fitness<R>, otherwise: R| finite(range.unlimited_cost(f), otherwise);
        let least = or_zero(population.fold::<Least>(n, |f| cost(f, R::INFINITY)));
        let largest = or_zero(population.fold::<Largest>(n, |f| cost(f, lowest)));
        (range.least, range.largest) = (least, largest);
        let terms = R::from_u32(n);
        if !(terms * (largest - least)).is_finite() {
            range.factor = R::ONE / (R::TWO * R::TWO * terms);
        }
        range.above = population.fold::<Sum>(n, |f| range.over_least(f));
        range.below = population.fold::<Sum>(n, |f| range.under_largest(f));
        range
    }

    #[inline(always)]
    fn unlimited_cost(&self, fitness: Fitness<R>) -> R {
        if fitness.counted() == R::ZERO {
            fitness.value
        } else {
            self.worst_feasible + fitness.violation
        }
    }

    /// f: the fitness of a firework as one finite number.
    #[inline(always)]
    pub fn cost(&self, fitness: Fitness<R>) -> R {
        self.unlimited_cost(fitness).clamp_to(self.least, self.largest)
    }

    /// Equation 1, with (A, d) given.
    #[inline(always)]
    pub fn amplitude(&self, (amplitude, floor): (R, R), fitness: Fitness<R>) -> R {
        amplitude * (self.over_least(fitness) / self.above + floor)
    }

    /// f - y_min + e
    #[inline(always)]
    fn over_least(&self, fitness: Fitness<R>) -> R {
        self.factor * self.cost(fitness) - self.factor * self.least + epsilon()
    }

    /// y_max - f + e
    #[inline(always)]
    fn under_largest(&self, fitness: Fitness<R>) -> R {
        self.factor * self.largest - self.factor * self.cost(fitness) + epsilon()
    }
}

impl<R: Float> Fwa<R> {
    /// Equation 1: the largest distance, in ranges, of a firework's sparks.
    pub fn amplitude_of(&self, range: &Range<R>, fitness: Fitness<R>) -> R {
        range.amplitude((self.amplitude, self.amplitude_floor), fitness)
    }

    /// Equation 2: the number of sparks of a firework.
    pub fn sparks_of(&self, range: &Range<R>, fitness: Fitness<R>) -> u32 {
        let m = R::from_u32(self.sparks);
        let s = m * (range.under_largest(fitness) / range.below);
        whole(s.smaller(self.most * m).larger(self.fewest * m))
    }

    /// The largest number of candidates, fireworks and sparks, in an iteration of n fireworks.
    pub fn most_candidates(&self, n: u32) -> u64 {
        let [n, m, gaussian] = [n, self.sparks, self.gaussian_sparks].map(u64::from);
        let fewest = u64::from(whole(self.fewest * R::from_u32(self.sparks)));
        // Shares of m, each rounded up, or the least share where that is larger.
        n + (m + n + n * fewest) + gaussian
    }

    /// The coordinate, mapped into its bounds; random modes call `draw`.
    pub fn mapped(&self, x: R, bounds: (R, R), draw: impl FnOnce() -> R) -> R {
        match self.mapping {
            Mapping::Modulo => modulo(x, bounds),
            Mapping::Boundary(boundary) => {
                Limits { correction: self.correction, boundary }.enforce(x, bounds, draw)
            }
        }
    }
}

/// The nearest integer, with halves rounded up, at least 1.
fn whole<R: Float>(x: R) -> u32 {
    ((x + R::HALF).floor().to_f64() as u32).max(1)
}

/// l + |x - l| mod (u - l) if x is out of bounds; a NaN becomes u.
#[inline(always)]
pub fn modulo<R: Float>(x: R, (lower, upper): (R, R)) -> R {
    if x >= lower && x <= upper {
        return x;
    }
    let range = upper - lower;
    let turns = (x - lower).abs() / range;
    (lower + (turns - turns.floor()) * range).clamp_to(lower, upper)
}

/// How a spark changes its coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change<R> {
    /// Adds h ranges.
    Shift(R),
    /// Multiplies by g.
    Stretch(R),
}

/// A spark before it is placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spark<R> {
    /// The firework that throws it.
    pub firework: u32,
    /// z, the number of coordinates that change.
    pub coordinates: u32,
    /// How they change.
    pub change: Change<R>,
}

impl<R: Float> Spark<R> {
    /// A spark of an explosion with this amplitude; `who.index` is the index of the spark.
    pub fn explosion(who: &Individual<R>, firework: u32, amplitude: R) -> Self {
        let [u, _] = who.uniform(0);
        let change = Change::Shift(amplitude * (R::TWO * u - R::ONE));
        Spark { firework, coordinates: 1 + who.below(who.dimensions, 0), change }
    }

    /// A spark that stretches coordinates of a random firework of `who.individuals`.
    pub fn gaussian(who: &Individual<R>) -> Self {
        let change = Change::Stretch(R::ONE + standard_normal(who.uniform(0)));
        let firework = who.below(who.individuals, 1);
        Spark { firework, coordinates: 1 + who.below(who.dimensions, 0), change }
    }

    /// The changed coordinate of the firework, not yet mapped into the bounds.
    pub fn changed(&self, x: R, (lower, upper): (R, R)) -> R {
        match self.change {
            Change::Shift(h) => x + h * (upper - lower),
            Change::Stretch(g) => g * x,
        }
    }
}

/// Whether the next coordinate is one of the `wanted` that are still to be chosen from the `left` (at most
/// 2^24); `r` is uniform in (0, 1).
///
/// **Source.** Algorithm S, "selection sampling", of D. Knuth, The Art of Computer Programming 2, 3.4.2: all subsets of
/// the wanted size are equally likely.
pub fn is_chosen<R: Float>(wanted: u32, left: u32, r: R) -> bool {
    R::from_u32(left) * r < R::from_u32(wanted)
}

/// The coordinate scaled from its range to 0 to 1; distances are measured in these numbers.
pub fn place_in_range<R: Float>(x: R, (lower, upper): (R, R)) -> R {
    // The range of a frozen coordinate is zero.
    if upper > lower { (x - lower) / (upper - lower) } else { R::ZERO }
}

/// The Euclidean distance of two candidates, given by equally many coordinates [`place_in_range`].
pub fn distance<R: Float>(x: &[R], y: &[R]) -> R {
    // A slice of known length, so that no index is checked in the loop.
    let y = &y[..x.len()];
    let square = |i: usize| (x[i] - y[i]) * (x[i] - y[i]);
    sum::fold_buffered::<R, Sum>(x.len(), square).sqrt()
}

/// The candidate that roulette-wheel selection draws with `r`, uniform in (0, 1). `ends[c]` is the end of candidate c's
/// part of the wheel: the sum, in sequence, of all R up to its own.
pub fn roulette<R: Float>(ends: &[R], r: R) -> usize {
    let last = ends.len() - 1;
    let ball = r * ends[last];
    // If all candidates are in one place, any of them may be returned.
    ends.partition_point(|&end| end <= ball).min(last)
}

/// Evaluations are stored in two numbers, the lower 24 bits and the rest, which an f32 holds exactly.
const LOW_BITS: u32 = 24;

/// The evaluations that a firework's numbers store.
pub fn evaluations<R: Float>([low, high]: [R; NUMBERS]) -> u64 {
    let high = (high.to_f64() as u64).saturating_mul(1 << LOW_BITS);
    high.saturating_add(low.to_f64() as u64)
}

/// The numbers of a firework after `more` evaluations.
pub fn counted<R: Float>(numbers: [R; NUMBERS], more: u64) -> [R; NUMBERS] {
    let all = evaluations(numbers).saturating_add(more);
    let (low, high) = (all % (1 << LOW_BITS), all >> LOW_BITS);
    [low, high].map(|part| R::from_f64(part as f64))
}

#[cfg(test)]
mod tests;
