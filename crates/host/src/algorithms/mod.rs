//! The algorithms, and the registry that lists them for the program, its documentation and the tests.

use crate::error::{Error, Result, nearest};
use crate::objective::bounds::MAX_DIMENSIONS;
use crate::settings::choices::Backend;
use crate::settings::{Settings, Stop};

pub mod auto;
pub mod cma_es;
pub mod cmepso;
pub mod de;
pub mod epso;
pub mod fwa;
pub mod gpu_fwa;
mod parameters;
pub mod pso;
pub mod sa;
pub mod scatter_search;
mod search;
pub mod shade;
pub mod solis_wets;
pub mod spso;

pub use auto::AutoParams;
pub use cma_es::{CmaEsParams, Restarts};
pub use cmepso::CmepsoParams;
pub use de::DeParams;
pub use epso::EpsoParams;
pub use fwa::FwaParams;
pub use gpu_fwa::GpuFwaParams;
pub use pso::PsoParams;
pub use sa::SaParams;
pub use scatter_search::ScatterSearchParams;
pub use shade::ShadeParams;
pub use solis_wets::SolisWetsParams;

/// The default number of individuals of most algorithms.
pub(crate) const USUAL_INDIVIDUALS: u64 = 64;
/// The default limit on evaluations for `auto` and `cma-es`, if the settings contain no limit.
pub const USUAL_EVALUATIONS: u64 = 1_000_000;

/// The backends of an algorithm that has GPU kernels.
const DEVICES: &[Backend] = &[Backend::Cpu, Backend::Gpu, Backend::Emulator];

/// Information about an algorithm: its name, source, backends and presets.
///
/// ```
/// let de = warpswarm::algorithms::find("de")?;
/// assert!(de.title.starts_with("differential evolution"));
/// let names: Vec<_> = de.parameters().iter().map(|parameter| parameter.name).collect();
/// assert!(names.contains(&"scale_factor"));
/// de.algorithm().check()?;
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmInfo {
    /// The name by which users call it.
    pub id: &'static str,
    /// A description in a few words.
    pub title: &'static str,
    /// The publication that it is from.
    pub source: &'static str,
    /// The backends that it runs on, besides `auto`.
    pub backends: &'static [Backend],
    /// Named sets of parameters: at least one; the first is the default.
    pub presets: &'static [Preset],
}

/// Information about a parameter.
///
/// ```
/// let pso = warpswarm::algorithms::find("pso")?;
/// let boundary = pso.parameters().into_iter().find(|parameter| parameter.name == "boundary").expect("there is one");
/// assert_eq!(boundary.range, "clamp, reflect, wrap, random or reverse");
/// assert_eq!(boundary.default.to_string(), "clamp");
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterInfo {
    /// The name, as in [`Algorithm::set`].
    pub name: &'static str,
    /// What the parameter does.
    pub meaning: &'static str,
    /// The allowed values, in words.
    pub range: String,
    /// The default value, as in [`AlgorithmInfo::algorithm`].
    pub default: Value,
}

/// A named set of parameters: `preset=NAME` in [`Algorithm::set`].
///
/// ```
/// use warpswarm::PsoParams;
/// let presets = PsoParams::PRESETS;
/// assert_eq!(presets[0].algorithm(), PsoParams::default().into());
/// assert!(presets.iter().any(|preset| preset.name == "bratton-kennedy-2007"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name.
    pub name: &'static str,
    /// The publication that the values are from.
    pub source: &'static str,
    make: fn() -> Algorithm,
}

impl Preset {
    /// The algorithm with these parameters.
    pub fn algorithm(&self) -> Algorithm {
        (self.make)()
    }
}

/// All algorithms.
///
/// ```
/// // Every algorithm can be found by its name, and its default parameters are valid.
/// for info in warpswarm::algorithms::ALL {
///     let algorithm = warpswarm::algorithms::find(info.id)?.algorithm();
///     assert_eq!(algorithm.info().id, info.id);
///     algorithm.check()?;
/// }
/// # Ok::<(), warpswarm::Error>(())
/// ```
pub const ALL: &[AlgorithmInfo] = &[
    auto::INFO,
    pso::INFO,
    spso::INFO,
    de::INFO,
    shade::INFO,
    cma_es::INFO,
    sa::INFO,
    solis_wets::INFO,
    scatter_search::INFO,
    epso::INFO,
    cmepso::INFO,
    fwa::INFO,
    gpu_fwa::INFO,
];

const _: () = {
    let mut i = 0;
    while i < ALL.len() {
        assert!(!ALL[i].presets.is_empty(), "an algorithm has a preset, its default");
        i += 1;
    }
};

/// Finds an algorithm by its name.
///
/// ```
/// use warpswarm::algorithms;
/// assert_eq!(algorithms::find("solis-wets")?.presets[0].name, "solis-wets-1981");
/// let error = algorithms::find("solis").unwrap_err().to_string();
/// assert_eq!(error, "unknown algorithm `solis`; did you mean solis-wets?");
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// # Errors
///
/// If there is no such algorithm; the message suggests similar names.
pub fn find(id: &str) -> Result<&'static AlgorithmInfo> {
    ALL.iter().find(|info| info.id == id).ok_or_else(|| {
        let known: Vec<_> = ALL.iter().map(|info| info.id).collect();
        Error::NoSuch { what: "algorithm", name: id.into(), nearest: nearest(id, &known) }
    })
}

/// Evaluates `$body` with the parameters of the algorithm, whichever variant it is.
macro_rules! with_params {
    ($algorithm:expr, $params:ident => $body:expr) => {
        match $algorithm {
            Algorithm::Pso($params) | Algorithm::Spso($params) => $body,
            Algorithm::De($params) => $body,
            Algorithm::Shade($params) => $body,
            Algorithm::Auto($params) => $body,
            Algorithm::CmaEs($params) => $body,
            Algorithm::Sa($params) => $body,
            Algorithm::SolisWets($params) => $body,
            Algorithm::ScatterSearch($params) => $body,
            Algorithm::Epso($params) => $body,
            Algorithm::Cmepso($params) => $body,
            Algorithm::Fwa($params) => $body,
            Algorithm::GpuFwa($params) => $body,
        }
    };
}

impl AlgorithmInfo {
    /// The algorithm with its default parameters, those of the first preset.
    pub fn algorithm(&self) -> Algorithm {
        self.presets[0].algorithm()
    }

    /// Information about its parameters.
    pub fn parameters(&self) -> Vec<ParameterInfo> {
        with_params!(&self.algorithm(), params => parameters::described(params))
    }
}

/// An algorithm with its parameters.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, DeParams, PsoParams, Settings, Stop, minimise, problems::Sphere};
/// let settings = Settings { individuals: 32, stop: Stop::iterations(100), ..Settings::default() };
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let algorithms: [Algorithm; 2] = [PsoParams::default().into(), DeParams::default().into()];
/// for algorithm in algorithms {
///     let report = minimise::<f64, _>(&Sphere, &bounds, &algorithm, &settings)?;
///     assert!(report.best().value < 1e-6, "{}", algorithm.info().title);
/// }
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Algorithm {
    /// The default: CMA-ES and SHADE in turn.
    Auto(AutoParams),
    /// Particle swarm optimisation, synchronous.
    Pso(PsoParams),
    /// The serial, asynchronous particle swarm optimisation of the CPSO paper; CPU only.
    Spso(PsoParams),
    /// Differential evolution.
    De(DeParams),
    /// Differential evolution that adapts its parameters (SHADE).
    Shade(ShadeParams),
    /// CMA-ES with restarts.
    CmaEs(CmaEsParams),
    /// Simulated annealing.
    Sa(SaParams),
    /// Solis and Wets' random search.
    SolisWets(SolisWetsParams),
    /// Scatter search.
    ScatterSearch(ScatterSearchParams),
    /// Evolutionary particle swarm optimisation.
    Epso(EpsoParams),
    /// Cooperative evolutionary multi-swarm optimisation.
    Cmepso(CmepsoParams),
    /// The fireworks algorithm; CPU only.
    Fwa(FwaParams),
    /// GPU-FWA.
    GpuFwa(GpuFwaParams),
}

// Declared here because it uses the macro above.
#[cfg(feature = "serde")]
mod serial;
#[cfg(test)]
mod tests;

impl Default for Algorithm {
    fn default() -> Self {
        Algorithm::Auto(AutoParams::default())
    }
}

macro_rules! from_params {
    ($($params:ident => $algorithm:ident),*) => {
        $(impl From<$params> for Algorithm {
            fn from(params: $params) -> Self {
                Algorithm::$algorithm(params)
            }
        })*
    };
}

from_params!(
    AutoParams => Auto, CmaEsParams => CmaEs, PsoParams => Pso, DeParams => De, ShadeParams => Shade, SaParams => Sa, SolisWetsParams => SolisWets, ScatterSearchParams => ScatterSearch,
    EpsoParams => Epso,
    CmepsoParams => Cmepso, FwaParams => Fwa, GpuFwaParams => GpuFwa
);

/// The value of a parameter, for display.
///
/// ```
/// use warpswarm::{Algorithm, PsoParams, algorithms::Value};
/// let pso = Algorithm::from(PsoParams { velocity_limit: None, ..PsoParams::default() });
/// let parameters = pso.parameters();
/// assert_eq!(parameters[0], ("inertia", Value::Number(0.7298)));
/// let shown: Vec<_> = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
/// assert!(shown.contains(&"velocity_limit=none".into()) && shown.contains(&"boundary=clamp".into()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A number.
    Number(f64),
    /// A name.
    Name(&'static str),
    /// No value: a limit that is not set.
    Unset,
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(x) => write!(f, "{x}"),
            Value::Name(name) => f.write_str(name),
            Value::Unset => f.write_str("none"),
        }
    }
}

impl Algorithm {
    /// Information about this algorithm.
    pub fn info(&self) -> &'static AlgorithmInfo {
        match self {
            Algorithm::Pso(_) => &pso::INFO,
            Algorithm::Spso(_) => &spso::INFO,
            Algorithm::De(_) => &de::INFO,
            Algorithm::Shade(_) => &shade::INFO,
            Algorithm::Auto(_) => &auto::INFO,
            Algorithm::CmaEs(_) => &cma_es::INFO,
            Algorithm::Sa(_) => &sa::INFO,
            Algorithm::SolisWets(_) => &solis_wets::INFO,
            Algorithm::ScatterSearch(_) => &scatter_search::INFO,
            Algorithm::Epso(_) => &epso::INFO,
            Algorithm::Cmepso(_) => &cmepso::INFO,
            Algorithm::Fwa(_) => &fwa::INFO,
            Algorithm::GpuFwa(_) => &gpu_fwa::INFO,
        }
    }

    /// The default number of individuals for a problem with this number of dimensions.
    ///
    /// ```
    /// use warpswarm::{Algorithm, CmaEsParams, DeParams};
    /// let usual = |algorithm: Algorithm| [10, 100].map(|n| algorithm.usual_individuals(n));
    /// assert_eq!(usual(DeParams::default().into()), [64, 64]);
    /// assert_eq!(usual(CmaEsParams::default().into()), [10, 17]);
    /// ```
    pub fn usual_individuals(&self, dimensions: usize) -> u64 {
        match self {
            Algorithm::Auto(_) if AutoParams::is_shade(dimensions) => USUAL_INDIVIDUALS,
            Algorithm::Auto(_) | Algorithm::CmaEs(_) => {
                let dimensions = dimensions.clamp(1, MAX_DIMENSIONS) as u32;
                u64::from(warpswarm_core::cma_es::usual_individuals(dimensions))
            }
            // Ten slaves of ten particles, and one particle of the master swarm for each.
            Algorithm::Cmepso(_) => 110,
            // The number for which the default parameters are chosen.
            Algorithm::GpuFwa(_) => 48,
            // Together they make about fifty sparks.
            Algorithm::Fwa(_) => 5,
            // As in the paper on L-SHADE.
            Algorithm::Shade(params) if params.final_individuals > 0 => {
                18 * dimensions.clamp(1, MAX_DIMENSIONS) as u64
            }
            _ => USUAL_INDIVIDUALS,
        }
    }

    /// The algorithm and settings with which a run starts: missing values are filled in.
    ///
    /// These are the individuals, a limit and the length of schedules. `auto` becomes `pso` for a swarm that is split over
    /// devices, and `shade` among islands, in over 200 dimensions, or with schedules other than `Auto` and `Resident`.
    ///
    /// ```
    /// use warpswarm::{Algorithm, AutoParams, Settings};
    /// let auto = Algorithm::from(AutoParams::default());
    /// let (algorithm, settings) = auto.completed(&Settings::default(), 10);
    /// assert_eq!((algorithm, settings.individuals), (auto, 10));
    /// assert_eq!(settings.stop.evaluations, Some(1_000_000));
    /// assert_eq!(auto.completed(&Settings::default(), 1000).0.info().id, "shade");
    /// ```
    pub fn completed(&self, settings: &Settings, dimensions: usize) -> (Algorithm, Settings) {
        let algorithm = match self {
            Algorithm::Auto(_) => AutoParams::chosen(settings, dimensions),
            other => *other,
        };
        let mut settings = settings.clone();
        if settings.individuals == 0 {
            settings.individuals = algorithm.usual_individuals(dimensions);
        }
        let algorithm = match algorithm {
            Algorithm::Shade(params) => params.completed(&settings).into(),
            Algorithm::Epso(params) => params.completed(&settings).into(),
            Algorithm::Cmepso(params) => {
                CmepsoParams { epso: params.epso.completed(&settings), ..params }.into()
            }
            other => other,
        };
        let Stop { iterations, evaluations, seconds, stagnation, .. } = settings.stop;
        let is_endless = iterations.is_none() && evaluations.is_none() && seconds.is_none();
        // The iterations of these algorithms differ in their number of evaluations, so the default limit is in
        // evaluations.
        if is_endless
            && stagnation.is_none()
            && matches!(self, Algorithm::Auto(_) | Algorithm::CmaEs(_))
        {
            settings.stop.evaluations = Some(USUAL_EVALUATIONS);
        }
        (algorithm, settings)
    }

    /// The names and values of the parameters, in the order of [`AlgorithmInfo::parameters`].
    pub fn parameters(&self) -> Vec<(&'static str, Value)> {
        with_params!(self, params => parameters::list(params))
    }

    /// Sets a parameter by name, or all parameters with the key `preset`.
    ///
    /// ```
    /// let mut pso = warpswarm::algorithms::find("pso")?.algorithm();
    /// pso.set("preset", "cpso-paper")?;
    /// pso.set("inertia", "0.6")?;
    /// assert!(pso.set("inertai", "0.6").is_err());
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the key is unknown or the value is not allowed. The message lists the known keys or the allowed values.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let info = self.info();
        if key == "preset" {
            let preset = info.presets.iter().find(|preset| preset.name == value);
            let preset = preset.ok_or_else(|| Error::UnknownName {
                what: "preset",
                name: value.into(),
                known: info.presets.iter().map(|preset| preset.name).collect(),
            })?;
            *self = preset.algorithm();
            return Ok(());
        }
        with_params!(self, params => parameters::set(params, info, key, value))
    }

    /// Checks that every parameter is in its range.
    ///
    /// # Errors
    ///
    /// If a parameter is out of its range: the error names the first one.
    pub fn check(&self) -> Result<()> {
        with_params!(self, params => parameters::check(params))
    }
}
