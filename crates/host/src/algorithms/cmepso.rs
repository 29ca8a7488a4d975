//! The parameters of cooperative evolutionary multi-swarm optimisation. The equations are in
//! [`warpswarm_core::cmepso`].

use warpswarm_core::Float;
use warpswarm_core::boundary::Boundary;
use warpswarm_core::cmepso::Cmepso;

use super::epso::{self, EpsoParams};
use super::parameters::{
    self, COUNT, NOT_NEGATIVE, Parameter, Params, boundary, choice, correction, number, one_of,
    whole,
};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset};
use crate::error::{Error, Result};

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "cmepso",
    title: "cooperative evolutionary multi-swarm optimisation: slave swarms and a master",
    source: "D. Souza, O. Teixeira, D. Monteiro, R. de Oliveira, A CUDA-based cooperative evolutionary multi-swarm \
             optimization applied to engineering problems (CMEPSO-GPU)",
    backends: DEVICES,
    presets: &[
        Preset {
            name: "converging",
            source: "the values of the paper, but replicas see the best as it is, and particles stay where \
                     they leave their bounds, on which optima with constraints often lie",
            make: || Algorithm::Cmepso(CmepsoParams::default()),
        },
        Preset {
            name: "cmepso-paper",
            source: "CMEPSO-GPU, section 6: 10 slaves of 40 particles are 410 individuals, 1,000 iterations",
            make: || Algorithm::Cmepso(CmepsoParams::paper(1000)),
        },
    ],
};

/// Which swarms a population consists of.
///
/// ```
/// use warpswarm::CmepsoParams;
/// use warpswarm::algorithms::cmepso::Part;
/// assert_eq!(CmepsoParams::default().part, Part::Whole);
/// assert_eq!(Part::ALL[1], ("master", Part::Master));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The slaves and the master.
    #[default]
    Whole,
    /// Only the master. Its slaves are other populations, whose best points arrive as
    /// [immigrants](crate::Optimiser::immigrate): the best of slave k replaces individual k. These individuals do not
    /// move. They are followed by the same number of particles of the master.
    Master,
    /// Only one slave: all individuals are its particles.
    Slave,
}

impl Part {
    /// Every variant with the name that users give it.
    pub const ALL: [(&'static str, Part); 3] =
        [("whole", Part::Whole), ("master", Part::Master), ("slave", Part::Slave)];
}

/// The parameters of cooperative evolutionary multi-swarm optimisation.
///
/// The default is [`converging`](CmepsoParams::converging), with an inertia that falls over the iterations of the run.
///
/// ```
/// use warpswarm::{Bounds, CmepsoParams, Settings, Stop, minimise, problems::StyblinskiTang};
/// let params = CmepsoParams { slaves: 4, ..CmepsoParams::converging(100) };
/// // Four slave swarms of eight particles, and a master swarm of four.
/// let settings = Settings { individuals: 36, stop: Stop::iterations(100), ..Settings::default() };
/// let bounds = Bounds::uniform(2, -5.0, 5.0)?;
/// let report = minimise::<f64, _>(&StyblinskiTang, &bounds, &params.into(), &settings)?;
/// assert!(report.best().value < -78.3);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CmepsoParams {
    /// The parameters that slaves and master have in common.
    pub epso: EpsoParams,
    /// c3, the master's pull to the best of all slaves; finite, at least 0.
    pub third: f64,
    /// The number of slave swarms. Each has one particle in the master swarm and at least one of its own. The number of
    /// individuals is a multiple of the number of slaves.
    pub slaves: u32,
    /// The swarms of this population; by default all.
    pub part: Part,
}

impl Default for CmepsoParams {
    fn default() -> Self {
        let usual = CmepsoParams::converging(0);
        let epso = EpsoParams { inertia_iterations: None, ..usual.epso };
        CmepsoParams { epso, ..usual }
    }
}

impl CmepsoParams {
    /// The values of the paper, with three changes: replicas are pulled to the exact best point, the boundary mode is
    /// `clamp`, and the inertia falls over this number of iterations.
    ///
    /// ```
    /// use warpswarm::{Boundary, CmepsoParams};
    /// let params = CmepsoParams::converging(1000);
    /// assert_eq!((params.epso.best_deviation, params.epso.boundary), (0.0, Boundary::Clamp));
    /// ```
    pub const fn converging(iterations: u32) -> Self {
        let paper = CmepsoParams::paper(iterations);
        let epso = EpsoParams { best_deviation: 0.0, boundary: Boundary::Clamp, ..paper.epso };
        CmepsoParams { epso, ..paper }
    }

    /// The values of the paper, with an inertia that falls over this number of iterations; for 410 individuals.
    ///
    /// ```
    /// use warpswarm::CmepsoParams;
    /// let params = CmepsoParams::paper(1000);
    /// // Of 410 individuals ten form the master swarm, and each of the ten slaves has forty.
    /// assert_eq!((410 - params.slaves) / params.slaves, 40);
    /// ```
    pub const fn paper(iterations: u32) -> Self {
        let epso = EpsoParams::cmepso_paper(iterations);
        CmepsoParams { epso, third: 2.02, slaves: 10, part: Part::Whole }
    }

    /// The number of particles in each slave for this number of individuals; 0 if the slaves are other populations.
    ///
    /// ```
    /// use warpswarm::CmepsoParams;
    /// assert_eq!(CmepsoParams::paper(1000).particles(410), Ok(40));
    /// assert!(CmepsoParams::paper(1000).particles(411).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If the individuals cannot be divided into slaves of equal size, each with one particle in the master swarm.
    pub fn particles(&self, individuals: u64) -> Result<u32> {
        parameters::check(self)?;
        let slaves = u64::from(self.slaves);
        if self.part == Part::Slave {
            return Ok(individuals as u32);
        }
        if self.part == Part::Master {
            if individuals == 2 * slaves {
                return Ok(0);
            }
            return Err(Error::Setting {
                field: "individuals",
                value: individuals.to_string(),
                allowed: format!(
                    "{} for a master alone, which has {slaves} slaves: one that keeps the best of each, and one of the \
                     master",
                    2 * slaves
                ),
            });
        }
        if !individuals.is_multiple_of(slaves) || individuals / slaves < 2 {
            return Err(Error::Setting {
                field: "individuals",
                value: individuals.to_string(),
                allowed: format!(
                    "a multiple of the slaves, of which there are {slaves}: the particles of each, at least \
                     one, and one of the master"
                ),
            });
        }
        Ok((individuals / slaves - 1) as u32)
    }

    /// The parameters in the number type of the run, checked for this number of individuals.
    pub(crate) fn method<R: Float>(&self, individuals: u64) -> Result<Cmepso<R>> {
        let particles = self.particles(individuals)?;
        Ok(Cmepso {
            epso: self.epso.rounded()?,
            third: parameters::rounded("third", self.third)?,
            slaves: if self.part == Part::Slave { 1 } else { self.slaves },
            particles,
        })
    }
}

impl Params for CmepsoParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        epso::inertia(|p| &mut p.epso.inertia),
        epso::final_inertia(|p| &mut p.epso.final_inertia),
        epso::inertia_iterations(|p| &mut p.epso.inertia_iterations),
        epso::cognitive(|p| &mut p.epso.cognitive),
        epso::social(|p| &mut p.epso.social),
        number("third", "the master's pull to the best of all slaves", NOT_NEGATIVE, |p| {
            &mut p.third
        }),
        epso::velocity_limit(|p| &mut p.epso.velocity_limit),
        whole(
            "slaves",
            "slave swarms; the individuals are so many swarms and a particle of the master each",
            COUNT,
            |p| &mut p.slaves,
        ),
        choice(
            "part",
            "which swarms there are: all, or one of those that are islands, the master or a slave",
            |p| one_of(&Part::ALL, &mut p.part),
        ),
        epso::replicas(|p| &mut p.epso.replicas),
        epso::weight_deviation(|p| &mut p.epso.weight_deviation),
        epso::best_deviation(|p| &mut p.epso.best_deviation),
        boundary(|p| one_of(&Boundary::ALL, &mut p.epso.boundary)),
        correction(|p| &mut p.epso.correction),
    ];
}
