//! Elementary functions with the same bits on every machine.
//!
//! **Idea.** Each function is a fixed sequence of additions, multiplications, comparisons and integer operations, all
//! of which x86-64 and PTX round alike. Nothing comes from the platform, and the compiler fuses nothing: where a
//! product and a sum are rounded once, the code says so. On a GPU the `f32` functions of inner loops use no `f64`,
//! which is slow on most GPUs (the other `f32` functions are those of `f64`, rounded once). No function needs an array
//! on the stack, which would be in memory on a GPU. The functions that the benchmark problems use most have no branch,
//! so that a CPU's vector units compute several results at once.
//!
//! | function | how | largest error |
//! |---|---|---|
//! | sin, cos of turns | exact reduction to a quarter turn, one polynomial | 2 ulp |
//! | sin, cos of radians | Cody and Waite; from 1024 (`f32`) or 2^20 (`f64`) on Payne and Hanek; two polynomials | 2 ulp |
//! | tangent | quotient of both as sums of two numbers; `f32` one polynomial | 2 ulp |
//! | inverse trigonometric | FreeBSD's quotient of polynomials; three angles, one polynomial | 1 ulp |
//! | exp | 2^k exp(r), one polynomial | 2 ulp |
//! | ln | k ln(2) + ln(m), one polynomial | 1 ulp |
//! | power | 2^(y log2(x)), of an `f64` exp(y ln(x)), the logarithm in two parts | 2 ulp |
//! | other logarithms, hyperbolic and inverse hyperbolic | exp(x) - 1 and ln(1 + x) as sums of two numbers | 2 ulp |
//! | cube root, hypotenuse | Halley's iteration; square root of a sum of two numbers | 1 ulp |
//! | error function | quotients of polynomials, and an exponential | 2 ulp |
//! | gamma function and its logarithm | Stirling's series, shifted to large arguments; series around zeros | 2 ulp |
//! | Bessel functions | series around zeros; modulus and phase | 2 ulp |
//! | square root | the processor's | 1/2 ulp |
//!
//! `docs/explanation/elementary-functions.md` has the measured errors and the numbers of instructions.
//!
//! **Source.** W. Cody, W. Waite, "Software manual for the elementary functions", 1980; M. Payne,
//! R. Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983. The polynomials are our own
//! minimax fits (Remez's algorithm), with fixed leading terms where a result must be exact.

mod bessel;
mod error_function;
mod exp;
mod gamma;
mod hyperbolic;
mod ln;
mod logarithms;
mod pow;
mod radians;
mod roots;
mod rounding;
mod tangent;
mod turns;
mod two;

pub use bessel::{j0_f64, j1_f64, y0_f64, y1_f64};
pub use error_function::{erf_f64, erfc_f64};
pub use exp::{exp_f32, exp_f64};
pub use gamma::{gamma_f64, lgamma_f64};
pub use hyperbolic::*;
pub use ln::{ln_f32, ln_f64};
pub use logarithms::*;
pub use pow::{pow_f32, pow_f64};
pub use radians::{cos_f32, cos_f64, sin_f32, sin_f64};
pub use roots::{cbrt_f64, hypot_f32, hypot_f64};
pub use rounding::*;
pub use tangent::*;
pub use turns::{cos_turns_f32, cos_turns_f64, sin_turns_f32, sin_turns_f64};

/// Functions of an `f32` that are computed in `f64` and rounded once; slow on GPUs with slow `f64`.
macro_rules! rounded {
    ($($(#[$doc:meta])* $name:ident($($x:ident),*) = $of:ident;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name($($x: f32),*) -> f32 {
            $of($($x.into()),*) as f32
        }
    )* };
}

rounded! {
    /// The angle in radians, between -pi/2 and pi/2, whose sine is `x`.
    asin_f32(x) = asin_f64;
    /// The angle in radians, between 0 and pi, whose cosine is `x`.
    acos_f32(x) = acos_f64;
    /// The angle in radians, between -pi/2 and pi/2, whose tangent is `x`.
    atan_f32(x) = atan_f64;
    /// The angle in radians, between -pi and pi, of the point (`x`, `y`).
    atan2_f32(y, x) = atan2_f64;
    /// The inverse of the hyperbolic sine.
    asinh_f32(x) = asinh_f64;
    /// The inverse of the hyperbolic cosine, at least 0.
    acosh_f32(x) = acosh_f64;
    /// The inverse of the hyperbolic tangent.
    atanh_f32(x) = atanh_f64;
    /// The cube root; negative for negative numbers.
    cbrt_f32(x) = cbrt_f64;
    /// The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to `x`.
    erf_f32(x) = erf_f64;
    /// 1 - erf(x), accurate also where it is small.
    erfc_f32(x) = erfc_f64;
    /// The gamma function; infinite at zero, NaN at negative integers.
    gamma_f32(x) = gamma_f64;
    /// The natural logarithm of the absolute value of the gamma function; infinite at zero and at negative integers.
    lgamma_f32(x) = lgamma_f64;
    /// The Bessel function of the first kind and order 0.
    j0_f32(x) = j0_f64;
    /// The Bessel function of the first kind and order 1.
    j1_f32(x) = j1_f64;
    /// The Bessel function of the second kind and order 0; -infinity at zero, NaN for negative numbers.
    y0_f32(x) = y0_f64;
    /// The Bessel function of the second kind and order 1; -infinity at zero, NaN for negative numbers.
    y1_f32(x) = y1_f64;
}

/// A word's upper 23 bits k as a number in [1, 2): 1 + k / 2^23.
///
/// On the GPU one instruction shifts the exponent's bits in together with the word's.
#[inline(always)]
pub fn one_to_two_f32(word: u32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return f32::from_bits((((0x7f_u64 << 32) | u64::from(word)) >> 9) as u32);
    #[cfg(not(target_arch = "nvptx64"))]
    f32::from_bits(0x3f80_0000 | (word >> 9))
}

/// The lower 52 bits k of two words as a number in [1, 2): 1 + k / 2^52.
#[inline(always)]
pub fn one_to_two_f64(high: u32, low: u32) -> f64 {
    let high = 0x3ff0_0000 | (high & 0x000f_ffff);
    f64::from_bits((u64::from(high) << 32) | u64::from(low))
}

/// The lower and the upper half of a word as numbers in [128, 129): 128 + k / 2^16.
#[inline(always)]
pub fn halves_f32(word: u32) -> [f32; 2] {
    // On the GPU one instruction shifts the exponent's bits in together with the half.
    let upper = (((0x4300_u64 << 32) | u64::from(word)) >> 16) as u32;
    [0x4300_0000 | (word & 0xffff), upper].map(f32::from_bits)
}

/// A word as a number in [2^20, 2^20 + 1): 2^20 + k / 2^32.
#[inline(always)]
pub fn word_f64(word: u32) -> f64 {
    f64::from_bits((0x4130_0000 << 32) | u64::from(word))
}

/// The smaller of `a` and a `b` that is neither a NaN nor -0.
///
/// PTX's minimum orders -0 before +0 and returns the number if one argument is a NaN. With such a `b`, this comparison
/// returns the same. One instruction instead of two.
#[inline(always)]
pub fn smaller_f32(a: f32, b: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return a.min(b);
    #[cfg(not(target_arch = "nvptx64"))]
    if a <= b { a } else { b }
}

/// The larger of `a` and a `b` that is neither a NaN nor -0; see [`smaller_f32`].
#[inline(always)]
pub fn larger_f32(a: f32, b: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return a.max(b);
    #[cfg(not(target_arch = "nvptx64"))]
    if a > b { a } else { b }
}

/// `a b + c`, rounded once: an instruction, or a call if the CPU is not known to have one.
#[inline(always)]
pub fn fused_f32(a: f32, b: f32, c: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::mul_add(a, b, c);
    #[cfg(not(target_arch = "nvptx64"))]
    a.mul_add(b, c)
}

/// `a b + c`, rounded once: see [`fused_f32`].
#[inline(always)]
pub fn fused_f64(a: f64, b: f64, c: f64) -> f64 {
    #[cfg(target_arch = "nvptx64")]
    return core::f64::math::mul_add(a, b, c);
    #[cfg(not(target_arch = "nvptx64"))]
    a.mul_add(b, c)
}

/// The nearest integer; of two equally near ones the even one.
#[inline(always)]
fn nearest_f32(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::round_ties_even(x);
    #[cfg(not(target_arch = "nvptx64"))]
    x.round_ties_even()
}

/// The nearest integer; of two equally near ones the even one.
#[inline(always)]
fn nearest_f64(x: f64) -> f64 {
    #[cfg(target_arch = "nvptx64")]
    return core::f64::math::round_ties_even(x);
    #[cfg(not(target_arch = "nvptx64"))]
    x.round_ties_even()
}

/// The largest integer not above `x`.
#[inline(always)]
pub fn floor_f32(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return libm::floorf(x);
    #[cfg(not(target_arch = "nvptx64"))]
    x.floor()
}

/// The largest integer not above `x`.
#[inline(always)]
pub fn floor_f64(x: f64) -> f64 {
    #[cfg(target_arch = "nvptx64")]
    return libm::floor(x);
    #[cfg(not(target_arch = "nvptx64"))]
    x.floor()
}

/// The two halves of a product, high first.
///
/// On the GPU the lower half is multiplied again in 32 bits, and the assembler recognises that it is the same product.
/// From one 64-bit product LLVM would generate 64-bit arithmetic for everything after it, with half as many
/// instructions again.
#[inline(always)]
pub fn multiply(a: u32, b: u32) -> (u32, u32) {
    let product = u64::from(a) * u64::from(b);
    #[cfg(target_arch = "nvptx64")]
    return ((product >> 32) as u32, a.wrapping_mul(b));
    #[cfg(not(target_arch = "nvptx64"))]
    ((product >> 32) as u32, product as u32)
}

/// The square root of an `f32`, correctly rounded.
#[inline(always)]
pub fn sqrt_f32(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::sqrt(x);
    #[cfg(not(target_arch = "nvptx64"))]
    x.sqrt()
}

/// The square root of an `f64`, correctly rounded.
#[inline(always)]
pub fn sqrt_f64(x: f64) -> f64 {
    #[cfg(target_arch = "nvptx64")]
    return core::f64::math::sqrt(x);
    #[cfg(not(target_arch = "nvptx64"))]
    x.sqrt()
}

#[inline(always)]
fn magnitude_f32(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0x7fff_ffff)
}

#[inline(always)]
fn magnitude_f64(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7fff_ffff_ffff_ffff)
}
