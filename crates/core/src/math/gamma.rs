//! The gamma function and the logarithm of its absolute value.
//!
//! From 10 on both use Stirling's series. Below that the argument is increased, through a product:
//!
//! ```text
//! ln gamma(z) = (z - 1/2) ln z - z + ln(2 pi) / 2 + S(1/z^2) / z
//! gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1))
//! gamma(-x) = -pi / (x sin(pi x) gamma(x))
//! ```
//!
//! in sums of two numbers, because exp magnifies rounding errors. Near the zeros of the logarithm, its value must not
//! be computed as a difference: at 1 and 2 there is a polynomial around 2, and around each of the zeros between -17 and
//! -2 a series from [`zeros`]. Below -17 the zeros lie between neighbouring numbers.
//!
//! **Source.** NIST Digital Library of Mathematical Functions, 5.5 and 5.11.

mod zeros;

use core::f64::consts;

use super::radians::sine_and_cosine_f64;
use super::round_f64;
use super::two::{Exponential, Logarithm, Two};
use super::{fused_f64, magnitude_f64};
use zeros::ZEROS;

/// S of the module's equation for z >= 10; error of the logarithm 2^-74.
const S: [f64; 8] = [
    0.08333333333333333,
    -0.0027777777777777727,
    0.0007936507936399449,
    -0.0005952380864655555,
    0.0008417473482729739,
    -0.001916767257460873,
    0.0063176780365718326,
    -0.02350060031352866,
];

/// ln gamma(2 + t) / t for t between -1/4 and 1/4; relative error 2^-60.
const NEAR_TWO: [f64; 14] = [
    0.42278433509846713,
    0.3224670334241132,
    -0.06735230105319656,
    0.020580808427781153,
    -0.00738555102906583,
    0.0028905103312675197,
    -0.0011927538741803789,
    0.0005096694883786875,
    -0.0002231564679892726,
    9.945881465515788e-5,
    -4.488633065878805e-5,
    2.048210434423004e-5,
    -9.899164405562924e-6,
    4.621785975624896e-6,
];

const PI: Two = Two(consts::PI, 1.2246467991473532e-16);

/// Where Stirling's series begins.
const LARGE: f64 = 10.0;

/// A polynomial; the constant coefficient is the first.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let mut value = coefficients[N - 1];
    for k in (0..N - 1).rev() {
        value = fused_f64(value, x, coefficients[k]);
    }
    value
}

/// ln gamma(z) for z >= 10; a NaN if it is infinite.
#[inline(always)]
fn stirling(z: Two) -> Two {
    const HALF_LN_TAU: Two = Two(0.9189385332046728, -3.8782941580672414e-17);
    let over = 1.0 / z.0;
    let series = over * polynomial(&S, over * over);
    let main = Logarithm::of_two(z).natural().plus(-1.0).multiply(z.plus(-0.5));
    // (z - 1/2) (ln z - 1) is 1/2 more than (z - 1/2) ln z - z.
    main.add(HALF_LN_TAU.plus(-0.5)).plus(series)
}

/// z and product with gamma(x) = gamma(z) / product and z >= 10, for x > -18.
#[inline(always)]
fn moved_up(x: f64) -> (Two, Two) {
    let (mut z, mut product, mut n) = (Two(x, 0.0), Two(1.0, 0.0), 0.0);
    while z.0 < LARGE {
        product = product.multiply(z);
        n += 1.0;
        z = Two::sum(x, n);
    }
    (z, product)
}

/// sin(pi |r|), for r between -1/2 and 1/2.
#[inline(always)]
fn sine_of_half_turns(r: f64) -> Two {
    let r = magnitude_f64(r);
    let is_near = r <= 0.25;
    let angle = PI.times(if is_near { r } else { 0.5 - r });
    let [sine, cosine] = sine_and_cosine_f64((angle.0, angle.1));
    let Two(high, low) = if is_near { sine } else { cosine };
    Two::quick_sum(high, low)
}

/// The gamma function; infinite at zero, NaN at negative integers.
#[inline(always)]
pub fn gamma_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    if y < 1e-20 {
        return 1.0 / x;
    }
    let nearest = round_f64(y);
    if x < 0.0 && y == nearest {
        return f64::NAN;
    }
    // Beyond this the result is infinity or zero; a NaN is kept.
    let far = if y > 190.0 { 190.5 } else { y };
    let (z, product) = moved_up(far);
    let logarithm = stirling(z);
    if x < 0.0 {
        let below = sine_of_half_turns(y - nearest).times(far);
        let factor = PI.multiply(product).divide(below);
        let size = Exponential::of(logarithm.negate()).times(factor);
        // The sign alternates from integer to integer.
        let floor = if nearest > y { nearest - 1.0 } else { nearest };
        let is_positive = round_f64(0.5 * floor) != 0.5 * floor;
        if is_positive { size } else { -size }
    } else if x < 172.0 {
        Exponential::of(logarithm).times(Two(1.0, 0.0).divide(product))
    } else {
        if x >= 172.0 { f64::INFINITY } else { x }
    }
}

/// Near a zero of the logarithm: t and f with ln|gamma(x)| = -ln(1 + t) + f.
#[inline(always)]
fn beside_a_zero(x: f64) -> Option<(Two, Two)> {
    if magnitude_f64(x - 1.0) <= 0.25 {
        let t = x - 1.0;
        return Some((Two(t, 0.0), Two::product(t, polynomial(&NEAR_TWO, t))));
    }
    if magnitude_f64(x - 2.0) <= 0.25 {
        return Some((Two(0.0, 0.0), Two::product(x - 2.0, polynomial(&NEAR_TWO, x - 2.0))));
    }
    let n = -round_f64(x);
    if !(2.0..18.0).contains(&n) {
        return None;
    }
    let row = 2 * (n as usize - 2) + usize::from(x > -n);
    // The mask changes nothing: it shows the compiler that the index is in range.
    let [high, low, first, rest, ref others @ ..] = ZEROS[row & 31];
    let t = Two::sum(x - high, -low);
    let from_pole = Two::sum(high + n, low);
    // The row without a zero is never near.
    if high == 0.0 || magnitude_f64(t.0) > magnitude_f64(from_pole.0) * 0.03125 {
        return None;
    }
    let series = Two(first, rest).plus(t.0 * polynomial(others, t.0));
    Some((t.divide(from_pole), t.multiply(series)))
}

/// The natural logarithm of the absolute value of the gamma function; infinite at zero and at negative integers.
#[inline(always)]
pub fn lgamma_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    let nearest = round_f64(y);
    if y == 0.0 || y == f64::INFINITY || (x < 0.0 && y == nearest) {
        return f64::INFINITY;
    }
    if let Some((t, f)) = beside_a_zero(x) {
        return f.add(Logarithm::of_one_plus(t).natural().negate()).value();
    }
    // ln(gamma(z)) - ln(divisor); for x far below zero its negative.
    let is_far = x < -18.0;
    let (z, divisor) = if is_far {
        (Two(y, 0.0), PI.divide(sine_of_half_turns(y - nearest).times(y)))
    } else {
        moved_up(x)
    };
    let divisor = if divisor.0 < 0.0 { divisor.negate() } else { divisor };
    let logarithm = stirling(z).add(Logarithm::of_two(divisor).natural().negate()).value();
    let logarithm = if is_far { -logarithm } else { logarithm };
    // For the largest results, the parts are infinity minus infinity.
    if x >= 1e300 && logarithm.is_nan() { f64::INFINITY } else { logarithm }
}
