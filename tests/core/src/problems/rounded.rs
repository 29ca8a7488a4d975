//! A number that knows how much rounding may change it: the value in `f64`, and a bound on the error of each precision.
//!
//! This is running error analysis: every operation adds its own rounding error to those of its operands.
//!
//! **Source.** N. J. Higham, "Accuracy and Stability of Numerical Algorithms", SIAM, 2nd edition 2002, section 3.3.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use warpswarm_core::Real;

/// Half a unit in the last place of 1, in `f32` and in `f64`.
const HALF_UNITS: [f64; 2] = [1.0 / (1_u64 << 24) as f64, 1.0 / (1_u64 << 53) as f64];
/// The error of an elementary function, in half units: up to 1.1 units in the last place, which are up to twice as large
/// relative to the number as those of 1.
const FUNCTION: f64 = 4.4;

/// A number, and bounds on its error in `f32` and in `f64`. Infinity: nothing is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounded {
    value: f64,
    errors: [f64; 2],
}

impl Rounded {
    /// A number without an error.
    const fn exact(value: f64) -> Self {
        Rounded { value, errors: [0.0; 2] }
    }

    /// The bound on the error in `f32`.
    pub(super) fn in_f32(self) -> f64 {
        self.errors[0]
    }

    /// The bound on the error in `f64`.
    pub(super) fn in_f64(self) -> f64 {
        self.errors[1]
    }

    /// The result of an operation: with its own rounding error, in half units, and those which it takes over.
    fn new(value: f64, own: f64, taken: impl Fn(usize) -> f64) -> Self {
        let error = |of: usize| {
            let error = taken(of) + own * HALF_UNITS[of] * value.abs();
            if error.is_nan() { f64::INFINITY } else { error }
        };
        Rounded { value, errors: [error(0), error(1)] }
    }

    /// A function that is monotone within the errors, or nearly so.
    fn through(self, own: f64, f: impl Fn(f64) -> f64) -> Self {
        self.with(Self::ZERO, own, |x, _| f(x))
    }

    /// The same for a function of two numbers.
    fn with(self, other: Self, own: f64, f: impl Fn(f64, f64) -> f64) -> Self {
        let value = f(self.value, other.value);
        Self::new(value, own, |of| {
            let (a, b) = (self.errors[of], other.errors[of]);
            if (a, b) == (0.0, 0.0) {
                return 0.0;
            }
            let corners = [(-a, -b), (-a, b), (a, -b), (a, b)];
            let apart = corners.map(|(a, b)| (f(self.value + a, other.value + b) - value).abs());
            // Beyond the domain of the function nothing is known; `max` would skip a NaN.
            let apart = apart.map(|apart| if apart.is_nan() { f64::INFINITY } else { apart });
            apart.into_iter().fold(0.0, f64::max)
        })
    }

    /// A wave of height 1 with the given slope.
    fn wave(self, slope: f64, f: impl Fn(f64) -> f64) -> Self {
        Self::new(f(self.value), FUNCTION, |of| (slope * self.errors[of]).min(2.0))
    }
}

impl PartialEq for Rounded {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialOrd for Rounded {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl Add for Rounded {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.value + other.value, 1.0, |of| self.errors[of] + other.errors[of])
    }
}

impl Sub for Rounded {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

#[allow(clippy::suspicious_arithmetic_impl, reason = "errors add up in every operation")]
impl Mul for Rounded {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (x, y) = (self.value.abs(), other.value.abs());
        Self::new(self.value * other.value, 1.0, |of| {
            let (a, b) = (self.errors[of], other.errors[of]);
            x * b + y * a + a * b
        })
    }
}

#[allow(clippy::suspicious_arithmetic_impl, reason = "errors add up in every operation")]
impl Div for Rounded {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self::new(value, 1.0, |of| {
            let (a, b) = (self.errors[of], other.errors[of]);
            // With an error as large as itself the divisor may be zero.
            let least = (other.value.abs() - b).max(0.0);
            if (a, b) == (0.0, 0.0) { 0.0 } else { (a + value.abs() * b) / least }
        })
    }
}

impl Neg for Rounded {
    type Output = Self;
    fn neg(self) -> Self {
        Rounded { value: -self.value, ..self }
    }
}

impl AddAssign for Rounded {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Rounded {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// Functions of one or two numbers, and their own rounding error in half units.
macro_rules! functions {
    ($own:expr; $($name:ident($($other:ident)?))*) => { $(
        fn $name(self $(, $other: Self)?) -> Self {
            functions!(@ self, $own, $name $(, $other)?)
        }
    )* };
    (@ $self:ident, $own:expr, $name:ident) => { $self.through($own, Real::$name) };
    (@ $self:ident, $own:expr, $name:ident, $other:ident) => { $self.with($other, $own, Real::$name) };
}

impl Real for Rounded {
    const ZERO: Self = Self::exact(0.0);
    const ONE: Self = Self::exact(1.0);
    const HALF: Self = Self::exact(0.5);
    const TWO: Self = Self::exact(2.0);
    const MAX: Self = Self::exact(f64::MAX);
    const INFINITY: Self = Self::exact(f64::INFINITY);
    const NAN: Self = Self::exact(f64::NAN);

    /// A number with more digits than an `f32` has is taken for rounded in `f64`, too, as 0.1 is.
    fn from_f64(value: f64) -> Self {
        let is_exact = f64::from(value as f32) == value;
        Self::new(value, if is_exact { 0.0 } else { 1.0 }, |_| 0.0)
    }
    fn to_f64(self) -> f64 {
        self.value
    }
    fn from_u32(value: u32) -> Self {
        Self::exact(value.into())
    }
    fn either(_: impl FnOnce() -> f32, double: impl FnOnce() -> f64) -> Self {
        Self::from_f64(double())
    }
    fn fused(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }
    fn is_finite(self) -> bool {
        self.value.is_finite()
    }
    fn abs(self) -> Self {
        Rounded { value: self.value.abs(), ..self }
    }
    fn sqrt(self) -> Self {
        self.through(1.0, |x| if x < 0.0 && self.value >= 0.0 { 0.0 } else { x.sqrt() })
    }
    fn sin(self) -> Self {
        self.wave(1.0, Real::sin)
    }
    fn cos(self) -> Self {
        self.wave(1.0, Real::cos)
    }
    fn sin_turns(self) -> Self {
        self.wave(std::f64::consts::TAU, Real::sin_turns)
    }
    fn cos_turns(self) -> Self {
        self.wave(std::f64::consts::TAU, Real::cos_turns)
    }
    fn smaller(self, other: Self) -> Self {
        let value = self.value.smaller(other.value);
        Self::new(value, 0.0, |of| self.errors[of].max(other.errors[of]))
    }
    fn larger(self, other: Self) -> Self {
        let value = self.value.larger(other.value);
        Self::new(value, 0.0, |of| self.errors[of].max(other.errors[of]))
    }
    fn modulo(self, divisor: Self) -> Self {
        self - divisor * (self / divisor).floor()
    }

    functions!(0.0; sign() floor() ceil() trunc() round_ties_even());
    functions!(FUNCTION; exp() ln() pow(exponent) tan() asin() acos() atan() atan2(x) sinh() cosh() tanh() asinh() acosh()
        atanh() exp_m1() ln_1p() log2() log10() cbrt() hypot(other) erf() erfc() gamma() ln_gamma() j0() j1() y0() y1());
}

#[test]
fn errors_worked_out_by_hand() {
    let half = HALF_UNITS[0];
    let close = |found: Rounded, value: f64, error: f64| {
        assert!((found.value - value).abs() <= 1e-14 * value.abs(), "{found:?}");
        assert!((found.in_f32() / half - error).abs() <= 1e-6 * error, "{found:?}");
    };
    let [three, tenth] = [3.0, 0.1].map(Rounded::from_f64);
    close(three, 3.0, 0.0);
    close(tenth, 0.1, 0.1);
    // 3 + 0.1: the error of 0.1, and half a unit of the sum.
    close(three + tenth, 3.1, 0.1 + 3.1);
    close(three * tenth, 0.3, 0.3 + 0.3);
    close(tenth / three, 0.1 / 3.0, 0.2 / 3.0);
    // The root halves a relative error.
    close(tenth.sqrt(), 0.1_f64.sqrt(), 1.5 * 0.1_f64.sqrt());
    // Terms that cancel leave their errors; a square near zero squares them, a root there takes their root.
    let none = tenth + three - tenth - three;
    close(none, 0.0, 0.1 + 3.1 + 0.1 + 3.0);
    close(none * none, 0.0, 6.3 * 6.3 * half);
    close(none.abs().sqrt(), 0.0, (6.3 / half).sqrt());
    // A wave of ten turns and a tenth.
    let phase = Rounded::from_f64(10.0) + tenth;
    let expected = (10.2 * std::f64::consts::TAU) + FUNCTION * 0.1_f64.sin_turns();
    close(phase.sin_turns(), 0.1_f64.sin_turns(), expected);
    // Nothing is known beyond the domain of a function, on whichever side.
    for number in [-1.0, 1.0] {
        let at_the_end =
            Rounded::from_f64(number * (1.0 + 1e-9)) - Rounded::from_f64(number * 1e-9);
        assert_eq!(at_the_end.asin().in_f32(), f64::INFINITY, "{number}");
    }
    // Nor of a quotient whose divisor may be zero.
    assert_eq!((three / none).in_f32(), f64::INFINITY);
    assert_eq!((Rounded::from_f64(0.6) + Rounded::from_f64(0.4)).floor().in_f64(), 1.0);
    assert!(tenth.in_f64() < 1e-8 * tenth.in_f32());
}
