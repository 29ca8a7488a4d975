//! The GPU kernels of warpswarm, and the objectives that are linked with them when they are loaded.
//!
//! A kernel is thin: it determines its share of the work, loads data, calls `core`, reduces and stores. It knows no
//! objective; it calls [`objective::judge`](warpswarm_device::objective::judge). [`export_objective!`] exports
//! objectives, and [`export_method!`] exports methods. Those of the workspace are exported here, a user's in a crate of
//! their own.
//!
//! Functions have the attribute `cfg_attr(target_arch = "nvptx64", inline(always))`. On GPUs everything is inlined, so
//! that values stay in registers. Compiled for the emulator, each kernel would have its own copy of everything, which
//! takes more than twice the time.

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

#[doc(hidden)]
pub use warpswarm_core as core;
pub use warpswarm_core::fit::Model;
pub use warpswarm_core::variable::above;
pub use warpswarm_core::{Curve, Fitness, Objective, Point, Real, Surface, Table, Variable};
#[doc(hidden)]
pub use warpswarm_device as device;

#[cfg(feature = "built-in")]
pub mod auto;
#[cfg(feature = "built-in")]
pub mod cma_es;
#[cfg(feature = "built-in")]
pub mod convergence;
#[cfg(feature = "built-in")]
pub mod device_points;
#[cfg(feature = "built-in")]
pub mod epsilon_level;
#[cfg(feature = "built-in")]
pub mod expressions;
pub mod fit;
#[cfg(feature = "built-in")]
pub mod fits;
pub mod generation;
pub mod gradients;
#[cfg(feature = "built-in")]
pub mod migration;
pub mod objectives;
pub mod polish;
#[cfg(feature = "built-in")]
pub mod pso;
pub mod run;
#[cfg(feature = "built-in")]
mod run_state;
#[cfg(feature = "built-in")]
pub mod stepwise;

/// A panic ends the launch; kernels are written so that none is reachable.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &::core::panic::PanicInfo<'_>) -> ! {
    warpswarm_device::thread::abort()
}

#[cfg(feature = "built-in")]
mod built_in;
#[cfg(feature = "built-in")]
pub use built_in::*;
