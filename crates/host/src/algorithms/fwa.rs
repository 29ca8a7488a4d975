//! The parameters of the fireworks algorithm. The equations are in [`warpswarm_core::fwa`].

use warpswarm_core::Float;
use warpswarm_core::fwa::{Fwa, Mapping};

use super::parameters::{
    self, At, COUNT, COUNT_OR_NONE, FACTOR, NOT_NEGATIVE, PART, POSITIVE, Parameter, Params,
    boundary, correction, number, one_of, whole,
};
use super::{Algorithm, AlgorithmInfo, Preset};
use crate::error::{Error, Result};
use crate::settings::choices::Backend;

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "fwa",
    title: "fireworks algorithm, the original: sparks by fitness, selection by distance; CPU only, since every \
            iteration compares all pairs of candidates",
    source: "Y. Tan, Y. Zhu, Fireworks algorithm for optimization, ICSI 2010; equations 1 and 2 as in \
             GPU-FWA",
    backends: &[Backend::Cpu],
    presets: &[
        Preset {
            name: "tan-zhu",
            source: "Y. Tan, Y. Zhu, 2010, who have 5 fireworks: 50 sparks, 5 Gaussian sparks, and an \
                     amplitude of 40 in a box 200 wide",
            make: || Algorithm::Fwa(FwaParams::tan_zhu_2010()),
        },
        Preset {
            name: "gpu-fwa-paper",
            source: "GPU-FWA's serial baseline, which has 64 fireworks: 640 sparks, 64 Gaussian sparks",
            make: || Algorithm::Fwa(FwaParams::gpu_fwa_paper()),
        },
    ],
};

/// The parameters of the fireworks algorithm; the fireworks are the individuals.
///
/// The default is [`tan_zhu_2010`](FwaParams::tan_zhu_2010). The work of an iteration grows with the
/// square of fireworks and sparks.
///
/// ```
/// use warpswarm::{Boundary, Bounds, FwaParams, Mapping, Settings, Stop, minimise, problems::Zakharov};
/// let params = FwaParams { boundary: Mapping::Boundary(Boundary::Reflect), ..FwaParams::default() };
/// let settings = Settings { individuals: 5, stop: Stop::evaluations(3000), ..Settings::default() };
/// let report = minimise::<f64, _>(&Zakharov, &Bounds::uniform(2, -5.0, 10.0)?, &params.into(), &settings)?;
/// assert!(report.best().value < 0.1 && report.runs[0].evaluations <= 3000);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FwaParams {
    /// The sum of all amplitudes, in ranges of the bounds; finite, above 0.
    pub amplitude: f64,
    /// The part of `amplitude` that every firework has at least; finite, at least 0.
    pub amplitude_floor: f64,
    /// m, about as many sparks all explosions throw; at least 1.
    pub sparks: u32,
    /// a, the part of `sparks` that a firework throws at least, 0 to 1; one spark in any case.
    pub fewest: f64,
    /// b, the part of `sparks` that a firework throws at most, above 0, at most 1, not below
    /// `fewest`.
    pub most: f64,
    /// Sparks that stretch coordinates of a random firework.
    pub gaussian_sparks: u32,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Mapping,
    /// COR, the reach of [`Boundary::Reverse`](crate::Boundary::Reverse) as a part of the range, 0 to 1.
    pub correction: f64,
}

impl Default for FwaParams {
    fn default() -> Self {
        FwaParams::tan_zhu_2010()
    }
}

impl FwaParams {
    /// Tan and Zhu's, for 5 fireworks.
    ///
    /// ```
    /// use warpswarm::FwaParams;
    /// let params = FwaParams::tan_zhu_2010();
    /// assert_eq!((params.sparks, params.fewest, params.most, params.gaussian_sparks), (50, 0.04, 0.8, 5));
    /// ```
    pub const fn tan_zhu_2010() -> Self {
        FwaParams {
            amplitude: 0.2,
            amplitude_floor: 0.0,
            sparks: 50,
            fewest: 0.04,
            most: 0.8,
            gaussian_sparks: 5,
            boundary: Mapping::Modulo,
            correction: 0.22,
        }
    }

    /// GPU-FWA's baseline, for 64 fireworks.
    ///
    /// It gives 640 sparks in all, ten a firework as Tan and Zhu have. With their a = 0.04 each would
    /// throw 26 at least, 1,664 in all; so a is what gives their least, 2. What the paper does not
    /// say (amplitude, b) is theirs.
    ///
    /// ```
    /// use warpswarm::FwaParams;
    /// let params = FwaParams::gpu_fwa_paper();
    /// assert_eq!(params.sparks, 640);
    /// // Each throws two at least.
    /// assert_eq!((params.fewest * f64::from(params.sparks)).round(), 2.0);
    /// ```
    pub const fn gpu_fwa_paper() -> Self {
        FwaParams {
            sparks: 640,
            fewest: 0.003125,
            gaussian_sparks: 64,
            ..FwaParams::tan_zhu_2010()
        }
    }

    /// The parameters in the run's number type, checked.
    pub(crate) fn fireworks<R: Float>(&self, individuals: u64) -> Result<Fwa<R>> {
        parameters::check(self)?;
        if self.fewest > self.most {
            return Err(Error::Parameter {
                name: "fewest",
                value: self.fewest.to_string(),
                allowed: "a number from 0 to the parameter most".into(),
            });
        }
        let fwa = Fwa {
            amplitude: parameters::rounded("amplitude", self.amplitude)?,
            amplitude_floor: parameters::rounded("amplitude_floor", self.amplitude_floor)?,
            fewest: R::from_f64(self.fewest),
            most: parameters::rounded("most", self.most)?,
            correction: R::from_f64(self.correction),
            sparks: self.sparks,
            gaussian_sparks: self.gaussian_sparks,
            mapping: self.boundary,
        };
        // Draws know candidates by 32 bits. The settings' check has seen that individuals have no more.
        if fwa.most_candidates(individuals as u32) > u64::from(u32::MAX) {
            return Err(Error::Setting {
                field: "individuals",
                value: individuals.to_string(),
                allowed: format!("so few that they and their sparks are at most {}", u32::MAX),
            });
        }
        Ok(fwa)
    }
}

/// Declares a parameter that GPU-FWA has, too.
pub(super) const fn amplitude<P>(at: At<P, f64>) -> Parameter<P> {
    number("amplitude", "sum of all amplitudes, in ranges of the bounds", POSITIVE, at)
}

/// Declares a parameter that GPU-FWA has, too.
pub(super) const fn amplitude_floor<P>(at: At<P, f64>) -> Parameter<P> {
    number(
        "amplitude_floor",
        "part of the amplitude that every firework has at least",
        NOT_NEGATIVE,
        at,
    )
}

impl Params for FwaParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        amplitude(|p| &mut p.amplitude),
        amplitude_floor(|p| &mut p.amplitude_floor),
        whole("sparks", "sparks of all explosions, about", COUNT, |p| &mut p.sparks),
        number("fewest", "part of the sparks that a firework throws at least", PART, |p| {
            &mut p.fewest
        }),
        number("most", "part of the sparks that a firework throws at most", FACTOR, |p| {
            &mut p.most
        }),
        whole(
            "gaussian_sparks",
            "sparks that stretch coordinates of a firework",
            COUNT_OR_NONE,
            |p| &mut p.gaussian_sparks,
        ),
        boundary(|p| one_of(&Mapping::ALL, &mut p.boundary)),
        correction(|p| &mut p.correction),
    ];
}
