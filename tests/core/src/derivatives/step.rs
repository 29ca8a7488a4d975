//! Derivatives by complex steps: f'(x) is the imaginary part of f(x + ih), divided by h, exact to rounding if h is so
//! small that h^2 is negligible against 1.
//!
//! **Source.** W. Squire, G. Trapp, "Using complex variables to estimate derivatives of real functions", SIAM Review
//! 40, 1998.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use num_complex::Complex64;
use warpswarm_core::Real;

/// The step.
const H: f64 = 1e-30;

/// A complex number for an objective; comparisons use its real part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step(Complex64);

impl Step {
    /// A number, which is the variable or a constant.
    pub(crate) fn new(value: f64, is_variable: bool) -> Self {
        Step(Complex64::new(value, if is_variable { H } else { 0.0 }))
    }

    /// The derivative by the variable.
    pub(crate) fn slope(self) -> f64 {
        self.0.im / H
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.0.re == other.0.re
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0.re.partial_cmp(&other.0.re)
    }
}

macro_rules! arithmetic {
    ($($of:ident $name:ident $operator:tt;)*) => { $(
        impl $of for Step {
            type Output = Self;
            fn $name(self, other: Self) -> Self {
                Step(self.0 $operator other.0)
            }
        }
    )* };
}
arithmetic!(Add add +; Sub sub -; Mul mul *; Div div /;);

impl Neg for Step {
    type Output = Self;
    fn neg(self) -> Self {
        Step(-self.0)
    }
}

impl AddAssign for Step {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl SubAssign for Step {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

/// Functions that num-complex has with the same names.
macro_rules! functions {
    ($($name:ident)*) => { $(
        fn $name(self) -> Self {
            Step(self.0.$name())
        }
    )* };
}

/// Functions that num-complex does not have, or not with all digits of the imaginary part.
macro_rules! none {
    ($($name:ident($($other:ident)?))*) => { $(
        fn $name(self $(, $other: Self)?) -> Self {
            $(let _ = $other;)?
            panic!("{} of a complex number", stringify!($name))
        }
    )* };
}

/// Piecewise constant functions.
macro_rules! flat {
    ($($name:ident)*) => { $(
        fn $name(self) -> Self {
            Step::new(Real::$name(self.0.re), false)
        }
    )* };
}

impl Real for Step {
    const ZERO: Self = Step(Complex64::ZERO);
    const ONE: Self = Step(Complex64::ONE);
    const HALF: Self = Step(Complex64::new(0.5, 0.0));
    const TWO: Self = Step(Complex64::new(2.0, 0.0));
    const MAX: Self = Step(Complex64::new(f64::MAX, 0.0));
    const INFINITY: Self = Step(Complex64::new(f64::INFINITY, 0.0));
    const NAN: Self = Step(Complex64::new(f64::NAN, 0.0));

    fn from_f64(value: f64) -> Self {
        Step::new(value, false)
    }
    fn to_f64(self) -> f64 {
        self.0.re
    }
    fn from_u32(value: u32) -> Self {
        Step::new(value.into(), false)
    }
    fn either(_: impl FnOnce() -> f32, double: impl FnOnce() -> f64) -> Self {
        Step::new(double(), false)
    }
    fn fused(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }
    fn is_finite(self) -> bool {
        self.0.re.is_finite()
    }
    fn abs(self) -> Self {
        if self.0.re < 0.0 { -self } else { self }
    }
    fn sqrt(self) -> Self {
        // num-complex takes it through the angle, which keeps the digits of the imaginary part if the real part is
        // positive.
        Step(self.0.sqrt())
    }
    fn sin_turns(self) -> Self {
        Step((self.0 * std::f64::consts::TAU).sin())
    }
    fn cos_turns(self) -> Self {
        Step((self.0 * std::f64::consts::TAU).cos())
    }
    fn pow(self, exponent: Self) -> Self {
        let e = exponent.0;
        match e.re as i32 {
            whole if f64::from(whole) == e.re && e.im == 0.0 => Step(self.0.powi(whole)),
            _ if self.0.re < 0.0 => Self::NAN,
            _ => Step(self.0.powc(e)),
        }
    }
    fn smaller(self, other: Self) -> Self {
        if self <= other { self } else { other }
    }
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    fn modulo(self, divisor: Self) -> Self {
        self - divisor * Step::new((self.0.re / divisor.0.re).floor(), false)
    }
    fn hypot(self, other: Self) -> Self {
        (self * self + other * other).sqrt()
    }

    functions!(sin cos exp ln tan sinh cosh tanh log2 log10);
    flat!(sign floor ceil trunc round_ties_even);
    none!(asin() acos() atan() atan2(x) asinh() acosh() atanh() exp_m1() ln_1p() cbrt() erf() erfc() gamma() ln_gamma() j0() j1()
        y0() y1());
}
