//! Samples: drawn and evaluated, a warp each.

use warpswarm_core::cma_es::{into_bounds, mirrored, normals};
use warpswarm_core::launch::head;
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_core::sum::Sum;
use warpswarm_device::point::{WarpPoint, fold_by_warp};
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{objective, thread, warp};

use super::legs::Leg;
use super::search::{Holds, Search};
use crate::run::level;

/// Columns of the factor that are on their way together.
const TOGETHER: u32 = 4;

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Draws and evaluates this block's samples of generation `age` of the leg; how many of this warp's were not finite, and whether any
    /// violates a constraint.
    #[inline(always)]
    pub(super) fn draw(&self, leg: &Leg, age: u64, factor: M) -> (u32, bool) {
        let (first, end) = self.own_samples(leg.individuals, self.part);
        let is_given = leg.number == 0 && age == 0;
        let given = if is_given { self.args.start.individuals } else { 0 };
        let level = level::<R, true>(self.control());
        let (fitness, squares) = (self.fitness(), self.squares());
        let (mut not_finite, mut is_violated) = (0, false);
        // A loop of its own: as a closure it would not be inlined.
        let mut sample = first + thread::warp();
        while sample < end {
            let (z, x) = (self.normals(sample), self.point(sample));
            let stream = Stream::new(leg.key, Purpose::Move, age, sample);
            Self::each_lane(0, self.n.div_ceil(2), |pair| {
                let [even, odd] = normals(stream, pair);
                z.set(2 * pair as usize, even);
                if 2 * pair + 1 < self.n {
                    z.set(2 * pair as usize + 1, odd);
                }
            });
            warp::sync();
            if sample < given {
                self.give_normals(sample, z);
            }
            let mut is_outside = false;
            self.place((z, x), factor, |i, drawn| {
                let bounds = self.bounds(i);
                if leg.number > 0 {
                    let inside = mirrored(drawn, bounds);
                    is_outside |= inside != drawn;
                    return inside;
                }
                let given = if sample < given { self.given(sample, i) } else { R::NAN };
                if given.is_nan() {
                    into_bounds(drawn, bounds)
                } else {
                    given.clamp_to(bounds.0, bounds.1)
                }
            });
            if warp::any(is_outside) {
                self.teach_point((z, x), factor);
            }
            if self.args.succession.active {
                let square = |i| z.get(i) * z.get(i);
                let sum = fold_by_warp::<R, Sum>(self.n as usize, square);
                if thread::lane() == 0 {
                    squares.set(sample as usize, sum);
                }
            }
            let point = WarpPoint::new(x, self.n as usize);
            let found = objective::evaluate::<R, _, true>(&point).within(level);
            not_finite += u32::from(!found.is_finite());
            is_violated |= found.violation != R::ZERO;
            if thread::lane() == 0 {
                fitness.set(sample as usize, found);
            }
            sample += thread::block_dim() / 32;
        }
        (not_finite, is_violated)
    }

    /// The normal numbers of a sample whose point is given; the factor is the identity still.
    #[inline(always)]
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

    /// Makes the point of a sample of its normal numbers, which lanes show each other, 32 at a time. A coordinate, and what was drawn for
    /// it, become what is within the bounds.
    #[inline(always)]
    fn place(&self, (z, x): (View<R>, View<R>), factor: M, mut inside: impl FnMut(u32, R) -> R) {
        let mean = self.mean();
        let mut first = 0;
        while first < self.n {
            let i = first + thread::lane();
            let row = i.min(self.n - 1);
            let mut y = R::ZERO;
            let mut shown = 0;
            while shown <= first {
                let own = z.get((shown + thread::lane()).min(self.n - 1) as usize);
                y = self.add_shown((shown, row), own, y, factor);
                shown += 32;
            }
            if i < self.n {
                x.set(i as usize, inside(i, self.range(i).fused(y, mean.get(i))));
            }
            first += 32;
        }
    }

    /// A step of the size of the distribution, in coordinate `i`.
    #[inline(always)]
    pub(super) fn range(&self, i: u32) -> R {
        let (lower, upper) = self.bounds(i);
        self.head().get(head::SIGMA as u32) * (upper - lower)
    }

    /// Adds to a sum what columns of the factor, from `shown` on, make in a row of the numbers that the lanes have for them: 32 columns,
    /// or those up to the row.
    #[inline(always)]
    fn add_shown(&self, (shown, row): (u32, u32), own: R, mut sum: R, factor: M) -> R {
        let end = (self.n - shown).min(32);
        let mut k = 0;
        while k < end {
            let mut a = [R::ZERO; TOGETHER as usize];
            let mut t = 0;
            while t < TOGETHER {
                let column = (shown + k + t).min(self.n - 1);
                a[t as usize] = factor.at(column * self.stride + row.max(column));
                t += 1;
            }
            t = 0;
            while t < TOGETHER {
                let number = warp::shuffle(own, (k + t) % 32);
                if k + t < end && shown + k + t <= row {
                    sum = a[t as usize].fused(number, sum);
                }
                t += 1;
            }
            k += TOGETHER;
        }
        sum
    }

    /// Makes the normal numbers of a sample those of which the factor makes its point, which was mirrored into the bounds; but for
    /// coordinates of which there is no range.
    #[inline(always)]
    fn teach_point(&self, (z, x): (View<R>, View<R>), factor: M) {
        let mean = self.mean();
        let mut first = 0;
        while first < self.n {
            let lane = thread::lane();
            let row = (first + lane).min(self.n - 1);
            let range = self.range(row);
            let mut rest = (x.get(row as usize) - mean.get(row)) / range;
            let mut shown = 0;
            while shown < first {
                let own = -z.get((shown + lane) as usize);
                rest = self.add_shown((shown, row), own, rest, factor);
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
            // Lanes beyond the coordinates have read the last one's number.
            warp::sync();
            if first + lane < self.n {
                z.set(row as usize, own);
            }
            warp::sync();
            first += 32;
        }
    }
}
