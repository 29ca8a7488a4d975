//! Fits of a model to data: arguments of their kernels.

use super::{DataArgs, Ptr};
use crate::fit::{Observed, Settings};

/// The arguments of a kernel that fits a model of `N` parameters, of which a thread does one fit after the other.
///
/// What is of all fits lies `[number][fit]`, so that threads side by side write side by side.
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
    /// Where each fit starts, `[parameter][fit]`
    pub starts: Ptr<R>,
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

/// The most threads of a block.
pub const FIT_BLOCK: u32 = 128;

/// Numbers of the lower triangle of a matrix with so many rows.
pub const fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}
