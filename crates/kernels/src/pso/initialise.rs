//! The first positions, velocities and personal bests.

use warpswarm_core::launch::{MAX_BLOCK, PsoArgs};
use warpswarm_core::pso;
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::WarpPoint;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use super::Swarm;
use crate::run::{count_not_finite, given};

/// Draws every particle and evaluates it.
///
/// **Mapping.** The warps of a run's blocks stride over its particles, so that objectives with data of each run find
/// theirs; the lanes of a warp stride over the coordinates.
///
/// **Arrays.** As [`PsoArgs`] describes them; writes `positions`, `velocities` and `best_positions:
/// [run][individual][coordinate]` and `best: [run][individual]`.
///
/// **Launch.** `runs * blocks_per_run` blocks of a multiple of 32 threads, at most [`MAX_BLOCK`]; `pso_best` with
/// `iterations` zero follows. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn initialise<R: DeviceReal>(args: &PsoArgs<R>) {
    max_block::<MAX_BLOCK>();
    let swarm = &Swarm::of_block(args);
    let warps = thread::block_dim() / 32;
    let mut particle = swarm.part * warps + thread::warp();
    while particle < swarm.individuals {
        place(swarm, particle);
        particle += args.blocks_per_run * warps;
    }
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn place<R: DeviceReal>(swarm: &Swarm<'_, R>, particle: u32) {
    let stream = Stream::new(swarm.key(), Purpose::Move, 0, swarm.number(particle));
    let position = swarm.row_of(swarm.positions, particle);
    let velocity = swarm.row_of(swarm.velocities, particle);
    let best_position = swarm.row_of(swarm.best_positions, particle);
    let mut i = thread::lane();
    while i < swarm.args.dimensions {
        let at = i as usize;
        let bounds = (swarm.lower.get(at), swarm.upper.get(at));
        let given = given(&swarm.args.start, (swarm.run, particle, i), swarm.args.stride);
        let (x, v) = pso::initial(bounds, stream.draws_of(i), given);
        position.set(at, x);
        velocity.set(at, v);
        best_position.set(at, x);
        i += 32;
    }
    let fitness = objective::evaluate::<R, _, true>(&WarpPoint::new(
        position,
        swarm.args.dimensions as usize,
    ))
    .within(R::ZERO);
    if thread::lane() == 0 {
        swarm.best.set(particle as usize, fitness);
        count_not_finite(swarm.control, u32::from(!fitness.is_finite()));
    }
}
