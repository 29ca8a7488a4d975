//! The algorithms in the form that backends use.

use std::fmt;
use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::fwa::{self, Fwa};
use warpswarm_core::gpu_fwa::GpuFwa;
use warpswarm_core::method::{MAX_ATTEMPTS, MAX_NUMBERS, MAX_OWN, Method};
use warpswarm_core::pso::Coefficients;
use warpswarm_core::pso_topology::{Pso, Topology};
use warpswarm_cpu_ref::population_reduction::PopulationReduction;
use warpswarm_cpu_ref::portfolio::Portfolio;
use warpswarm_cpu_ref::{ProposeAccept, pso};

use super::any_method::AnyMethod;
use super::once;
use super::planner::generation::Moves;
use super::planner::stepwise::Steps;
use crate::algorithms::Algorithm;
use crate::error::{Error, Result};
use crate::machine::kernels::Kernels;
use crate::settings::choices::Backend;

/// An algorithm with its parameters in the number type of the run.
#[derive(Clone, Debug)]
pub(crate) enum Procedure<R> {
    /// The star topology with constant inertia, which has its own loops and kernels.
    Pso(Coefficients<R>),
    Spso(Coefficients<R>),
    /// Not a method; on the CPU only.
    Fwa(Fwa<R>),
    /// CMA-ES, alone or with SHADE.
    Portfolio(Portfolio<R>),
    /// All others.
    Method(Named<R>),
}

/// A method with its name in the names of kernels.
#[derive(Clone)]
pub(crate) struct Named<R> {
    pub(crate) name: &'static str,
    pub(crate) method: Arc<dyn AnyMethod<R>>,
    /// The package with its kernels, unless they are built in.
    pub(crate) kernels: Option<Kernels>,
    /// What the kernels of its paper do, if there are any.
    pub(crate) steps: Option<Steps>,
    /// How its population shrinks, if it does.
    pub(crate) reduction: Option<Arc<PopulationReduction>>,
}

impl<R> Named<R> {
    /// The properties that its layout on a device depends on.
    pub(crate) fn moves(&self) -> Moves {
        Moves { has_steps: self.steps.is_some(), ..self.method.moves() }
    }
}

impl<R> fmt::Debug for Named<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Named").field(&self.name).finish()
    }
}

/// An algorithm, and the backends that support it.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<R> {
    /// Its name in commands and errors.
    pub(crate) id: &'static str,
    pub(crate) procedure: Procedure<R>,
    pub(crate) backends: Vec<Backend>,
}

impl<R: Float> Wanted<R> {
    /// A built-in algorithm, checked for this number of individuals.
    pub(crate) fn new(algorithm: &Algorithm, individuals: u64) -> Result<Self> {
        let info = algorithm.info();
        let procedure = once::procedure(algorithm, individuals)?;
        Ok(Wanted { id: info.id, procedure, backends: info.backends.to_vec() })
    }
}

impl<R: Float> Procedure<R> {
    /// A built-in algorithm, checked for this number of individuals.
    pub(super) fn here(algorithm: &Algorithm, individuals: u64) -> Result<Self> {
        Ok(match algorithm {
            Algorithm::Pso(params) if params.is_plain() => Procedure::Pso(params.coefficients()?),
            Algorithm::Pso(params) => Self::named("pso_topology", params.method::<R>(individuals)?),
            Algorithm::Spso(params) => Procedure::Spso(params.spso()?),
            Algorithm::De(params) => Self::named("de", params.method::<R>(individuals)?),
            Algorithm::Shade(params) => {
                let reduction = params.reduction(individuals)?;
                Self::named("shade", params.method::<R>(individuals)?).with_reduction(reduction)
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

    /// A method, with its name in the names of kernels.
    pub(crate) fn named<M: Method<R>>(name: &'static str, method: M) -> Self {
        const { assert!(M::OWN <= MAX_OWN && M::NUMBERS <= MAX_NUMBERS) };
        let method = Arc::new(method);
        Procedure::Method(Named { name, method, kernels: None, steps: None, reduction: None })
    }

    /// The two halves of its iterations, if all points of an iteration are proposed before any is evaluated.
    pub(super) fn propose_accept(&self) -> Option<Box<dyn ProposeAccept<R>>> {
        match self {
            Procedure::Pso(coefficients) => Some(Box::new(pso::Flying::new(*coefficients))),
            Procedure::Method(named) => Some(named.method.propose_accept()),
            Procedure::Spso(_) | Procedure::Fwa(_) | Procedure::Portfolio(_) => None,
        }
    }

    /// This method with the kernels of its paper.
    fn with_steps(self, steps: Steps) -> Self {
        match self {
            Procedure::Method(named) => Procedure::Method(Named { steps: Some(steps), ..named }),
            other => other,
        }
    }

    /// This method with a shrinking population.
    fn with_reduction(self, reduction: Option<PopulationReduction>) -> Self {
        match self {
            Procedure::Method(named) => {
                Procedure::Method(Named { reduction: reduction.map(Arc::new), ..named })
            }
            other => other,
        }
    }

    /// How the population shrinks, if it does.
    pub(crate) fn reduction(&self) -> Option<&Arc<PopulationReduction>> {
        match self {
            Procedure::Method(named) => named.reduction.as_ref(),
            _ => None,
        }
    }

    /// The algorithm as a method with the same bits, if there is one.
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

    /// This method with these kernels.
    pub(crate) fn with_kernels(self, kernels: Option<Kernels>) -> Self {
        match self {
            Procedure::Method(named) => Procedure::Method(Named { kernels, ..named }),
            other => other,
        }
    }

    /// Checks that a method's number of attempts is allowed.
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

    /// The evaluations of this many individuals in this many iterations; `None` if the number depends on the run.
    pub(super) fn evaluations(&self, individuals: u32, iterations: u64) -> Option<u64> {
        match self {
            Procedure::Fwa(_) | Procedure::Portfolio(_) => None,
            Procedure::Method(named) => Some(match &named.reduction {
                Some(reduction) => reduction.evaluations(iterations),
                None => named.method.evaluations(individuals, iterations),
            }),
            Procedure::Pso(_) | Procedure::Spso(_) => {
                Some(iterations.saturating_mul(u64::from(individuals)))
            }
        }
    }

    /// The evaluations of one leg with this many individuals as a function of its iterations, without the placement.
    pub(super) fn of_leg(&self, individuals: u32) -> impl Fn(u64) -> u64 + '_ {
        move |age| self.evaluations(individuals, age).unwrap_or(0)
    }

    /// The iteration in which an improvement in this iteration is noticed.
    pub(super) fn noticed(&self, iteration: u64) -> u64 {
        match self {
            Procedure::Method(named) => named.method.noticed(iteration),
            _ => iteration,
        }
    }

    /// The count of numbers in a run's memory, if it is a method whose individuals share one.
    pub(crate) fn memory(&self) -> Option<u32> {
        match self {
            Procedure::Method(named) if named.moves().shares => {
                Some(named.method.first_memory().len() as u32)
            }
            _ => None,
        }
    }

    /// The number of own rows, and of numbers, of an individual.
    pub(crate) fn keeps(&self) -> (usize, usize) {
        match self {
            Procedure::Fwa(_) => (0, fwa::NUMBERS),
            Procedure::Portfolio(_) => (0, 0),
            Procedure::Method(named) => named.method.keeps(),
            Procedure::Pso(_) | Procedure::Spso(_) => (2, 0),
        }
    }
}
