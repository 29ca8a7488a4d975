//! The function to minimise, and the point at which it is evaluated.

use crate::data::Table;
use crate::order::Fitness;
use crate::real::Real;
use crate::sum::{self, Operator, Product, Sum};

/// A function of real variables to be minimised, written once for the CPU and the GPU.
///
/// It is a plain struct of parameters, which is copied to the device that evaluates it. On the GPU several lanes may
/// evaluate one point together. So compute a value with the point's methods ([`Point::sum`] and similar ones), and do
/// not branch between them in a way that can differ between lanes.
///
/// ```
/// use warpswarm_core::objective::SlicePoint;
/// use warpswarm_core::{Objective, Point, Real};
///
/// /// The surface of a box without a lid, which is to hold 4 litres.
/// #[derive(Clone, Copy)]
/// struct Carton;
///
/// impl<R: Real> Objective<R> for Carton {
///     const CONSTRAINED: bool = true;
///     fn value<P: Point<R>>(&self, x: &P) -> R {
///         let (side, height) = (x.get(0), x.get(1));
///         side * side + R::from_f64(4.0) * side * height
///     }
///     fn violation<P: Point<R>>(&self, x: &P) -> R {
///         let missing = R::from_f64(4.0) - x.get(0) * x.get(0) * x.get(1);
///         // NaN is a violation, too, which it would not be with `larger`.
///         if missing <= R::ZERO { R::ZERO } else { missing }
///     }
/// }
///
/// let small = Carton.evaluate(&SlicePoint(&[1.0_f64, 3.0]));
/// assert_eq!((small.value, small.violation), (13.0, 1.0));
/// let large = Carton.evaluate(&SlicePoint(&[2.0_f64, 1.0]));
/// assert_eq!((large.value, large.violation), (12.0, 0.0));
/// ```
pub trait Objective<R: Real>: Copy + Send + Sync + 'static {
    /// Whether [`violation`](Objective::violation) can be anything but zero.
    const CONSTRAINED: bool = false;

    /// Whether the objective uses [`Point::get`] or [`Point::sum_of_prefixes`], and so coordinates other than the one
    /// that [`Point::sum`] and [`Point::product`] pass to their term. If not, lanes that share a point need not
    /// exchange coordinates.
    const GATHERS: bool = true;

    /// The value at `x`; NaN and +inf are allowed and rank last.
    fn value<P: Point<R>>(&self, x: &P) -> R;

    /// The total constraint violation at `x`: zero if `x` is feasible, otherwise positive. Runs treat a negative one as
    /// zero.
    #[inline(always)]
    fn violation<P: Point<R>>(&self, x: &P) -> R {
        let _ = x;
        R::ZERO
    }

    /// Calls `each` with the value of every constraint at `x`, which is at most zero if the constraint is satisfied.
    /// The number and the order of the constraints are always the same.
    ///
    /// Local searches use the single constraints; populations use only the [`violation`](Objective::violation). By
    /// default the violation is the only constraint.
    #[inline(always)]
    fn each_constraint<P: Point<R>>(&self, x: &P, mut each: impl FnMut(R)) {
        if Self::CONSTRAINED {
            each(self.violation(x));
        }
    }

    /// Value and violation at `x`, in the form of results: see [`Fitness::canonical`].
    #[inline(always)]
    fn evaluate<P: Point<R>>(&self, x: &P) -> Fitness<R> {
        self.judge(x).canonical()
    }

    /// Value and violation at `x` as computed; make them [`canonical`](Fitness::canonical) before storing them.
    #[inline(always)]
    fn judge<P: Point<R>>(&self, x: &P) -> Fitness<R> {
        let value = self.value(x);
        let violation = if Self::CONSTRAINED { self.violation(x) } else { R::ZERO };
        Fitness { violation, value }
    }
}

/// A point of the search space, independent of where its coordinates are stored.
///
/// ```
/// use warpswarm_core::objective::SlicePoint;
/// use warpswarm_core::{Point, Real};
/// let x = SlicePoint(&[1.0_f64, 2.0, 3.0, 4.0]);
/// assert_eq!((x.dimensions(), x.get(3)), (4, 4.0));
/// assert_eq!(x.sum(|i, x| if i == 0 { f64::ZERO } else { x }), 9.0);
/// assert_eq!(x.product(|_, x| x), 24.0);
/// // 1^2 + (1 + 2)^2 + (1 + 2 + 3)^2 + (1 + 2 + 3 + 4)^2
/// assert_eq!(x.sum_of_prefixes(|_, x| x, |_, prefix| prefix * prefix), 146.0);
/// // Over data instead of coordinates: 1 + 2 + ... + 10
/// assert_eq!(x.sum_terms(10, |k| f64::from_u32(k as u32 + 1)), 55.0);
/// ```
pub trait Point<R: Real> {
    /// The number of coordinates.
    fn dimensions(&self) -> usize;

    /// Coordinate `i`, below [`dimensions`](Point::dimensions).
    fn get(&self, i: usize) -> R;

    /// Number `i` of a table of the objective's data; NaN if `i` is out of range.
    #[inline(always)]
    fn data(&self, table: Table, i: usize) -> R {
        let _ = (table, i);
        R::NAN
    }

    /// The number in a row and a column of a table; NaN if there is no such row or column.
    #[inline(always)]
    fn cell(&self, table: Table, row: usize, column: usize) -> R {
        if column < table.columns() {
            self.data(table, row * table.columns() + column)
        } else {
            R::NAN
        }
    }

    /// Combines `term(i, x_i)` over all coordinates in the fixed order of [`sum`].
    fn fold<O: Operator<R>>(&self, term: impl Fn(usize, R) -> R) -> R;

    /// Combines `term(k)` for k in 0..n in the fixed order of [`sum`]: a fold over data.
    fn fold_terms<O: Operator<R>>(&self, n: usize, term: impl Fn(usize) -> R) -> R;

    /// Combines `term` of each row over tables of equal length, in the fixed order of [`sum`]: a fold over data that is
    /// cheaper for each number than [`data`](Point::data). NaN if the tables are missing or not equally long.
    #[inline(always)]
    fn fold_rows<O: Operator<R>, const N: usize>(
        &self,
        tables: [Table; N],
        term: impl Fn([R; N]) -> R,
    ) -> R {
        let n = tables.first().map_or(0, Table::len);
        if tables.iter().any(|table| table.len() != n) {
            return R::NAN;
        }
        self.fold_terms::<O>(n, |i| term(tables.map(|table| self.data(table, i))))
    }

    /// Sums `term(i, s_i)`, where s_i = e_0 + ... + e_i is added in sequence and e_i = `element(i, x_i)`.
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R;

    /// As [`fold_terms`](Point::fold_terms), for numbers of another type.
    #[doc(hidden)]
    #[inline(always)]
    fn fold_others<T: Real, O: Operator<T>>(&self, n: usize, term: impl Fn(usize) -> T) -> T {
        sum::fold_one_by_one::<T, O>(n, term)
    }

    /// As [`sum_of_prefixes`](Point::sum_of_prefixes), for `n` numbers of another type.
    #[doc(hidden)]
    #[inline(always)]
    fn sum_of_other_prefixes<T: Real>(
        &self,
        n: usize,
        element: impl Fn(usize) -> T,
        term: impl Fn(usize, T) -> T,
    ) -> T {
        sum::of_prefixes(n, element, term)
    }

    /// Sums `term(i, x_i)` over all coordinates.
    #[inline(always)]
    fn sum(&self, term: impl Fn(usize, R) -> R) -> R {
        self.fold::<Sum>(term)
    }

    /// Multiplies `term(i, x_i)` over all coordinates.
    #[inline(always)]
    fn product(&self, term: impl Fn(usize, R) -> R) -> R {
        self.fold::<Product>(term)
    }

    /// Sums `term` of each row over tables of equal length:
    /// `x.sum_rows([self.times, self.counts], |[t, y]| ...)`.
    #[inline(always)]
    fn sum_rows<const N: usize>(&self, tables: [Table; N], term: impl Fn([R; N]) -> R) -> R {
        self.fold_rows::<Sum, N>(tables, term)
    }

    /// Sums `term(k)` for k in 0..n.
    #[inline(always)]
    fn sum_terms(&self, n: usize, term: impl Fn(usize) -> R) -> R {
        self.fold_terms::<Sum>(n, term)
    }
}

/// A point in a slice, used on the CPU.
///
/// ```
/// use warpswarm_core::objective::SlicePoint;
/// use warpswarm_core::{Objective, problems::Sphere};
/// let point = vec![3.0_f32, 4.0];
/// assert_eq!(Sphere.value(&SlicePoint(&point)), 25.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SlicePoint<'a, R>(pub &'a [R]);

impl<R: Real> Point<R> for SlicePoint<'_, R> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn get(&self, i: usize) -> R {
        self.0[i]
    }
    #[inline(always)]
    fn fold<O: Operator<R>>(&self, term: impl Fn(usize, R) -> R) -> R {
        sum::fold_slice::<R, O>(self.0, term)
    }
    #[inline(always)]
    fn fold_terms<O: Operator<R>>(&self, n: usize, term: impl Fn(usize) -> R) -> R {
        sum::fold_buffered::<R, O>(n, term)
    }
    #[inline(always)]
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R {
        sum::of_prefixes(self.0.len(), |i| element(i, self.0[i]), term)
    }
}
