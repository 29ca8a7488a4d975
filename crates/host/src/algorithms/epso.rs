//! The parameters of evolutionary particle swarm optimisation. The equations are in
//! [`warpswarm_core::epso`].

use warpswarm_core::Float;
use warpswarm_core::boundary::Boundary;
use warpswarm_core::epso::Epso;
use warpswarm_core::method::MAX_ATTEMPTS;
use warpswarm_core::pso::Coefficients;

use super::parameters::{
    self, Access, COUNT, FINITE, ITERATIONS, LIMIT, NOT_NEGATIVE, PULL, Params, named,
};
use super::{Algorithm, AlgorithmInfo, DEVICES, ParameterInfo, Preset};
use crate::error::{Error, Result};
use crate::settings::{DEFAULT_ITERATIONS, Settings};

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "epso",
    title: "evolutionary particle swarm optimisation: particles compete with mutated replicas",
    source: "V. Miranda, N. Fonseca, EPSO: evolutionary particle swarm optimization, IEEE/PES T&D \
             2002, as in CMEPSO-GPU",
    backends: DEVICES,
    parameters: EpsoParams::ROWS,
    presets: &[
        Preset {
            name: "converging",
            source: "the values of CMEPSO's paper but for the pulls, which are 1: with 2.05 and no random \
                     factors replicas overshoot, and ten-dimensional spheres are not solved",
            make: || Algorithm::Epso(EpsoParams::default()),
        },
        Preset {
            name: "cmepso-paper",
            source: "CMEPSO-GPU, section 6; its limits of the inertia, which it does not give, are ours; the inertia falls over 1,000 iterations",
            make: || Algorithm::Epso(EpsoParams::cmepso_paper(1000)),
        },
    ],
    make: || Algorithm::Epso(EpsoParams::default()),
};

/// The parameters of evolutionary particle swarm optimisation.
///
/// The default is [`converging`](EpsoParams::converging) over the iterations of the run.
///
/// ```
/// use warpswarm::{Bounds, EpsoParams, Settings, Stop, minimise, problems::Griewank};
/// let params = EpsoParams { replicas: 3, ..EpsoParams::converging(100) };
/// let settings = Settings { individuals: 16, stop: Stop::iterations(100), ..Settings::default() };
/// let report = minimise::<f64, _>(&Griewank, &Bounds::uniform(2, -600.0, 600.0)?, &params.into(), &settings)?;
/// // At the start one evaluation a particle, in an iteration its own and those of its replicas.
/// assert_eq!(report.runs[0].evaluations, 16 + 100 * 16 * 4);
/// assert!(report.best().value < 0.5);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpsoParams {
    /// w, the share of the velocity that is kept, at the start; finite.
    pub inertia: f64,
    /// The inertia after `inertia_iterations` iterations; finite.
    pub final_inertia: f64,
    /// Iterations over which the inertia changes to `final_inertia`, by equal steps; 0 for never. `None` for those of the run, or
    /// 1,000 where nothing limits it but time.
    pub inertia_iterations: Option<u32>,
    /// c1, the pull to the personal best; 0 to 1e30.
    pub cognitive: f64,
    /// c2, the pull to the best of the swarm; 0 to 1e30.
    pub social: f64,
    /// k, the largest speed in ranges of the bounds per iteration, above 0; `None` for no limit.
    pub velocity_limit: Option<f64>,
    /// Replicas of each particle, 1 to 63.
    pub replicas: u32,
    /// Standard deviation of a replica's weights, as a part of them; finite, at least 0.
    pub weight_deviation: f64,
    /// Standard deviation of the best as a replica sees it, in units of the coordinate; finite, at least
    /// 0.
    pub best_deviation: f64,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Boundary,
    /// COR, the reach of [`Boundary::Reverse`] as a part of the range, 0 to 1.
    pub correction: f64,
}

impl Default for EpsoParams {
    fn default() -> Self {
        let mut params = EpsoParams::converging(0);
        params.inertia_iterations = None;
        params
    }
}

impl EpsoParams {
    /// The values of the CMEPSO paper but for the pulls, which are 1, with an inertia that falls over so many
    /// iterations.
    ///
    /// ```
    /// use warpswarm::EpsoParams;
    /// let params = EpsoParams::converging(1000);
    /// assert_eq!((params.cognitive, params.social, params.inertia_iterations), (1.0, 1.0, Some(1000)));
    /// ```
    pub const fn converging(iterations: u32) -> Self {
        EpsoParams { cognitive: 1.0, social: 1.0, ..EpsoParams::cmepso_paper(iterations) }
    }

    /// The values of the CMEPSO paper, with an inertia that falls over so many iterations.
    ///
    /// ```
    /// use warpswarm::EpsoParams;
    /// let (paper, ours) = (EpsoParams::cmepso_paper(1000), EpsoParams::converging(1000));
    /// assert!(paper.cognitive > ours.cognitive && paper.social > ours.social);
    /// assert_eq!(EpsoParams { cognitive: 1.0, social: 1.0, ..paper }, ours);
    /// ```
    pub const fn cmepso_paper(iterations: u32) -> Self {
        EpsoParams {
            inertia: 0.9,
            final_inertia: 0.4,
            inertia_iterations: Some(iterations),
            cognitive: 2.05,
            social: 2.05,
            velocity_limit: None,
            replicas: 5,
            weight_deviation: 0.22,
            best_deviation: 0.005,
            boundary: Boundary::Reverse,
            correction: 0.22,
        }
    }

    /// The same, with an inertia that changes over the iterations of a run that ends so, where no number is said.
    pub(super) fn completed(self, settings: &Settings) -> Self {
        // One by the particle, and those by its replicas.
        let each = settings.individuals.saturating_mul(1 + u64::from(self.replicas)).max(1);
        let of_evaluations = settings.stop.evaluations.map(|all| all / each);
        let of_run = settings.stop.iterations.into_iter().chain(of_evaluations).min();
        let of_run = of_run.unwrap_or(DEFAULT_ITERATIONS).clamp(1, u64::from(u32::MAX)) as u32;
        EpsoParams { inertia_iterations: self.inertia_iterations.or(Some(of_run)), ..self }
    }

    /// The parameters in the run's number type, checked.
    pub(crate) fn method<R: Float>(&self) -> Result<Epso<R>> {
        parameters::check(self)?;
        self.rounded()
    }

    /// The parameters in the run's number type, which have been checked.
    pub(super) fn rounded<R: Float>(&self) -> Result<Epso<R>> {
        if self.replicas >= MAX_ATTEMPTS {
            return Err(Error::Parameter {
                name: REPLICAS.name,
                value: self.replicas.to_string(),
                allowed: "a whole number from 1 to 63",
            });
        }
        Ok(Epso {
            coefficients: Coefficients {
                inertia: parameters::rounded("inertia", self.inertia)?,
                cognitive: parameters::rounded("cognitive", self.cognitive)?,
                social: parameters::rounded("social", self.social)?,
                // A limit beyond the largest number is no limit.
                velocity_limit: R::from_f64(self.velocity_limit.unwrap_or(f64::INFINITY)),
                correction: R::from_f64(self.correction),
                boundary: self.boundary,
            },
            final_inertia: parameters::rounded("final_inertia", self.final_inertia)?,
            weight_deviation: parameters::rounded("weight_deviation", self.weight_deviation)?,
            best_deviation: parameters::rounded("best_deviation", self.best_deviation)?,
            inertia_iterations: self.inertia_iterations.unwrap_or(DEFAULT_ITERATIONS as u32),
            replicas: self.replicas,
        })
    }
}

pub(super) const INERTIA: ParameterInfo = ParameterInfo {
    name: "inertia",
    meaning: "share of the velocity that is kept, at the start",
    range: FINITE,
    default: "0.9",
};
pub(super) const FINAL_INERTIA: ParameterInfo = ParameterInfo {
    name: "final_inertia",
    meaning: "inertia at the end of inertia_iterations",
    range: FINITE,
    default: "0.4",
};
pub(super) const INERTIA_ITERATIONS: ParameterInfo = ParameterInfo {
    name: "inertia_iterations",
    meaning: "iterations over which the inertia changes by equal steps",
    range: ITERATIONS,
    default: "run",
};
pub(super) const fn cognitive(default: &'static str) -> ParameterInfo {
    ParameterInfo { name: "cognitive", meaning: "pull to the personal best", range: PULL, default }
}
pub(super) const fn social(default: &'static str) -> ParameterInfo {
    ParameterInfo { name: "social", meaning: "pull to the best of the swarm", range: PULL, default }
}
pub(super) const VELOCITY_LIMIT: ParameterInfo = ParameterInfo {
    name: "velocity_limit",
    meaning: "largest speed, in ranges of the bounds per iteration",
    range: LIMIT,
    default: "none",
};
pub(super) const REPLICAS: ParameterInfo = ParameterInfo {
    name: "replicas",
    meaning: "replicas of each particle, up to 63",
    range: COUNT,
    default: "5",
};
pub(super) const WEIGHT_DEVIATION: ParameterInfo = ParameterInfo {
    name: "weight_deviation",
    meaning: "standard deviation of a replica's weights, as a part of them",
    range: NOT_NEGATIVE,
    default: "0.22",
};
pub(super) const fn best_deviation(default: &'static str) -> ParameterInfo {
    ParameterInfo {
        name: "best_deviation",
        meaning: "standard deviation of the best as a replica sees it, in units of the coordinate",
        range: NOT_NEGATIVE,
        default,
    }
}

impl Params for EpsoParams {
    const ROWS: &'static [ParameterInfo] = &[
        INERTIA,
        FINAL_INERTIA,
        INERTIA_ITERATIONS,
        cognitive("1"),
        social("1"),
        VELOCITY_LIMIT,
        REPLICAS,
        WEIGHT_DEVIATION,
        best_deviation("0.005"),
        parameters::boundary("reverse"),
        parameters::CORRECTION,
    ];
    const ACCESS: &'static [Access<Self>] = &[
        Access::Number(|p| p.inertia, |p, x| p.inertia = x),
        Access::Number(|p| p.final_inertia, |p, x| p.final_inertia = x),
        Access::Iterations(|p| p.inertia_iterations, |p, n| p.inertia_iterations = n),
        Access::Number(|p| p.cognitive, |p, x| p.cognitive = x),
        Access::Number(|p| p.social, |p, x| p.social = x),
        Access::Limit(|p| p.velocity_limit, |p, x| p.velocity_limit = x),
        Access::Whole(|p| p.replicas, |p, n| p.replicas = n),
        Access::Number(|p| p.weight_deviation, |p, x| p.weight_deviation = x),
        Access::Number(|p| p.best_deviation, |p, x| p.best_deviation = x),
        named!(Boundary::ALL, boundary),
        Access::Number(|p| p.correction, |p, x| p.correction = x),
    ];
}
