//! The end of an iteration of individuals that have something in common, as `warpswarm_cpu_ref::generation` does it. A block a
//! run.

use warpswarm_core::launch::{MethodArgs, SETTLE_BLOCK};
use warpswarm_core::method::{Common, Lessons, Method, Numbers, archive_place};
use warpswarm_core::order::Fitness;
use warpswarm_core::sum::Operator;
use warpswarm_device::entry::max_block;
use warpswarm_device::point::fold_by_warp;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread, warp};

use super::in_common::InCommon;
use super::population::{Generation, Parity, key_of_run};

/// Fills the archive, learns, and lists the elite; with `iterations` zero only that.
#[inline(always)]
pub fn settle<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) {
    max_block::<SETTLE_BLOCK>();
    let (args, method) = (&launch.args, &launch.method);
    let run = thread::block_index();
    let key = key_of_run(args, run);
    let generation = &Generation::of_run(args, (M::OWN, M::NUMBERS), key, (run, 0));
    let iteration = generation.control.get(0).iterations;
    let is_new = args.iterations != 0 && generation.common().settled.get(0) != iteration;
    // All have seen that before it changes.
    block::sync();
    end(method, generation, iteration, is_new);
}

/// Ends an iteration, if it is new; by one of the run's blocks, which waits for none.
#[inline(always)]
pub(super) fn end<R: DeviceReal, M: Method<R>>(
    method: &M,
    generation: &Generation<'_, R>,
    iteration: u64,
    is_new: bool,
) {
    let args = generation.args;
    let (before, after) = (generation.read_by(iteration), generation.written_by(iteration));
    let common = generation.common();
    if is_new {
        if thread::warp() == 0 {
            let all = Learning { generation, after, common };
            let taken = claim_places(method, &all, iteration);
            method.learn(&mut Learning { ..all });
            warp::sync();
            if thread::lane() == 0 {
                common.memory.set(args.common.sizes.memory as usize, R::from_u32(taken));
                common.settled.set(0, iteration);
            }
        }
        block::sync();
        archive(method, generation, (before, after), common);
    }
    list(after.fitness, args.individuals, args.common.sizes.elite, common.elite);
}

/// Those from whom a run learns; by one warp.
#[derive(Clone, Copy)]
struct Learning<'a, R> {
    generation: &'a Generation<'a, R>,
    after: Parity<R>,
    common: InCommon<R>,
}

impl<R: DeviceReal> Lessons<R> for Learning<'_, R> {
    #[inline(always)]
    fn remembered(&self, k: u32) -> R {
        self.common.memory.get(k as usize)
    }
    #[inline(always)]
    fn remember(&mut self, k: u32, number: R) {
        // All lanes have read what was there.
        warp::sync();
        if thread::lane() == 0 {
            self.common.memory.set(k as usize, number);
        }
        warp::sync();
    }
    #[inline(always)]
    fn fold<O: Operator<R>>(&self, term: impl Fn(Numbers<R>) -> R) -> R {
        let individuals = self.generation.args.individuals as usize;
        fold_by_warp::<R, O>(individuals, |i| term(self.after.numbers(i as u32)))
    }
}

/// Says for each individual that leaves a point where that goes, and for each place who comes there last; by one warp. How many
/// places are taken then.
#[inline(always)]
fn claim_places<R: DeviceReal, M: Method<R>>(
    method: &M,
    Learning { generation, after, common }: &Learning<'_, R>,
    iteration: u64,
) -> u32 {
    let args = generation.args;
    let Common { memory, archive, .. } = args.common.sizes;
    let mut taken = common.memory.get(memory as usize).to_f64() as u32;
    if archive == 0 {
        return 0;
    }
    let mut start = 0;
    while start < args.individuals {
        let i = start + thread::lane();
        let leaves = i < args.individuals && method.leaves(&after.numbers(i));
        let mut left = warp::ballot(leaves);
        let place = taken + (left & ((1 << thread::lane()) - 1)).count_ones();
        if leaves {
            let drawn = || {
                let who = generation.individual(iteration, i, Fitness::WORST);
                archive_place(&who, archive)
            };
            let place = if place < archive { place } else { drawn() };
            common.places.set(i as usize, place);
        }
        taken = (taken + left.count_ones()).min(archive);
        warp::sync();
        // One after the other: of those that come to the same place the last stays.
        while left != 0 {
            if thread::lane() == left.trailing_zeros() {
                let place = common.places.get(i as usize);
                common.claims.set(place as usize, i);
            }
            left &= left - 1;
            warp::sync();
        }
        start += 32;
    }
    taken
}

/// Writes the points that are given up to their places; by the whole block, a warp a point.
#[inline(always)]
fn archive<R: DeviceReal, M: Method<R>>(
    method: &M,
    generation: &Generation<'_, R>,
    (before, after): (Parity<R>, Parity<R>),
    common: InCommon<R>,
) {
    if generation.args.common.sizes.archive == 0 {
        return;
    }
    let stride = generation.args.stride as usize;
    let mut i = thread::warp();
    while i < generation.args.individuals {
        if method.leaves(&after.numbers(i)) {
            let place = common.places.get(i as usize) as usize;
            if common.claims.get(place) == i {
                let (from, to) = (before.row(i), common.archive.part(place * stride, stride));
                let mut k = thread::lane() as usize;
                while k < stride {
                    to.set(k, from.get(k));
                    k += 32;
                }
            }
        }
        i += thread::block_dim() / 32;
    }
}

/// Lists the best `count` of `n` individuals in the order of their indices; by the whole block.
///
/// Work: the key of the last of them is found bit by bit, first that of violations, then that of values; each bit is a look at
/// all. A warp lists them.
#[inline(always)]
fn list<R: DeviceReal>(fitness: View<Fitness<R>>, n: u32, count: u32, elite: View<u32>) {
    if count == 0 {
        return;
    }
    let violation = |i: u32| fitness.get(i as usize).ordered().0;
    let value = |i: u32| fitness.get(i as usize).ordered().1;
    let (most, left) = least::<R>(n, count, &|i, key| violation(i) <= key);
    let (last, ties) = least::<R>(n, left, &|i, key| violation(i) == most && value(i) <= key);
    if thread::warp() != 0 {
        return;
    }
    let (mut start, mut listed, mut ties) = (0, 0, ties);
    while start < n {
        let i = start + thread::lane();
        let keys = if i < n { fitness.get(i as usize).ordered() } else { (u64::MAX, u64::MAX) };
        let ahead = i < n && (keys.0 < most || (keys.0 == most && keys.1 < last));
        let tied = warp::ballot(i < n && keys == (most, last));
        let below = (1 << thread::lane()) - 1;
        let first = (tied & below).count_ones() < ties;
        let is_one = ahead || (first && tied >> thread::lane() & 1 == 1);
        let found = warp::ballot(is_one);
        if is_one {
            elite.set((listed + (found & below).count_ones()) as usize, i);
        }
        listed += found.count_ones();
        ties -= tied.count_ones().min(ties);
        start += 32;
    }
}

/// The least key up to which `count` of `n` individuals are, and how many of them are at that key.
#[inline(always)]
fn least<R: DeviceReal>(n: u32, count: u32, is_up_to: &impl Fn(u32, u64) -> bool) -> (u64, u32) {
    let (mut key, mut below, mut bit) = (0_u64, 0, 32 * R::WORDS as u32);
    while bit > 0 {
        bit -= 1;
        let trial = key | ((1 << bit) - 1);
        let found = how_many(n, |i| is_up_to(i, trial));
        if found < count {
            key |= 1 << bit;
            below = found;
        }
    }
    (key, count - below)
}

/// How many of `n` individuals are so; by the whole block.
#[inline(always)]
fn how_many(n: u32, is_so: impl Fn(u32) -> bool) -> u32 {
    let (mut count, mut start) = (0, 0);
    while start < n {
        let i = start + thread::index();
        count += block::sync_count(i < n && is_so(i));
        start += thread::block_dim();
    }
    count
}
