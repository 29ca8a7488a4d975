//! Objectives in the forms that kernels use: the code that is linked with a kernel when it is loaded.

/// Exports an objective in both precisions, for all kernels of the workspace.
///
/// `export_objective! { few decay, "Decay", Decay, Decay }` creates a module `decay` with the objectives
/// `objective_Decay_f32_x8k4` and so on. The first word states for how many dimensions the objective exists, and so
/// which forms it needs: see [`for_each_problem`](warpswarm_core::for_each_problem). The types are those for f32 and
/// for f64. Each objective is exported a second time with [scaled](warpswarm_core::variable::Scaled) variables.
///
/// `export_objective! { few decay, "Decay", Decay, Decay, derivatives }` also creates `decay::gradients`. It has the
/// kernels `gradient_Decay_f32` and `gradient_Decay_f64`, which compute value and gradient at many points (see
/// [`gradients`](crate::gradients::gradients)), and `polish_Decay_f32` and `polish_Decay_f64`, which do local searches
/// (see [`polish`](crate::polish::polish)).
#[macro_export]
macro_rules! export_objective {
    ($forms:ident $module:ident, $name:literal, $single:ty, $double:ty $(, $derivatives:ident)?) => {
        $crate::export_objective! { @ $forms scaled $module [$name] $single, $double $(, $derivatives)? }
    };
    (@ any $as:ident $($rest:tt)*) => {
        $crate::export_objective! { @forms $as [x1k2 x1k16 column x8k4 x16k8 x32k1 warp thread] $($rest)* }
    };
    (@ two $as:ident $($rest:tt)*) => {
        $crate::export_objective! { @forms $as [x1k2 column x32k1 warp thread] $($rest)* }
    };
    (@ few $as:ident $($rest:tt)*) => {
        $crate::export_objective! { @forms $as [x1k16 column x8k4 x32k1 warp thread] $($rest)* }
    };
    (@ many $as:ident $($rest:tt)*) => {
        $crate::export_objective! { @forms $as [x1k16 column x8k4 x16k8 x32k1 warp thread] $($rest)* }
    };
    (@forms $as:ident $forms:tt $module:ident $name:tt $single:ty, $double:ty $(, $derivatives:ident)?) => {
        #[allow(non_snake_case, missing_docs)]
        pub mod $module {
            #[allow(unused_imports)]
            use super::*;
            $crate::export_objective! { @$as f32 $name $single, $forms }
            $crate::export_objective! { @$as f64 $name $double, $forms }
            $($crate::export_objective! { @$derivatives $name $single, $double })?
        }
    };
    (@derivatives [$name:literal] $single:ty, $double:ty) => {
        $crate::device::entries! {
            /// The kernels that compute gradients, and those that polish.
            pub fn gradients {
                concat!("gradient_", $name, "_f32") =>
                    |args: $crate::gradients::Args<f32, $single>| $crate::gradients::gradients(&args),
                concat!("gradient_", $name, "_f64") =>
                    |args: $crate::gradients::Args<f64, $double>| $crate::gradients::gradients(&args),
                concat!("polish_", $name, "_f32") =>
                    |args: $crate::polish::Args<f32, $single>| $crate::polish::polish(&args),
                concat!("polish_", $name, "_f64") =>
                    |args: $crate::polish::Args<f64, $double>| $crate::polish::polish(&args),
            }
        }
    };
    (@plain $real:ident $name:tt $objective:ty, [$($form:ident)*]) => {
        $crate::device::objectives! {
            /// The objective in this precision.
            pub fn $real {
                $($crate::export_objective!(@name $name $real $form) =>
                    ($real, $objective, $crate::export_objective!(@form $form $real)),)*
            }
        }
    };
    (@scaled $real:ident [$name:literal] $objective:ty, [$($form:ident)*]) => {
        $crate::device::objectives! {
            /// The objective in this precision, with plain and with scaled variables.
            pub fn $real {
                $($crate::export_objective!(@name [$name] $real $form) =>
                    ($real, $objective, $crate::export_objective!(@form $form $real)),)*
                $($crate::export_objective!(@name [$name, "_scaled"] $real $form) =>
                    ($real, $crate::core::variable::Scaled<$objective>,
                     $crate::export_objective!(@form $form $real)),)*
            }
        }
    };
    (@name [$($name:tt)*] $real:ident $form:ident) => {
        concat!("objective_", $($name)*, "_", stringify!($real), "_", stringify!($form))
    };
    (@form x1k16 $real:ident) => { $crate::device::point::TilePoint<$real, 1, 16> };
    (@form x1k2 $real:ident) => { $crate::device::point::TilePoint<$real, 1, 2> };
    (@form column $real:ident) => { $crate::device::point::ColumnPoint<$real> };
    (@form x8k4 $real:ident) => { $crate::device::point::TilePoint<$real, 8, 4> };
    (@form x16k8 $real:ident) => { $crate::device::point::TilePoint<$real, 16, 8> };
    (@form x32k1 $real:ident) => { $crate::device::point::TilePoint<$real, 32, 1> };
    (@form warp $real:ident) => { $crate::device::point::WarpPoint<$real> };
    (@form thread $real:ident) => { $crate::device::point::ThreadPoint<$real> };
}

#[cfg(feature = "built-in")]
use warpswarm_core::problems::{self, Shifted};

#[cfg(feature = "built-in")]
macro_rules! export_problems {
    (() $($problem:ident: $forms:ident),*) => {
        $(export_objective! {
            @ $forms plain $problem [stringify!($problem)]
            Shifted<f32, problems::$problem>, Shifted<f64, problems::$problem>
        })*

        warpswarm_device::on_host! {
        /// The objective of every problem, and expressions, for the emulator.
        pub fn all() -> impl Iterator<Item = &'static warpswarm_device::emulator::Linkable> {
            use crate::expressions::expression;
            let expressions = [expression::f32(), expression::f64()];
            [$($problem::f32(), $problem::f64()),*].into_iter().chain(expressions).flatten()
        }
        }
    };
}

#[cfg(feature = "built-in")]
warpswarm_core::for_each_problem!(export_problems);
