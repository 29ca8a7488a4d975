//! The exponential function: exp(x) = 2^k exp(r).
//!
//! For `f64`, k is the integer nearest to x / ln(2). For `f32` it is the nearest even one, which takes a polynomial of
//! one degree more but three instructions less, because half of k needs no rounding. r = x - k ln(2), with the
//! logarithm in two parts; exp(r) is 1 + r + r^2 C(r). The power of two is multiplied in two halves, so that a
//! subnormal result is rounded once, at the end, and an overflow gives infinity.

use core::{f32, f64};

use super::{fused_f32, fused_f64, smaller_f32};

/// C of the module's equation for `f32`; relative error of the result 2^-26.
const C32: [f32; 6] =
    [0.500_000_36, 0.166_666_18, 0.041_661_23, 0.008_335_935, 0.001_410_477_8, 0.000_196_297_5];

/// C of the module's equation for `f64`; relative error of the result 2^-57.9.
const C64: [f64; 10] = [
    0.5000000000000011,
    0.16666666666666413,
    0.04166666666653022,
    0.008333333333494394,
    0.0013888888943612051,
    0.0001984126950668243,
    2.480149311968194e-5,
    2.75575863219576e-6,
    2.763024031872055e-7,
    2.5000064860912094e-8,
];

/// e to the power of `x`.
#[inline(always)]
pub fn exp_f32(x: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0; // 1.5 * 2^23: a sum near it is an integer.
    const LN4: [f32; 2] = [1.386_294_4, -3.809_308_4e-9];
    // Below this the result is zero; a NaN is kept. Above 89, k stays constant and y is above 1, so that the result is
    // infinity.
    let x = if x < -104.0 { -104.0 } else { x };
    let shifted = fused_f32(smaller_f32(x, 89.0), f32::consts::LOG2_E / 2.0, SHIFT);
    let half = shifted - SHIFT;
    let r = fused_f32(half, -LN4[1], fused_f32(half, -LN4[0], x));
    let high = fused_f32(fused_f32(fused_f32(C32[5], r, C32[4]), r, C32[3]), r, C32[2]);
    let c = fused_f32(fused_f32(high, r, C32[1]), r, C32[0]);
    let y = fused_f32(fused_f32(c, r, 1.0), r, 1.0);
    // The lower bits of `shifted` are half of k; the upper bits are shifted out.
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000));
    y * power * power
}

/// e to the power of `x`.
#[inline(always)]
pub fn exp_f64(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: a sum near it is an integer.
    const LN2: [f64; 2] = [0.6931471805598903, 5.497923018708371e-14];
    let x = if x < -746.0 { -746.0 } else { x };
    let shifted = fused_f64(if x > 710.0 { 710.0 } else { x }, f64::consts::LOG2_E, SHIFT);
    let k = shifted - SHIFT;
    let r = fused_f64(k, -LN2[1], fused_f64(k, -LN2[0], x));
    let high = fused_f64(fused_f64(C64[9], r, C64[8]), r, C64[7]);
    let high = fused_f64(fused_f64(fused_f64(high, r, C64[6]), r, C64[5]), r, C64[4]);
    let high = fused_f64(fused_f64(high, r, C64[3]), r, C64[2]);
    let c = fused_f64(fused_f64(high, r, C64[1]), r, C64[0]);
    let y = fused_f64(fused_f64(c, r, 1.0), r, 1.0);
    let power = |k: u64| f64::from_bits((k << 52).wrapping_add(0x3ff0_0000_0000_0000));
    let whole = shifted.to_bits();
    let half = whole >> 1;
    y * power(half) * power(whole.wrapping_sub(half))
}
