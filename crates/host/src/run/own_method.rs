//! User-defined methods with their GPU kernels.

use warpswarm_core::Float;
use warpswarm_core::method::Method;

use super::optimiser::{AskTell, Optimiser};
use super::report::Report;
use crate::algorithms::USUAL_INDIVIDUALS;
use crate::engine::{Procedure, Wanted};
use crate::error::Result;
use crate::machine::kernels::Kernels;
use crate::objective::any_objective::AnyObjective;
use crate::objective::bounds::Bounds;
use crate::settings::Settings;
use crate::settings::choices::Backend;

/// A user-defined method: a type that implements [`Method`], in the precision of the run.
///
/// On the CPU nothing else is needed; for GPUs it is [exported](Kernels::new) by a crate that is compiled for them.
///
/// ```
/// use warpswarm::method::{Individual, Method, Numbers, Own, Population, Site};
/// use warpswarm::{Bounds, OwnMethod, Float, Settings, Stop, problems::Sphere};
///
/// /// Every individual halves its distance to the best.
/// #[derive(Clone, Copy)]
/// struct Contract;
///
/// impl<R: Float> Method<R> for Contract {
///     const OWN: usize = 0;
///     const NUMBERS: usize = 0;
///     type Observation = ();
///     type Plan = ();
///     fn start(&self, _: R, _: R) -> Own<R> {
///         Own::default()
///     }
///     fn observe<P: Population<R>>(&self, _: &Individual<R>, _: &P, _: &mut Numbers<R>) {}
///     fn plan(&self, _: &Individual<R>, _: (), _: &mut Numbers<R>) {}
///     fn propose<S: Site<R>>(&self, _: &(), site: &S) -> (R, Own<R>) {
///         (R::HALF * (site.public() + site.best()), Own::default())
///     }
/// }
///
/// let bounds = Bounds::uniform(3, -1.0, 1.0)?;
/// let method = OwnMethod::<f64>::new("contract", Contract);
/// let settings = Settings { individuals: 64, stop: Stop::iterations(20), ..Settings::default() };
/// let report = method.minimise(&Sphere, &bounds, &settings)?;
/// assert!(report.best().value < 0.1);
/// assert_eq!(method.optimiser(&Sphere, &bounds, &settings)?.run()?.runs, report.runs);
/// assert_eq!(method.ask_tell(&bounds, &settings)?.ask()?.map(|points| points.len()), Some(64));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OwnMethod<R> {
    name: &'static str,
    procedure: Procedure<R>,
    kernels: Option<Kernels>,
}

/// The settings with the usual number of individuals if none is given.
fn with_individuals(settings: &Settings) -> Settings {
    let individuals =
        if settings.individuals == 0 { USUAL_INDIVIDUALS } else { settings.individuals };
    Settings { individuals, ..settings.clone() }
}

impl<R: Float> OwnMethod<R> {
    /// The method of this name; the names of its kernels begin with it.
    pub fn new(name: &'static str, method: impl Method<R>) -> Self {
        OwnMethod { name, procedure: Procedure::named(name, method), kernels: None }
    }

    /// This method with kernels for GPUs.
    pub fn with_kernels(self, kernels: Kernels) -> Self {
        OwnMethod { kernels: Some(kernels), ..self }
    }

    /// An optimiser that moves individuals by this method.
    ///
    /// # Errors
    ///
    /// As [`Optimiser::new`].
    pub fn optimiser<G: AnyObjective<R>>(
        &self,
        objective: &G,
        bounds: &Bounds,
        settings: &Settings,
    ) -> Result<Optimiser<R>> {
        settings.check()?;
        Optimiser::start(objective, bounds, self.wanted()?, &with_individuals(settings))
    }

    /// As [`optimiser`](OwnMethod::optimiser), for a caller who evaluates the points.
    ///
    /// # Errors
    ///
    /// As [`AskTell::new`].
    pub fn ask_tell(&self, bounds: &Bounds, settings: &Settings) -> Result<AskTell<R>> {
        settings.check()?;
        AskTell::start(bounds, self.wanted()?, &with_individuals(settings))
    }

    fn wanted(&self) -> Result<Wanted<R>> {
        self.procedure.check_attempts()?;
        let all = [Backend::Cpu, Backend::Gpu, Backend::Emulator];
        let are_for = |backend| match &self.kernels {
            Some(kernels) => kernels.are_for(backend),
            None => backend == Backend::Cpu,
        };
        Ok(Wanted {
            id: self.name,
            procedure: self.procedure.clone().with_kernels(self.kernels),
            backends: all.into_iter().filter(|&backend| are_for(backend)).collect(),
        })
    }

    /// Minimises an objective with this method.
    ///
    /// # Errors
    ///
    /// As [`Optimiser::new`] and [`Optimiser::run`].
    pub fn minimise<G: AnyObjective<R>>(
        &self,
        objective: &G,
        bounds: &Bounds,
        settings: &Settings,
    ) -> Result<Report<R>> {
        self.optimiser(objective, bounds, settings)?.run()
    }
}
