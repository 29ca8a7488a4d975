//! The parameters of CMA-ES. The equations are in [`warpswarm_core::cma_es`], the restarts in
//! [`warpswarm_core::restart`].

use warpswarm_core::Float;
use warpswarm_core::cma_es::MIN_INDIVIDUALS;
use warpswarm_core::restart::RestartPolicy;
use warpswarm_cpu_ref::portfolio::Portfolio;

pub use warpswarm_core::restart::Restarts;

use super::parameters::{self, FACTOR, Parameter, Params, choice, number, one_of};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset};
use crate::error::{Error, Result};

/// The largest number of samples: after the doublings of the restarts, the number must still fit its integer type.
const MAX_INDIVIDUALS: u64 = 1 << 24;
const RESTARTS: [(&str, Restarts); 3] =
    [("bipop", Restarts::Bipop), ("ipop", Restarts::Ipop), ("never", Restarts::Never)];
const ACTIVE: [(&str, bool); 2] = [("on", true), ("off", false)];

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "cma-es",
    title: "covariance matrix adaptation with restarts, CMA-ES",
    source: "N. Hansen, The CMA evolution strategy: a tutorial, arXiv 1604.00772, 2016; restarts: A. Auger, N. Hansen, IEEE CEC \
             2005, and N. Hansen, GECCO 2009",
    backends: DEVICES,
    presets: &[
        Preset {
            name: "bipop",
            source: "N. Hansen, Benchmarking a bi-population CMA-ES on the BBOB-2009 function testbed, GECCO 2009",
            make: || Algorithm::CmaEs(CmaEsParams::bipop()),
        },
        Preset {
            name: "ipop",
            source: "A. Auger, N. Hansen, A restart CMA evolution strategy with increasing population size, IEEE CEC 2005",
            make: || {
                Algorithm::CmaEs(CmaEsParams { restarts: Restarts::Ipop, ..CmaEsParams::bipop() })
            },
        },
    ],
};

/// The parameters of CMA-ES that the tutorial leaves to its user.
///
/// The default is [`bipop`](CmaEsParams::bipop). The number of individuals is the number of samples in the first
/// generation, at least 4; the default is 4 + 3 ln(dimensions).
///
/// ```
/// use warpswarm::{Bounds, CmaEsParams, Settings, Stop, minimise, problems::Rosenbrock};
/// let bounds = Bounds::uniform(10, -2.048, 2.048)?;
/// let settings = Settings { stop: Stop::evaluations(10_000), ..Settings::default() };
/// let report = minimise::<f64, _>(&Rosenbrock, &bounds, &CmaEsParams::default().into(), &settings)?;
/// assert!(report.best().value < 1e-9);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CmaEsParams {
    /// How a run restarts when it has converged.
    pub restarts: Restarts,
    /// The initial step size as a fraction of each range; above 0, at most 1.
    pub step: f64,
    /// Whether the worse half of the samples also updates the covariance matrix, with negative weights.
    pub active: bool,
}

impl Default for CmaEsParams {
    fn default() -> Self {
        CmaEsParams::bipop()
    }
}

impl CmaEsParams {
    /// Restarts with twice as many samples, alternating with restarts with few samples.
    ///
    /// ```
    /// use warpswarm::{CmaEsParams, algorithms::Restarts};
    /// assert_eq!(CmaEsParams::bipop().restarts, Restarts::Bipop);
    /// ```
    pub const fn bipop() -> Self {
        CmaEsParams { restarts: Restarts::Bipop, step: STEP, active: true }
    }

    /// The parameters in the number type of the run, checked.
    pub(crate) fn portfolio<R: Float>(&self, individuals: u64) -> Result<Portfolio<R>> {
        parameters::check(self)?;
        let restart_policy = RestartPolicy {
            step: parameters::rounded("step", self.step)?,
            restarts: self.restarts,
            individuals: checked(individuals, "CMA-ES")?,
            active: self.active,
        };
        Ok(Portfolio { restart_policy, shade: None })
    }
}

/// The initial step size as a fraction of each range. On BBOB the results with 0.1, 0.15, 0.2 and 0.3 differ by less
/// than those of two seeds.
pub(super) const STEP: f64 = 0.15;

/// Checks the number of samples in a generation.
pub(super) fn checked(individuals: u64, name: &str) -> Result<u32> {
    if (u64::from(MIN_INDIVIDUALS)..=MAX_INDIVIDUALS).contains(&individuals) {
        return Ok(individuals as u32);
    }
    let allowed = format!("{MIN_INDIVIDUALS} to {MAX_INDIVIDUALS} for {name}");
    Err(Error::Setting { field: "individuals", value: individuals.to_string(), allowed })
}

impl Params for CmaEsParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        choice(
            "restarts",
            "what comes when a search has converged: twice as many samples, by turns with few, or nothing",
            |p| one_of(&RESTARTS, &mut p.restarts),
        ),
        number("step", "first step size, as a part of the range", FACTOR, |p| &mut p.step),
        choice("active", "whether bad samples teach the covariance matrix, too", |p| {
            one_of(&ACTIVE, &mut p.active)
        }),
    ];
}
