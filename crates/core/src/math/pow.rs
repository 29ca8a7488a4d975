//! The power: x^y = 2^(y log2(x)), with log2(x) in two parts.
//!
//! y log2(x) is up to 150, and its error is a relative error of the power. So log2(x) must be known to more than 30
//! bits: for `f32` a head and a tail. x = 2^k m with m in [0.6923, 1.3846), and m c = 1 + f, where c is one of three
//! numbers with so few bits that f, at most 0.135, is exact:
//!
//! ```text
//! log2(x) = (k - log2(c)) + G (f - f^2/2) + f^3 L(f),   G = 1 / ln(2)
//! 2^z = 2^k (1 + r E(r)),                               k the integer nearest to z, r = z - k
//! ```
//!
//! f - f^2/2, G and log2(c) have two parts each. For `f64` it is exp(y ln(x)), with ln(x) and the product as sums of
//! two numbers.

use core::f32;

use super::ln::parts_f32;
use super::two::{Exponential, Logarithm};
use super::{fused_f32, magnitude_f32, magnitude_f64, nearest_f32, nearest_f64};

/// L of the module's equation; relative error of the logarithm 2^-30.4, rounding included.
const L32: [f32; 6] =
    [0.480_898_47, -0.360_675_2, 0.288_490_62, -0.240_213_89, 0.211_255_79, -0.191_415_52];

/// E of the module's equation; relative error of the power 2^-28.9.
const E32: [f32; 6] = [
    f32::consts::LN_2,
    0.240_226_48,
    0.055_503_324,
    0.009_618_437,
    0.001_339_887_4,
    0.000_153_533_62,
];

/// `x` to the power of `y`.
#[inline(always)]
pub fn pow_f32(x: f32, y: f32) -> f32 {
    let base = magnitude_f32(x);
    let [head, tail] = log2_f32(base);
    let head = if base < f32::INFINITY { head } else { base };
    let head = if base == 0.0 { f32::NEG_INFINITY } else { head };
    let z = y * head;
    let power = exp2_f32([z, fused_f32(y, tail, fused_f32(y, head, -z))]);
    let power = if z < -160.0 { 0.0 } else { power };
    let power = if z > 160.0 { f32::INFINITY } else { power };
    // Also if the other argument is infinite or a NaN.
    let power = if (y == 0.0) | (base == 1.0) { 1.0 } else { power };
    let whole = nearest_f32(y) == y;
    let odd = whole & (nearest_f32(0.5 * y) != 0.5 * y);
    let sign = if odd { x.to_bits() & 0x8000_0000 } else { 0 };
    // Finite negative numbers have only integer powers.
    let negative = x.to_bits().wrapping_sub(0x8000_0001) < 0x7f7f_ffff;
    if negative & !whole { f32::NAN } else { f32::from_bits(power.to_bits() ^ sign) }
}

/// `x` to the power of `y`.
#[inline(always)]
pub fn pow_f64(x: f64, y: f64) -> f64 {
    let base = magnitude_f64(x);
    let logarithm = Logarithm::of(base).natural();
    let head = if base < f64::INFINITY { logarithm.0 } else { base };
    let head = if base == 0.0 { f64::NEG_INFINITY } else { head };
    let z = y * head;
    let power = Exponential::of(logarithm.times(y)).value();
    let power = if z < -760.0 { 0.0 } else { power };
    let power = if z > 760.0 { f64::INFINITY } else { power };
    let power = if z.is_nan() { z } else { power };
    // Also if the other argument is infinite or a NaN.
    let power = if (y == 0.0) | (base == 1.0) { 1.0 } else { power };
    let whole = nearest_f64(y) == y;
    let odd = whole & (nearest_f64(0.5 * y) != 0.5 * y);
    let sign = if odd { x.to_bits() & 0x8000_0000_0000_0000 } else { 0 };
    // Finite negative numbers have only integer powers.
    let negative = x.to_bits().wrapping_sub(0x8000_0000_0000_0001) < 0x7fef_ffff_ffff_ffff;
    if negative & !whole { f64::NAN } else { f64::from_bits(power.to_bits() ^ sign) }
}

/// The logarithm to base 2 of a positive finite `x`, as the sum of two numbers.
#[inline(always)]
pub(super) fn log2_f32(x: f32) -> [f32; 2] {
    const G: [f32; 2] = [f32::consts::LOG2_E, 1.925_963e-8];
    // log2(c); the first part has so few bits that its difference from k is exact.
    const LOW: [f32; 2] = [0.321_929_93, -1.836_753_3e-6]; // of 5/4
    const HIGH: [f32; 2] = [-0.299_560_55, 2.650_161e-7]; // of 13/16
    let [k, m] = parts_f32(x, 0.6923);
    let (c, [first, second]) = if m < 0.889 { (1.25, LOW) } else { (1.0, [0.0, 0.0]) };
    let (c, [first, second]) = if m < 1.1034 { (c, [first, second]) } else { (0.8125, HIGH) };
    let f = fused_f32(m, c, -1.0);
    let s = f * f;
    let s_rest = fused_f32(f, f, -s);
    let l = fused_f32(fused_f32(fused_f32(L32[5], f, L32[4]), f, L32[3]), f, L32[2]);
    let cubic = f * fused_f32(fused_f32(l, f, L32[1]), f, L32[0]);
    let h = fused_f32(-0.5, s, f);
    let h_rest = fused_f32(-0.5, s_rest, fused_f32(-0.5, s, f - h));
    let p = h * G[0];
    let p_rest = fused_f32(h_rest, G[0], fused_f32(h, G[1], fused_f32(h, G[0], -p)));
    let p_rest = fused_f32(s, cubic, fused_f32(s_rest, cubic, p_rest));
    let whole = k - first;
    let head = whole + p;
    [head, ((whole - head) + p) + (p_rest - second)]
}

/// 2 to the power of the sum of two numbers, the second much smaller, if the first is between -160 and 160.
#[inline(always)]
fn exp2_f32([z, rest]: [f32; 2]) -> f32 {
    const SHIFT: f32 = 12_582_912.0; // 1.5 * 2^23: a sum near it is an integer.
    let shifted = (z + rest) + SHIFT;
    let r = (z - (shifted - SHIFT)) + rest;
    let high = fused_f32(fused_f32(fused_f32(E32[5], r, E32[4]), r, E32[3]), r, E32[2]);
    let y = fused_f32(fused_f32(fused_f32(high, r, E32[1]), r, E32[0]), r, 1.0);
    // Half of the power goes into the exponent, where there is room. The other half rounds a subnormal result, or
    // overflows. The bits above k are shifted out.
    let whole = shifted.to_bits();
    let half = whole >> 1;
    let rest = f32::from_bits((whole.wrapping_sub(half) << 23).wrapping_add(0x3f80_0000));
    f32::from_bits(y.to_bits().wrapping_add(half << 23)) * rest
}
