//! The legs of a run: which one is being computed, and how the next one begins.

use warpswarm_core::launch::{DistributionLayout, head};
use warpswarm_core::pso;
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::restart::RestartState;
use warpswarm_device::block;
use warpswarm_device::view::DeviceReal;

use super::run_barrier::RunBarrier;
use super::search::{Holds, Matrices, Search, index};

/// The state of the present leg that every thread keeps, the same in all of them. The rest is in memory: see [`RestartState`].
pub(crate) struct Leg {
    /// The key of the leg's draws.
    pub(super) key: RunKey,
    pub(crate) number: u64,
    pub(crate) began: u64,
    pub(crate) evaluations: u64,
    pub(crate) limit: u64,
    /// See [`RestartState`]; unused where CMA-ES is the only search.
    pub(crate) ahead: u64,
    pub(crate) individuals: u32,
    pub(crate) is_new: bool,
}

impl Leg {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn of<R: DeviceReal, M: Holds<R>>(
        search: &Search<'_, R, M>,
        legs: &RestartState,
    ) -> Self {
        Leg {
            key: search.key().of_leg(legs.number),
            number: legs.number,
            began: legs.began,
            evaluations: legs.evaluations,
            limit: legs.limit,
            ahead: legs.ahead,
            individuals: legs.individuals,
            is_new: legs.is_new,
        }
    }
}

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// The full state of a leg: what this thread keeps, and the rest from memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn legs_of(&self, leg: &Leg) -> RestartState {
        let Leg { began, evaluations, ahead, is_new, .. } = *leg;
        RestartState { began, evaluations, ahead, is_new, ..self.legs().get(0) }
    }

    /// Ends a leg and chooses the next one, which gets this number.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn next(&self, leg: &Leg, number: u64, barrier: &mut RunBarrier) -> Leg {
        if self.part == 0 && index() == 0 {
            let (ended, at) = (self.legs_of(leg), (self.key(), self.stride));
            self.legs().set(0, self.args.restart_policy.next(ended, at, number));
        }
        barrier.wait();
        Leg::of(self, &self.legs().get(0))
    }

    /// Initialises the distribution of a leg that has been chosen. Draws no samples yet.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn begin(&self, leg: &mut Leg, iteration: u64, matrices: &Matrices<M>) {
        // After this barrier no thread still reads what is overwritten.
        block::sync();
        (leg.is_new, leg.began) = (false, iteration);
        let legs = self.legs().get(0);
        let sigma = self.args.restart_policy.first_step(&legs, self.key());
        let zero = R::ZERO;
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
            mean.set(i, if is_there { self.first_mean(leg.number == 0, stream, i) } else { zero });
        });
        self.identity(matrices.factor);
        self.identity(matrices.learned);
        if self.part == 0 {
            let (all, at) = (self.distribution(), DistributionLayout::new(self.n, 0));
            Self::each(self.args.numbers - at.recent, |i| all.set((at.recent + i) as usize, zero));
        }
        block::sync();
    }

    /// Coordinate `i` of the first mean of a leg.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn first_mean(&self, is_first: bool, stream: Stream, i: u32) -> R {
        let given = if is_first { self.given(0, i) } else { R::NAN };
        let [drawn, _] = stream.draws_of(i);
        let (lower, upper) = self.bounds(i);
        let drawn = pso::uniform((lower, upper), drawn);
        // The first leg begins in the middle half of each range.
        let middle = lower * R::HALF + upper * R::HALF;
        let drawn = if is_first { (drawn - middle).fused(R::HALF, middle) } else { drawn };
        if given.is_nan() { drawn } else { given.clamp_to(lower, upper) }
    }
}
