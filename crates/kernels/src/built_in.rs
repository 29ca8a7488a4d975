//! The kernels of the workspace's methods.

use warpswarm_core::cmepso::Cmepso;
use warpswarm_core::de::De;
use warpswarm_core::epso::Epso;
use warpswarm_core::gpu_fwa::GpuFwa;
use warpswarm_core::pso_topology::Pso;
use warpswarm_core::sa::Sa;
use warpswarm_core::scatter_search::ScatterSearch;
use warpswarm_core::shade::Shade;
use warpswarm_core::solis_wets::SolisWets;

macro_rules! export_methods {
    ($(($module:ident, $name:literal, $method:ident $(, $far:ident)?)),*) => {
        $(crate::export_method! { $($far)? $module, $name, $method<f32>, $method<f64> })*

        warpswarm_device::on_host! {
        /// Every kernel of the workspace, for the emulator.
        pub fn entries() -> impl Iterator<Item = &'static warpswarm_device::emulator::Entry> {
            let of_methods = [crate::generation::common() $(, $module::f32(), $module::f64())*];
            let others = crate::pso::entries().chain(crate::migration::common()).chain(crate::epsilon_level::common()).chain(crate::device_points::common()).chain(crate::convergence::common()).chain(crate::cma_es::common()).chain(crate::auto::common()).chain(crate::fits::common()).chain(crate::stepwise::of_methods());
            others.chain(of_methods.into_iter().flatten())
        }
        }
    };
}

export_methods! {
    (pso_topology, "pso_topology", Pso),
    (de, "de", De),
    (sa, "sa", Sa),
    (solis_wets, "solis_wets", SolisWets),
    (scatter_search, "scatter_search", ScatterSearch, far),
    (epso, "epso", Epso),
    (shade, "shade", Shade),
    (cmepso, "cmepso", Cmepso, far),
    (gpu_fwa, "gpu_fwa", GpuFwa, far)
}
