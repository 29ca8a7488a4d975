//! Sums over rows, through which the solver uses the data.

use super::parameters::Parameters;
use super::search::PIECE;
use super::solve::{Damped, Factor};
use crate::real::Float;

/// The number of rows whose terms are added in sequence, and of sums that are.
pub const BLOCK: usize = 256;

/// A row's contribution to the cost, as a function of the model's value m: a quadratic approximation.
///
/// The cost is chi-squared, the sum of all rows' terms, without the factor 1/2.
///
/// ```
/// use warpswarm_core::fit::Term;
/// // The model gives 5, the observation is 3, its standard deviation 2: (5 - 3)^2 / 2^2.
/// let term = Term::squared(5.0 - 3.0, 1.0 / 4.0);
/// assert_eq!((term.cost, term.slope, term.curvature), (1.0, 0.5, 0.25));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term<R> {
    /// The row's share of chi-squared.
    pub cost: R,
    /// Half of its derivative by m; for squares, weight times residual.
    pub slope: R,
    /// Half of its second derivative by m, or a nonnegative approximation; for squares, the weight.
    pub curvature: R,
}

impl<R: Float> Term<R> {
    /// The square of a residual (model minus observation) times its weight, 1 / sigma^2.
    #[inline(always)]
    pub fn squared(residual: R, weight: R) -> Self {
        let slope = weight * residual;
        Term { cost: slope * residual, slope, curvature: weight }
    }
}

/// Sums over rows from which a step can be computed: [`Normal`] or [`Triangular`](super::Triangular).
///
/// With J the matrix of all rows' partial derivatives of the model by its `N` parameters, and W the diagonal matrix
/// of their curvatures (weights), that is chi-squared, J^T W J in some form, and the gradient J^T W r.
///
/// ```
/// use warpswarm_core::fit::{Accumulator, Normal, Triangular};
/// /// Half the slope of chi-squared for a constant, fitted to 1, 2 and 6, at 0.
/// fn slope<A: Accumulator<f64, 1>>() -> f64 {
///     let mut sums = A::empty();
///     for y in [1.0, 2.0, 6.0] {
///         sums.add(0.0 - y, &[1.0], 1.0);
///     }
///     sums.gradient()[0]
/// }
/// assert_eq!(slope::<Normal<f64, 1>>(), -9.0);
/// assert!((slope::<Triangular<f64, 1>>() + 9.0).abs() < 1e-14);
/// ```
pub trait Accumulator<R: Float, const N: usize>: Copy + core::fmt::Debug + PartialEq {
    /// The sums over no rows.
    fn empty() -> Self;

    /// The sums from plain numbers, in the order of their memory layout: for sums computed on a device.
    fn of_numbers(next: &mut impl FnMut() -> R) -> Self;

    /// Adds a row: its term, and the model's partial derivatives there.
    fn add_term(&mut self, term: Term<R>, partials: &[R; N]);

    /// Adds a row of least squares: model minus observation, the model's partial derivatives, and the weight
    /// (1 / sigma^2).
    #[inline(always)]
    fn add(&mut self, residual: R, partials: &[R; N], weight: R) {
        self.add_term(Term::squared(residual, weight), partials);
    }

    /// Adds the sums over later rows. Adding to the sums over no rows may round.
    fn combine(&mut self, later: &Self);

    /// The cost: the sum of all terms' costs.
    fn chi_squared(&self) -> R;
    /// J^T W r, half the gradient of chi-squared.
    fn gradient(&self) -> [R; N];
    /// The diagonal of J^T W J: squared norms of the weighted Jacobian's columns.
    fn squared_norms(&self) -> [R; N];
    /// p^T (J^T W J) p
    fn quadratic(&self, p: &[R; N]) -> R;

    /// A factorisation of J^T W J + diag(`damping`) without the rows and columns of parameters that are not `free`, and
    /// the step p that minimises `damping . p^2` plus the quadratic model of chi-squared: the free components of p
    /// solve (J^T W J + diag(damping)) p = -J^T W r, the others are `given`.
    fn damped(&self, damping: &[R; N], free: Parameters, given: &[R; N]) -> Damped<R, N>;

    /// Whether cost, gradient and norms are all finite.
    #[inline(always)]
    fn is_finite(&self) -> bool {
        let (gradient, norms) = (self.gradient(), self.squared_norms());
        let mut finite = self.chi_squared().is_finite();
        for i in 0..N {
            finite &= gradient[i].is_finite() && norms[i].is_finite();
        }
        finite
    }
}

/// The normal equations: chi-squared, J^T W r, and the lower triangle of J^T W J.
///
/// A row costs (N + 1)(N + 2) / 2 fused products, fewer than any factorisation. If parameters are nearly dependent,
/// half of the digits are lost, because the condition number is squared.
///
/// ```
/// use warpswarm_core::fit::{Accumulator, Normal};
/// // Two rows of the model a + b t at a = b = 0: (t, y) = (0, 1) and (1, 3).
/// let mut sums = Normal::<f64, 2>::empty();
/// sums.add(0.0 - 1.0, &[1.0, 0.0], 1.0);
/// sums.add(0.0 - 3.0, &[1.0, 1.0], 1.0);
/// assert_eq!(sums.chi_squared(), 10.0);
/// assert_eq!(sums.gradient(), [-4.0, -3.0]);
/// // The step to the line through both points.
/// use warpswarm_core::fit::Parameters;
/// assert_eq!(sums.damped(&[0.0; 2], Parameters::first(2), &[0.0; 2]).step, [1.0, 2.0]);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normal<R, const N: usize> {
    chi_squared: R,
    gradient: [R; N],
    /// J^T W J on and below the diagonal; zero elsewhere.
    matrix: [[R; N]; N],
}

impl<R: Float, const N: usize> Normal<R, N> {
    /// The element of J^T W J in a row and a column; NaN if there is no such element.
    #[inline(always)]
    pub fn element(&self, row: usize, column: usize) -> R {
        let (row, column) = if row < column { (column, row) } else { (row, column) };
        self.matrix.get(row).and_then(|row| row.get(column)).copied().unwrap_or(R::NAN)
    }
}

impl<R: Float, const N: usize> Accumulator<R, N> for Normal<R, N> {
    #[inline(always)]
    fn empty() -> Self {
        Normal { chi_squared: R::ZERO, gradient: [R::ZERO; N], matrix: [[R::ZERO; N]; N] }
    }

    fn of_numbers(next: &mut impl FnMut() -> R) -> Self {
        Normal {
            chi_squared: next(),
            gradient: core::array::from_fn(|_| next()),
            matrix: core::array::from_fn(|_| core::array::from_fn(|_| next())),
        }
    }

    #[inline(always)]
    fn add_term(&mut self, term: Term<R>, partials: &[R; N]) {
        self.chi_squared += term.cost;
        for i in 0..N {
            self.gradient[i] = partials[i].fused(term.slope, self.gradient[i]);
            let weighted = term.curvature * partials[i];
            for j in 0..N {
                if j <= i {
                    self.matrix[i][j] = weighted.fused(partials[j], self.matrix[i][j]);
                }
            }
        }
    }

    #[inline(always)]
    fn combine(&mut self, later: &Self) {
        self.chi_squared += later.chi_squared;
        for i in 0..N {
            self.gradient[i] += later.gradient[i];
            for j in 0..N {
                if j <= i {
                    self.matrix[i][j] += later.matrix[i][j];
                }
            }
        }
    }

    #[inline(always)]
    fn chi_squared(&self) -> R {
        self.chi_squared
    }
    #[inline(always)]
    fn gradient(&self) -> [R; N] {
        self.gradient
    }
    #[inline(always)]
    fn squared_norms(&self) -> [R; N] {
        let mut norms = [R::ZERO; N];
        for i in 0..N {
            norms[i] = self.matrix[i][i];
        }
        norms
    }
    #[inline(always)]
    fn quadratic(&self, p: &[R; N]) -> R {
        let mut sum = R::ZERO;
        for i in 0..N {
            // Elements off the diagonal count twice.
            let mut row = R::ZERO;
            for j in 0..N {
                if j < i {
                    row += self.matrix[i][j] * p[j];
                }
            }
            sum += (R::TWO * row + self.matrix[i][i] * p[i]) * p[i];
        }
        sum
    }

    #[inline(always)]
    fn damped(&self, damping: &[R; N], free: Parameters, given: &[R; N]) -> Damped<R, N> {
        let mut matrix = self.matrix;
        let mut right = [R::ZERO; N];
        for i in 0..N {
            matrix[i][i] += damping[i];
            let mut sum = self.gradient[i];
            for j in 0..N {
                let element = if j < i { self.matrix[i][j] } else { self.matrix[j][i] };
                sum += if free.contains(j) { R::ZERO } else { element * given[j] };
            }
            right[i] = -sum;
        }
        let (factor, singular) = Factor::of(&matrix, free);
        let solved = factor.solve(&right);
        let mut step = *given;
        for i in 0..N {
            step[i] = if free.contains(i) { solved[i] } else { given[i] };
        }
        Damped { factor, step, singular }
    }
}

/// Sums over block `block` of `rows` rows: those from `block * BLOCK` on, in sequence. `row(k)` returns row k's term
/// and partial derivatives.
///
/// ```
/// use warpswarm_core::fit::{Accumulator, BLOCK, Normal, Term, sum_block};
/// // The second block of 258 rows has two rows, each of cost 1.
/// let row = |_| (Term::squared(1.0, 1.0), [0.0]);
/// let second: Normal<f64, 1> = sum_block(BLOCK + 2, 1, &row);
/// assert_eq!(second.chi_squared(), 2.0);
/// ```
#[inline(always)]
pub fn sum_block<R: Float, A: Accumulator<R, N>, const N: usize>(
    rows: usize,
    block: usize,
    row: &impl Fn(usize) -> (Term<R>, [R; N]),
) -> A {
    let start = block.saturating_mul(BLOCK);
    let end = start.saturating_add(BLOCK).min(rows);
    let mut sums = A::empty();
    let mut k = start;
    while k < end {
        let (term, partials) = row(k);
        sums.add_term(term, &partials);
        k += 1;
    }
    sums
}

/// Sums over a group of sums: those from `group * BLOCK` on, up to [`BLOCK`] of them, in sequence, beginning with the
/// first. `part(k)` returns sum k of `count`.
#[inline(always)]
pub fn sum_sums<R: Float, A: Accumulator<R, N>, const N: usize>(
    count: usize,
    group: usize,
    part: &impl Fn(usize) -> A,
) -> A {
    let start = group.saturating_mul(BLOCK);
    let end = start.saturating_add(BLOCK).min(count);
    let mut sums = part(start);
    let mut k = start + 1;
    while k < end {
        sums.combine(&part(k));
        k += 1;
    }
    sums
}

/// Sums over all of `rows` rows, on one thread: in sequence within blocks of [`BLOCK`] rows, the blocks' sums in
/// sequence within groups of [`BLOCK`] blocks, and the groups' sums in sequence. Combining the results of [`sum_block`]
/// by [`sum_sums`], and those again, gives the same bits, whichever threads computed the blocks.
///
/// ```
/// use warpswarm_core::fit::{Accumulator, BLOCK, Normal, Term, sum_block, sum_rows, sum_sums};
/// let row = |k: usize| (Term::squared((k as f32).sin(), 1.0), [1.0, k as f32]);
/// let rows = 70_000;
/// let all: Normal<f32, 2> = sum_rows(rows, &row);
/// let blocks: Vec<Normal<f32, 2>> = (0..rows.div_ceil(BLOCK)).map(|k| sum_block(rows, k, &row)).collect();
/// let groups = [0, 1].map(|group| sum_sums(blocks.len(), group, &|k| blocks[k]));
/// assert_eq!(all, sum_sums(2, 0, &|k| groups[k]));
/// ```
#[inline(always)]
pub fn sum_rows<R: Float, A: Accumulator<R, N>, const N: usize>(
    rows: usize,
    row: &impl Fn(usize) -> (Term<R>, [R; N]),
) -> A {
    let blocks = rows.div_ceil(BLOCK);
    let mut sums = A::empty();
    let mut group = A::empty();
    let mut block = 0;
    loop {
        let part = sum_block(rows, block, row);
        if block.is_multiple_of(BLOCK) {
            group = part;
        } else {
            group.combine(&part);
        }
        block += 1;
        let ended = block >= blocks;
        if ended || block.is_multiple_of(BLOCK) {
            if block <= BLOCK {
                sums = group;
            } else {
                sums.combine(&group);
            }
        }
        if ended {
            return sums;
        }
    }
}

/// The sum of the costs of rows, in the order of [`sum_rows`]: the bits are those of
/// [`chi_squared`](Accumulator::chi_squared) of the sums.
///
/// If the sum exceeds `most` after a piece of [`PIECE`] rows, that sum is returned early: callers only need to know
/// that it is larger. A limit of NaN is no limit.
///
/// ```
/// use warpswarm_core::fit::{Accumulator, Normal, Term, sum_costs, sum_rows};
/// let row = |k: usize| (Term::squared((k as f32).sin(), 1.0), [1.0]);
/// let sums: Normal<f32, 1> = sum_rows(700, &row);
/// assert_eq!(sum_costs(700, f32::NAN, &|k| row(k).0.cost), sums.chi_squared());
/// // After 64 rows.
/// assert_eq!(sum_costs(700, 50.0_f32, &|_| 1.0), 64.0);
/// ```
#[inline(always)]
pub fn sum_costs<R: Float>(rows: usize, most: R, cost: &impl Fn(usize) -> R) -> R {
    let (mut sum, mut group, mut block) = (R::ZERO, R::ZERO, R::ZERO);
    let mut k = 0;
    while k < rows {
        block += cost(k);
        k += 1;
        if k.is_multiple_of(PIECE) && group + block > most {
            return group + block;
        }
        // The first of each starts the next sum, as in `sum_rows`.
        if k.is_multiple_of(BLOCK) || k == rows {
            let is_first = ((k - 1) / BLOCK).is_multiple_of(BLOCK);
            group = if is_first { block } else { group + block };
            block = R::ZERO;
            if k.is_multiple_of(BLOCK * BLOCK) || k == rows {
                sum = if k <= BLOCK * BLOCK { group } else { sum + group };
            }
        }
    }
    sum
}
