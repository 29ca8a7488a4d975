//! Elementary functions with the same bits on every machine.

use core::f64::consts::TAU;

/// A word's upper 23 bits as a number in the open interval (0, 1): (2 k + 1) / 2^24.
#[inline(always)]
pub fn open01_f32(word: u32) -> f32 {
    f32::from_bits(0x3f80_0000 | (word >> 9)) - (1.0 - f32::EPSILON / 2.0)
}

/// Two words' upper 52 bits as a number in the open interval (0, 1): (2 k + 1) / 2^53.
#[inline(always)]
pub fn open01_f64(high: u32, low: u32) -> f64 {
    let word = (u64::from(high) << 32) | u64::from(low);
    f64::from_bits(0x3ff0_0000_0000_0000 | (word >> 12)) - (1.0 - f64::EPSILON / 2.0)
}

/// The square root of an `f32`, correctly rounded.
#[inline(always)]
pub fn sqrt_f32(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::sqrt(x);
    #[cfg(not(target_arch = "nvptx64"))]
    libm::sqrtf(x)
}

/// The square root of an `f64`, correctly rounded.
#[inline(always)]
pub fn sqrt_f64(x: f64) -> f64 {
    #[cfg(target_arch = "nvptx64")]
    return core::f64::math::sqrt(x);
    #[cfg(not(target_arch = "nvptx64"))]
    libm::sqrt(x)
}

/// The sine of `x` radians.
#[inline(always)]
pub fn sin_f32(x: f32) -> f32 {
    libm::sinf(x)
}
/// The cosine of `x` radians.
#[inline(always)]
pub fn cos_f32(x: f32) -> f32 {
    libm::cosf(x)
}
/// sin(2 pi x).
#[inline(always)]
pub fn sin_turns_f32(x: f32) -> f32 {
    libm::sin(TAU * x as f64) as f32
}
/// cos(2 pi x).
#[inline(always)]
pub fn cos_turns_f32(x: f32) -> f32 {
    libm::cos(TAU * x as f64) as f32
}
/// e to the power of `x`.
#[inline(always)]
pub fn exp_f32(x: f32) -> f32 {
    libm::expf(x)
}
/// The sine of `x` radians.
#[inline(always)]
pub fn sin_f64(x: f64) -> f64 {
    libm::sin(x)
}
/// The cosine of `x` radians.
#[inline(always)]
pub fn cos_f64(x: f64) -> f64 {
    libm::cos(x)
}
/// sin(2 pi x).
#[inline(always)]
pub fn sin_turns_f64(x: f64) -> f64 {
    libm::sin(TAU * x)
}
/// cos(2 pi x).
#[inline(always)]
pub fn cos_turns_f64(x: f64) -> f64 {
    libm::cos(TAU * x)
}
/// e to the power of `x`.
#[inline(always)]
pub fn exp_f64(x: f64) -> f64 {
    libm::exp(x)
}
