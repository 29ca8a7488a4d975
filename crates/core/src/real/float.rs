//! What an optimiser needs of a number type besides arithmetic.

use core::fmt::{Display, LowerExp};

use super::Real;
use crate::random::FromWords;

/// A floating-point type for an optimisation: `f32` or `f64`.
///
/// ```
/// use warpswarm_core::real::{Float, Real};
/// /// The next number above, as results are ordered.
/// fn next<R: Float>(x: R) -> R {
///     R::from_ordered(x.ordered() + 1)
/// }
/// assert_eq!((next(1.0_f32), next(1.0_f64)), (1.0 + f32::EPSILON, 1.0 + f64::EPSILON));
/// assert_eq!((f32::NAME, f64::WORDS), ("f32", 2));
/// ```
pub trait Float: Real + Display + LowerExp + FromWords {
    /// The type's name in the program and in the names of kernels.
    const NAME: &'static str;
    /// Half the distance from 1 to the next number.
    const HALF_EPSILON: Self;
    /// How many 32-bit words [`ordered`](Float::ordered) uses: 1 or 2.
    const WORDS: usize;

    /// The bits; those of `f32` in the lower half.
    fn to_bits64(self) -> u64;
    /// The number with these bits; the inverse of [`to_bits64`](Float::to_bits64).
    fn from_bits64(bits: u64) -> Self;

    /// An integer with the order of results: -inf < ... < -0 = 0 < ... < inf < NaN.
    ///
    /// It fits in `32 * WORDS` bits. Every NaN gives the largest integer of that size.
    fn ordered(self) -> u64;
    /// The number of an [`ordered`](Float::ordered) integer: zero is positive, NaN is [`Real::NAN`].
    fn from_ordered(key: u64) -> Self;
}

impl Float for f32 {
    const NAME: &'static str = "f32";
    const HALF_EPSILON: Self = f32::EPSILON / 2.0;
    const WORDS: usize = 1;

    #[inline(always)]
    fn to_bits64(self) -> u64 {
        u64::from(self.to_bits())
    }
    #[inline(always)]
    fn from_bits64(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
    #[inline(always)]
    fn ordered(self) -> u64 {
        // Adding zero turns -0 into +0.
        let bits = (self + 0.0).to_bits();
        let key = bits ^ (((bits as i32) >> 31) as u32 | 0x8000_0000);
        u64::from(if Real::is_nan(self) { u32::MAX } else { key })
    }
    #[inline(always)]
    fn from_ordered(key: u64) -> Self {
        let key = key as u32;
        if key == u32::MAX {
            return Self::NAN;
        }
        f32::from_bits(if key & 0x8000_0000 != 0 { key ^ 0x8000_0000 } else { !key })
    }
}

impl Float for f64 {
    const NAME: &'static str = "f64";
    const HALF_EPSILON: Self = f64::EPSILON / 2.0;
    const WORDS: usize = 2;

    #[inline(always)]
    fn to_bits64(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn from_bits64(bits: u64) -> Self {
        f64::from_bits(bits)
    }
    #[inline(always)]
    fn ordered(self) -> u64 {
        // Adding zero turns -0 into +0.
        let bits = (self + 0.0).to_bits();
        let key = bits ^ (((bits as i64) >> 63) as u64 | 0x8000_0000_0000_0000);
        if Real::is_nan(self) { u64::MAX } else { key }
    }
    #[inline(always)]
    fn from_ordered(key: u64) -> Self {
        if key == u64::MAX {
            return Self::NAN;
        }
        let sign = 0x8000_0000_0000_0000;
        f64::from_bits(if key & sign != 0 { key ^ sign } else { !key })
    }
}
