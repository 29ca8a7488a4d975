//! One fused launch an iteration, for swarms that do not fit into registers. Each array is read once and written once,
//! personal bests only if they improve.

mod bulk;

use warpswarm_core::launch::{MAX_BLOCK, PsoArgs, reduction_shared_bytes};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::pso::{self, Coordinate};
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::{TilePoint, WarpPoint};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, Row};
use warpswarm_device::{thread, warp};

pub use bulk::bulk;

use super::Swarm;
use super::particle::{self, Bounds, Move, Own, Particle};
use crate::run::count_not_finite;

/// Does an iteration with `LANES` lanes a particle and `K` coordinates in the registers of each lane.
///
/// **Mapping.** The groups of `LANES` lanes of the run's blocks stride over its particles.
///
/// **Arrays.** As [`PsoArgs`] describes them: rows `[run][individual][coordinate]`.
///
/// **Launch.** `runs * blocks_per_run` blocks of a multiple of 32 threads, at most `BLOCK`.
///
/// **Shared memory.** [`streaming_shared_bytes`](warpswarm_core::launch::streaming_shared_bytes).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn tiled<
    R: DeviceReal,
    const LANES: u32,
    const K: usize,
    const BLOCK: u32,
    const CONSTRAINED: bool,
>(
    args: &PsoArgs<R>,
) {
    max_block::<BLOCK>();
    let swarm = &Swarm::of_block(args);
    if swarm.has_stopped() {
        return;
    }
    let (key, iteration) = (swarm.key(), swarm.control.get(0).iterations + 1);
    let threads = thread::block_dim();
    let group = thread::index() / LANES;
    let (scratch, stage) = shared::<R, LANES, K>(threads);
    let stage =
        if LANES > 1 { stage.part(group * LANES * K as u32, LANES * K as u32) } else { stage };
    let bounds = Bounds::<R, LANES, K>::of(swarm);
    let global =
        particle::load::<R, LANES, K>(swarm.global_position.row(0, args.stride), R::ZERO, false);

    let mut found = Found::NOTHING;
    // All lanes of a block do the same number of rounds, so that collectives have all lanes.
    let mut first = swarm.part * (threads / LANES);
    while first < swarm.individuals {
        // If a particle takes most of the registers, the keys of Philox's rounds are computed again.
        let key = if K * R::WORDS > 8 { key.through(thread::opaque) } else { key };
        let particle = first + group;
        let which = Move { key, iteration, individual: swarm.number(particle) };
        let active = particle < swarm.individuals;
        // Lanes without a particle compute with the last particle's data and store nothing.
        let held = particle.min(swarm.individuals - 1);
        let positions = swarm.lane_row(swarm.positions, held);
        let velocities = swarm.lane_row(swarm.velocities, held);
        let bests = swarm.lane_row(swarm.best_positions, held);
        let mut it = Particle::<R, LANES, K> {
            x: particle::load::<R, LANES, K>(positions, R::ZERO, true),
            v: particle::load::<R, LANES, K>(velocities, R::ZERO, true),
            p: particle::load::<R, LANES, K>(bests, R::ZERO, true),
        };
        let best = swarm.best.get(held as usize);
        // The rows that this warp needs next are prefetched while it computes.
        let next = first + args.blocks_per_run * (threads / LANES);
        let rows = swarm.row(next + thread::warp() * (32 / LANES));
        let places = 32 / LANES * args.stride;
        swarm.positions.prefetch(rows, places);
        swarm.velocities.prefetch(rows, places);
        swarm.best_positions.prefetch(rows, places);
        let weights = which.weights::<R, LANES, K>(&args.coefficients);
        it.advance(&swarm.args.coefficients, which, &weights, &global, &bounds);
        if active {
            particle::store::<R, LANES, K>(positions, &it.x, true);
            particle::store::<R, LANES, K>(velocities, &it.v, true);
        }
        found.judge::<LANES, K, CONSTRAINED>(swarm, which, (active, best, bests), it.x, stage);
        first = next;
    }
    found.end::<LANES>(swarm, scratch);
}

/// The results of a thread's particles.
struct Found<R> {
    best: Candidate<R>,
    not_finite: u32,
}

impl<R: DeviceReal> Found<R> {
    const NOTHING: Self = Found { best: Candidate::NONE, not_finite: 0 };

    /// Evaluates a particle that has moved to `x`. If it is `active` and better than its personal best, stores it as
    /// that.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn judge<const LANES: u32, const K: usize, const CONSTRAINED: bool>(
        &mut self,
        swarm: &Swarm<'_, R>,
        which: Move,
        (active, best, row): (bool, Fitness<R>, Row<R>),
        x: Own<R, K>,
        stage: SharedArray<R>,
    ) {
        let level = swarm.level_of::<CONSTRAINED>(which.individual);
        let point = TilePoint::<R, LANES, K>::new(x, swarm.args.dimensions as usize, stage);
        let fitness = objective::judge::<R, _, CONSTRAINED>(&point);
        let fitness = if CONSTRAINED { fitness.within(level) } else { fitness };
        if active && fitness.beats(best) {
            let fitness = fitness.canonical();
            particle::store::<R, LANES, K>(row, &x, true);
            if thread::lane().is_multiple_of(LANES) {
                // Computed again, so that no register keeps it in between.
                let particle = thread::opaque(which.individual) - swarm.args.first;
                swarm.best.set(particle as usize, fitness);
            }
            self.best = self.best.better(Candidate::new(fitness, which.individual));
        }
        self.not_finite += u32::from(active && !fitness.is_finite());
    }

    /// Ends the iteration.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn end<const LANES: u32>(self, swarm: &Swarm<'_, R>, scratch: SharedArray<Candidate<R>>) {
        if thread::lane().is_multiple_of(LANES) {
            count_not_finite(swarm.control, self.not_finite);
        }
        swarm.end_iteration(self.best, scratch);
    }
}

/// The scratch of the block's reduction, and the stage of its points.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn shared<R: DeviceReal, const LANES: u32, const K: usize>(
    threads: u32,
) -> (SharedArray<Candidate<R>>, SharedArray<R>) {
    // SAFETY: the host gives `streaming_shared_bytes`: a candidate for each thread, then the stage.
    unsafe {
        (
            SharedArray::new(0, threads),
            SharedArray::new(reduction_shared_bytes::<R>(threads), threads * K as u32),
        )
    }
}

/// Does an iteration with rows in memory, for any number of dimensions.
///
/// **Mapping.** The warps of the run's blocks stride over its particles, lanes over coordinates.
///
/// **Arrays.** As [`PsoArgs`] describes them: rows `[run][individual][coordinate]`.
///
/// **Launch.** `runs * blocks_per_run` blocks of a multiple of 32 threads, at most [`MAX_BLOCK`].
///
/// **Shared memory.** [`streaming_shared_bytes`](warpswarm_core::launch::streaming_shared_bytes) without a tile.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn any<R: DeviceReal>(args: &PsoArgs<R>) {
    max_block::<MAX_BLOCK>();
    let swarm = &Swarm::of_block(args);
    if swarm.has_stopped() {
        return;
    }
    let (key, iteration) = (swarm.key(), swarm.control.get(0).iterations + 1);
    let warps = thread::block_dim() / 32;
    let mut mine = Candidate::NONE;
    let mut not_finite = 0;
    let mut particle = swarm.part * warps + thread::warp();
    while particle < swarm.individuals {
        let which = Move { key, iteration, individual: swarm.number(particle) };
        advance_row(swarm, which, particle);
        let position = swarm.row_of(swarm.positions, particle);
        let fitness =
            objective::evaluate::<R, _, true>(&WarpPoint::new(position, args.dimensions as usize));
        let fitness = fitness.within(swarm.level_of::<true>(which.individual));
        if fitness.beats(swarm.best.get(particle as usize)) {
            let bests = swarm.row_of(swarm.best_positions, particle);
            let mut i = thread::lane();
            while i < args.dimensions {
                bests.set(i as usize, position.get(i as usize));
                i += 32;
            }
            // All lanes have compared before one of them writes.
            warp::sync();
            if thread::lane() == 0 {
                swarm.best.set(particle as usize, fitness);
            }
            mine = mine.better(Candidate::new(fitness, which.individual));
        }
        not_finite += u32::from(!fitness.is_finite());
        particle += args.blocks_per_run * warps;
    }
    if thread::lane() == 0 {
        count_not_finite(swarm.control, not_finite);
    }
    // SAFETY: the host gives `streaming_shared_bytes`: a candidate for each thread.
    let scratch = unsafe { SharedArray::new(0, thread::block_dim()) };
    swarm.end_iteration(mine, scratch);
}

/// Moves a particle in memory; each lane moves one coordinate at a time.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn advance_row<R: DeviceReal>(swarm: &Swarm<'_, R>, which: Move, particle: u32) {
    let coefficients = &swarm.args.coefficients;
    let stream = Stream::new(which.key, Purpose::Move, which.iteration, which.individual);
    let positions = swarm.row_of(swarm.positions, particle);
    let velocities = swarm.row_of(swarm.velocities, particle);
    let bests = swarm.row_of(swarm.best_positions, particle);
    let mut i = thread::lane();
    while i < swarm.args.dimensions {
        let d = i as usize;
        let at = Coordinate {
            position: positions.get(d),
            velocity: velocities.get(d),
            personal_best: bests.get(d),
        };
        let bounds = (swarm.lower.get(d), swarm.upper.get(d));
        let reentry = || which.reentry_draw(i);
        let pulls = pso::pulls(coefficients, stream.factors_of(i));
        let v = pso::velocity(coefficients, at, swarm.global_position.get(d), pulls);
        let v = pso::limited(coefficients, v, bounds);
        let (x, v) = pso::moved(coefficients, at.position, v, bounds, reentry);
        positions.set(d, x);
        velocities.set(d, v);
        i += 32;
    }
}
