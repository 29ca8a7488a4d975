//! The kernels that run a [`Method`](warpswarm_core::method::Method). A thread, eight lanes or a warp move an
//! individual. One launch does many iterations, or one.
//!
//! Points, fitness and numbers are stored twice: an iteration reads what the previous one wrote, and writes the other
//! copy. One barrier an iteration is therefore enough. At that barrier the blocks also agree on the best individual.

mod best_exchange;
mod in_common;
pub(crate) mod place;
pub(crate) mod population;
pub mod population_reduction;
mod proposal;
mod remembered;
pub(crate) mod seen;
mod swarms;

pub mod hosted;
pub mod memory;
pub mod nearest;
pub mod resident;
pub mod threads;
pub mod tiles;
pub mod warps;

#[cfg(feature = "built-in")]
use warpswarm_core::launch::{GenerationArgs, MethodArgs, PopulationReductionArgs};
#[cfg(feature = "built-in")]
use warpswarm_core::shade::Shade;

#[cfg(feature = "built-in")]
warpswarm_device::entries! {
    /// The kernels that evaluate nothing.
    pub fn common {
        "generation_nearest_f32" => |args: GenerationArgs<f32>| nearest::nearest(&args),
        "generation_nearest_f64" => |args: GenerationArgs<f64>| nearest::nearest(&args),
        "generation_rank_f32" => |args: PopulationReductionArgs<f32>| population_reduction::rank(&args),
        "generation_rank_f64" => |args: PopulationReductionArgs<f64>| population_reduction::rank(&args),
        "generation_places_f32" => |args: PopulationReductionArgs<f32>| population_reduction::places(&args),
        "generation_places_f64" => |args: PopulationReductionArgs<f64>| population_reduction::places(&args),
        "generation_fall_f32" => |args: PopulationReductionArgs<f32>| population_reduction::reduce(&args),
        "generation_fall_f64" => |args: PopulationReductionArgs<f64>| population_reduction::reduce(&args),
        // SHADE is the only method whose population shrinks.
        "shade_f32_teach" => |args: MethodArgs<f32, Shade<f32>>| population_reduction::teach(&args),
        "shade_f64_teach" => |args: MethodArgs<f64, Shade<f64>>| population_reduction::teach(&args),
    }
}

/// Exports the kernels of a method, in both precisions.
///
/// `export_method! { de, "de", De<f32>, De<f64> }` creates a module `de` with the entries `de_f32_x32k1` and so on: see
/// [`generation_kernels`](warpswarm_core::launch::generation_kernels). `far` in front leaves out the kernels that a
/// method that [looks far](warpswarm_core::method::Method::observes_far) does not use.
#[macro_export]
macro_rules! export_method {
    (far $module:ident, $name:literal, $single:ty, $double:ty) => {
        $crate::export_method! { @ $module, $name, $single, $double, [] }
    };
    ($module:ident, $name:literal, $single:ty, $double:ty) => {
        $crate::export_method! { @ $module, $name, $single, $double, [(
            "x8k4",
            $crate::generation::tiles::Tiles
        )] }
    };
    (@ $module:ident, $name:literal, $single:ty, $double:ty, [$($near:tt)*]) => {
        #[allow(missing_docs)]
        pub mod $module {
            #[allow(unused_imports)]
            use super::*;
            $crate::export_method! { @real f32, $name, $single, [$($near)*
                ("column", $crate::generation::threads::Threads)
                ("x32k1", $crate::generation::warps::Warps)] }
            $crate::export_method! { @real f64, $name, $double, [$($near)*
                ("column", $crate::generation::threads::Threads)
                ("x32k1", $crate::generation::warps::Warps)] }
        }
    };
    (@real $real:ident, $name:literal, $method:ty, [$(($tile:literal, $($spread:tt)*))*]) => {
        $crate::device::entries! {
            /// The kernels in this precision.
            pub fn $real {
                $(concat!($name, "_", stringify!($real), "_", $tile) =>
                    |args: $crate::core::launch::MethodArgs<$real, $method>|
                        $crate::generation::resident::run::<$real, $method, $($spread)*<$real>, false>(
                            &args,
                        ),
                concat!($name, "_", stringify!($real), "_", $tile, "_constrained") =>
                    |args: $crate::core::launch::MethodArgs<$real, $method>|
                        $crate::generation::resident::run::<$real, $method, $($spread)*<$real>, true>(
                            &args,
                        ),)*
                concat!($name, "_", stringify!($real), "_any") =>
                    |args: $crate::core::launch::MethodArgs<$real, $method>|
                        $crate::generation::memory::step::<$real, $method>(&args),
                concat!($name, "_", stringify!($real), "_ask") =>
                    |args: $crate::core::launch::MethodArgs<$real, $method>|
                        $crate::generation::hosted::ask::<$real, $method>(&args),
                concat!($name, "_", stringify!($real), "_tell") =>
                    |args: $crate::core::launch::MethodArgs<$real, $method>|
                        $crate::generation::hosted::tell::<$real, $method>(&args),
            }
        }
    };
}
