//! The kernels that run a [`Method`](warpswarm_core::method::Method): a warp an individual, iterations one after the other in one
//! launch or one a launch.
//!
//! The population is there twice; an iteration reads what the one before has written and writes the
//! other, so that a barrier an iteration is all the order that is needed. It is also where the
//! blocks agree on the best.

mod meeting;
mod population;

pub mod memory;
pub mod nearest;
pub mod registers;

use warpswarm_core::launch::GenerationArgs;

#[cfg(feature = "methods")]
warpswarm_device::entries! {
    /// The kernels that evaluate nothing.
    pub fn common {
        "generation_nearest_f32" => |args: GenerationArgs<f32>| nearest::nearest(&args),
        "generation_nearest_f64" => |args: GenerationArgs<f64>| nearest::nearest(&args),
    }
}

/// Exports the kernels of one method for one objective, in both precisions.
///
/// `export_method! { any "de", Sphere, f32: (De<f32>, Shifted<f32, Sphere>), f64: (De<f64>, Shifted<f64,
/// Sphere>) }` gives a module `Sphere` with the entries `de_Sphere_f32_x32k1` and so on, for the tiles of
/// [`WarpTile::ALL`](warpswarm_core::launch::WarpTile::ALL). The first word says of which numbers of
/// dimensions, as for [`export_pso!`](crate::export_pso).
#[macro_export]
macro_rules! export_method {
    (any $($rest:tt)*) => { $crate::export_method! { @module ["x32k1"] ["any"] $($rest)* } };
    (many $($rest:tt)*) => { $crate::export_method! { @module ["x32k1"] ["any"] $($rest)* } };
    (two $($rest:tt)*) => { $crate::export_method! { @module ["x32k1"] [] $($rest)* } };
    (few $($rest:tt)*) => { $crate::export_method! { @module ["x32k1"] [] $($rest)* } };
    (@module $held:tt $any:tt $method:literal, $name:ident,
     f32: ($single:ty, $on_single:ty), f64: ($double:ty, $on_double:ty)) => {
        #[allow(non_snake_case, missing_docs)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            use warpswarm_core::launch::{Launch, MethodArgs};
            type Single = Launch<MethodArgs<f32, $single>, $on_single>;
            type Double = Launch<MethodArgs<f64, $double>, $on_double>;
            $crate::export_method! { @real f32, $method, $name, Single, $held $any }
            $crate::export_method! { @real f64, $method, $name, Double, $held $any }
        }
    };
    (@real $real:ident, $method:literal, $name:ident, $launch:ty, [$held:literal] [$($any:literal)?]) => {
        warpswarm_device::entries! {
            /// The kernels in this precision.
            pub fn $real {
                concat!($method, "_", stringify!($name), "_", stringify!($real), "_", $held) =>
                    |launch: $launch| $crate::generation::registers::run(&launch),
                $(concat!($method, "_", stringify!($name), "_", stringify!($real), "_", $any) =>
                    |launch: $launch| $crate::generation::memory::step(&launch),)?
            }
        }
    };
}
