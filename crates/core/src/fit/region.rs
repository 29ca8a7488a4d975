//! A step within a trust region and within bounds.

use super::accumulate::Accumulator;
use super::parameters::{Bounds, Parameters};
use super::solve::Damped;
use crate::real::Float;

/// A step, with its damping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step<R, const N: usize> {
    /// The change of each parameter.
    pub(super) change: [R; N],
    /// The Levenberg-Marquardt parameter; zero for a Gauss-Newton step.
    pub(super) damping: R,
    /// Whether bounds have shortened it.
    pub(super) cut: bool,
}

/// The trust region: all steps p whose scaled length, sqrt(sum scale p^2), is at most the radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region<R, const N: usize> {
    /// Squares of the scales: the largest squared norm so far of each column of the Jacobian; zero for fixed
    /// parameters.
    pub(super) scale: [R; N],
    /// The radius.
    pub(super) radius: R,
    /// The damping of the previous step, from which the search for the next one begins.
    pub(super) damping: R,
}

/// sqrt(sum scale x^2)
#[inline(always)]
pub(super) fn length<R: Float, const N: usize>(scale: &[R; N], x: &[R; N]) -> R {
    let mut sum = R::ZERO;
    for i in 0..N {
        sum += scale[i] * x[i] * x[i];
    }
    sum.sqrt()
}

impl<R: Float, const N: usize> Region<R, N> {
    /// The length of the steepest descent step for a damping of one. The damping times the length of a step never
    /// exceeds it.
    #[inline(always)]
    fn steepest(&self, gradient: &[R; N], free: Parameters) -> R {
        let mut sum = R::ZERO;
        for i in 0..N {
            let square = gradient[i] * gradient[i] / self.scale[i];
            sum += if free.contains(i) { square } else { R::ZERO };
        }
        sum.sqrt()
    }

    /// The step from `x` to the minimum of the quadratic model in the region and within the bounds, and the resulting
    /// point; with at most `tries` values of the damping.
    ///
    /// Parameters at a bound that the gradient pushes outwards stay there. The damping is computed for the others
    /// without their bounds. Those that the step then takes beyond a bound are set to it, and the step of the rest is
    /// computed again, with the same damping.
    #[inline(always)]
    pub(super) fn step<A: Accumulator<R, N>>(
        &self,
        sums: &A,
        x: &[R; N],
        bounds: &Bounds<R, N>,
        tries: u32,
    ) -> (Step<R, N>, [R; N]) {
        let gradient = sums.gradient();
        let mut free = bounds.free().minus(bounds.active(x, &gradient));
        let mut search = Search::new(self.steepest(&gradient, free) / self.radius);
        let (mut damping, mut cut) = (R::ZERO, false);
        // The values of parameters that do not follow the equations.
        let (mut target, mut given) = (*x, [R::ZERO; N]);
        // The equations are solved in a single place: it is most of the code, which a GPU has to fetch.
        loop {
            let scaled = self.scale.map(|scale| damping * scale);
            let tried = sums.damped(&scaled, free, &given);
            if search.tried < tries {
                let next = search.next(self, &tried, damping);
                if let Some(next) = next {
                    damping = next;
                    continue;
                }
                search.tried = tries;
            }
            let before = free;
            for i in 0..N {
                let at = x[i] + tried.step[i];
                let (lower, upper) = (bounds.lower()[i], bounds.upper()[i]);
                if free.contains(i) && (at < lower || at > upper) {
                    free = free.without(i);
                    target[i] = if at < lower { lower } else { upper };
                    given[i] = target[i] - x[i];
                }
            }
            cut |= free != before;
            if free == before {
                for i in 0..N {
                    target[i] = if free.contains(i) { x[i] + tried.step[i] } else { target[i] };
                }
                return (Step { change: tried.step, damping, cut }, bounds.clamp(target));
            }
        }
    }
}

/// The search for the damping with which the length of a step equals the radius, within a tenth: Moré's algorithm
/// (5.5).
///
/// If the matrix is singular, every step is damped, by at least a thousandth of the largest damping.
#[derive(Clone, Copy, Debug)]
struct Search<R> {
    /// The damping is between `lower` and `upper`.
    lower: R,
    upper: R,
    /// The smallest allowed damping; zero unless the matrix is singular.
    least: R,
    /// The number of dampings tried so far.
    tried: u32,
}

impl<R: Float> Search<R> {
    /// A search for a damping of at most `upper`.
    #[inline(always)]
    fn new(upper: R) -> Self {
        Search { lower: R::ZERO, upper, least: R::ZERO, tried: 0 }
    }

    /// The next damping to try, or `None` if the last step is good. The first one is zero: the Gauss-Newton step.
    #[inline(always)]
    fn next<const N: usize>(
        &mut self,
        region: &Region<R, N>,
        tried: &Damped<R, N>,
        damping: R,
    ) -> Option<R> {
        let first = self.tried == 0;
        self.tried += 1;
        let long = length(&region.scale, &tried.step);
        let excess = long - region.radius;
        let margin = R::from_f64(0.1) * region.radius;
        let regular = tried.singular.is_empty() && long.is_finite();
        if first {
            if regular && excess <= margin {
                return None;
            }
            self.least = if regular { R::ZERO } else { R::from_f64(1e-3) * self.upper };
        } else if excess.abs() <= margin || (damping <= self.least && excess <= R::ZERO) {
            return None;
        }
        if !regular && !first {
            self.lower = self.lower.larger(damping);
            return Some(R::from_f64(10.0) * damping);
        }

        // A Newton step on 1 / length: Moré's equation (5.9).
        let mut scaled = [R::ZERO; N];
        for i in 0..N {
            scaled[i] = region.scale[i] * (tried.step[i] / long);
        }
        let correction = excess / region.radius / tried.factor.inverse_quadratic(&scaled);
        if !first {
            self.lower = if excess > R::ZERO { self.lower.larger(damping) } else { self.lower };
            self.upper = if excess < R::ZERO { self.upper.smaller(damping) } else { self.upper };
            return Some((damping + correction).larger(self.lower).larger(self.least));
        }
        // The damping of the previous step, if it is within the limits.
        self.lower = if regular { correction } else { R::ZERO };
        let next = region.damping.smaller(self.upper).larger(self.lower);
        let guess = if regular { self.upper * (region.radius / long) } else { self.least };
        Some((if next > R::ZERO { next } else { guess }).larger(self.least))
    }
}
