//! GPU kernels of user crates.

use std::fmt;
use std::hash::{Hash, Hasher};

#[cfg(feature = "emulator")]
use warpswarm_device::emulator::{Entry, Linkable};

use crate::settings::choices::Backend;

/// GPU kernels from a user's crate.
///
/// ```
/// use warpswarm::Kernels;
/// // In a user's crate: `include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx"))`.
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
    /// The kernels that `warpswarm_ptx_builder::for_build_script` has compiled in a build script:
    /// `Kernels::new(include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx")))`.
    ///
    /// The file is empty if there was no compiler for kernels; runs are then on the CPU.
    pub const fn new(package: &'static [u8]) -> Self {
        Kernels {
            package,
            #[cfg(feature = "emulator")]
            entries: &[],
            #[cfg(feature = "emulator")]
            objectives: &[],
        }
    }

    /// These kernels with entries for the emulator: the functions that `export_method!` has generated, and the
    /// functions `gradients` of `export_objective!`.
    #[cfg(feature = "emulator")]
    pub const fn with_emulated(self, entries: &'static [fn() -> &'static [Entry]]) -> Self {
        Kernels { entries, ..self }
    }

    /// These kernels with objectives for the emulator: the functions that `export_objective!` has generated.
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

    /// The entry of this name, for the emulator.
    #[cfg(feature = "emulator")]
    pub(crate) fn entry(&self, name: &str) -> Option<&'static Entry> {
        self.entries.iter().flat_map(|entries| entries()).find(|entry| entry.name() == name)
    }

    /// The objective of this name, for the emulator.
    #[cfg(feature = "emulator")]
    pub(crate) fn objective(&self, name: &str) -> Option<&'static Linkable> {
        let all = self.objectives.iter().flat_map(|objectives| objectives());
        all.into_iter().find(|objective| objective.name() == name)
    }

    /// Whether the package has objectives for a backend.
    pub(crate) fn have_objectives_for(&self, backend: Backend) -> bool {
        match backend {
            Backend::Gpu => !self.package.is_empty(),
            #[cfg(feature = "emulator")]
            Backend::Emulator => !self.objectives.is_empty(),
            _ => backend == Backend::Cpu,
        }
    }

    /// Whether the package has methods for a backend.
    pub(crate) fn are_for(&self, backend: Backend) -> bool {
        match backend {
            Backend::Gpu => !self.package.is_empty(),
            #[cfg(feature = "emulator")]
            Backend::Emulator => !self.entries.is_empty(),
            _ => backend == Backend::Cpu,
        }
    }
}

/// Packages are equal if they are at the same address.
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
