//! What the individuals of a run have in common: see [`Method::learn`] and [`Method::leaves`].

use warpswarm_core::method::{GROUP, LESSONS, Lessons, Memory, Method};
use warpswarm_core::sum::Sum;
use warpswarm_device::point::fold_by_warp;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread, warp};

use super::population::{Generation, Parity};
use crate::run::of_run;

/// A memory in global memory, which this block alone writes; by one warp.
struct Remembered<R>(View<R>);

impl<R: DeviceReal> Memory<R> for Remembered<R> {
    #[inline(always)]
    fn get(&self, k: u32) -> R {
        self.0.get(k as usize)
    }
    #[inline(always)]
    fn set(&mut self, k: u32, number: R) {
        // All lanes have read what was there.
        warp::sync();
        if thread::lane() == 0 {
            self.0.set(k as usize, number);
        }
        warp::sync();
    }
}

impl<R: DeviceReal> Generation<'_, R> {
    /// The memory by which an iteration goes.
    #[inline(always)]
    fn memory(&self, iteration: u64) -> View<R> {
        let (args, numbers) = (self.args, self.args.common.numbers as usize);
        let both = of_run(args.common.memory, args.runs, self.number, 2 * numbers);
        both.part((iteration & 1) as usize * numbers, numbers)
    }

    /// The memory as this block has found it.
    #[inline(always)]
    pub(super) fn own_memory(&self) -> View<R> {
        let (args, numbers) = (self.args, self.args.common.numbers as usize);
        let blocks = args.blocks_per_run as usize;
        let all = of_run(args.common.own_memory, args.runs, self.number, blocks * numbers);
        all.part(self.part as usize * numbers, numbers)
    }

    /// The sums of groups after an iteration.
    #[inline(always)]
    fn lessons(&self, iteration: u64) -> View<Lessons<R>> {
        let args = self.args;
        let groups = args.individuals.div_ceil(GROUP) as usize;
        let both = of_run(args.common.lessons, args.runs, self.number, 2 * groups);
        both.part((iteration & 1) as usize * groups, groups)
    }

    /// The row of a place of the archive: those of all individuals, first and second places.
    #[inline(always)]
    fn left(&self, place: u32) -> View<R> {
        let args = self.args;
        let (n, stride) = (args.individuals as usize, args.stride as usize);
        let all = of_run(args.common.archive, args.runs, self.number, 2 * n * stride);
        all.part(place as usize * stride, stride)
    }

    /// The public point of an individual, or, behind all of them, a place of the archive.
    #[inline(always)]
    pub(crate) fn other<M: Method<R>>(&self, before: Parity<R>, individual: u32) -> View<R> {
        if M::SHARES && individual >= self.args.individuals {
            return self.left(individual - self.args.individuals);
        }
        before.row(individual)
    }

    /// Where an individual whose numbers are so now leaves the point that it had, if it does.
    #[inline(always)]
    pub(super) fn leaves<M: Method<R>>(
        &self,
        method: &M,
        index: u32,
        numbers: &warpswarm_core::method::Numbers<R>,
    ) -> Option<View<R>> {
        if !M::SHARES {
            return None;
        }
        match method.leaves(numbers) {
            0 => None,
            place => Some(self.left((place - 1) * self.args.individuals + index)),
        }
    }

    /// The memory at the start of a leg, and an archive of which nothing is taken. By the whole block.
    #[cfg(feature = "built-in")]
    #[inline(always)]
    pub(super) fn renew<M: Method<R>>(&self, method: &M) {
        if !M::SHARES || self.part != 0 {
            return;
        }
        let (args, threads) = (self.args, thread::block_dim());
        let numbers = args.common.numbers;
        let both = of_run(args.common.memory, args.runs, self.number, 2 * numbers as usize);
        let mut k = thread::index();
        while k < numbers {
            let first = method.first_remembered(k);
            both.set(k as usize, first);
            both.set((numbers + k) as usize, first);
            k += threads;
        }
        let places = 2 * args.individuals * args.stride;
        let all = of_run(args.common.archive, args.runs, self.number, places as usize);
        let mut i = thread::index();
        while i < places {
            all.set(i as usize, R::ZERO);
            i += threads;
        }
    }

    /// Learns before an iteration, where individuals have something in common. By the whole block, after a barrier of all of
    /// the run's.
    ///
    /// Every block does the same: it takes less than to wait for one that does.
    #[inline(always)]
    pub(super) fn learn<M: Method<R>>(&self, method: &M, iteration: u64) {
        if !M::SHARES || iteration == 0 {
            return;
        }
        if thread::warp() == 0 {
            let (before, own) = (self.memory(!iteration), self.own_memory());
            let mut k = thread::lane();
            while k < self.args.common.numbers {
                own.set(k as usize, before.get(k as usize));
                k += 32;
            }
            let (lessons, groups) =
                (self.lessons(!iteration), self.args.individuals.div_ceil(GROUP) as usize);
            let mut sums = [R::ZERO; LESSONS];
            let mut k = 0;
            while k < LESSONS {
                sums[k] = fold_by_warp::<R, Sum>(groups, |group| lessons.get(group)[k]);
                k += 1;
            }
            warp::sync();
            method.learn(sums, &mut Remembered(own));
            if self.part == 0 {
                let after = self.memory(iteration);
                let mut k = thread::lane();
                while k < self.args.common.numbers {
                    after.set(k as usize, own.get(k as usize));
                    k += 32;
                }
            }
        }
        block::sync();
    }

    /// Sums up what this block's individuals teach after an iteration, where individuals have something in common. By the
    /// whole block.
    #[inline(always)]
    pub(super) fn teach<M: Method<R>>(&self, method: &M, iteration: u64) {
        if !M::SHARES {
            return;
        }
        // The numbers of all are there.
        block::sync();
        let (after, lessons) = (self.written_by(iteration), self.lessons(iteration));
        let (first, end) = self.of_this_block();
        let mut group = first / GROUP + thread::warp();
        while group * GROUP < end {
            let i = group * GROUP + thread::lane();
            let own = if i < end { method.lesson(&after.numbers(i)) } else { [R::ZERO; LESSONS] };
            let mut sums = [R::ZERO; LESSONS];
            let mut k = 0;
            while k < LESSONS {
                sums[k] = warp::join::<R, Sum, 32>(own[k]);
                k += 1;
            }
            if thread::lane() == 0 {
                lessons.set(group as usize, sums);
            }
            group += thread::block_dim() / 32;
        }
    }
}
