//! Number types: what an objective may use ([`Real`]), and what an optimiser uses in addition ([`Float`]).
//!
//! An objective is generic over `R: Real`. An optimiser computes in a [`Float`], which is `f32` or `f64`: it also draws
//! random numbers, compares results as integers, and stores bits. An objective needs none of that, so other number
//! types can be used in it too: a [`Dual`](crate::dual::Dual) carries derivatives.
//!
//! Every function here gives the same bits on x86-64 and in PTX: plain arithmetic is never fused unless it says so
//! ([`Real::fused`]), and the elementary functions are those of [`math`], not the platform's.
//!
//! The methods have the names of std's, except for [`Real::pow`]. For a number of the known type `f32` or `f64`, the
//! compiler silently uses std's own methods wherever std is linked: on the host that is in every crate, even a `no_std`
//! one. So write objectives for any `R: Real`; elsewhere write `Real::sin(x)`.

mod float;
mod functions;

pub use float::Float;

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use crate::math;
use functions::{declared, for_each_function, narrow, wide};

/// A number type for objectives.
///
/// ```
/// use warpswarm_core::Real;
/// /// The distance of a point from the origin, in whatever precision.
/// fn distance<R: Real>(x: R, y: R) -> R {
///     (x * x + y * y).sqrt()
/// }
/// assert_eq!((distance(3.0_f32, 4.0), distance(3.0_f64, 4.0)), (5.0, 5.0));
/// // Three quarters of a turn, exactly.
/// assert_eq!(0.75_f32.sin_turns(), -1.0);
/// assert_eq!(2.0_f64.larger(f64::NAN.smaller(3.0)), 3.0);
/// ```
pub trait Real:
    Copy
    + Default
    + Debug
    + PartialEq
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Send
    + Sync
    + 'static
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// One half.
    const HALF: Self;
    /// Two.
    const TWO: Self;
    /// The largest finite number.
    const MAX: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// The one NaN that results contain, whichever NaN a computation returned.
    const NAN: Self;

    /// The nearest number of this type.
    fn from_f64(value: f64) -> Self;
    /// The same number as `f64`.
    fn to_f64(self) -> f64;
    /// An integer as a number; exact below 2^24.
    fn from_u32(value: u32) -> Self;

    /// One of two constants: the `f32` for `f32` numbers, otherwise the `f64`. For tables, of which a kernel contains
    /// only one precision.
    fn either(single: impl FnOnce() -> f32, double: impl FnOnce() -> f64) -> Self;

    /// `self * factor + term`, rounded once.
    fn fused(self, factor: Self, term: Self) -> Self;

    /// Whether the number is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Whether the number is a NaN.
    #[allow(clippy::eq_op)]
    #[inline(always)]
    fn is_nan(self) -> bool {
        self != self
    }
    /// The absolute value.
    fn abs(self) -> Self;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The sine of an angle in radians.
    fn sin(self) -> Self;
    /// The cosine of an angle in radians.
    fn cos(self) -> Self;
    /// The sine of an angle in whole turns, sin(2 pi x); exact argument reduction for every x.
    fn sin_turns(self) -> Self;
    /// The cosine of an angle in whole turns, cos(2 pi x); exact argument reduction for every x.
    fn cos_turns(self) -> Self;
    /// The exponential function.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The number to the power of `exponent`, with the special values of C's `pow` (C17, F.10.4.4): 1 if the exponent
    /// is zero; NaN for a negative finite number, unless the exponent is an integer.
    ///
    /// std's is called `powf`: `x.pow(y)` is always this function, whatever the type of `x`, and `x.powf(y)` never is.
    #[doc(alias = "powf")]
    fn pow(self, exponent: Self) -> Self;
    for_each_function!(declared);

    /// The smaller of two numbers: `self` if it is not greater, `other` if `self` is a NaN. `other`
    /// is neither a NaN nor -0.
    fn smaller(self, other: Self) -> Self;
    /// The larger of two numbers: `self` if it is greater, otherwise `other`, also if `self` is a
    /// NaN. `other` is neither a NaN nor -0.
    fn larger(self, other: Self) -> Self;
    /// The nearest number in `[lower, upper]`; a NaN becomes `upper`. Neither bound is a NaN or -0.
    #[inline(always)]
    fn clamp_to(self, lower: Self, upper: Self) -> Self {
        self.smaller(upper).larger(lower)
    }
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const HALF: Self = 0.5;
    const TWO: Self = 2.0;
    const MAX: Self = f32::MAX;
    const INFINITY: Self = f32::INFINITY;
    const NAN: Self = f32::from_bits(0x7fc0_0000);

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn from_u32(value: u32) -> Self {
        value as f32
    }
    #[inline(always)]
    fn either(single: impl FnOnce() -> f32, _: impl FnOnce() -> f64) -> Self {
        single()
    }
    #[inline(always)]
    fn fused(self, factor: Self, term: Self) -> Self {
        math::fused_f32(self, factor, term)
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        Real::abs(self) < f32::INFINITY
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        math::smaller_f32(self, other)
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        math::larger_f32(self, other)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32::from_bits(self.to_bits() & 0x7fff_ffff)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        math::sqrt_f32(self)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        math::sin_f32(self)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        math::cos_f32(self)
    }
    #[inline(always)]
    fn sin_turns(self) -> Self {
        math::sin_turns_f32(self)
    }
    #[inline(always)]
    fn cos_turns(self) -> Self {
        math::cos_turns_f32(self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        math::exp_f32(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        math::ln_f32(self)
    }
    #[inline(always)]
    fn pow(self, exponent: Self) -> Self {
        math::pow_f32(self, exponent)
    }
    for_each_function!(narrow);
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const HALF: Self = 0.5;
    const TWO: Self = 2.0;
    const MAX: Self = f64::MAX;
    const INFINITY: Self = f64::INFINITY;
    const NAN: Self = f64::from_bits(0x7ff8_0000_0000_0000);

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn from_u32(value: u32) -> Self {
        f64::from(value)
    }
    #[inline(always)]
    fn either(_: impl FnOnce() -> f32, double: impl FnOnce() -> f64) -> Self {
        double()
    }
    #[inline(always)]
    fn fused(self, factor: Self, term: Self) -> Self {
        math::fused_f64(self, factor, term)
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        Real::abs(self) < f64::INFINITY
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self <= other { self } else { other }
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::from_bits(self.to_bits() & 0x7fff_ffff_ffff_ffff)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        math::sqrt_f64(self)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        math::sin_f64(self)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        math::cos_f64(self)
    }
    #[inline(always)]
    fn sin_turns(self) -> Self {
        math::sin_turns_f64(self)
    }
    #[inline(always)]
    fn cos_turns(self) -> Self {
        math::cos_turns_f64(self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        math::exp_f64(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        math::ln_f64(self)
    }
    #[inline(always)]
    fn pow(self, exponent: Self) -> Self {
        math::pow_f64(self, exponent)
    }
    for_each_function!(wide);
}
