//! The functions of dual numbers that objectives use, each with its slope.

use core::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10, PI};

use super::{Dual, digamma};
use crate::real::Real;

/// Functions of one number `x` with the value `f`: the name, and the slope.
macro_rules! slopes {
    ($($name:ident: |$x:ident, $f:ident| $slope:expr;)*) => { $(
        #[inline(always)]
        fn $name(self) -> Self {
            let $x = self.value;
            let $f = $x.$name();
            self.chain($f, $slope)
        }
    )* };
}

/// Piecewise constant functions.
macro_rules! flat {
    ($($name:ident)*) => { $(
        #[inline(always)]
        fn $name(self) -> Self {
            Dual::constant(self.value.$name())
        }
    )* };
}

impl<R: Real, const N: usize> Real for Dual<R, N> {
    const ZERO: Self = Dual::constant(R::ZERO);
    const ONE: Self = Dual::constant(R::ONE);
    const HALF: Self = Dual::constant(R::HALF);
    const TWO: Self = Dual::constant(R::TWO);
    const MAX: Self = Dual::constant(R::MAX);
    const INFINITY: Self = Dual::constant(R::INFINITY);
    const NAN: Self = Dual::constant(R::NAN);

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        Dual::constant(R::from_f64(value))
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.value.to_f64()
    }
    #[inline(always)]
    fn from_u32(value: u32) -> Self {
        Dual::constant(R::from_u32(value))
    }
    #[inline(always)]
    fn either(single: impl FnOnce() -> f32, double: impl FnOnce() -> f64) -> Self {
        Dual::constant(R::either(single, double))
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        self.value.is_finite()
    }

    #[inline(always)]
    fn fused(self, factor: Self, term: Self) -> Self {
        let value = self.value.fused(factor.value, term.value);
        // Not an addition of duals, which would turn a value of -0 into +0.
        let product = self.chain2(factor, value, [factor.value, self.value]);
        let partial = |i| product.partials[i] + term.partials[i];
        Dual { value, partials: core::array::from_fn(partial) }
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self <= other { self } else { other }
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    slopes! {
        abs: |x, _f| x.sign();
        sqrt: |x, f| R::HALF / f;
        sin: |x, _f| x.cos();
        cos: |x, _f| -x.sin();
        sin_turns: |x, _f| R::from_f64(2.0 * PI) * x.cos_turns();
        cos_turns: |x, _f| R::from_f64(-2.0 * PI) * x.sin_turns();
        tan: |x, f| R::ONE + f * f;
        asin: |x, _f| R::ONE / ((R::ONE - x) * (R::ONE + x)).sqrt();
        acos: |x, _f| -R::ONE / ((R::ONE - x) * (R::ONE + x)).sqrt();
        atan: |x, _f| R::ONE / (R::ONE + x * x);
        exp: |_x, f| f;
        ln: |x, _f| R::ONE / x;
        sinh: |x, _f| x.cosh();
        cosh: |x, _f| x.sinh();
        tanh: |x, _f| inverse_square(x.cosh());
        asinh: |x, _f| R::ONE / R::ONE.hypot(x);
        acosh: |x, _f| R::ONE / ((x - R::ONE).sqrt() * (x + R::ONE).sqrt());
        atanh: |x, _f| R::ONE / ((R::ONE - x) * (R::ONE + x));
        exp_m1: |x, _f| x.exp();
        ln_1p: |x, _f| R::ONE / (R::ONE + x);
        log2: |x, _f| R::ONE / (R::from_f64(LN_2) * x);
        log10: |x, _f| R::ONE / (R::from_f64(LN_10) * x);
        cbrt: |_x, f| R::ONE / (R::from_f64(3.0) * (f * f));
        erf: |x, _f| R::from_f64(FRAC_2_SQRT_PI) * (-(x * x)).exp();
        erfc: |x, _f| R::from_f64(-FRAC_2_SQRT_PI) * (-(x * x)).exp();
        gamma: |x, f| f * digamma(x);
        ln_gamma: |x, _f| digamma(x);
        j0: |x, _f| -x.j1();
        j1: |x, f| if x == R::ZERO { R::HALF } else { x.j0() - f / x };
        y0: |x, _f| -x.y1();
        y1: |x, f| x.y0() - f / x;
    }

    flat!(sign floor ceil trunc round_ties_even);

    #[inline(always)]
    fn pow(self, exponent: Self) -> Self {
        let (x, y) = (self.value, exponent.value);
        let f = x.pow(y);
        let by_x = if y == R::ZERO {
            R::ZERO
        } else if x == R::ZERO || !f.is_finite() {
            y * x.pow(y - R::ONE)
        } else {
            y * (f / x)
        };
        // For a constant exponent, the usual case, no logarithm is computed.
        let by_y = if exponent.is_constant() || f == R::ZERO { R::ZERO } else { f * x.ln() };
        self.chain2(exponent, f, [by_x, by_y])
    }
    #[inline(always)]
    fn atan2(self, other: Self) -> Self {
        let (y, x) = (self.value, other.value);
        let slopes = match y.hypot(x) {
            r if r == R::ZERO => [R::ZERO; 2],
            r => [x / r / r, -(y / r) / r],
        };
        self.chain2(other, y.atan2(x), slopes)
    }
    #[inline(always)]
    fn hypot(self, other: Self) -> Self {
        let (x, y) = (self.value, other.value);
        let f = x.hypot(y);
        let slopes = if f == R::ZERO { [R::ZERO; 2] } else { [x / f, y / f] };
        self.chain2(other, f, slopes)
    }
    #[inline(always)]
    fn modulo(self, divisor: Self) -> Self {
        let (x, d) = (self.value, divisor.value);
        let f = x.modulo(d);
        self.chain2(divisor, f, [R::ONE, -((x - f) / d).round_ties_even()])
    }
}

/// 1 / x^2, also if x^2 overflows or underflows.
#[inline(always)]
fn inverse_square<R: Real>(x: R) -> R {
    R::ONE / x / x
}
