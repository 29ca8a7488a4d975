//! The linear equations of a step.

use super::parameters::Parameters;
use crate::real::Float;

/// A factorisation L D L^T of a symmetric matrix, with L unit lower triangular and D diagonal, in a fixed order without
/// pivoting. Rows and columns that are left out count as zero.
///
/// The order is that of the parameters. Pivot i, relative to diagonal element i, is 1 - R^2 of a regression of column i
/// of the Jacobian on the columns before it. So a small pivot marks a parameter that depends on those before it.
///
/// ```
/// use warpswarm_core::fit::{Accumulator, Normal, Parameters};
/// let mut sums = Normal::<f64, 2>::empty();
/// sums.add(0.0, &[1.0, 1.0], 1.0);
/// sums.add(0.0, &[1.0, 3.0], 1.0);
/// // J^T J is ((2, 4), (4, 10)).
/// let factor = sums.damped(&[0.0; 2], Parameters::first(2), &[0.0; 2]).factor;
/// assert_eq!(factor.solve(&[2.0, 6.0]), [-1.0, 1.0]);
/// assert_eq!(factor.inverted(), [[2.5, -1.0], [-1.0, 0.5]]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor<R, const N: usize> {
    /// L below the diagonal.
    pub(super) lower: [[R; N]; N],
    /// The inverses of D's elements; zero for rows that are left out.
    pub(super) inverse: [R; N],
}

/// A step and the factorisation that it was computed with: see [`Accumulator::damped`](super::Accumulator::damped).
///
/// ```
/// use warpswarm_core::fit::{Accumulator, Normal, Parameters};
/// // a + b t of which only t = 1 has been seen: b cannot be told from a.
/// let mut sums = Normal::<f64, 2>::empty();
/// sums.add(-3.0, &[1.0, 1.0], 1.0);
/// let damped = sums.damped(&[0.0; 2], Parameters::first(2), &[0.0; 2]);
/// assert_eq!((damped.step, damped.singular), ([3.0, 0.0], Parameters(0b10)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damped<R, const N: usize> {
    /// The factorisation of the damped matrix.
    pub factor: Factor<R, N>,
    /// The step; zero in parameters that are `singular`.
    pub step: [R; N],
    /// The free parameters whose pivots are rounding errors.
    pub singular: Parameters,
}

/// The relative size below which a pivot of the normal equations counts as a rounding error: 8 N epsilon.
#[inline(always)]
pub(super) fn threshold<R: Float>(n: usize) -> R {
    R::from_f64(16.0 * n as f64) * R::HALF_EPSILON
}

impl<R: Float, const N: usize> Factor<R, N> {
    /// Factorises the matrix with this lower triangle, without the rows and columns of parameters that are not `free`,
    /// and without those whose pivots are NaN or below [`threshold`] times the diagonal element. The latter are
    /// returned.
    #[inline(always)]
    pub(super) fn of(matrix: &[[R; N]; N], free: Parameters) -> (Self, Parameters) {
        let mut factor = Factor { lower: [[R::ZERO; N]; N], inverse: [R::ZERO; N] };
        let mut pivots = [R::ZERO; N];
        let mut singular = Parameters::NONE;
        for j in 0..N {
            // Row j of L times D.
            let mut row = [R::ZERO; N];
            let mut pivot = matrix[j][j];
            for k in 0..N {
                if k < j {
                    row[k] = factor.lower[j][k] * pivots[k];
                    pivot -= factor.lower[j][k] * row[k];
                }
            }
            let large = pivot > threshold::<R>(N) * matrix[j][j];
            let kept = free.contains(j) && large;
            if free.contains(j) && !large {
                singular = singular.with(j);
            }
            let inverse = if kept { R::ONE / pivot } else { R::ZERO };
            pivots[j] = if kept { pivot } else { R::ZERO };
            factor.inverse[j] = inverse;
            for i in 0..N {
                if i > j {
                    let mut element = matrix[i][j];
                    for k in 0..N {
                        if k < j {
                            element -= factor.lower[i][k] * row[k];
                        }
                    }
                    factor.lower[i][j] = if kept { element * inverse } else { R::ZERO };
                }
            }
        }
        (factor, singular)
    }

    /// L^-1 b
    #[inline(always)]
    fn forward(&self, b: &[R; N]) -> [R; N] {
        let mut y = *b;
        for i in 0..N {
            for j in 0..N {
                if j < i {
                    y[i] -= self.lower[i][j] * y[j];
                }
            }
        }
        y
    }

    /// L^-T y, with zero in rows that are left out.
    #[inline(always)]
    pub(super) fn backward(&self, y: &[R; N]) -> [R; N] {
        let mut x = *y;
        for i in (0..N).rev() {
            for k in 0..N {
                if k > i {
                    x[i] -= self.lower[k][i] * x[k];
                }
            }
            x[i] = if self.inverse[i] > R::ZERO { x[i] } else { R::ZERO };
        }
        x
    }

    /// The solution x of L D L^T x = b, with zero in rows that are left out.
    #[inline(always)]
    pub fn solve(&self, b: &[R; N]) -> [R; N] {
        let mut y = self.forward(b);
        for i in 0..N {
            y[i] = y[i] * self.inverse[i];
        }
        self.backward(&y)
    }

    /// b^T (L D L^T)^-1 b
    #[inline(always)]
    pub(super) fn inverse_quadratic(&self, b: &[R; N]) -> R {
        let y = self.forward(b);
        let mut sum = R::ZERO;
        for i in 0..N {
            sum += y[i] * y[i] * self.inverse[i];
        }
        sum
    }

    /// The null vector of the matrix if parameter `k` is left out because its pivot is zero: 1 at k, and at the
    /// parameters before it the values that cancel its effect.
    #[inline(always)]
    pub(super) fn dependency(&self, k: usize) -> [R; N] {
        let mut right = [R::ZERO; N];
        for i in 0..N {
            for j in 0..N {
                right[j] = if i == k && j < k { -self.lower[i][j] } else { right[j] };
            }
        }
        let mut vector = self.backward(&right);
        for i in 0..N {
            vector[i] = if i == k { R::ONE } else { vector[i] };
        }
        vector
    }

    /// The inverse of the matrix, with zero in rows and columns that are left out; both triangles.
    #[inline(always)]
    pub fn inverted(&self) -> [[R; N]; N] {
        let mut inverse = [[R::ZERO; N]; N];
        for column in 0..N {
            let mut unit = [R::ZERO; N];
            unit[column] = R::ONE;
            let solved = self.solve(&unit);
            let kept = self.inverse[column] > R::ZERO;
            for row in column..N {
                let element = if kept { solved[row] } else { R::ZERO };
                inverse[row][column] = element;
                inverse[column][row] = element;
            }
        }
        inverse
    }
}
