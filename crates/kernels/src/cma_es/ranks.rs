//! Ranks samples. Short lists are sorted by counting; sorted lists are merged by binary search in each other.

use warpswarm_core::cma_es::Strategy;
use warpswarm_core::order::Candidate;
use warpswarm_device::block;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::warp::Word;

use super::restart::Leg;
use super::run_barrier::RunBarrier;
use super::search::{Holds, Search, index, lane, threads};

/// The length of the first lists.
const LIST: u32 = 32;
/// Lanes that find the place of one sample in other lists, and lists that each lane searches at the same time.
const LANES: u32 = 2;
const TOGETHER: usize = 6;
/// Lists that are merged into one: a sample's own list and the others.
const JOINED: u32 = 1 + LANES * TOGETHER as u32;

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Ranks all samples of the run, and computes the weight of each rank for the matrix.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn rank(&self, leg: &Leg, barrier: &mut RunBarrier) -> View<Candidate<R>> {
        let strategy = &self.strategy(leg.individuals);
        // After this barrier all of the block's samples have a fitness.
        block::sync();
        let (first, end) = self.own_samples(leg.individuals, self.part);
        let own = end - first;
        let fitness = self.fitness();
        let of = |sample: u32| Candidate::new(fitness.get(sample as usize), sample);
        let share = leg.individuals.div_ceil(self.blocks());
        // There is only one list, so the place in it is the rank.
        let is_short = self.args.blocks_per_run == 1 && share <= LIST;
        let mut from = self.ranking(0);
        Self::each(own, |i| {
            let mine = of(first + i);
            let (list, mut place) = (i / LIST * LIST, 0);
            let mut k = list;
            while k < (list + LIST).min(own) {
                place += u32::from(of(first + k).beats(mine));
                k += 1;
            }
            from.set((first + list + place) as usize, mine);
            if is_short {
                self.teach(strategy, place, mine.index);
            }
        });
        if is_short {
            block::sync();
            return from;
        }
        // Every block does the same number of rounds, so that all lists end in the same array.
        let (mut length, mut number) = (LIST, 0);
        while length < share {
            block::sync();
            let to = self.ranking(1 - number);
            Self::each(own, |i| {
                let mine = from.get((first + i) as usize);
                // Lengths are powers of two.
                let pair = i & !(2 * length - 1);
                let is_left = i - pair < length;
                let other = if is_left { pair + length } else { pair };
                let last = (other + length).min(own);
                let before = better(from, (first + other.min(own), first + last), mine);
                let place = pair + (i & (length - 1)) + before;
                to.set((first + place) as usize, mine);
            });
            (from, number, length) = (to, 1 - number, 2 * length);
        }
        if self.args.blocks_per_run == 1 {
            block::sync();
            Self::each(own, |rank| self.teach(strategy, rank, from.get(rank as usize).index));
            block::sync();
            return from;
        }
        // Each block has one list. Merging is shared: each block places its own part of the list that it is in.
        let mut blocks = 1;
        while blocks < self.blocks() {
            barrier.wait();
            let to = self.ranking(1 - number);
            let is_last = blocks * JOINED >= self.blocks();
            let lists = Lists::of(self.part / blocks.max(1), blocks * share, leg.individuals);
            let groups = threads() / LANES;
            let mut i = first + index() / LANES;
            // The lanes of a warp stay in the loop together, because they shuffle.
            while i - lane() / LANES < end {
                let mine = from.get(i.min(end - 1) as usize);
                let mut place = lists.better(from, mine);
                let mut apart = 1;
                while apart < LANES {
                    place += place.shuffle_xor(apart);
                    apart *= 2;
                }
                place += i - lists.before();
                if i < end && lane().is_multiple_of(LANES) {
                    to.set(place as usize, mine);
                    if is_last {
                        self.teach(strategy, place, mine.index);
                    }
                }
                i += groups;
            }
            (from, number, blocks) = (to, 1 - number, blocks * JOINED);
        }
        barrier.wait();
        from
    }

    /// Stores the weight for the matrix of the sample with this rank.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn teach(&self, strategy: &Strategy<R>, rank: u32, sample: u32) {
        let weight = self.weights(false).get(rank as usize);
        let squares = || self.squares().get(sample as usize);
        self.weights(true).set(rank as usize, strategy.lesson(rank, weight, squares));
    }
}

/// Sorted lists of `length` samples each. [`JOINED`] neighbouring lists are merged into one.
struct Lists {
    /// The number of the sample's own list, and of the first list of its group.
    own: u32,
    first: u32,
    /// Samples of a list; the last lists are shorter or empty.
    length: u32,
    individuals: u32,
}

impl Lists {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(own: u32, length: u32, individuals: u32) -> Self {
        Lists { own, first: own / JOINED * JOINED, length, individuals }
    }

    /// The index of the first sample of a list.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn start(&self, list: u32) -> u32 {
        list.saturating_mul(self.length).min(self.individuals)
    }

    /// What is subtracted from a place in the own list; plus the number of better samples in the other lists, it gives
    /// the place in the merged list.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn before(&self) -> u32 {
        self.start(self.own) - self.start(self.first)
    }

    /// How many samples of other lists are better than `mine`. This lane counts in every [`LANES`]th list.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn better<R: DeviceReal>(&self, list: View<Candidate<R>>, mine: Candidate<R>) -> u32 {
        let mut count = 0_u32;
        let (mut low, mut high) = ([0_u32; TOGETHER], [0_u32; TOGETHER]);
        let mut k = 0;
        while k < TOGETHER {
            let beside = lane() % LANES + k as u32 * LANES;
            let mut other = self.first + beside;
            // The own list is skipped.
            other += u32::from(other >= self.own);
            (low[k], high[k]) = (self.start(other), self.start(other + 1));
            count = count.wrapping_sub(low[k]);
            k += 1;
        }
        let steps = 32 - self.length.min(self.individuals).leading_zeros();
        let last = (self.individuals - 1) as usize;
        let mut step = 0;
        while step < steps {
            // All loads are issued before the first result is used.
            let mut found = [mine; TOGETHER];
            k = 0;
            while k < TOGETHER {
                found[k] = list.get(last.min((low[k] + high[k]) as usize / 2));
                k += 1;
            }
            k = 0;
            while k < TOGETHER {
                let middle = (low[k] + high[k]) / 2;
                let (is_open, is_better) = (low[k] < high[k], found[k].beats(mine));
                low[k] = if is_open & is_better { middle + 1 } else { low[k] };
                high[k] = if is_open & !is_better { middle } else { high[k] };
                k += 1;
            }
            step += 1;
        }
        k = 0;
        while k < TOGETHER {
            count = count.wrapping_add(low[k]);
            k += 1;
        }
        count
    }
}

/// How many samples of a sorted list are better than one that is not in it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn better<R: DeviceReal>(
    list: View<Candidate<R>>,
    (first, end): (u32, u32),
    mine: Candidate<R>,
) -> u32 {
    let (mut low, mut high) = (first, end);
    while low < high {
        let middle = (low + high) / 2;
        if list.get(middle as usize).beats(mine) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low - first
}
