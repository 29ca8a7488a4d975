//! Particles that have a thread each and are too large for its registers. Each particle is a column of shared memory,
//! in which values that are used together are neighbours. The limits and the leader are the same for all particles, and
//! are stored once for a block. A multiprocessor then holds 512 particles of 32 dimensions, its registers are free to
//! move several coordinates at once, and the code is a short loop.

use warpswarm_core::boundary::{self, Boundary};
use warpswarm_core::launch::{
    ResidentLayout, best_is_shared, best_pitch, column_pitch, column_place, common_len,
    common_place, has_common,
};
use warpswarm_core::pso::{self, Coefficients, Coordinate};
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_device::point::ColumnPoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use super::Swarm;
use super::particle::{Move, Particle};

/// A thread's column, and what the threads of the block have in common.
#[derive(Clone, Copy)]
pub(super) struct Columns<R> {
    /// `[quad][3][4]`: position, velocity, personal best; or the personal best alone
    own: SharedArray<R>,
    /// `[quad][4][4]`: lower and upper bound, least and largest velocity
    common: SharedArray<R>,
    /// `[row][place]`: positions, one of them the leader's
    rows: SharedArray<R>,
}

impl<R: DeviceReal> Columns<R> {
    /// The block's columns in a tile of `LANES` lanes and `K` coordinates. Writes the limits and the leader's row, the
    /// first of the last two; they are visible after the next barrier.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new<const LANES: u32, const K: usize>(swarm: &Swarm<'_, R>) -> Self {
        let (threads, stride) = (thread::block_dim(), swarm.args.stride);
        let tile = (LANES, LANES * K as u32);
        let layout = ResidentLayout::new::<R>(tile, (threads, stride), false, 0);
        let shared = best_is_shared::<R>(LANES, K as u32);
        let pitch = if shared { best_pitch(stride) } else { column_pitch(stride) };
        let rows = 2 * (threads / 32 + 1);
        // SAFETY: the host gives `ResidentLayout::bytes` of shared memory, cut as the layout says.
        let columns = unsafe {
            Columns {
                own: SharedArray::new(layout.columns, threads * pitch)
                    .part(thread::index() * pitch, pitch),
                common: SharedArray::new(layout.common, common_len(K as u32)),
                rows: SharedArray::new(layout.positions, rows * LANES * K as u32),
            }
        };
        if !has_common(LANES, K as u32) {
            return columns;
        }
        let mut i = thread::index();
        while i < stride {
            let bounds = (swarm.lower.get(i as usize), swarm.upper.get(i as usize));
            let speeds = pso::speeds(&swarm.args.coefficients, bounds);
            columns.rows.set((rows - 2) * K as u32 + i, swarm.global_position.get(i as usize));
            let values = [bounds.0, bounds.1, speeds.0, speeds.1];
            let mut k = 0;
            while k < 4 {
                columns.common.set(common_place(i) + 4 * k as u32, values[k]);
                k += 1;
            }
            i += threads;
        }
        columns
    }

    /// Loads the particle's rows into the column.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn read(&self, swarm: &Swarm<'_, R>, particle: u32) {
        let row = |array| swarm.lane_row(array, particle);
        let rows = [row(swarm.positions), row(swarm.velocities), row(swarm.best_positions)];
        let mut k = 0;
        while k < swarm.args.stride {
            let at = column_place(k);
            self.own.set4(at, rows[0].stream4(k, R::ZERO));
            self.own.set4(at + 4, rows[1].stream4(k, R::ZERO));
            self.own.set4(at + 8, rows[2].stream4(k, R::ZERO));
            k += 4;
        }
    }

    /// Stores the column in the particle's rows; the personal best only if `with_best` is set.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn write(&self, swarm: &Swarm<'_, R>, particle: u32, with_best: bool) {
        let row = |array| swarm.lane_row(array, particle);
        let rows = [row(swarm.positions), row(swarm.velocities), row(swarm.best_positions)];
        let mut k = 0;
        while k < swarm.args.stride {
            let at = column_place(k);
            rows[0].set_stream4(k, self.own.get4(at));
            rows[1].set_stream4(k, self.own.get4(at + 4));
            if with_best {
                rows[2].set_stream4(k, self.own.get4(at + 8));
            }
            k += 4;
        }
    }

    /// Copies the position to the personal best.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn keep(&self, stride: u32) {
        let mut k = 0;
        while k < stride {
            let at = column_place(k);
            self.own.set4(at + 8, self.own.get4(at));
            k += 4;
        }
    }

    /// The personal best of a particle whose position and velocity are in registers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn best<const K: usize>(&self, stride: u32) -> [R; K] {
        let mut best = [R::ZERO; K];
        let mut k = 0;
        while k + 3 < K {
            if (k as u32) < stride {
                let four = self.own.get4(k as u32);
                let mut j = 0;
                while j < 4 {
                    best[k + j] = four[j];
                    j += 1;
                }
            }
            k += 4;
        }
        best
    }

    /// Stores `x` as that personal best.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn set_best<const K: usize>(&self, stride: u32, x: &[R; K]) {
        let mut k = 0;
        while k + 3 < K {
            if (k as u32) < stride {
                self.own.set4(k as u32, [x[k], x[k + 1], x[k + 2], x[k + 3]]);
            }
            k += 4;
        }
    }

    /// Stores `x` as coordinate `i` of the personal best.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn learn(&self, i: u32, x: R) {
        self.own.set(column_place(i) + 8, x);
    }

    /// The position, in the form that objectives read.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn point(&self, dimensions: u32) -> ColumnPoint<R> {
        ColumnPoint::new(self.own, dimensions as usize)
    }

    /// Four coordinates of the position, from `i` on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn quad(&self, i: u32) -> [R; 4] {
        self.own.get4(column_place(i))
    }

    /// Moves the particle by one iteration, towards the leader whose row begins at `leader`. Two pairs of coordinates
    /// move at the same time, so that neither waits for the other's results; a pair that is left over moves last.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn advance(
        &self,
        which: Move,
        coefficients: &Coefficients<R>,
        leader: u32,
        dimensions: u32,
    ) {
        let stream = Stream::new(which.key, Purpose::Move, which.iteration, which.individual);
        let mut k = 0;
        while k + 2 < dimensions {
            self.advance_quad::<2>((k, leader), &stream, coefficients);
            k += 4;
        }
        if k < dimensions {
            self.advance_quad::<1>((k, leader), &stream, coefficients);
        }
    }

    /// Moves `PAIRS` (1 or 2) pairs of coordinates from `k` on; the places after them are at rest.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn advance_quad<const PAIRS: usize>(
        &self,
        (k, leader): (u32, u32),
        stream: &Stream,
        coefficients: &Coefficients<R>,
    ) {
        let own = column_place(k);
        let (mut x, mut v) = (self.own.get4(own), self.own.get4(own + 4));
        let personal = self.own.get4(own + 8);
        self.move_quad::<PAIRS>((k, leader), (stream, coefficients), (&mut x, &mut v), personal);
        self.own.set4(own, x);
        self.own.set4(own + 4, v);
    }

    /// Moves a particle that is in registers by one iteration, four coordinates at a time.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn advance_row<const LANES: u32, const K: usize>(
        &self,
        which: Move,
        coefficients: &Coefficients<R>,
        it: &mut Particle<R, LANES, K>,
        (leader, dimensions): (u32, u32),
    ) {
        let stream = Stream::new(which.key, Purpose::Move, which.iteration, which.individual);
        let mut k = 0;
        while k + 3 < K {
            if (k as u32) < dimensions {
                let four = |row: &[R; K]| [row[k], row[k + 1], row[k + 2], row[k + 3]];
                let (mut x, mut v) = (four(&it.x), four(&it.v));
                let at = (&stream, coefficients);
                let place = (k as u32, leader);
                let shared = best_is_shared::<R>(LANES, K as u32);
                let best = if shared { self.own.get4(k as u32) } else { four(&it.p) };
                if k as u32 + 2 < dimensions {
                    self.move_quad::<2>(place, at, (&mut x, &mut v), best);
                } else {
                    self.move_quad::<1>(place, at, (&mut x, &mut v), best);
                }
                let mut j = 0;
                while j < 4 {
                    it.x[k + j] = x[j];
                    it.v[k + j] = v[j];
                    j += 1;
                }
            }
            k += 4;
        }
    }

    /// Moves `PAIRS` (1 or 2) pairs of coordinates from `k` on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn move_quad<const PAIRS: usize>(
        &self,
        (k, leader): (u32, u32),
        (stream, coefficients): (&Stream, &Coefficients<R>),
        (x, v): (&mut [R; 4], &mut [R; 4]),
        personal: [R; 4],
    ) {
        let common = common_place(k);
        let global = self.rows.get4(leader + k);
        let (lower, upper) = (self.common.get4(common), self.common.get4(common + 4));
        let (slowest, fastest) = (self.common.get4(common + 8), self.common.get4(common + 12));
        let factors = stream.quad_factors::<R>(k / 4);
        let mut i = 0;
        while i < 2 * PAIRS {
            let at = Coordinate { position: x[i], velocity: v[i], personal_best: personal[i] };
            let pulls = pso::pulls(coefficients, factors[i]);
            let velocity = pso::velocity(coefficients, at, global[i], pulls);
            let velocity = velocity.clamp_to(slowest[i], fastest[i]);
            let there = (at.position + velocity, velocity);
            let bounds = (lower[i], upper[i]);
            let unused = || R::ZERO;
            (x[i], v[i]) = boundary::enforce(Boundary::Clamp, R::ZERO, there, bounds, unused);
            i += 1;
        }
    }
}
