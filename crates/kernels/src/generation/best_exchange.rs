//! The barrier between two iterations, at which the blocks of a run agree on the best individual.

use warpswarm_core::launch::{slot_words, slots_len};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::grid::Exchange;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, grid, thread, warp};

use super::population::Generation;
use super::seen::{known, none};
use crate::run::of_run;

/// Slots of the exchange that a lane reads at the same time: one round trip for 160 blocks.
const IN_FLIGHT: usize = 5;

/// The barrier after an iteration.
#[derive(Clone, Copy)]
pub(super) struct BestExchange<R> {
    blocks: u32,
    part: u32,
    exchange: Exchange,
    /// `[parity][block]`
    indices: View<u64>,
    /// A place for each warp, and one more.
    scratch: SharedArray<Candidate<R>>,
}

impl<R: DeviceReal> BestExchange<R> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new<const CONSTRAINED: bool>(
        generation: &Generation<'_, R>,
        scratch: SharedArray<Candidate<R>>,
    ) -> Self {
        let (args, number) = (generation.args, generation.number);
        // Opaque, so that no length is kept in registers while individuals move.
        let blocks = thread::opaque(args.blocks_per_run);
        let words = slots_len::<R>(CONSTRAINED, 1, u64::from(blocks)) as usize;
        let (slots, indices) = if blocks > 1 {
            (
                of_run(args.slots, args.runs, number, words),
                of_run(args.slot_indices, args.runs, number, 2 * blocks as usize),
            )
        } else {
            (View::EMPTY, View::EMPTY)
        };
        let exchange = Exchange::new(slots, blocks, slot_words::<R>(CONSTRAINED));
        BestExchange { blocks, part: generation.part, exchange, indices, scratch }
    }

    /// Makes the best of all candidates the leader if it beats the leader; returns whether it does. What any block of
    /// the run wrote before is visible to all blocks afterwards.
    ///
    /// Collective in the block and among the run's blocks; `mine` is the thread's candidate.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn agree<const CONSTRAINED: bool>(
        &self,
        tag: u32,
        mine: Candidate<R>,
        leader: &mut Candidate<R>,
    ) -> bool {
        let (any, ours) = self.best_of_block::<CONSTRAINED>(mine, *leader);
        if self.blocks == 1 {
            if any {
                *leader = ours;
            }
            return any;
        }
        self.post::<CONSTRAINED>(tag, ours, true);
        let best = self.heard::<CONSTRAINED, true>(tag);
        let found = best.index != u32::MAX;
        if found {
            *leader = Candidate::new(known::<R, CONSTRAINED>(best.fitness), best.index);
        }
        found
    }

    /// Posts the best of this block's candidates to the other blocks, if it beats an earlier leader; they read it with
    /// [`hear`](BestExchange::hear). What the block wrote before its last barrier becomes visible if there is a candidate,
    /// or if `has_more` is set.
    ///
    /// Collective in the block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn offer<const CONSTRAINED: bool>(
        &self,
        tag: u32,
        (mine, has_more): (Candidate<R>, bool),
        leader: Candidate<R>,
    ) {
        let (_, ours) = self.best_of_block::<CONSTRAINED>(mine, leader);
        self.post::<CONSTRAINED>(tag, ours, has_more);
    }

    /// Makes the best of the candidates that all blocks have [offered](BestExchange::offer) under a tag the leader if it
    /// beats the leader; returns whether it does. Afterwards a block may offer its next candidate.
    ///
    /// Collective in the block and among the run's blocks.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn hear<const CONSTRAINED: bool>(
        &self,
        tag: u32,
        leader: &mut Candidate<R>,
    ) -> bool {
        let best = self.heard::<CONSTRAINED, false>(tag);
        let best = Candidate::new(known::<R, CONSTRAINED>(best.fitness), best.index);
        let found = best.index != u32::MAX && best.beats(*leader);
        if found {
            *leader = best;
        }
        found
    }

    /// Whether one of the block's candidates beats the leader, and the best of these. Collective in the block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn best_of_block<const CONSTRAINED: bool>(
        &self,
        mine: Candidate<R>,
        leader: Candidate<R>,
    ) -> (bool, Candidate<R>) {
        let better = mine.beats(leader);
        let any = block::sync_or(better);
        // Opaque, so that addresses in shared memory are not kept in registers throughout.
        let (lane, warp) = (thread::opaque(thread::lane()), thread::opaque(thread::warp()));
        let mut ours = none::<R, CONSTRAINED>();
        if any {
            let of_warp =
                warp::best(if better { mine } else { none::<R, CONSTRAINED>() }, CONSTRAINED).0;
            if lane == 0 {
                self.scratch.set(warp, of_warp);
            }
            block::sync();
            let warps = thread::block_dim() / 32;
            let nobody = none::<R, CONSTRAINED>();
            let theirs = if lane < warps { self.scratch.get(lane) } else { nobody };
            let best = warp::best(theirs, CONSTRAINED).0;
            ours = Candidate::new(known::<R, CONSTRAINED>(best.fitness), best.index);
        }
        (any, ours)
    }

    /// Posts the block's best candidate, if there is one. What the block's threads wrote before their last barrier is
    /// visible to a block that has received it, if there is a candidate or `has_more` is set.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn post<const CONSTRAINED: bool>(&self, tag: u32, ours: Candidate<R>, has_more: bool) {
        if thread::index() == 0 {
            let nothing = ours.index == u32::MAX;
            if !nothing {
                let parity = ((tag & 1) * self.blocks) as usize;
                self.indices.set(parity + self.part as usize, u64::from(ours.index));
            }
            if has_more || !nothing {
                // The rows that the block wrote; the barrier before has ordered them before this thread.
                grid::fence();
            }
            let fitness = if nothing { Fitness::WORST } else { ours.fitness };
            self.exchange.post(tag, self.part, fitness);
        }
    }

    /// The best of all blocks' candidates; [`Candidate::NONE`] if no block has one. What the blocks wrote before is
    /// visible if there is a candidate; with `ALL` in any case.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn heard<const CONSTRAINED: bool, const ALL: bool>(&self, tag: u32) -> Candidate<R> {
        let place = thread::opaque(thread::block_dim()) / 32;
        if thread::warp() == 0 {
            let heard = self.exchange.collect::<R, IN_FLIGHT>(tag);
            let nothing =
                heard.fitness.value.is_nan() && (!CONSTRAINED || heard.fitness.violation.is_nan());
            if ALL || !nothing {
                grid::fence();
            }
            if thread::lane() == 0 {
                let best = if nothing {
                    Candidate::NONE
                } else {
                    let parity = ((tag & 1) * self.blocks) as usize;
                    let index = self.indices.load_relaxed(parity + heard.index as usize);
                    Candidate::new(heard.fitness, index as u32)
                };
                self.scratch.set(place, best);
            }
        }
        block::sync();
        self.scratch.get(place)
    }
}
