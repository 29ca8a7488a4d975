//! Fits through the public interface.

mod basics;
mod bounds;
mod losses;
mod models;
mod nist;
mod regressions;
mod rows;
mod searches;
mod statistics;

use approx::assert_relative_eq;

use warpswarm_core::Float;
use warpswarm_core::fit::{
    Accumulator, Bounds, Next, Parameters, Settings, Solver, Status, Term, sum_rows,
};

/// The result of a fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made<R, A, const N: usize> {
    pub(crate) best: [R; N],
    pub(crate) status: Status,
    pub(crate) evaluations: u32,
    pub(crate) chi_squared: R,
    pub(crate) at_bounds: Parameters,
    pub(crate) sums: A,
}

/// A fit with the default settings and without bounds.
pub(crate) fn run<R: Float, A: Accumulator<R, N>, const N: usize>(
    start: [R; N],
    rows: usize,
    row: impl Fn(&[R; N], usize) -> (Term<R>, [R; N]),
) -> Made<R, A, N> {
    run_within(start, &Bounds::unbounded(), &Settings::new(N), rows, row)
}

/// A fit that checks in every evaluation that the bounds are kept.
pub(crate) fn run_within<R: Float, A: Accumulator<R, N>, const N: usize>(
    start: [R; N],
    bounds: &Bounds<R, N>,
    settings: &Settings<R>,
    rows: usize,
    row: impl Fn(&[R; N], usize) -> (Term<R>, [R; N]),
) -> Made<R, A, N> {
    let mut solver = Solver::<R, A, N>::new(start, bounds);
    let mut at = *solver.point();
    let status = loop {
        assert!((0..N).all(|i| at[i].is_nan() || (bounds.lower()[i]..=bounds.upper()[i]).contains(&at[i])));
        let sums = sum_rows(rows, &|k| row(&at, k));
        match solver.advance(settings, bounds, &sums) {
            Next::Evaluate(point) => at = point,
            Next::Done(status) => break status,
        }
    };
    Made {
        best: *solver.best(),
        status,
        evaluations: solver.evaluations(),
        chi_squared: solver.sums().chi_squared(),
        at_bounds: solver.at_bounds(bounds),
        sums: *solver.sums(),
    }
}

/// Whether all numbers are the expected ones, up to a relative error, and none is NaN.
#[track_caller]
pub(crate) fn near(found: &[f64], expected: &[f64], relative: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_relative_eq!(*found, *expected, max_relative = relative);
    }
}

/// a exp(-b t) + c and its partial derivatives.
pub(crate) fn decay<R: Float>([a, b, c]: &[R; 3], t: R) -> (R, [R; 3]) {
    let e = (-*b * t).exp();
    (*a * e + *c, [e, -*a * t * e, R::ONE])
}

/// a + b t and its partial derivatives.
pub(crate) fn line<R: Float>([a, b]: &[R; 2], t: R) -> (R, [R; 2]) {
    (*a + *b * t, [R::ONE, t])
}
