//! Communication between the blocks of a grid.

mod board;

use warpswarm_core::launch::{key_word, keyed_fitness, keys_of};
use warpswarm_core::order::{Candidate, Fitness, counted_key};
use warpswarm_core::real::Float;
use warpswarm_core::sum::Operator;

use crate::shared::{SharedArray, Stored};
use crate::view::{AtomicU32, DeviceReal, View};
use crate::{block, machine, thread, warp};

pub use board::{Board, Tagged};

/// Orders what this thread read and wrote before, for the whole GPU, before what it does afterwards.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn fence() {
    machine::fence();
}

/// Waits briefly for a word that another thread is to write.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn spin() {
    machine::spin();
}

/// Whether this is the last of `blocks` blocks to arrive. In the last block, everything that the others wrote before
/// they arrived is visible to all threads, and the ticket is zero again.
///
/// Collective in the block.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn last_block(ticket: AtomicU32, blocks: u32) -> bool {
    block::sync();
    let mut last = false;
    if thread::index() == 0 {
        last = ticket.add_acq_rel(1) == blocks - 1;
        if last {
            ticket.add_acq_rel(blocks.wrapping_neg());
        }
    }
    block::sync_or(last)
}

/// Combines one value of each block, over the `blocks` blocks that share `ticket`. The last block to arrive gets the
/// result in all its threads, the others get nothing.
///
/// `value` is thread 0's. `row` has an element for every block; `number` is this block's index. The order of the
/// operands is not fixed, and must not matter to `O`. Collective in the block; `scratch` as for [`block::reduce`].
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn reduce<T: Stored, O: Operator<T>>(
    value: T,
    (row, number): (View<T>, u32),
    ticket: AtomicU32,
    blocks: u32,
    scratch: SharedArray<T>,
) -> Option<T> {
    if thread::index() == 0 {
        row.set(number as usize, value);
    }
    if !last_block(ticket, blocks) {
        return None;
    }
    let mut mine = O::identity();
    let mut other = thread::index();
    while other < blocks {
        mine = O::combine(mine, row.get(other as usize));
        other += thread::block_dim();
    }
    Some(block::reduce::<T, O>(mine, scratch))
}

/// The exchange by which resident blocks agree on their best result in each iteration: barrier and reduction in one
/// round trip through the L2 cache.
///
/// Every block posts its best in a slot, tagged with the iteration, and one warp of every block reads all slots until
/// all have the tag. Slots alternate between two sets, so that a fast block cannot overwrite what a slow one has not
/// read yet: the missing post of the slow block stops it. All blocks must be resident at the same time (a cooperative
/// launch).
#[derive(Clone, Copy, Debug)]
pub struct Exchange<B = View<u64>> {
    /// `[parity][word][block]`
    slots: Tagged<B>,
    blocks: u32,
    words: u32,
}

/// A posted fitness, as its [keys](Fitness::keys), and the block that posted it.
#[derive(Clone, Copy)]
struct Heard {
    keys: (u64, u64),
    block: u32,
}

impl Heard {
    /// See [`Fitness::ordered`].
    #[inline(always)]
    fn ordered<R: DeviceReal>(self) -> (u64, u64) {
        (counted_key::<R>(self.keys.0), self.keys.1)
    }

    /// The better of two, of equals the first. Without a branch, because branches would diverge the lanes.
    #[inline(always)]
    fn better<R: DeviceReal>(self, other: Self) -> Self {
        let ((violation, value), (other_violation, other_value)) =
            (self.ordered::<R>(), other.ordered::<R>());
        let is_other = (other_violation < violation)
            | ((other_violation == violation) & (other_value < value));
        if is_other { other } else { self }
    }
}

impl<B: Board> Exchange<B> {
    /// The exchange of `blocks` blocks over `slots`, with `words` words a slot
    /// ([`slot_words`](warpswarm_core::launch::slot_words)).
    #[inline(always)]
    pub fn new(slots: B, blocks: u32, words: u32) -> Self {
        Exchange { slots: Tagged::new(slots), blocks, words }
    }

    #[inline(always)]
    fn slot(&self, tag: u32, word: u32, block: u32) -> u32 {
        ((tag & 1) * self.words + word) * self.blocks + block
    }

    /// Posts this block's best under `tag`; by one thread. [`Fitness::WORST`] means that there is none. Data that
    /// belong to it are visible to the other blocks if a barrier and then a [`fence`] of this thread came before.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn post<R: Float>(&self, tag: u32, block: u32, best: Fitness<R>) {
        let mut word = 0;
        while word < self.words {
            let payload = key_word::<R>(best.keys(), self.words, word);
            self.slots.keep(tag, self.slot(tag, word, block), payload);
            word += 1;
        }
    }

    /// [`post`](Exchange::post) for data that carry the tag too ([`Tagged`]), so that no order is needed. Collective in
    /// the warp; `best` is the same in all its lanes.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn post_alone<R: Float>(&self, tag: u32, block: u32, best: Fitness<R>) {
        let mut word = 0;
        while word < self.words {
            let payload = key_word::<R>(best.keys(), self.words, word);
            self.slots.show(tag, self.slot(tag, word, block), payload);
            word += 1;
        }
    }

    /// Waits for all posts under `tag`, of which a lane reads `IN_FLIGHT` at a time. Returns the best with the index of
    /// its block, the lowest among equals; without constraints a NaN value means that no block has one. Collective in
    /// the warp. What the blocks wrote before posting is visible after a [`fence`] of the warp.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn collect<R: DeviceReal, const IN_FLIGHT: usize>(&self, tag: u32) -> Candidate<R> {
        let constrained = self.words as usize > R::WORDS;
        let best = if self.blocks <= 32 {
            self.hear::<R, 1>(tag, 0, constrained)
        } else {
            let mut best = self.hear::<R, IN_FLIGHT>(tag, 0, constrained);
            let mut first = 32 * IN_FLIGHT as u32;
            while first < self.blocks {
                best = best.better::<R>(self.hear::<R, IN_FLIGHT>(tag, first, constrained));
                first += 32 * IN_FLIGHT as u32;
            }
            best
        };
        let ((_, value), block) = warp::least::<R>(best.ordered::<R>(), best.block, constrained);
        let fitness = keyed_fitness::<R>((best.keys.0, value), constrained);
        if !constrained {
            return Candidate::new(fitness, block);
        }
        let lane = warp::ballot(best.block == block).trailing_zeros();
        let violation = warp::shuffle(fitness.violation, lane);
        Candidate::new(Fitness { violation, ..fitness }, block)
    }

    /// Posts a count under `tag`, for [`least`](Exchange::least). Collective in the warp; `count` is the same in all
    /// its lanes.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn post_count(&self, tag: u32, block: u32, count: u32) {
        self.slots.show(tag, self.slot(tag, 0, block), count);
    }

    /// Waits for all counts under `tag` and returns the least; see [`collect`](Exchange::collect). Collective in the
    /// warp.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn least<const IN_FLIGHT: usize>(&self, tag: u32) -> u32 {
        let mut least = u32::MAX;
        let mut first = 0;
        while first < self.blocks {
            let counts = self.wait(tag, 0, self.mine::<IN_FLIGHT>(first));
            let mut k = 0;
            while k < IN_FLIGHT {
                least = least.min(counts[k]);
                k += 1;
            }
            first += 32 * IN_FLIGHT as u32;
        }
        warp::min(least)
    }

    /// The blocks `first + lane + 32 k`, whose slots this lane reads.
    ///
    /// A lane whose slots lie beyond the last block reads that block's again: all loads are issued before the first
    /// result is used.
    #[inline(always)]
    fn mine<const N: usize>(&self, first: u32) -> [u32; N] {
        let mut blocks = [0; N];
        let mut k = 0;
        while k < N {
            blocks[k] = (first + thread::lane() + 32 * k as u32).min(self.blocks - 1);
            k += 1;
        }
        blocks
    }

    /// The best of the slots `first + lane + 32 k`, k below `N`, after all have the tag.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn hear<R: DeviceReal, const N: usize>(
        &self,
        tag: u32,
        first: u32,
        constrained: bool,
    ) -> Heard {
        let blocks = self.mine::<N>(first);
        let mut payloads = [[u32::MAX; 4]; N];
        let mut word = 0;
        while word < 4 {
            if word < self.words {
                let found = self.wait(tag, word, blocks);
                let mut k = 0;
                while k < N {
                    payloads[k][word as usize] = found[k];
                    k += 1;
                }
            }
            word += 1;
        }
        let heard =
            |k: usize| Heard { keys: keys_of::<R>(payloads[k], constrained), block: blocks[k] };
        let mut best = heard(0);
        let mut k = 1;
        while k < N {
            best = best.better::<R>(heard(k));
            k += 1;
        }
        best
    }

    /// One word of the slots of `blocks`, after all have the tag.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn wait<const N: usize>(&self, tag: u32, word: u32, blocks: [u32; N]) -> [u32; N] {
        let mut places = [0; N];
        let mut k = 0;
        while k < N {
            places[k] = self.slot(tag, word, blocks[k]);
            k += 1;
        }
        self.slots.see_all(tag, places)
    }
}
