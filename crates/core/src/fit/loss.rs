//! The cost of a residual: squares, losses that grow more slowly for outliers, and the likelihood of counts.
//!
//! **Robust losses.** With the weighted residual f = sqrt(w) r, the scale C and z = (f / C)^2, a row costs C^2 rho(z):
//!
//! | loss | rho(z) | rho'(z) | rho' + 2 z rho'' |
//! |---|---|---|---|
//! | linear | z | 1 | 1 |
//! | Huber | z up to 1, then 2 sqrt(z) - 1 | 1, then 1 / sqrt(z) | 1, then 0 |
//! | soft L1 | 2 (sqrt(1 + z) - 1) | (1 + z)^(-1/2) | (1 + z)^(-3/2) |
//! | Cauchy | ln(1 + z) | 1 / (1 + z) | (1 - z) / (1 + z)^2 |
//!
//! The slope is w r rho', the curvature w (rho' + 2 z rho''), or epsilon w if that is smaller. These are the rescaled
//! residual and Jacobian of B. Triggs et al., Bundle adjustment: a modern synthesis, 1999, section 4.3, as in SciPy's
//! `least_squares`, whose `f_scale` is C.
//!
//! **Counts.** For the Poisson distribution with mean m, the model's value, and count y, twice the negative logarithm
//! of the likelihood, relative to that of m = y, is (Baker and Cousins 1984)
//!
//! ```text
//! cost = 2 (m - y - y ln(m / y)),   slope = 1 - y / m,   curvature = y / m^2
//! ```
//!
//! with the curvature of T. A. Laurence, B. A. Chromy, Efficient maximum likelihood estimator fitting of histograms,
//! Nature Methods 7, 2010 (equations 7 to 10). It neglects second derivatives of the model, as for least squares.
//! Gpufit calls this MLE.

use super::accumulate::Term;
use crate::real::{Float, Real};

/// How a row's cost grows with its residual.
///
/// ```
/// use warpswarm_core::fit::Loss;
/// // Three scales away: 2 * 3 - 1 scales squared instead of 9.
/// let term = Loss::Huber.term(6.0_f64, 1.0, 2.0);
/// assert_eq!((term.cost, term.slope), (20.0, 2.0));
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loss {
    /// Squares.
    #[default]
    Linear = 0,
    /// Squares up to the scale, absolute values beyond.
    Huber = 1,
    /// A smooth transition between the two.
    SoftL1 = 2,
    /// A logarithm: outliers have less and less weight. There may be many minima.
    Cauchy = 3,
}

impl Loss {
    /// A row's term: residual r (model minus observation), weight w (1 / sigma^2, at least 0), and scale C (above 0),
    /// in units of sigma.
    #[inline(always)]
    pub fn term<R: Float>(self, residual: R, weight: R, scale: R) -> Term<R> {
        let squared = Term::squared(residual, weight);
        if self == Loss::Linear {
            return squared;
        }
        let square = scale * scale;
        let [rho, first, second] = self.rho(squared.cost / square);
        let epsilon = R::TWO * R::HALF_EPSILON;
        Term {
            cost: square * rho,
            slope: squared.slope * first,
            curvature: weight * second.larger(epsilon),
        }
    }

    /// Only the term's cost, for any number type.
    #[inline(always)]
    pub(super) fn cost<R: Real>(self, residual: R, weight: R, scale: R) -> R {
        let squared = weight * residual * residual;
        if self == Loss::Linear {
            return squared;
        }
        let square = scale * scale;
        square * self.rho(squared / square)[0]
    }

    /// rho(z), rho'(z) and rho'(z) + 2 z rho''(z), for z of at least 0.
    #[inline(always)]
    pub fn rho<R: Real>(self, z: R) -> [R; 3] {
        let more = R::ONE + z;
        match self {
            Loss::Linear => [z, R::ONE, R::ONE],
            // A NaN is not within the scale, and makes the cost NaN.
            Loss::Huber if z <= R::ONE => [z, R::ONE, R::ONE],
            Loss::Huber => {
                let root = z.sqrt();
                [R::TWO * root - R::ONE, R::ONE / root, R::ZERO]
            }
            Loss::SoftL1 => {
                let root = more.sqrt();
                // 2 (sqrt(1 + z) - 1), without cancellation.
                [R::TWO * z / (root + R::ONE), R::ONE / root, R::ONE / (more * root)]
            }
            Loss::Cauchy => {
                let inverse = R::ONE / more;
                [z.ln_1p(), inverse, (R::ONE - z) * inverse * inverse]
            }
        }
    }
}

/// The term of a count (0, 1, 2, ..) if the model predicts `mean` counts: maximum likelihood for the Poisson
/// distribution.
///
/// Infinite or NaN if that is impossible: if the mean is negative, or zero with a nonzero count, or the count is
/// negative.
///
/// ```
/// use warpswarm_core::fit::poisson;
/// let term = poisson(4.0_f64, 2.0);
/// assert!((term.cost - 2.0 * (2.0 - 2.0 * 2.0_f64.ln())).abs() < 1e-15);
/// assert_eq!((term.slope, term.curvature), (0.5, 0.125));
/// assert_eq!(poisson(3.0_f32, 0.0).cost, 6.0);
/// assert!(poisson(-1.0_f32, 0.0).cost.is_nan());
/// ```
#[inline(always)]
pub fn poisson<R: Float>(mean: R, count: R) -> Term<R> {
    let possible = mean >= R::ZERO && count >= R::ZERO;
    if !possible {
        return Term { cost: R::NAN, slope: R::NAN, curvature: R::NAN };
    }
    let cost = poisson_cost(mean, count);
    if count == R::ZERO {
        return Term { cost, slope: R::ONE, curvature: R::ZERO };
    }
    let inverse = R::ONE / mean;
    Term { cost, slope: (mean - count) * inverse, curvature: count * inverse * inverse }
}

/// Only the term's cost, for any number type.
#[inline(always)]
pub(super) fn poisson_cost<R: Real>(mean: R, count: R) -> R {
    let possible = mean >= R::ZERO && count >= R::ZERO;
    if !possible {
        return R::NAN;
    }
    if count == R::ZERO {
        return R::TWO * mean;
    }
    let missed = mean - count;
    // ln(m / y) from the difference, since both are usually close to each other.
    R::TWO * (missed - count * (missed / count).ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// `scipy.optimize._lsq.least_squares.construct_loss_function(1, loss, f_scale)` and
    /// `scipy.optimize._lsq.common.scale_for_robust_loss_function` of SciPy 1.18.1: twice the cost, the gradient
    /// J * f and the squared scale of J, for weight 1 and partial derivative 1.
    #[test]
    fn losses_are_scipys() {
        let check = |loss: Loss, residual: f64, scale: f64, expected: [f64; 3]| {
            let term = loss.term(residual, 1.0, scale);
            for (found, expected) in
                [term.cost, term.slope, term.curvature].into_iter().zip(expected)
            {
                assert_relative_eq!(found, expected, max_relative = 1e-14);
            }
        };
        check(Loss::Huber, 0.5, 1.0, [0.25, 0.5, 1.0]);
        check(Loss::Huber, -1.5, 1.0, [2.0, -1.0, 2.220446049250313e-16]);
        check(
            Loss::Huber,
            4.0,
            2.5,
            [13.750000000000002, 2.4999999999999996, 2.220446049250313e-16],
        );
        check(Loss::Huber, -20.0, 2.5, [93.75, -2.5, 2.220446049250313e-16]);
        check(Loss::SoftL1, 0.5, 1.0, [0.2360679774997898, 0.4472135954999579, 0.7155417527999327]);
        check(
            Loss::SoftL1,
            -1.5,
            1.0,
            [1.6055512754639891, -0.8320502943378437, 0.17067698345391671],
        );
        check(
            Loss::SoftL1,
            4.0,
            2.5,
            [11.084952830141512, 2.1199957600127197, 0.14887610674246632],
        );
        check(
            Loss::SoftL1,
            -20.0,
            2.5,
            [88.27822185373186, -2.4806946917841692, 0.001908226685987821],
        );
        check(Loss::Cauchy, 0.5, 1.0, [0.22314355131420976, 0.4000000000000001, 0.48]);
        check(
            Loss::Cauchy,
            -1.5,
            1.0,
            [1.1786549963416462, -0.46153846153846156, 2.220446049250313e-16],
        );
        check(
            Loss::Cauchy,
            4.0,
            2.5,
            [7.936003405399621, 1.1235955056179774, 2.220446049250313e-16],
        );
        check(
            Loss::Cauchy,
            -20.0,
            2.5,
            [26.08992043684773, -0.3076923076923077, 2.220446049250313e-16],
        );
        // A weight is the square of a factor of the residual.
        let (weighted, plain) =
            (Loss::Cauchy.term(0.75, 4.0, 1.5), Loss::Cauchy.term(1.5, 1.0, 1.5));
        assert_eq!((weighted.cost, weighted.slope), (plain.cost, 2.0 * plain.slope));
        assert_eq!(weighted.curvature, 4.0 * plain.curvature);
    }

    #[test]
    fn slopes_and_curvatures_are_derivatives() {
        let h = 1e-5;
        let numeric = |cost: &dyn Fn(f64) -> f64, m: f64| {
            let (down, at, up) = (cost(m - h), cost(m), cost(m + h));
            ((up - down) / (4.0 * h), (up - 2.0 * at + down) / (2.0 * h * h))
        };
        for m in [2.2, 3.0, 4.5, 9.0] {
            for loss in [Loss::Linear, Loss::SoftL1, Loss::Cauchy, Loss::Huber] {
                let term = loss.term(m - 3.0, 2.0, 1.5);
                let (slope, curvature) = numeric(&|m| loss.term(m - 3.0, 2.0, 1.5).cost, m);
                assert_relative_eq!(term.slope, slope, epsilon = 1e-9, max_relative = 1e-7);
                let curvature = curvature.max(0.0);
                assert_relative_eq!(term.curvature, curvature, epsilon = 1e-4, max_relative = 1e-4);
            }
            for count in [0.0, 1.0, 3.0, 12.0] {
                let term = poisson(m, count);
                let (slope, curvature) = numeric(&|m| poisson(m, count).cost, m);
                assert_relative_eq!(term.slope, slope, epsilon = 1e-9, max_relative = 1e-7);
                assert_relative_eq!(term.curvature, curvature, epsilon = 1e-4, max_relative = 1e-4);
            }
        }
    }

    #[test]
    fn what_cannot_be_is_not_finite() {
        for (mean, count) in
            [(-0.1, 0.0), (0.0, 2.0), (2.0, -1.0), (f64::NAN, 1.0), (1.0, f64::NAN)]
        {
            assert!(!poisson(mean, count).cost.is_finite(), "{mean} {count}");
        }
        assert_eq!(poisson(0.0, 0.0), Term { cost: 0.0, slope: 1.0, curvature: 0.0 });
        assert_eq!(poisson(7.0_f32, 7.0).cost, 0.0);
        for loss in [Loss::Linear, Loss::Huber, Loss::SoftL1, Loss::Cauchy] {
            assert!(loss.term(f64::NAN, 1.0, 1.0).cost.is_nan(), "{loss:?}");
        }
    }
}
