//! Samples: drawn and evaluated, a warp each.

use warpswarm_core::cma_es::{into_bounds, normals};
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_core::sum::Sum;
use warpswarm_device::point::{WarpPoint, fold_by_warp};
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{objective, thread, warp};

use super::legs::Leg;
use super::search::{Holds, Search};
use crate::run::level;
use warpswarm_core::launch::head;

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Draws and evaluates this block's samples of generation `age` of the leg; how many of this warp's were not finite.
    #[inline(always)]
    pub(super) fn draw(&self, leg: &Leg, age: u64) -> u32 {
        let (first, end) = self.own_samples(leg.individuals, self.part);
        let is_given = leg.is_first && age == 0;
        let given = if is_given { self.args.start.individuals } else { 0 };
        let level = level::<R, true>(self.control);
        let (fitness, squares) = (self.fitness(), self.squares());
        let mut not_finite = 0;
        Self::each_warp(end - first, |k| {
            let sample = first + k;
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
            self.place(sample < given, sample, (z, x));
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
            if thread::lane() == 0 {
                fitness.set(sample as usize, found);
            }
        });
        not_finite
    }

    /// The normal numbers of a sample whose point is given; the factor is the identity still.
    #[inline(always)]
    fn give_normals(&self, sample: u32, z: View<R>) {
        let (sigma, mean) = (self.head().get(head::SIGMA as u32), self.mean());
        Self::each_lane(0, self.n, |i| {
            let (lower, upper) = self.bounds(i);
            let (given, range) = (self.given(sample, i), sigma * (upper - lower));
            if !given.is_nan() && range > R::ZERO {
                z.set(i as usize, (given.clamp_to(lower, upper) - mean.get(i)) / range);
            }
        });
        warp::sync();
    }

    /// Makes the point of a sample of its normal numbers.
    #[inline(always)]
    fn place(&self, is_given: bool, sample: u32, (z, x): (View<R>, View<R>)) {
        let (sigma, mean) = (self.head().get(head::SIGMA as u32), self.mean());
        let mut first = 0;
        while first < self.n {
            let i = first + thread::lane();
            let is_there = i < self.n;
            let mut y = R::ZERO;
            let end = (first + 32).min(self.n);
            let mut k = 0;
            while k < end {
                let number = z.get(k as usize);
                if is_there && k <= i {
                    y = self.factor.at(k * self.stride + i).fused(number, y);
                }
                k += 1;
            }
            if is_there {
                let (lower, upper) = self.bounds(i);
                let range = sigma * (upper - lower);
                let drawn = into_bounds(range.fused(y, mean.get(i)), (lower, upper));
                let given = if is_given { self.given(sample, i) } else { R::NAN };
                x.set(
                    i as usize,
                    if given.is_nan() { drawn } else { given.clamp_to(lower, upper) },
                );
            }
            first += 32;
        }
    }
}
