//! The functions of [`math`](crate::math) that both number types have, with the same names.

/// Calls a macro with each function's documentation, name, further argument, and its implementations for `f32` and
/// `f64`.
macro_rules! for_each_function {
    ($then:ident) => {
        $then! {
            /// The tangent of an angle in radians.
            tan(): tan_f32, tan_f64;
            /// The angle in radians, between -pi/2 and pi/2, whose sine is the number; NaN beyond -1 and 1.
            asin(): asin_f32, asin_f64;
            /// The angle in radians, between 0 and pi, whose cosine is the number; NaN beyond -1 and 1.
            acos(): acos_f32, acos_f64;
            /// The angle in radians, between -pi/2 and pi/2, whose tangent is the number.
            atan(): atan_f32, atan_f64;
            /// The angle in radians, between -pi and pi, of the point (`x`, `self`), with C's values if both are zero
            /// or infinite.
            atan2(x): atan2_f32, atan2_f64;
            /// The hyperbolic sine.
            sinh(): sinh_f32, sinh_f64;
            /// The hyperbolic cosine.
            cosh(): cosh_f32, cosh_f64;
            /// The hyperbolic tangent.
            tanh(): tanh_f32, tanh_f64;
            /// The inverse of the hyperbolic sine.
            asinh(): asinh_f32, asinh_f64;
            /// The inverse of the hyperbolic cosine, at least 0; NaN below 1.
            acosh(): acosh_f32, acosh_f64;
            /// The inverse of the hyperbolic tangent; infinite at -1 and 1, NaN beyond.
            atanh(): atanh_f32, atanh_f64;
            /// exp(x) - 1, accurate also for small x.
            exp_m1(): expm1_f32, expm1_f64;
            /// ln(1 + x), accurate also for small x.
            ln_1p(): log1p_f32, log1p_f64;
            /// The logarithm to base 2.
            log2(): log2_f32, log2_f64;
            /// The logarithm to base 10.
            log10(): log10_f32, log10_f64;
            /// The cube root; negative for negative numbers.
            cbrt(): cbrt_f32, cbrt_f64;
            /// The square root of the sum of both squares, without intermediate overflow.
            hypot(other): hypot_f32, hypot_f64;
            /// -1 for negative numbers, 1 for positive ones; zero and NaN are returned unchanged. std's `signum` never
            /// returns zero.
            sign(): sign_f32, sign_f64;
            /// The largest integer not above the number.
            floor(): floor_f32, floor_f64;
            /// The smallest integer not below the number.
            ceil(): ceil_f32, ceil_f64;
            /// The number without its fractional part.
            trunc(): trunc_f32, trunc_f64;
            /// The nearest integer; of two equally near ones the even one.
            round_ties_even(): round_f32, round_f64;
            /// The remainder of a division by `divisor` that is rounded down. It has the divisor's sign, as Python's
            /// `%` and numpy's `mod`. NaN if the number is infinite or the divisor zero.
            modulo(divisor): modulo_f32, modulo_f64;
            /// The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to the number.
            erf(): erf_f32, erf_f64;
            /// 1 - erf(x), accurate also where it is small.
            erfc(): erfc_f32, erfc_f64;
            /// The gamma function; infinite at zero, NaN at negative integers.
            gamma(): gamma_f32, gamma_f64;
            /// The natural logarithm of the absolute value of the gamma function; infinite at zero and at negative
            /// integers.
            ln_gamma(): lgamma_f32, lgamma_f64;
            /// The Bessel function of the first kind and order 0.
            j0(): j0_f32, j0_f64;
            /// The Bessel function of the first kind and order 1.
            j1(): j1_f32, j1_f64;
            /// The Bessel function of the second kind and order 0; -infinity at zero, NaN for negative numbers.
            y0(): y0_f32, y0_f64;
            /// The Bessel function of the second kind and order 1; -infinity at zero, NaN for negative numbers.
            y1(): y1_f32, y1_f64;
        }
    };
}

/// The declarations of the functions in a trait.
macro_rules! declared {
    ($($(#[$doc:meta])* $name:ident($($other:ident)?): $narrow:ident, $wide:ident;)*) => {
        $($(#[$doc])* fn $name(self $(, $other: Self)?) -> Self;)*
    };
}

/// The functions of an `f32`.
macro_rules! narrow {
    ($($(#[$doc:meta])* $name:ident($($other:ident)?): $narrow:ident, $wide:ident;)*) => { $(
        #[inline(always)]
        fn $name(self $(, $other: Self)?) -> Self {
            math::$narrow(self $(, $other)?)
        }
    )* };
}

/// The functions of an `f64`.
macro_rules! wide {
    ($($(#[$doc:meta])* $name:ident($($other:ident)?): $narrow:ident, $wide:ident;)*) => { $(
        #[inline(always)]
        fn $name(self $(, $other: Self)?) -> Self {
            math::$wide(self $(, $other)?)
        }
    )* };
}

pub(super) use {declared, for_each_function, narrow, wide};
