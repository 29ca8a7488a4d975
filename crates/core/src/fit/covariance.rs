//! Uncertainties of the parameters.

use super::accumulate::{Accumulator, Term};
use super::parameters::Parameters;
use crate::real::Float;

/// Components of a dependency below this, in units of standard deviations, are neglected.
const PART: f64 = 1e-3;

/// The covariance matrix of the parameters, as far as the data determine them.
///
/// The inverse of J^T W J without damping, times a factor: 1 if weights are the inverses of known variances
/// (`absolute_sigma` of SciPy's `curve_fit`), otherwise the reduced chi-squared
/// ([`Goodness::reduced`](super::Goodness::reduced)). Rows and columns of fixed parameters are zero. Bounds are
/// ignored.
///
/// If columns of J are dependent, it is the Moore-Penrose pseudo-inverse, as in `curve_fit`. The parameters of a
/// dependency are in [`undetermined`](Self::undetermined): their variances say nothing about the distance from the true
/// values.
///
/// **Method.** J^T W J = L D L^T in the order of the parameters. A pivot that is a rounding error, relative to its
/// diagonal element, belongs to a parameter k that depends on those before it. The equations of the others give the
/// dependency, a null vector v. With an orthonormal basis V of all null vectors and any positive s_v, the inverse
/// matrix of H + sum s_v v v^T, minus sum v v^T / s_v, is the pseudo-inverse of H.
///
/// ```
/// use warpswarm_core::fit::{Accumulator, Covariance, Normal, Parameters};
/// // A constant, seen four times with standard deviation 2: its own is 2 / sqrt(4).
/// let mut sums = Normal::<f64, 2>::empty();
/// for _ in 0..4 {
///     sums.add(0.1, &[1.0, 0.0], 0.25);
/// }
/// let covariance = Covariance::of(&sums, Parameters::first(2), 1.0);
/// assert_eq!(covariance.matrix[0][0], 1.0);
/// // Nothing depends on the second parameter.
/// assert_eq!(covariance.undetermined, Parameters::NONE.with(1));
/// assert_eq!(covariance.standard_errors(), [1.0, f64::INFINITY]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Covariance<R, const N: usize> {
    /// The matrix, both triangles.
    pub matrix: [[R; N]; N],
    /// The free parameters whose values the data do not determine.
    pub undetermined: Parameters,
}

impl<R: Float, const N: usize> Covariance<R, N> {
    /// The covariance of the `free` parameters from the sums over all rows: [`Solver::sums`](super::Solver::sums).
    #[inline(always)]
    pub fn of<A: Accumulator<R, N>>(sums: &A, free: Parameters, factor: R) -> Self {
        let zeros = [R::ZERO; N];
        let norms = sums.squared_norms();
        let mut regular = *sums;
        let (mut singular, mut undetermined) = (Parameters::NONE, Parameters::NONE);
        // The null vectors, with zeros in the remaining rows, and the weight of each.
        let mut basis = [zeros; N];
        let mut weights = zeros;
        // The equations are solved in a single place: it is most of the code, which a GPU has to fetch.
        let mut matrix = loop {
            let solved = regular.damped(&zeros, free, &zeros);
            if solved.singular.is_empty() || !undetermined.is_empty() {
                break solved.factor.inverted();
            }
            undetermined = solved.singular;
            // The compiler does not know the number of iterations, so it does not unroll this loop in a kernel.
            let mut left = solved.singular;
            while let Some(k) = left.lowest().filter(|&k| k < N) {
                left = left.without(k);
                let vector = solved.factor.dependency(k);
                for i in 0..N {
                    let part = vector[i].abs() * norms[i].sqrt();
                    if free.contains(i) && part > R::from_f64(PART) * norms[k].sqrt() {
                        undetermined = undetermined.with(i);
                    }
                }
                basis[k] = orthonormal(vector, &basis);
                let mut spread = R::ZERO;
                for i in 0..N {
                    let norm = if norms[i] > R::ZERO { norms[i] } else { R::ONE };
                    spread += basis[k][i] * basis[k][i] / norm;
                }
                weights[k] = R::ONE / spread;
            }
            // The pseudo-inverse is the inverse of J^T W J + sum weight v v^T, minus sum v v^T / weight.
            singular = solved.singular;
            let mut left = singular;
            while let Some(k) = left.lowest().filter(|&k| k < N) {
                left = left.without(k);
                if weights[k] > R::ZERO {
                    let term = Term { cost: R::ZERO, slope: R::ZERO, curvature: weights[k] };
                    regular.add_term(term, &basis[k]);
                }
            }
        };
        while let Some(k) = singular.lowest().filter(|&k| k < N) {
            singular = singular.without(k);
            if weights[k] > R::ZERO {
                for i in 0..N {
                    for j in 0..N {
                        matrix[i][j] -= basis[k][i] * basis[k][j] / weights[k];
                    }
                }
            }
        }
        Covariance { matrix: scaled(matrix, factor), undetermined }
    }

    /// The standard error of each parameter: the square root of its variance; infinite if it is undetermined, zero if
    /// it is fixed.
    #[inline(always)]
    pub fn standard_errors(&self) -> [R; N] {
        let mut errors = [R::ZERO; N];
        for i in 0..N {
            let error = self.matrix[i][i].larger(R::ZERO).sqrt();
            errors[i] = if self.undetermined.contains(i) { R::INFINITY } else { error };
        }
        errors
    }

    /// The correlation of two parameters, between -1 and 1; 0 if one has no variance, or there is no such parameter.
    #[inline(always)]
    pub fn correlation(&self, i: usize, j: usize) -> R {
        let element = |i: usize, j: usize| {
            self.matrix.get(i).and_then(|row| row.get(j)).copied().unwrap_or(R::ZERO)
        };
        let product = element(i, i).sqrt() * element(j, j).sqrt();
        if product > R::ZERO {
            (element(i, j) / product).smaller(R::ONE).larger(-R::ONE)
        } else {
            R::ZERO
        }
    }
}

/// The matrix times a factor. Zeros stay zero, even if the factor is infinite.
#[inline(always)]
fn scaled<R: Float, const N: usize>(matrix: [[R; N]; N], factor: R) -> [[R; N]; N] {
    let times = |element: R| if element == R::ZERO { element } else { factor * element };
    matrix.map(|row| row.map(times))
}

/// The vector, made orthogonal to the basis and of length one.
#[inline(always)]
fn orthonormal<R: Float, const N: usize>(mut vector: [R; N], basis: &[[R; N]; N]) -> [R; N] {
    let dot = |a: &[R; N], b: &[R; N]| {
        let mut sum = R::ZERO;
        for i in 0..N {
            sum += a[i] * b[i];
        }
        sum
    };
    for other in basis {
        let along = dot(&vector, other);
        for i in 0..N {
            vector[i] -= along * other[i];
        }
    }
    let length = dot(&vector, &vector).sqrt();
    vector.map(|part| part / length)
}
