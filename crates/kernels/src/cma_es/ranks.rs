//! Samples in order: lists are sorted by counting, and joined by counting in each other.

use warpswarm_core::cma_es::Strategy;
use warpswarm_core::order::Candidate;
use warpswarm_device::block;
use warpswarm_device::view::{DeviceReal, View};

use super::legs::Leg;
use super::meetings::Meetings;
use super::search::{Holds, Search};

/// Samples of the first lists.
const LIST: u32 = 32;

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Ranks all samples of the run, and says what each teaches.
    #[inline(always)]
    pub(super) fn rank(
        &self,
        leg: &Leg,
        strategy: &Strategy<R>,
        meetings: &mut Meetings,
    ) -> View<Candidate<R>> {
        // All of the block's samples have a fitness.
        block::sync();
        let (first, end) = self.own_samples(leg.individuals, self.part);
        let own = end - first;
        let fitness = self.fitness();
        let of = |sample: u32| Candidate::new(fitness.get(sample as usize), sample);
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
        });
        // As many rounds in all blocks, so that all have their lists in the same place.
        let share = leg.individuals.div_ceil(self.args.blocks_per_run);
        let (mut length, mut number) = (LIST, 0);
        while length < share {
            block::sync();
            let to = self.ranking(1 - number);
            Self::each(own, |i| {
                let mine = from.get((first + i) as usize);
                let pair = i / (2 * length) * (2 * length);
                let is_left = i - pair < length;
                let other = if is_left { pair + length } else { pair };
                let last = (other + length).min(own);
                let before = better(from, (first + other.min(own), first + last), mine);
                let place = pair + (i - pair) % length + before;
                to.set((first + place) as usize, mine);
            });
            (from, number, length) = (to, 1 - number, 2 * length);
        }
        meetings.meet();
        if self.args.blocks_per_run > 1 {
            let to = self.ranking(1 - number);
            Self::each(own, |i| {
                let mine = from.get((first + i) as usize);
                let (mut place, mut part) = (i, 0);
                while part < self.args.blocks_per_run {
                    if part != self.part {
                        place += better(from, self.own_samples(leg.individuals, part), mine);
                    }
                    part += 1;
                }
                to.set(place as usize, mine);
                self.teach(strategy, place, mine.index);
            });
            meetings.meet();
            return to;
        }
        Self::each(own, |rank| self.teach(strategy, rank, from.get(rank as usize).index));
        block::sync();
        from
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
