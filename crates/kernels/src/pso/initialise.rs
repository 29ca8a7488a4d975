//! The first positions, velocities and personal bests.

use warpswarm_core::launch::{MAX_BLOCK, PsoArgs};
use warpswarm_core::pso;
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::WarpPoint;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{thread, warp};

use super::Swarm;
use crate::run::count_not_finite;

/// Draws every particle of every run and evaluates it.
///
/// Work: warp w of the grid takes the particles w, w + warps, ... of all runs, its lanes the
/// coordinates lane, lane + 32, ... Any grid, no shared memory.
#[inline(always)]
pub fn initialise<R: DeviceReal>(args: &PsoArgs<R>) {
    max_block::<MAX_BLOCK>();
    let warps = u64::from(thread::grid_dim()) * u64::from(thread::block_dim() / 32);
    // Never zero; said so that no check for a division by zero is compiled.
    let individuals = u64::from(args.individuals.max(1));
    let all = u64::from(args.runs) * individuals;
    let mut next = thread::global_index() / 32;
    while next < all {
        let run = (next / individuals) as u32;
        let particle = (next % individuals) as u32;
        place(&Swarm::new(args, run, 0), particle);
        next += warps;
    }
}

#[inline(always)]
fn place<R: DeviceReal>(swarm: &Swarm<'_, R>, particle: u32) {
    let stream = Stream::new(swarm.key(), Purpose::Move, 0, particle);
    let position = swarm.row_of(swarm.positions, particle);
    let velocity = swarm.row_of(swarm.velocities, particle);
    let best_position = swarm.row_of(swarm.best_positions, particle);
    let mut i = thread::lane();
    while i < swarm.args.dimensions {
        let at = i as usize;
        let bounds = (swarm.lower.get(at), swarm.upper.get(at));
        let (x, v) = pso::initial(bounds, stream.draws_of(i));
        position.set(at, x);
        velocity.set(at, v);
        best_position.set(at, x);
        i += 32;
    }
    warp::sync();
    let fitness = objective::evaluate::<R, _, true>(&WarpPoint::new(
        position,
        swarm.args.dimensions as usize,
    ));
    if thread::lane() == 0 {
        swarm.best.set(particle as usize, fitness);
        count_not_finite(swarm.control, u32::from(!fitness.is_finite()));
    }
}
