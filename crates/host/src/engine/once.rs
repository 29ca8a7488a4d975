//! Compiles the engines once for each precision, in this crate.
//!
//! A generic function is compiled in every crate that calls it. For the engines this takes minutes, and megabytes in
//! each program. Therefore they are created through two functions that are not generic, for `f32` and `f64`.

use std::any::{Any, TypeId};

use warpswarm_core::Float;

use super::{Driver, Job, Procedure, Wanted, start_here};
use crate::algorithms::Algorithm;
use crate::error::Result;
use crate::objective::bounds::Bounds;
use crate::objective::evaluator::Evaluator;
use crate::settings::Settings;

/// A function whose argument and result depend on the precision.
type Erased = fn(Box<dyn Any>) -> Box<dyn Any>;

/// Calls the function for the precision `R`, of those for `f32` and `f64`.
fn of<R: Float, A: 'static, B: 'static>([single, double]: [Erased; 2], argument: A) -> B {
    let function = if TypeId::of::<R>() == TypeId::of::<f32>() { single } else { double };
    *function(Box::new(argument)).downcast().expect("of the same precision")
}

/// Calls a function with a type-erased argument.
fn erased<A: 'static, B: 'static>(
    argument: Box<dyn Any>,
    function: impl FnOnce(A) -> B,
) -> Box<dyn Any> {
    Box::new(function(*argument.downcast().expect("of the same precision")))
}

type Asked<R> = (Evaluator<R>, Bounds, Wanted<R>, Settings);

fn started<R: Float>((by, bounds, wanted, settings): Asked<R>) -> Result<(Job<R>, Driver<R>)> {
    start_here(by, &bounds, wanted, &settings)
}

#[inline(never)]
fn start_single(asked: Box<dyn Any>) -> Box<dyn Any> {
    erased(asked, started::<f32>)
}

#[inline(never)]
fn start_double(asked: Box<dyn Any>) -> Box<dyn Any> {
    erased(asked, started::<f64>)
}

/// See [`start_here`].
pub(crate) fn start<R: Float>(
    by: Evaluator<R>,
    bounds: &Bounds,
    wanted: Wanted<R>,
    settings: &Settings,
) -> Result<(Job<R>, Driver<R>)> {
    of::<R, Asked<R>, _>(
        [start_single, start_double],
        (by, bounds.clone(), wanted, settings.clone()),
    )
}

type Named = (Algorithm, u64);

fn procedure_of<R: Float>((algorithm, individuals): Named) -> Result<Procedure<R>> {
    Procedure::here(&algorithm, individuals)
}

#[inline(never)]
fn procedure_single(named: Box<dyn Any>) -> Box<dyn Any> {
    erased(named, procedure_of::<f32>)
}

#[inline(never)]
fn procedure_double(named: Box<dyn Any>) -> Box<dyn Any> {
    erased(named, procedure_of::<f64>)
}

/// A built-in algorithm, checked for this number of individuals.
pub(super) fn procedure<R: Float>(algorithm: &Algorithm, individuals: u64) -> Result<Procedure<R>> {
    of::<R, Named, _>([procedure_single, procedure_double], (*algorithm, individuals))
}
