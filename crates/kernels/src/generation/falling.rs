//! Populations that fall, as `warpswarm_cpu_ref::falling` has them on the CPU: who is worst leaves, and who is behind the last
//! place then takes that of one that has left.

use warpswarm_core::launch::{FALL_BLOCK, FallArgs, GenerationArgs, MethodArgs, stopped};
use warpswarm_core::method::Method;
use warpswarm_core::order::Candidate;
use warpswarm_device::entry::max_block;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread};

use super::in_common::stage;
use super::population::{Generation, key_of_block, key_of_run};
use crate::run::of_run;

/// The most threads that a block can have.
const MOST_THREADS: u32 = 1024;

/// This block's run, and its number among the run's blocks.
#[inline(always)]
fn place<R>(args: &FallArgs<R>) -> (u32, u32) {
    thread::run_and_part(args.from.runs, args.from.blocks_per_run)
}

/// A run as one side has it.
#[inline(always)]
fn run_of<'a, R: DeviceReal>(
    args: &FallArgs<R>,
    side: &'a GenerationArgs<R>,
    place: (u32, u32),
) -> Generation<'a, R> {
    let of_each = (args.own as usize, args.numbers as usize);
    Generation::of_run(side, of_each, key_of_run(side, place.0), place)
}

/// A list of a run.
#[inline(always)]
fn list<R>(args: &FallArgs<R>, run: u32, number: usize) -> View<u32> {
    let n = args.from.individuals as usize;
    of_run(args.places, args.from.runs, run as usize, 3 * n).part(number * n, n)
}

/// Says who stays: see [`RANK`](warpswarm_core::launch::RANK).
#[inline(always)]
pub fn rank<R: DeviceReal>(args: &FallArgs<R>) {
    max_block::<FALL_BLOCK>();
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

/// Says who comes where: see [`PLACES`](warpswarm_core::launch::PLACES).
#[inline(always)]
pub fn places<R: DeviceReal>(args: &FallArgs<R>) {
    max_block::<FALL_BLOCK>();
    let (run, threads, me) = (thread::block_index(), thread::block_dim(), thread::index());
    let [from, left, coming] = [0, 1, 2].map(|number| list(args, run, number));
    let (n, fewer) = (args.from.individuals, args.to.individuals);
    // SAFETY: the host gives two words a thread.
    let counts = unsafe { SharedArray::<u32>::new(0, 2 * threads) };
    // Each thread has neighbouring places.
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
    // As many come as have left.
    k = me;
    while k < all {
        from.set(left.get(k as usize) as usize, coming.get(k as usize));
        k += threads;
    }
}

/// Copies those who stay: see [`FALL`](warpswarm_core::launch::FALL).
#[inline(always)]
pub fn fall<R: DeviceReal>(args: &FallArgs<R>) {
    max_block::<FALL_BLOCK>();
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

/// Sums up what the individuals teach, where others have left since their last iteration; in the shape of the kernels that
/// hold individuals, with their shared memory.
#[inline(always)]
pub fn teach<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) {
    max_block::<MOST_THREADS>();
    let args = &launch.args;
    let generation = &Generation::of_block(args, (M::OWN, M::NUMBERS), key_of_block(args));
    let control = generation.control.get(0);
    if control.stopped == stopped::NOT {
        generation.teach(&launch.method, control.iterations, stage());
    }
}
