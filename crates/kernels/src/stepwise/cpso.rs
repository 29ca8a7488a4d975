//! CPSO's three kernels, one after the other: the schedule to read and to test against.
//!
//! A thread moves a particle, as in Algorithms 3 to 5 of the paper, and strides if there are more particles than
//! threads. One thread accesses a whole row, which is not coalesced: this is not the fast schedule.
//!
//! **Deviation.** The paper's Algorithm 3 lets thread 0 of every block write the global best, which is a race, and its
//! text reduces over blocks on the CPU. Here the last block to arrive does that.
//!
//! **Launch.** All three kernels take `runs * blocks_per_run` blocks of a multiple of 32 threads, at most
//! [`MAX_BLOCK`], and the same arguments. Arrays are those of [`PsoArgs`]: rows `[run][individual][coordinate]`.

use warpswarm_core::launch::{MAX_BLOCK, PsoArgs};
use warpswarm_core::order::Candidate;
use warpswarm_core::pso::{self, Coordinate};
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::ThreadPoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use crate::pso::Swarm;
use crate::run::count_not_finite;

/// Calls `work` for this thread's particles: from its own on, in strides of the run's threads.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn each_particle<R: DeviceReal>(swarm: &Swarm<'_, R>, mut work: impl FnMut(u32)) {
    let mut particle = swarm.part * thread::block_dim() + thread::index();
    while particle < swarm.individuals {
        work(particle);
        particle += swarm.args.blocks_per_run * thread::block_dim();
    }
}

/// Algorithm 4: new velocities. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn velocity<R: DeviceReal>(args: &PsoArgs<R>) {
    max_block::<MAX_BLOCK>();
    let swarm = &Swarm::of_block(args);
    if swarm.has_stopped() {
        return;
    }
    let iteration = swarm.control.get(0).iterations + 1;
    each_particle(swarm, |particle| {
        let stream = Stream::new(swarm.key(), Purpose::Move, iteration, swarm.number(particle));
        let positions = swarm.row_of(swarm.positions, particle);
        let velocities = swarm.row_of(swarm.velocities, particle);
        let bests = swarm.row_of(swarm.best_positions, particle);
        let mut i = 0;
        while i < args.dimensions {
            let d = i as usize;
            let at = Coordinate {
                position: positions.get(d),
                velocity: velocities.get(d),
                personal_best: bests.get(d),
            };
            let pulls = pso::pulls(&args.coefficients, stream.factors_of(i));
            let v = pso::velocity(&args.coefficients, at, swarm.global_position.get(d), pulls);
            let bounds = (swarm.lower.get(d), swarm.upper.get(d));
            velocities.set(d, pso::limited(&args.coefficients, v, bounds));
            i += 1;
        }
    });
}

/// Algorithm 5: new positions, their values and personal bests. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn position<R: DeviceReal>(args: &PsoArgs<R>) {
    max_block::<MAX_BLOCK>();
    let swarm = &Swarm::of_block(args);
    if swarm.has_stopped() {
        return;
    }
    let iteration = swarm.control.get(0).iterations + 1;
    let mut not_finite = 0;
    each_particle(swarm, |particle| {
        let positions = swarm.row_of(swarm.positions, particle);
        let velocities = swarm.row_of(swarm.velocities, particle);
        let mut i = 0;
        while i < args.dimensions {
            let d = i as usize;
            let reentry = || pso::reentry_draw(swarm.key(), iteration, swarm.number(particle), i);
            let bounds = (swarm.lower.get(d), swarm.upper.get(d));
            let (x, v) = (positions.get(d), velocities.get(d));
            let (x, v) = pso::moved(&args.coefficients, x, v, bounds, reentry);
            positions.set(d, x);
            velocities.set(d, v);
            i += 1;
        }
        let fitness = objective::evaluate::<R, _, true>(&ThreadPoint::new(
            positions,
            args.dimensions as usize,
        ))
        .within(swarm.level_of::<true>(swarm.number(particle)));
        not_finite += u32::from(!fitness.is_finite());
        if fitness.beats(swarm.best.get(particle as usize)) {
            swarm.best.set(particle as usize, fitness);
            let bests = swarm.row_of(swarm.best_positions, particle);
            let mut i = 0;
            while i < args.dimensions as usize {
                bests.set(i, positions.get(i));
                i += 1;
            }
        }
    });
    count_not_finite(swarm.control, not_finite);
}

/// Algorithm 3: the global best, by a tree reduction in shared memory and over the blocks; ends the iteration. Shared
/// memory: [`reduction_shared_bytes`](warpswarm_core::launch::reduction_shared_bytes).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn best<R: DeviceReal>(args: &PsoArgs<R>) {
    max_block::<MAX_BLOCK>();
    let swarm = &Swarm::of_block(args);
    if args.iterations != 0 && swarm.has_stopped() {
        return;
    }
    // SAFETY: the host gives `reduction_shared_bytes` of shared memory.
    let scratch = unsafe { SharedArray::new(0, thread::block_dim()) };
    let mut mine = Candidate::NONE;
    each_particle(swarm, |particle| {
        let best = swarm.best.get(particle as usize);
        mine = mine.better(Candidate::new(best, swarm.number(particle)));
    });
    swarm.end_iteration(mine, scratch);
}
