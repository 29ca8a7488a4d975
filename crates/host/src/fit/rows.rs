//! Operations on the rows of a fit on the CPU, compiled for the processor's vectors.

use warpswarm_core::fit::{
    Accumulator, Bounds, Next, PIECE, Scatter, Settings, Solver, Status, Subsample, Term,
};
use warpswarm_cpu_ref::vectors::Run;

use crate::settings::precise::Precise;

/// Work space for a block of rows.
pub(super) struct Room<R> {
    /// The predictions for a piece of it, and the derivatives: `[1 + parameters][row]`
    pub(super) numbers: Vec<R>,
    /// The derivatives by parameters that the model does not have.
    pub(super) zeros: Vec<R>,
    /// The terms of a piece of it.
    pub(super) terms: Vec<Term<R>>,
}

/// Consecutive rows of a fit.
pub(super) struct Rows<'a, R> {
    pub(super) scatter: Scatter,
    /// The observations and their standard deviations.
    pub(super) seen: &'a [R],
    pub(super) sigma: Option<&'a [R]>,
    /// The predictions.
    pub(super) means: &'a [R],
}

impl<R: Precise> Rows<'_, R> {
    /// The term of a row.
    #[inline(always)]
    fn term(&self, k: usize) -> Term<R> {
        self.scatter.term(self.means[k], self.seen[k], weight(self.sigma, k))
    }
}

/// The weight of a row, 1 / sigma^2.
#[inline(always)]
pub(super) fn weight<R: Precise>(sigma: Option<&[R]>, k: usize) -> R {
    sigma.map_or(R::ONE, |sigma| R::ONE / (sigma[k] * sigma[k]))
}

/// Computes the terms of rows.
pub(super) struct Terms<'a, R>(pub(super) Rows<'a, R>, pub(super) &'a mut [Term<R>]);

impl<R: Precise> Run for Terms<'_, R> {
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

/// Adds rows, whose terms have been computed, to sums.
///
/// Terms are not computed in the same loop: with the code for all kinds of terms in it, sums would not stay in
/// registers.
pub(super) struct Add<'a, R, A, const N: usize> {
    pub(super) sums: A,
    pub(super) terms: &'a [Term<R>],
    /// Derivatives by each parameter, for the same number of rows.
    pub(super) partials: [&'a [R]; N],
}

impl<R: Precise, A: Accumulator<R, N>, const N: usize> Run for Add<'_, R, A, N> {
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

/// Adds the costs of rows.
pub(super) struct Cost<'a, R>(pub(super) R, pub(super) Rows<'a, R>);

impl<R: Precise> Run for Cost<'_, R> {
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

/// Lets a solver take sums.
pub(super) struct Advance<'a, R, A, const N: usize> {
    pub(super) solver: &'a mut Solver<R, A, N>,
    pub(super) settings: &'a Settings<R>,
    pub(super) bounds: &'a Bounds<R, N>,
    pub(super) sums: &'a A,
}

impl<R: Precise, A: Accumulator<R, N>, const N: usize> Run for Advance<'_, R, A, N> {
    type Output = Option<Status>;

    #[inline(always)]
    fn call(self) -> Option<Status> {
        match self.solver.advance(self.settings, self.bounds, self.sums) {
            Next::Done(status) => Some(status),
            Next::Evaluate(_) => None,
        }
    }
}

/// Pieces of consecutive rows, of the `count` rows that are used from number `first` on: the first row of each piece,
/// and its length.
pub(super) fn pieces(
    subsample: &Subsample,
    first: usize,
    count: usize,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (subsample, len) = (*subsample, if subsample.stride == 1 { count } else { PIECE });
    (0..count).step_by(len).map(move |at| (subsample.row(first + at), len.min(count - at)))
}
