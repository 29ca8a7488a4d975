//! A triangular factor of the Jacobian, updated with each row.

use super::accumulate::{Accumulator, Term};
use super::parameters::Parameters;
use super::solve::{Damped, Factor, threshold};
use crate::real::Float;

/// The triangular factor of the weighted Jacobian, W^(1/2) J = Q D^(1/2) L^T, and the rotated residuals.
///
/// The condition number is that of J, where that of [`Normal`](super::Normal)'s J^T W J is its square: twice as many
/// digits if parameters are nearly dependent, in two to four times the time. But the diagonal of D has the size of
/// *squares* of partial derivatives, which must not leave the range of the number type.
///
/// **Method.** Rows are rotated into the triangle by Givens rotations without square roots (W. M. Gentleman, Least
/// squares computations by Givens transformations without square roots, J. Inst. Maths Applics 12, 1973). Damping is N
/// further rows, one for each parameter (J. J. Moré, The Levenberg-Marquardt algorithm: implementation and theory,
/// 1978, section 3). The columns of fixed parameters are moved to the residual.
///
/// **Deviation.** A row with a slope but no curvature (an observed count of zero) has no residual to rotate; slopes of
/// such rows are summed separately.
///
/// ```
/// use warpswarm_core::fit::{Accumulator, Parameters, Triangular};
/// // A parabola through three points a ten-thousandth apart, (0, 0), (1e-4, 1) and (2e-4, 4).
/// let mut sums = Triangular::<f64, 3>::empty();
/// for (t, y) in [(0.0, 0.0), (1e-4, 1.0), (2e-4, 4.0)] {
///     sums.add(0.0 - y, &[1.0, 1.0 + t, (1.0 + t) * (1.0 + t)], 1.0);
/// }
/// let p = sums.damped(&[0.0; 3], Parameters::first(3), &[0.0; 3]).step;
/// assert!((p[0] / 1e8 - 1.0).abs() < 1e-7 && (p[2] / 1e8 - 1.0).abs() < 1e-7);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangular<R, const N: usize> {
    chi_squared: R,
    /// Slopes of rows without curvature, times their partial derivatives.
    slopes: [R; N],
    /// The diagonal of D.
    pivots: [R; N],
    /// The rotated residuals, each for a pivot of one.
    turned: [R; N],
    /// L below the diagonal.
    lower: [[R; N]; N],
}

/// The largest number of parameters for which a kernel unrolls the loop over a triangle's rows.
const UNROLLED: usize = 3;

impl<R: Float, const N: usize> Triangular<R, N> {
    /// Rotates a row into the triangle: Gentleman's algorithm. Only columns of `free` parameters get pivots; the other
    /// columns hold what remains of them in the rows of the pivots before them.
    #[inline(always)]
    fn include(&mut self, mut residual: R, partials: &[R; N], mut weight: R, free: Parameters) {
        let mut x = *partials;
        for i in 0..N {
            let weighted = weight * x[i];
            let pivot = self.pivots[i] + weighted * x[i];
            let inverse = R::ONE / pivot;
            // Nothing to rotate, or so little that it underflows. A NaN is neither, and reaches all sums.
            let nothing = weighted == R::ZERO || inverse == R::INFINITY;
            if free.contains(i) && !nothing {
                let (kept, new) = (self.pivots[i] * inverse, weighted * inverse);
                self.pivots[i] = pivot;
                weight = kept * weight;
                for k in 0..N {
                    if k > i {
                        let old = x[k];
                        x[k] = old - x[i] * self.lower[k][i];
                        self.lower[k][i] = kept * self.lower[k][i] + new * old;
                    }
                }
                let old = residual;
                residual = old - x[i] * self.turned[i];
                self.turned[i] = kept * self.turned[i] + new * old;
            }
        }
    }

    /// As [`include`](Self::include), but for many parameters not inlined: unrolled for each row of a triangle, it
    /// would be most of a kernel's code.
    #[inline(always)]
    fn include_row(&mut self, residual: R, partials: &[R; N], weight: R, free: Parameters) {
        if N > UNROLLED {
            self.include_apart(residual, partials, weight, free);
        } else {
            self.include(residual, partials, weight, free);
        }
    }

    #[inline(never)]
    fn include_apart(&mut self, residual: R, partials: &[R; N], weight: R, free: Parameters) {
        self.include(residual, partials, weight, free);
    }

    /// Row i of L^T.
    #[inline(always)]
    fn row(&self, i: usize) -> [R; N] {
        let mut row = [R::ZERO; N];
        for k in 0..N {
            row[k] = if k > i { self.lower[k][i] } else { R::ZERO };
        }
        row[i] = R::ONE;
        row
    }

    /// The triangle of the free parameters, with the steps of the others `given`, and with damping.
    #[inline(always)]
    fn reduced(&self, damping: &[R; N], free: Parameters, given: &[R; N]) -> Self {
        let mut reduced = Self::empty();
        for i in 0..N {
            let row = self.row(i);
            let mut residual = self.turned[i];
            for k in 0..N {
                residual += if free.contains(k) { R::ZERO } else { row[k] * given[k] };
            }
            reduced.include_row(residual, &row, self.pivots[i], free);
        }
        for i in 0..N {
            let mut row = [R::ZERO; N];
            row[i] = R::ONE;
            reduced.include_row(R::ZERO, &row, damping[i], free);
        }
        reduced
    }

    /// The first free parameter whose pivot is NaN or a rounding error; N if there is none.
    #[inline(always)]
    fn first_singular(&self, free: Parameters) -> usize {
        let relative = threshold::<R>(N);
        let norms = self.squared_norms();
        for i in 0..N {
            let large = self.pivots[i] > relative * relative * norms[i];
            if free.contains(i) && !large {
                return i;
            }
        }
        N
    }
}

impl<R: Float, const N: usize> Accumulator<R, N> for Triangular<R, N> {
    fn of_numbers(next: &mut impl FnMut() -> R) -> Self {
        Triangular {
            chi_squared: next(),
            slopes: core::array::from_fn(|_| next()),
            pivots: core::array::from_fn(|_| next()),
            turned: core::array::from_fn(|_| next()),
            lower: core::array::from_fn(|_| core::array::from_fn(|_| next())),
        }
    }

    #[inline(always)]
    fn empty() -> Self {
        let zeros = [R::ZERO; N];
        Triangular {
            chi_squared: R::ZERO,
            slopes: zeros,
            pivots: zeros,
            turned: zeros,
            lower: [zeros; N],
        }
    }

    #[inline(always)]
    fn add_term(&mut self, term: Term<R>, partials: &[R; N]) {
        self.chi_squared += term.cost;
        if term.curvature == R::ZERO {
            for i in 0..N {
                self.slopes[i] = partials[i].fused(term.slope, self.slopes[i]);
            }
        } else {
            self.include(
                term.slope / term.curvature,
                partials,
                term.curvature,
                Parameters::first(N),
            );
        }
    }

    #[inline(always)]
    fn combine(&mut self, later: &Self) {
        self.chi_squared += later.chi_squared;
        for i in 0..N {
            self.slopes[i] += later.slopes[i];
            self.include_row(later.turned[i], &later.row(i), later.pivots[i], Parameters::first(N));
        }
    }

    #[inline(always)]
    fn chi_squared(&self) -> R {
        self.chi_squared
    }
    #[inline(always)]
    fn gradient(&self) -> [R; N] {
        let mut gradient = self.slopes;
        for i in 0..N {
            let pull = self.pivots[i] * self.turned[i];
            gradient[i] += pull;
            for k in 0..N {
                if k > i {
                    gradient[k] += self.lower[k][i] * pull;
                }
            }
        }
        gradient
    }
    #[inline(always)]
    fn squared_norms(&self) -> [R; N] {
        let mut norms = self.pivots;
        for i in 0..N {
            for k in 0..N {
                if k > i {
                    norms[k] += self.lower[k][i] * self.lower[k][i] * self.pivots[i];
                }
            }
        }
        norms
    }
    #[inline(always)]
    fn quadratic(&self, p: &[R; N]) -> R {
        let mut sum = R::ZERO;
        for i in 0..N {
            let mut product = p[i];
            for k in 0..N {
                if k > i {
                    product += self.lower[k][i] * p[k];
                }
            }
            sum += product * product * self.pivots[i];
        }
        sum
    }

    #[inline(always)]
    fn damped(&self, damping: &[R; N], free: Parameters, given: &[R; N]) -> Damped<R, N> {
        let mut singular = Parameters::NONE;
        let mut left = *given;
        let reduced = loop {
            let kept = free.minus(singular);
            let reduced = self.reduced(damping, kept, &left);
            let next = reduced.first_singular(kept);
            if next >= N {
                break reduced;
            }
            singular = singular.with(next);
            for i in 0..N {
                left[i] = if singular.contains(i) { R::ZERO } else { left[i] };
            }
        };
        let mut factor = Factor { lower: reduced.lower, inverse: [R::ZERO; N] };
        let kept = free.minus(singular);
        let mut negative = [R::ZERO; N];
        for i in 0..N {
            factor.inverse[i] = if kept.contains(i) { R::ONE / reduced.pivots[i] } else { R::ZERO };
            negative[i] = -reduced.turned[i];
        }
        let (turned, apart) = (factor.backward(&negative), factor.solve(&self.slopes));
        let mut step = *given;
        for i in 0..N {
            let solved = turned[i] - apart[i];
            step[i] = if free.contains(i) { solved } else { given[i] };
        }
        Damped { factor, step, singular }
    }
}
