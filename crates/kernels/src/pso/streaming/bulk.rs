//! The streaming schedule with bulk copies, which move rows to shared memory and back while threads compute.

use warpswarm_core::launch::{BULK_PARTICLES, BULK_STAGES, BulkLayout, PsoArgs};
use warpswarm_core::order::Fitness;
use warpswarm_device::bulk::{self, ByteBarrier};
use warpswarm_device::entry::max_block;
use warpswarm_device::point::coordinate;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread, warp};

use super::Found;
use crate::pso::Swarm;
use crate::pso::particle::{self, Bounds, Move, Own, Particle};

/// Does an iteration with `LANES` lanes a particle; a lane has two neighbours of every 32 coordinates in registers.
///
/// **Mapping.** The warps of the run's blocks stride over stages of [`BULK_PARTICLES`] particles.
///
/// **Arrays.** As [`PsoArgs`] describes them: rows `[run][individual][coordinate]`.
///
/// **Launch.** `runs * blocks_per_run` blocks of a multiple of 32 threads, at most `BLOCK`, on a device with bulk
/// copies.
///
/// **Shared memory.** [`BulkLayout`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn bulk<
    R: DeviceReal,
    const LANES: u32,
    const K: usize,
    const BLOCK: u32,
    const CONSTRAINED: bool,
>(
    args: &PsoArgs<R>,
) {
    max_block::<BLOCK>();
    bulk::needed();
    let swarm = &Swarm::of_block(args);
    if swarm.has_stopped() {
        return;
    }
    let (key, iteration) = (swarm.key(), swarm.control.get(0).iterations + 1);
    let (threads, lane) = (thread::block_dim(), thread::lane());
    let layout = BulkLayout::new::<R>((LANES, LANES * K as u32), (threads, args.stride), true);
    let stage = |round| Stage::of_warp(&layout, args.stride, round % BULK_STAGES);
    let step = args.blocks_per_run * (threads / 32) * BULK_PARTICLES;
    let mut next = (swarm.part * (threads / 32) + thread::warp()) * BULK_PARTICLES;
    if lane == 0 {
        let mut s = 0;
        while s < BULK_STAGES {
            stage(s).barrier.init();
            stage(s).bring(swarm, next + s * step, iteration);
            s += 1;
        }
    }
    warp::sync();
    let bounds = Bounds::<R, LANES, K>::of(swarm);
    let global =
        particle::load::<R, LANES, K>(swarm.global_position.row(0, args.stride), R::ZERO, false);

    let mut found = Found::NOTHING;
    let mut round = 0;
    // Personal bests of the stage, one in each lane.
    let mut coming = best_of_lane(swarm, next, iteration);
    while next < swarm.individuals {
        let stage = stage(round);
        let first = there_and_back(swarm, next, iteration);
        let bests = coming;
        coming = best_of_lane(swarm, next + step, iteration);
        stage.barrier.wait(round / BULK_STAGES);
        let particles = BULK_PARTICLES.min(swarm.individuals - first);
        let mut q = 0;
        while q < particles {
            // The keys of Philox's rounds are computed again, because registers are scarce.
            let key = key.through(thread::opaque);
            let place = q + lane / LANES;
            let active = place < particles;
            // Lanes without a particle compute with the last particle's data and store nothing.
            let held = place.min(particles - 1);
            let which = Move { key, iteration, individual: swarm.number(first + place) };
            let [positions, velocities, personal] =
                [0, 1, 2].map(|array| stage.row(array, held, args.stride));
            let mut it = Particle::<R, LANES, K> {
                x: read::<R, LANES, K>(positions, args.stride),
                v: read::<R, LANES, K>(velocities, args.stride),
                p: read::<R, LANES, K>(personal, args.stride),
            };
            let weights = which.weights::<R, LANES, K>(&args.coefficients);
            it.advance(&swarm.args.coefficients, which, &weights, &global, &bounds);
            // Lanes without a particle read these rows too; after this barrier they have.
            warp::sync();
            if active {
                write::<R, LANES, K>(positions, &it.x, args.stride);
                write::<R, LANES, K>(velocities, &it.v, args.stride);
            }
            let best = of_lane::<R, CONSTRAINED>(bests, held);
            let point = point::<R, LANES, K>(&layout);
            let row = swarm.lane_row(swarm.best_positions, first + held);
            found.judge::<LANES, K, CONSTRAINED>(swarm, which, (active, best, row), it.x, point);
            q += 32 / LANES;
        }
        bulk::show();
        warp::sync();
        if lane == 0 {
            // Computed again, with what follows from it, so that no register keeps addresses while particles move.
            let swarm = &Swarm::of_block(args);
            stage.take(swarm, first, particles);
            stage.bring(swarm, next + BULK_STAGES * step, iteration);
        }
        next += step;
        round += 1;
    }
    bulk::have_written();
    // The candidates take the place of the rows, which no warp uses after this barrier.
    block::sync();
    // SAFETY: rows take more than a candidate for each thread, and the host gives `BulkLayout::bytes`.
    found.end::<LANES>(swarm, unsafe { SharedArray::new(0, threads) });
}

/// Rows of some particles in shared memory, and the barrier that counts their bytes.
#[derive(Clone, Copy)]
struct Stage<R> {
    barrier: ByteBarrier,
    /// `[array][particle][place]`
    rows: SharedArray<R>,
}

impl<R: DeviceReal> Stage<R> {
    /// Stage `s` of this warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_warp(layout: &BulkLayout, stride: u32, s: u32) -> Self {
        let number = thread::opaque(thread::index()) / 32 * BULK_STAGES + s;
        let places = 3 * BULK_PARTICLES * stride;
        // SAFETY: the host gives `BulkLayout::bytes` of shared memory, divided as the layout says; rows are multiples
        // of 16 bytes.
        unsafe {
            Stage {
                barrier: ByteBarrier::new(SharedArray::new(layout.barriers + 8 * number, 1)),
                rows: SharedArray::new(number * places * R::BYTES, places),
            }
        }
    }

    /// The row of a particle in an array: 0 for positions, 1 velocities, 2 personal bests.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn row(&self, array: u32, particle: u32, stride: u32) -> SharedArray<R> {
        self.rows.part((array * BULK_PARTICLES + particle) * stride, stride)
    }

    /// Starts the copies of the stage whose turn is at `next`, if there is one. By one lane, when the old contents are
    /// not needed any more.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn bring(&self, swarm: &Swarm<'_, R>, next: u32, iteration: u64) {
        if next >= swarm.individuals {
            return;
        }
        let first = there_and_back(swarm, next, iteration);
        let count = BULK_PARTICLES.min(swarm.individuals - first) * swarm.args.stride;
        self.barrier.expect(3 * count * R::BYTES);
        let arrays = [swarm.positions, swarm.velocities, swarm.best_positions];
        let mut array = 0;
        while array < 3 {
            let from = arrays[array as usize].part(swarm.row(first), count as usize);
            bulk::copy_in(from, self.array(array, swarm), self.barrier);
            array += 1;
        }
    }

    /// Copies the moved rows of the particles from `first` on back to memory, and waits until the stage may be
    /// overwritten. By one lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn take(&self, swarm: &Swarm<'_, R>, first: u32, particles: u32) {
        let to =
            |array: View<R>| array.part(swarm.row(first), (particles * swarm.args.stride) as usize);
        bulk::copy_out(to(swarm.positions), self.array(0, swarm));
        bulk::copy_out(to(swarm.velocities), self.array(1, swarm));
        bulk::have_read();
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn array(&self, array: u32, swarm: &Swarm<'_, R>) -> SharedArray<R> {
        let places = BULK_PARTICLES * swarm.args.stride;
        self.rows.part(array * places, places)
    }
}

/// The memory through which the lanes of a particle exchange its coordinates; exists only for objectives that need it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn point<R: DeviceReal, const LANES: u32, const K: usize>(layout: &BulkLayout) -> SharedArray<R> {
    let places = LANES * K as u32;
    let group = thread::opaque(thread::index()) / LANES;
    // SAFETY: as in `Stage::of_warp`.
    unsafe { SharedArray::new(layout.points + group * places * R::BYTES, places) }
}

/// The first particle of the stage whose turn is at `next`. Iterations go through the particles upwards and downwards
/// in turn: what one touched last is still in the L2 cache when the next one begins with it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn there_and_back<R: DeviceReal>(swarm: &Swarm<'_, R>, next: u32, iteration: u64) -> u32 {
    let last = (swarm.individuals - 1) / BULK_PARTICLES * BULK_PARTICLES;
    if iteration.is_multiple_of(2) { next } else { last.wrapping_sub(next) }
}

/// The personal best that this lane holds for the stage whose turn is at `next`; beyond the last particle, any other.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn best_of_lane<R: DeviceReal>(swarm: &Swarm<'_, R>, next: u32, iteration: u64) -> Fitness<R> {
    let first = there_and_back(swarm, next, iteration);
    let particle = first.wrapping_add(thread::lane() % BULK_PARTICLES).min(swarm.individuals - 1);
    swarm.best.get(particle as usize)
}

/// The one that another lane holds.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn of_lane<R: DeviceReal, const CONSTRAINED: bool>(mine: Fitness<R>, lane: u32) -> Fitness<R> {
    let value = warp::shuffle(mine.value, lane);
    let violation = if CONSTRAINED { warp::shuffle(mine.violation, lane) } else { R::ZERO };
    Fitness { violation, value }
}

/// Loads this lane's coordinates of a row; places beyond its end are zero.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn read<R: DeviceReal, const LANES: u32, const K: usize>(
    row: SharedArray<R>,
    stride: u32,
) -> Own<R, K> {
    const { assert!(LANES == 16 && K.is_multiple_of(2)) }
    let mut own = [R::ZERO; K];
    let mut k = 0;
    while k < K {
        let i = coordinate::<LANES>(thread::lane(), k) as u32;
        if i < stride {
            let two = row.get2(i);
            own[k] = two[0];
            own[k + 1] = two[1];
        }
        k += 2;
    }
    own
}

/// Stores this lane's coordinates of a row.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn write<R: DeviceReal, const LANES: u32, const K: usize>(
    row: SharedArray<R>,
    own: &Own<R, K>,
    stride: u32,
) {
    let mut k = 0;
    while k < K {
        let i = coordinate::<LANES>(thread::lane(), k) as u32;
        if i < stride {
            row.set2(i, [own[k], own[k + 1]]);
        }
        k += 2;
    }
}
