//! Operations on the rows of a fit, compiled for the processor's vectors.

use warpswarm_core::Float;
use warpswarm_core::fit::{Accumulator, Bounds, Next, Scatter, Settings, Solver, Status, Term};

use crate::vectors::{self, Run};

/// Consecutive rows of a fit.
pub struct Rows<'a, R> {
    /// How terms arise from observations and predictions.
    pub scatter: Scatter,
    /// The observations.
    pub seen: &'a [R],
    /// Their standard deviations.
    pub sigma: Option<&'a [R]>,
    /// The predictions.
    pub means: &'a [R],
}

impl<R: Float> Rows<'_, R> {
    /// The term of a row.
    #[inline(always)]
    fn term(&self, k: usize) -> Term<R> {
        self.scatter.term(self.means[k], self.seen[k], weight(self.sigma, k))
    }
}

/// The weight of a row, 1 / sigma^2.
#[inline(always)]
pub fn weight<R: Float>(sigma: Option<&[R]>, k: usize) -> R {
    sigma.map_or(R::ONE, |sigma| R::ONE / (sigma[k] * sigma[k]))
}

/// Computes the terms of rows.
pub fn terms<R: Float>(rows: Rows<'_, R>, terms: &mut [Term<R>]) {
    vectors::run(Terms(rows, terms));
}

struct Terms<'a, R>(Rows<'a, R>, &'a mut [Term<R>]);

impl<R: Float> Run for Terms<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Terms(mut rows, terms) = self;
        // With equal lengths the compiler can remove bounds checks from the loop.
        rows.means = &rows.means[..terms.len()];
        rows.seen = &rows.seen[..terms.len()];
        rows.sigma = rows.sigma.map(|sigma| &sigma[..terms.len()]);
        for (k, term) in terms.iter_mut().enumerate() {
            *term = rows.term(k);
        }
    }
}

/// Adds rows, whose terms have been computed, to sums. There are `N` slices of derivatives, one for each parameter,
/// with an element for each term.
///
/// Terms are not computed in the same loop: with the code for all kinds of terms in it, sums would not stay in
/// registers.
pub fn add<R: Float, A: Accumulator<R, N>, const N: usize>(
    sums: A,
    terms: &[Term<R>],
    partials: [&[R]; N],
) -> A {
    vectors::run(Add { sums, terms, partials })
}

struct Add<'a, R, A, const N: usize> {
    sums: A,
    terms: &'a [Term<R>],
    partials: [&'a [R]; N],
}

impl<R: Float, A: Accumulator<R, N>, const N: usize> Run for Add<'_, R, A, N> {
    type Output = A;

    #[inline(always)]
    fn call(self) -> A {
        let Add { mut sums, terms, mut partials } = self;
        // With equal lengths the compiler can remove bounds checks here too.
        for i in 0..N {
            partials[i] = &partials[i][..terms.len()];
        }
        for k in 0..terms.len() {
            let mut row = [R::ZERO; N];
            for i in 0..N {
                row[i] = partials[i][k];
            }
            sums.add_term(terms[k], &row);
        }
        sums
    }
}

/// Adds the costs of rows to a sum.
pub fn cost<R: Float>(sum: R, rows: Rows<'_, R>) -> R {
    vectors::run(Cost(sum, rows))
}

struct Cost<'a, R>(R, Rows<'a, R>);

impl<R: Float> Run for Cost<'_, R> {
    type Output = R;

    #[inline(always)]
    fn call(self) -> R {
        let Cost(mut sum, rows) = self;
        for k in 0..rows.means.len() {
            sum += rows.term(k).cost;
        }
        sum
    }
}

/// Lets a solver take sums; returns how the fit has ended, if it has.
// The code is long for many parameters.
#[inline(never)]
pub fn advance<R: Float, A: Accumulator<R, N>, const N: usize>(
    solver: &mut Solver<R, A, N>,
    settings: &Settings<R>,
    bounds: &Bounds<R, N>,
    sums: &A,
) -> Option<Status> {
    vectors::run(Advance { solver, settings, bounds, sums })
}

struct Advance<'a, R, A, const N: usize> {
    solver: &'a mut Solver<R, A, N>,
    settings: &'a Settings<R>,
    bounds: &'a Bounds<R, N>,
    sums: &'a A,
}

impl<R: Float, A: Accumulator<R, N>, const N: usize> Run for Advance<'_, R, A, N> {
    type Output = Option<Status>;

    #[inline(always)]
    fn call(self) -> Option<Status> {
        match self.solver.advance(self.settings, self.bounds, self.sums) {
            Next::Done(status) => Some(status),
            Next::Evaluate(_) => None,
        }
    }
}
