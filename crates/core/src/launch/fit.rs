//! Fits of a model to data: arguments of their kernels.

use super::{DataArgs, Ptr};
use crate::fit::{Observed, Search, Settings, Subsample};

/// The numbers of parameters for which there are kernels that fit an expression.
pub const FIT_SIZES: [usize; 7] = [2, 3, 4, 5, 6, 8, 12];

/// The smallest of [`FIT_SIZES`] for this many parameters, if there is one. Parameters that the model does not have are
/// fixed, with derivatives of 0.
///
/// ```
/// use warpswarm_core::launch::fit_size;
/// assert_eq!([1, 5, 7, 13].map(fit_size), [Some(2), Some(5), Some(8), None]);
/// ```
pub const fn fit_size(parameters: usize) -> Option<usize> {
    let mut at = 0;
    while at < FIT_SIZES.len() {
        if FIT_SIZES[at] >= parameters {
            return Some(FIT_SIZES[at]);
        }
        at += 1;
    }
    None
}

/// The arguments of a kernel that fits a model; each thread does one fit after the other.
///
/// Results are `[number][fit]`, so that neighbouring threads write neighbouring numbers; starts are in the callers'
/// order.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FitArgs<R, M> {
    /// The model.
    pub model: M,
    /// The observations.
    pub observed: Observed,
    /// The data of model and observations; each fit is a run.
    pub data: DataArgs<R>,
    /// When a fit stops.
    pub settings: Settings<R>,
    /// The start of each fit, `[fit][parameter]`, or of all fits, `[parameter]`; rounded to the precision
    pub starts: Ptr<f64>,
    /// The lower bound of each parameter, `[parameter]`, for all fits; absent if there are no bounds
    pub lower: Ptr<R>,
    /// The upper bounds, as the lower ones.
    pub upper: Ptr<R>,
    /// The parameters found, `[parameter][fit]`
    pub found: Ptr<R>,
    /// The lower triangle of their covariance, `[row][column up to it][fit]`
    pub covariance: Ptr<R>,
    /// `[fit]`
    pub chi_squared: Ptr<R>,
    /// How each fit ended, `[fit]`
    pub outcomes: Ptr<Outcome>,
    /// One counter, zero before the launch: the number of fits taken by threads after their first one.
    pub taken: Ptr<u32>,
    /// The number of fits.
    pub fits: u32,
    /// 1 if weights are the inverses of known variances; otherwise covariances are scaled by the reduced chi-squared.
    pub absolute: u32,
    /// The fixed parameters, as bits.
    pub fixed: u32,
    /// The distance between the starts of two fits: the number of parameters, or 0 if all fits share a start.
    pub apart: u32,
}

/// The arguments of a kernel that searches for the starts of fits; each thread does one fit after the other.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SearchArgs<R, M, const N: usize> {
    /// The model.
    pub model: M,
    /// The observations.
    pub observed: Observed,
    /// The data of model and observations; each fit is a run.
    pub data: DataArgs<R>,
    /// When a fit stops; trial fits of the search stop earlier.
    pub settings: Settings<R>,
    /// The distribution and the number of random points.
    pub search: Search<R, N>,
    /// The lower bound of each parameter, `[parameter]`, for all fits; absent if there are no bounds
    pub lower: Ptr<R>,
    /// The upper bounds, as the lower ones.
    pub upper: Ptr<R>,
    /// The start found for each fit, `[fit][parameter]`
    pub starts: Ptr<f64>,
    /// The cost of the best other minimum, NaN if there was none, `[fit]`
    pub other: Ptr<R>,
    /// One counter, zero before the launch, as in [`FitArgs`].
    pub taken: Ptr<u32>,
    /// The number of the launch's first fit, on which random draws depend.
    pub first_fit: u64,
    /// The number of fits.
    pub fits: u32,
    /// The fixed parameters, as bits.
    pub fixed: u32,
    /// The rows that the search evaluates.
    pub subsample: Subsample,
}

/// The arguments of a kernel that sums the rows of one fit at one point; each thread sums one block of
/// [`BLOCK`](crate::fit::BLOCK) rows after the other.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SumsArgs<R, M> {
    /// The model.
    pub model: M,
    /// The observations.
    pub observed: Observed,
    /// The data of model and observations, of one run.
    pub data: DataArgs<R>,
    /// The point, `[parameter]`
    pub at: Ptr<R>,
    /// The sums over each block of rows, `[block]`: one [`Accumulator`](crate::fit::Accumulator) after the other, as
    /// plain numbers
    pub sums: Ptr<R>,
}

/// The arguments of a kernel that adds sums; each thread adds one group of [`BLOCK`](crate::fit::BLOCK) of them after
/// the other.
///
/// It adds the groups' sums in sequence, whatever their number. To get the bits of [`sum_rows`](crate::fit::sum_rows),
/// launch it once.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CombineArgs<R> {
    /// The sums, `[block]`: one accumulator after the other, as plain numbers
    pub from: Ptr<R>,
    /// The sums of each group, likewise, `[group]`
    pub into: Ptr<R>,
    /// The number of sums to add.
    pub count: u32,
    /// Unused; makes the padding explicit.
    pub padding: u32,
}

/// How a fit ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The [`Status`](crate::fit::Status), as a number.
    pub status: u32,
    /// Evaluations of all rows.
    pub evaluations: u32,
    /// The parameters at a bound where the cost falls beyond it, as bits.
    pub at_bounds: u32,
    /// The parameters that the data do not determine, as bits.
    pub undetermined: u32,
}

impl From<[u32; 4]> for Outcome {
    fn from([status, evaluations, at_bounds, undetermined]: [u32; 4]) -> Self {
        Outcome { status, evaluations, at_bounds, undetermined }
    }
}

impl From<Outcome> for [u32; 4] {
    fn from(of: Outcome) -> Self {
        [of.status, of.evaluations, of.at_bounds, of.undetermined]
    }
}

/// The largest number of threads in a block.
pub const FIT_BLOCK: u32 = 128;

/// The number of elements in the lower triangle of a matrix with `rows` rows.
pub const fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}
