//! The settings of fits.

use crate::settings::choices::Backend;

/// The settings of fits.
///
/// ```
/// use warpswarm::fit::FitSettings;
/// // From starting values, without a search.
/// let settings = FitSettings { start: vec![1.0, 2.0], ..FitSettings::default() };
/// assert!(!settings.absolute_sigma);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitSettings {
    /// Starting values: one for each parameter, or `[fit][parameter]`. Default: none, and starting values are searched
    /// for within the bounds.
    pub start: Vec<f64>,
    /// The limits of the parameters, lower and upper, which may be infinite. They replace the bounds, which then define
    /// only where starting values are searched for. Default: the bounds.
    pub limits: Vec<[f64; 2]>,
    /// Whether standard deviations of the data have their true size. Otherwise only their ratios count, and standard
    /// errors are scaled so that reduced chi-squared is 1, as SciPy's `curve_fit` does by default.
    pub absolute_sigma: bool,
    /// The number of rows of each fit, if some have fewer than the tables; further rows are ignored. Default: all.
    pub rows: Vec<u32>,
    /// Stop when the relative change of chi-squared is at most this: from 0 to below 1. Default 1.8e-15, in f32 1e-6:
    /// the precision of the numbers.
    pub ftol: Option<f64>,
    /// Stop when the relative change of the parameters is at most this; range and default as for `ftol`.
    pub xtol: Option<f64>,
    /// Stop when no component of the gradient exceeds this, from 0 on. Default 0.
    pub gtol: Option<f64>,
    /// The largest number of evaluations of the model in a fit, from 1 on. Default: 100 (N + 1) for N parameters.
    pub evaluations: Option<u32>,
    /// The largest number of starts of a search, 1 to 65,536. The search ends earlier if no further minima are
    /// expected: after 7 starts if all end in the same minimum. Default: 64 for each parameter, up to 512.
    pub starts: Option<u32>,
    /// The number of random points of which a start uses the best, 1 to 65,536. Default 8.
    pub samples: Option<u32>,
    /// The seed of the search's random draws. Default 0.
    pub seed: u64,
    /// The backend of the fits. Default [`Backend::Auto`].
    pub backend: Backend,
    /// Threads of the CPU, 1 to 65,536. Default: as many as the machine has.
    pub threads: Option<usize>,
}
