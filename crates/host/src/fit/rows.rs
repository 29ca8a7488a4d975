//! The rows that a fit on the CPU uses at a time.

use warpswarm_core::fit::{PIECE, Subsample, Term};

/// Work space for a block of rows.
pub(super) struct Room<R> {
    /// The predictions for a piece of it, and the derivatives: `[1 + parameters][row]`
    pub(super) numbers: Vec<R>,
    /// The derivatives by parameters that the model does not have.
    pub(super) zeros: Vec<R>,
    /// The terms of a piece of it.
    pub(super) terms: Vec<Term<R>>,
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
