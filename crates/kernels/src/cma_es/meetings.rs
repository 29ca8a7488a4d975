//! Where the blocks of a run wait for each other.

use warpswarm_device::block;
use warpswarm_device::grid::{self, Exchange};

use super::search::warp_index;

/// Slots that a lane reads at a time.
const IN_FLIGHT: usize = 5;

/// The meetings of a run's blocks, so far.
pub(crate) struct Meetings {
    pub(super) exchange: Exchange,
    pub(super) blocks: u32,
    pub(super) part: u32,
    pub(super) tag: u32,
}

impl Meetings {
    /// Waits until all blocks of the run are here; what any of their threads has written before is visible to all after.
    #[inline(always)]
    pub(crate) fn meet(&mut self) {
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

    /// The same, and whether something holds for any thread of theirs.
    #[inline(always)]
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
