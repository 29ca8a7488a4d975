//! Where a run is among its legs.

use warpswarm_core::launch::{DistributionLayout, head};
use warpswarm_core::legs::Legs;
use warpswarm_core::pso;
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{block, thread};

use super::meetings::Meetings;
use super::search::{Holds, Search};

/// What every thread knows of the present leg; the same in all of them. The rest is in memory: see [`Legs`].
pub(super) struct Leg {
    /// The key of its draws.
    pub(super) key: RunKey,
    pub(super) is_first: bool,
    pub(super) began: u64,
    pub(super) evaluations: u64,
    pub(super) limit: u64,
    pub(super) individuals: u32,
    pub(super) is_new: bool,
}

impl Leg {
    #[inline(always)]
    pub(super) fn of<R: DeviceReal, M: Holds<R>>(search: &Search<'_, R, M>, legs: &Legs) -> Self {
        Leg {
            key: search.key().of_leg(legs.number),
            is_first: legs.number == 0,
            began: legs.began,
            evaluations: legs.evaluations,
            limit: legs.limit,
            individuals: legs.individuals,
            is_new: legs.is_new,
        }
    }
}

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Ends a leg, and chooses the next one.
    #[inline(always)]
    pub(super) fn next(&self, leg: &Leg, meetings: &mut Meetings) -> Leg {
        if self.part == 0 && thread::index() == 0 {
            let ended = Legs { evaluations: leg.evaluations, ..self.legs.get(0) };
            let at = (self.key(), self.stride);
            self.legs.set(0, self.args.succession.next(ended, at, ended.number + 1));
        }
        meetings.meet();
        Leg::of(self, &self.legs.get(0))
    }

    /// Begins a leg that has been chosen: its distribution. Nothing is drawn yet.
    #[inline(always)]
    pub(super) fn begin(&self, leg: &mut Leg, iteration: u64) {
        // What is in the way is not needed any more.
        block::sync();
        (leg.is_new, leg.began) = (false, iteration);
        let legs = self.legs.get(0);
        let sigma = self.args.succession.first_step(&legs, self.key());
        let [zero, one] = [R::ZERO, R::ONE];
        let first = self.head();
        Self::each(head::LEN as u32, |i| {
            let number = match i as usize {
                head::SIGMA | head::FIRST_SIGMA => sigma,
                head::SAMPLES => R::from_u32(leg.individuals),
                _ => zero,
            };
            first.set(i, number);
        });
        let (mean, path, wide) = (self.mean(), self.path(), self.wide());
        let stream = Stream::new(leg.key, Purpose::Move, 0, u32::MAX);
        Self::each(self.stride, |i| {
            path.set(i, zero);
            wide.set(i, zero);
            let is_there = i < self.n;
            mean.set(i, if is_there { self.first_mean(leg.is_first, stream, i) } else { zero });
        });
        Self::each_warp(self.n, |k| {
            Self::each_lane(0, self.stride, |i| {
                let place = k * self.stride + i;
                self.factor.put(place, if i == k { one } else { zero });
                self.learned.put(place, if i == k { one } else { zero });
            });
        });
        if self.part == 0 {
            let (all, at) = (self.distribution(), DistributionLayout::new(self.n, 0));
            Self::each(self.args.numbers - at.recent, |i| all.set((at.recent + i) as usize, zero));
        }
        block::sync();
        if self.part == 0 && thread::index() == 0 {
            self.legs.set(0, Legs { began: iteration, is_new: false, ..legs });
        }
    }

    /// Coordinate `i` of the point around which a leg begins.
    #[inline(always)]
    fn first_mean(&self, is_first: bool, stream: Stream, i: u32) -> R {
        let given = if is_first { self.given(0, i) } else { R::NAN };
        let [drawn, _] = stream.draws_of(i);
        let (lower, upper) = self.bounds(i);
        let drawn = pso::uniform((lower, upper), drawn);
        // The first one in the middle half of each range.
        let middle = lower * R::HALF + upper * R::HALF;
        let drawn = if is_first { (drawn - middle).fused(R::HALF, middle) } else { drawn };
        if given.is_nan() { drawn } else { given.clamp_to(lower, upper) }
    }
}
