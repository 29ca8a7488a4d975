//! Synchronisation of the blocks that share a run.

use warpswarm_device::block;
use warpswarm_device::grid::{self, Exchange};

use super::search::warp_index;

/// Slots that a lane reads at the same time.
const IN_FLIGHT: usize = 5;

/// The synchronisation of a run's blocks, and the last tag that it used.
pub(crate) struct RunBarrier {
    pub(super) exchange: Exchange,
    pub(super) blocks: u32,
    pub(super) part: u32,
    pub(super) tag: u32,
}

impl RunBarrier {
    /// A barrier over all blocks of the run. What any of their threads wrote before it is visible to all of them
    /// afterwards.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn wait(&mut self) {
        block::sync();
        if self.blocks == 1 {
            return;
        }
        self.tag = self.tag.wrapping_add(1);
        if warp_index() == 0 {
            grid::fence();
            self.exchange.post_count(self.tag, self.part, 0);
            self.exchange.least::<IN_FLIGHT>(self.tag);
            grid::fence();
        }
        block::sync();
    }

    /// The same, and returns whether `holds` is true in any thread of these blocks.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn any(&mut self, holds: bool) -> bool {
        let mut any = block::sync_or(holds);
        if self.blocks == 1 {
            return any;
        }
        self.tag = self.tag.wrapping_add(1);
        if warp_index() == 0 {
            grid::fence();
            self.exchange.post_count(self.tag, self.part, u32::from(!any));
            any = self.exchange.least::<IN_FLIGHT>(self.tag) == 0;
            grid::fence();
        }
        block::sync_or(any)
    }
}
