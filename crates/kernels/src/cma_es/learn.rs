//! The update after a generation: mean, evolution paths, matrix and step size; and whether the leg has converged.

use warpswarm_core::cma_es::{CHUNK, Shape, Strategy, comparable, is_flat};
use warpswarm_core::launch::{DistributionLayout, chunks, head, sums_len};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::sum::{Largest, Least, Sum};
use warpswarm_device::point::fold_by_warp;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::warp::Word;
use warpswarm_device::{block, warp};

use super::search::{Holds, Matrices, Search, index, lane, threads, warp_index, warps};
use crate::run::level;

/// Columns of the matrix that a warp updates together.
const COLUMNS: usize = 8;
/// Ranks, or chunks, that are loaded together.
const TOGETHER: usize = 8;

/// The places of the numbers that threads exchange.
const STEADY: u32 = 0;
const NEXT_SIGMA: u32 = 1;
const OVER: u32 = 2;

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Sums what the ranked samples contribute, chunk by chunk of ranks. The sums of a chunk are a row for the mean and
    /// the columns of the matrix. A warp computes 32 rows of [`COLUMNS`] columns.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn add_up(&self, individuals: u32, ranked: View<Candidate<R>>) {
        let strategy = &self.strategy(individuals);
        // The last tile of columns belongs to the mean.
        let (tiles, blocks) = (self.n.div_ceil(COLUMNS as u32) + 1, self.n.div_ceil(32).max(1));
        let of_chunk = (tiles * blocks).max(1);
        let all = chunks(strategy.taught().max(strategy.better)) * of_chunk;
        // Blocks take the items in turn, so that the work is balanced.
        let blocks_of_run = self.blocks();
        let mut item = warp_index() * blocks_of_run + self.part;
        while item < all {
            let (chunk, rest) = (item / of_chunk, item % of_chunk);
            let (tile, block) = (rest / blocks, rest % blocks);
            let is_mean = tile + 1 == tiles;
            let column = if is_mean { 0 } else { tile * COLUMNS as u32 };
            let count = if is_mean { strategy.better } else { strategy.taught() };
            let first = chunk * CHUNK as u32;
            if first < count && column < 32 * block + 32 {
                let ranks = (first, count.min(first + CHUNK as u32));
                let column = if is_mean { self.n } else { column };
                self.add_ranks(chunk, ranks, (ranked, self.weights(!is_mean)), (column, block));
            }
            item += warps() * blocks_of_run;
        }
    }

    /// Sums the contributions of a chunk of ranks to 32 rows of [`COLUMNS`] columns from `column` on, or to the mean if
    /// `column` is the number of columns. An element is the sum of weight times the product of two normal numbers of a
    /// sample, or times one of them for the mean.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn add_ranks(
        &self,
        chunk: u32,
        (first, end): (u32, u32),
        (ranked, weights): (View<Candidate<R>>, View<R>),
        (column, block): (u32, u32),
    ) {
        let (all, stride, lane) = (self.all_normals(), self.stride as usize, lane());
        let is_mean = column == self.n;
        let i = 32 * block + lane;
        let row = i.min(self.n - 1) as usize;
        // Used only for columns of the matrix.
        let other = (column + lane % COLUMNS as u32).min(self.n - 1) as usize;
        let mut sums = [R::ZERO; COLUMNS];
        let mut rank = first;
        while rank < end {
            let own = (rank + lane).min(end - 1) as usize;
            let (index, weight) = (ranked.get(own).index, weights.get(own));
            let count = (end - rank).min(32);
            let mut k = 0;
            while k < count {
                let (mut numbers, mut by) = ([R::ZERO; TOGETHER], [R::ZERO; TOGETHER]);
                let mut t = 0;
                while t < TOGETHER {
                    let from = (k + t as u32).min(count - 1);
                    let z = all.part(index.shuffle(from) as usize * stride, stride);
                    let weight = warp::shuffle(weight, from);
                    numbers[t] = z.get(row);
                    by[t] = if is_mean { weight } else { weight * z.get(other) };
                    t += 1;
                }
                t = 0;
                // A loop without a branch for full groups: in a branch, shuffles would first have to reconverge the
                // lanes.
                if k + TOGETHER as u32 <= count {
                    while t < TOGETHER {
                        sums = Self::add_rank(by[t], numbers[t], sums);
                        t += 1;
                    }
                } else {
                    while t < TOGETHER {
                        if k + (t as u32) < count {
                            sums = Self::add_rank(by[t], numbers[t], sums);
                        }
                        t += 1;
                    }
                }
                k += TOGETHER as u32;
            }
            rank += 32;
        }
        let (all, first) = (self.sums(), (chunk * (self.n + 1) + column) as usize);
        let mut c = 0;
        while c < COLUMNS {
            let to = column + c as u32;
            let is_there = if is_mean { c == 0 } else { to < self.n && to <= i };
            if is_there && i < self.n {
                all.set((first + c) * stride + i as usize, sums[c]);
            }
            c += 1;
        }
    }

    /// Adds the contribution of a rank: to each sum the product of `number` and the multiplier of one lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn add_rank(by: R, number: R, mut sums: [R; COLUMNS]) -> [R; COLUMNS] {
        let mut c = 0;
        while c < COLUMNS {
            sums[c] = warp::shuffle(by, c as u32).fused(number, sums[c]);
            c += 1;
        }
        sums
    }

    /// Adds to `sum` the element `place` of each chunk's sums, in the order of the chunks.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn with_chunks(mut sum: R, (sums, each): (View<R>, u32), chunks: u32, place: u32) -> R {
        let of = |chunk: u32| sums.get(chunk as usize * each as usize + place as usize);
        let mut chunk = 0;
        while chunk + TOGETHER as u32 <= chunks {
            let mut parts = [R::ZERO; TOGETHER];
            let mut t = 0;
            while t < TOGETHER {
                parts[t] = of(chunk + t as u32);
                t += 1;
            }
            t = 0;
            while t < TOGETHER {
                sum += parts[t];
                t += 1;
            }
            chunk += TOGETHER as u32;
        }
        while chunk < chunks {
            sum += of(chunk);
            chunk += 1;
        }
        sum
    }

    /// Updates the distribution from the sums. Returns whether the leg continues. By the whole block; all its threads
    /// get the same result.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn learn(
        &self,
        individuals: u32,
        (age, best): (u64, Fitness<R>),
        matrices: &mut Matrices<M>,
    ) -> bool {
        let strategy = &self.strategy(individuals);
        let (head, told, step) = (self.head(), self.told(), self.step());
        let sums = (self.sums(), sums_len(self.n));
        Self::each(self.n, |i| {
            let place = self.n * self.stride + i;
            step.set(i, Self::with_chunks(R::ZERO, sums, chunks(strategy.better), place));
        });
        block::sync();
        // If there are several warps, different warps do these.
        let last = warps() - 1;
        if warp_index() == 0 {
            self.learn_paths(strategy, age);
        }
        if warp_index() != 0 || last == 0 {
            self.move_mean(strategy, matrices.factor);
        }
        if warp_index() == last {
            let is_over = self.is_over(strategy, age, best);
            if lane() == 0 {
                told.set(OVER, if is_over { R::ONE } else { R::ZERO });
            }
        }
        block::sync();
        let strategy = &self.strategy(individuals);
        let (is_steady, is_over) = (told.get(STEADY) != R::ZERO, told.get(OVER) != R::ZERO);
        let (wide, learned, kept) = (self.wide(), matrices.learned, strategy.kept(is_steady));
        let taught = chunks(strategy.taught());
        Self::each_warp(self.n, |k| {
            let path = strategy.c_1 * wide.get(k);
            Self::each_lane(k, self.n, |i| {
                let place = k * self.stride + i;
                let own = path.fused(wide.get(i), learned.at(place) * kept);
                learned.put(place, Self::with_chunks(own, sums, taught, place));
            });
        });
        let sigma = told.get(NEXT_SIGMA);
        let stale = head.get(head::STALE as u32) + R::ONE;
        let is_due = stale >= R::from_u32(strategy.lag());
        // After this barrier all threads have read how stale the factor is.
        block::sync();
        if index() == 0 {
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
        let is_lost = goes_on && warp_index() == last && {
            self.shape(age, sigma, matrices.factor)
                .has_converged(head.get(head::FIRST_SIGMA as u32))
        };
        let has_converged = block::sync_or(is_lost);
        goes_on && !has_converged
    }

    /// Updates both evolution paths; by one warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
        if lane() == 0 {
            told.set(STEADY, if is_steady { R::ONE } else { R::ZERO });
            let sigma = self.head().get(head::SIGMA as u32);
            told.set(NEXT_SIGMA, sigma * strategy.step_factor(length));
        }
    }

    /// Moves the mean by its step; by all warps except the first, or by the first if it is the only one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn move_mean(&self, strategy: &Strategy<R>, factor: M) {
        let (mean, step) = (self.mean(), self.step());
        let threads = threads();
        let (first, by) = if threads == 32 { (0, 32) } else { (32, threads - 32) };
        let mut i = index() - first;
        while i < self.n {
            let y = Self::chain(i + 1, |k| (factor.at(k * self.stride + i), step.get(k)));
            let moved = self.range(i).fused(y, mean.get(i));
            mean.set(i, strategy.brought_back(moved, self.bounds(i)));
            i += by;
        }
    }

    /// Whether the values show that the leg has converged; by one warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
        if lane() == 0 {
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
        // The entry of this generation is not read, because it is being written.
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
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
