//! The default: CMA-ES with restarts and SHADE, which take turns.

use warpswarm_core::Real;
use warpswarm_core::legs::{Restarts, Succession};
use warpswarm_cpu_ref::portfolio::Portfolio;

use super::cma_es::{self, STEP};
use super::parameters::{self, Access, Params};
use super::{Algorithm, AlgorithmInfo, DEVICES, ParameterInfo, Preset, ShadeParams};
use crate::choices::Schedule;
use crate::error::Result;
use crate::settings::Settings;

/// Individuals of SHADE, or as many as CMA-ES has if those are more.
///
/// Measured on BBOB, 15 instances, 10,000 D evaluations, solved to 1e-8 of 360 in 5, 10 and 20 dimensions (2026-11-26): with 32
/// individuals 303, 259 and 236; with 48 305, 263 and 236; with 64 301, 268 and 234; with 96 266, 250 and 222.
const SHADE_INDIVIDUALS: u32 = 64;

/// In more dimensions CMA-ES takes longer than most functions: what a sample costs grows with their square.
const MAX_DIMENSIONS: usize = 200;

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "auto",
    title: "the default: CMA-ES with restarts and SHADE, which take turns",
    source: "N. Hansen, arXiv 1604.00772, 2016; A. Auger, N. Hansen, IEEE CEC 2005; R. Tanabe, A. Fukunaga, IEEE CEC 2013 and 2014; the \
             turns are measured",
    backends: DEVICES,
    parameters: AutoParams::ROWS,
    presets: &[Preset {
        name: "measured-2026",
        source: "docs/which-algorithm.md",
        make: || Algorithm::Auto(AutoParams {}),
    }],
    make: || Algorithm::Auto(AutoParams {}),
};

/// The default, which has no parameters: whoever wants to set some takes [`CmaEsParams`](super::CmaEsParams) or [`ShadeParams`].
///
/// A run begins with CMA-ES. When that has converged it begins anew with twice as many samples, and takes turns with SHADE.
/// Individuals are the samples of CMA-ES's first generation, at least 4; where nobody says, 4 + 3 ln(dimensions).
///
/// ```
/// use warpswarm::{AutoParams, Bounds, Settings, Stop, minimise, problems::Rastrigin};
/// let bounds = Bounds::uniform(5, -4.0, 5.0)?;
/// let settings = Settings { stop: Stop::evaluations(50_000), ..Settings::default() };
/// let report = minimise::<f64, _>(&Rastrigin, &bounds, &AutoParams::default().into(), &settings)?;
/// assert!(report.best().value < 1e-9);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AutoParams {}

impl AutoParams {
    pub(crate) fn portfolio<R: Real>(&self, individuals: u64) -> Result<Portfolio<R>> {
        parameters::check(self)?;
        let samples = cma_es::checked(individuals, "auto")?;
        let individuals = samples.max(SHADE_INDIVIDUALS);
        let shade = ShadeParams::default().method(u64::from(individuals))?;
        Ok(Portfolio {
            succession: Succession {
                step: R::from_f64(STEP),
                restarts: Restarts::Ipop,
                individuals: samples,
                active: true,
            },
            shade: Some((shade, individuals)),
        })
    }

    /// What runs where these settings want what CMA-ES cannot do.
    pub(super) fn chosen(settings: &Settings, dimensions: usize) -> Algorithm {
        if settings.split {
            return super::PsoParams::default().into();
        }
        let stays = matches!(settings.schedule, Schedule::Auto | Schedule::Resident);
        if !stays || settings.migrates || dimensions > MAX_DIMENSIONS {
            return ShadeParams::default().into();
        }
        AutoParams {}.into()
    }
}

impl Params for AutoParams {
    const ROWS: &'static [ParameterInfo] = &[];
    const ACCESS: &'static [Access<Self>] = &[];
}
