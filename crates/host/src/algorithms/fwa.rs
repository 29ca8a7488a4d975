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

/// The parameters of the fireworks algorithm. The individuals are the fireworks.
///
/// The default is [`tan_zhu_2010`](FwaParams::tan_zhu_2010). The cost of an iteration grows with the square of the
/// number of fireworks and sparks.
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
    /// The least share of `amplitude` for every firework; finite, at least 0.
    pub amplitude_floor: f64,
    /// m, the approximate number of sparks of all explosions; at least 1.
    pub sparks: u32,
    /// a, the least share of `sparks` for a firework, 0 to 1. Every firework has at least one spark.
    pub fewest: f64,
    /// b, the largest share of `sparks` for a firework; above 0, at most 1, and not below `fewest`.
    pub most: f64,
    /// The number of sparks that stretch coordinates of a random firework.
    pub gaussian_sparks: u32,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Mapping,
    /// COR, the reach of [`Boundary::Reverse`](crate::Boundary::Reverse) as a fraction of the range, 0 to 1.
    pub correction: f64,
}

impl Default for FwaParams {
    fn default() -> Self {
        FwaParams::tan_zhu_2010()
    }
}

impl FwaParams {
    /// The values of Tan and Zhu, for 5 fireworks.
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

    /// The baseline of the GPU-FWA paper, for 64 fireworks.
    ///
    /// It has 640 sparks in all, ten per firework as in Tan and Zhu's paper. With their a = 0.04 each firework would
    /// have at least 26 sparks, together 1,664. Therefore a is chosen so that the minimum is 2 sparks, as in their
    /// paper. The values that the GPU-FWA paper does not give (amplitude, b) are those of Tan and Zhu.
    ///
    /// ```
    /// use warpswarm::FwaParams;
    /// let params = FwaParams::gpu_fwa_paper();
    /// assert_eq!(params.sparks, 640);
    /// // Each firework has at least two sparks.
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

    /// The parameters in the number type of the run, checked.
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
        // Random draws identify a candidate by 32 bits. The check of the settings ensures that the number of
        // individuals fits.
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

/// Declares `amplitude`, which GPU-FWA also has.
pub(super) const fn amplitude<P>(at: At<P, f64>) -> Parameter<P> {
    number("amplitude", "sum of all amplitudes, in ranges of the bounds", POSITIVE, at)
}

/// Declares `amplitude_floor`, which GPU-FWA also has.
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
