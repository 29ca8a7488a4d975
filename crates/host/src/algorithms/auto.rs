//! The default: CMA-ES with restarts and SHADE, which take turns.

use warpswarm_core::Float;
use warpswarm_core::restart::{RestartPolicy, Restarts};
use warpswarm_cpu_ref::portfolio::Portfolio;

use super::cma_es::{self, STEP};
use super::parameters::{self, Parameter, Params};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset, ShadeParams};
use crate::error::Result;
use crate::settings::Settings;
use crate::settings::choices::Schedule;

/// Individuals of SHADE, or as many as CMA-ES has if those are more; its first mean of scale factors and crossover rates; and its
/// tournament.
///
/// Measured (2026-11-26): BBOB, 15 instances, 10,000 D evaluations, problems solved to 1e-8 of 360 in 5, 10 and 20 dimensions; and within 1e-6
/// of the best known value after 20,000 evaluations, runs of 180 on the mixed pressure vessel and on the spring. (On the other
/// engineering problems all are.)
///
/// | individuals, mean, tournament | BBOB | vessel, spring |
/// |---|---|---|
/// | 64, 0.5, 13, SHADE's own | 308, 279, 246 | 167, 173 |
/// | 64, 0.5, 7 | 306, 277, 245 | 171, 171 |
/// | 64, 0.8, 13 | 311, 279, 241 | 173, 180 |
/// | 64, 0.8, 7 | 310, 279, 242 | 178, 180 |
/// | 80, 0.8, 13 | 295, 276, 241 | 180, 180 |
///
/// With a tournament of 4, on the next day, runs of 600 on vessel and spring: 598 and 600, where 7 has 592 and 99 %; on BBOB 306, 279 and
/// 244; but 15 of 20 runs on `hs71int.toml`, which has an equation, where 7 has 17.
const SHADE_INDIVIDUALS: u32 = 64;
const SHADE_INITIAL: f64 = 0.8;
const SHADE_TOURNAMENT: u32 = 7;

/// In more dimensions CMA-ES takes longer than most functions: what a sample costs grows with their square.
const MAX_DIMENSIONS: usize = 200;

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "auto",
    title: "the default: CMA-ES with restarts and SHADE, which take turns",
    source: "N. Hansen, arXiv 1604.00772, 2016; A. Auger, N. Hansen, IEEE CEC 2005; R. Tanabe, A. Fukunaga, IEEE CEC 2013 and 2014; the \
             turns are measured",
    backends: DEVICES,
    presets: &[Preset {
        name: "measured-2026",
        source: "docs/how-to/choose-a-method.md",
        make: || Algorithm::Auto(AutoParams {}),
    }],
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
    pub(crate) fn portfolio<R: Float>(&self, individuals: u64) -> Result<Portfolio<R>> {
        parameters::check(self)?;
        let samples = cma_es::checked(individuals, "auto")?;
        let individuals = samples.max(SHADE_INDIVIDUALS);
        let shade = ShadeParams {
            initial: SHADE_INITIAL,
            tournament: SHADE_TOURNAMENT,
            ..ShadeParams::default()
        };
        Ok(Portfolio {
            restart_policy: RestartPolicy {
                step: R::from_f64(STEP),
                restarts: Restarts::Ipop,
                individuals: samples,
                active: true,
            },
            shade: Some((shade.method(u64::from(individuals))?, individuals)),
        })
    }

    /// Whether `shade` runs in so many dimensions, whatever the settings are.
    pub(super) fn is_shade(dimensions: usize) -> bool {
        dimensions > MAX_DIMENSIONS
    }

    /// What runs where these settings want what CMA-ES cannot do.
    pub(super) fn chosen(settings: &Settings, dimensions: usize) -> Algorithm {
        if settings.split {
            return super::PsoParams::default().into();
        }
        let stays = matches!(settings.schedule, Schedule::Auto | Schedule::Resident);
        if !stays || settings.migrates || AutoParams::is_shade(dimensions) {
            return ShadeParams::default().into();
        }
        AutoParams {}.into()
    }
}

impl Params for AutoParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[];
}
