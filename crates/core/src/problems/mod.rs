//! Objectives with known optima.
//!
//! Each is one file with formula, domain, optimum and source, and one line in
//! [`for_each_problem`](crate::for_each_problem).
//! Numbers are those of the first table of GPU-FWA (K. Ding, S. Zheng, Y. Tan, "A GPU-based parallel
//! fireworks algorithm for optimization", GECCO 2013) unless a file says otherwise.
//!
//! In `f32` a value differs from the one in `f64` by at most 8 units in the last place of the larger
//! of the value and the sum of its terms' sizes; a minimum of zero is exactly zero, and no rounding
//! leads below it.

mod ackley;
mod euclidean;
mod griewank;
mod hyper_ellipsoid;
mod rastrigin;
mod rosenbrock;
mod schwefel_1_2;
mod schwefel_2_26;
mod sphere;

pub use ackley::Ackley;
pub use euclidean::Euclidean;
pub use griewank::Griewank;
pub use hyper_ellipsoid::HyperEllipsoid;
pub use rastrigin::Rastrigin;
pub use rosenbrock::Rosenbrock;
pub use schwefel_1_2::Schwefel12;
pub use schwefel_2_26::Schwefel226;
pub use sphere::Sphere;

use crate::objective::{Objective, Point};
use crate::real::Real;
use crate::sum::Operator;

/// Calls a macro with the types of all problems: the registry that host, kernels, tests and
/// documentation read.
#[macro_export]
macro_rules! for_each_problem {
    ($then:ident $(, $argument:tt)*) => {
        $then! {
            ($($argument)*)
            Sphere, HyperEllipsoid, Schwefel12, Rosenbrock, Rastrigin, Schwefel226, Griewank, Ackley,
            Euclidean
        }
    };
}

/// What is known of a problem besides its value.
pub trait Problem: Default + Copy {
    /// The name by which users and kernels call it: lower case, hyphens.
    const ID: &'static str;
    /// The formula, in plain text.
    const FORMULA: &'static str;
    /// Where formula and optimum come from.
    const SOURCE: &'static str;
    /// The smallest number of dimensions for which it is defined.
    const MIN_DIMENSIONS: usize = 1;

    /// The usual bounds, the same in every dimension.
    fn bounds() -> (f64, f64);
    /// Coordinate `i` of the optimum in `dimensions` dimensions.
    fn optimum_position(dimensions: usize, i: usize) -> f64;
    /// The value at the optimum.
    fn optimum_value(dimensions: usize) -> f64;
}

/// A problem with its optimum moved by `shift` in every coordinate: f(x - shift).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shifted<R, F> {
    /// How far the optimum is moved.
    pub shift: R,
    /// The problem itself.
    pub problem: F,
}

impl<R: Real, F: Objective<R>> Objective<R> for Shifted<R, F> {
    const CONSTRAINED: bool = F::CONSTRAINED;
    const GATHERS: bool = F::GATHERS;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        self.problem.value(&ShiftedPoint { point: x, shift: self.shift })
    }
    #[inline(always)]
    fn violation<P: Point<R>>(&self, x: &P) -> R {
        self.problem.violation(&ShiftedPoint { point: x, shift: self.shift })
    }
}

struct ShiftedPoint<'a, R, P> {
    point: &'a P,
    shift: R,
}

impl<R: Real, P: Point<R>> Point<R> for ShiftedPoint<'_, R, P> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.point.dimensions()
    }
    #[inline(always)]
    fn get(&self, i: usize) -> R {
        self.point.get(i) - self.shift
    }
    #[inline(always)]
    fn fold<O: Operator<R>>(&self, term: impl Fn(usize, R) -> R) -> R {
        self.point.fold::<O>(|i, x| term(i, x - self.shift))
    }
    #[inline(always)]
    fn fold_terms<O: Operator<R>>(&self, n: usize, term: impl Fn(usize) -> R) -> R {
        self.point.fold_terms::<O>(n, term)
    }
    #[inline(always)]
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R {
        self.point.sum_of_prefixes(|i, x| element(i, x - self.shift), term)
    }
}
