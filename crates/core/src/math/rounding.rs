//! Rounding to integers, signs, and remainders of divisions. All are exact except the last, which may round once.

use super::two::power_of_two;
use super::{floor_f32, floor_f64, fused_f64, magnitude_f64, nearest_f32, nearest_f64};

/// The nearest integer; of two equally near ones the even one.
#[inline(always)]
pub fn round_f32(x: f32) -> f32 {
    nearest_f32(x)
}

/// The nearest integer; of two equally near ones the even one.
#[inline(always)]
pub fn round_f64(x: f64) -> f64 {
    nearest_f64(x)
}

macro_rules! of_each {
    ($float:ident, $ceil:ident, $trunc:ident, $sign:ident, $modulo:ident, $floor:ident) => {
        /// The smallest integer not below `x`.
        #[inline(always)]
        pub fn $ceil(x: $float) -> $float {
            -$floor(-x)
        }

        /// `x` without its fractional part.
        #[inline(always)]
        pub fn $trunc(x: $float) -> $float {
            if x < 0.0 { -$floor(-x) } else { $floor(x) }
        }

        /// -1 or 1 with the sign of `x`; `x` itself if it is zero or a NaN.
        #[inline(always)]
        pub fn $sign(x: $float) -> $float {
            let positive = if x > 0.0 { 1.0 } else { x };
            if x < 0.0 { -1.0 } else { positive }
        }

        /// The remainder of `x` divided by `y`, with the sign of `y` and a smaller absolute value than `y`.
        #[inline(always)]
        pub fn $modulo(x: $float, y: $float) -> $float {
            let rest = remainder(x.into(), y.into()) as $float;
            let other = (rest < 0.0) != (y < 0.0);
            let moved = if other { rest + y } else { rest };
            let zero = if y < 0.0 { -0.0 } else { 0.0 };
            if rest == 0.0 { zero } else { moved }
        }
    };
}

of_each!(f32, ceil_f32, trunc_f32, sign_f32, modulo_f32, floor_f32);
of_each!(f64, ceil_f64, trunc_f64, sign_f64, modulo_f64, floor_f64);

/// The exponent of a positive finite number, plus any constant.
#[inline(always)]
fn exponent(x: f64) -> i32 {
    let [x, offset] = if x < f64::MIN_POSITIVE { [x * power_of_two(54), 54.0] } else { [x, 0.0] };
    (x.to_bits() >> 52) as i32 - offset as i32
}

/// The remainder of x divided by y, with the sign of `x`: C's `fmod`, exact.
///
/// A quotient below 2^51 is known up to one, and so the remainder exactly. For a larger one the upper bits are removed
/// first.
#[inline(always)]
fn remainder(x: f64, y: f64) -> f64 {
    let (mut rest, by) = (magnitude_f64(x), magnitude_f64(y));
    if !(rest < f64::INFINITY && by > 0.0) {
        return f64::NAN;
    }
    if by == f64::INFINITY {
        return x;
    }
    // A NaN ends the loop at once, because comparisons with it are false.
    while rest >= by {
        let far = (exponent(rest) - exponent(by) - 50).max(0);
        let third = far / 3;
        let divisor =
            by * power_of_two(third) * power_of_two(third) * power_of_two(far - 2 * third);
        let quotient = floor_f64(rest / divisor);
        let left = fused_f64(-quotient, divisor, rest);
        let left = if left < 0.0 { left + divisor } else { left };
        rest = if left >= divisor { left - divisor } else { left };
    }
    f64::from_bits(rest.to_bits() | (x.to_bits() & 0x8000_0000_0000_0000))
}
