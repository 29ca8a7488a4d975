//! The natural logarithm: ln(x) = k ln(2) + ln(m).
//!
//! x = 2^k m with m in [2/3, 4/3), so that f = m - 1 is exact and small on both sides, and no division is needed:
//!
//! ```text
//! ln(1 + f) = f - f^2/2 + f^3 L(f)
//! ```

use core::{f32, f64};

use super::{fused_f32, fused_f64};

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

/// L of the module's equation for `f64`; relative error of the logarithm 2^-59.4.
const L64: [f64; 20] = [
    0.3333333333333317,
    -0.2499999999999944,
    0.20000000000073181,
    -0.1666666666684552,
    0.14285714274512032,
    -0.12499999978210719,
    0.11111111952619925,
    -0.10000001388284085,
    0.09090872994613299,
    -0.08333280811440096,
    0.07693259665043203,
    -0.07144111013575097,
    0.06650735546948673,
    -0.06230656177493866,
    0.06051190815038718,
    -0.05747052874612346,
    0.04177719132461097,
    -0.03838984330282978,
    0.08495750745008976,
    -0.08334536044230194,
];

/// The natural logarithm of `x`.
#[inline(always)]
pub fn ln_f32(x: f32) -> f32 {
    let [k, m] = parts_f32(x, 2.0 / 3.0);
    let y = fused_f32(k, f32::consts::LN_2, ln_near_one_f32(m - 1.0));
    // The logarithm of infinity is infinity; a NaN is neither above nor equal to zero.
    let y = if x < f32::INFINITY { y } else { x };
    let beyond = if x == 0.0 { f32::NEG_INFINITY } else { f32::NAN };
    if x > 0.0 { y } else { beyond }
}

/// ln(1 + f), for f between -1/3 and 1/3.
#[inline(always)]
pub(super) fn ln_near_one_f32(f: f32) -> f32 {
    let s = f * f;
    // Even and odd terms separately: the dependency chain is half as long.
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

/// The natural logarithm of `x`.
#[inline(always)]
pub fn ln_f64(x: f64) -> f64 {
    // ln(2) minus its first number.
    const REST: f64 = 2.3190468138462996e-17;
    let [k, m] = parts_f64(x, 2.0 / 3.0);
    let f = m - 1.0;
    let y = fused_f64(k, f64::consts::LN_2, f + below_one_f64(f, k * REST));
    // The logarithm of infinity is infinity; a NaN is neither above nor equal to zero.
    let y = if x < f64::INFINITY { y } else { x };
    let beyond = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    if x > 0.0 { y } else { beyond }
}

/// ln(1 + f) - f, for f between -1/3 and 1/3, plus `more`.
#[inline(always)]
fn below_one_f64(f: f64, more: f64) -> f64 {
    let s = f * f;
    // Even and odd terms separately: the dependency chain is half as long.
    let (mut even, mut odd) = (L64[18], L64[19]);
    let mut k = 18;
    while k > 0 {
        k -= 2;
        even = fused_f64(even, s, L64[k]);
        odd = fused_f64(odd, s, L64[k + 1]);
    }
    fused_f64(fused_f64(fused_f64(odd, f, even), f, -0.5), s, more)
}

/// k and m of x = 2^k m, m in [`least`, 2 `least`), for a positive finite `x`; `least` is between 1/2 and 1.
#[inline(always)]
fn parts_f64(x: f64, least: f64) -> [f64; 2] {
    const MANY: f64 = 18_014_398_509_481_984.0; // 2^54, which makes the smallest number a normal one.
    const SHIFT: f64 = 4_503_599_627_370_496.0; // 2^52, whose last bit is 1.
    const BIAS: u64 = 1024;
    let (x, offset) = if x < f64::MIN_POSITIVE { (x * MANY, 54.0) } else { (x, 0.0) };
    // Without the conversion of 64-bit integers to floating point, which vector units of CPUs lack.
    let k = (x.to_bits().wrapping_sub(least.to_bits()).wrapping_add(BIAS << 52)) >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub(k.wrapping_sub(BIAS) << 52));
    [f64::from_bits(SHIFT.to_bits() | k) - (SHIFT + BIAS as f64 + offset), m]
}
