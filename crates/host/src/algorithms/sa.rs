//! The parameters of simulated annealing. The equations are in [`warpswarm_core::sa`].

use warpswarm_core::Float;
use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::sa::Sa;

pub use warpswarm_core::sa::{Neighbour, Unit};

use super::parameters::{
    self, FACTOR, POSITIVE, Parameter, Params, boundary, choice, correction, number, one_of,
};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset};
use crate::error::Result;

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "sa",
    title: "simulated annealing, a population of chains",
    source: "S. Kirkpatrick, C. Gelatt, M. Vecchi, Optimization by simulated annealing, Science 220, \
             1983; population as in libCudaOptimize",
    backends: DEVICES,
    presets: &[
        Preset {
            name: "shrinking",
            source: "cooling of libCudaOptimize, with a normal step that shrinks",
            make: || Algorithm::Sa(SaParams::shrinking()),
        },
        Preset {
            name: "libcudaoptimize",
            source: "libCudaOptimize, case study 2: a uniform step of 0.1, in units of the coordinate, T x 0.98; T at \
                     the start, which it does not give, is the default's",
            make: || Algorithm::Sa(SaParams::libcudaoptimize()),
        },
    ],
};

/// The parameters of simulated annealing.
///
/// The default is [`shrinking`](SaParams::shrinking).
///
/// ```
/// use warpswarm::{Bounds, SaParams, Settings, Stop, minimise, problems::Ackley};
/// // The chains start at a low temperature, and their steps shrink fast.
/// let fast = SaParams { temperature: 0.1, cooling: 0.97, step_cooling: 0.97, ..SaParams::default() };
/// let bounds = Bounds::uniform(2, -32.768, 32.768)?;
/// let settings = Settings { individuals: 64, stop: Stop::iterations(300), ..Settings::default() };
/// let report = minimise::<f64, _>(&Ackley, &bounds, &fast.into(), &settings)?;
/// assert!(report.best().value < 0.1);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SaParams {
    /// T at the start, in units of the objective; finite, above 0.
    pub temperature: f64,
    /// The factor by which the temperature is multiplied in every iteration; above 0, at most 1.
    pub cooling: f64,
    /// The size of a step at the start, in the unit of `unit`; finite, above 0.
    pub step: f64,
    /// The unit of the step.
    pub unit: Unit,
    /// The factor by which the step is multiplied in every iteration; above 0, at most 1.
    pub step_cooling: f64,
    /// The distribution of the steps of a chain.
    pub neighbour: Neighbour,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Boundary,
    /// COR, the reach of [`Boundary::Reverse`] as a fraction of the range, 0 to 1.
    pub correction: f64,
}

impl Default for SaParams {
    fn default() -> Self {
        SaParams::shrinking()
    }
}

impl SaParams {
    /// The cooling of libCudaOptimize with a normally distributed step that shrinks, so that the chains can converge.
    ///
    /// ```
    /// use warpswarm::{SaParams, algorithms::sa::Neighbour};
    /// let params = SaParams::shrinking();
    /// assert_eq!(params, SaParams::default());
    /// assert!(params.step_cooling < 1.0 && params.neighbour == Neighbour::Gaussian);
    /// ```
    pub const fn shrinking() -> Self {
        SaParams {
            temperature: 100.0,
            cooling: 0.98,
            step: 0.1,
            unit: Unit::Ranges,
            step_cooling: 0.998,
            neighbour: Neighbour::Gaussian,
            boundary: Boundary::Reflect,
            correction: 0.22,
        }
    }

    /// The values of libCudaOptimize: a uniform step of fixed size, 0.1 in units of the coordinate, whatever its bounds
    /// are.
    ///
    /// ```
    /// use warpswarm::{SaParams, algorithms::sa::{Neighbour, Unit}};
    /// let params = SaParams::libcudaoptimize();
    /// assert_eq!((params.step_cooling, params.neighbour), (1.0, Neighbour::Uniform));
    /// assert_eq!((params.step, params.unit), (0.1, Unit::Coordinates));
    /// ```
    pub const fn libcudaoptimize() -> Self {
        SaParams {
            unit: Unit::Coordinates,
            step_cooling: 1.0,
            neighbour: Neighbour::Uniform,
            boundary: Boundary::Clamp,
            ..SaParams::shrinking()
        }
    }

    /// The parameters in the number type of the run, checked.
    pub(crate) fn method<R: Float>(&self) -> Result<Sa<R>> {
        parameters::check(self)?;
        Ok(Sa {
            temperature: parameters::rounded("temperature", self.temperature)?,
            cooling: parameters::rounded("cooling", self.cooling)?,
            step: parameters::rounded("step", self.step)?,
            step_cooling: parameters::rounded("step_cooling", self.step_cooling)?,
            limits: Limits { correction: R::from_f64(self.correction), boundary: self.boundary },
            neighbour: self.neighbour,
            unit: self.unit,
        })
    }
}

impl Params for SaParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        number("temperature", "at the start, in units of the objective", POSITIVE, |p| {
            &mut p.temperature
        }),
        number("cooling", "factor of the temperature at every iteration", FACTOR, |p| {
            &mut p.cooling
        }),
        number("step", "size of a step at the start", POSITIVE, |p| &mut p.step),
        choice(
            "unit",
            "in what the step counts: ranges of the bounds, or units of the coordinate",
            |p| one_of(&Unit::ALL, &mut p.unit),
        ),
        number("step_cooling", "factor of the step at every iteration", FACTOR, |p| {
            &mut p.step_cooling
        }),
        choice("neighbour", "how a chain steps", |p| one_of(&Neighbour::ALL, &mut p.neighbour)),
        boundary(|p| one_of(&Boundary::ALL, &mut p.boundary)),
        correction(|p| &mut p.correction),
    ];
}
