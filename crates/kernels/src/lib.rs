//! The GPU kernels of warpswarm, generic over the objective.
//!
//! A kernel is thin: find out which work is mine, load, call `core`, reduce, store. Kernels become
//! entries through one macro, [`export_pso!`], for (objective, precision); the workspace's own are
//! exported here for every problem of `core`, and a user's crate calls it for its own.

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

pub mod generation;
pub mod pso;
pub mod run;

use warpswarm_core::de::De;
use warpswarm_core::problems::{self, Shifted};
use warpswarm_core::pso_topology::Pso;
use warpswarm_core::sa::Sa;
use warpswarm_core::solis_wets::SolisWets;

/// A panic ends the launch; kernels are written so that none is reachable.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    warpswarm_device::thread::abort()
}

/// Exports the kernels of methods, each in a module of its own, for problems.
macro_rules! export_methods {
    ($(($module:ident, $name:literal, $method:ident),)* on $problems:tt) => {
        $(export_methods! { @ $module, $name, $method, $problems })*

        #[cfg(not(target_arch = "nvptx64"))]
        fn of_methods() -> impl Iterator<Item = &'static [warpswarm_device::emulator::Entry]> {
            core::iter::empty()$(.chain($module::entries()))*
        }
    };
    (@ $module:ident, $name:literal, $method:ident, ($($problem:ident: $kernels:ident),*)) => {
        #[allow(missing_docs)]
        pub mod $module {
            use super::*;
            $(export_method! {
                $kernels $name, $problem,
                f32: ($method<f32>, Shifted<f32, problems::$problem>),
                f64: ($method<f64>, Shifted<f64, problems::$problem>)
            })*

            #[cfg(not(target_arch = "nvptx64"))]
            pub(super) fn entries()
            -> impl Iterator<Item = &'static [warpswarm_device::emulator::Entry]> {
                [$($problem::f32(), $problem::f64()),*].into_iter()
            }
        }
    };
}

macro_rules! export_problems {
    (() $($problem:ident: $kernels:ident),*) => {
        $(#[cfg(feature = "pso")] export_pso! {
            $kernels $problem,
            f32: Shifted<f32, problems::$problem>,
            f64: Shifted<f64, problems::$problem>
        })*

        #[cfg(feature = "methods")]
        export_methods! {
            (pso_topology, "pso_topology", Pso),
            (de, "de", De),
            (sa, "sa", Sa),
            (solis_wets, "solis_wets", SolisWets),
            on ($($problem: $kernels),*)
        }

        /// Every kernel of the workspace, for the emulator.
        #[cfg(all(feature = "pso", feature = "methods", not(target_arch = "nvptx64")))]
        pub fn entries() -> impl Iterator<Item = &'static warpswarm_device::emulator::Entry> {
            let common = [pso::common(), generation::common()];
            let of_pso = [$($problem::f32(), $problem::f64()),*];
            common.into_iter().chain(of_pso).chain(of_methods()).flatten()
        }
    };
}

warpswarm_core::for_each_problem!(export_problems);
