//! The natural logarithm: ln(x) = k ln(2) + ln(m).
//!
//! x = 2^k m with m in [2/3, 4/3), so that f = m - 1 is exact, small on either side, and no division is needed:
//!
//! ```text
//! ln(1 + f) = f - f^2/2 + f^3 L(f)
//! ```
//!
//! For `f64` it is `libm`'s, which is right to 1 ulp, has no table, and the same bits everywhere.

use core::f32;

use super::fused_f32;

/// L of the module's equation for `f32`; relative error of the logarithm 2^-27.7.
const L32: [f32; 8] = [
    0.333_332_36,
    -0.249_997_99,
    0.200_103_58,
    -0.166_805_46,
    0.140_050_77,
    -0.121_845_57,
    0.139_837,
    -0.128_916_77,
];

/// The natural logarithm of `x`.
#[inline(always)]
pub fn ln_f32(x: f32) -> f32 {
    let [k, m] = parts_f32(x, 2.0 / 3.0);
    let y = fused_f32(k, f32::consts::LN_2, ln_near_one_f32(m - 1.0));
    // Infinity is its own logarithm; a NaN is neither above nor equal to zero.
    let y = if x < f32::INFINITY { y } else { x };
    let beyond = if x == 0.0 { f32::NEG_INFINITY } else { f32::NAN };
    if x > 0.0 { y } else { beyond }
}

/// ln(1 + f), for f between -1/3 and 1/3.
#[inline(always)]
pub(super) fn ln_near_one_f32(f: f32) -> f32 {
    let s = f * f;
    // Even and odd terms apart: half as long a chain.
    let even = fused_f32(fused_f32(L32[6], s, L32[4]), s, L32[2]);
    let odd = fused_f32(fused_f32(fused_f32(L32[7], s, L32[5]), s, L32[3]), s, L32[1]);
    let l = fused_f32(fused_f32(even, f, odd), f, L32[0]);
    fused_f32(fused_f32(l, f, -0.5), s, f)
}

/// k and m of x = 2^k m, m in [`least`, 2 `least`), for a positive finite `x`; `least` is between 1/2 and 1.
#[inline(always)]
pub(super) fn parts_f32(x: f32, least: f32) -> [f32; 2] {
    const MANY: f32 = 8_388_608.0; // 2^23, which makes the smallest number a normal one.
    let (x, offset) = if x < f32::MIN_POSITIVE { (x * MANY, -23.0) } else { (x, 0.0) };
    let exponent = x.to_bits().wrapping_sub(least.to_bits()) & 0xff80_0000;
    let m = f32::from_bits(x.to_bits().wrapping_sub(exponent));
    [fused_f32(exponent as i32 as f32, 1.0 / MANY, offset), m]
}
