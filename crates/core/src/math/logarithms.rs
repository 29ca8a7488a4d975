//! Logarithms besides the natural one, and the inverse hyperbolic functions, which are logarithms.
//!
//! The logarithm of an `f64` is a [`Logarithm`], a sum of two numbers, so that later operations round once. That of 1 +
//! x is computed from x itself if x is small. Below the limit given at the end,
//!
//! ```text
//! asinh(x) = ln(1 + y),  y = x + x^2 / (1 + sqrt(1 + x^2))
//! acosh(x) = ln(1 + y),  y = t + sqrt(t (t + 2)),  t = x - 1
//! atanh(x) = ln(1 + y) / 2,  y = 2 x / (1 - x)
//! ```
//!
//! y is a sum of two numbers too. From 2^28 on, asinh and acosh are ln(2 x).

use core::{f32, f64};

use super::ln::{ln_near_one_f32, parts_f32};
use super::pow::log2_f32 as log2_parts;
use super::two::{Logarithm, Two};
use super::{fused_f32, magnitude_f32, magnitude_f64};

/// The logarithm of numbers that are not positive and finite.
macro_rules! at_the_edges {
    ($x:ident, $finite:expr, $float:ident) => {{
        let y = if $x < $float::INFINITY { $finite } else { $x };
        let beyond = if $x == 0.0 { $float::NEG_INFINITY } else { $float::NAN };
        if $x > 0.0 { y } else { beyond }
    }};
}

/// The logarithm to base 2 of `x`.
#[inline(always)]
pub fn log2_f32(x: f32) -> f32 {
    let [head, tail] = log2_parts(x);
    at_the_edges!(x, head + tail, f32)
}

/// The logarithm to base 2 of `x`.
#[inline(always)]
pub fn log2_f64(x: f64) -> f64 {
    at_the_edges!(x, Logarithm::of(x).binary().value(), f64)
}

/// The logarithm to base 10 of `x`.
#[inline(always)]
pub fn log10_f32(x: f32) -> f32 {
    const LOG10_2: [f32; 2] = [f32::consts::LOG10_2, -1.432_098_9e-8];
    let [head, tail] = log2_parts(x);
    let high = head * LOG10_2[0];
    let low = fused_f32(head, LOG10_2[0], -high);
    let low = fused_f32(tail, LOG10_2[0], fused_f32(head, LOG10_2[1], low));
    at_the_edges!(x, high + low, f32)
}

/// The logarithm to base 10 of `x`.
#[inline(always)]
pub fn log10_f64(x: f64) -> f64 {
    at_the_edges!(x, Logarithm::of(x).decimal().value(), f64)
}

/// ln(1 + x), accurate also for small x.
#[inline(always)]
pub fn log1p_f32(x: f32) -> f32 {
    let sum = 1.0 + x;
    // The rounding error of the sum, with the larger of both terms first.
    let lost = if x < 1.0 { x - (sum - 1.0) } else { 1.0 - (sum - x) };
    let [k, m] = parts_f32(sum, 2.0 / 3.0);
    let power = f32::from_bits((0x7f_i32.wrapping_sub(k as i32).clamp(0, 0xfe) as u32) << 23);
    let f = if k == 0.0 { x } else { fused_f32(lost, power, m - 1.0) };
    let y = fused_f32(k, f32::consts::LN_2, ln_near_one_f32(f));
    let y = if x < f32::INFINITY { y } else { x };
    let beyond = if x == -1.0 { f32::NEG_INFINITY } else { f32::NAN };
    let y = if x > -1.0 { y } else { beyond };
    // Also for zero, with its sign.
    if magnitude_f32(x) < 1e-8 { x } else { y }
}

/// ln(1 + x), accurate also for small x.
#[inline(always)]
pub fn log1p_f64(x: f64) -> f64 {
    if magnitude_f64(x) < TINY || x == f64::INFINITY {
        x
    } else if x > -1.0 {
        Logarithm::of_one_plus(Two(x, 0.0)).natural().value()
    } else {
        if x == -1.0 { f64::NEG_INFINITY } else { f64::NAN }
    }
}

/// Below this odd functions equal their argument: 2^-55.
const TINY: f64 = 2.7755575615628914e-17;

/// Above this the 1 beside the squares of asinh and acosh is negligible: 2^28.
const LARGE: f64 = 268_435_456.0;

/// ln(2 x).
#[inline(always)]
fn of_twice(x: f64) -> f64 {
    const LN2: Two = Two(f64::consts::LN_2, 2.3190468138462996e-17);
    Logarithm::of(x).natural().add(LN2).value()
}

/// The inverse of the hyperbolic sine.
#[inline(always)]
pub fn asinh_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    let size = if !(TINY..f64::INFINITY).contains(&y) {
        y
    } else if y < LARGE {
        let square = Two::product(y, y);
        let below = square.plus(1.0).sqrt().plus(1.0);
        Logarithm::of_one_plus(square.divide(below).plus(y)).natural().value()
    } else {
        of_twice(y)
    };
    f64::from_bits(size.to_bits() | (x.to_bits() & 0x8000_0000_0000_0000))
}

/// The inverse of the hyperbolic cosine, at least 0.
#[inline(always)]
pub fn acosh_f64(x: f64) -> f64 {
    if x < LARGE {
        let t = Two::sum(x, -1.0);
        let root = t.multiply(t.plus(2.0)).sqrt();
        let y = Logarithm::of_one_plus(t.add(root)).natural().value();
        if x >= 1.0 { y } else { f64::NAN }
    } else if x < f64::INFINITY {
        of_twice(x)
    } else {
        x
    }
}

/// The inverse of the hyperbolic tangent.
#[inline(always)]
pub fn atanh_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    let size = if y < TINY {
        y
    } else if y < 1.0 {
        let ratio = Two(2.0 * y, 0.0).divide(Two::sum(1.0, -y));
        0.5 * Logarithm::of_one_plus(ratio).natural().value()
    } else {
        if y == 1.0 { f64::INFINITY } else { f64::NAN }
    };
    f64::from_bits(size.to_bits() | (x.to_bits() & 0x8000_0000_0000_0000))
}
