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

use warpswarm_core::launch::{PsoArgs, in_columns, stopped};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::TilePoint;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use super::Swarm;
use super::blocks::Blocks;
use super::columns::Columns;
use super::meeting::{Leader, Meeting, NEVER, unconstrained};
use super::particle::{self, Bounds, Move, Particle};
use crate::run::{count_not_finite, set_progress};

/// More iterations without an improvement than are counted.
const ENDLESS: u32 = u32::MAX;
/// The longest window: it costs a barrier and a particle's way to memory, shared by so many iterations.
const LONGEST: u32 = 64;

/// The shortest but one in columns: there a particle's way to memory is long.
const SHORTEST_IN_COLUMNS: u32 = 8;

/// The iterations that are gone through without a word, after so many in which nobody has improved on the
/// leader: what has not happened for long will not happen soon.
#[inline(always)]
const fn window<const LANES: u32, const K: usize>(idle: u32) -> u32 {
    let shortest = if is_in_columns::<LANES, K>() { SHORTEST_IN_COLUMNS } else { 2 };
    let half = idle / 2;
    if half < shortest {
        1
    } else if half < LONGEST {
        half
    } else {
        LONGEST
    }
}

/// Whether the weights of a move are computed during the one before: where a thread has a particle for itself, and few
/// coordinates. Lanes that share one have others to wait for, and compute in vain what a new leader makes them repeat.
#[inline(always)]
const fn is_ahead<R: DeviceReal, const LANES: u32, const K: usize>() -> bool {
    LANES == 1 && K * R::WORDS <= 4
}

#[inline(always)]
const fn is_in_columns<const LANES: u32, const K: usize>() -> bool {
    in_columns(LANES, K as u32)
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
    let columns = Columns::<R>::new::<LANES, K>(swarm);
    let meeting = Meeting::<R, B, LANES, K>::new(swarm, columns);
    let group = thread::index() / LANES;
    let particle = swarm.part * (thread::block_dim() / LANES) + group;
    let active = particle < swarm.individuals;
    // Idle lanes go through the motions of the last particle and keep them to themselves.
    let held = particle.min(swarm.individuals - 1);
    let key = swarm.key();
    let bounds = Bounds::<R, LANES, K>::of(swarm);
    let mut it = read::<R, LANES, K>(swarm, held, &columns);
    let mut best = unconstrained::<R, CONSTRAINED>(swarm.best.get(held as usize));
    let global = swarm.global.get(0);
    let mut leader = Leader {
        best: Candidate::new(unconstrained::<R, CONSTRAINED>(global.fitness), global.index),
        position: if is_in_columns::<LANES, K>() {
            [R::ZERO; K]
        } else {
            let row = swarm.global_position.row(0, args.stride);
            particle::load::<R, LANES, K>(row, R::ZERO, false)
        },
    };
    let mut iteration = control.iterations;
    // Iterations since the last improvement, and those of this launch that are left.
    let mut idle = (iteration - control.improved_at).min(u64::from(ENDLESS - 1)) as u32;
    let mut left = args.iterations as u32;
    let mut tag = args.tag;
    let mut reason = stopped::NOT;
    let weights = |iteration| {
        let which = Move { key, iteration, individual: particle };
        which.weights::<R, LANES, K>(&args.coefficients)
    };
    let mut ahead =
        if is_ahead::<R, LANES, K>() { weights(iteration + 1) } else { [[R::ZERO; 2]; K] };
    let patience = args.stop.stagnation as u32;
    while left != 0 && reason == stopped::NOT {
        let mut window = window::<LANES, K>(idle).min(left);
        if patience != 0 {
            window = window.min(patience.saturating_sub(idle).max(1));
        }
        // Whether somebody improves after the window and nobody before is known without asking.
        let mut certain = window == 1;
        if !certain {
            save(&Swarm::of_block(args), particle, active, &it, best, &columns);
        }
        let (mut first, mut not_finite);
        let improving = loop {
            first = NEVER;
            let mut done = 0;
            not_finite = 0;
            while done < window {
                done += 1;
                let now = iteration + u64::from(done);
                let which = Move { key, iteration: now, individual: particle };
                // Those of the next move do not wait for anything: they fill the gaps of this one.
                let pulls = if is_ahead::<R, LANES, K>() { ahead } else { weights(now) };
                if is_ahead::<R, LANES, K>() {
                    ahead = weights(now + 1);
                }
                if is_in_columns::<LANES, K>() {
                    columns.advance(which, &args.coefficients, args.dimensions);
                } else {
                    it.advance(swarm, which, &pulls, &leader.position, &bounds);
                }
                let fitness = if is_in_columns::<LANES, K>() {
                    objective::judge::<R, _, CONSTRAINED>(&columns.point(args.dimensions))
                } else {
                    let dimensions = args.dimensions as usize;
                    let point = TilePoint::<R, LANES, K>::new(it.x, dimensions, meeting.stage);
                    objective::judge::<R, _, CONSTRAINED>(&point)
                };
                not_finite += u32::from(active && !fitness.is_finite());
                if active && fitness.beats(best) {
                    best = fitness.canonical();
                    if is_in_columns::<LANES, K>() {
                        columns.keep(args.stride);
                    } else {
                        it.p = it.x;
                    }
                    if Candidate::new(best, particle).beats(leader.best) {
                        first = first.min(done);
                    }
                }
            }
            if certain {
                break true;
            }
            tag = tag.wrapping_add(1);
            let swarm = &Swarm::of_block(args);
            let soonest = meeting.soonest::<CONSTRAINED>(swarm, tag, first);
            if soonest >= window {
                break soonest == window;
            }
            // From there on the others' moves were wrong: once more, up to there.
            if active {
                it = read::<R, LANES, K>(swarm, held, &columns);
                best = unconstrained::<R, CONSTRAINED>(swarm.best.get(held as usize));
            }
            window = soonest;
            certain = true;
            if is_ahead::<R, LANES, K>() {
                ahead = weights(iteration + 1);
            }
        };
        if thread::lane().is_multiple_of(LANES) {
            count_not_finite(Swarm::of_block(args).control, not_finite);
        }
        iteration += u64::from(window);
        left -= window;
        idle = idle.saturating_add(window).min(ENDLESS - 1);
        if improving {
            let mine =
                if first == window { Candidate::new(best, particle) } else { Candidate::NONE };
            let before = leader.best.fitness;
            let swarm = &Swarm::of_block(args);
            tag = tag.wrapping_add(1);
            if meeting.agree::<CONSTRAINED>(swarm, tag, mine, &it.x, &mut leader) {
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
    let swarm = &Swarm::of_block(args);
    save(swarm, particle, active, &it, best, &columns);
    if swarm.part == 0 && group == 0 {
        if is_in_columns::<LANES, K>() {
            // A group is a thread.
            let mut i = 0;
            while i < args.stride {
                swarm.global_position.set(i as usize, columns.leader(i));
                i += 1;
            }
        } else {
            let row = swarm.global_position.row(0, args.stride);
            particle::store::<R, LANES, K>(row, &leader.position, false);
        }
        if thread::index() == 0 {
            swarm.global.set(0, leader.best);
            let improved = idle < args.iterations as u32 - left;
            let improved_at = if improved {
                iteration - u64::from(idle)
            } else {
                swarm.control.get(0).improved_at
            };
            set_progress(swarm.control, iteration, improved_at, reason);
        }
    }
    B::end();
}

#[inline(always)]
fn read<R: DeviceReal, const LANES: u32, const K: usize>(
    swarm: &Swarm<'_, R>,
    particle: u32,
    columns: &Columns<R>,
) -> Particle<R, LANES, K> {
    // Hidden, so that addresses are computed anew instead of being kept.
    let particle = thread::opaque(particle);
    if is_in_columns::<LANES, K>() {
        columns.read(swarm, particle);
        return Particle { x: [R::ZERO; K], v: [R::ZERO; K], p: [R::ZERO; K] };
    }
    let own =
        |array| particle::load::<R, LANES, K>(swarm.lane_row(array, particle), R::ZERO, false);
    Particle { x: own(swarm.positions), v: own(swarm.velocities), p: own(swarm.best_positions) }
}

/// Writes an active particle to memory.
#[inline(always)]
fn save<R: DeviceReal, const LANES: u32, const K: usize>(
    swarm: &Swarm<'_, R>,
    particle: u32,
    active: bool,
    it: &Particle<R, LANES, K>,
    best: Fitness<R>,
    columns: &Columns<R>,
) {
    if !active {
        return;
    }
    let particle = thread::opaque(particle);
    if is_in_columns::<LANES, K>() {
        columns.write(swarm, particle);
    } else {
        let own = |array, own| {
            particle::store::<R, LANES, K>(swarm.lane_row(array, particle), own, false);
        };
        own(swarm.positions, &it.x);
        own(swarm.velocities, &it.v);
        own(swarm.best_positions, &it.p);
    }
    if thread::lane().is_multiple_of(LANES) {
        swarm.best.set(particle as usize, best);
    }
}
