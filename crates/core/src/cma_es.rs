//! CMA-ES: a normal distribution that adapts its mean, step size and covariance matrix to its best samples.
//!
//! **Idea.** A generation draws `lambda` points from a normal distribution and ranks them. The mean moves to a weighted
//! mean of the better half. The covariance matrix is updated from the same points, from the worse half with negative
//! weights, and from the evolution path of the mean. The step size is updated from the length of another path.
//!
//! **Equations**, with ranks i from 1, a factor A of the covariance matrix C = A A^T, and ranges s of the coordinates:
//!
//! ```text
//! sample:   z_i ~ N(0, I),  x_i = m + sigma s * (A z_i), mapped into the bounds by `into_bounds`, or by `mirrored`
//! mean:     w = sum of weight_i z_i over the better half,  m <- m + sigma s * (A w), pulled to the bounds by `brought_back`
//! paths:    p <- (1 - c_sigma) p + sqrt(c_sigma (2 - c_sigma) mu_eff) w
//!           q <- (1 - c_c) q + h sqrt(c_c (2 - c_c) mu_eff) w,   h = 1 where p is not too long, otherwise 0
//! matrix:   S = (1 + c_1 (1 - h) c_c (2 - c_c) - c_1 - c_mu sum of all weights) I + c_1 q q^T + c_mu sum of weight_i z_i z_i^T
//!           S = L L^T,  A <- A L,  q <- L^-1 q
//! step:     sigma <- sigma exp(c_sigma / d_sigma (|p| / E|N(0, I)| - 1))
//! ```
//!
//! In S a negative weight_i is replaced by `weight_i n / |z_i|^2`, so that S stays positive definite.
//!
//! **Deviations.**
//! * The tutorial updates C. Here all updates are in the coordinates of the factor A, where C is the identity: the new
//!   C is A S A^T, and its Cholesky factor A L follows from that of S, which is near the identity. So no eigenvalues
//!   and no square root of C are computed, and the order of all operations is fixed.
//! * The path p is also in these coordinates. With the symmetric square root of C it would be rotated a little, which
//!   changes nothing, because only its length is used.
//! * The matrix is updated [every few](Strategy::lag) generations, where that makes little difference.
//! * c_sigma is pycma's, (mu_eff + 2) / (n + mu_eff + 3), where the tutorial has n + mu_eff + 5.
//!
//! **Source.** N. Hansen, The CMA evolution strategy: a tutorial, arXiv 1604.00772 (equations 38 to 47, table 1).
//! Cholesky factors in place of eigenvalues: O. Krause, D. R. Arbones, C. Igel, CMA-ES with optimal covariance update
//! and storage complexity, NIPS 2016. Bounds: N. Hansen, pycma, its `BoxConstraintsLinQuadTransformation`. Restarts: A.
//! Auger, N. Hansen, A restart CMA evolution strategy with increasing population size, IEEE CEC 2005; N. Hansen,
//! Benchmarking a bi-population CMA-ES on the BBOB-2009 function testbed, GECCO 2009.

mod edges;

pub use edges::{into_bounds, mirrored};

use crate::real::{Float, Real};
use crate::sum::{self, Sum};

/// The smallest number of samples in a generation.
pub const MIN_INDIVIDUALS: u32 = 4;
/// Terms of a sum over samples are added in sequence within a chunk of this many; then the chunks' sums are added.
pub const CHUNK: usize = 128;

/// The number of values in a [`Strategy`]'s [`numbers`](Strategy::numbers).
pub const STRATEGY: usize = 10;

/// The constants that follow from the numbers of dimensions and samples: the tutorial's table 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strategy<R> {
    /// n, the number of dimensions.
    pub dimensions: u32,
    /// lambda, the samples of a generation.
    pub individuals: u32,
    /// mu, the samples with positive weights.
    pub better: u32,
    /// The variance effective selection mass of the samples with positive weights.
    pub mu_eff: R,
    /// The rate of the path p, which adapts the step size.
    pub c_sigma: R,
    /// The damping of the step size.
    pub d_sigma: R,
    /// The rate of the path q, which adapts the matrix.
    pub c_c: R,
    /// The rate of the rank-one update, from the path q.
    pub c_1: R,
    /// The rate of the rank-mu update, from the samples.
    pub c_mu: R,
    /// The sum of all weights.
    pub all_weights: R,
    /// The expected length of a standard normal vector.
    pub chi: R,
    /// The factors of the [raw weights](raw_weight) of the better and of the worse samples.
    scales: [R; 2],
}

/// The weight of a rank, from 0, before scaling: ln((lambda + 1) / 2) - ln(rank + 1).
#[inline(always)]
pub fn raw_weight<R: Float>(individuals: u32, rank: usize) -> R {
    ((R::from_u32(individuals) + R::ONE) * R::HALF).ln() - R::from_u32(rank as u32 + 1).ln()
}

impl<R: Float> Strategy<R> {
    /// The strategy for `dimensions`, at least 1, and `individuals` samples, at least [`MIN_INDIVIDUALS`]. The worse
    /// half of the samples has negative weights if `active`, otherwise zero weights.
    pub fn new(dimensions: u32, individuals: u32, active: bool) -> Self {
        let better = (individuals / 2) as usize;
        let sums = |first: usize, count: usize| {
            let raw = |i| raw_weight::<R>(individuals, first + i);
            let squares = |i| raw(i) * raw(i);
            let sum = sum::fold_one_by_one::<R, Sum>(count, raw);
            [sum, sum::fold_one_by_one::<R, Sum>(count, squares)]
        };
        let all = [sums(0, better), sums(better, individuals as usize - better)];
        Strategy::of_sums((dimensions, individuals), active, all)
    }

    /// As [`new`](Strategy::new), with the sums given: the sum of the [raw weights](raw_weight) and the sum of their
    /// squares, first for the better half, the first `individuals / 2`, then for the others.
    #[inline(always)]
    pub fn of_sums((dimensions, individuals): (u32, u32), active: bool, sums: [[R; 2]; 2]) -> Self {
        let (n, better) = (R::from_u32(dimensions), individuals / 2);
        let [[of_better, squares], [of_worse, squares_of_worse]] = sums;
        let (mu_eff, mu_eff_worse) =
            (of_better * of_better / squares, of_worse * of_worse / squares_of_worse);
        let number = R::from_f64;
        let two = R::TWO;
        let c_sigma = (mu_eff + two) / (n + mu_eff + number(3.0));
        let ratio = (mu_eff - R::ONE) / (n + R::ONE);
        let excess = (ratio.sqrt() - R::ONE).larger(R::ZERO);
        let d_sigma = R::ONE + two * excess + c_sigma;
        let c_c = (number(4.0) + mu_eff / n) / (n + number(4.0) + two * mu_eff / n);
        let past = n + number(1.3);
        let c_1 = two / (past * past + mu_eff);
        let wide = n + two;
        let c_mu = two * (number(0.25) + mu_eff + R::ONE / mu_eff - two) / (wide * wide + mu_eff);
        let c_mu = c_mu.smaller(R::ONE - c_1);
        let chi =
            n.sqrt() * (R::ONE - R::ONE / (number(4.0) * n) + R::ONE / (number(21.0) * n * n));
        // The smallest of the three bounds in the tutorial's equations 50 to 52.
        let kept = R::ONE + c_1 / c_mu;
        let effective = R::ONE + two * mu_eff_worse / (mu_eff_worse + two);
        let definite = (R::ONE - c_1 - c_mu) / (n * c_mu);
        let negative = if active { kept.smaller(effective).smaller(definite) } else { R::ZERO };
        Strategy {
            dimensions,
            individuals,
            better,
            mu_eff,
            c_sigma,
            d_sigma,
            c_c,
            c_1,
            c_mu,
            all_weights: R::ONE - negative,
            chi,
            scales: [R::ONE / of_better, negative / of_worse.abs()],
        }
    }

    /// The strategy as numbers; [`of_numbers`](Strategy::of_numbers) is the inverse.
    #[inline(always)]
    pub fn numbers(&self) -> [R; STRATEGY] {
        let Strategy { mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, all_weights, chi, .. } = *self;
        let [better, worse] = self.scales;
        [mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, all_weights, chi, better, worse]
    }

    /// The strategy for these numbers of dimensions and samples, from its [`numbers`](Strategy::numbers).
    #[inline(always)]
    pub fn of_numbers((dimensions, individuals): (u32, u32), numbers: [R; STRATEGY]) -> Self {
        let [mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, all_weights, chi, better, worse] = numbers;
        Strategy {
            dimensions,
            individuals,
            better: individuals / 2,
            mu_eff,
            c_sigma,
            d_sigma,
            c_c,
            c_1,
            c_mu,
            all_weights,
            chi,
            scales: [better, worse],
        }
    }

    /// The weight of a rank, from 0: positive for the better half, negative or zero for the others.
    #[inline(always)]
    pub fn weight(&self, rank: u32) -> R {
        let scale = if rank < self.better { self.scales[0] } else { self.scales[1] };
        raw_weight::<R>(self.individuals, rank as usize) * scale
    }

    /// Generations between two updates of the factor, so many that a sample's share of an update costs about as much as
    /// drawing it.
    #[inline(always)]
    pub fn lag(&self) -> u32 {
        let lag = R::HALF / ((self.c_1 + self.c_mu) * R::from_u32(self.dimensions));
        (lag.to_f64() as u32).max(1)
    }

    /// The tutorial's h: whether the path p, of this length, is short enough for q to be updated. `generation` counts
    /// from 0.
    #[inline(always)]
    pub fn is_steady(&self, length: R, generation: u64) -> bool {
        // The power of a number below 1 underflows to 0 for large exponents.
        let generations = R::from_u32((generation + 1).min(1 << 20) as u32);
        let power = R::TWO * generations;
        let is_over = power * self.c_sigma > R::from_f64(40.0);
        let kept = if is_over { R::ZERO } else { (R::ONE - self.c_sigma).pow(power) };
        let longest = R::from_f64(1.4) + R::TWO / (R::from_u32(self.dimensions) + R::ONE);
        length < longest * self.chi * (R::ONE - kept).sqrt()
    }

    /// The factor of the step size for a path of this length; at most e.
    #[inline(always)]
    pub fn step_factor(&self, length: R) -> R {
        let exponent = self.c_sigma / self.d_sigma * (length / self.chi - R::ONE);
        exponent.smaller(R::ONE).exp()
    }

    /// The factor of the mean's step in the update of a path of rate `c`: sqrt(c (2 - c) mu_eff).
    #[inline(always)]
    pub fn gain(&self, c: R) -> R {
        (c * (R::TWO - c) * self.mu_eff).sqrt()
    }

    /// The factor of the identity in S: the part of the matrix that is kept.
    #[inline(always)]
    pub fn kept(&self, is_steady: bool) -> R {
        let lost = if is_steady { R::ZERO } else { self.c_1 * self.c_c * (R::TWO - self.c_c) };
        (R::ONE + lost - self.c_1 - self.c_mu * self.all_weights).larger(R::ZERO)
    }

    /// The factor of z_i z_i^T in S, from the sample's rank and weight. `squares` returns |z_i|^2 and is called only
    /// for the worse half.
    #[inline(always)]
    pub fn lesson(&self, rank: u32, weight: R, squares: impl FnOnce() -> R) -> R {
        let weight = self.c_mu * weight;
        if rank < self.better {
            return weight;
        }
        weight * (R::from_u32(self.dimensions) / squares())
    }

    /// The coordinate of a mean that has moved to `x`. Outside the bounds, it is moved back by the fraction 1 / sqrt(n)
    /// of the distance to the bound. So it does not drift away where all points map to the bound, and it stays about a
    /// standard deviation outside a bound on which the minimum lies.
    #[inline(always)]
    pub fn brought_back(&self, x: R, (lower, upper): (R, R)) -> R {
        if x >= lower && x <= upper {
            return x;
        }
        let bound = if x < lower { lower } else { upper };
        let kept = R::ONE - R::ONE / R::from_u32(self.dimensions).sqrt();
        (x - bound).fused(kept, bound)
    }

    /// How many samples, from the best, have nonzero weights.
    #[inline(always)]
    pub fn taught(&self) -> u32 {
        if self.all_weights == R::ONE { self.better } else { self.individuals }
    }

    /// Whether there has been no improvement for too long; `generation` is the present one, `best_at` that of the last
    /// improvement.
    #[inline(always)]
    pub fn stagnates(&self, generation: u64, best_at: R) -> bool {
        let n = f64::from(self.dimensions);
        let most = 100.0 + 100.0 * n * Real::sqrt(n) / f64::from(self.individuals);
        let part = 0.3 * generation as f64;
        generation as f64 - best_at.to_f64() > if part > most { part } else { most }
    }

    /// The number of generations whose best values are compared to detect convergence: the tutorial's 10 + 30 n /
    /// lambda.
    pub fn remembered(&self) -> u32 {
        10 + (30 * self.dimensions).div_ceil(self.individuals.max(1))
    }
}

/// A number for computing minima and maxima: infinity for a NaN, +0 for -0, otherwise the number itself.
#[inline(always)]
pub fn comparable<R: Float>(x: R) -> R {
    if x.is_nan() { R::INFINITY } else { x + R::ZERO }
}

/// Whether the values from `least` to `most` are equal within the tutorial's TolFun or within the precision.
#[inline(always)]
pub fn is_flat<R: Float>(least: R, most: R) -> bool {
    let size = least.abs().larger(most.abs());
    most - least <= R::from_f64(1e-12).larger(size * R::HALF_EPSILON * R::from_f64(8.0))
}

/// The properties of a distribution that show whether a leg has converged: the tutorial's section B.3. Those of the
/// single coordinates can be joined in any order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape<R> {
    /// The smallest element of the factor's diagonal.
    pub least: R,
    /// The largest element of the factor's diagonal.
    pub most: R,
    /// The largest standard deviation, as a fraction of the range.
    pub widest: R,
    /// Whether adding a fifth of a standard deviation leaves some coordinate of the mean unchanged.
    pub is_lost: bool,
    /// Whether adding a tenth of the tested axis changes some coordinate of the mean.
    pub axis_counts: bool,
}

impl<R: Float> Shape<R> {
    /// The shape for no coordinates: the identity of [`join`](Shape::join).
    pub const NONE: Self = Shape {
        least: R::INFINITY,
        most: R::ZERO,
        widest: R::ZERO,
        is_lost: false,
        axis_counts: false,
    };

    /// The shape for coordinate `i`. `factor(k)` returns element k of its row of the factor; `axis` is the tested axis,
    /// which changes with the generation.
    #[inline(always)]
    pub fn of(
        i: u32,
        axis: u32,
        (mean, (lower, upper)): (R, (R, R)),
        sigma: R,
        factor: impl Fn(u32) -> R,
    ) -> Self {
        let diagonal = comparable(factor(i));
        let none = Shape { least: diagonal, most: diagonal.larger(R::ZERO), ..Shape::NONE };
        if upper <= lower {
            return none;
        }
        let mut square = R::ZERO;
        let mut k = 0;
        while k <= i {
            let a = factor(k);
            square = a.fused(a, square);
            k += 1;
        }
        let (range, deviation) = (sigma * (upper - lower), square.sqrt());
        let is_lost = mean == (range * R::from_f64(0.2)).fused(deviation, mean);
        let counts = || mean != (range * R::from_f64(0.1)).fused(factor(axis), mean);
        let axis_counts = axis <= i && counts();
        Shape { widest: comparable(sigma * deviation), is_lost, axis_counts, ..none }
    }

    /// The shape for the coordinates of both.
    #[inline(always)]
    pub fn join(self, other: Self) -> Self {
        Shape {
            least: self.least.smaller(other.least),
            most: self.most.larger(other.most),
            widest: self.widest.larger(other.widest),
            is_lost: self.is_lost | other.is_lost,
            axis_counts: self.axis_counts | other.axis_counts,
        }
    }

    /// Whether a leg whose first step size was `first_sigma` has converged or diverged.
    #[inline(always)]
    pub fn has_converged(&self, first_sigma: R) -> bool {
        let is_small = self.widest < R::from_f64(1e-12) * first_sigma;
        let is_narrow = self.most > self.least * R::from_f64(1e7);
        let has_grown = self.widest > R::from_f64(1e4) * first_sigma.larger(R::ONE);
        is_small || is_narrow || has_grown || self.is_lost || !self.axis_counts
    }
}

/// The default number of samples in a generation: 4 + 3 ln(n), rounded down.
///
/// ```
/// use warpswarm_core::cma_es::usual_individuals;
/// assert_eq!([2, 10, 20, 40].map(usual_individuals), [6, 10, 12, 15]);
/// ```
pub fn usual_individuals(dimensions: u32) -> u32 {
    4 + (3.0 * Real::ln(f64::from(dimensions))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// The expected numbers are from pycma 4.5.0, except d_sigma, whose constants there differ from the tutorial's.
    #[test]
    fn strategies_are_those_of_the_tutorial() {
        let of = |n, samples| Strategy::<f64>::new(n, samples, true);
        let close =
            |found: f64, expected: f64| assert_relative_eq!(found, expected, max_relative = 1e-12);
        let ten = of(10, 10);
        assert_eq!((ten.better, of(4, 8).better, of(3, 7).better), (5, 4, 3));
        close(ten.mu_eff, 3.1672992814107017);
        close(ten.c_1, 0.015283824524751714);
        close(ten.c_mu, 0.02355177665041747);
        close(ten.c_c, 0.29499038303562225);
        close(ten.all_weights, -0.6489457144406467);
        close(ten.weight(0), 0.45627264690340597);
        close(ten.weight(1), 0.2707530970017852);
        close(ten.weight(8), -0.45286408637842196);
        close(ten.weight(9), -0.5497499176973853);
        close(ten.c_sigma, (ten.mu_eff + 2.0) / (ten.mu_eff + 13.0));
        close(ten.d_sigma, 1.0 + ten.c_sigma);
        let (four, forty) = (of(4, 8), of(40, 64));
        close(four.all_weights, -1.0186022158005068);
        close(four.weight(7), -0.8235702871089585);
        close(forty.c_mu, 0.01788078939482449);
        close(forty.weight(63), -0.059098494623603295);
        // More samples than dimensions give more damping.
        let many = of(3, 400);
        close(many.d_sigma, 1.0 + 2.0 * (((many.mu_eff - 1.0) / 4.0).sqrt() - 1.0) + many.c_sigma);
        assert_eq!(Strategy::of_numbers((10, 10), ten.numbers()), ten);
        let passive = Strategy::<f64>::new(10, 10, false);
        assert_eq!((passive.all_weights, passive.weight(9)), (1.0, -0.0));
    }

    #[test]
    fn weights_add_up() {
        for samples in 4..200 {
            for n in [1, 2, 7, 100] {
                let strategy = Strategy::<f64>::new(n, samples, true);
                let (mut better, mut all, mut last) = (0.0, 0.0, f64::INFINITY);
                for rank in 0..samples {
                    let weight = strategy.weight(rank);
                    assert!(weight <= last && weight.is_finite());
                    assert_eq!(weight > 0.0, rank < strategy.better, "{samples} {rank}");
                    if rank < strategy.better {
                        better += weight;
                    }
                    (all, last) = (all + weight, weight);
                }
                assert_relative_eq!(better, 1.0, max_relative = 1e-12);
                assert_relative_eq!(all, strategy.all_weights, epsilon = 1e-12);
                // The matrix stays positive definite: with negative weights, a positive part of it is kept.
                assert!(strategy.kept(true) >= 0.0 && strategy.kept(false) >= strategy.kept(true));
                assert!(strategy.kept(true) > 0.0 || strategy.all_weights == 1.0);
            }
        }
    }

    #[test]
    fn steps_by_hand() {
        let strategy = Strategy::<f64>::new(10, 10, true);
        assert_relative_eq!(strategy.chi, 3.084726514065, max_relative = 1e-3);
        assert_eq!(strategy.step_factor(strategy.chi), 1.0);
        assert!(strategy.step_factor(2.0 * strategy.chi) > 1.0 && strategy.step_factor(0.0) < 1.0);
        assert_relative_eq!(strategy.step_factor(1e9), core::f64::consts::E, max_relative = 1e-12);
        // In the first generation the path has c_sigma (2 - c_sigma) of its final variance.
        let first = (strategy.c_sigma * (2.0 - strategy.c_sigma)).sqrt();
        let longest = (1.4 + 2.0 / 11.0) * strategy.chi;
        assert!(strategy.is_steady(0.999 * longest * first, 0));
        assert!(!strategy.is_steady(1.001 * longest * first, 0));
        assert!(
            strategy.is_steady(0.999 * longest, u64::MAX - 1)
                && !strategy.is_steady(1.001 * longest, 1 << 40)
        );
        assert_eq!(strategy.remembered(), 40);
        assert_eq!(
            [2, 10, 30, 100].map(|n| Strategy::<f64>::new(n, usual_individuals(n), true).lag()),
            [1, 1, 2, 5]
        );
    }

    /// In four dimensions, half of the distance is removed in each generation.
    #[test]
    fn a_mean_beyond_a_bound_comes_back() {
        let strategy = Strategy::<f64>::new(4, 8, true);
        let at = |x: f64| strategy.brought_back(x, (-5.0, 11.0));
        assert_eq!([-5.0, 1.0, 11.0].map(at), [-5.0, 1.0, 11.0]);
        assert_eq!([-8.0, 14.0].map(at), [-6.5, 12.5]);
        assert!(at(f64::NAN).is_nan() && at(f64::INFINITY) == f64::INFINITY);
    }
}
