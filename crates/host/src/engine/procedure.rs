//! The algorithms as backends know them.

use std::fmt;
use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::fwa::{self, Fwa};
use warpswarm_core::gpu_fwa::GpuFwa;
use warpswarm_core::method::{MAX_ATTEMPTS, MAX_NUMBERS, MAX_OWN, Method};
use warpswarm_core::pso::Coefficients;
use warpswarm_core::pso_topology::{Pso, Topology};
use warpswarm_cpu_ref::falling::Falls;
use warpswarm_cpu_ref::portfolio::Portfolio;
use warpswarm_cpu_ref::{Halves, pso};

use super::any_method::AnyMethod;
use super::once;
use super::planner::generation::Moves;
use super::planner::stepwise::Steps;
use crate::algorithms::Algorithm;
use crate::error::{Error, Result};
use crate::machine::kernels::Kernels;
use crate::settings::choices::Backend;

/// An algorithm with its parameters in the run's number type.
#[derive(Clone, Debug)]
pub(crate) enum Procedure<R> {
    /// A star with constant inertia, which has loops and kernels of its own.
    Pso(Coefficients<R>),
    Spso(Coefficients<R>),
    /// No method: on the CPU alone.
    Fwa(Fwa<R>),
    /// CMA-ES, alone or with SHADE.
    Portfolio(Portfolio<R>),
    /// All others.
    Method(Named<R>),
}

/// A method, with its name in the names of kernels.
#[derive(Clone)]
pub(crate) struct Named<R> {
    pub(crate) name: &'static str,
    pub(crate) method: Arc<dyn AnyMethod<R>>,
    /// Where its kernels are, unless they are built in.
    pub(crate) kernels: Option<Kernels>,
    /// What the kernels of its paper do, if it has such.
    pub(crate) steps: Option<Steps>,
    /// When its population falls, if it does.
    pub(crate) falls: Option<Arc<Falls>>,
}

impl<R> Named<R> {
    /// What its layout over a device depends on.
    pub(crate) fn moves(&self) -> Moves {
        Moves { has_steps: self.steps.is_some(), ..self.method.moves() }
    }
}

impl<R> fmt::Debug for Named<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Named").field(&self.name).finish()
    }
}

/// An algorithm, and where it can run.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<R> {
    /// The name by which users call it.
    pub(crate) id: &'static str,
    pub(crate) procedure: Procedure<R>,
    pub(crate) backends: Vec<Backend>,
}

impl<R: Float> Wanted<R> {
    /// A built-in algorithm, checked for so many individuals.
    pub(crate) fn new(algorithm: &Algorithm, individuals: u64) -> Result<Self> {
        let info = algorithm.info();
        let procedure = once::procedure(algorithm, individuals)?;
        Ok(Wanted { id: info.id, procedure, backends: info.backends.to_vec() })
    }
}

impl<R: Float> Procedure<R> {
    /// A built-in algorithm, checked for so many individuals.
    pub(super) fn here(algorithm: &Algorithm, individuals: u64) -> Result<Self> {
        Ok(match algorithm {
            Algorithm::Pso(params) if params.is_plain() => Procedure::Pso(params.coefficients()?),
            Algorithm::Pso(params) => Self::named("pso_topology", params.method::<R>(individuals)?),
            Algorithm::Spso(params) => Procedure::Spso(params.spso()?),
            Algorithm::De(params) => Self::named("de", params.method::<R>(individuals)?),
            Algorithm::Shade(params) => {
                let falls = params.falls(individuals)?;
                Self::named("shade", params.method::<R>(individuals)?).falling(falls)
            }
            Algorithm::Sa(params) => Self::named("sa", params.method::<R>()?),
            Algorithm::SolisWets(params) => Self::named("solis_wets", params.method::<R>()?),
            Algorithm::Epso(params) => Self::named("epso", params.method::<R>()?),
            Algorithm::Cmepso(params) => {
                let method = params.method::<R>(individuals)?;
                let (slaves, particles) = (method.slaves, method.of_slave());
                Self::named("cmepso", method).with_steps(Steps::Swarms { slaves, particles })
            }
            Algorithm::GpuFwa(params) => {
                let method = params.method::<R>()?;
                let GpuFwa { sparks, explosions, .. } = method;
                Self::named("gpu_fwa", method).with_steps(Steps::Fireworks { sparks, explosions })
            }
            Algorithm::ScatterSearch(params) => {
                Self::named("scatter_search", params.method::<R>(individuals)?)
            }
            Algorithm::Auto(params) => Procedure::Portfolio(params.portfolio(individuals)?),
            Algorithm::CmaEs(params) => Procedure::Portfolio(params.portfolio(individuals)?),
            Algorithm::Fwa(params) => Procedure::Fwa(params.fireworks(individuals)?),
        })
    }

    /// A method, by its name in the names of kernels.
    pub(crate) fn named<M: Method<R>>(name: &'static str, method: M) -> Self {
        const { assert!(M::OWN <= MAX_OWN && M::NUMBERS <= MAX_NUMBERS) };
        let method = Arc::new(method);
        Procedure::Method(Named { name, method, kernels: None, steps: None, falls: None })
    }

    /// The halves of its iterations, where all points of one are proposed before any is evaluated.
    pub(super) fn halves(&self) -> Option<Box<dyn Halves<R>>> {
        match self {
            Procedure::Pso(coefficients) => Some(Box::new(pso::Flying::new(*coefficients))),
            Procedure::Method(named) => Some(named.method.halves()),
            Procedure::Spso(_) | Procedure::Fwa(_) | Procedure::Portfolio(_) => None,
        }
    }

    /// The same method with kernels of its paper, which do this.
    fn with_steps(self, steps: Steps) -> Self {
        match self {
            Procedure::Method(named) => Procedure::Method(Named { steps: Some(steps), ..named }),
            other => other,
        }
    }

    /// The same method with a population that falls so.
    fn falling(self, falls: Option<Falls>) -> Self {
        match self {
            Procedure::Method(named) => {
                Procedure::Method(Named { falls: falls.map(Arc::new), ..named })
            }
            other => other,
        }
    }

    /// When the population falls, if it does.
    pub(crate) fn falls(&self) -> Option<&Arc<Falls>> {
        match self {
            Procedure::Method(named) => named.falls.as_ref(),
            _ => None,
        }
    }

    /// The same as a method, with the same bits, if it is one.
    pub(super) fn as_method(&self) -> Self {
        match self {
            &Procedure::Pso(coefficients) => {
                let star = Pso {
                    coefficients,
                    final_inertia: coefficients.inertia,
                    inertia_iterations: 0,
                    topology: Topology::Star,
                    width: 0,
                };
                Self::named("pso_topology", star)
            }
            other => other.clone(),
        }
    }

    /// The same method with these kernels.
    pub(crate) fn with_kernels(self, kernels: Option<Kernels>) -> Self {
        match self {
            Procedure::Method(named) => Procedure::Method(Named { kernels, ..named }),
            other => other,
        }
    }

    /// Whether a method makes as many attempts as it may.
    pub(crate) fn check_attempts(&self) -> Result<()> {
        match self {
            Procedure::Method(named)
                if !(1..=MAX_ATTEMPTS).contains(&named.method.moves().attempts) =>
            {
                Err(Error::Setting {
                    field: "most_attempts",
                    value: named.method.moves().attempts.to_string(),
                    allowed: format!("1 to {MAX_ATTEMPTS} for the method {}", named.name),
                })
            }
            _ => Ok(()),
        }
    }

    /// Evaluations of so many individuals in so many iterations; none where that depends on the run.
    pub(super) fn evaluations(&self, individuals: u32, iterations: u64) -> Option<u64> {
        match self {
            Procedure::Fwa(_) | Procedure::Portfolio(_) => None,
            Procedure::Method(named) => Some(match &named.falls {
                Some(falls) => falls.evaluations(iterations),
                None => named.method.evaluations(individuals, iterations),
            }),
            Procedure::Pso(_) | Procedure::Spso(_) => {
                Some(iterations.saturating_mul(u64::from(individuals)))
            }
        }
    }

    /// The evaluations of so many iterations of one leg of so many individuals, its placing not counted.
    pub(super) fn of_leg(&self, individuals: u32) -> impl Fn(u64) -> u64 + '_ {
        move |age| self.evaluations(individuals, age).unwrap_or(0)
    }

    /// The iteration in which what happens in this one is noticed.
    pub(super) fn noticed(&self, iteration: u64) -> u64 {
        match self {
            Procedure::Method(named) => named.method.noticed(iteration),
            _ => iteration,
        }
    }

    /// How many numbers a run remembers, if it is a method whose individuals have something in common.
    pub(crate) fn memory(&self) -> Option<u32> {
        match self {
            Procedure::Method(named) if named.moves().shares => {
                Some(named.method.first_memory().len() as u32)
            }
            _ => None,
        }
    }

    /// Own rows, and numbers, of an individual.
    pub(crate) fn keeps(&self) -> (usize, usize) {
        match self {
            Procedure::Fwa(_) => (0, fwa::NUMBERS),
            Procedure::Portfolio(_) => (0, 0),
            Procedure::Method(named) => named.method.keeps(),
            Procedure::Pso(_) | Procedure::Spso(_) => (2, 0),
        }
    }
}
