//! What a generation teaches: mean, paths, matrix and step size; and whether there is more to find.

use warpswarm_core::cma_es::{CHUNK, Shape, Strategy, comparable, is_flat};
use warpswarm_core::launch::{DistributionLayout, chunks, head};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::sum::{Largest, Least, Sum};
use warpswarm_device::point::fold_by_warp;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread, warp};

use super::search::{Holds, Matrices, Search};
use crate::run::level;

/// Which of the numbers that threads tell each other is which.
const STEADY: u32 = 0;
const NEXT_SIGMA: u32 = 1;
const OVER: u32 = 2;

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Adds up what the ranked samples teach, in chunks of ranks: of each a row for the mean, and the columns of the matrix. A warp has
    /// a row.
    #[inline(always)]
    pub(super) fn add_up(&self, individuals: u32, ranked: View<Candidate<R>>) {
        let strategy = &self.strategy(individuals);
        let rows = (self.n + 1).max(1);
        let all = chunks(strategy.taught().max(strategy.better)) * rows;
        let warps = thread::block_dim() / 32;
        let mut item = self.part * warps + thread::warp();
        while item < all {
            let (chunk, row) = (item / rows, item % rows);
            let is_mean = row == self.n;
            let count = if is_mean { strategy.better } else { strategy.taught() };
            let first = chunk * CHUNK as u32;
            if first < count {
                let ranks = (first, count.min(first + CHUNK as u32));
                let (weights, sums) = (self.weights(!is_mean), self.sums(chunk, row));
                let column = if is_mean { u32::MAX } else { row };
                Self::each_lane(if is_mean { 0 } else { row }, self.n, |i| {
                    let sum = self.weighted(ranks, (ranked, weights), (column, i));
                    sums.set(i as usize, sum);
                });
            }
            item += self.args.blocks_per_run * warps;
        }
    }

    /// The sum over ranks of weight times the product of two normal numbers of a sample, or of one alone.
    #[inline(always)]
    fn weighted(
        &self,
        ranks: (u32, u32),
        (ranked, weights): (View<Candidate<R>>, View<R>),
        (column, i): (u32, u32),
    ) -> R {
        let (all, stride) = (self.all_normals(), self.stride as usize);
        Self::chain(R::ZERO, ranks, |rank| {
            let z = all.part(ranked.get(rank as usize).index as usize * stride, stride);
            let weight = weights.get(rank as usize);
            let by = if column == u32::MAX { weight } else { weight * z.get(column as usize) };
            (by, z.get(i as usize))
        })
    }

    /// Learns from what has been added up; whether the leg goes on. By the whole block, in which all get the same.
    #[inline(always)]
    pub(super) fn learn(
        &self,
        individuals: u32,
        (age, best): (u64, Fitness<R>),
        matrices: &mut Matrices<M>,
    ) -> bool {
        let strategy = &self.strategy(individuals);
        let (head, told, step) = (self.head(), self.told(), self.step());
        Self::each(self.n, |i| {
            let mut sum = R::ZERO;
            let mut chunk = 0;
            while chunk < chunks(strategy.better) {
                sum += self.sums(chunk, self.n).get(i as usize);
                chunk += 1;
            }
            step.set(i, sum);
        });
        block::sync();
        // Each by other warps, where there are some.
        let last = thread::block_dim() / 32 - 1;
        if thread::warp() == 0 {
            self.learn_paths(strategy, age);
        }
        if thread::warp() != 0 || last == 0 {
            self.move_mean(strategy, matrices.factor);
        }
        if thread::warp() == last {
            let is_over = self.is_over(strategy, age, best);
            if thread::lane() == 0 {
                told.set(OVER, if is_over { R::ONE } else { R::ZERO });
            }
        }
        block::sync();
        let strategy = &self.strategy(individuals);
        let (is_steady, is_over) = (told.get(STEADY) != R::ZERO, told.get(OVER) != R::ZERO);
        let (wide, learned, kept) = (self.wide(), matrices.learned, strategy.kept(is_steady));
        Self::each_warp(self.n, |k| {
            let path = strategy.c_1 * wide.get(k);
            Self::each_lane(k, self.n, |i| {
                let place = k * self.stride + i;
                let mut sum = path.fused(wide.get(i), learned.at(place) * kept);
                let mut chunk = 0;
                while chunk < chunks(strategy.taught()) {
                    sum += self.sums(chunk, k).get(i as usize);
                    chunk += 1;
                }
                learned.put(place, sum);
            });
        });
        let sigma = told.get(NEXT_SIGMA);
        let stale = head.get(head::STALE as u32) + R::ONE;
        let is_due = stale >= R::from_u32(strategy.lag());
        // All have seen how stale it is.
        block::sync();
        if thread::index() == 0 {
            head.set(head::SIGMA as u32, sigma);
            head.set(head::STALE as u32, if is_due { R::ZERO } else { stale });
        }
        if !is_due {
            block::sync();
            return !is_over && sigma.is_finite();
        }
        let is_found = self.refactor(matrices);
        block::sync();
        if is_found {
            self.identity(matrices.learned);
        }
        let goes_on = is_found && !is_over && sigma.is_finite();
        let is_lost = goes_on && thread::warp() == last && {
            self.shape(age, sigma, matrices.factor)
                .has_converged(head.get(head::FIRST_SIGMA as u32))
        };
        let has_converged = block::sync_or(is_lost);
        goes_on && !has_converged
    }

    /// Moves both paths on; by one warp.
    #[inline(always)]
    fn learn_paths(&self, strategy: &Strategy<R>, age: u64) {
        let (path, wide, step, told) = (self.path(), self.wide(), self.step(), self.told());
        let (gain, kept) = (strategy.gain(strategy.c_sigma), R::ONE - strategy.c_sigma);
        Self::each_lane(0, self.n, |i| path.set(i, gain.fused(step.get(i), path.get(i) * kept)));
        warp::sync();
        let square = |i: usize| path.get(i as u32) * path.get(i as u32);
        let length = fold_by_warp::<R, Sum>(self.n as usize, square).sqrt();
        let is_steady = strategy.is_steady(length, age);
        let gain = if is_steady { strategy.gain(strategy.c_c) } else { R::ZERO };
        let kept = R::ONE - strategy.c_c;
        Self::each_lane(0, self.n, |i| wide.set(i, gain.fused(step.get(i), wide.get(i) * kept)));
        if thread::lane() == 0 {
            told.set(STEADY, if is_steady { R::ONE } else { R::ZERO });
            let sigma = self.head().get(head::SIGMA as u32);
            told.set(NEXT_SIGMA, sigma * strategy.step_factor(length));
        }
    }

    /// Moves the mean by its step; by all warps but the first, or by that where it is alone.
    #[inline(always)]
    fn move_mean(&self, strategy: &Strategy<R>, factor: M) {
        let (mean, step) = (self.mean(), self.step());
        let threads = thread::block_dim();
        let (first, by) = if threads == 32 { (0, 32) } else { (32, threads - 32) };
        let mut i = thread::index() - first;
        while i < self.n {
            let y =
                Self::chain(R::ZERO, (0, i + 1), |k| (factor.at(k * self.stride + i), step.get(k)));
            let moved = self.range(i).fused(y, mean.get(i));
            mean.set(i, strategy.brought_back(moved, self.bounds(i)));
            i += by;
        }
    }

    /// Whether by its values the leg has nothing more to find; by one warp.
    #[inline(always)]
    fn is_over(&self, strategy: &Strategy<R>, age: u64, best: Fitness<R>) -> bool {
        let head = self.head();
        let number = |i: usize| head.get(i as u32);
        let level = level::<R, true>(self.control());
        let remembered = strategy.remembered().max(1);
        let (all, at) = (self.distribution(), DistributionLayout::new(self.n, 0));
        let recent = all.part(at.recent as usize, 2 * remembered as usize);
        let place = (age % u64::from(remembered)) as usize;
        let of_leg = Fitness { violation: number(head::BEST + 1), value: number(head::BEST) };
        let is_new = age == 0 || level != number(head::LEVEL) || best.beats(of_leg);
        let best_at = if is_new { R::from_u32(age as u32) } else { number(head::BEST + 2) };
        warp::sync();
        if thread::lane() == 0 {
            if self.part == 0 {
                recent.set(2 * place, best.counted());
                recent.set(2 * place + 1, best.value);
            }
            if is_new {
                head.set(head::BEST as u32, best.value);
                head.set(head::BEST as u32 + 1, best.counted());
                head.set(head::BEST as u32 + 2, best_at);
                head.set(head::LEVEL as u32, level);
            }
        }
        if strategy.stagnates(age, best_at) {
            return true;
        }
        if age + 1 < u64::from(remembered) {
            return false;
        }
        // The own is not read, which is being written.
        let [own, all] = [best.counted(), best.value].map(comparable);
        let (mut violations, mut values) = ((own, own), (all, all));
        Self::each_lane(0, remembered, |i| {
            if i != place as u32 {
                let of = |k: usize| comparable(recent.get(2 * i as usize + k));
                let (violation, value) = (of(0), of(1));
                violations = (violations.0.smaller(violation), violations.1.larger(violation));
                values = (values.0.smaller(value), values.1.larger(value));
            }
        });
        let least = |x| warp::join::<R, Least, 32>(x);
        let most = |x| warp::join::<R, Largest, 32>(x);
        let is_one = least(violations.0) == most(violations.1);
        is_one & is_flat(least(values.0), most(values.1))
    }

    /// The shape of the distribution; by one warp.
    #[inline(always)]
    fn shape(&self, age: u64, sigma: R, factor: M) -> Shape<R> {
        let (mean, axis) = (self.mean(), (age % u64::from(self.n)) as u32);
        let mut shape = Shape::NONE;
        Self::each_lane(0, self.n, |i| {
            let at = (mean.get(i), self.bounds(i));
            let factor = |k| factor.at(k * self.stride + i);
            shape = shape.join(Shape::of(i, axis, at, sigma, factor));
        });
        Shape {
            least: warp::join::<R, Least, 32>(shape.least),
            most: warp::join::<R, Largest, 32>(shape.most),
            widest: warp::join::<R, Largest, 32>(shape.widest),
            is_lost: warp::any(shape.is_lost),
            axis_counts: warp::any(shape.axis_counts),
        }
    }
}
