//! The GPU kernels of warpswarm, and the objectives that they are linked with when they are loaded.
//!
//! A kernel is thin: find out which work is mine, load, call `core`, reduce, store. It knows no
//! objective: [`objective::judge`](warpswarm_device::objective::judge) is what it calls. Objectives are
//! exported by [`export_objective!`], methods by [`export_method!`]: those of the workspace here, a user's
//! in a crate of their own.

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

pub mod generation;
pub mod objectives;
pub mod pso;
pub mod run;

use warpswarm_core::cmepso::Cmepso;
use warpswarm_core::de::De;
use warpswarm_core::epso::Epso;
use warpswarm_core::gpu_fwa::GpuFwa;
use warpswarm_core::pso_topology::Pso;
use warpswarm_core::sa::Sa;
use warpswarm_core::solis_wets::SolisWets;

/// A panic ends the launch; kernels are written so that none is reachable.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    warpswarm_device::thread::abort()
}

macro_rules! export_methods {
    ($(($module:ident, $name:literal, $method:ident)),*) => {
        $(export_method! { $module, $name, $method<f32>, $method<f64> })*

        /// Every kernel of the workspace, for the emulator.
        #[cfg(not(target_arch = "nvptx64"))]
        pub fn entries() -> impl Iterator<Item = &'static warpswarm_device::emulator::Entry> {
            let of_methods = [generation::common() $(, $module::f32(), $module::f64())*];
            pso::entries().chain(of_methods.into_iter().flatten())
        }
    };
}

export_methods! {
    (pso_topology, "pso_topology", Pso),
    (de, "de", De),
    (sa, "sa", Sa),
    (solis_wets, "solis_wets", SolisWets),
    (epso, "epso", Epso),
    (cmepso, "cmepso", Cmepso),
    (gpu_fwa, "gpu_fwa", GpuFwa)
}
