//! Where the threads of a run agree: how far they can go without a word, and who leads from there.

use core::marker::PhantomData;

use warpswarm_core::launch::{
    ResidentLayout, has_common, in_columns, record_words, slot_words, slots_len,
};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::grid::{Board, Exchange, Tagged};
use warpswarm_device::point::coordinate;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{block, thread, warp};

use super::Swarm;
use super::blocks::Blocks;
use super::columns::Columns;
use super::particle::Own;

/// No iteration of a window.
pub(super) const NEVER: u32 = u32::MAX;

/// The global best as every lane knows it: fitness and index, and the lane's own coordinates, unless they are in
/// columns.
#[derive(Clone, Copy)]
pub(super) struct Leader<R, const K: usize> {
    pub(super) best: Candidate<R>,
    pub(super) position: Own<R, K>,
}

/// This thread's lane and warp, found out anew: what is computed from them holds no registers while
/// particles move.
#[inline(always)]
fn place() -> (u32, u32) {
    let me = thread::opaque(thread::index());
    (me % 32, me / 32)
}

/// The fitness with the violation that the compiler can see to be zero where it must be.
#[inline(always)]
pub(super) fn unconstrained<R: DeviceReal, const CONSTRAINED: bool>(
    fitness: Fitness<R>,
) -> Fitness<R> {
    if CONSTRAINED { fitness } else { Fitness { violation: R::ZERO, ..fitness } }
}

/// Where the threads of a run agree.
#[derive(Clone, Copy)]
pub(super) struct Meeting<R, B, const LANES: u32, const K: usize> {
    /// The particle's place where lanes show each other their coordinates.
    pub(super) stage: SharedArray<R>,
    /// Where the leader's position is, in columns.
    columns: Columns<R>,
    blocks: PhantomData<B>,
}

/// A block's shared memory, cut up as [`ResidentLayout`] says.
#[derive(Clone, Copy)]
struct Shared<R> {
    /// The best of each warp, then what the block hears from the others.
    candidates: SharedArray<Candidate<R>>,
    /// In the same place, but not at the same time: the soonest iteration of each warp, then of all blocks.
    counts: SharedArray<u32>,
    /// The position of each warp's best, `[warp][coordinate]`, then that of the best of all blocks.
    positions: SharedArray<R>,
    /// The coordinates that lanes show each other, `[particle][coordinate]`.
    stage: SharedArray<R>,
    /// What the blocks of a cluster show each other.
    board: SharedArray<u64>,
    warps: u32,
}

impl<R: DeviceReal, B: Blocks, const LANES: u32, const K: usize> Meeting<R, B, LANES, K> {
    const ROW: u32 = LANES * K as u32;
    const COLUMNS: bool = in_columns(LANES, K as u32);
    const COMMON: bool = has_common(LANES, K as u32);

    /// Collective among the blocks of a run.
    #[inline(always)]
    pub(super) fn new(swarm: &Swarm<'_, R>, columns: Columns<R>) -> Self {
        let Shared { stage, board, .. } = Self::shared(thread::block_dim());
        B::begin::<R>(swarm, board, Self::ROW);
        let stage = if LANES > 1 {
            stage.part(thread::index() / LANES * Self::ROW, Self::ROW)
        } else {
            stage
        };
        Meeting { stage, columns, blocks: PhantomData }
    }

    #[inline(always)]
    fn shared(threads: u32) -> Shared<R> {
        let words = B::board_len::<R>(Self::ROW);
        let layout = ResidentLayout::new::<R>((LANES, Self::ROW), (threads, 0), true, words);
        let warps = threads / 32;
        // SAFETY: the host gives `ResidentLayout::bytes` of shared memory, cut as the layout says.
        unsafe {
            Shared {
                candidates: SharedArray::new(layout.candidates, warps + 1),
                counts: SharedArray::new(layout.candidates, warps + 1),
                positions: SharedArray::new(layout.positions, (warps + 1) * Self::ROW),
                stage: SharedArray::new(layout.stage, threads / LANES * Self::ROW),
                board: SharedArray::new(layout.board, words),
                warps,
            }
        }
    }

    /// What the blocks of a run show each other.
    #[inline(always)]
    fn board<const CONSTRAINED: bool>(swarm: &Swarm<'_, R>) -> B::Board {
        let near = Self::shared(thread::opaque(thread::block_dim())).board;
        B::board::<R, CONSTRAINED>(swarm, near)
    }

    #[inline(always)]
    fn exchange<const CONSTRAINED: bool>(swarm: &Swarm<'_, R>) -> Exchange<B::Board> {
        let slots = Self::board::<CONSTRAINED>(swarm);
        Exchange::new(slots, swarm.args.blocks_per_run, slot_words::<R>(CONSTRAINED))
    }

    /// What block `part` shows of its best under `tag`: the row, then the index.
    #[inline(always)]
    fn record<const CONSTRAINED: bool>(
        swarm: &Swarm<'_, R>,
        tag: u32,
        part: u32,
    ) -> Tagged<B::Board> {
        let blocks = swarm.args.blocks_per_run;
        let first = slots_len::<R>(CONSTRAINED, 1, u64::from(blocks)) as u32;
        let words = record_words::<R>(swarm.args.stride);
        let before = ((tag & 1) * blocks + part) * words;
        Tagged::new(Self::board::<CONSTRAINED>(swarm).places(first + before, words))
    }

    /// The soonest of all threads' iterations. Collective in the block and, over several blocks, among them.
    #[inline(always)]
    pub(super) fn soonest<const CONSTRAINED: bool>(
        &self,
        swarm: &Swarm<'_, R>,
        tag: u32,
        first: u32,
    ) -> u32 {
        if !B::SEVERAL && thread::block_dim() == 32 {
            return warp::min(first);
        }
        let mut soonest = NEVER;
        let Shared { counts, warps, .. } = Self::shared(thread::opaque(thread::block_dim()));
        let (lane, warp) = place();
        if block::sync_or(first != NEVER) {
            let least = warp::min(first);
            if lane == 0 {
                counts.set(warp, least);
            }
            block::sync();
            soonest = warp::min(if lane < warps { counts.get(lane) } else { NEVER });
        }
        if !B::SEVERAL {
            return soonest;
        }
        let mut heard = NEVER;
        if warp == 0 {
            let exchange = Self::exchange::<CONSTRAINED>(swarm);
            exchange.post_count(tag, swarm.part, soonest);
            heard = exchange.least::<4>(tag);
        }
        if !block::sync_or(heard != NEVER) {
            return NEVER;
        }
        if thread::index() == 0 {
            counts.set(warps, heard);
        }
        block::sync();
        counts.get(warps)
    }

    /// Makes the best of all candidates the leader, if there is any: each beats the leader already.
    /// Says whether there was one. Collective in the block and, over several blocks, among them.
    #[inline(always)]
    pub(super) fn agree<const CONSTRAINED: bool>(
        &self,
        swarm: &Swarm<'_, R>,
        tag: u32,
        mine: Candidate<R>,
        x: &Own<R, K>,
        leader: &mut Leader<R, K>,
    ) -> bool {
        let better = mine.index != u32::MAX;
        if B::SEVERAL {
            return self.agree_over_blocks::<CONSTRAINED>(swarm, tag, (mine, x), leader);
        }
        if thread::block_dim() == 32 {
            let any = warp::any(better);
            if any {
                let (best, lane) = warp::best(mine, CONSTRAINED);
                leader.best = best;
                self.take_from_lane(lane, x, swarm.args.stride, leader);
            }
            return any;
        }
        let any = block::sync_or(better);
        if any {
            let shared = Self::shared(thread::opaque(thread::block_dim()));
            let stride = swarm.args.stride;
            let (best, warp) = self.agree_in_block::<CONSTRAINED>(&shared, mine, (x, stride));
            leader.best = best;
            self.take(&shared, warp, stride, leader);
        }
        any
    }

    /// Takes over the leader's position from a lane of the only warp.
    #[inline(always)]
    fn take_from_lane(&self, lane: u32, x: &Own<R, K>, stride: u32, leader: &mut Leader<R, K>) {
        if Self::COMMON {
            warp::sync();
            let mut i = 0;
            while Self::COLUMNS && i < stride && thread::lane() == lane {
                self.columns.lead(i, self.columns.position(i));
                i += 1;
            }
            let mut k = 0;
            while !Self::COLUMNS && k < K {
                if (k as u32) < stride && thread::lane() == lane {
                    self.columns.lead(k as u32, x[k]);
                }
                k += 1;
            }
            warp::sync();
            return;
        }
        let mut k = 0;
        let source = lane / LANES * LANES + thread::lane() % LANES;
        while k < K {
            leader.position[k] = warp::shuffle(x[k], source);
            k += 1;
        }
    }

    /// Takes over the leader's position, `stride` places, from row `row` of the shared positions. Collective in the block.
    #[inline(always)]
    fn take(&self, shared: &Shared<R>, row: u32, stride: u32, leader: &mut Leader<R, K>) {
        if Self::COMMON {
            let i = thread::opaque(thread::index());
            if i < stride {
                self.columns.lead(i, shared.positions.get(row * Self::ROW + i));
            }
            block::sync();
            return;
        }
        let (lane, _) = place();
        let mut k = 0;
        while k < K {
            let i = coordinate::<LANES>(lane, k) as u32;
            if i < stride {
                leader.position[k] = shared.positions.get(row * Self::ROW + i);
            }
            k += 1;
        }
    }

    /// The best of the block's candidates and the warp that has it; its position is in that warp's
    /// place. The places may be used again after the next barrier.
    #[inline(always)]
    fn agree_in_block<const CONSTRAINED: bool>(
        &self,
        shared: &Shared<R>,
        mine: Candidate<R>,
        (x, stride): (&Own<R, K>, u32),
    ) -> (Candidate<R>, u32) {
        let (lane_of_mine, warp_of_mine) = place();
        let (best, lane) = warp::best(mine, CONSTRAINED);
        if best.index != u32::MAX && lane / LANES == lane_of_mine / LANES {
            let row = warp_of_mine * Self::ROW;
            let mut i = 0;
            while Self::COLUMNS && i < stride {
                shared.positions.set(row + i, self.columns.position(i));
                i += 1;
            }
            let mut k = 0;
            while !Self::COLUMNS && k < K {
                let i = coordinate::<LANES>(lane_of_mine, k) as u32;
                shared.positions.set(row + i, x[k]);
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

    #[inline(always)]
    fn agree_over_blocks<const CONSTRAINED: bool>(
        &self,
        swarm: &Swarm<'_, R>,
        tag: u32,
        (mine, x): (Candidate<R>, &Own<R, K>),
        leader: &mut Leader<R, K>,
    ) -> bool {
        let shared = Self::shared(thread::opaque(thread::block_dim()));
        let (lane, warp) = place();
        let stride = swarm.args.stride;
        let mut ours = Fitness::WORST;
        if block::sync_or(mine.index != u32::MAX) {
            let (best, holder) = self.agree_in_block::<CONSTRAINED>(&shared, mine, (x, stride));
            ours = best.fitness;
            if warp == 0 {
                // Every word carries the tag: nobody has to wait until all are there.
                let record = Self::record::<CONSTRAINED>(swarm, tag, swarm.part);
                let mut i = lane;
                while i < stride {
                    record.keep_number(tag, i, shared.positions.get(holder * Self::ROW + i));
                    i += 32;
                }
                if lane == 0 {
                    record.keep(tag, stride * R::WORDS as u32, best.index);
                }
            }
        }
        let mut any = false;
        if warp == 0 {
            let exchange = Self::exchange::<CONSTRAINED>(swarm);
            exchange.post_alone(tag, swarm.part, ours);
            let heard = exchange.collect::<R, 4>(tag);
            // A block without an improvement has posted the worst fitness, which nobody improves to.
            let Fitness { violation, value } = heard.fitness;
            any = !value.is_nan() || (CONSTRAINED && !violation.is_nan());
            if any {
                let record = Self::record::<CONSTRAINED>(swarm, tag, heard.index);
                let mut i = lane;
                while i < stride {
                    let x = record.kept_number(tag, heard.index, i);
                    shared.positions.set(shared.warps * Self::ROW + i, x);
                    i += 32;
                }
                if lane == 0 {
                    let index = record.kept(tag, heard.index, stride * R::WORDS as u32);
                    shared.candidates.set(shared.warps, Candidate::new(heard.fitness, index));
                }
            }
        }
        if !block::sync_or(any) {
            return false;
        }
        let Candidate { fitness, index, .. } = shared.candidates.get(shared.warps);
        leader.best = Candidate::new(unconstrained::<R, CONSTRAINED>(fitness), index);
        self.take(&shared, shared.warps, stride, leader);
        true
    }
}
