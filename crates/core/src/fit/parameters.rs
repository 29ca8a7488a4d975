//! Sets of parameters, and their bounds.

use crate::real::Float;

/// A set of parameters, as bits: parameter i is in it if bit i is set. At most 32 parameters.
///
/// ```
/// use warpswarm_core::fit::Parameters;
/// let set = Parameters::NONE.with(0).with(3);
/// assert!(set.contains(3) && !set.contains(1) && set.len() == 2);
/// assert_eq!(set.without(3), Parameters(1));
/// assert_eq!((set.without(0).lowest(), Parameters::NONE.lowest()), (Some(3), None));
/// assert_eq!(Parameters::first(4).minus(set), Parameters(0b0110));
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters(pub u32);

impl Parameters {
    /// The empty set.
    pub const NONE: Self = Parameters(0);

    /// The first `n` parameters, all if `n` is 32 or more.
    #[inline(always)]
    pub const fn first(n: usize) -> Self {
        Parameters(if n < 32 { (1 << n) - 1 } else { u32::MAX })
    }
    /// Whether parameter `i` is in the set; parameters from 32 on never are.
    #[inline(always)]
    pub const fn contains(self, i: usize) -> bool {
        i < 32 && (self.0 >> i) & 1 == 1
    }
    /// The set together with parameter `i`.
    #[inline(always)]
    pub const fn with(self, i: usize) -> Self {
        Parameters(if i < 32 { self.0 | (1 << i) } else { self.0 })
    }
    /// The set without parameter `i`.
    #[inline(always)]
    pub const fn without(self, i: usize) -> Self {
        Parameters(if i < 32 { self.0 & !(1 << i) } else { self.0 })
    }
    /// The set without all parameters of `other`.
    #[inline(always)]
    pub const fn minus(self, other: Self) -> Self {
        Parameters(self.0 & !other.0)
    }
    /// The lowest parameter in the set.
    #[inline(always)]
    pub const fn lowest(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros() as usize) }
    }
    /// Whether no parameter is in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// How many parameters are in the set.
    #[inline(always)]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }
}

/// The range of each parameter, and which parameters are fixed.
///
/// Every evaluated point is within the bounds. A parameter at a bound stays there for a step if the gradient pushes it
/// outwards. A parameter that a step would take beyond a bound is set exactly to the bound, and the step of the others
/// is computed with that.
///
/// ```
/// use warpswarm_core::fit::{Bounds, Parameters};
/// let none = Bounds::<f64, 2>::unbounded();
/// let positive = Bounds::new([0.0, f64::NEG_INFINITY], [f64::INFINITY; 2]).unwrap();
/// assert_eq!(positive.clamp([-3.0, -3.0]), [0.0, -3.0]);
/// // The first parameter keeps its value.
/// assert_eq!(none.fixing(Parameters::NONE.with(0)).free(), Parameters(0b10));
/// assert!(Bounds::new([1.0], [0.0]).is_none());
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds<R, const N: usize> {
    lower: [R; N],
    upper: [R; N],
    fixed: Parameters,
}

impl<R: Float, const N: usize> Bounds<R, N> {
    /// No bounds.
    #[inline(always)]
    pub fn unbounded() -> Self {
        let (lower, upper) = ([-R::INFINITY; N], [R::INFINITY; N]);
        Bounds { lower, upper, fixed: Parameters::NONE }
    }

    /// Lower and upper bounds, which may be infinite. `None` if one is NaN, or a lower one is above its upper one.
    /// Parameters with two equal bounds are fixed.
    #[inline(always)]
    pub fn new(lower: [R; N], upper: [R; N]) -> Option<Self> {
        let mut bounds = Bounds::unbounded();
        for i in 0..N {
            // Adding zero turns -0 into +0.
            let (low, high) = (lower[i] + R::ZERO, upper[i] + R::ZERO);
            let ordered = low <= high && low < R::INFINITY && high > -R::INFINITY;
            if !ordered {
                return None;
            }
            bounds.lower[i] = low;
            bounds.upper[i] = high;
            if low == high {
                bounds.fixed = bounds.fixed.with(i);
            }
        }
        Some(bounds)
    }

    /// The same bounds, with these parameters fixed at their initial values, moved into the bounds.
    #[inline(always)]
    pub fn fixing(mut self, parameters: Parameters) -> Self {
        self.fixed = Parameters(self.fixed.0 | parameters.0);
        self
    }

    /// The lower bound of each parameter.
    #[inline(always)]
    pub fn lower(&self) -> &[R; N] {
        &self.lower
    }
    /// The upper bound of each parameter.
    #[inline(always)]
    pub fn upper(&self) -> &[R; N] {
        &self.upper
    }
    /// The parameters that are not fixed.
    #[inline(always)]
    pub fn free(&self) -> Parameters {
        Parameters::first(N).minus(self.fixed)
    }

    /// The nearest point within the bounds. A NaN stays NaN.
    #[inline(always)]
    pub fn clamp(&self, mut x: [R; N]) -> [R; N] {
        for i in 0..N {
            if !x[i].is_nan() {
                x[i] = x[i].clamp_to(self.lower[i], self.upper[i]);
            }
        }
        x
    }

    /// The free parameters that are at a bound at `x` beyond which the cost decreases, according to its `gradient`.
    #[inline(always)]
    pub fn active(&self, x: &[R; N], gradient: &[R; N]) -> Parameters {
        let mut active = Parameters::NONE;
        for i in 0..N {
            let below = x[i] <= self.lower[i] && gradient[i] > R::ZERO;
            let above = x[i] >= self.upper[i] && gradient[i] < R::ZERO;
            if self.free().contains(i) && (below || above) {
                active = active.with(i);
            }
        }
        active
    }
}
