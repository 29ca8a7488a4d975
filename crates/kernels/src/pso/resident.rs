//! Whole iterations in one launch, the swarm in registers: a particle a thread or a group of lanes.
//!
//! Particles need each other only where one improves on the global best, their leader. So they go through a
//! *window* of iterations as if nobody did, each noting the first iteration in which it would have; at the end
//! all agree on the soonest. If there is none, which is the common case after the first hundred iterations,
//! nothing else is needed. Otherwise all go back to where the window began, which they have in memory, and
//! come as far as that iteration, in which they agree on a new leader. Windows are one iteration long
//! while improvements follow each other, and grow with the time since the last. The numbers are the same:
//! a move is a function of the state, the leader and the iteration.
//!
//! A run in one block hands a new leader around through shared memory; a run over several blocks
//! exchanges at the end of a window ([`Exchange`](warpswarm_device::grid::Exchange)), and positions only where they improve.

use warpswarm_core::launch::{PsoArgs, stopped};
use warpswarm_device::entry::max_block;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use super::Swarm;
use super::blocks::Blocks;
use super::flight::{Flight, is_in_common};
use super::meeting::{Leader, NEVER};
use crate::run::{count_not_finite, set_progress};

/// More iterations without an improvement than are counted.
const ENDLESS: u32 = u32::MAX;
/// The longest window: it costs a barrier and a particle's way to memory, shared by so many iterations.
const LONGEST: u32 = 64;

/// The iterations that are gone through without a word, after so many in which nobody has improved on the
/// leader: what has not happened for long will not happen soon.
#[inline(always)]
pub(super) const fn window<const LANES: u32, const K: usize>(idle: u32) -> u32 {
    // Where a thread has a particle for itself, its way to memory is long: a short window costs more than it saves.
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

/// Up to `args.iterations` iterations with `LANES` lanes a particle, `K` coordinates in each one's
/// registers.
///
/// Work: group g of `LANES` lanes of the run's blocks has particle g for the whole launch. Shared
/// memory: [`ResidentLayout`](warpswarm_core::launch::ResidentLayout). Several blocks a run need a cooperative launch, or are
/// a cluster.
#[inline(always)]
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
    let mut held = flight.read::<CONSTRAINED>(control.iterations);
    let mut leader = Leader::<R, K>::read::<LANES, CONSTRAINED>(swarm);
    let mut iteration = control.iterations;
    // Iterations since the last improvement, and those of this launch that are left.
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
        // Whether somebody improves after the window and nobody before is known without asking.
        let mut certain = window == 1;
        if !certain {
            flight.save(&mut held);
        }
        let (mut first, mut not_finite);
        let improving = loop {
            first = NEVER;
            let mut done = 0;
            not_finite = 0;
            while done < window {
                done += 1;
                let now = iteration + u64::from(done);
                let moved = flight.advance::<CONSTRAINED>(&mut held, &leader, now);
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
            let soonest = flight.meeting.soonest::<CONSTRAINED>(swarm, tag, first);
            if soonest >= window {
                break soonest == window;
            }
            // From there on the others' moves were wrong: once more, up to there.
            flight.back::<CONSTRAINED>(&mut held, iteration);
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
            let mine = flight.offer(&held, first == window);
            let before = leader.best.fitness;
            let swarm = &Swarm::of_block(args);
            tag = tag.wrapping_add(1);
            if flight.meeting.agree::<CONSTRAINED>(swarm, tag, mine, &held.it.x, &mut leader) {
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
    flight.save(&mut held);
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
