//! The parameters of scatter search. The equations are in [`warpswarm_core::scatter_search`].

use warpswarm_core::Float;
use warpswarm_core::boundary::Boundary;
use warpswarm_core::scatter_search::ScatterSearch;

pub use warpswarm_core::scatter_search::Update;

use super::parameters::{
    self, COUNT, COUNT_OR_ZERO, NOT_NEGATIVE, Parameter, Params, boundary, choice, correction,
    number, one_of, whole,
};
use super::solis_wets::{self, Mirror, SolisWetsParams};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset};
use crate::error::{Error, Result};

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "scatter-search",
    title: "scatter search: pairs of good and of scattered points combined, and improved",
    source: "F. Glover, A template for scatter search and path relinking, 1998; as in libCudaOptimize",
    backends: DEVICES,
    presets: &[Preset {
        name: "libcudaoptimize",
        source: "libCudaOptimize: best and diverse set, BLX-alpha, Solis and Wets' search; sizes and alpha, \
                 which it does not give, are usual ones",
        make: || Algorithm::ScatterSearch(ScatterSearchParams::libcudaoptimize()),
    }],
};

/// The parameters of scatter search.
///
/// The default is [`libcudaoptimize`](ScatterSearchParams::libcudaoptimize).
///
/// ```
/// use warpswarm::algorithms::scatter_search::Update;
/// use warpswarm::{Bounds, ScatterSearchParams, Settings, Stop, minimise, problems::Levy};
/// let by_value = ScatterSearchParams { update: Update::Best, ..ScatterSearchParams::default() };
/// // Two sets of ten individuals, and a pool of forty.
/// let settings = Settings { individuals: 60, stop: Stop::iterations(300), ..Settings::default() };
/// let report = minimise::<f64, _>(&Levy, &Bounds::uniform(2, -10.0, 10.0)?, &by_value.into(), &settings)?;
/// assert!(report.best().value < 1e-3);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScatterSearchParams {
    /// The number of individuals in the best set; at least 1.
    pub best_set: u32,
    /// The number of individuals in the diverse set; at least 1. The remaining individuals, at least as many, are the
    /// pool.
    pub diverse_set: u32,
    /// alpha, how far outside its parents a coordinate may be, as a multiple of the parents' difference; finite, at
    /// least 0.
    pub alpha: f64,
    /// Local search steps of each individual of the pool between two updates of the reference set.
    pub improvement: u32,
    /// How the diverse set is renewed.
    pub update: Update,
    /// The local search that improves the pool. A `step` of 0 means half the distance to the nearest point of the
    /// reference set; `mirror` must be [`Failure`](Mirror::Failure).
    pub search: SolisWetsParams,
}

impl Default for ScatterSearchParams {
    fn default() -> Self {
        ScatterSearchParams::libcudaoptimize()
    }
}

impl ScatterSearchParams {
    /// Sets of ten, alpha = 0.5, twenty local search steps.
    ///
    /// ```
    /// use warpswarm::ScatterSearchParams;
    /// let params = ScatterSearchParams::libcudaoptimize();
    /// assert_eq!((params.best_set, params.diverse_set, params.alpha), (10, 10, 0.5));
    /// ```
    pub const fn libcudaoptimize() -> Self {
        ScatterSearchParams {
            best_set: 10,
            diverse_set: 10,
            alpha: 0.5,
            improvement: 20,
            update: Update::Diverse,
            search: SolisWetsParams::solis_wets_1981(),
        }
    }

    /// The parameters in the number type of the run, checked for this number of individuals.
    pub(crate) fn method<R: Float>(&self, individuals: u64) -> Result<ScatterSearch<R>> {
        parameters::check(self)?;
        let [best, diverse] = [self.best_set, self.diverse_set].map(u64::from);
        if individuals < best + 2 * diverse {
            return Err(Error::Setting {
                field: "individuals",
                value: individuals.to_string(),
                allowed: format!(
                    "at least {}: a best set of {best}, a diverse set of {diverse}, and a pool that is not \
                     smaller than that",
                    best + 2 * diverse
                ),
            });
        }
        if self.search.mirror == Mirror::Always {
            let value = parameters::name_of(&Mirror::ALL, &self.search.mirror).into();
            return Err(Error::Parameter {
                name: "mirror",
                value,
                allowed: "failure, for scatter-search".into(),
            });
        }
        Ok(ScatterSearch {
            search: self.search.method()?,
            alpha: parameters::rounded("alpha", self.alpha)?,
            best_set: self.best_set,
            diverse_set: self.diverse_set,
            improvement: self.improvement,
            update: self.update,
        })
    }
}

impl Params for ScatterSearchParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        whole("best_set", "individuals of the best set", COUNT, |p| &mut p.best_set),
        whole(
            "diverse_set",
            "individuals of the diverse set; those in neither are the pool",
            COUNT,
            |p| &mut p.diverse_set,
        ),
        number(
            "alpha",
            "how far outside its parents a coordinate may be, in their distances",
            NOT_NEGATIVE,
            |p| &mut p.alpha,
        ),
        whole(
            "improvement",
            "tries to improve each of the pool between two updates",
            COUNT_OR_ZERO,
            |p| &mut p.improvement,
        ),
        choice("update", "how the diverse set is renewed", |p| one_of(&Update::ALL, &mut p.update)),
        solis_wets::step(|p| &mut p.search.step),
        solis_wets::smallest_step(|p| &mut p.search.smallest_step),
        solis_wets::successes(|p| &mut p.search.successes),
        solis_wets::failures(|p| &mut p.search.failures),
        boundary(|p| one_of(&Boundary::ALL, &mut p.search.boundary)),
        correction(|p| &mut p.search.correction),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_tries_one_direction_at_a_time() {
        let search = SolisWetsParams::libcudaoptimize();
        let both = ScatterSearchParams { search, ..ScatterSearchParams::default() };
        let error = both.method::<f64>(60).unwrap_err().to_string();
        assert!(
            error.contains("mirror") && error.contains("failure, for scatter-search"),
            "{error}"
        );
    }
}
