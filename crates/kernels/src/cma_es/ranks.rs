//! Samples in order: lists are sorted by counting, and joined by counting in each other.

use warpswarm_core::cma_es::Strategy;
use warpswarm_core::order::Candidate;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::warp::Word;
use warpswarm_device::{block, thread};

use super::legs::Leg;
use super::meetings::Meetings;
use super::search::{Holds, Search};

/// Samples of the first lists.
const LIST: u32 = 32;
/// Lanes that look for the place of a sample in the lists of other blocks, and lists that each looks through together.
const LANES: u32 = 8;
const TOGETHER: usize = 4;

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Ranks all samples of the run, and says what each teaches.
    #[inline(always)]
    pub(super) fn rank(&self, leg: &Leg, meetings: &mut Meetings) -> View<Candidate<R>> {
        let strategy = &self.strategy(leg.individuals);
        // All of the block's samples have a fitness.
        block::sync();
        let (first, end) = self.own_samples(leg.individuals, self.part);
        let own = end - first;
        let fitness = self.fitness();
        let of = |sample: u32| Candidate::new(fitness.get(sample as usize), sample);
        let share = leg.individuals.div_ceil(self.blocks());
        // So few that their places in the first list are their ranks.
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
        // As many rounds in all blocks, so that all have their lists in the same place.
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
        meetings.meet();
        if self.args.blocks_per_run > 1 {
            let to = self.ranking(1 - number);
            let groups = thread::block_dim() / LANES;
            let mut i = thread::index() / LANES;
            // The lanes of a warp go through it together.
            while i - thread::lane() / LANES < own {
                let mine = from.get((first + i.min(own - 1)) as usize);
                let mut place = self.better_elsewhere(leg.individuals, from, mine);
                let mut apart = 1;
                while apart < LANES {
                    place += place.shuffle_xor(apart);
                    apart *= 2;
                }
                if i < own && thread::lane().is_multiple_of(LANES) {
                    to.set((i + place) as usize, mine);
                    self.teach(strategy, i + place, mine.index);
                }
                i += groups;
            }
            meetings.meet();
            return to;
        }
        Self::each(own, |rank| self.teach(strategy, rank, from.get(rank as usize).index));
        block::sync();
        from
    }

    /// How many samples of other blocks beat one: those of each [`LANES`]th block, from this lane's on.
    #[inline(always)]
    fn better_elsewhere(
        &self,
        individuals: u32,
        list: View<Candidate<R>>,
        mine: Candidate<R>,
    ) -> u32 {
        let blocks = self.blocks();
        let steps = 32 - individuals.div_ceil(blocks).leading_zeros();
        let mut count = 0_u32;
        let mut part = thread::lane() % LANES;
        while part < blocks {
            let (mut low, mut high) = ([0_u32; TOGETHER], [0_u32; TOGETHER]);
            let mut k = 0;
            while k < TOGETHER {
                let other = part + k as u32 * LANES;
                if other < blocks && other != self.part {
                    (low[k], high[k]) = self.own_samples(individuals, other);
                    count = count.wrapping_sub(low[k]);
                }
                k += 1;
            }
            let mut step = 0;
            while step < steps {
                k = 0;
                while k < TOGETHER {
                    let middle = (low[k] + high[k]) / 2;
                    if low[k] < high[k] {
                        let is_better = list.get(middle as usize).beats(mine);
                        low[k] = if is_better { middle + 1 } else { low[k] };
                        high[k] = if is_better { high[k] } else { middle };
                    }
                    k += 1;
                }
                step += 1;
            }
            k = 0;
            while k < TOGETHER {
                count = count.wrapping_add(low[k]);
                k += 1;
            }
            part += LANES * TOGETHER as u32;
        }
        count
    }

    /// Says what the sample of a rank teaches.
    #[inline(always)]
    fn teach(&self, strategy: &Strategy<R>, rank: u32, sample: u32) {
        let weight = self.weights(false).get(rank as usize);
        let squares = || self.squares().get(sample as usize);
        self.weights(true).set(rank as usize, strategy.lesson(rank, weight, squares));
    }
}

/// How many of a sorted list beat a sample that is not in it.
#[inline(always)]
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
