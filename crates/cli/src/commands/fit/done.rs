//! The results of fits.

use warpswarm::fit::Fits;
use warpswarm::problem_file::ProblemFile;

use crate::args::FitArgs;

/// The input and the results of fits.
pub(super) struct Done<'a, R> {
    pub(super) args: &'a FitArgs,
    pub(super) problem: &'a ProblemFile,
    /// The names of the fits; empty for a single fit.
    pub(super) names: &'a [String],
    /// The number of rows of each fit.
    pub(super) rows: &'a [u32],
    /// The number of rows that were left out.
    pub(super) left_out: usize,
    pub(super) fits: Fits<R>,
}

impl<R> Done<'_, R> {
    /// The name of a fit.
    pub(super) fn name(&self, fit: usize) -> &str {
        self.names.get(fit).map_or("", String::as_str)
    }
}
