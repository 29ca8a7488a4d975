//! Instances of the loops over the methods of `core`, over programs of expressions and over the rows of fits, and of
//! the built-in problems, compiled with this crate.
//!
//! They take minutes to compile. With little optimisation the compiler reuses instances of generic functions from other
//! crates. So crates that use this one, and their tests, need not compile the loops again.

use warpswarm_core::Objective;
use warpswarm_core::cmepso::Cmepso;
use warpswarm_core::de::De;
use warpswarm_core::epso::Epso;
use warpswarm_core::fit::{Accumulator, Normal, Triangular};
use warpswarm_core::gpu_fwa::GpuFwa;
use warpswarm_core::method::Method;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::problems::*;
use warpswarm_core::pso_topology::Pso;
use warpswarm_core::real::Float;
use warpswarm_core::sa::Sa;
use warpswarm_core::scatter_search::ScatterSearch;
use warpswarm_core::shade::Shade;
use warpswarm_core::solis_wets::SolisWets;

use crate::{
    DynObjective, ProposeAccept, Swarm, expressions, fit, fwa, generation, population_reduction,
    portfolio, pso, restarts, spso, vectors,
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

/// The same for the evaluation of a problem.
fn of_problem<R: Float, F: Objective<R>>() -> usize {
    vectors::evaluate::<R, Shifted<R, F>, SlicePoint<'_, R>> as *const () as usize
}

fn of_problems<R: Float>() -> usize {
    macro_rules! all {
        (() $($problem:ident: $kernels:ident),*) => {
            [$(of_problem::<R, $problem>()),*].into_iter().fold(0, usize::wrapping_add)
        };
    }
    warpswarm_core::for_each_problem!(all)
}

/// The same for fits of up to `N` parameters.
fn of_fits<R: Float, A: Accumulator<R, N>, const N: usize>() -> usize {
    let add = fit::add::<R, A, N> as *const () as usize;
    add.wrapping_add(fit::advance::<R, A, N> as *const () as usize)
}

fn of_all_fits<const N: usize>() -> usize {
    [
        of_fits::<f32, Normal<f32, N>, N>(),
        of_fits::<f64, Normal<f64, N>, N>(),
        of_fits::<f64, Triangular<f64, N>, N>(),
    ]
    .into_iter()
    .fold(0, usize::wrapping_add)
}

fn of_real<R: Float>() -> usize {
    [
        of_problems::<R>(),
        fit::terms::<R> as *const () as usize,
        fit::cost::<R> as *const () as usize,
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
    [
        of_real::<f32>(),
        of_real::<f64>(),
        of_all_fits::<2>(),
        of_all_fits::<3>(),
        of_all_fits::<4>(),
        of_all_fits::<5>(),
        of_all_fits::<6>(),
        of_all_fits::<8>(),
    ]
    .into_iter()
    .fold(0, usize::wrapping_add)
}
