//! The algorithms, and the registry from which the program, its documentation and the tests read
//! what there is.

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

/// Individuals of a run of most algorithms where nobody says how many.
pub(crate) const USUAL_INDIVIDUALS: u64 = 64;
/// Evaluations of a run of `auto` or `cma-es` where no limit is said.
pub const USUAL_EVALUATIONS: u64 = 1_000_000;

/// The backends of an algorithm that has kernels.
const DEVICES: &[Backend] = &[Backend::Cpu, Backend::Gpu, Backend::Emulator];

/// What is known of an algorithm besides its code.
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
    /// What it is, in a few words.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The backends it runs on, besides `auto`.
    pub backends: &'static [Backend],
    /// Named sets of parameters: at least one, the default first.
    pub presets: &'static [Preset],
}

/// What is known of a parameter.
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
    /// What it does.
    pub meaning: &'static str,
    /// Which values are allowed.
    pub range: String,
    /// The default value: that of [`AlgorithmInfo::algorithm`].
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
    /// Where the values come from.
    pub source: &'static str,
    make: fn() -> Algorithm,
}

impl Preset {
    /// The algorithm with these parameters.
    pub fn algorithm(&self) -> Algorithm {
        (self.make)()
    }
}

/// Every algorithm.
///
/// ```
/// // Every algorithm is found by its name, and its defaults are allowed.
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

/// The algorithm of that name.
///
/// ```
/// use warpswarm::algorithms;
/// assert_eq!(algorithms::find("solis-wets")?.presets[0].name, "solis-wets-1981");
/// let error = algorithms::find("anealing").unwrap_err().to_string();
/// assert!(error.starts_with("unknown algorithm `anealing`; did you mean "));
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// # Errors
///
/// Where there is none, with the nearest names.
pub fn find(id: &str) -> Result<&'static AlgorithmInfo> {
    ALL.iter().find(|info| info.id == id).ok_or_else(|| {
        let known: Vec<_> = ALL.iter().map(|info| info.id).collect();
        Error::NoSuch { what: "algorithm", name: id.into(), nearest: nearest(id, &known) }
    })
}

/// Evaluates `$body` with the parameters of whichever algorithm it is.
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
    /// The algorithm with its default parameters: those of the first preset.
    pub fn algorithm(&self) -> Algorithm {
        self.presets[0].algorithm()
    }

    /// What is known of its parameters.
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
    /// The default: CMA-ES and SHADE, which take turns.
    Auto(AutoParams),
    /// Particle swarm optimisation, synchronous.
    Pso(PsoParams),
    /// The CPSO paper's serial, asynchronous particle swarm optimisation; CPU only.
    Spso(PsoParams),
    /// Differential evolution.
    De(DeParams),
    /// Differential evolution that learns its parameters.
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

// Behind the macro that it uses.
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

/// The value of a parameter, for showing it.
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
    /// Nothing: a limit that is not set.
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
    /// What is known of it.
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

    /// Individuals of a run in so many dimensions where nobody says how many.
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
            // Ten slaves of ten particles, each with one in the master.
            Algorithm::Cmepso(_) => 110,
            // For which its parameters are.
            Algorithm::GpuFwa(_) => 48,
            // Which make fifty sparks among them.
            Algorithm::Fwa(_) => 5,
            // As its authors have it.
            Algorithm::Shade(params) if params.final_individuals > 0 => {
                18 * dimensions.clamp(1, MAX_DIMENSIONS) as u64
            }
            _ => USUAL_INDIVIDUALS,
        }
    }

    /// This algorithm and these settings as a run in so many dimensions has them: with individuals, and a limit, where none
    /// are said, with schedules over the iterations of the run, and with what [`Algorithm::Auto`] stands for where it cannot
    /// run by itself: among islands, in more than 200 dimensions, or with a schedule of a launch an iteration, `shade`; where a
    /// swarm is split over devices, `pso`.
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
        // Whose iterations differ in what they evaluate.
        if is_endless
            && stagnation.is_none()
            && matches!(self, Algorithm::Auto(_) | Algorithm::CmaEs(_))
        {
            settings.stop.evaluations = Some(USUAL_EVALUATIONS);
        }
        (algorithm, settings)
    }

    /// The parameters by name, in the order of [`AlgorithmInfo::parameters`].
    pub fn parameters(&self) -> Vec<(&'static str, Value)> {
        with_params!(self, params => parameters::list(params))
    }

    /// Sets a parameter by name, or all of them with `preset`.
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
    /// Names an unknown key with the known ones, or a value with what is allowed.
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

    /// Whether every parameter is in its range.
    ///
    /// # Errors
    ///
    /// Names the first that is not.
    pub fn check(&self) -> Result<()> {
        with_params!(self, params => parameters::check(params))
    }
}
