//! Fits of a model to data: arguments of their kernels.

use super::{DataArgs, Ptr};
use crate::fit::{Look, Observed, Search, Settings};

/// The numbers of parameters for which there are kernels that fit an expression.
pub const FIT_SIZES: [usize; 7] = [2, 3, 4, 5, 6, 8, 12];

/// The least of [`FIT_SIZES`] that is enough for so many parameters, if one is. Those that a model does not have are fixed, and
/// its derivatives by them 0.
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

/// The arguments of a kernel that fits a model, of which a thread does one fit after the other.
///
/// What is found of all fits lies `[number][fit]`, so that threads side by side write side by side; starts lie as callers have them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FitArgs<R, M> {
    /// The model.
    pub model: M,
    /// What was observed.
    pub observed: Observed,
    /// The data that both read; each fit is a run.
    pub data: DataArgs<R>,
    /// When a fit stops.
    pub settings: Settings<R>,
    /// Where each fit starts, `[fit][parameter]`, or where all do, `[parameter]`; rounded to the precision
    pub starts: Ptr<f64>,
    /// The lower bound of each parameter, `[parameter]`, of all fits; absent where there are no bounds
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
    /// One counter, zero before the launch: fits that threads have taken beyond the first one each.
    pub taken: Ptr<u32>,
    /// Fits.
    pub fits: u32,
    /// 1 where weights are the inverses of known variances; otherwise covariances are scaled by the reduced chi-squared.
    pub absolute: u32,
    /// The parameters that are fixed, as bits.
    pub fixed: u32,
    /// From a fit's start to the next one's: as many numbers as there are parameters, or 0 where all have the same.
    pub apart: u32,
}

/// The arguments of a kernel that searches for the starts of fits: a thread does one fit after the other.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SearchArgs<R, M, const N: usize> {
    /// The model.
    pub model: M,
    /// What was observed.
    pub observed: Observed,
    /// The data that both read; each fit is a run.
    pub data: DataArgs<R>,
    /// When a fit stops; a start's stops earlier.
    pub settings: Settings<R>,
    /// What is drawn, and how much.
    pub search: Search<R, N>,
    /// The lower bound of each parameter, `[parameter]`, of all fits; absent where there are no bounds
    pub lower: Ptr<R>,
    /// The upper bounds, as the lower ones.
    pub upper: Ptr<R>,
    /// Where each fit is to start, `[fit][parameter]`
    pub starts: Ptr<f64>,
    /// The cost of the best other minimum that was seen, NaN where there was none, `[fit]`
    pub other: Ptr<R>,
    /// One counter, zero before the launch, as that of [`FitArgs`].
    pub taken: Ptr<u32>,
    /// The number of the launch's first fit, on which draws depend.
    pub first_fit: u64,
    /// Fits.
    pub fits: u32,
    /// The parameters that are fixed, as bits.
    pub fixed: u32,
    /// The rows that are looked at.
    pub look: Look,
}

/// The arguments of a kernel that adds up the rows of one fit at one point: a thread adds up one block of
/// [`BLOCK`](crate::fit::BLOCK) rows after the other.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SumsArgs<R, M> {
    /// The model.
    pub model: M,
    /// What was observed.
    pub observed: Observed,
    /// The data that both read, of one run.
    pub data: DataArgs<R>,
    /// The point, `[parameter]`
    pub at: Ptr<R>,
    /// The sums over each block of rows, `[block]`: the numbers of one [`Accumulator`](crate::fit::Accumulator) after those of
    /// another
    pub sums: Ptr<R>,
}

/// The arguments of a kernel that adds up sums: a thread adds up one group of [`BLOCK`](crate::fit::BLOCK) of them after the
/// other.
///
/// Groups' sums are added in sequence, however many they are: whoever wants the bits of [`sum_rows`](crate::fit::sum_rows)
/// launches it once.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CombineArgs<R> {
    /// The sums, `[block]`: the numbers of one accumulator after those of another
    pub from: Ptr<R>,
    /// The sums of each group, likewise, `[group]`
    pub into: Ptr<R>,
    /// How many there are to be added.
    pub count: u32,
    /// Nothing.
    pub padding: u32,
}

/// How a fit ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Its [`Status`](crate::fit::Status), as a number.
    pub status: u32,
    /// Evaluations of all rows.
    pub evaluations: u32,
    /// The parameters at a bound that they would leave, as bits.
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

/// The most threads of a block.
pub const FIT_BLOCK: u32 = 128;

/// Numbers of the lower triangle of a matrix with so many rows.
pub const fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}
