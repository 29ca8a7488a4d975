//! The parameters of evolutionary particle swarm optimisation. The equations are in
//! [`warpswarm_core::epso`].

use warpswarm_core::Float;
use warpswarm_core::boundary::Boundary;
use warpswarm_core::epso::Epso;
use warpswarm_core::pso::Coefficients;

use super::parameters::{
    self, At, FINITE, NOT_NEGATIVE, OTHER_ATTEMPTS, PULL, Parameter, Params, boundary, correction,
    iterations, limit, number, one_of, whole,
};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset};
use crate::error::Result;
use crate::settings::{DEFAULT_ITERATIONS, Settings};

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "epso",
    title: "evolutionary particle swarm optimisation: particles compete with mutated replicas",
    source: "V. Miranda, N. Fonseca, EPSO: evolutionary particle swarm optimization, IEEE/PES T&D \
             2002, as in CMEPSO-GPU",
    backends: DEVICES,
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
};

/// The parameters of evolutionary particle swarm optimisation.
///
/// The default is [`converging`](EpsoParams::converging), with an inertia that falls over the iterations of the run.
///
/// ```
/// use warpswarm::{Bounds, EpsoParams, Settings, Stop, minimise, problems::Griewank};
/// let params = EpsoParams { replicas: 3, ..EpsoParams::converging(100) };
/// let settings = Settings { individuals: 16, stop: Stop::iterations(100), ..Settings::default() };
/// let report = minimise::<f64, _>(&Griewank, &Bounds::uniform(2, -600.0, 600.0)?, &params.into(), &settings)?;
/// // One evaluation per particle at the start; in an iteration its own and those of its replicas.
/// assert_eq!(report.runs[0].evaluations, 16 + 100 * 16 * 4);
/// assert!(report.best().value < 0.5);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpsoParams {
    /// w, the fraction of the velocity that is kept, at the start; finite.
    pub inertia: f64,
    /// The inertia after `inertia_iterations` iterations; finite.
    pub final_inertia: f64,
    /// Iterations over which the inertia changes to `final_inertia` in equal steps; 0 for a constant inertia. `None`
    /// for the number of iterations of the run, or 1,000 if only time limits the run.
    pub inertia_iterations: Option<u32>,
    /// c1, the pull to the personal best; 0 to 1e30.
    pub cognitive: f64,
    /// c2, the pull to the best of the swarm; 0 to 1e30.
    pub social: f64,
    /// k, the largest speed in ranges of the bounds per iteration, above 0; `None` for no limit.
    pub velocity_limit: Option<f64>,
    /// The number of replicas of each particle, 1 to 63.
    pub replicas: u32,
    /// Relative standard deviation of a replica's weights; finite, at least 0.
    pub weight_deviation: f64,
    /// Standard deviation of the point to which a replica is pulled around the best point, in units of the coordinate;
    /// finite, at least 0.
    pub best_deviation: f64,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Boundary,
    /// COR, the reach of [`Boundary::Reverse`] as a fraction of the range, 0 to 1.
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
    /// The values of the CMEPSO paper, except that both pulls are 1. The inertia falls over this number of iterations.
    ///
    /// ```
    /// use warpswarm::EpsoParams;
    /// let params = EpsoParams::converging(1000);
    /// assert_eq!((params.cognitive, params.social, params.inertia_iterations), (1.0, 1.0, Some(1000)));
    /// ```
    pub const fn converging(iterations: u32) -> Self {
        EpsoParams { cognitive: 1.0, social: 1.0, ..EpsoParams::cmepso_paper(iterations) }
    }

    /// The values of the CMEPSO paper. The inertia falls over this number of iterations.
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

    /// The same parameters; if `inertia_iterations` is not set, it becomes the number of iterations of a run with these
    /// settings.
    pub(super) fn completed(self, settings: &Settings) -> Self {
        // One evaluation by the particle and one by each replica.
        let each = settings.individuals.saturating_mul(1 + u64::from(self.replicas)).max(1);
        let of_evaluations = settings.stop.evaluations.map(|all| all / each);
        let of_run = settings.stop.iterations.into_iter().chain(of_evaluations).min();
        let of_run = of_run.unwrap_or(DEFAULT_ITERATIONS).clamp(1, u64::from(u32::MAX)) as u32;
        EpsoParams { inertia_iterations: self.inertia_iterations.or(Some(of_run)), ..self }
    }

    /// The parameters in the number type of the run, checked.
    pub(crate) fn method<R: Float>(&self) -> Result<Epso<R>> {
        parameters::check(self)?;
        self.rounded()
    }

    /// The parameters, which have been checked, in the number type of the run.
    pub(super) fn rounded<R: Float>(&self) -> Result<Epso<R>> {
        Ok(Epso {
            coefficients: Coefficients {
                inertia: parameters::rounded("inertia", self.inertia)?,
                cognitive: parameters::rounded("cognitive", self.cognitive)?,
                social: parameters::rounded("social", self.social)?,
                // A limit above the largest number of the type is no limit.
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

// Declarations of the parameters that cooperative multi-swarm optimisation also has.

pub(super) const fn inertia<P>(at: At<P, f64>) -> Parameter<P> {
    number("inertia", "share of the velocity that is kept, at the start", FINITE, at)
}

pub(super) const fn final_inertia<P>(at: At<P, f64>) -> Parameter<P> {
    number("final_inertia", "inertia at the end of inertia_iterations", FINITE, at)
}

pub(super) const fn inertia_iterations<P>(at: At<P, Option<u32>>) -> Parameter<P> {
    iterations("inertia_iterations", "iterations over which the inertia changes by equal steps", at)
}

pub(super) const fn cognitive<P>(at: At<P, f64>) -> Parameter<P> {
    number("cognitive", "pull to the personal best", PULL, at)
}

pub(super) const fn social<P>(at: At<P, f64>) -> Parameter<P> {
    number("social", "pull to the best of the swarm", PULL, at)
}

pub(super) const fn velocity_limit<P>(at: At<P, Option<f64>>) -> Parameter<P> {
    limit("velocity_limit", "largest speed, in ranges of the bounds per iteration", at)
}

pub(super) const fn replicas<P>(at: At<P, u32>) -> Parameter<P> {
    whole("replicas", "replicas of each particle", OTHER_ATTEMPTS, at)
}

pub(super) const fn weight_deviation<P>(at: At<P, f64>) -> Parameter<P> {
    number(
        "weight_deviation",
        "standard deviation of a replica's weights, as a part of them",
        NOT_NEGATIVE,
        at,
    )
}

pub(super) const fn best_deviation<P>(at: At<P, f64>) -> Parameter<P> {
    number(
        "best_deviation",
        "standard deviation of the best as a replica sees it, in units of the coordinate",
        NOT_NEGATIVE,
        at,
    )
}

impl Params for EpsoParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        inertia(|p| &mut p.inertia),
        final_inertia(|p| &mut p.final_inertia),
        inertia_iterations(|p| &mut p.inertia_iterations),
        cognitive(|p| &mut p.cognitive),
        social(|p| &mut p.social),
        velocity_limit(|p| &mut p.velocity_limit),
        replicas(|p| &mut p.replicas),
        weight_deviation(|p| &mut p.weight_deviation),
        best_deviation(|p| &mut p.best_deviation),
        boundary(|p| one_of(&Boundary::ALL, &mut p.boundary)),
        correction(|p| &mut p.correction),
    ];
}
