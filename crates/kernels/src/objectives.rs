//! Objectives in the forms that kernels ask for: what is linked with a kernel when it is loaded.

/// Exports an objective in both precisions, for all kernels of the workspace.
///
/// `export_objective! { any Sphere, f32: Shifted<f32, Sphere>, f64: Shifted<f64, Sphere> }` gives a module
/// `Sphere` with the objectives `objective_Sphere_f32_x8k4` and so on. The first word says in which
/// numbers of dimensions it exists, and so which forms it needs: see
/// [`for_each_problem`](warpswarm_core::for_each_problem).
#[macro_export]
macro_rules! export_objective {
    (any $($rest:tt)*) => {
        $crate::export_objective! { @ [x1k2 x1k8 x8k4 x16k8 x32k1 warp thread] $($rest)* }
    };
    (two $($rest:tt)*) => {
        $crate::export_objective! { @ [x1k2 x1k8 x32k1 warp thread] $($rest)* }
    };
    (few $($rest:tt)*) => {
        $crate::export_objective! { @ [x1k8 x8k4 x32k1 warp thread] $($rest)* }
    };
    (many $($rest:tt)*) => {
        $crate::export_objective! { @ [x1k8 x8k4 x16k8 x32k1 warp thread] $($rest)* }
    };
    (@ $forms:tt $name:ident, f32: $single:ty, f64: $double:ty) => {
        #[allow(non_snake_case, missing_docs)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            $crate::export_objective! { @real f32 $name $single, $forms }
            $crate::export_objective! { @real f64 $name $double, $forms }
        }
    };
    (@real $real:ident $name:ident $objective:ty, [$($form:ident)*]) => {
        warpswarm_device::objectives! {
            /// The objective in this precision.
            pub fn $real {
                $(concat!("objective_", stringify!($name), "_", stringify!($real), "_", stringify!($form)) =>
                    ($real, $objective, $crate::export_objective!(@form $form $real)),)*
            }
        }
    };
    (@form x1k2 $real:ident) => { warpswarm_device::point::TilePoint<$real, 1, 2> };
    (@form x1k8 $real:ident) => { warpswarm_device::point::TilePoint<$real, 1, 8> };
    (@form x8k4 $real:ident) => { warpswarm_device::point::TilePoint<$real, 8, 4> };
    (@form x16k8 $real:ident) => { warpswarm_device::point::TilePoint<$real, 16, 8> };
    (@form x32k1 $real:ident) => { warpswarm_device::point::TilePoint<$real, 32, 1> };
    (@form warp $real:ident) => { warpswarm_device::point::WarpPoint<$real> };
    (@form thread $real:ident) => { warpswarm_device::point::ThreadPoint<$real> };
}

#[cfg(feature = "built-in")]
use warpswarm_core::problems::{self, Shifted};

#[cfg(feature = "built-in")]
macro_rules! export_problems {
    (() $($problem:ident: $forms:ident),*) => {
        $(export_objective! {
            $forms $problem,
            f32: Shifted<f32, problems::$problem>,
            f64: Shifted<f64, problems::$problem>
        })*

        warpswarm_device::on_host! {
        /// Every problem's objective, for the emulator.
        pub fn all() -> impl Iterator<Item = &'static warpswarm_device::emulator::Linkable> {
            [$($problem::f32(), $problem::f64()),*].into_iter().flatten()
        }
        }
    };
}

#[cfg(feature = "built-in")]
warpswarm_core::for_each_problem!(export_problems);
