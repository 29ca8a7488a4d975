//! Where the blocks of a run agree on the best, between two iterations.

use warpswarm_core::launch::{slot_words, slots_len};
use warpswarm_core::order::Candidate;
use warpswarm_device::grid::Exchange;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, grid, thread, warp};

use super::population::Generation;
use crate::run::of_run;

/// The barrier after an iteration.
#[derive(Clone, Copy)]
pub(super) struct Meeting<R> {
    blocks: u32,
    part: u32,
    exchange: Exchange,
    /// `[parity][block]`
    indices: View<u64>,
    /// A place a warp, and one more.
    scratch: SharedArray<Candidate<R>>,
}

impl<R: DeviceReal> Meeting<R> {
    #[inline(always)]
    pub(super) fn new<const CONSTRAINED: bool>(
        generation: &Generation<'_, R>,
        scratch: SharedArray<Candidate<R>>,
    ) -> Self {
        let (args, number) = (generation.args, generation.number);
        let blocks = args.blocks_per_run;
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
        Meeting { blocks, part: generation.part, exchange, indices, scratch }
    }

    /// Makes the best of all candidates the leader if one of them beats it; says whether one does. What
    /// any block of the run wrote before is visible to all after.
    ///
    /// Collective in the block and among the run's blocks; `mine` is the warp's.
    #[inline(always)]
    pub(super) fn agree<const CONSTRAINED: bool>(
        &self,
        tag: u32,
        mine: Candidate<R>,
        leader: &mut Candidate<R>,
    ) -> bool {
        let better = mine.beats(*leader);
        let any = block::sync_or(better);
        let mut ours = Candidate::NONE;
        if any {
            if thread::lane() == 0 {
                self.scratch.set(thread::warp(), if better { mine } else { Candidate::NONE });
            }
            block::sync();
            let warps = thread::block_dim() / 32;
            let theirs = if thread::lane() < warps {
                self.scratch.get(thread::lane())
            } else {
                Candidate::NONE
            };
            ours = warp::best(theirs, CONSTRAINED).0;
        }
        if self.blocks == 1 {
            if any {
                *leader = ours;
            }
            return any;
        }
        let best = self.over_blocks::<CONSTRAINED>(tag, ours);
        let found = best.index != u32::MAX;
        if found {
            *leader = best;
        }
        found
    }

    /// The best of all blocks' candidates; [`Candidate::NONE`] where no block has one.
    #[inline(always)]
    fn over_blocks<const CONSTRAINED: bool>(&self, tag: u32, ours: Candidate<R>) -> Candidate<R> {
        let place = thread::block_dim() / 32;
        if thread::warp() == 0 {
            let parity = ((tag & 1) * self.blocks) as usize;
            if thread::lane() == 0 {
                if ours.index != u32::MAX {
                    self.indices.set(parity + self.part as usize, u64::from(ours.index));
                }
                // The block's rows, which the barrier before has ordered before this thread.
                grid::fence();
                self.exchange.post(tag, self.part, ours.fitness);
            }
            let heard = self.exchange.collect::<R>(tag);
            grid::fence();
            if thread::lane() == 0 {
                let nothing = heard.fitness.value.is_nan()
                    && (!CONSTRAINED || heard.fitness.violation.is_nan());
                let best = if nothing {
                    Candidate::NONE
                } else {
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
