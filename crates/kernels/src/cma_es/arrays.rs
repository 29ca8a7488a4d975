//! The arrays of a search. Each block keeps its copy of the distribution in shared memory, and the samples too if there
//! is room.

use warpswarm_core::cma_es::{STRATEGY, Strategy, raw_weight};
use warpswarm_core::launch::{CmaEsLayout, NUMBERS, NearLayout, Ptr, chunks, head, sums_len};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::sum::Sum;
use warpswarm_device::point::fold_by_warp;
use warpswarm_device::shared::{self, SharedArray};
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread};

use super::search::{Holds, Search, index, lane};
use crate::run::of_run;

/// A row in shared memory.
pub(super) type Row<R> = SharedArray<R>;

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn shared(&self, first: u32, len: u32) -> Row<R> {
        // SAFETY: the host gives a block as much shared memory as `CmaEsLayout` has, of which this is a part.
        unsafe { SharedArray::new(first * R::BYTES, len) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn layout(&self) -> CmaEsLayout {
        // Opaque to the compiler, so that each caller computes the offsets again instead of keeping them in registers.
        CmaEsLayout::new::<R>(thread::opaque(self.n), M::HELD)
    }

    /// The [`head`] of the distribution.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn head(&self) -> Row<R> {
        self.shared(self.layout().head, head::LEN as u32)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn mean(&self) -> Row<R> {
        self.shared(self.layout().rows[0], self.stride)
    }

    /// The evolution path of the step size.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn path(&self) -> Row<R> {
        self.shared(self.layout().rows[1], self.stride)
    }

    /// The evolution path of the matrix.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn wide(&self) -> Row<R> {
        self.shared(self.layout().rows[2], self.stride)
    }

    /// The step of the mean in normal numbers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn step(&self) -> Row<R> {
        self.shared(self.layout().rows[3], self.stride)
    }

    /// The diagonal of the factor that is being computed.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn diagonal(&self) -> Row<R> {
        self.shared(self.layout().rows[4], self.stride)
    }

    /// The multiples of columns that the factorisation subtracts from later columns, `[row][column]`
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn multiples(&self) -> Row<R> {
        self.shared(self.layout().rows[5], 4 * self.stride)
    }

    /// Numbers that the threads of a block exchange.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn told(&self) -> Row<R> {
        self.shared(self.layout().rows[6], NUMBERS)
    }

    /// This run's part of an array of the launch; `len` items belong to a run.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn own<T: Copy>(&self, array: Ptr<T>, len: usize) -> View<T> {
        // Opaque for the same reason as in `layout`.
        let number = thread::opaque(self.number as u32) as usize;
        of_run(array, self.args.runs, number, len)
    }

    /// The same, or the array in shared memory that replaces it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_samples<T: Copy>(
        &self,
        array: Ptr<T>,
        near: impl Fn(&NearLayout) -> u32,
        len: usize,
    ) -> View<T> {
        if M::HELD && self.is_near() {
            // SAFETY: the host gives a block as much shared memory as the layout has, of which this is a part.
            return unsafe { shared::near(thread::opaque(near(&self.args.near)), len) };
        }
        self.own(array, len)
    }

    /// Whether the samples are in shared memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn is_near(&self) -> bool {
        self.args.near.bytes != 0
    }

    /// The samples, `[sample][coordinate]`
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn all_points(&self) -> View<R> {
        let (room, stride) = (self.args.room as usize, self.stride as usize);
        self.of_samples(self.args.points, |near| near.points, room * stride)
    }

    /// The row of one sample.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn point(&self, sample: u32) -> View<R> {
        let stride = self.stride as usize;
        self.all_points().part(sample as usize * stride, stride)
    }

    /// The normal numbers from which the samples were computed, `[sample][coordinate]`
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn all_normals(&self) -> View<R> {
        let (room, stride) = (self.args.room as usize, self.stride as usize);
        self.of_samples(self.args.normals, |near| near.normals, room * stride)
    }

    /// The normal numbers of one sample.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn normals(&self, sample: u32) -> View<R> {
        let stride = self.stride as usize;
        self.all_normals().part(sample as usize * stride, stride)
    }

    /// `[sample]`
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn fitness(&self) -> View<Fitness<R>> {
        self.of_samples(self.args.fitness, |near| near.fitness, self.args.room as usize)
    }

    /// The sums of the squares of the normal numbers, `[sample]`
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn squares(&self) -> View<R> {
        self.of_samples(self.args.squares, |near| near.squares, self.args.room as usize)
    }

    /// The weights of the ranks: for the mean, or for the matrix if `teaches`, `[rank]`
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn weights(&self, teaches: bool) -> View<R> {
        let room = self.args.room as usize;
        let all = self.of_samples(self.args.weights, |near| near.weights, 2 * room);
        all.part(if teaches { room } else { 0 }, room)
    }

    /// One of the two arrays of ranked samples.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn ranking(&self, number: u32) -> View<Candidate<R>> {
        let room = self.args.room as usize;
        let all = self.of_samples(self.args.ranked, |near| near.ranked, 2 * room);
        all.part(number as usize * room, room)
    }

    /// The sums over each chunk of ranks, `[chunk][row][coordinate]`
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn sums(&self) -> View<R> {
        let (each, chunks) = (sums_len(self.n) as usize, chunks(self.args.room) as usize);
        self.of_samples(self.args.sums, |near| near.sums, chunks * each)
    }

    /// The distribution in global memory, which one launch stores and the next one loads.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn distribution(&self) -> View<R> {
        self.own(self.args.distribution, self.args.numbers as usize)
    }

    /// The strategy parameters of the present leg, for `individuals` samples a generation.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn strategy(&self, individuals: u32) -> Strategy<R> {
        let kept = self.kept_strategy();
        let mut numbers = [R::ZERO; STRATEGY];
        let mut k = 0;
        while k < STRATEGY {
            numbers[k] = kept.get(k as u32);
            k += 1;
        }
        Strategy::of_numbers((self.n, individuals), numbers)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept_strategy(&self) -> Row<R> {
        self.shared(self.layout().rows[7], STRATEGY as u32)
    }

    /// Computes the strategy parameters for `individuals` samples a generation, and the weight of each rank.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn find_strategy(&self, individuals: u32) {
        let better = individuals / 2;
        // After this barrier no thread still reads the old numbers.
        block::sync();
        let told = self.told();
        Self::each_warp(4, |k| {
            let (first, count) = if k < 2 { (0, better) } else { (better, individuals - better) };
            let raw = |i| raw_weight::<R>(individuals, first as usize + i);
            let term = |i| if k % 2 == 0 { raw(i) } else { raw(i) * raw(i) };
            let sum = fold_by_warp::<R, Sum>(count as usize, term);
            if lane() == 0 {
                told.set(k, sum);
            }
        });
        block::sync();
        let sums = [[told.get(0), told.get(1)], [told.get(2), told.get(3)]];
        let strategy =
            Strategy::of_sums((self.n, individuals), self.args.restart_policy.active, sums);
        if index() == 0 {
            let (kept, numbers) = (self.kept_strategy(), strategy.numbers());
            let mut k = 0;
            while k < STRATEGY {
                kept.set(k as u32, numbers[k]);
                k += 1;
            }
        }
        // Blocks synchronise before they read the weights.
        if self.part == 0 {
            let weights = self.weights(false);
            Self::each(individuals, |rank| weights.set(rank as usize, strategy.weight(rank)));
        }
        block::sync();
    }
}
