//! The agreements of a run's threads: how far they can compute without an exchange, and who the new leader is.

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

/// Stands for no iteration of a window.
pub(super) const NEVER: u32 = u32::MAX;

/// The global best as every lane holds it: fitness and index, and either the lane's own coordinates or a row.
#[derive(Clone, Copy)]
pub(super) struct Leader<R, const K: usize> {
    pub(super) best: Candidate<R>,
    /// This lane's coordinates, unless the block has the position in common.
    pub(super) position: Own<R, K>,
    /// The start of its row in the block's shared positions, if the block has the position in common.
    pub(super) row: u32,
}

/// This thread's lane and warp, computed again at each call, so that values computed from them take no registers while
/// particles move.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn place() -> (u32, u32) {
    let me = thread::opaque(thread::index());
    (me % 32, me / 32)
}

/// The fitness; without constraints, with a violation that the compiler can see to be zero.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn unconstrained<R: DeviceReal, const CONSTRAINED: bool>(
    fitness: Fitness<R>,
) -> Fitness<R> {
    if CONSTRAINED { fitness } else { Fitness { violation: R::ZERO, ..fitness } }
}

/// The agreements of a run's threads.
#[derive(Clone, Copy)]
pub(super) struct LeaderExchange<R, B, const LANES: u32, const K: usize> {
    /// The particle's part of the memory through which lanes exchange coordinates.
    pub(super) stage: SharedArray<R>,
    /// The shared memory with the leader's position.
    columns: Columns<R>,
    blocks: PhantomData<B>,
}

/// A block's shared memory, divided as [`ResidentLayout`] describes.
#[derive(Clone, Copy)]
struct Shared<R> {
    /// The best candidate of each warp, `[parity][warp]`, then the one that the block receives from the others.
    candidates: SharedArray<Candidate<R>>,
    /// The first iteration of each warp, then that of all blocks.
    counts: SharedArray<u32>,
    /// Two rows for each warp, `[warp][2][coordinate]`, then two for what the block receives. One of all rows is the
    /// leader's. Its warp offers its next candidate in the other row, which no thread reads any more.
    positions: SharedArray<R>,
    /// The coordinates that lanes exchange, `[particle][coordinate]`.
    stage: SharedArray<R>,
    /// The board of the blocks of a cluster.
    board: SharedArray<u64>,
    warps: u32,
}

impl<R: DeviceReal, B: Blocks, const LANES: u32, const K: usize> LeaderExchange<R, B, LANES, K> {
    const ROW: u32 = LANES * K as u32;
    const COLUMNS: bool = in_columns(LANES, K as u32);
    const COMMON: bool = has_common(LANES, K as u32);

    /// Collective among the blocks of a run.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new(swarm: &Swarm<'_, R>, columns: Columns<R>) -> Self {
        let Shared { stage, board, candidates, warps, .. } = Self::shared(thread::block_dim());
        let mut i = thread::index();
        while i < 2 * warps {
            candidates.set(i, Candidate::NONE);
            i += thread::block_dim();
        }
        // Before this barrier no thread offers a candidate, or reads what the columns have in common.
        block::sync();
        B::begin::<R>(swarm, board, Self::ROW);
        let stage = if LANES > 1 {
            stage.part(thread::index() / LANES * Self::ROW, Self::ROW)
        } else {
            stage
        };
        LeaderExchange { stage, columns, blocks: PhantomData }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn shared(threads: u32) -> Shared<R> {
        let words = B::board_len::<R>(Self::ROW);
        let layout = ResidentLayout::new::<R>((LANES, Self::ROW), (threads, 0), true, words);
        let warps = threads / 32;
        // SAFETY: the host gives `ResidentLayout::bytes` of shared memory, cut as the layout says.
        unsafe {
            Shared {
                candidates: SharedArray::new(layout.candidates, 2 * warps + 1),
                counts: SharedArray::new(layout.counts, warps + 1),
                positions: SharedArray::new(layout.positions, 2 * (warps + 1) * Self::ROW),
                stage: SharedArray::new(layout.stage, threads / LANES * Self::ROW),
                board: SharedArray::new(layout.board, words),
                warps,
            }
        }
    }

    /// The board of the blocks of a run.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn board<const CONSTRAINED: bool>(swarm: &Swarm<'_, R>) -> B::Board {
        let near = Self::shared(thread::opaque(thread::block_dim())).board;
        B::board::<R, CONSTRAINED>(swarm, near)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn exchange<const CONSTRAINED: bool>(swarm: &Swarm<'_, R>) -> Exchange<B::Board> {
        let slots = Self::board::<CONSTRAINED>(swarm);
        Exchange::new(slots, swarm.args.blocks_per_run, slot_words::<R>(CONSTRAINED))
    }

    /// What block `part` posts of its best under `tag`: the row, then the index.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

    /// The first of all threads' iterations. Collective in the block and, over several blocks, among them.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

    /// The start of the first leader's row: the first row for what the block receives.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn first_row() -> u32 {
        2 * (thread::block_dim() / 32) * Self::ROW
    }

    /// The start of a free row of a warp, or, with the number after the last warp, of the block. Each has two, one of
    /// which may be the leader's. A leader in registers has been read from one of them under the tag before, so that
    /// the parity of the tag selects.
    ///
    /// No thread still reads the free row: those that read an earlier leader there have since passed the barrier before
    /// the present one was taken.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn room(warp: u32, tag: u32, leader: &Leader<R, K>) -> u32 {
        let first = 2 * warp * Self::ROW;
        let is_taken = if Self::COMMON { leader.row == first } else { tag & 1 != 0 };
        if is_taken { first + Self::ROW } else { first }
    }

    /// Makes the best of all candidates the leader, if there is any; each of them already beats the leader. Returns
    /// whether there was one. Collective in the block and, over several blocks, among them.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn agree<const CONSTRAINED: bool>(
        &self,
        swarm: &Swarm<'_, R>,
        tag: u32,
        mine: Candidate<R>,
        x: &Own<R, K>,
        leader: &mut Leader<R, K>,
    ) -> bool {
        let better = mine.index != u32::MAX;
        if !B::SEVERAL && thread::block_dim() == 32 && !Self::COMMON {
            let any = warp::any(better);
            if any {
                let (best, lane) = warp::best(mine, CONSTRAINED);
                leader.best = best;
                let (source, mut k) = (lane / LANES * LANES + thread::lane() % LANES, 0);
                while k < K {
                    leader.position[k] = warp::shuffle(x[k], source);
                    k += 1;
                }
            }
            return any;
        }
        let shared = Self::shared(thread::opaque(thread::block_dim()));
        let stride = swarm.args.stride;
        if warp::any(better) {
            self.offer::<CONSTRAINED>(&shared, tag, mine, (x, stride), leader);
        }
        let any = block::sync_or(better);
        if B::SEVERAL {
            return self.agree_over_blocks::<CONSTRAINED>(swarm, &shared, (tag, any), leader);
        }
        if any {
            let (best, warp) = self.best_of_block::<CONSTRAINED>(&shared, tag);
            self.take(&shared, (best, Self::room(warp, tag, leader)), stride, leader);
        }
        any
    }

    /// Takes over a leader whose row of `stride` places begins at `row` of the shared positions.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn take(
        &self,
        shared: &Shared<R>,
        (best, row): (Candidate<R>, u32),
        stride: u32,
        leader: &mut Leader<R, K>,
    ) {
        leader.best = best;
        if Self::COMMON {
            leader.row = row;
            return;
        }
        let (lane, _) = place();
        let mut k = 0;
        while k < K {
            let i = coordinate::<LANES>(lane, k) as u32;
            if i < stride {
                leader.position[k] = shared.positions.get(row + i);
            }
            k += 1;
        }
    }

    /// Offers the best of a warp's candidates to the block; the warp has at least one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn offer<const CONSTRAINED: bool>(
        &self,
        shared: &Shared<R>,
        tag: u32,
        mine: Candidate<R>,
        (x, stride): (&Own<R, K>, u32),
        leader: &Leader<R, K>,
    ) {
        let (lane_of_mine, warp_of_mine) = place();
        let (best, lane) = warp::best(mine, CONSTRAINED);
        let row = Self::room(warp_of_mine, tag, leader);
        if lane / LANES == lane_of_mine / LANES {
            let mut i = 0;
            while Self::COLUMNS && i < stride {
                shared.positions.set4(row + i, self.columns.quad(i));
                i += 4;
            }
            let mut k = 0;
            while !Self::COLUMNS && k < K {
                let i = row + coordinate::<LANES>(lane_of_mine, k) as u32;
                if Self::COMMON {
                    shared.positions.set4(i, [x[k], x[k + 1], x[k + 2], x[k + 3]]);
                    k += 4;
                } else {
                    shared.positions.set(i, x[k]);
                    k += 1;
                }
            }
        }
        if lane_of_mine == 0 {
            shared.candidates.set((tag & 1) * shared.warps + warp_of_mine, best);
        }
    }

    /// The best candidate of the block's warps, and its warp. There is at least one. Warps without a candidate have an
    /// old one, which the present leader beats.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn best_of_block<const CONSTRAINED: bool>(
        &self,
        shared: &Shared<R>,
        tag: u32,
    ) -> (Candidate<R>, u32) {
        let (lane, _) = place();
        let theirs = if lane < shared.warps {
            shared.candidates.get((tag & 1) * shared.warps + lane)
        } else {
            Candidate::NONE
        };
        warp::best(theirs, CONSTRAINED)
    }

    /// The same as [`agree`](LeaderExchange::agree) among blocks, after the barrier at which all threads learn whether `any`
    /// thread of this block has a candidate.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn agree_over_blocks<const CONSTRAINED: bool>(
        &self,
        swarm: &Swarm<'_, R>,
        shared: &Shared<R>,
        (tag, any): (u32, bool),
        leader: &mut Leader<R, K>,
    ) -> bool {
        let (lane, warp) = place();
        let stride = swarm.args.stride;
        let row = Self::room(shared.warps, tag, leader);
        // By all threads, although only the first warp needs it: see `block::sync_or`.
        let (mut ours, mut held) = (Candidate::NONE, 0);
        if any {
            let (best, holder) = self.best_of_block::<CONSTRAINED>(shared, tag);
            ours = best;
            held = Self::room(holder, tag, leader);
        }
        let mut heard_of_one = false;
        if warp == 0 {
            if ours.index != u32::MAX {
                // Every word carries the tag, so that a reader waits for single words and not for the whole record.
                let record = Self::record::<CONSTRAINED>(swarm, tag, swarm.part);
                let mut i = lane;
                while i < stride {
                    record.keep_number(tag, i, shared.positions.get(held + i));
                    i += 32;
                }
                if lane == 0 {
                    record.keep(tag, stride * R::WORDS as u32, ours.index);
                }
            }
            let exchange = Self::exchange::<CONSTRAINED>(swarm);
            exchange.post_alone(tag, swarm.part, ours.fitness);
            let heard = exchange.collect::<R, 4>(tag);
            // A block without an improvement has posted the worst fitness, which no particle improves to.
            let Fitness { violation, value } = heard.fitness;
            heard_of_one = !value.is_nan() || (CONSTRAINED && !violation.is_nan());
            if heard_of_one {
                let record = Self::record::<CONSTRAINED>(swarm, tag, heard.index);
                let mut i = lane;
                while i < stride {
                    let x = record.kept_number(tag, heard.index, i);
                    shared.positions.set(row + i, x);
                    i += 32;
                }
                if lane == 0 {
                    let index = record.kept(tag, heard.index, stride * R::WORDS as u32);
                    shared.candidates.set(2 * shared.warps, Candidate::new(heard.fitness, index));
                }
            }
        }
        if !block::sync_or(heard_of_one) {
            return false;
        }
        let Candidate { fitness, index, .. } = shared.candidates.get(2 * shared.warps);
        let best = Candidate::new(unconstrained::<R, CONSTRAINED>(fitness), index);
        self.take(shared, (best, row), stride, leader);
        true
    }

    /// The start of a free row in the shared positions, for a leader from elsewhere whose position the block is to have
    /// in common.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn room_for_another(&self, leader: &Leader<R, K>) -> u32 {
        Self::room(thread::block_dim() / 32, 0, leader)
    }

    /// The shared positions.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn positions(&self) -> SharedArray<R> {
        Self::shared(thread::opaque(thread::block_dim())).positions
    }
}
