//! Objectives with known optima.
//!
//! Each problem is one file, or one type in the file of its family, with formula, domain, optimum and source, and one
//! line in [`for_each_problem`](crate::for_each_problem). Numbers are from the first table of GPU-FWA (K. Ding, S.
//! Zheng, Y. Tan, "A GPU-based parallel fireworks algorithm for optimization", GECCO 2013) unless a file names another
//! source.
//!
//! In `f32` a value differs from the one in `f64` by no more than the rounding errors of its operations add up to. A
//! minimum of zero is exactly zero if its point is a number of the run's precision (except for `image-registration`,
//! whose table is rounded), and rounding never gives a smaller value.

mod ackley;
mod alpine_1;
mod bent_cigar;
mod dimensions;
mod dixon_price;
mod engineering;
mod euclidean;
mod griewank;
mod hyper_ellipsoid;
mod image_registration;
mod lennard_jones;
mod levy;
mod michalewicz;
mod nist;
mod rastrigin;
mod rosenbrock;
mod salomon;
mod schwefel_1_2;
mod schwefel_2_26;
mod sphere;
mod styblinski_tang;
mod zakharov;

pub use ackley::Ackley;
pub use alpine_1::Alpine1;
pub use bent_cigar::BentCigar;
pub use dimensions::Dimensions;
pub use dixon_price::DixonPrice;
pub use engineering::{
    PressureVessel, PressureVesselMixed, SpeedReducer, SpeedReducerCmepso, SpeedReducerMezura,
    Spring, SpringCmepso, ThreeBarTruss, WeldedBeam, WeldedBeamCmepso,
};
pub use euclidean::Euclidean;
pub use griewank::Griewank;
pub use hyper_ellipsoid::HyperEllipsoid;
pub use image_registration::ImageRegistration;
pub use lennard_jones::LennardJones;
pub use levy::Levy;
pub use michalewicz::Michalewicz;
pub use nist::{NistEnso, NistGauss2, NistHahn1, NistLanczos3, NistMgh09, NistThurber};
pub use rastrigin::Rastrigin;
pub use rosenbrock::Rosenbrock;
pub use salomon::Salomon;
pub use schwefel_1_2::Schwefel12;
pub use schwefel_2_26::Schwefel226;
pub use sphere::Sphere;
pub use styblinski_tang::StyblinskiTang;
pub use zakharov::Zakharov;

use crate::data::Table;
use crate::objective::{Objective, Point};
use crate::real::{Float, Real};
use crate::sum::Operator;

/// Calls a macro with the types of all problems: the registry that host, kernels, tests and documentation read.
///
/// The word after each type says which kernels it needs, by its numbers of dimensions
/// ([`Dimensions::kernels`](crate::problems::Dimensions::kernels)): those for `any` number, for up to
/// `two`, for a `few` (3 to 32), or for `many` (3 and more). Kernels that no allowed number needs are not compiled.
#[macro_export]
macro_rules! for_each_problem {
    ($then:ident $(, $argument:tt)*) => {
        $then! {
            ($($argument)*)
            Sphere: any,
            HyperEllipsoid: any,
            Schwefel12: any,
            Rosenbrock: any,
            Rastrigin: any,
            Schwefel226: any,
            Griewank: any,
            Ackley: any,
            Euclidean: any,
            Levy: any,
            Zakharov: any,
            StyblinskiTang: any,
            DixonPrice: any,
            Michalewicz: any,
            Salomon: any,
            Alpine1: any,
            BentCigar: any,
            Spring: few,
            SpringCmepso: few,
            WeldedBeam: few,
            WeldedBeamCmepso: few,
            SpeedReducer: few,
            SpeedReducerMezura: few,
            SpeedReducerCmepso: few,
            PressureVessel: few,
            PressureVesselMixed: few,
            ThreeBarTruss: two,
            LennardJones: many,
            NistThurber: few,
            NistMgh09: few,
            NistLanczos3: few,
            NistHahn1: few,
            NistEnso: few,
            NistGauss2: few,
            ImageRegistration: few
        }
    };
}

/// The description of a problem: everything besides its value.
///
/// ```
/// use warpswarm_core::problems::{Griewank, Problem, Spring};
/// /// The usual bounds in some dimensions.
/// fn box_of<F: Problem>(dimensions: usize) -> Vec<(f64, f64)> {
///     (0..dimensions).map(F::bounds).collect()
/// }
/// assert_eq!((Griewank::ID, box_of::<Griewank>(2)), ("griewank", vec![(-600.0, 600.0); 2]));
/// assert_eq!((Spring::COORDINATES.len(), Spring::CONSTRAINTS.len()), (3, 4));
/// ```
pub trait Problem: Default + Copy {
    /// The name in commands and kernels: lower case, with hyphens.
    const ID: &'static str;
    /// The formula, in plain text.
    const FORMULA: &'static str;
    /// The source of formula and optimum.
    const SOURCE: &'static str;
    /// The allowed numbers of dimensions.
    const DIMENSIONS: Dimensions = Dimensions::at_least(1);
    /// The names of the coordinates, if they have names.
    const COORDINATES: &'static [&'static str] = &[];
    /// The constraints, in the order of [`constraints`](Problem::constraints).
    const CONSTRAINTS: &'static [Constraint] = &[];

    /// The usual bounds of coordinate `i`.
    fn bounds(i: usize) -> (f64, f64);

    /// Coordinate `i` of the best known point in `dimensions` dimensions; `None` if none is known.
    fn optimum_position(dimensions: usize, i: usize) -> Option<f64>;

    /// The value at the best known point, or the best known value without its point; `None` if none is known.
    fn optimum_value(dimensions: usize) -> Option<f64>;

    /// Calls `each` with the constraints' values at `x`, in order; a value is at most zero if the constraint is
    /// satisfied.
    #[inline(always)]
    fn constraints<R: Real, P: Point<R>>(x: &P, each: impl FnMut(R)) {
        let _ = (x, each);
    }

    /// The sum, in order, of the constraints that `x` violates, which [`Objective::violation`] should return. NaN if
    /// one is NaN.
    #[inline(always)]
    fn total_violation<R: Real, P: Point<R>>(x: &P) -> R {
        let mut total = R::ZERO;
        // Not `larger`, which would treat a NaN as a satisfied constraint.
        Self::constraints(x, |g| total += if g <= R::ZERO { R::ZERO } else { g });
        total
    }
}

/// A condition g(x) <= 0.
///
/// ```
/// use warpswarm_core::problems::{Problem, ThreeBarTruss};
/// let mut values = Vec::new();
/// ThreeBarTruss::constraints(&warpswarm_core::objective::SlicePoint(&[1.0_f64, 0.0]), |g| values.push(g));
/// // With outer bars alone the load is 2 over what they bear together.
/// let least = ThreeBarTruss::CONSTRAINTS.iter().zip(&values).map(|(constraint, g)| (constraint.name, *g));
/// assert_eq!(least.collect::<Vec<_>>(), [("g1", 0.0), ("g2", -2.0), ("g3", 0.0)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The name in the problem's source.
    pub name: &'static str,
    /// g, in plain text.
    pub formula: &'static str,
}

/// A problem with its optimum moved by `shift` in every coordinate: f(x - shift).
///
/// ```
/// use warpswarm_core::problems::{Rosenbrock, Shifted};
/// use warpswarm_core::{Objective, objective::SlicePoint};
/// let shifted = Shifted { shift: 0.5_f64, problem: Rosenbrock };
/// assert_eq!(shifted.value(&SlicePoint(&[1.5, 1.5, 1.5])), 0.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shifted<S, F> {
    /// How far the optimum is moved.
    pub shift: S,
    /// The problem itself.
    pub problem: F,
}

impl<S: Float, F> Shifted<S, F> {
    #[inline(always)]
    fn seen<'a, R: Real, P: Point<R>>(&self, point: &'a P) -> ShiftedPoint<'a, R, P> {
        ShiftedPoint { point, shift: R::from_f64(self.shift.to_f64()) }
    }
}

impl<R: Real, S: Float, F: Objective<R>> Objective<R> for Shifted<S, F> {
    const CONSTRAINED: bool = F::CONSTRAINED;
    const GATHERS: bool = F::GATHERS;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        self.problem.value(&self.seen(x))
    }
    #[inline(always)]
    fn violation<P: Point<R>>(&self, x: &P) -> R {
        self.problem.violation(&self.seen(x))
    }
    #[inline(always)]
    fn each_constraint<P: Point<R>>(&self, x: &P, each: impl FnMut(R)) {
        self.problem.each_constraint(&self.seen(x), each);
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
    fn data(&self, table: Table, i: usize) -> R {
        self.point.data(table, i)
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
    fn fold_rows<O: Operator<R>, const N: usize>(
        &self,
        tables: [Table; N],
        term: impl Fn([R; N]) -> R,
    ) -> R {
        self.point.fold_rows::<O, N>(tables, term)
    }
    #[inline(always)]
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R {
        self.point.sum_of_prefixes(|i, x| element(i, x - self.shift), term)
    }
}
