//! Particles that a thread has for itself and that are too large for its registers: each is a column of shared memory,
//! and what is the same for all, the leader and the limits, lies there once a block. So a multiprocessor holds 512
//! particles of 32 dimensions, its registers are free to move several coordinates at once, and the code is a short loop.

use warpswarm_core::boundary::{self, Boundary};
use warpswarm_core::launch::{ResidentLayout, column_pitch, in_columns};
use warpswarm_core::pso::{self, Coefficients, Coordinate};
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_device::point::ColumnPoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread};

use super::Swarm;
use super::particle::Move;

/// A thread's column and what goes with it.
#[derive(Clone, Copy)]
pub(super) struct Columns<R> {
    /// The position, `[coordinate]`
    x: SharedArray<R>,
    /// The velocity, `[coordinate]`
    v: SharedArray<R>,
    /// The personal best, `[coordinate]`
    p: SharedArray<R>,
    /// The leader's position, `[coordinate]`
    leader: SharedArray<R>,
    /// Lower and upper bound, lower and upper speed, `[coordinate][4]`
    limits: SharedArray<R>,
}

impl<R: DeviceReal> Columns<R> {
    /// The block's columns in a tile of so many lanes and coordinates, its leader and limits written; nothing where
    /// particles are in registers. Collective in the block.
    #[inline(always)]
    pub(super) fn new<const LANES: u32, const K: usize>(swarm: &Swarm<'_, R>) -> Self {
        let (threads, stride) = (thread::block_dim(), swarm.args.stride);
        let tile = (LANES, LANES * K as u32);
        let layout = ResidentLayout::new::<R>(tile, (threads, stride), false, 0);
        let pitch = column_pitch(stride);
        // SAFETY: the host gives `ResidentLayout::bytes` of shared memory, cut as the layout says.
        let columns = unsafe {
            let column = |number: u32| {
                let first = layout.columns + number * threads * pitch * R::BYTES;
                SharedArray::new(first, threads * pitch).part(thread::index() * pitch, pitch)
            };
            Columns {
                x: column(0),
                v: column(1),
                p: column(2),
                leader: SharedArray::new(layout.leader, K as u32),
                limits: SharedArray::new(layout.limits, 4 * K as u32),
            }
        };
        if !in_columns(LANES, K as u32) {
            return columns;
        }
        let mut i = thread::index();
        while i < stride {
            let bounds = (swarm.lower.get(i as usize), swarm.upper.get(i as usize));
            let speeds = pso::speeds(&swarm.args.coefficients, bounds);
            columns.limits.set4(4 * i, [bounds.0, bounds.1, speeds.0, speeds.1]);
            columns.leader.set(i, swarm.global_position.get(i as usize));
            i += threads;
        }
        block::sync();
        columns
    }

    /// Fills the column from the particle's rows.
    #[inline(always)]
    pub(super) fn read(&self, swarm: &Swarm<'_, R>, particle: u32) {
        let stride = swarm.args.stride;
        let fill = |array: View<R>, column: SharedArray<R>| {
            let row = swarm.lane_row(array, particle);
            let mut k = 0;
            while k < stride {
                column.set4(k, row.stream4(k, R::ZERO));
                k += 4;
            }
        };
        fill(swarm.positions, self.x);
        fill(swarm.velocities, self.v);
        fill(swarm.best_positions, self.p);
    }

    /// Writes the column to the particle's rows.
    #[inline(always)]
    pub(super) fn write(&self, swarm: &Swarm<'_, R>, particle: u32) {
        let stride = swarm.args.stride;
        let empty = |array: View<R>, column: SharedArray<R>| {
            let row = swarm.lane_row(array, particle);
            let mut k = 0;
            while k < stride {
                row.set_stream4(k, column.get4(k));
                k += 4;
            }
        };
        empty(swarm.positions, self.x);
        empty(swarm.velocities, self.v);
        empty(swarm.best_positions, self.p);
    }

    /// Makes the position the personal best.
    #[inline(always)]
    pub(super) fn keep(&self, stride: u32) {
        let mut k = 0;
        while k < stride {
            self.p.set4(k, self.x.get4(k));
            k += 4;
        }
    }

    /// The position, as objectives see it.
    #[inline(always)]
    pub(super) fn point(&self, dimensions: u32) -> ColumnPoint<R> {
        ColumnPoint::new(self.x, dimensions as usize)
    }

    /// Coordinate `i` of the position.
    #[inline(always)]
    pub(super) fn position(&self, i: u32) -> R {
        self.x.get(i)
    }

    /// Makes `x` coordinate `i` of the leader.
    #[inline(always)]
    pub(super) fn lead(&self, i: u32, x: R) {
        self.leader.set(i, x);
    }

    /// Coordinate `i` of the leader.
    #[inline(always)]
    pub(super) fn leader(&self, i: u32) -> R {
        self.leader.get(i)
    }

    /// Moves the particle one iteration on: two pairs of coordinates at once, so that neither waits for the other's
    /// results, and then the pair that may be left.
    #[inline(always)]
    pub(super) fn advance(&self, which: Move, coefficients: &Coefficients<R>, dimensions: u32) {
        let stream = Stream::new(which.key, Purpose::Move, which.iteration, which.individual);
        let mut k = 0;
        while k + 2 < dimensions {
            let (x, v) = self.moved::<2>(k, &stream, coefficients);
            self.x.set4(k, x);
            self.v.set4(k, v);
            k += 4;
        }
        if k < dimensions {
            let ([x0, x1, ..], [v0, v1, ..]) = self.moved::<1>(k, &stream, coefficients);
            self.x.set4(k, [x0, x1, R::ZERO, R::ZERO]);
            self.v.set4(k, [v0, v1, R::ZERO, R::ZERO]);
        }
    }

    /// Position and velocity of `PAIRS` (1 or 2) pairs of coordinates from `k` on after their move; zero for the others.
    #[inline(always)]
    fn moved<const PAIRS: usize>(
        &self,
        k: u32,
        stream: &Stream,
        coefficients: &Coefficients<R>,
    ) -> ([R; 4], [R; 4]) {
        let (mut x, mut v) = (self.x.get4(k), self.v.get4(k));
        let (personal, global) = (self.p.get4(k), self.leader.get4(k));
        let mut pair = 0;
        while pair < PAIRS {
            let draws = stream.coordinate_draws::<R>(k / 2 + pair as u32);
            let mut one = 0;
            while one < 2 {
                let i = 2 * pair + one;
                let [lower, upper, slowest, fastest] = self.limits.get4(4 * (k + i as u32));
                let at = Coordinate { position: x[i], velocity: v[i], personal_best: personal[i] };
                let pulls = pso::pulls(coefficients, draws[one]);
                let velocity = pso::velocity(coefficients, at, global[i], pulls);
                let velocity = velocity.clamp_to(slowest, fastest);
                let there = (at.position + velocity, velocity);
                let unused = || R::ZERO;
                (x[i], v[i]) =
                    boundary::enforce(Boundary::Clamp, R::ZERO, there, (lower, upper), unused);
                one += 1;
            }
            pair += 1;
        }
        (x, v)
    }
}
