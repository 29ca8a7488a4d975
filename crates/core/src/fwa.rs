//! The fireworks algorithm: points throw sparks, and some of all points are kept.
//!
//! **Idea.** Every firework throws sparks around itself, a good one many and near, a bad one few and
//! far; a few more sparks stretch coordinates of a firework by a normal factor. Of all of them the
//! best is kept, and others by a roulette that prefers points far from the rest.
//!
//! **Equations** (f, y_min, y_max over the n fireworks; lengths of coordinate k in its range, u_k - l_k):
//!
//! ```text
//! amplitude     A_i = A ((f_i - y_min + e) / sum_j (f_j - y_min + e) + d)                       (1)
//! sparks        s_i = m (y_max - f_i + e) / sum_j (y_max - f_j + e),
//!               then a m if less, b m if more, rounded, at least 1                             (2)
//! explosion     x'_k = x_k + h (u_k - l_k),  h = A_i U(-1, 1), the same for z coordinates
//! Gaussian      x'_k = g x_k,                g = N(1, 1), the same for z coordinates of a random firework
//! z             uniform in 1 to D; the coordinates are a uniform choice of so many
//! mapping       x' = l + |x' - l| mod (u - l)   out of bounds (mode modulo)
//! selection     the best of all candidates, and n - 1 times candidate c with p_c = R_c / sum_j R_j,
//!               R_c = sum_j |x_c - x_j|
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | A | `amplitude` | sum of all amplitudes, in ranges | finite, > 0 | 0.2 |
//! | d | `amplitude_floor` | what every firework has of A at least | finite, >= 0 | 0 |
//! | m | `sparks` | sparks of all explosions, about | >= 1 | 50 |
//! | a | `fewest` | part of m that a firework throws at least | [0, 1] | 0.04 |
//! | b | `most` | part of m that a firework throws at most | (0, 1], >= a | 0.8 |
//! | | `gaussian_sparks` | sparks that stretch | >= 0 | 5 |
//! | | `mapping` | what happens out of bounds | | modulo |
//! | n | | fireworks: the individuals | >= 1 | |
//! | e | | machine precision | | |
//! | R_c | | Euclidean distances to all candidates, in ranges | | |
//!
//! **What it is for.** Comparison with what came after it. The Gaussian sparks pull to the origin, and
//! nothing else closes in on an optimum: the best firework's amplitude is nearly zero, so that its
//! sparks are all but copies, and the others are chosen for being far away. What was measured in f64, of seed 0:
//!
//! | sphere in [-5.12, 5.12]^D | optimum at the origin | shifted by 1.3 |
//! |---|---|---|
//! | D = 10, defaults, n = 5, 200,000 evaluations, median of 25 | 0 | 9e-5 |
//! | the same with d = 0.001 | 0 | 2e-11 |
//! | D = 30, GPU-FWA's sizes, n = 64, 768,000 evaluations, one run | 1e-218 | 3.8 |
//!
//! **On a GPU** there is no form of it. What one would have to live with was measured on 2026-11-25, on one thread of an AMD
//! EPYC, in f64, over 1,000 iterations of each of GPU-FWA's eight functions in 30 dimensions
//! (`cargo run --release -p warpswarm-cpu-ref --example fwa_load`):
//!
//! | | n = 64, m = 640, 64 Gaussian sparks | n = 5, defaults |
//! |---|---|---|
//! | largest number of sparks of a firework over the mean | 1.2 to 2.0 | 1.5 to 1.8 |
//! | the same in the worst iteration | 2.1 to 8.9 | 4.2 |
//! | lanes with a spark, a warp a firework | 31 to 34 % | 32 to 33 % |
//! | candidates | 769 to 822 | 63 |
//! | an iteration | 17 to 18 ms | 0.13 to 0.15 ms |
//! | its part for distances | 93 to 96 % | 66 to 80 % |
//! | its part for n - 1 draws of the roulette | 0.01 % | 0.07 % |
//!
//! Uneven numbers of sparks are the lesser obstacle: where a warp throws a firework's sparks, the others wait for one to
//! two times the mean. The larger one is the selection. It compares all pairs of candidates in every iteration, and blocks
//! would have to agree when sparks are evaluated, distances summed, and fireworks chosen, for some 700 evaluations.
//! GPU-FWA has neither: its fireworks throw equally many sparks, and look at each other once in L explosions.
//!
//! **Source.** Y. Tan, Y. Zhu, "Fireworks algorithm for optimization", ICSI 2010; equations 1 and 2
//! and the mapping as in GPU-FWA: K. Ding, S. Zheng, Y. Tan, "A GPU-based parallel fireworks algorithm
//! for optimization", GECCO 2013.
//!
//! **Deviations.**
//! * Lengths and distances are in ranges, so that coordinates of different sizes are searched alike. In
//!   the 2010 paper's box, 200 wide, its amplitude of 40 is our 0.2.
//! * e stands inside the sum of equation 2, as in equation 1. Outside, as printed, n fireworks of
//!   the same fitness would throw m sparks each.
//! * z is 1 to D where the paper has round(D U(0, 1)): with none the spark would be a copy. A firework
//!   throws at least one spark.
//! * The 2010 paper maps to l + |x'| mod (u - l), which in a symmetric box leads to the middle. The
//!   [`Boundary`] modes can be had instead.
//! * The roulette is with replacement; the papers do not say.
//! * Under constraints f is Deb's: the value where feasible, otherwise the violation on top of the
//!   worst feasible value. What is not finite counts as the worst that is; -inf as the best.
//!   Candidates compare as everywhere, by (violation, value, index).

use crate::boundary::{Boundary, Limits};
use crate::method::{Fitnesses, Individual};
use crate::order::Fitness;
use crate::random::standard_normal;
use crate::real::Float;
use crate::sum::{self, Largest, Least, Sum};

/// Numbers that a firework keeps: see [`counted`].
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
    /// To l + |x - l| mod (u - l).
    #[default]
    Modulo,
    /// As other algorithms do it.
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
    /// d, what every firework has of A at least.
    pub amplitude_floor: R,
    /// a, the part of m that a firework throws at least.
    pub fewest: R,
    /// b, the part of m that a firework throws at most.
    pub most: R,
    /// COR, the reach of [`Boundary::Reverse`], as a part of the range.
    pub correction: R,
    /// m, about as many sparks explosions throw.
    pub sparks: u32,
    /// Sparks that stretch a firework.
    pub gaussian_sparks: u32,
    /// What happens out of bounds.
    pub mapping: Mapping,
}

/// The fireworks together: what equations 1 and 2 need of all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range<R> {
    /// The worst finite value of a feasible firework; zero where there is none.
    worst_feasible: R,
    /// y_min
    least: R,
    /// y_max
    largest: R,
    /// One, or what keeps sums of differences finite.
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
    /// Of n fireworks, at least one: a whole population.
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

    /// f: a firework's fitness as one finite number.
    #[inline(always)]
    pub fn cost(&self, fitness: Fitness<R>) -> R {
        self.unlimited_cost(fitness).clamp_to(self.least, self.largest)
    }

    /// Equation 1, with A and d.
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
    /// Equation 1: how far, in ranges, the sparks of a firework fly at most.
    pub fn amplitude_of(&self, range: &Range<R>, fitness: Fitness<R>) -> R {
        range.amplitude((self.amplitude, self.amplitude_floor), fitness)
    }

    /// Equation 2: how many sparks a firework throws.
    pub fn sparks_of(&self, range: &Range<R>, fitness: Fitness<R>) -> u32 {
        let m = R::from_u32(self.sparks);
        let s = m * (range.under_largest(fitness) / range.below);
        whole(s.smaller(self.most * m).larger(self.fewest * m))
    }

    /// The most candidates, fireworks and sparks, that an iteration of n fireworks can have.
    pub fn most_candidates(&self, n: u32) -> u64 {
        let [n, m, gaussian] = [n, self.sparks, self.gaussian_sparks].map(u64::from);
        let fewest = u64::from(whole(self.fewest * R::from_u32(self.sparks)));
        // Shares of m, each rounded up; where that is less than the least, the least.
        n + (m + n + n * fewest) + gaussian
    }

    /// The coordinate after it has been mapped into its bounds, which `draw` does in random modes.
    pub fn mapped(&self, x: R, bounds: (R, R), draw: impl FnOnce() -> R) -> R {
        match self.mapping {
            Mapping::Modulo => modulo(x, bounds),
            Mapping::Boundary(boundary) => {
                Limits { correction: self.correction, boundary }.enforce(x, bounds, draw)
            }
        }
    }
}

/// The nearest whole number, halves up, at least 1.
fn whole<R: Float>(x: R) -> u32 {
    ((x + R::HALF).floor().to_f64() as u32).max(1)
}

/// l + |x - l| mod (u - l) where x is out of bounds; a NaN ends at u.
#[inline(always)]
pub fn modulo<R: Float>(x: R, (lower, upper): (R, R)) -> R {
    if x >= lower && x <= upper {
        return x;
    }
    let range = upper - lower;
    let turns = (x - lower).abs() / range;
    (lower + (turns - turns.floor()) * range).clamp_to(lower, upper)
}

/// What a spark does to the coordinates that it changes.
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
    /// z, the coordinates that change.
    pub coordinates: u32,
    /// How.
    pub change: Change<R>,
}

impl<R: Float> Spark<R> {
    /// A spark of an explosion of this amplitude; `who.index` is the spark's.
    pub fn explosion(who: &Individual<R>, firework: u32, amplitude: R) -> Self {
        let [u, _] = who.uniform(0);
        let change = Change::Shift(amplitude * (R::TWO * u - R::ONE));
        Spark { firework, coordinates: 1 + who.below(who.dimensions, 0), change }
    }

    /// A spark that stretches a random firework of `who.individuals`.
    pub fn gaussian(who: &Individual<R>) -> Self {
        let change = Change::Stretch(R::ONE + standard_normal(who.uniform(0)));
        let firework = who.below(who.individuals, 1);
        Spark { firework, coordinates: 1 + who.below(who.dimensions, 0), change }
    }

    /// A coordinate of the firework, changed, in bounds or not.
    pub fn changed(&self, x: R, (lower, upper): (R, R)) -> R {
        match self.change {
            Change::Shift(h) => x + h * (upper - lower),
            Change::Stretch(g) => g * x,
        }
    }
}

/// Whether the next coordinate is one of the `wanted` that are to be chosen of the `left` (at most
/// 2^24); `r` is uniform in (0, 1).
///
/// **Source.** Algorithm S, "selection sampling", of D. Knuth, The Art of Computer Programming 2,
/// 3.4.2: every choice of so many is as likely, and in the end none is missing.
pub fn is_chosen<R: Float>(wanted: u32, left: u32, r: R) -> bool {
    R::from_u32(left) * r < R::from_u32(wanted)
}

/// Where a coordinate lies in its range, 0 to 1: in what distances are measured.
pub fn place_in_range<R: Float>(x: R, (lower, upper): (R, R)) -> R {
    // The range of a frozen coordinate is zero.
    if upper > lower { (x - lower) / (upper - lower) } else { R::ZERO }
}

/// The distance of two candidates whose coordinates are [`place_in_range`], as many of each.
pub fn distance<R: Float>(x: &[R], y: &[R]) -> R {
    // Said so that no index is checked in the loop.
    let y = &y[..x.len()];
    let square = |i: usize| (x[i] - y[i]) * (x[i] - y[i]);
    sum::fold_buffered::<R, Sum>(x.len(), square).sqrt()
}

/// On which of the candidates the ball falls that `r`, uniform in (0, 1), threw. `ends[c]` is where
/// candidate c's part of the wheel ends: the sum, in sequence, of all R up to its own.
pub fn roulette<R: Float>(ends: &[R], r: R) -> usize {
    let last = ends.len() - 1;
    let ball = r * ends[last];
    // Where all candidates are in one place, any will do.
    ends.partition_point(|&end| end <= ball).min(last)
}

/// Evaluations in two numbers, the lower 24 bits and the others, which an f32 holds exactly.
const LOW_BITS: u32 = 24;

/// The evaluations of a firework's numbers.
pub fn evaluations<R: Float>([low, high]: [R; NUMBERS]) -> u64 {
    let high = (high.to_f64() as u64).saturating_mul(1 << LOW_BITS);
    high.saturating_add(low.to_f64() as u64)
}

/// The numbers of a firework after so many more evaluations.
pub fn counted<R: Float>(numbers: [R; NUMBERS], more: u64) -> [R; NUMBERS] {
    let all = evaluations(numbers).saturating_add(more);
    let (low, high) = (all % (1 << LOW_BITS), all >> LOW_BITS);
    [low, high].map(|part| R::from_f64(part as f64))
}

#[cfg(test)]
mod tests;
