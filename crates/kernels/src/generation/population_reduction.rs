//! Reduction of the population size, as `warpswarm_cpu_ref::population_reduction` does it on the CPU. The worst individuals leave;
//! individuals beyond the new size move into the places that became free.

use warpswarm_core::launch::{
    GenerationArgs, MethodArgs, POPULATION_REDUCTION_BLOCK, PopulationReductionArgs, stopped,
};
use warpswarm_core::method::Method;
use warpswarm_core::order::Candidate;
use warpswarm_device::entry::max_block;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread};

use super::in_common::stage;
use super::population::{Generation, key_of_block, key_of_run};
use crate::run::of_run;

/// The largest block of any GPU.
const MOST_THREADS: u32 = 1024;

/// This block's run, and its index among the run's blocks.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn place<R>(args: &PopulationReductionArgs<R>) -> (u32, u32) {
    thread::run_and_part(args.from.runs, args.from.blocks_per_run)
}

/// A run before or after the reduction.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn run_of<'a, R: DeviceReal>(
    args: &PopulationReductionArgs<R>,
    side: &'a GenerationArgs<R>,
    place: (u32, u32),
) -> Generation<'a, R> {
    let of_each = (args.own as usize, args.numbers as usize);
    Generation::of_run(side, of_each, key_of_run(side, place.0), place)
}

/// One of the three lists of a run.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn list<R>(args: &PopulationReductionArgs<R>, run: u32, number: usize) -> View<u32> {
    let n = args.from.individuals as usize;
    of_run(args.places, args.from.runs, run as usize, 3 * n).part(number * n, n)
}

/// Marks which individuals stay: [`RANK`](warpswarm_core::launch::RANK).
///
/// **Mapping.** Threads stride over the individuals of a run; a thread compares its individual with all others.
///
/// **Arrays.** As [`PopulationReductionArgs`] describes them. Writes list 0 of `places: [run][list][individual]`: 1 for an individual
/// that stays, otherwise 0.
///
/// **Launch.** `from.runs * from.blocks_per_run` blocks of [`POPULATION_REDUCTION_BLOCK`] threads. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn rank<R: DeviceReal>(args: &PopulationReductionArgs<R>) {
    max_block::<POPULATION_REDUCTION_BLOCK>();
    let (run, part) = place(args);
    let from = run_of(args, &args.from, (run, part));
    let fitness = from.written_by(from.control.get(0).iterations).fitness;
    let (n, stays) = (args.from.individuals, list(args, run, 0));
    let mut index = part * thread::block_dim() + thread::index();
    while index < n {
        let mine = Candidate::new(fitness.get(index as usize), index);
        let (mut better, mut other) = (0, 0);
        while other < n {
            let theirs = Candidate::new(fitness.get(other as usize), other);
            better += u32::from(theirs.beats(mine));
            other += 1;
        }
        stays.set(index as usize, u32::from(better < args.to.individuals));
        index += args.from.blocks_per_run * thread::block_dim();
    }
}

/// Lists which individual moves to each place: [`PLACES`](warpswarm_core::launch::PLACES). Launched after [`rank`].
///
/// **Mapping.** A block works on a run; each thread scans a range of neighbouring individuals.
///
/// **Arrays.** Reads list 0 of `places` and overwrites it: the individual that comes to each of the first
/// `to.individuals` places. Lists 1 and 2 are scratch.
///
/// **Launch.** `from.runs` blocks of [`POPULATION_REDUCTION_BLOCK`] threads.
///
/// **Shared memory.** Two 32-bit words for each thread.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn places<R: DeviceReal>(args: &PopulationReductionArgs<R>) {
    max_block::<POPULATION_REDUCTION_BLOCK>();
    let (run, threads, me) = (thread::block_index(), thread::block_dim(), thread::index());
    let [from, left, coming] = [0, 1, 2].map(|number| list(args, run, number));
    let (n, fewer) = (args.from.individuals, args.to.individuals);
    // SAFETY: the host gives two words for each thread.
    let counts = unsafe { SharedArray::<u32>::new(0, 2 * threads) };
    // Each thread scans neighbouring places.
    let each = n.div_ceil(threads);
    let (first, end) = ((me * each).min(n), ((me + 1) * each).min(n));
    let leaves = |i: u32| i < fewer && from.get(i as usize) == 0;
    let comes = |i: u32| i >= fewer && from.get(i as usize) != 0;
    let (mut i, mut mine) = (first, [0; 2]);
    while i < end {
        mine = [mine[0] + u32::from(leaves(i)), mine[1] + u32::from(comes(i))];
        i += 1;
    }
    counts.set(2 * me, mine[0]);
    counts.set(2 * me + 1, mine[1]);
    block::sync();
    let (mut before, mut all, mut k) = ([0; 2], 0, 0);
    while k < threads {
        let of = counts.get(2 * k);
        if k < me {
            before = [before[0] + of, before[1] + counts.get(2 * k + 1)];
        }
        all += of;
        k += 1;
    }
    i = first;
    while i < end {
        if leaves(i) {
            left.set(before[0] as usize, i);
            before[0] += 1;
        }
        if comes(i) {
            coming.set(before[1] as usize, i);
            before[1] += 1;
        }
        i += 1;
    }
    i = first;
    while i < end.min(fewer) {
        from.set(i as usize, i);
        i += 1;
    }
    block::sync();
    // There are as many individuals that move as free places.
    k = me;
    while k < all {
        from.set(left.get(k as usize) as usize, coming.get(k as usize));
        k += threads;
    }
}

/// Copies the individuals that stay: [`REDUCE`](warpswarm_core::launch::REDUCE). Launched after [`places`].
///
/// **Mapping.** Warps stride over the individuals of a run; lanes stride over the places of a row.
///
/// **Arrays.** Copies rows, fitness, numbers and the archive from the arrays of `from` to those of `to`.
///
/// **Launch.** `from.runs * from.blocks_per_run` blocks of [`POPULATION_REDUCTION_BLOCK`] threads. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn reduce<R: DeviceReal>(args: &PopulationReductionArgs<R>) {
    max_block::<POPULATION_REDUCTION_BLOCK>();
    let (run, part) = place(args);
    let [from, to] = [&args.from, &args.to].map(|side| run_of(args, side, (run, part)));
    let (places, warps, lane) = (list(args, run, 0), thread::block_dim() / 32, thread::lane());
    let iteration = from.control.get(0).iterations;
    let (before, after) = (from.written_by(iteration), to.written_by(iteration));
    let copy = |from: View<R>, to: View<R>| {
        let mut i = lane;
        while i < args.from.stride {
            to.set(i as usize, from.get(i as usize));
            i += 32;
        }
    };
    let mut index = part * warps + thread::warp();
    while index < args.to.individuals {
        let other = places.get(index as usize);
        copy(before.row(other), after.row(index));
        let mut row = 0;
        while row < args.own {
            copy(from.own_row(row as usize, other), to.own_row(row as usize, index));
            row += 1;
        }
        let mut archived = 0;
        while archived < 2 * args.archive {
            copy(from.left_by(archived, other), to.left_by(archived, index));
            archived += 1;
        }
        if lane == 0 {
            after.fitness.set(index as usize, before.fitness.get(other as usize));
            after.set_numbers(index, before.numbers(other));
        }
        index += args.from.blocks_per_run * warps;
    }
}

/// Computes the sums from which the run learns again, after individuals have left. Launched in the shape of the kernels
/// that hold individuals, with their shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn teach<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) {
    max_block::<MOST_THREADS>();
    let args = &launch.args;
    let generation = &Generation::of_block(args, (M::OWN, M::NUMBERS), key_of_block(args));
    let control = generation.control.get(0);
    if control.stopped == stopped::NOT {
        generation.teach(&launch.method, control.iterations, stage());
    }
}
