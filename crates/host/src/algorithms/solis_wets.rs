//! The parameters of Solis and Wets' random search. The equations are in
//! [`warpswarm_core::solis_wets`].

use warpswarm_core::Float;
use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::solis_wets::SolisWets;

pub use warpswarm_core::solis_wets::Mirror;

use super::parameters::{
    self, At, COUNT, NOT_NEGATIVE, POSITIVE, Parameter, Params, boundary, choice, correction,
    number, one_of, whole,
};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset};
use crate::error::Result;

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "solis-wets",
    title: "Solis and Wets' random search, one adaptive searcher an individual",
    source: "F. Solis, R. Wets, Minimization by random search techniques, Mathematics of Operations \
             Research 6, 1981; first step as in libCudaOptimize",
    backends: DEVICES,
    presets: &[
        Preset {
            name: "solis-wets-1981",
            source: "F. Solis, R. Wets, 1981: growth by 2 after 5 successes, shrinking by 2 after 3 failures",
            make: || Algorithm::SolisWets(SolisWetsParams::solis_wets_1981()),
        },
        Preset {
            name: "libcudaoptimize",
            source: "libCudaOptimize, section 2.1.4: the better of both directions; the numbers of successes and \
                     failures and the factors, which it does not give, are the default's",
            make: || Algorithm::SolisWets(SolisWetsParams::libcudaoptimize()),
        },
    ],
};

/// The parameters of Solis and Wets' random search.
///
/// The default is [`solis_wets_1981`](SolisWetsParams::solis_wets_1981).
///
/// ```
/// use warpswarm::{Bounds, Settings, SolisWetsParams, Stop, minimise, problems::Sphere};
/// let careful = SolisWetsParams { step: 0.1, ..SolisWetsParams::default() };
/// let settings = Settings { individuals: 8, stop: Stop::iterations(400), ..Settings::default() };
/// let report = minimise::<f64, _>(&Sphere, &Bounds::uniform(3, -5.12, 5.12)?, &careful.into(), &settings)?;
/// assert!(report.best().value < 1e-6);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolisWetsParams {
    /// rho, the standard deviation of the first step, in ranges of the bounds; finite, at least 0. 0 stands for half
    /// the distance to the nearest other searcher.
    pub step: f64,
    /// The lower limit of rho; finite, above 0.
    pub smallest_step: f64,
    /// N+, consecutive successes before steps grow; at least 1.
    pub successes: u32,
    /// N-, consecutive failures before steps shrink; at least 1.
    pub failures: u32,
    /// When the mirror image of a step is tried. With [`Mirror::Always`] an iteration takes two evaluations.
    pub mirror: Mirror,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Boundary,
    /// COR, the reach of [`Boundary::Reverse`] as a fraction of the range, 0 to 1.
    pub correction: f64,
}

impl Default for SolisWetsParams {
    fn default() -> Self {
        SolisWetsParams::solis_wets_1981()
    }
}

impl SolisWetsParams {
    /// Steps grow after five successes and shrink after three failures.
    ///
    /// ```
    /// use warpswarm::SolisWetsParams;
    /// let params = SolisWetsParams::solis_wets_1981();
    /// assert_eq!((params.successes, params.failures), (5, 3));
    /// ```
    pub const fn solis_wets_1981() -> Self {
        SolisWetsParams {
            step: 0.0,
            smallest_step: 1e-12,
            successes: 5,
            failures: 3,
            mirror: Mirror::Failure,
            boundary: Boundary::Clamp,
            correction: 0.22,
        }
    }

    /// The values of libCudaOptimize: every step is tried in both directions, and the better of the two points is used.
    ///
    /// ```
    /// use warpswarm::{SolisWetsParams, algorithms::solis_wets::Mirror};
    /// let params = SolisWetsParams::libcudaoptimize();
    /// assert_eq!((params.mirror, params.step), (Mirror::Always, 0.0));
    /// ```
    pub const fn libcudaoptimize() -> Self {
        SolisWetsParams { mirror: Mirror::Always, ..SolisWetsParams::solis_wets_1981() }
    }

    /// The parameters in the number type of the run, checked.
    pub(crate) fn method<R: Float>(&self) -> Result<SolisWets<R>> {
        parameters::check(self)?;
        Ok(SolisWets {
            step: parameters::rounded("step", self.step)?,
            smallest_step: parameters::rounded("smallest_step", self.smallest_step)?,
            limits: Limits { correction: R::from_f64(self.correction), boundary: self.boundary },
            successes: self.successes,
            failures: self.failures,
            mirror: self.mirror,
        })
    }
}

// Declarations of the parameters that scatter search also has.

pub(super) const fn step<P>(at: At<P, f64>) -> Parameter<P> {
    number(
        "step",
        "deviation of the first step, in ranges of the bounds; 0 for half the distance to the nearest",
        NOT_NEGATIVE,
        at,
    )
}

pub(super) const fn smallest_step<P>(at: At<P, f64>) -> Parameter<P> {
    number("smallest_step", "steps do not shrink below it", POSITIVE, at)
}

pub(super) const fn successes<P>(at: At<P, u32>) -> Parameter<P> {
    whole("successes", "in a row, before steps grow", COUNT, at)
}

pub(super) const fn failures<P>(at: At<P, u32>) -> Parameter<P> {
    whole("failures", "in a row, before steps shrink", COUNT, at)
}

impl Params for SolisWetsParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        step(|p| &mut p.step),
        smallest_step(|p| &mut p.smallest_step),
        successes(|p| &mut p.successes),
        failures(|p| &mut p.failures),
        choice(
            "mirror",
            "when the mirror image of a step is tried: after a failure, in an iteration of its own, or always, \
             of which the better counts",
            |p| one_of(&Mirror::ALL, &mut p.mirror),
        ),
        boundary(|p| one_of(&Boundary::ALL, &mut p.boundary)),
        correction(|p| &mut p.correction),
    ];
}
