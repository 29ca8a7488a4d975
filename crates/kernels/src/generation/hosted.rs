//! An iteration whose points the host evaluates: one kernel asks for them, another is told.
//!
//! Both look and plan by themselves: what individuals see does not change in between, and to plan again costs
//! less than to keep the plans.

use warpswarm_core::launch::{MAX_BLOCK, MethodArgs};
use warpswarm_core::method::Method;
use warpswarm_device::entry::max_block;
use warpswarm_device::view::{DeviceReal, View};

use super::memory::{Around, iterate};
use super::population::{Generation, key_of_block};
use crate::run::of_run;

/// Writes the points of all attempts of an iteration, or with `iterations` zero the first ones, for the host to
/// evaluate; a warp an individual.
#[inline(always)]
pub fn ask<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) {
    max_block::<MAX_BLOCK>();
    let (args, method) = (&launch.args, &launch.method);
    let generation = &Generation::of_block(args, (M::OWN, M::NUMBERS), key_of_block(args));
    let Some(iteration) = generation.next() else { return };
    generation.learn(method, iteration, None);
    let stride = args.stride as usize;
    let asked = of_run(args.asked, args.runs, generation.number, tries(launch) * stride);
    generation.each(|index| {
        let (around, first, seen) = Around::looks(method, generation, (iteration, index));
        let attempts = around.attempts(method);
        let mut attempt = 0;
        while attempt < attempts {
            let around = around.attempt(attempt);
            let mut tried = first;
            let plan = method.plan(&around.who, seen, &mut tried);
            let row = asked.part(place(method, index, attempt) * stride, stride);
            around.propose(method, &plan, row);
            attempt += 1;
        }
    });
}

/// Ends the iteration with what the host has told of its points.
///
/// Shared memory: [`MethodTile::shared_bytes`](warpswarm_core::launch::MethodTile::shared_bytes).
#[inline(always)]
pub fn tell<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) {
    iterate(launch, |generation, around, _| {
        let (told, runs) = (launch.args.told, launch.args.runs);
        let told: View<_> = of_run(told, runs, generation.number, tries(launch));
        told.get(place(&launch.method, around.who.index, around.who.attempt))
    });
}

/// The attempts of a run's individuals in an iteration at most.
#[inline(always)]
fn tries<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) -> usize {
    launch.args.individuals as usize * launch.method.most_attempts() as usize
}

/// Where an attempt stands among those of all individuals.
#[inline(always)]
fn place<R: DeviceReal, M: Method<R>>(method: &M, index: u32, attempt: u32) -> usize {
    index as usize * method.most_attempts() as usize + attempt as usize
}
