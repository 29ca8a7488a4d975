//! The GPU kernels of warpswarm, generic over the objective.
//!
//! A kernel is thin: find out which work is mine, load, call `core`, reduce, store. Kernels become
//! entries through one macro, [`export_pso!`], for (objective, precision); the workspace's own are
//! exported here for every problem of `core`, and a user's crate calls it for its own.

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

pub mod pso;

use warpswarm_core::problems::{self, Shifted};

/// A panic ends the launch; kernels are written so that none is reachable.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    warpswarm_device::thread::abort()
}

macro_rules! export_problems {
    (() $($problem:ident: $kernels:ident),*) => {
        $(export_pso! {
            $kernels $problem,
            f32: Shifted<f32, problems::$problem>,
            f64: Shifted<f64, problems::$problem>
        })*

        /// Every kernel of the workspace, for the emulator.
        #[cfg(not(target_arch = "nvptx64"))]
        pub fn entries() -> impl Iterator<Item = &'static warpswarm_device::emulator::Entry> {
            let tables = [pso::common() $(, $problem::f32(), $problem::f64())*];
            tables.into_iter().flatten()
        }
    };
}

warpswarm_core::for_each_problem!(export_problems);
