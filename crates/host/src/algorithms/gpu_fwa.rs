//! The parameters of GPU-FWA. The equations are in [`warpswarm_core::gpu_fwa`].

use warpswarm_core::Float;
use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::fwa::Mapping;
use warpswarm_core::gpu_fwa::GpuFwa;

use super::parameters::{
    self, ATTEMPTS, COUNT, PART, Parameter, Params, boundary, correction, number, one_of, whole,
};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset, fwa};
use crate::error::Result;

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "gpu-fwa",
    title: "fireworks that search for themselves, attracted by the best and driven from it",
    source: "K. Ding, S. Zheng, Y. Tan, A GPU-based parallel fireworks algorithm for optimization, \
             GECCO 2013",
    backends: DEVICES,
    presets: &[Preset {
        name: "paper",
        source: "K. Ding, S. Zheng, Y. Tan, 2013, section 4: 48 fireworks of 16 sparks; its 1,000 \
                 iterations are 31,000 of ours",
        make: || Algorithm::GpuFwa(GpuFwaParams::paper()),
    }],
};

/// The parameters of GPU-FWA. The individuals are the fireworks.
///
/// The default is [`paper`](GpuFwaParams::paper).
///
/// ```
/// use warpswarm::{Bounds, GpuFwaParams, Settings, Stop, minimise, problems::Schwefel12};
/// let params = GpuFwaParams { sparks: 8, explosions: 9, ..GpuFwaParams::default() };
/// // Ten cycles of nine explosions and a mutation.
/// let settings = Settings { individuals: 16, stop: Stop::iterations(100), ..Settings::default() };
/// let report = minimise::<f64, _>(&Schwefel12, &Bounds::uniform(2, -65.5, 65.5)?, &params.into(), &settings)?;
/// assert!(report.best().value < 1.0);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuFwaParams {
    /// Sparks of each firework in an explosion, 1 to 64.
    pub sparks: u32,
    /// Explosions between two mutations, at least 1. Each explosion is an iteration, and so is the mutation.
    pub explosions: u32,
    /// The reach of the mutation, 0 to 1.
    pub delta: f64,
    /// The sum of all amplitudes, in ranges of the bounds; finite, above 0.
    pub amplitude: f64,
    /// The least share of `amplitude` for every firework; finite, at least 0.
    pub amplitude_floor: f64,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Mapping,
    /// COR, the reach of [`Boundary::Reverse`] as a fraction of the range, 0 to 1.
    pub correction: f64,
}

impl Default for GpuFwaParams {
    fn default() -> Self {
        GpuFwaParams::paper()
    }
}

impl GpuFwaParams {
    /// The values of the paper, for 48 individuals. The paper does not give the amplitude. With an amplitude of 1 the
    /// precision of the paper is reached on all of its functions, as `docs/papers/gpu-fwa.md` shows.
    ///
    /// ```
    /// use warpswarm::GpuFwaParams;
    /// let params = GpuFwaParams::paper();
    /// assert_eq!((params, params.amplitude), (GpuFwaParams::default(), 1.0));
    /// ```
    pub const fn paper() -> Self {
        GpuFwaParams {
            sparks: 16,
            explosions: 30,
            delta: 0.5,
            amplitude: 1.0,
            amplitude_floor: 0.0,
            boundary: Mapping::Modulo,
            correction: 0.22,
        }
    }

    /// The parameters in the number type of the run, checked.
    pub(crate) fn method<R: Float>(&self) -> Result<GpuFwa<R>> {
        parameters::check(self)?;
        let (modulo, boundary) = match self.boundary {
            Mapping::Modulo => (1, Boundary::Clamp),
            Mapping::Boundary(boundary) => (0, boundary),
        };
        Ok(GpuFwa {
            amplitude: parameters::rounded("amplitude", self.amplitude)?,
            amplitude_floor: parameters::rounded("amplitude_floor", self.amplitude_floor)?,
            delta: R::from_f64(self.delta),
            limits: Limits { correction: R::from_f64(self.correction), boundary },
            modulo,
            sparks: self.sparks,
            explosions: self.explosions,
        })
    }
}

impl Params for GpuFwaParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        whole("sparks", "sparks of each firework and explosion", ATTEMPTS, |p| &mut p.sparks),
        whole(
            "explosions",
            "explosions between two mutations; each is an iteration, and so is the mutation",
            COUNT,
            |p| &mut p.explosions,
        ),
        number(
            "delta",
            "reach of the mutation, which multiplies distances by 1 - delta to 1 + delta",
            PART,
            |p| &mut p.delta,
        ),
        fwa::amplitude(|p| &mut p.amplitude),
        fwa::amplitude_floor(|p| &mut p.amplitude_floor),
        boundary(|p| one_of(&Mapping::ALL, &mut p.boundary)),
        correction(|p| &mut p.correction),
    ];
}
