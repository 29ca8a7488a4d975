//! An iteration whose points the host evaluates. One kernel writes the points, another one reads the results.
//!
//! Both kernels look and plan: what individuals see does not change in between, and planning twice costs less than
//! storing the plans.

use warpswarm_core::launch::{MAX_BLOCK, MethodArgs};
use warpswarm_core::method::Method;
use warpswarm_device::entry::max_block;
use warpswarm_device::view::{DeviceReal, View};

use super::memory::{ProposalContext, iterate};
use super::population::{Generation, key_of_block};
use crate::run::of_run;

/// Writes the points of all attempts of an iteration for the host to evaluate, or, if `iterations` is zero, the first
/// points.
///
/// **Mapping.** A warp works on an individual; warps stride over the individuals of their block.
///
/// **Arrays.** As [`GenerationArgs`](warpswarm_core::launch::GenerationArgs) describes them; writes `asked:
/// [run][individual][attempt][coordinate]`.
///
/// **Launch.** `runs * blocks_per_run` blocks of a multiple of 32 threads, at most [`MAX_BLOCK`]. No shared memory is
/// used.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn ask<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) {
    max_block::<MAX_BLOCK>();
    let (args, method) = (&launch.args, &launch.method);
    let generation = &Generation::of_block(args, (M::OWN, M::NUMBERS), key_of_block(args));
    let Some(iteration) = generation.next() else { return };
    generation.learn(method, iteration, None);
    let stride = args.stride as usize;
    let asked = of_run(args.asked, args.runs, generation.number, tries(launch) * stride);
    generation.each(|index| {
        let (context, first, seen) =
            ProposalContext::observe(method, generation, (iteration, index));
        let attempts = context.attempts(method);
        let mut attempt = 0;
        while attempt < attempts {
            let context = context.attempt(attempt);
            let mut tried = first;
            let plan = method.plan(&context.who, seen, &mut tried);
            let row = asked.part(place(method, index, attempt) * stride, stride);
            context.propose(method, &plan, row);
            attempt += 1;
        }
    });
}

/// Completes the iteration with the results of the host.
///
/// **Mapping and launch.** As [`ask`], with the same arguments. Reads `told: [run][individual][attempt]`.
///
/// **Shared memory.** [`MethodTile::shared_bytes`](warpswarm_core::launch::MethodTile::shared_bytes).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn tell<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) {
    iterate(launch, |generation, context, _| {
        let (told, runs) = (launch.args.told, launch.args.runs);
        let told: View<_> = of_run(told, runs, generation.number, tries(launch));
        told.get(place(&launch.method, context.who.index, context.who.attempt))
    });
}

/// The most attempts of all individuals of a run in an iteration.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn tries<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) -> usize {
    launch.args.individuals as usize * launch.method.most_attempts() as usize
}

/// The index of an attempt among those of all individuals.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn place<R: DeviceReal, M: Method<R>>(method: &M, index: u32, attempt: u32) -> usize {
    index as usize * method.most_attempts() as usize + attempt as usize
}
