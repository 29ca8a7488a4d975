//! Many iterations in one launch, with the swarm in registers: a thread or a group of lanes has a particle.
//!
//! Particles depend on each other only if one of them improves on the global best, their leader. They therefore compute
//! a *window* of iterations as if none did, and each records the first iteration in which it would have. At the end all
//! threads agree on the earliest of these. If there is none, which is the common case after the first hundred
//! iterations, nothing else is needed. Otherwise all restore the state at the beginning of the window from memory,
//! repeat the iterations up to the earliest improvement, and agree on a new leader there. Windows have one iteration
//! while improvements follow each other, and grow with the time since the last one. The results are the same with any
//! window, because a move is a function of the state, the leader and the iteration.
//!
//! A run in one block passes a new leader on through shared memory. The blocks of a larger run exchange results at the
//! end of a window ([`Exchange`](warpswarm_device::grid::Exchange)), and positions only if they improve.

use warpswarm_core::launch::{PsoArgs, stopped};
use warpswarm_device::entry::max_block;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use super::Swarm;
use super::blocks::Blocks;
use super::flight::{Flight, is_in_common};
use super::leader_exchange::{Leader, NEVER};
use crate::run::{count_not_finite, set_progress};

/// Iterations without an improvement are not counted beyond this.
const ENDLESS: u32 = u32::MAX;
/// The longest window. The cost of a window, a barrier and a store of the particle, is spread over its iterations.
const LONGEST: u32 = 64;

/// The length of the next window after `idle` iterations without an improvement on the leader: the longer there was
/// none, the less likely one is.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) const fn window<const LANES: u32, const K: usize>(idle: u32) -> u32 {
    // If a thread has a particle to itself, storing it takes long: a short window costs more than it saves.
    let shortest = if is_in_common::<LANES, K>() { LONGEST } else { 2 };
    let half = idle / 2;
    if half < shortest {
        1
    } else if half < LONGEST {
        half
    } else {
        LONGEST
    }
}

/// Does up to `args.iterations` iterations, with `LANES` lanes a particle and `K` coordinates in the registers of each
/// lane.
///
/// **Mapping.** Group g of `LANES` lanes of the run's blocks has particle g for the whole launch.
///
/// **Arrays.** As [`PsoArgs`] describes them: rows `[run][individual][coordinate]`.
///
/// **Launch.** `runs * blocks_per_run` blocks of a multiple of 32 threads, at most `BLOCK`, with a group for each
/// particle of the run; `iterations` is below 2^31. Several blocks a run need a cooperative launch, or are a cluster.
///
/// **Shared memory.** [`ResidentLayout`](warpswarm_core::launch::ResidentLayout).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn resident<
    R: DeviceReal,
    B: Blocks,
    const LANES: u32,
    const K: usize,
    const BLOCK: u32,
    const CONSTRAINED: bool,
>(
    args: &PsoArgs<R>,
) {
    max_block::<BLOCK>();
    let swarm = &Swarm::of_block(args);
    let control = swarm.control.get(0);
    if control.stopped != stopped::NOT {
        return;
    }
    let flight = Flight::<R, B, LANES, K>::new(args);
    let mut state = flight.read::<CONSTRAINED>(control.iterations);
    let mut leader = Leader::<R, K>::read::<LANES, CONSTRAINED>(swarm);
    let mut iteration = control.iterations;
    // Iterations since the last improvement, and those that are left of this launch.
    let mut idle = (iteration - control.improved_at).min(u64::from(ENDLESS - 1)) as u32;
    let mut left = args.iterations as u32;
    let mut tag = args.tag;
    let mut reason = stopped::NOT;
    let patience = args.stop.stagnation as u32;
    while left != 0 && reason == stopped::NOT {
        let mut window = window::<LANES, K>(idle).min(left);
        if patience != 0 {
            window = window.min(patience.saturating_sub(idle).max(1));
        }
        // In a window of one iteration the improvement can only be in that one, so that no exchange is needed.
        let mut certain = window == 1;
        if !certain {
            flight.save(&mut state);
        }
        let (mut first, mut not_finite);
        let improving = loop {
            first = NEVER;
            let mut done = 0;
            not_finite = 0;
            while done < window {
                done += 1;
                let now = iteration + u64::from(done);
                let moved = flight.advance::<CONSTRAINED>(&mut state, &leader, now);
                not_finite += u32::from(moved.not_finite);
                if moved.leads {
                    first = first.min(done);
                }
            }
            if certain {
                break true;
            }
            tag = tag.wrapping_add(1);
            let swarm = &Swarm::of_block(args);
            let soonest = flight.leader_exchange.soonest::<CONSTRAINED>(swarm, tag, first);
            if soonest >= window {
                break soonest == window;
            }
            // After that iteration the other particles' moves were wrong: repeat the window up to it.
            flight.back::<CONSTRAINED>(&mut state, iteration);
            window = soonest;
            certain = true;
        };
        if thread::lane().is_multiple_of(LANES) {
            count_not_finite(Swarm::of_block(args).control, not_finite);
        }
        iteration += u64::from(window);
        left -= window;
        idle = idle.saturating_add(window).min(ENDLESS - 1);
        if improving {
            let mine = flight.offer(&state, first == window);
            let before = leader.best.fitness;
            let swarm = &Swarm::of_block(args);
            tag = tag.wrapping_add(1);
            if flight.leader_exchange.agree::<CONSTRAINED>(
                swarm,
                tag,
                mine,
                &state.it.x,
                &mut leader,
            ) {
                if leader.best.fitness.beats(before) {
                    idle = 0;
                }
                reason = args.stop.check(leader.best.fitness, 0, 0);
            }
        }
        if reason == stopped::NOT && patience != 0 && idle >= patience {
            reason = stopped::STAGNATION;
        }
    }
    flight.save(&mut state);
    if flight.writes_leader(&leader) {
        let improved = idle < args.iterations as u32 - left;
        let improved_at = if improved {
            iteration - u64::from(idle)
        } else {
            Swarm::of_block(args).control.get(0).improved_at
        };
        set_progress(Swarm::of_block(args).control, iteration, improved_at, reason);
    }
    B::end();
}
