//! Derivatives of objectives, exact to rounding, by numbers that carry their partial derivatives.
//!
//! **Idea.** A dual number is a value with its derivatives by some variables. Arithmetic on it updates the derivatives
//! by the rules of calculus, in the same pass that computes the value (*forward mode*). An objective is generic over
//! [`Real`], so it can be evaluated with a [`Dual`], and its value has the same bits. Nothing is approximated, and no
//! step size is needed.
//!
//! **Equations.** For a function f of u and v, (f(u, v))' = f_u(u, v) u' + f_v(u, v) v'. With [`CHUNK`] derivatives at
//! once, a gradient over D coordinates takes D / [`CHUNK`] evaluations with duals, rounded up: see [`gradient`].
//!
//! **Where a function has a kink or a jump**, the derivative is one-sided, or that of the branch that is executed:
//!
//! | function | its derivative there |
//! |---|---|
//! | `abs` at 0 | 0 |
//! | `smaller`, `larger` of two equal numbers | of the one that they return: `self` of `smaller`, `other` of `larger` |
//! | `if` on a comparison | of the executed branch; comparisons use only the values |
//! | `sign`, `floor`, `ceil`, `trunc`, `round_ties_even` | 0 everywhere |
//! | `modulo` | by the number 1, by the divisor the quotient rounded down, negative; at a jump too |
//! | `hypot`, `atan2` where both are 0 | 0 |
//! | `sqrt`, `cbrt`, `pow` at 0, where it is infinite | infinite times the inner derivative; 0 if that is 0 |
//!
//! The last rule holds for all functions of one number: a number that does not depend on a variable has derivative 0 by
//! it, even if the outer derivative is infinite or NaN. A number that passes through [`Real::to_f64`] or
//! [`Real::is_finite`] loses its derivatives and becomes a constant.
//!
//! **Source.** R. E. Wengert, "A simple automatic derivative evaluation program", Communications of the ACM 7, 1964;
//! A. Griewank, A. Walther, "Evaluating derivatives", SIAM, 2nd edition 2008, chapter 3.

mod digamma;
mod functions;
mod point;

use core::cmp::Ordering;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

pub use digamma::digamma;
pub use point::{CHUNK, Differentiable, DualPoint, each_slope, gradient};

use crate::real::Real;

/// A number with its derivatives by `N` variables.
///
/// Comparisons use only the value. The value may be a dual number itself: this gives second derivatives.
///
/// ```
/// use warpswarm_core::Real;
/// use warpswarm_core::dual::Dual;
/// let (x, y) = (Dual::<f64, 2>::variable(3.0, 0), Dual::variable(2.0, 1));
/// let f = x * x * y + y.exp();
/// assert_eq!(f.value, 18.0 + f64::exp(2.0));
/// assert_eq!(f.partials, [2.0 * 3.0 * 2.0, 9.0 + f64::exp(2.0)]);
///
/// // The second derivative of x^3 at 2.
/// let x = Dual { value: Dual::<f64, 1>::variable(2.0, 0), partials: [Dual::constant(1.0)] };
/// assert_eq!((x * x * x).partials[0].partials[0], 12.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dual<R, const N: usize> {
    /// The number.
    pub value: R,
    /// Its derivative by each variable.
    pub partials: [R; N],
}

impl<R: Real, const N: usize> Dual<R, N> {
    /// A number that depends on no variable.
    #[inline(always)]
    pub const fn constant(value: R) -> Self {
        Dual { value, partials: [R::ZERO; N] }
    }

    /// Variable `i` itself; a constant if there is no such variable, `i` being `N` or above.
    #[inline(always)]
    pub fn variable(value: R, i: usize) -> Self {
        let partials = core::array::from_fn(|k| if k == i { R::ONE } else { R::ZERO });
        Dual { value, partials }
    }

    /// Whether all derivatives are zero.
    #[inline(always)]
    fn is_constant(&self) -> bool {
        self.partials.iter().all(|&partial| partial == R::ZERO)
    }

    /// The function of this number with this value and slope.
    #[inline(always)]
    fn chain(self, value: R, slope: R) -> Self {
        Dual { value, partials: self.partials.map(|partial| scaled(slope, partial)) }
    }

    /// The function of this number and another with this value and these slopes.
    #[inline(always)]
    fn chain2(self, other: Self, value: R, [own, others]: [R; 2]) -> Self {
        let partial = |i| scaled(own, self.partials[i]) + scaled(others, other.partials[i]);
        Dual { value, partials: core::array::from_fn(partial) }
    }
}

/// `slope * partial`, but 0 if `partial` is 0, whatever the slope.
#[inline(always)]
fn scaled<R: Real>(slope: R, partial: R) -> R {
    if partial == R::ZERO { R::ZERO } else { slope * partial }
}

impl<R: Real, const N: usize> Default for Dual<R, N> {
    fn default() -> Self {
        Self::constant(R::ZERO)
    }
}

impl<R: Real, const N: usize> PartialEq for Dual<R, N> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<R: Real, const N: usize> PartialOrd for Dual<R, N> {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
    // Each comparison is written separately, because a GPU has an instruction for each, and none for an ordering.
    #[inline(always)]
    fn lt(&self, other: &Self) -> bool {
        self.value < other.value
    }
    #[inline(always)]
    fn le(&self, other: &Self) -> bool {
        self.value <= other.value
    }
    #[inline(always)]
    fn gt(&self, other: &Self) -> bool {
        self.value > other.value
    }
    #[inline(always)]
    fn ge(&self, other: &Self) -> bool {
        self.value >= other.value
    }
}

impl<R: Real, const N: usize> Add for Dual<R, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let partials = core::array::from_fn(|i| self.partials[i] + other.partials[i]);
        Dual { value: self.value + other.value, partials }
    }
}

impl<R: Real, const N: usize> Sub for Dual<R, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let partials = core::array::from_fn(|i| self.partials[i] - other.partials[i]);
        Dual { value: self.value - other.value, partials }
    }
}

impl<R: Real, const N: usize> Mul for Dual<R, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.chain2(other, self.value * other.value, [other.value, self.value])
    }
}

impl<R: Real, const N: usize> Div for Dual<R, N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let (quotient, inverse) = (self.value / other.value, R::ONE / other.value);
        self.chain2(other, quotient, [inverse, -quotient * inverse])
    }
}

impl<R: Real, const N: usize> Neg for Dual<R, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Dual { value: -self.value, partials: self.partials.map(|partial| -partial) }
    }
}

impl<R: Real, const N: usize> AddAssign for Dual<R, N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<R: Real, const N: usize> SubAssign for Dual<R, N> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
