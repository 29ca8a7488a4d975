//! Objectives and methods of one's own, with their GPU kernels.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

#[cfg(feature = "emulator")]
use warpswarm_device::emulator::{Entry, Linkable};

use warpswarm_core::Float;
use warpswarm_core::method::Method;

use crate::algorithms::USUAL_INDIVIDUALS;
use crate::engine::{Procedure, Wanted};
use crate::error::Result;
use crate::objective::bounds::Bounds;
use crate::objective::data::{Data, LaidOut};
use crate::objective::goal::Goal;
use crate::run::optimiser::{AskTell, Optimiser};
use crate::run::report::Report;
use crate::settings::Settings;
use crate::settings::choices::Backend;

/// GPU kernels that a crate of one's own has brought along.
///
/// ```
/// use warpswarm::Kernels;
/// // In a crate of one's own: `include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx"))`.
/// const NONE: Kernels = Kernels::new(&[]);
/// assert_eq!(format!("{NONE:?}"), "Kernels(0 bytes)");
/// ```
#[derive(Clone, Copy)]
pub struct Kernels {
    package: &'static [u8],
    #[cfg(feature = "emulator")]
    entries: &'static [fn() -> &'static [Entry]],
    #[cfg(feature = "emulator")]
    objectives: &'static [fn() -> &'static [Linkable]],
}

impl Kernels {
    /// Those that `warpswarm_ptx_builder::for_build_script` has compiled in a build script:
    /// `Kernels::new(include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx")))`.
    ///
    /// The file is empty where there was nothing to compile them with; runs are then for the CPU.
    pub const fn new(package: &'static [u8]) -> Self {
        Kernels {
            package,
            #[cfg(feature = "emulator")]
            entries: &[],
            #[cfg(feature = "emulator")]
            objectives: &[],
        }
    }

    /// The same with what the emulator runs instead: the functions that `export_method!` has made, and those
    /// called `gradients` of `export_objective!`.
    #[cfg(feature = "emulator")]
    pub const fn with_emulated(self, entries: &'static [fn() -> &'static [Entry]]) -> Self {
        Kernels { entries, ..self }
    }

    /// The same with the objectives that the emulator runs: the functions that `export_objective!` has made.
    #[cfg(feature = "emulator")]
    pub const fn with_emulated_objectives(
        self,
        objectives: &'static [fn() -> &'static [Linkable]],
    ) -> Self {
        Kernels { objectives, ..self }
    }

    /// The package's bytes.
    pub(crate) fn package(&self) -> &'static [u8] {
        self.package
    }

    /// The entry of that name, for the emulator.
    #[cfg(feature = "emulator")]
    pub(crate) fn entry(&self, name: &str) -> Option<&'static Entry> {
        self.entries.iter().flat_map(|entries| entries()).find(|entry| entry.name() == name)
    }

    /// The objective of that name, for the emulator.
    #[cfg(feature = "emulator")]
    pub(crate) fn objective(&self, name: &str) -> Option<&'static Linkable> {
        let all = self.objectives.iter().flat_map(|objectives| objectives());
        all.into_iter().find(|objective| objective.name() == name)
    }

    /// Whether a backend has objectives to link.
    pub(crate) fn have_objectives_for(&self, backend: Backend) -> bool {
        match backend {
            Backend::Gpu => !self.package.is_empty(),
            #[cfg(feature = "emulator")]
            Backend::Emulator => !self.objectives.is_empty(),
            _ => backend == Backend::Cpu,
        }
    }

    /// Whether a backend has a method to run.
    fn are_for(&self, backend: Backend) -> bool {
        match backend {
            Backend::Gpu => !self.package.is_empty(),
            #[cfg(feature = "emulator")]
            Backend::Emulator => !self.entries.is_empty(),
            _ => backend == Backend::Cpu,
        }
    }
}

/// Packages are the same where they lie at the same place.
impl PartialEq for Kernels {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.package, other.package)
    }
}

impl Eq for Kernels {}

impl Hash for Kernels {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.package.as_ptr().hash(state);
    }
}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernels({} bytes)", self.package.len())
    }
}

/// An objective of one's own with GPU kernels, which run it with every algorithm.
///
/// It is [exported](Kernels::new) in a crate that is compiled for GPUs, under the name that is given here:
/// `export_objective! { few model, "Model", Model, Model }`. Where no kernels were compiled it runs on the CPU.
/// A built-in problem that takes data ([`ImageRegistration`](crate::problem::problems::ImageRegistration)) needs no kernels of
/// its own. With `derivatives` at the end of the export there are kernels that compute gradients, too, which
/// [`Optimiser::derivatives`] compares with the CPU's; for the emulator, [`Kernels::with_emulated`] takes the function `gradients`
/// of the module that the export makes.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Kernels, Objective, OwnObjective, Point, Real, Settings, Stop, minimise};
///
/// #[repr(C)]
/// #[derive(Clone, Copy)]
/// struct Model {
///     centre: f64,
/// }
///
/// impl<R: Real> Objective<R> for Model {
///     fn value<P: Point<R>>(&self, x: &P) -> R {
///         x.sum(|_, x| (x - R::from_f64(self.centre)).abs())
///     }
/// }
///
/// // No kernels here: those are what a build script has compiled.
/// let model = OwnObjective::new("Model", Model { centre: 0.5 }).with_kernels(Kernels::new(&[]));
/// let settings = Settings { individuals: 16, stop: Stop::iterations(200), ..Settings::default() };
/// let report = minimise::<f64, _>(&model, &Bounds::uniform(2, -1.0, 1.0)?, &Algorithm::default(), &settings)?;
/// assert!(report.best().position.iter().all(|x| (x - 0.5).abs() < 1e-6));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OwnObjective<R, O> {
    pub(crate) name: &'static str,
    pub(crate) objective: O,
    pub(crate) kernels: Option<Kernels>,
    pub(crate) data: Arc<LaidOut<R>>,
}

impl<R: Float, O> OwnObjective<R, O> {
    /// The objective that was exported under that name.
    pub fn new(name: &'static str, objective: O) -> Self {
        OwnObjective { name, objective, kernels: None, data: Arc::default() }
    }

    /// The same with kernels, for GPUs.
    pub fn with_kernels(self, kernels: Kernels) -> Self {
        OwnObjective { kernels: Some(kernels), ..self }
    }

    /// The same with the data that its tables are of.
    pub fn with_data(self, data: Data<R>) -> Self {
        OwnObjective { data: Arc::new(data.laid_out()), ..self }
    }
}

/// A method of one's own: whatever implements [`Method`], in the precision of the run.
///
/// On the CPU that is all; for GPUs it is [exported](Kernels::new) in a crate that is compiled for them.
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
///     type Seen = ();
///     type Plan = ();
///     fn start(&self, _: R, _: R) -> Own<R> {
///         Own::default()
///     }
///     fn look<P: Population<R>>(&self, _: &Individual<R>, _: &P, _: &mut Numbers<R>) {}
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

/// The settings with individuals, if none are said.
fn with_individuals(settings: &Settings) -> Settings {
    let individuals =
        if settings.individuals == 0 { USUAL_INDIVIDUALS } else { settings.individuals };
    Settings { individuals, ..settings.clone() }
}

impl<R: Float> OwnMethod<R> {
    /// The method of that name, which is also what the names of its kernels begin with.
    pub fn new(name: &'static str, method: impl Method<R>) -> Self {
        OwnMethod { name, procedure: Procedure::named(name, method), kernels: None }
    }

    /// The same with kernels, for GPUs.
    pub fn with_kernels(self, kernels: Kernels) -> Self {
        OwnMethod { kernels: Some(kernels), ..self }
    }

    /// An optimiser that moves individuals by this method.
    ///
    /// # Errors
    ///
    /// As [`Optimiser::new`].
    pub fn optimiser<G: Goal<R>>(
        &self,
        objective: &G,
        bounds: &Bounds,
        settings: &Settings,
    ) -> Result<Optimiser<R>> {
        settings.check()?;
        Optimiser::start(objective, bounds, self.wanted()?, &with_individuals(settings))
    }

    /// The same for a caller who evaluates.
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

    /// Minimises an objective by this method.
    ///
    /// # Errors
    ///
    /// As [`Optimiser::new`] and [`Optimiser::run`].
    pub fn minimise<G: Goal<R>>(
        &self,
        objective: &G,
        bounds: &Bounds,
        settings: &Settings,
    ) -> Result<Report<R>> {
        self.optimiser(objective, bounds, settings)?.run()
    }
}
