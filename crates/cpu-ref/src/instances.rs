//! Instances of the loops over the methods of `core` and over programs of expressions, compiled with this crate.
//!
//! They take minutes to compile. With little optimisation the compiler reuses instances of generic functions from other
//! crates. So crates that use this one, and their tests, need not compile the loops again.

use warpswarm_core::cmepso::Cmepso;
use warpswarm_core::de::De;
use warpswarm_core::epso::Epso;
use warpswarm_core::gpu_fwa::GpuFwa;
use warpswarm_core::method::Method;
use warpswarm_core::pso_topology::Pso;
use warpswarm_core::real::Float;
use warpswarm_core::sa::Sa;
use warpswarm_core::scatter_search::ScatterSearch;
use warpswarm_core::shade::Shade;
use warpswarm_core::solis_wets::SolisWets;

use crate::{
    DynObjective, ProposeAccept, Swarm, expressions, fwa, generation, population_reduction,
    portfolio, pso, restarts, spso,
};

/// A number that depends on the addresses of a method's loops, so that they are compiled.
fn of_method<R: Float, M: Method<R>>() -> usize {
    [
        generation::start::<R, M> as *const () as usize,
        generation::run::<R, M> as *const () as usize,
        restarts::run::<R, M> as *const () as usize,
        population_reduction::run::<R, M> as *const () as usize,
        <generation::Moving<R, M> as ProposeAccept<R>>::propose as *const () as usize,
        <generation::Moving<R, M> as ProposeAccept<R>>::accept as *const () as usize,
    ]
    .into_iter()
    .fold(0, usize::wrapping_add)
}

fn of_real<R: Float>() -> usize {
    [
        of_method::<R, Pso<R>>(),
        of_method::<R, De<R>>(),
        of_method::<R, Sa<R>>(),
        of_method::<R, SolisWets<R>>(),
        of_method::<R, ScatterSearch<R>>(),
        of_method::<R, Epso<R>>(),
        of_method::<R, Shade<R>>(),
        of_method::<R, Cmepso<R>>(),
        of_method::<R, GpuFwa<R>>(),
        <pso::Flying<R> as ProposeAccept<R>>::propose as *const () as usize,
        Swarm::<R>::new::<DynObjective<'_, R, true>> as *const () as usize,
        pso::run::<R, DynObjective<'_, R, false>> as *const () as usize,
        pso::run::<R, DynObjective<'_, R, true>> as *const () as usize,
        spso::run::<R, DynObjective<'_, R, false>> as *const () as usize,
        spso::run::<R, DynObjective<'_, R, true>> as *const () as usize,
        fwa::start::<R> as *const () as usize,
        fwa::run::<R> as *const () as usize,
        portfolio::start::<R> as *const () as usize,
        portfolio::run::<R> as *const () as usize,
        expressions::run::<R> as *const () as usize,
        expressions::rows::<R> as *const () as usize,
    ]
    .into_iter()
    .fold(0, usize::wrapping_add)
}

/// Has no use except that the loops are compiled for it.
#[doc(hidden)]
pub fn compiled() -> usize {
    of_real::<f32>().wrapping_add(of_real::<f64>())
}
