//! The gradient of an objective at a point.

use super::Dual;
use crate::data::Table;
use crate::objective::{Objective, Point};
use crate::real::Real;
use crate::sum::Operator;

/// The number of derivatives in one evaluation of [`gradient`]: one or two vector registers on a CPU.
pub const CHUNK: usize = 8;

/// An objective whose derivatives can be computed: any that is generic over [`Real`].
///
/// ```
/// use warpswarm_core::dual::Differentiable;
/// use warpswarm_core::problems::Rosenbrock;
/// fn for_all_that_are<O: Differentiable<f64>>(_: O) {}
/// for_all_that_are(Rosenbrock);
/// ```
pub trait Differentiable<R: Real>: Objective<R> + Objective<Dual<R, CHUNK>> {}

impl<R: Real, O: Objective<R> + Objective<Dual<R, CHUNK>>> Differentiable<R> for O {}

/// A point whose coordinates `first` to `first + N - 1` are variables; its other coordinates, and all data, are
/// constants.
///
/// ```
/// use warpswarm_core::Objective;
/// use warpswarm_core::dual::{Dual, DualPoint};
/// use warpswarm_core::objective::SlicePoint;
/// use warpswarm_core::problems::Sphere;
/// let x = DualPoint::<_, 2> { point: SlicePoint(&[1.0, 2.0, 3.0, 4.0_f64]), first: 1 };
/// let value: Dual<f64, 2> = Sphere.value(&x);
/// assert_eq!((value.value, value.partials), (30.0, [4.0, 6.0]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DualPoint<P, const N: usize> {
    /// The point.
    pub point: P,
    /// The first coordinate that is a variable.
    pub first: usize,
}

impl<R: Real, P: Point<R>, const N: usize> Point<Dual<R, N>> for DualPoint<P, N> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.point.dimensions()
    }
    #[inline(always)]
    fn get(&self, i: usize) -> Dual<R, N> {
        Dual::variable(self.point.get(i), i.wrapping_sub(self.first))
    }
    #[inline(always)]
    fn data(&self, table: Table, i: usize) -> Dual<R, N> {
        Dual::constant(self.point.data(table, i))
    }
    #[inline(always)]
    fn fold<O: Operator<Dual<R, N>>>(
        &self,
        term: impl Fn(usize, Dual<R, N>) -> Dual<R, N>,
    ) -> Dual<R, N> {
        self.fold_terms::<O>(self.dimensions(), |i| term(i, self.get(i)))
    }
    #[inline(always)]
    fn fold_terms<O: Operator<Dual<R, N>>>(
        &self,
        n: usize,
        term: impl Fn(usize) -> Dual<R, N>,
    ) -> Dual<R, N> {
        self.point.fold_others::<Dual<R, N>, O>(n, term)
    }
    #[inline(always)]
    fn sum_of_prefixes(
        &self,
        element: impl Fn(usize, Dual<R, N>) -> Dual<R, N>,
        term: impl Fn(usize, Dual<R, N>) -> Dual<R, N>,
    ) -> Dual<R, N> {
        let element = |i| element(i, self.get(i));
        self.point.sum_of_other_prefixes(self.dimensions(), element, term)
    }
}

/// Writes the derivative of the objective's value by each coordinate, and returns the value, which has the bits of
/// [`Objective::value`].
///
/// `into` takes one number for each coordinate; derivatives after its length are not computed. A NaN is always
/// [`Real::NAN`], and zero is always +0, so that equal gradients have equal bits on every machine.
///
/// ```
/// use warpswarm_core::dual::gradient;
/// use warpswarm_core::objective::SlicePoint;
/// use warpswarm_core::problems::Rosenbrock;
/// let mut slopes = [0.0; 2];
/// // 100 (y - x^2)^2 + (1 - x)^2 at (1, 2)
/// let value = gradient(&Rosenbrock, &SlicePoint(&[1.0_f64, 2.0]), &mut slopes);
/// assert_eq!((value, slopes), (100.0, [-400.0, 200.0]));
/// ```
pub fn gradient<R: Real, O: Differentiable<R>, P: Point<R> + Copy>(
    objective: &O,
    x: &P,
    into: &mut [R],
) -> R {
    each_slope(objective, x, into.len(), |i, slope| into[i] = slope)
}

/// As [`gradient`], for the first `count` coordinates; passes each derivative to `each(coordinate, derivative)`.
///
/// ```
/// use warpswarm_core::dual::each_slope;
/// use warpswarm_core::objective::SlicePoint;
/// use warpswarm_core::problems::Sphere;
/// let mut steepest = (0, 0.0);
/// let value = each_slope(&Sphere, &SlicePoint(&[1.0_f64, -3.0, 2.0]), 3, |i, slope| {
///     if slope.abs() > steepest.1 {
///         steepest = (i, slope.abs());
///     }
/// });
/// assert_eq!((value, steepest), (14.0, (1, 6.0)));
/// ```
#[inline(always)]
pub fn each_slope<R: Real, O: Differentiable<R>, P: Point<R> + Copy>(
    objective: &O,
    x: &P,
    count: usize,
    mut each: impl FnMut(usize, R),
) -> R {
    let mut first = 0;
    loop {
        let point = DualPoint::<P, CHUNK> { point: *x, first };
        let found: Dual<R, CHUNK> = objective.value(&point);
        let mut k = 0;
        while k < CHUNK {
            let partial = found.partials[k];
            if first + k < count {
                each(first + k, if partial.is_nan() { R::NAN } else { partial + R::ZERO });
            }
            k += 1;
        }
        first += CHUNK;
        if first >= count {
            return found.value;
        }
    }
}
