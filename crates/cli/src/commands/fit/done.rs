//! Fits that have been done.

use warpswarm::fit::Fits;
use warpswarm::problem_file::ProblemFile;

use crate::args::FitArgs;

/// What was asked for and done.
pub(super) struct Done<'a, R> {
    pub(super) args: &'a FitArgs,
    pub(super) problem: &'a ProblemFile,
    /// What each fit is called; of one fit nothing.
    pub(super) names: &'a [String],
    /// Rows of each fit.
    pub(super) rows: &'a [u32],
    pub(super) fits: Fits<R>,
}

impl<R> Done<'_, R> {
    /// What a fit is called.
    pub(super) fn name(&self, fit: usize) -> &str {
        self.names.get(fit).map_or("", String::as_str)
    }
}
