//! The parameters of SHADE. The equations are in [`warpswarm_core::shade`].

use warpswarm_core::Real;
use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::shade::{MAX_MEMORY, MAX_TOURNAMENT, MIN_INDIVIDUALS, Shade};

pub use warpswarm_core::shade::Rebound;

use super::parameters::{self, Access, FACTOR, MEMORY, Params, TOURNAMENT, named};
use super::{Algorithm, AlgorithmInfo, DEVICES, ParameterInfo, Preset};
use crate::error::{Error, Result};

/// So many individuals at most, so that the sums from which a run learns do not overflow.
const MAX_INDIVIDUALS: u64 = 1 << 30;
/// Whether there is an archive.
const ARCHIVE: [(&str, bool); 2] = [("on", true), ("off", false)];

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "shade",
    title: "differential evolution that learns its parameters, SHADE",
    source: "R. Tanabe, A. Fukunaga, Success-history based parameter adaptation for differential evolution, IEEE CEC \
             2013; memory of their L-SHADE, IEEE CEC 2014; one of the best by a tournament",
    backends: DEVICES,
    parameters: ShadeParams::ROWS,
    presets: &[Preset {
        name: "tanabe-fukunaga-2014",
        source: "R. Tanabe, A. Fukunaga, IEEE CEC 2014, without the reduction of the population; the best of 13 in the \
                 place of one of the best 11 %",
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
    /// T, individuals the best of which counts as one of the best, 1 to 64.
    pub tournament: u32,
    /// Whether there is an archive, in which each individual has the point that it has given up last.
    pub archive: bool,
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
    /// A memory of 6 places, the best of 13, an archive.
    ///
    /// ```
    /// use warpswarm::ShadeParams;
    /// let params = ShadeParams::tanabe_fukunaga_2014();
    /// assert_eq!((params.memory, params.tournament, params.archive), (6, 13, true));
    /// ```
    pub const fn tanabe_fukunaga_2014() -> Self {
        ShadeParams {
            memory: 6,
            initial: 0.5,
            tournament: 13,
            archive: true,
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
        let boundary = match self.boundary {
            Rebound::Midpoint => Boundary::Clamp,
            Rebound::Mode(boundary) => boundary,
        };
        Ok(Shade {
            initial: parameters::rounded("initial", self.initial)?,
            limits: Limits { correction: R::from_f64(self.correction), boundary },
            midpoint: u32::from(self.boundary == Rebound::Midpoint),
            memory: self.memory,
            tournament: self.tournament,
            archive: u32::from(self.archive),
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
            name: "tournament",
            meaning: "individuals the best of which counts as one of the best, T",
            range: TOURNAMENT,
            default: "13",
        },
        ParameterInfo {
            name: "archive",
            meaning: "whether each individual's point that it has given up last is kept",
            range: "on or off",
            default: "on",
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
        Access::Whole(|p| p.tournament, |p, x| p.tournament = x),
        named!(ARCHIVE, archive),
        named!(Rebound::ALL, boundary),
        Access::Number(|p| p.correction, |p, x| p.correction = x),
    ];
}

const _: () = assert!(MAX_MEMORY == 100 && MAX_TOURNAMENT == 64, "what MEMORY and TOURNAMENT say");
