//! The parameters of differential evolution. The equations are in [`warpswarm_core::de`].

use warpswarm_core::Float;
use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::de::{De, MIN_INDIVIDUALS};

pub use warpswarm_core::de::{Base, Crossover};

use super::parameters::{
    self, PART, POSITIVE, Parameter, Params, boundary, choice, correction, number, one_of,
};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset};
use crate::error::{Error, Result};

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "de",
    title: "differential evolution, synchronous: rand/1, best/1, target-to-best/1",
    source: "R. Storn, K. Price, Differential evolution, Journal of Global Optimization 11, 1997; \
             variants of libCudaOptimize",
    backends: DEVICES,
    presets: &[
        Preset {
            name: "storn-price-1997",
            source: "R. Storn, K. Price, Journal of Global Optimization 11, 1997: the usual F = 0.5, \
                     CR = 0.9",
            make: || Algorithm::De(DeParams::storn_price_1997()),
        },
        Preset {
            name: "best",
            source: "DE/best/1/bin with F = 0.5, CR = 0.9: quick, on problems of one basin",
            make: || {
                let base = Base::Best;
                Algorithm::De(DeParams { base, ..DeParams::storn_price_1997() })
            },
        },
    ],
};

/// The parameters of differential evolution.
///
/// The default is [`storn_price_1997`](DeParams::storn_price_1997).
///
/// ```
/// use warpswarm::algorithms::de::{Base, Crossover};
/// use warpswarm::{Bounds, DeParams, Settings, Stop, minimise, problems::Rastrigin};
/// let best = DeParams { base: Base::Best, crossover: Crossover::Exponential, ..DeParams::default() };
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let settings = Settings { individuals: 32, stop: Stop::iterations(200), ..Settings::default() };
/// let report = minimise::<f64, _>(&Rastrigin, &bounds, &best.into(), &settings)?;
/// assert!(report.best().value < 1e-6);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeParams {
    /// F, the scale factor of differences; finite, above 0.
    pub scale_factor: f64,
    /// CR, the fraction of the coordinates that are taken from the mutant, 0 to 1.
    pub crossover_rate: f64,
    /// The point to which the scaled difference is added.
    pub base: Base,
    /// Which coordinates are taken from the mutant.
    pub crossover: Crossover,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Boundary,
    /// COR, the reach of [`Boundary::Reverse`] as a fraction of the range, 0 to 1.
    pub correction: f64,
}

impl Default for DeParams {
    fn default() -> Self {
        DeParams::storn_price_1997()
    }
}

impl DeParams {
    /// DE/rand/1/bin with F = 0.5 and CR = 0.9.
    ///
    /// ```
    /// use warpswarm::DeParams;
    /// let params = DeParams::storn_price_1997();
    /// assert_eq!((params.scale_factor, params.crossover_rate), (0.5, 0.9));
    /// ```
    pub const fn storn_price_1997() -> Self {
        DeParams {
            scale_factor: 0.5,
            crossover_rate: 0.9,
            base: Base::Rand,
            crossover: Crossover::Binomial,
            boundary: Boundary::Reflect,
            correction: 0.22,
        }
    }

    /// The parameters in the number type of the run, checked.
    pub(crate) fn method<R: Float>(&self, individuals: u64) -> Result<De<R>> {
        parameters::check(self)?;
        if individuals < u64::from(MIN_INDIVIDUALS) {
            return Err(Error::Setting {
                field: "individuals",
                value: individuals.to_string(),
                allowed: format!("at least {MIN_INDIVIDUALS} for differential evolution"),
            });
        }
        Ok(De {
            scale_factor: parameters::rounded("scale_factor", self.scale_factor)?,
            crossover_rate: R::from_f64(self.crossover_rate),
            limits: Limits { correction: R::from_f64(self.correction), boundary: self.boundary },
            base: self.base,
            crossover: self.crossover,
        })
    }
}

impl Params for DeParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        number("scale_factor", "weight of differences, F", POSITIVE, |p| &mut p.scale_factor),
        number("crossover_rate", "part of the coordinates that is taken over, CR", PART, |p| {
            &mut p.crossover_rate
        }),
        choice("base", "the point to which differences are added", |p| {
            one_of(&Base::ALL, &mut p.base)
        }),
        choice("crossover", "which coordinates are taken over", |p| {
            one_of(&Crossover::ALL, &mut p.crossover)
        }),
        boundary(|p| one_of(&Boundary::ALL, &mut p.boundary)),
        correction(|p| &mut p.correction),
    ];
}
