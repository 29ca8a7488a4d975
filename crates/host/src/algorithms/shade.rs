//! The parameters of SHADE. The equations are in [`warpswarm_core::shade`].

use warpswarm_core::Real;
use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::shade::{MAX_MEMORY, MIN_INDIVIDUALS, Shade};

pub use warpswarm_core::shade::Rebound;

use super::parameters::{self, ARCHIVE, Access, FACTOR, MEMORY, Params, named};
use super::{Algorithm, AlgorithmInfo, DEVICES, ParameterInfo, Preset};
use crate::error::{Error, Result};

/// So many individuals, so that places of the archive are whole numbers in `f32` too.
const MAX_INDIVIDUALS: u64 = 1_000_000;

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "shade",
    title: "differential evolution that learns its parameters, SHADE",
    source: "R. Tanabe, A. Fukunaga, Success-history based parameter adaptation for differential evolution, IEEE CEC \
             2013; memory and p of their L-SHADE, IEEE CEC 2014",
    backends: DEVICES,
    parameters: ShadeParams::ROWS,
    presets: &[Preset {
        name: "tanabe-fukunaga-2014",
        source: "R. Tanabe, A. Fukunaga, IEEE CEC 2014, without the reduction of the population; the archive of 2013, as \
                 large as the population",
        make: || Algorithm::Shade(ShadeParams::tanabe_fukunaga_2014()),
    }],
    make: || Algorithm::Shade(ShadeParams::tanabe_fukunaga_2014()),
};

/// The parameters of SHADE.
///
/// The default is [`tanabe_fukunaga_2014`](ShadeParams::tanabe_fukunaga_2014).
///
/// ```
/// use warpswarm::{Bounds, Settings, ShadeParams, Stop, minimise, problems::Rosenbrock};
/// let bounds = Bounds::uniform(5, -2.048, 2.048)?;
/// let settings = Settings { individuals: 64, stop: Stop::iterations(400), ..Settings::default() };
/// let report = minimise::<f64, _>(&Rosenbrock, &bounds, &ShadeParams::default().into(), &settings)?;
/// assert!(report.best().value < 1e-9);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadeParams {
    /// H, places of the memory, 1 to 100.
    pub memory: u32,
    /// The scale factor and crossover rate that are in the memory at first, above 0, at most 1.
    pub initial: f64,
    /// p, the part of the population that counts as the best, above 0, at most 1; at least 2 individuals.
    pub best_part: f64,
    /// Places of the archive, as a multiple of the individuals, 0 to 10.
    pub archive: f64,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Rebound,
    /// COR, the reach of [`Boundary::Reverse`] as a part of the range, 0 to 1.
    pub correction: f64,
}

impl Default for ShadeParams {
    fn default() -> Self {
        ShadeParams::tanabe_fukunaga_2014()
    }
}

impl ShadeParams {
    /// A memory of 6 places, p = 0.11, an archive as large as the population.
    ///
    /// ```
    /// use warpswarm::ShadeParams;
    /// let params = ShadeParams::tanabe_fukunaga_2014();
    /// assert_eq!((params.memory, params.best_part, params.archive), (6, 0.11, 1.0));
    /// ```
    pub const fn tanabe_fukunaga_2014() -> Self {
        ShadeParams {
            memory: 6,
            initial: 0.5,
            best_part: 0.11,
            archive: 1.0,
            boundary: Rebound::Midpoint,
            correction: 0.22,
        }
    }

    /// The parameters in the run's number type, checked.
    pub(crate) fn method<R: Real>(&self, individuals: u64) -> Result<Shade<R>> {
        parameters::check(self)?;
        if !(u64::from(MIN_INDIVIDUALS)..=MAX_INDIVIDUALS).contains(&individuals) {
            return Err(Error::Setting {
                field: "individuals",
                value: individuals.to_string(),
                allowed: format!("{MIN_INDIVIDUALS} to {MAX_INDIVIDUALS} for SHADE"),
            });
        }
        let part_of = |part: f64| (part * individuals as f64).round() as u32;
        let boundary = match self.boundary {
            Rebound::Midpoint => Boundary::Clamp,
            Rebound::Mode(boundary) => boundary,
        };
        Ok(Shade {
            initial: parameters::rounded("initial", self.initial)?,
            limits: Limits { correction: R::from_f64(self.correction), boundary },
            midpoint: u32::from(self.boundary == Rebound::Midpoint),
            memory: self.memory,
            elite: part_of(self.best_part).clamp(2, individuals as u32),
            archive: part_of(self.archive),
        })
    }
}

impl Params for ShadeParams {
    const ROWS: &'static [ParameterInfo] = &[
        ParameterInfo {
            name: "memory",
            meaning: "places of the memory, H",
            range: MEMORY,
            default: "6",
        },
        ParameterInfo {
            name: "initial",
            meaning: "scale factor and crossover rate in the memory at first",
            range: FACTOR,
            default: "0.5",
        },
        ParameterInfo {
            name: "best_part",
            meaning: "part of the population that counts as the best, p; at least 2 individuals",
            range: FACTOR,
            default: "0.11",
        },
        ParameterInfo {
            name: "archive",
            meaning: "places of the archive, as a multiple of the individuals",
            range: ARCHIVE,
            default: "1",
        },
        ParameterInfo {
            name: "boundary",
            meaning: "what happens to a coordinate that leaves its bounds",
            range: "midpoint, clamp, reflect, wrap, random or reverse",
            default: "midpoint",
        },
        parameters::CORRECTION,
    ];
    const ACCESS: &'static [Access<Self>] = &[
        Access::Whole(|p| p.memory, |p, x| p.memory = x),
        Access::Number(|p| p.initial, |p, x| p.initial = x),
        Access::Number(|p| p.best_part, |p, x| p.best_part = x),
        Access::Number(|p| p.archive, |p, x| p.archive = x),
        named!(Rebound::ALL, boundary),
        Access::Number(|p| p.correction, |p, x| p.correction = x),
    ];
}

const _: () = assert!(MAX_MEMORY == 100, "what MEMORY says");
