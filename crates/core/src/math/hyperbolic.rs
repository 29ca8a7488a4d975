//! exp(x) - 1, and the hyperbolic functions computed from it.
//!
//! With e^x = 2^k (1 + p) and p a sum of two numbers, q = (e^x - 1) / 4 is also such a sum: 2^(k-2) p + (2^(k-2) -
//! 1/4), and p / 4 if k is 0. The quarter does not overflow before the functions do.
//!
//! ```text
//! sinh(x) = 2 (q + q / (1 + 4 q))
//! cosh(x) = 2 (w + 1 / (16 w)),  w = q + 1/4
//! tanh(x) = q / (q + 1/2),       q that of 2 x
//! ```
//!
//! For `f32`, sinh and tanh of x below 1 are x + x^3 times a polynomial in x^2. Above 1 the parts of the exponential
//! are 2^k (h + l), h = 1 + r; and tanh is 1 - 2 / (e^2x + 1).

use core::{f32, f64};

use super::exp::exp_f32;
use super::two::{Exponential, Two, power_of_two};
use super::{fused_f32, larger_f32, magnitude_f32, magnitude_f64, smaller_f32};

/// (exp(r) - 1 - r) / r^2; relative error of exp(r) - 1 2^-29.
const C32: [f32; 6] =
    [0.5, 0.166_666_67, 0.041_666_456, 0.008_333_284, 0.001_393_454_7, 0.000_199_089_06];

/// (sinh(x) - x) / x^3 as a polynomial in x^2; relative error of the sine 2^-34.
const S32: [f32; 4] = [0.166_666_67, 0.008_333_35, 0.000_198_361_58, 2.816_962_3e-6];

/// (tanh(x) - x) / x^3 as a polynomial in x^2; relative error of the tangent 2^-31.
const T32: [f32; 8] = [
    -0.333_333_28,
    0.133_332_01,
    -0.053_953_126,
    0.021_784_835,
    -0.008_595_332_5,
    0.003_078_841_4,
    -0.000_841_280_74,
    0.000_121_504_17,
];

/// k, r and exp(r) - 1 - r of exp(x) = 2^k exp(r), for `x` between -100 and 100.
#[inline(always)]
fn parts_f32(x: f32) -> (i32, f32, f32) {
    const SHIFT: f32 = 12_582_912.0; // 1.5 * 2^23: a sum near it is an integer.
    const LN2: [f32; 2] = [f32::consts::LN_2, -1.904_654_2e-9];
    let shifted = fused_f32(x, f32::consts::LOG2_E, SHIFT);
    let k = shifted - SHIFT;
    let near = fused_f32(k, -LN2[0], x);
    let r = fused_f32(k, -LN2[1], near);
    let lost = fused_f32(k, -LN2[1], near - r);
    let high = fused_f32(fused_f32(fused_f32(C32[5], r, C32[4]), r, C32[3]), r, C32[2]);
    let c = fused_f32(fused_f32(high, r, C32[1]), r, C32[0]);
    (k as i32, r, fused_f32(r * r, c, lost))
}

/// 2^k, for -126 <= k <= 127.
#[inline(always)]
fn power_f32(k: i32) -> f32 {
    f32::from_bits(((k + 127) as u32) << 23)
}

/// exp(x) - 1, accurate also for small x.
#[inline(always)]
pub fn expm1_f32(x: f32) -> f32 {
    // Beyond these, -1 and infinity; a NaN becomes a number and is restored later.
    let (k, r, p) = parts_f32(larger_f32(smaller_f32(x, 89.0), -18.0));
    let scale = power_f32(k - 1);
    let whole = scale - 0.5;
    let high = fused_f32(scale, r, whole);
    let low = fused_f32(scale, r, whole - high);
    let y = 2.0 * (high + fused_f32(scale, p, low));
    // Also for zero, with its sign, and for a NaN.
    if magnitude_f32(x) >= 1e-8 { y } else { x }
}

/// exp(x) - 1, accurate also for small x.
#[inline(always)]
pub fn expm1_f64(x: f64) -> f64 {
    // Beyond these, -1 and infinity; a NaN passes both comparisons.
    let y = if x < -40.0 { -40.0 } else { x };
    let y = 4.0 * quarter_expm1(if y > 710.8 { 710.8 } else { y }).value();
    if magnitude_f64(x) >= TINY { y } else { x }
}

/// Below this odd functions equal their argument: 2^-55.
const TINY: f64 = 2.7755575615628914e-17;

/// (exp(x) - 1) / 4, for `x` between -50 and 710.8.
#[inline(always)]
fn quarter_expm1(x: f64) -> Two {
    let Exponential { k, p } = Exponential::of(Two(x, 0.0));
    let scale = power_of_two(k.wrapping_sub(2));
    let Two(high, low) = Two::sum(scale - 0.25, scale * p.0);
    let other = Two::quick_sum(high, low + scale * p.1);
    if k == 0 { p.scaled(0.25) } else { other }
}

/// `size` with the sign of `x`.
#[inline(always)]
fn signed_f32(size: f32, x: f32) -> f32 {
    f32::from_bits(size.to_bits() | (x.to_bits() & 0x8000_0000))
}

/// `size` with the sign of `x`.
#[inline(always)]
fn signed_f64(size: f64, x: f64) -> f64 {
    f64::from_bits(size.to_bits() | (x.to_bits() & 0x8000_0000_0000_0000))
}

/// exp(x) / 4 as the sum of two numbers, the first of them exact, and exp(-x) / 4; for `x` between 0 and 90.
#[inline(always)]
fn quarters_f32(x: f32) -> (f32, f32, f32) {
    let (k, r, p) = parts_f32(x);
    let high = 1.0 + r;
    let low = ((1.0 - high) + r) + p;
    let scale = power_f32(k - 2);
    let other = (0.0625 / scale) / (high + low);
    (scale * high, scale * low, other)
}

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh_f32(x: f32) -> f32 {
    let y = magnitude_f32(x);
    let (high, low, other) = quarters_f32(smaller_f32(y, 89.5));
    let large = 2.0 * (high + (low - other));
    let u = y * y;
    let s = fused_f32(fused_f32(fused_f32(S32[3], u, S32[2]), u, S32[1]), u, S32[0]);
    let small = fused_f32(u * s, y, y);
    let size = if y < 1.0 { small } else { large };
    // Restores a NaN, which became a number above.
    if y <= f32::INFINITY { signed_f32(size, x) } else { x }
}

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    if y < TINY {
        return x;
    }
    let q = quarter_expm1(if y > 710.8 { 710.8 } else { y });
    let size = if q.0 < 1e20 { q.add(q.divide(q.scaled(4.0).plus(1.0))).value() } else { q.0 };
    // A NaN is not below 1e20.
    signed_f64(2.0 * size, x)
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh_f32(x: f32) -> f32 {
    let y = magnitude_f32(x);
    let (high, low, other) = quarters_f32(smaller_f32(y, 89.5));
    let size = 2.0 * (high + (low + other));
    if y <= f32::INFINITY { size } else { x }
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    let w = quarter_expm1(if y > 710.8 { 710.8 } else { y }).plus(0.25);
    let size = if w.0 < 1e20 { w.add(Two(0.0625, 0.0).divide(w)).value() } else { w.0 };
    2.0 * size
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh_f32(x: f32) -> f32 {
    let y = magnitude_f32(x);
    let large = 1.0 - 2.0 / (exp_f32(2.0 * y) + 1.0);
    let u = y * y;
    let even = fused_f32(fused_f32(fused_f32(T32[7], u, T32[6]), u, T32[5]), u, T32[4]);
    let t = fused_f32(fused_f32(even, u, T32[3]), u, T32[2]);
    let t = fused_f32(fused_f32(t, u, T32[1]), u, T32[0]);
    let small = fused_f32(u * t, y, y);
    signed_f32(if y < 1.0 { small } else { large }, x)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    if y < TINY {
        return x;
    }
    let q = quarter_expm1(2.0 * if y > 22.0 { 22.0 } else { y });
    signed_f64(q.divide(q.plus(0.5)).value(), x)
}
