//! The capabilities of this machine and of this build of the library.

use std::num::NonZero;

use warpswarm_ptx_builder::lower;

use super::gpu;
use crate::error::Error;

/// The capabilities of this machine and of this build of the library: see [`report`].
///
/// ```
/// let system = warpswarm::system::report();
/// match &system.gpu {
///     Ok(()) => assert!(!system.devices.is_empty() && system.kernels.is_ok()),
///     Err(error) => println!("no GPU: {error}"),
/// }
/// assert!(system.threads >= 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// The CUDA version that the driver supports, such as `13.0`, or why there is none.
    pub driver: Result<String, Error>,
    /// The GPUs.
    pub devices: Vec<Device>,
    /// The built-in kernels, or why there are none.
    pub kernels: Result<Kernels, Error>,
    /// Whether the backend `gpu` can be used, or why not.
    pub gpu: Result<(), Error>,
    /// Whether the backend `emulator` is built in.
    pub emulator: bool,
    /// The number of threads that the backend `cpu` uses by default.
    pub threads: usize,
}

/// A GPU.
///
/// ```
/// use warpswarm::system::{self, Device};
/// for Device { name, memory, compute_capability: (major, minor), .. } in system::report().devices {
///     println!("{name}: {} GiB, compute capability {major}.{minor}", memory >> 30);
///     assert!(memory > 0);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Its memory, in bytes.
    pub memory: u64,
    /// Its compute capability, such as (9, 0).
    pub compute_capability: (u32, u32),
    /// Its number of multiprocessors.
    pub multiprocessors: u32,
}

impl Device {
    /// Whether the built-in kernels run on it; they need compute capability 7.5 or later.
    ///
    /// ```
    /// use warpswarm::system::{self, Device};
    /// let system = system::report();
    /// if let Ok(kernels) = &system.kernels {
    ///     for device in &system.devices {
    ///         println!("{}: {}", device.name, device.runs(kernels));
    ///     }
    /// }
    /// let old = Device { name: "old".into(), memory: 0, compute_capability: (6, 1), multiprocessors: 1 };
    /// let kernels = system::Kernels { count: 1, arch: "sm_75".into(), toolchain: "none".into() };
    /// assert!(!old.runs(&kernels));
    /// ```
    pub fn runs(&self, kernels: &Kernels) -> bool {
        gpu::check_architecture(self, &kernels.arch).is_ok()
    }

    /// Whether it has clusters of blocks and bulk copies, from compute capability 9.0 on. Without them everything runs
    /// with the same results, but some large runs take longer.
    ///
    /// ```
    /// # use warpswarm::system::Device;
    /// let mut device = Device { name: "T4".into(), memory: 0, compute_capability: (7, 5), multiprocessors: 40 };
    /// assert!(!device.has_clusters());
    /// device.compute_capability = (9, 0);
    /// assert!(device.has_clusters());
    /// ```
    pub fn has_clusters(&self) -> bool {
        self.compute_capability >= (9, 0)
    }
}

/// The built-in kernels.
///
/// ```
/// match warpswarm::system::report().kernels {
///     Ok(kernels) => assert!(kernels.count > 0 && kernels.arch.starts_with("sm_")),
///     // `warpswarm setup` gets what compiles them.
///     Err(error) => assert!(!error.is_input()),
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernels {
    /// The number of kernels.
    pub count: usize,
    /// The oldest architecture that runs them, such as `sm_75`.
    pub arch: String,
    /// The compiler that built them.
    pub toolchain: String,
}

/// Examines the driver, the devices, and the build. It never fails: the result says what is missing.
///
/// ```
/// use warpswarm::system;
/// let system = system::report();
/// assert_eq!(system.emulator, cfg!(feature = "emulator"));
/// println!("driver: {}", system.driver.unwrap_or_else(|missing| missing.to_string()));
/// ```
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
            arch: format!("sm_{}", lower::oldest(package.arch())),
            toolchain: package.toolchain().into(),
        }),
        gpu: usable,
        emulator: cfg!(feature = "emulator"),
        threads: threads(),
    }
}

/// The number of threads that the backend `cpu` uses by default.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
