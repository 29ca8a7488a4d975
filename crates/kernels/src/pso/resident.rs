//! Whole iterations in one launch, the swarm in registers: a particle a thread or a group of lanes.
//!
//! An iteration costs one barrier where nobody improves on the global best. Where somebody does, a
//! run in one block hands the new best around through shared memory; a run over several blocks
//! exchanges once an iteration in any case ([`Exchange`]), and positions only where they improve.

use warpswarm_core::launch::{PsoArgs, ResidentLayout, slot_words, slots_len, stopped};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::entry::max_block;
use warpswarm_device::grid::Exchange;
use warpswarm_device::objective;
use warpswarm_device::point::{TilePoint, coordinate};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, grid, thread, warp};

use super::Swarm;
use super::particle::{self, Bounds, Move, Own, Particle};
use crate::run::{count_not_finite, of_run, set_progress};

/// More iterations without an improvement than are counted.
const ENDLESS: u32 = u32::MAX;

/// The global best as every lane knows it: fitness and index, and the lane's own coordinates.
#[derive(Clone, Copy)]
struct Leader<R, const K: usize> {
    best: Candidate<R>,
    position: Own<R, K>,
}

/// Up to `args.iterations` iterations with `LANES` lanes a particle, `K` coordinates in each one's
/// registers.
///
/// Work: group g of `LANES` lanes of the run's blocks has particle g for the whole launch. Shared
/// memory: [`ResidentLayout`]. Several blocks a run need a cooperative launch.
#[inline(always)]
pub fn resident<
    R: DeviceReal,
    const LANES: u32,
    const K: usize,
    const BLOCK: u32,
    const GRID: bool,
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
    let meeting = Meeting::<R, LANES, K, GRID>::new::<CONSTRAINED>(swarm);
    let group = thread::index() / LANES;
    let particle = swarm.part * (thread::block_dim() / LANES) + group;
    let active = particle < swarm.individuals;
    // Idle lanes go through the motions of the last particle and keep them to themselves.
    let held = particle.min(swarm.individuals - 1);
    let key = swarm.key();
    let bounds = Bounds::<R, LANES, K>::of(swarm);
    let mut it = read::<R, LANES, K>(swarm, held);
    let mut best = unconstrained::<R, CONSTRAINED>(swarm.best.get(held as usize));
    let global = swarm.global.get(0);
    let mut leader = Leader {
        best: Candidate::new(unconstrained::<R, CONSTRAINED>(global.fitness), global.index),
        position: particle::load::<R, LANES, K>(
            swarm.global_position.row(0, args.stride),
            R::ZERO,
            false,
        ),
    };
    let mut not_finite = 0;
    let mut iteration = control.iterations;
    // Iterations since the last improvement, and those of this launch that are left.
    let mut idle = (iteration - control.improved_at).min(u64::from(ENDLESS - 1)) as u32;
    let mut left = args.iterations as u32;
    let mut reason = stopped::NOT;
    while left != 0 && reason == stopped::NOT {
        iteration += 1;
        left -= 1;
        // Hidden, so that the keys of Philox's rounds and its first product are computed anew instead
        // of taking 16 of the 64 registers that a block of 1,024 threads leaves.
        let which = if BLOCK > 512 {
            let key = key.through(thread::opaque);
            Move { key, iteration, individual: thread::opaque(particle) }
        } else {
            Move { key, iteration, individual: particle }
        };
        it.advance(swarm, which, &leader.position, &bounds);
        let dimensions = args.dimensions as usize;
        let point = TilePoint::<R, LANES, K>::new(it.x, dimensions, meeting.stage);
        let fitness = objective::judge::<R, _, CONSTRAINED>(&point);
        not_finite += u32::from(active && !fitness.is_finite());
        let mut mine = Candidate::NONE;
        if active && fitness.beats(best) {
            best = fitness.canonical();
            it.p = it.x;
            let candidate = Candidate::new(best, particle);
            if candidate.beats(leader.best) {
                mine = candidate;
            }
        }
        idle = (idle + 1).min(ENDLESS - 1);
        let before = leader.best.fitness;
        let tag = args.tag.wrapping_add(args.iterations as u32 - left);
        if meeting.agree::<CONSTRAINED>(swarm, tag, mine, &it.x, &mut leader) {
            if leader.best.fitness.beats(before) {
                idle = 0;
            }
            reason = args.stop.check(leader.best.fitness, 0, 0);
        }
        // Compared where they are, not in a register: blocks of 1,024 threads have none to spare.
        let patience = args.stop.stagnation as u32;
        if reason == stopped::NOT && patience != 0 && idle >= patience {
            reason = stopped::STAGNATION;
        }
    }
    let swarm = &Swarm::again(args);
    if active {
        write(swarm, particle, &it);
        if thread::lane().is_multiple_of(LANES) {
            swarm.best.set(particle as usize, best);
            count_not_finite(swarm.control, not_finite);
        }
    }
    if swarm.part == 0 && group == 0 {
        let row = swarm.global_position.row(0, args.stride);
        particle::store::<R, LANES, K>(row, &leader.position, false);
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
}

/// The fitness with the violation that the compiler can see to be zero where it must be.
#[inline(always)]
fn unconstrained<R: DeviceReal, const CONSTRAINED: bool>(fitness: Fitness<R>) -> Fitness<R> {
    if CONSTRAINED { fitness } else { Fitness { violation: R::ZERO, ..fitness } }
}

#[inline(always)]
fn read<R: DeviceReal, const LANES: u32, const K: usize>(
    swarm: &Swarm<'_, R>,
    particle: u32,
) -> Particle<R, LANES, K> {
    let own =
        |array| particle::load::<R, LANES, K>(swarm.lane_row(array, particle), R::ZERO, false);
    Particle { x: own(swarm.positions), v: own(swarm.velocities), p: own(swarm.best_positions) }
}

#[inline(always)]
fn write<R: DeviceReal, const LANES: u32, const K: usize>(
    swarm: &Swarm<'_, R>,
    particle: u32,
    it: &Particle<R, LANES, K>,
) {
    let own = |array, own| {
        particle::store::<R, LANES, K>(swarm.lane_row(array, particle), own, false);
    };
    own(swarm.positions, &it.x);
    own(swarm.velocities, &it.v);
    own(swarm.best_positions, &it.p);
}

/// This thread's lane and warp, found out anew: what is computed from them holds no registers while
/// particles move.
#[inline(always)]
fn place() -> (u32, u32) {
    let me = thread::opaque(thread::index());
    (me % 32, me / 32)
}

/// Where the threads of a run agree on the global best.
#[derive(Clone, Copy)]
struct Meeting<R, const LANES: u32, const K: usize, const GRID: bool> {
    /// The particle's place where lanes show each other their coordinates.
    stage: SharedArray<R>,
    slots: View<u64>,
}

/// A block's shared memory, cut up as [`ResidentLayout`] says.
#[derive(Clone, Copy)]
struct Shared<R> {
    /// The best of each warp, then what the block hears from the others.
    candidates: SharedArray<Candidate<R>>,
    /// The position of each warp's best, `[warp][coordinate]`.
    positions: SharedArray<R>,
    /// The coordinates that lanes show each other, `[particle][coordinate]`.
    stage: SharedArray<R>,
    warps: u32,
}

impl<R: DeviceReal, const LANES: u32, const K: usize, const GRID: bool> Meeting<R, LANES, K, GRID> {
    const ROW: u32 = LANES * K as u32;

    #[inline(always)]
    fn new<const CONSTRAINED: bool>(swarm: &Swarm<'_, R>) -> Self {
        let stage = Self::shared::<CONSTRAINED>(thread::block_dim()).stage;
        let stage = if LANES > 1 {
            stage.part(thread::index() / LANES * Self::ROW, Self::ROW)
        } else {
            stage
        };
        let slots = if GRID {
            let blocks = u64::from(swarm.args.blocks_per_run);
            let words = slots_len::<R>(CONSTRAINED, 1, blocks);
            of_run(swarm.args.slots, swarm.args.runs, swarm.run, words as usize)
        } else {
            View::EMPTY
        };
        Meeting { stage, slots }
    }

    #[inline(always)]
    fn shared<const CONSTRAINED: bool>(threads: u32) -> Shared<R> {
        let layout = ResidentLayout::new::<R>((LANES, Self::ROW), threads, true);
        let warps = threads / 32;
        // SAFETY: the host gives `ResidentLayout::bytes` of shared memory, cut as the layout says.
        unsafe {
            Shared {
                candidates: SharedArray::new(layout.candidates, warps + 1),
                positions: SharedArray::new(layout.positions, warps * Self::ROW),
                stage: SharedArray::new(layout.stage, threads / LANES * Self::ROW),
                warps,
            }
        }
    }

    /// Makes the best of all candidates the leader, if there is any: each beats the leader already.
    /// Says whether there was one. Collective in the block and, over several blocks, among them.
    #[inline(always)]
    fn agree<const CONSTRAINED: bool>(
        &self,
        swarm: &Swarm<'_, R>,
        tag: u32,
        mine: Candidate<R>,
        x: &Own<R, K>,
        leader: &mut Leader<R, K>,
    ) -> bool {
        let better = mine.index != u32::MAX;
        if GRID {
            return self.agree_over_blocks::<CONSTRAINED>(swarm, tag, (mine, x), leader);
        }
        if thread::block_dim() == 32 {
            let any = warp::any(better);
            if any {
                let (best, lane) = warp::best(mine, CONSTRAINED);
                let source = lane / LANES * LANES + thread::lane() % LANES;
                leader.best = best;
                let mut k = 0;
                while k < K {
                    leader.position[k] = warp::shuffle(x[k], source);
                    k += 1;
                }
            }
            return any;
        }
        let any = block::sync_or(better);
        if any {
            let shared = Self::shared::<CONSTRAINED>(thread::opaque(thread::block_dim()));
            let (best, warp) = Self::agree_in_block::<CONSTRAINED>(&shared, mine, x);
            leader.best = best;
            leader.position = Self::read(&shared, warp);
        }
        any
    }

    /// The best of the block's candidates and the warp that has it; its position is in that warp's
    /// place. The places may be used again after the next barrier.
    #[inline(always)]
    fn agree_in_block<const CONSTRAINED: bool>(
        shared: &Shared<R>,
        mine: Candidate<R>,
        x: &Own<R, K>,
    ) -> (Candidate<R>, u32) {
        let (lane_of_mine, warp_of_mine) = place();
        let (best, lane) = warp::best(mine, CONSTRAINED);
        if best.index != u32::MAX && lane / LANES == lane_of_mine / LANES {
            let mut k = 0;
            while k < K {
                let i = coordinate::<LANES>(lane_of_mine, k) as u32;
                shared.positions.set(warp_of_mine * Self::ROW + i, x[k]);
                k += 1;
            }
        }
        if lane_of_mine == 0 {
            shared.candidates.set(warp_of_mine, best);
        }
        block::sync();
        let theirs = if lane_of_mine < shared.warps {
            shared.candidates.get(lane_of_mine)
        } else {
            Candidate::NONE
        };
        warp::best(theirs, CONSTRAINED)
    }

    /// This lane's coordinates of the position that warp `warp` has put up.
    #[inline(always)]
    fn read(shared: &Shared<R>, warp: u32) -> Own<R, K> {
        let (lane, _) = place();
        let mut own = [R::ZERO; K];
        let mut k = 0;
        while k < K {
            let i = coordinate::<LANES>(lane, k) as u32;
            own[k] = shared.positions.get(warp * Self::ROW + i);
            k += 1;
        }
        own
    }

    #[inline(always)]
    fn agree_over_blocks<const CONSTRAINED: bool>(
        &self,
        swarm: &Swarm<'_, R>,
        tag: u32,
        (mine, x): (Candidate<R>, &Own<R, K>),
        leader: &mut Leader<R, K>,
    ) -> bool {
        let shared = Self::shared::<CONSTRAINED>(thread::opaque(thread::block_dim()));
        let mut ours = Fitness::WORST;
        if block::sync_or(mine.index != u32::MAX) {
            let (best, warp) = Self::agree_in_block::<CONSTRAINED>(&shared, mine, x);
            ours = best.fitness;
            Self::put_up(swarm, tag, best.index, shared.positions, warp);
        }
        let blocks = swarm.args.blocks_per_run;
        let exchange = Exchange::new(self.slots, blocks, slot_words::<R>(CONSTRAINED));
        let mut heard = Candidate::NONE;
        if thread::warp() == 0 {
            if thread::lane() == 0 {
                exchange.post(tag, swarm.part, ours);
            }
            heard = exchange.collect::<R, 4>(tag);
        }
        // A block without an improvement has posted the worst fitness, which nobody improves to.
        let Fitness { violation, value } = heard.fitness;
        let any = !value.is_nan() || (CONSTRAINED && !violation.is_nan());
        if !block::sync_or(any) {
            return false;
        }
        if thread::warp() == 0 {
            // What the winner put up before it posted is visible to all threads after the barrier.
            grid::fence();
            if thread::lane() == 0 {
                shared.candidates.set(shared.warps, heard);
            }
        }
        block::sync();
        let heard = shared.candidates.get(shared.warps);
        Self::take_over::<CONSTRAINED>(swarm, tag, heard, leader);
        true
    }

    /// Shows the position of the block's best, which warp `warp` holds, to the other blocks.
    #[inline(always)]
    fn put_up(swarm: &Swarm<'_, R>, tag: u32, index: u32, positions: SharedArray<R>, warp: u32) {
        let stride = swarm.args.stride;
        let record = swarm.record(tag, swarm.part);
        let mut i = thread::index();
        while i < stride {
            record.set(i as usize, positions.get(warp * Self::ROW + i));
            i += thread::block_dim();
        }
        if thread::index() == 0 {
            record.set(stride as usize, R::from_bits64(u64::from(index)));
        }
        block::sync();
    }

    /// Makes another block's best the leader.
    #[inline(always)]
    fn take_over<const CONSTRAINED: bool>(
        swarm: &Swarm<'_, R>,
        tag: u32,
        heard: Candidate<R>,
        leader: &mut Leader<R, K>,
    ) {
        let stride = swarm.args.stride as usize;
        let record = swarm.record(tag, heard.index);
        let index = record.get_shared(stride).to_bits64() as u32;
        leader.best = Candidate::new(unconstrained::<R, CONSTRAINED>(heard.fitness), index);
        let mut k = 0;
        while k < K {
            let i = coordinate::<LANES>(thread::lane(), k);
            if i < stride {
                leader.position[k] = record.get_shared(i);
            }
            k += 1;
        }
    }
}
