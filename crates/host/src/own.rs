//! Methods of one's own.

use std::fmt;
use std::hash::{Hash, Hasher};

#[cfg(feature = "emulator")]
use warpswarm_device::emulator::Entry;

use warpswarm_core::Real;
use warpswarm_core::method::Method;

use crate::backend::{Procedure, Wanted};
use crate::bounds::Bounds;
use crate::choices::Backend;
use crate::error::Result;
use crate::goal::Goal;
use crate::optimiser::{AskTell, Optimiser};
use crate::report::Report;
use crate::settings::Settings;

/// GPU kernels that a crate of one's own has brought along.
#[derive(Clone, Copy)]
pub struct Kernels {
    package: &'static [u8],
    #[cfg(feature = "emulator")]
    entries: &'static [fn() -> &'static [Entry]],
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
        }
    }

    /// The same with what the emulator runs instead: the functions that `export_method!` has made.
    #[cfg(feature = "emulator")]
    pub const fn with_emulated(self, entries: &'static [fn() -> &'static [Entry]]) -> Self {
        Kernels { entries, ..self }
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

    /// Whether a backend has something to run.
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

/// A method of one's own: whatever implements [`Method`], in the precision of the run.
///
/// On the CPU that is all; for GPUs it is [exported](Kernels::new) in a crate that is compiled for them.
///
/// ```
/// use warpswarm::method::{Individual, Method, Numbers, Own, Population, Site};
/// use warpswarm::{Bounds, OwnMethod, Real, Settings, problems::Sphere};
///
/// /// Every individual halves its distance to the best.
/// #[derive(Clone, Copy)]
/// struct Contract;
///
/// impl<R: Real> Method<R> for Contract {
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
/// let report = method.minimise(&Sphere, &bounds, &Settings::default())?;
/// assert!(report.best().value < 0.1);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OwnMethod<R> {
    name: &'static str,
    procedure: Procedure<R>,
    kernels: Option<Kernels>,
}

impl<R: Real> OwnMethod<R> {
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
        Optimiser::start(objective.prepared().0, bounds, self.wanted()?, settings)
    }

    /// The same for a caller who evaluates.
    ///
    /// # Errors
    ///
    /// As [`AskTell::new`].
    pub fn ask_tell(&self, bounds: &Bounds, settings: &Settings) -> Result<AskTell<R>> {
        settings.check()?;
        AskTell::start(bounds, self.wanted()?, settings)
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
