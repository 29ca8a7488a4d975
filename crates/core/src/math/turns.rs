//! Sine and cosine of an angle in whole turns.
//!
//! In turns the reduction is exact for every number, by adding and subtracting one constant: a sum near 2^k has no bits
//! for the smaller part of a turn. The result is a distance s of at most one quarter turn from a zero, and
//!
//! ```text
//! sin(pi/2 s) = s + s E D(E),   E = 1 - s^2
//! ```
//!
//! With E, unlike with s^2, the maximum is exactly 1 and rounding never exceeds it, while near the zero all rounding
//! errors are small against s.

use super::{fused_f32, fused_f64, magnitude_f32, magnitude_f64, nearest_f32};

/// D of the module's equation for `f32`; relative error of the sine 2^-27.
const D32: [f32; 4] = [0.4999998, 0.06657696, 0.004068267, 0.00015127799];

/// D of the module's equation for `f64`; relative error of the sine 2^-61.
const D64: [f64; 8] = [
    0.49999999999999994,
    0.06657486246595855,
    0.004074862465946084,
    0.00014327780571366932,
    3.2710232455099473e-6,
    5.240669041713689e-8,
    6.214732350419678e-10,
    5.869187312604501e-12,
];

/// sin(pi/2 s) for s in [-1, 1].
#[inline(always)]
fn quarter_sine_f32(s: f32) -> f32 {
    let e = fused_f32(-s, s, 1.0);
    let d = fused_f32(fused_f32(fused_f32(D32[3], e, D32[2]), e, D32[1]), e, D32[0]);
    fused_f32(s, e * d, s)
}

/// sin(pi/2 s) for s in [-1, 1].
#[inline(always)]
fn quarter_sine_f64(s: f64) -> f64 {
    let e = fused_f64(-s, s, 1.0);
    let high = fused_f64(fused_f64(D64[7], e, D64[6]), e, D64[5]);
    let high = fused_f64(fused_f64(high, e, D64[4]), e, D64[3]);
    let d = fused_f64(fused_f64(fused_f64(high, e, D64[2]), e, D64[1]), e, D64[0]);
    fused_f64(s, e * d, s)
}

/// cos(2 pi x).
#[inline(always)]
pub fn cos_turns_f32(x: f32) -> f32 {
    let r = magnitude_f32(x - nearest_f32(x));
    quarter_sine_f32(fused_f32(-4.0, r, 1.0))
}

/// sin(2 pi x).
#[inline(always)]
pub fn sin_turns_f32(x: f32) -> f32 {
    const SHIFT: f32 = 4_194_304.0; // 2^22: a sum above it is a multiple of 1/2.
    let y = magnitude_f32(x);
    let shifted = y + SHIFT;
    let r = y - (shifted - SHIFT);
    // Beyond 2^22 every number is a multiple of 1/2, but the sum may be another one.
    let r = if magnitude_f32(r) > 0.25 { 0.0 } else { r };
    // Half turns change the sign: the last bit of the sum, and the sign of x.
    let sign = ((shifted.to_bits() << 31) ^ x.to_bits()) & 0x8000_0000;
    f32::from_bits(quarter_sine_f32(4.0 * r).to_bits() ^ sign)
}

/// cos(2 pi x).
#[inline(always)]
pub fn cos_turns_f64(x: f64) -> f64 {
    const SHIFT: f64 = 4_503_599_627_370_496.0; // 2^52, as 2^23 above.
    let x = magnitude_f64(x);
    let turns = (x + SHIFT) - SHIFT;
    let r = magnitude_f64(x - turns);
    let r = if r > 0.5 { 0.0 } else { r };
    quarter_sine_f64(fused_f64(-4.0, r, 1.0))
}

/// sin(2 pi x).
#[inline(always)]
pub fn sin_turns_f64(x: f64) -> f64 {
    const SHIFT: f64 = 2_251_799_813_685_248.0; // 2^51, as 2^22 above.
    let y = magnitude_f64(x);
    let shifted = y + SHIFT;
    let r = y - (shifted - SHIFT);
    let r = if magnitude_f64(r) > 0.25 { 0.0 } else { r };
    let sign = ((shifted.to_bits() << 63) ^ x.to_bits()) & 0x8000_0000_0000_0000;
    f64::from_bits(quarter_sine_f64(4.0 * r).to_bits() ^ sign)
}
