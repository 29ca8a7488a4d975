//! What this machine and this build of the library can do.

use std::num::NonZero;

use crate::backend::machine::gpu;
use crate::error::Error;

/// What this machine and this build of the library can do: see [`report`].
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// The CUDA version that the driver supports, such as `13.0`, or why there is none.
    pub driver: Result<String, Error>,
    /// The GPUs.
    pub devices: Vec<Device>,
    /// The kernels that were built in, or why there are none.
    pub kernels: Result<Kernels, Error>,
    /// Whether the backend `gpu` can be used, or why not.
    pub gpu: Result<(), Error>,
    /// Whether the backend `emulator` was built in.
    pub emulator: bool,
    /// Threads that the backend `cpu` uses by default.
    pub threads: usize,
}

/// A GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Its memory, in bytes.
    pub memory: u64,
    /// Its compute capability, such as (9, 0).
    pub compute_capability: (u32, u32),
    /// Its multiprocessors.
    pub multiprocessors: u32,
}

/// The kernels that were built in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernels {
    /// How many.
    pub count: usize,
    /// The lowest architecture that runs them, such as `sm_80`.
    pub arch: String,
    /// The compiler that made them.
    pub toolchain: String,
}

/// Looks at the driver, the devices, and what was built in. Never fails: what is missing is said
/// in the result.
pub fn report() -> System {
    let kernels = gpu::package();
    let found = gpu::devices();
    let usable = found.clone().and_then(|devices| match &kernels {
        Ok(package) => gpu::check_architecture(&devices[0], package.arch()),
        Err(error) => Err(error.clone()),
    });
    System {
        driver: gpu::driver(),
        devices: found.unwrap_or_default(),
        kernels: kernels.map(|package| Kernels {
            count: package.names().len(),
            arch: package.arch().into(),
            toolchain: package.toolchain().into(),
        }),
        gpu: usable,
        emulator: cfg!(feature = "emulator"),
        threads: threads(),
    }
}

/// Threads that the backend `cpu` uses by default.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
