//! What is compiled once for each precision, in this crate.
//!
//! A function of a generic number is compiled in every crate that calls it. The engines take minutes for that, and megabytes in
//! each program; so whoever makes them goes through two functions, of `f32` and `f64`, that are of no generic type.

use std::any::{Any, TypeId};

use warpswarm_core::Float;

use super::{Driver, Job, Procedure, Wanted, start_here};
use crate::algorithms::Algorithm;
use crate::error::Result;
use crate::objective::bounds::Bounds;
use crate::objective::evaluator::Evaluator;
use crate::settings::Settings;

/// A function whose argument, and what it gives, depend on the precision.
type Erased = fn(Box<dyn Any>) -> Box<dyn Any>;

/// What the function of the precision `R` gives, of those of `f32` and `f64`.
fn of<R: Float, A: 'static, B: 'static>([single, double]: [Erased; 2], argument: A) -> B {
    let function = if TypeId::of::<R>() == TypeId::of::<f32>() { single } else { double };
    *function(Box::new(argument)).downcast().expect("of the same precision")
}

/// A function of such an argument.
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

/// A built-in algorithm, checked for so many individuals.
pub(super) fn procedure<R: Float>(algorithm: &Algorithm, individuals: u64) -> Result<Procedure<R>> {
    of::<R, Named, _>([procedure_single, procedure_double], (*algorithm, individuals))
}
