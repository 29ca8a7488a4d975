//! Kernels that fit expressions, for each of [`FIT_SIZES`](warpswarm_core::launch::FIT_SIZES).

// The host's table of entries uses the name; on the device only the types of arguments do.
#[allow(unused_imports)]
use warpswarm_core::expression::Expression;

macro_rules! export_fits {
    ($($module:ident: $n:literal),*) => {
        $(crate::export_model! {
            @ $module, Expression, $n,
            [concat!("fit_Expression_f32_n", $n), concat!("search_Expression_f32_n", $n),
             concat!("sums_Expression_f32_n", $n), concat!("combine_f32_n", $n)],
            [concat!("fit_Expression_f64_n", $n), concat!("search_Expression_f64_n", $n),
             concat!("sums_Expression_f64_n", $n), concat!("combine_f64_n", $n)]
        })*

        warpswarm_device::on_host! {
        /// All entries, for the emulator.
        pub fn common() -> impl Iterator<Item = &'static warpswarm_device::emulator::Entry> {
            [$($module::all()),*].into_iter().flatten()
        }
        }
    };
}

export_fits! { n2: 2, n3: 3, n4: 4, n5: 5, n6: 6, n8: 8, n12: 12 }
