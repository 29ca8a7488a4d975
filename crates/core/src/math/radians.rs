//! Sine and cosine of an angle in radians.
//!
//! x is reduced to r = x - q pi/2 with `|r| <= pi/4`. The quadrant q selects the polynomial, r + r^3 S(r^2) or
//! 1 - r^2/2 + r^4 C(r^2), and its sign.
//!
//! Up to a limit that keeps q small, pi/2 is subtracted in four parts, short enough that q times a part is exact (Cody
//! and Waite). Beyond it, x = m 2^e with an integer m, and only those bits of 2/pi matter whose product with m 2^e is
//! below four. An integer product of m and a window of 2/pi has the quadrant in its two highest bits and the fraction
//! of a quadrant in the others (Payne and Hanek). Both are right for every number; the smallest distance of an `f64`
//! from a multiple of pi/2 is 2^-61.

use core::{f32, f64};

use super::two::{Two, power_of_two};
use super::{fused_f64, magnitude_f32, magnitude_f64};

/// S of the module's equation for `f32`; relative error of the sine 2^-28.
const S32: [f32; 3] = [-0.16666655, 0.00833216, -0.00019515282];
/// C of the module's equation for `f32`; relative error of the cosine 2^-33.
const C32: [f32; 3] = [0.041666646, -0.0013887316, 2.4433157e-5];

/// S of the module's equation for `f64`; relative error of the sine 2^-57.9.
const S64: [f64; 6] = [
    -0.1666666666666663,
    0.008333333333322118,
    -0.00019841269829589425,
    2.7557313621344777e-6,
    -2.5050747756236368e-8,
    1.589622976227297e-10,
];
/// C of the module's equation for `f64`; relative error of the cosine 2^-64.
const C64: [f64; 6] = [
    0.041666666666666595,
    -0.0013888888888873056,
    2.480158728885158e-5,
    -2.755731417925958e-7,
    2.087570083679802e-9,
    -1.1358536247044759e-11,
];

/// The limit of q: the number of bits that the parts of pi/2 leave for it.
const NEAR_F32: f32 = 1024.0;
const NEAR_F64: f64 = 1_048_576.0;

/// pi/4 * 2^64.
const QUARTER_PI: u64 = 0xc90f_daa2_2168_c235;

/// 64 zeros and the first 1984 fractional bits of 2/pi.
static TWO_OVER_PI: [u64; 32] = [
    0x0000_0000_0000_0000,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
    0xa9e3_9161_5ee6_1b08,
    0x6599_855f_14a0_6840,
    0x8dff_d880_4d73_2731,
    0x0606_1556_ca73_a8c9,
    0x60e2_7bc0_8c6b_47c4,
    0x19c3_67cd_dce8_092a,
    0x8359_c476_8b96_1ca6,
    0xddaf_44d1_5719_053e,
    0xa5ff_0705_3f7e_33e8,
    0x32c2_de4f_9832_7dbb,
    0xc33d_26ef_6b1e_5ef8,
];

/// 64 bits of 2/pi; the first bit times 2^`e` is 2.
///
/// `word` counts further 64-bit words; `e` is at least -62.
#[inline(always)]
fn window(e: i32, word: u32) -> u64 {
    let bit = (e + 62) as u32 + 64 * word;
    // The mask changes nothing: it shows the compiler that the index is in range.
    let at = |i: u32| TWO_OVER_PI[(i % 32) as usize];
    let (high, low) = (at(bit / 64), at(bit / 64 + 1));
    (high << (bit % 64)) | ((low >> 1) >> (63 - bit % 64))
}

/// The upper half of a product.
#[inline(always)]
fn multiply_high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// Quadrant and remainder, in two parts, of a finite `x` at or above the limit.
#[inline(always)]
fn reduce_far_f32(x: f32) -> (u32, f32, f32) {
    let bits = x.to_bits();
    let m = u64::from((bits & 0x007f_ffff) | 0x0080_0000);
    let e = (bits >> 23) as i32 - 150;
    let product = m.wrapping_mul(window(e, 0)).wrapping_add(multiply_high(m, window(e, 1)));
    // The fraction as a signed number: above one half it belongs to the next quadrant.
    let fraction = (product << 2) as i64;
    let quadrant = (product.wrapping_add(1 << 61) >> 62) as u32;
    let negative = (fraction >> 63) as u64;
    // Its absolute value, up to one unit in the last of 64 bits.
    let size = fraction as u64 ^ negative;
    let zeros = size.leading_zeros() & 63;
    let r = multiply_high(size << zeros, QUARTER_PI);
    let rest = r.wrapping_sub(r as f32 as u64) as i64;
    let scale = ((127 - 63 - zeros) << 23) | (negative as u32 & 0x8000_0000);
    let scale = f32::from_bits(scale);
    (quadrant, r as f32 * scale, rest as f32 * scale)
}

/// Quadrant and remainder, in two parts, of a positive `x`.
#[inline(always)]
pub(super) fn reduce_f32(x: f32) -> (u32, f32, f32) {
    const SHIFT: f32 = 8_388_608.0; // 2^23: a sum above it is an integer.
    // The first two end at 2^-13 and 2^-24. So q times them is exact, and so are the differences, because their bits
    // fit into a number below pi/4; q times the third is exact too.
    const HALF_PI: [f32; 4] = [1.5706787, 0.000117599964, 1.5890691e-8, 2.563344e-12];
    if x < NEAR_F32 {
        let shifted = x * f32::consts::FRAC_2_PI + SHIFT;
        let q = shifted - SHIFT;
        let near = (x - q * HALF_PI[0]) - q * HALF_PI[1];
        let third = q * HALF_PI[2];
        let r = near - third;
        // The rounding error of the only inexact difference: without it the sine misses 2 ulp.
        let lost = (near - r) - third;
        let tail = lost - q * HALF_PI[3];
        let whole = r + tail;
        (shifted.to_bits(), whole, (r - whole) + tail)
    } else if x < f32::INFINITY {
        reduce_far_f32(x)
    } else {
        (0, f32::NAN, 0.0)
    }
}

/// The sine of a remainder, or its cosine in odd quadrants, with the quadrant's sign.
#[inline(always)]
fn sine_in_quadrant_f32(quadrant: u32, r: f32) -> f32 {
    let u = r * r;
    let sine = r + r * (u * ((S32[2] * u + S32[1]) * u + S32[0]));
    let cosine = (1.0 - 0.5 * u) + (u * u) * ((C32[2] * u + C32[1]) * u + C32[0]);
    // A mask, because the compiler would turn a condition into a branch, on which lanes diverge.
    let odd = (quadrant & 1).wrapping_neg();
    let value = (sine.to_bits() & !odd) | (cosine.to_bits() & odd);
    f32::from_bits(value ^ ((quadrant << 30) & 0x8000_0000))
}

/// The sine of `x` radians.
#[inline(always)]
pub fn sin_f32(x: f32) -> f32 {
    let (quadrant, r, _) = reduce_f32(magnitude_f32(x));
    let sine = sine_in_quadrant_f32(quadrant, r);
    f32::from_bits(sine.to_bits() ^ (x.to_bits() & 0x8000_0000))
}

/// The cosine of `x` radians.
#[inline(always)]
pub fn cos_f32(x: f32) -> f32 {
    let (quadrant, r, _) = reduce_f32(magnitude_f32(x));
    sine_in_quadrant_f32(quadrant.wrapping_add(1), r)
}

/// Quadrant; all ones if the remainder is negative; and the absolute value of the remainder in quadrants, with 128
/// fractional bits, of a finite `x` at or above the limit.
#[inline(always)]
fn fraction_far_f64(x: f64) -> (u32, u64, [u64; 2]) {
    let bits = x.to_bits();
    let m = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    let e = (bits >> 52) as i32 - 1075;
    let low = u128::from(m) * u128::from(window(e, 1)) + u128::from(multiply_high(m, window(e, 2)));
    let high = m.wrapping_mul(window(e, 0)).wrapping_add((low >> 64) as u64);
    let low = low as u64;
    // The fraction as a signed number: above one half it belongs to the next quadrant.
    let fraction = (high << 2) | (low >> 62);
    let quadrant = (high.wrapping_add(1 << 61) >> 62) as u32;
    let negative = ((fraction as i64) >> 63) as u64;
    // Its absolute value, up to one unit in the last of 128 bits.
    (quadrant, negative, [fraction ^ negative, (low << 2) ^ negative])
}

/// Quadrant and remainder, in two parts, of a finite `x` at or above the limit.
#[inline(always)]
fn reduce_far_f64(x: f64) -> (u32, f64, f64) {
    let (quadrant, negative, [high, low]) = fraction_far_f64(x);
    let zeros = high.leading_zeros() & 63;
    let size = (high << zeros) | ((low >> 1) >> (63 - zeros));
    let r = multiply_high(size, QUARTER_PI);
    // The upper 53 bits and the rest are both exact.
    let scale = u64::from(1023 - 63 - zeros) << 52;
    let scale = f64::from_bits(scale | (negative & 0x8000_0000_0000_0000));
    (quadrant, (r & !0x7ff) as f64 * scale, (r & 0x7ff) as f64 * scale)
}

/// Quadrant and remainder, in two parts, of a positive `x`.
#[inline(always)]
pub(super) fn reduce_f64(x: f64) -> (u32, f64, f64) {
    const SHIFT: f64 = 4_503_599_627_370_496.0; // 2^52: a sum above it is an integer.
    // 33 bits each, so that products with 20 more bits are exact.
    const HALF_PI: [f64; 4] =
        [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];
    if x < NEAR_F64 {
        let shifted = fused_f64(x, f64::consts::FRAC_2_PI, SHIFT);
        let q = shifted - SHIFT;
        // In each difference the first term is the larger, or the difference is exact: its rounding error can be
        // computed.
        let first = fused_f64(-q, HALF_PI[0], x);
        let second = fused_f64(-q, HALF_PI[1], first);
        let third = fused_f64(-q, HALF_PI[2], second);
        let lost = fused_f64(-q, HALF_PI[1], first - second);
        let lost = lost + fused_f64(-q, HALF_PI[2], second - third);
        let tail = fused_f64(-q, HALF_PI[3], lost);
        let r = third + tail;
        (shifted.to_bits() as u32, r, (third - r) + tail)
    } else if x < f64::INFINITY {
        reduce_far_f64(x)
    } else {
        (0, f64::NAN, 0.0)
    }
}

/// Quadrant and remainder of a positive finite `x`; the error of the remainder is 2^-105, also where it is large.
#[inline(always)]
pub(super) fn reduce_two_f64(x: f64) -> (u32, Two) {
    const HALF_PI: Two = Two(f64::consts::FRAC_PI_2, 6.123233995736766e-17);
    if x < NEAR_F64 {
        let (quadrant, r, tail) = reduce_f64(x);
        return (quadrant, Two::quick_sum(r, tail));
    }
    let (quadrant, negative, [high, low]) = fraction_far_f64(x);
    let more = (high << 53) | (low >> 11);
    let [first, second] = [power_of_two(-53), power_of_two(-117)];
    let size = Two::quick_sum((high >> 11) as f64 * first, more as f64 * second);
    let rest = size.multiply(HALF_PI);
    (quadrant, if negative != 0 { rest.negate() } else { rest })
}

/// Sine and cosine of a remainder, each as a sum of two numbers of which the first is larger.
///
/// The tail enters to first order: sin(r + t) = sin(r) + t cos(r), cos(r + t) = cos(r) - t r.
#[inline(always)]
pub(super) fn sine_and_cosine_f64((r, tail): (f64, f64)) -> [Two; 2] {
    let u = r * r;
    let (mut s, mut c) = (S64[5], C64[5]);
    let mut k = 5;
    while k > 0 {
        k -= 1;
        s = fused_f64(s, u, S64[k]);
        c = fused_f64(c, u, C64[k]);
    }
    let top = fused_f64(-0.5, u, 1.0);
    let sine = Two(r, fused_f64(r, u * s, tail * top));
    [sine, Two(top, fused_f64(u * u, c, fused_f64(-0.5, u, 1.0 - top) - r * tail))]
}

/// The sine of a remainder, or its cosine in odd quadrants, with the quadrant's sign.
#[inline(always)]
fn sine_in_quadrant_f64(quadrant: u32, rest: (f64, f64)) -> f64 {
    let [sine, cosine] = sine_and_cosine_f64(rest).map(Two::value);
    let quadrant = u64::from(quadrant);
    let odd = (quadrant & 1).wrapping_neg();
    let value = (sine.to_bits() & !odd) | (cosine.to_bits() & odd);
    f64::from_bits(value ^ ((quadrant << 62) & 0x8000_0000_0000_0000))
}

/// The sine of `x` radians.
#[inline(always)]
pub fn sin_f64(x: f64) -> f64 {
    let (quadrant, r, tail) = reduce_f64(magnitude_f64(x));
    let sine = sine_in_quadrant_f64(quadrant, (r, tail));
    f64::from_bits(sine.to_bits() ^ (x.to_bits() & 0x8000_0000_0000_0000))
}

/// The cosine of `x` radians.
#[inline(always)]
pub fn cos_f64(x: f64) -> f64 {
    let (quadrant, r, tail) = reduce_f64(magnitude_f64(x));
    sine_in_quadrant_f64(quadrant.wrapping_add(1), (r, tail))
}
