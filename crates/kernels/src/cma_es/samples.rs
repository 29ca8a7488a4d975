//! Draws samples, a few at a time by a warp, and evaluates them one by one.

use warpswarm_core::cma_es::{into_bounds, mirrored};
use warpswarm_core::launch::head;
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_core::sum::{Operator, Sum, TILE};
use warpswarm_device::point::{WarpPoint, fold_by_warp, fold_tile_by_warp};
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{objective, warp};

use super::restart::Leg;
use super::search::{Holds, Search, lane, warp_index, warps};
use crate::run::level;

/// Columns of the factor that are loaded together.
const TOGETHER: u32 = 4;
/// Samples that a warp draws together.
const GROUP: usize = 4;

/// Neighbouring samples of a generation: the first one, their number, and the generation's age.
#[derive(Clone, Copy)]
struct Group {
    first: u32,
    count: u32,
    age: u64,
}

impl Group {
    /// The row of the `k`th sample of the group in `all`; beyond the group that of its last sample.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn row<R: DeviceReal>(&self, k: usize, all: View<R>, stride: u32) -> View<R> {
        let sample = self.first + (k as u32).min(self.count - 1);
        all.part(sample as usize * stride as usize, stride as usize)
    }
}

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Draws and evaluates this block's samples of generation `age` of the leg. Returns how many results of this warp
    /// were not finite, and whether any sample of it violates a constraint.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn draw(&self, leg: &Leg, age: u64, factor: M) -> (u32, bool) {
        let (start, end) = self.own_samples(leg.individuals, self.part);
        let level = level::<R, true>(self.control());
        let fitness = self.fitness();
        let (mut not_finite, mut is_violated) = (0, false);
        let warps = warps();
        // The samples of each warp: few enough that no warp is idle.
        let each = (end - start).div_ceil(warps).clamp(1, GROUP as u32);
        // A written-out loop, because the compiler would not inline the closure.
        let mut first = start + warp_index() * each;
        while first < end {
            let count = each.min(end - first);
            self.make(leg, Group { first, count, age }, factor);
            let (points, stride) = (self.all_points(), self.stride as usize);
            let mut sample = first;
            while sample < first + count {
                let row = points.part(sample as usize * stride, stride);
                let point = WarpPoint::new(row, self.n as usize);
                let found = objective::evaluate::<R, _, true>(&point).within(level);
                not_finite += u32::from(!found.is_finite());
                is_violated |= found.violation != R::ZERO;
                if lane() == 0 {
                    fitness.set(sample as usize, found);
                }
                sample += 1;
            }
            first += warps * each;
        }
        (not_finite, is_violated)
    }

    /// Computes the points of a group of samples; by one warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn make(&self, leg: &Leg, group: Group, factor: M) {
        let Group { first, count, age } = group;
        let is_given = leg.number == 0 && age == 0;
        let given = if is_given { self.args.start.individuals } else { 0 };
        let (pairs, stride) = (self.n.div_ceil(2).max(1), self.stride as usize);
        let all = self.all_normals();
        Self::each_lane(0, count * pairs, |item| {
            let (sample, pair) = (first + item / pairs, item % pairs);
            let z = all.part(sample as usize * stride, stride);
            let [even, odd] = Stream::new(leg.key, Purpose::Move, age, sample).pair_normals(pair);
            z.set(2 * pair as usize, even);
            if 2 * pair + 1 < self.n {
                z.set(2 * pair as usize + 1, odd);
            }
        });
        warp::sync();
        let mut sample = first;
        while sample < given.min(first + count) {
            self.give_normals(sample, self.normals(sample));
            sample += 1;
        }
        self.place(group, factor);
        warp::sync();
        let (mut outside, points) = (0, self.all_points());
        Self::each_lane(0, count * self.n, |item| {
            let (k, i) = (item / self.n, item % self.n);
            let (sample, bounds) = (first + k, self.bounds(i));
            let place = sample as usize * stride + i as usize;
            let drawn = points.get(place);
            let given = if sample < given { self.given(sample, i) } else { R::NAN };
            let inside = if leg.number > 0 {
                let inside = mirrored(drawn, bounds);
                outside |= u32::from(inside != drawn) << k;
                inside
            } else if given.is_nan() {
                into_bounds(drawn, bounds)
            } else {
                given.clamp_to(bounds.0, bounds.1)
            };
            points.set(place, inside);
        });
        warp::sync();
        let mut k = 0;
        while k < count {
            if warp::any(outside & 1 << k != 0) {
                self.teach_point((self.normals(first + k), self.point(first + k)), factor);
            }
            k += 1;
        }
        if self.args.restart_policy.active {
            self.find_squares(group);
        }
    }

    /// Computes the sum of squared normal numbers of each sample of the group.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn find_squares(&self, group: Group) {
        let (n, all, squares) = (self.n as usize, self.all_normals(), self.squares());
        let set = |k: usize, sum: R| {
            if k < group.count as usize && lane() == 0 {
                squares.set(group.first as usize + k, sum);
            }
        };
        if n > TILE {
            let mut k = 0;
            while k < group.count as usize {
                let z = group.row(k, all, self.stride);
                set(k, fold_by_warp::<R, Sum>(n, |i| z.get(i) * z.get(i)));
                k += 1;
            }
            return;
        }
        let sums = fold_tile_by_warp::<R, Sum, GROUP>((0, n), |i| {
            let mut squares = [R::ZERO; GROUP];
            let mut k = 0;
            while k < GROUP {
                let z = group.row(k, all, self.stride).get(i);
                squares[k] = z * z;
                k += 1;
            }
            squares
        });
        let mut k = 0;
        while k < GROUP {
            set(k, <Sum as Operator<R>>::finish(sums[k]));
            k += 1;
        }
    }

    /// Computes the normal numbers of a sample whose point is given. The factor is still the identity.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn give_normals(&self, sample: u32, z: View<R>) {
        let mean = self.mean();
        Self::each_lane(0, self.n, |i| {
            let (lower, upper) = self.bounds(i);
            let (given, range) = (self.given(sample, i), self.range(i));
            if !given.is_nan() && range > R::ZERO {
                z.set(i as usize, (given.clamp_to(lower, upper) - mean.get(i)) / range);
            }
        });
        warp::sync();
    }

    /// Computes the points of a group from its normal numbers. Lanes load 32 numbers and pass them on by shuffles. The
    /// points may lie outside the bounds.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(&self, group: Group, factor: M) {
        let (mean, normals, points) = (self.mean(), self.all_normals(), self.all_points());
        let mut first = 0;
        while first < self.n {
            let i = first + lane();
            let row = i.min(self.n - 1);
            let mut y = [R::ZERO; GROUP];
            let mut shown = 0;
            while shown <= first {
                let place = (shown + lane()).min(self.n - 1) as usize;
                let mut own = [R::ZERO; GROUP];
                let mut k = 0;
                while k < GROUP {
                    own[k] = group.row(k, normals, self.stride).get(place);
                    k += 1;
                }
                y = self.add_shown((shown, row), own, y, factor);
                shown += 32;
            }
            if i < self.n {
                let (range, mean) = (self.range(i), mean.get(i));
                let mut k = 0;
                while k < GROUP {
                    if k < group.count as usize {
                        let point = group.row(k, points, self.stride);
                        point.set(i as usize, range.fused(y[k], mean));
                    }
                    k += 1;
                }
            }
            first += 32;
        }
    }

    /// The length of a step along coordinate `i`: step size times range.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn range(&self, i: u32) -> R {
        let (lower, upper) = self.bounds(i);
        self.head().get(head::SIGMA as u32) * (upper - lower)
    }

    /// Adds to `sums` the products of up to 32 columns of the factor, from `shown` on, with the numbers that the lanes
    /// hold for these columns. Columns beyond the row do not count.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn add_shown<const S: usize>(
        &self,
        (shown, row): (u32, u32),
        own: [R; S],
        mut sums: [R; S],
        factor: M,
    ) -> [R; S] {
        let end = (self.n - shown).min(32);
        let mut k = 0;
        while k + TOGETHER <= end {
            sums = self.add_columns::<S, { TOGETHER as usize }>((shown, k, row), own, sums, factor);
            k += TOGETHER;
        }
        while k < end {
            sums = self.add_columns::<S, 1>((shown, k, row), own, sums, factor);
            k += 1;
        }
        sums
    }

    /// The same for `COLUMNS` columns, from that of lane `k` on. Elements above the diagonal are loaded but not used.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn add_columns<const S: usize, const COLUMNS: usize>(
        &self,
        (shown, k, row): (u32, u32, u32),
        own: [R; S],
        mut sums: [R; S],
        factor: M,
    ) -> [R; S] {
        let mut a = [R::ZERO; COLUMNS];
        let mut t = 0;
        while t < COLUMNS {
            a[t] = factor.at((shown + k + t as u32) * self.stride + row);
            t += 1;
        }
        t = 0;
        while t < COLUMNS {
            let counts = shown + k + t as u32 <= row;
            let mut s = 0;
            while s < S {
                let number = warp::shuffle(own[s], k + t as u32);
                if counts {
                    sums[s] = a[t].fused(number, sums[s]);
                }
                s += 1;
            }
            t += 1;
        }
        sums
    }

    /// Recomputes the normal numbers of a sample that was mirrored into the bounds, so that the factor maps them to its
    /// point. Coordinates without a range keep their numbers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn teach_point(&self, (z, x): (View<R>, View<R>), factor: M) {
        let mean = self.mean();
        let mut first = 0;
        while first < self.n {
            let lane = lane();
            let row = (first + lane).min(self.n - 1);
            let range = self.range(row);
            let mut rest = (x.get(row as usize) - mean.get(row)) / range;
            let mut shown = 0;
            while shown < first {
                let own = [-z.get((shown + lane) as usize)];
                [rest] = self.add_shown((shown, row), own, [rest], factor);
                shown += 32;
            }
            let inverse = R::ONE / factor.at(row * self.stride + row);
            let mut own = z.get(row as usize);
            let end = (self.n - first).min(32);
            let mut k = 0;
            while k < end {
                if lane == k && range > R::ZERO {
                    own = rest * inverse;
                }
                let number = warp::shuffle(-own, k);
                let column = first + k;
                let a = factor.at(column * self.stride + row.max(column));
                if row > column {
                    rest = a.fused(number, rest);
                }
                k += 1;
            }
            // Lanes beyond the last coordinate read its number. After this barrier they have, and it may be written.
            warp::sync();
            if first + lane < self.n {
                z.set(row as usize, own);
            }
            warp::sync();
            first += 32;
        }
    }
}
