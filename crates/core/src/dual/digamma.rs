//! The derivative of the gamma function's logarithm.

use core::f64::consts::PI;

use crate::real::Real;

/// From here on the asymptotic series is exact to rounding.
const FAR: f64 = 10.0;

/// B_2k / 2k for k = 7 down to 1: the series of Abramowitz and Stegun, 6.3.18.
const SERIES: [f64; 7] = [
    1.0 / 12.0,
    -691.0 / 32760.0,
    1.0 / 132.0,
    -1.0 / 240.0,
    1.0 / 252.0,
    -1.0 / 120.0,
    1.0 / 12.0,
];

/// The digamma function psi(x) = gamma'(x) / gamma(x), the derivative of [`Real::ln_gamma`]; NaN or infinite at zero
/// and at negative integers.
///
/// Computed by psi(x) = psi(x + 1) - 1 / x up to 10 and by its asymptotic series from there on; below 1/2 by psi(x) =
/// psi(1 - x) - pi / tan(pi x). The error is below 1e-15 relative to the largest term, so that fewer digits are right
/// only near its zeros (1.4616..., -0.504..., ...).
///
/// **Source.** M. Abramowitz, I. Stegun, "Handbook of mathematical functions", 1964, 6.3.5, 6.3.7, 6.3.18.
///
/// ```
/// use warpswarm_core::dual::digamma;
/// // Minus Euler's constant.
/// assert!((digamma(1.0_f64) + 0.577_215_664_901_532_9).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn digamma<R: Real>(x: R) -> R {
    if x < R::HALF {
        let angle = x * R::HALF;
        let cotangent = angle.cos_turns() / angle.sin_turns();
        return above(R::ONE - x) - R::from_f64(PI) * cotangent;
    }
    above(x)
}

/// The digamma function from 1/2 on.
#[inline(always)]
fn above<R: Real>(mut x: R) -> R {
    let far = R::from_f64(FAR);
    let mut shifted = R::ZERO;
    for _ in 0..FAR as u32 {
        if x < far {
            shifted += R::ONE / x;
            x += R::ONE;
        }
    }
    let inverse = R::ONE / x;
    let square = inverse * inverse;
    let series = SERIES.iter().fold(R::ZERO, |sum, &term| sum * square + R::from_f64(term));
    x.ln() - R::HALF * inverse - square * series - shifted
}
