//! How fits are done.

use crate::settings::choices::Backend;

/// How fits are done.
///
/// ```
/// use warpswarm::fit::FitSettings;
/// // From starting values, without a search.
/// let settings = FitSettings { start: vec![1.0, 2.0], ..FitSettings::default() };
/// assert!(!settings.absolute_sigma);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitSettings {
    /// Where fits begin: a value for each parameter, or `[fit][parameter]`. Default: none, and the whole box between the
    /// bounds is searched.
    pub start: Vec<f64>,
    /// Between which values the parameters may be, in place of the bounds, which say where is searched: lower and upper, which
    /// may be infinite. Default: the bounds.
    pub limits: Vec<[f64; 2]>,
    /// Whether standard deviations of the data are their true sizes. Otherwise they say only how observations compare,
    /// and errors are scaled so that reduced chi-squared is 1, as SciPy's `curve_fit` does by default.
    pub absolute_sigma: bool,
    /// Rows of each fit, where some have fewer than the tables: the others are left out. Default: all.
    pub rows: Vec<u32>,
    /// Stop when chi-squared changes by no more than this part of it: from 0 to below 1. Default 1.8e-15, in f32
    /// 1e-6: as many digits as there are.
    pub ftol: Option<f64>,
    /// Stop when the parameters change by no more than this part of them, likewise.
    pub xtol: Option<f64>,
    /// Stop when no component of the gradient is larger, from 0 on. Default 0.
    pub gtol: Option<f64>,
    /// The most evaluations of a model by a fit, from 1 on. Default: 100 for each parameter and one more.
    pub evaluations: Option<u32>,
    /// The most starts of a search, 1 to 65,536. It ends earlier where no further minima are to be expected, after 7 starts where
    /// all end in the same one. Default: 64 for each parameter, up to 512.
    pub starts: Option<u32>,
    /// Points of which a start takes the best, 1 to 65,536. Default 8.
    pub samples: Option<u32>,
    /// The seed of the search's draws. Default 0.
    pub seed: u64,
    /// Where fits are done. Default [`Backend::Auto`].
    pub backend: Backend,
    /// Threads of the CPU, 1 to 65,536. Default: as many as the machine has.
    pub threads: Option<usize>,
}
