//! A record of the last write to each word of global memory in a launch, and which threads may rely on it.
//!
//! Within a block a barrier orders two accesses, as in [shared memory](super::memory). For a thread of another block, a
//! write is ordered before an access if two conditions hold. The writer, or a thread that a barrier has put after the
//! write, has executed a fence. After that, the other thread, or a thread that a barrier has put before it, has
//! executed a fence too. A missing fence is therefore found on either side, in whatever order threads happened to run.
//!
//! Atomic accesses order nothing, and race only with ordinary writes. Reads are not recorded: a write that comes before
//! another thread has read is not found.

use core::ops::Range;

use super::memory::{Access, SharedMemory};
use super::state::Identity;
use super::writes::{Entry, Writes};

/// The last write to a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub(super) by: Access,
    pub(super) block: u32,
    /// The fence that made it visible to other blocks; 0 for none.
    shown: u64,
}

/// The fences of threads that share barriers, as far as the order after a barrier needs them. Epochs only grow.
#[derive(Clone, Copy, Debug, Default)]
struct Fences<E> {
    epoch: E,
    latest: u64,
    /// The latest fence before `epoch`.
    before: u64,
}

impl<E: Copy + PartialEq> Fences<E> {
    fn make(&mut self, epoch: E, fence: u64) {
        if self.epoch != epoch {
            (self.epoch, self.before) = (epoch, self.latest);
        }
        self.latest = fence;
    }

    /// The latest fence that a barrier orders before a thread in `epoch`.
    fn behind(&self, epoch: E) -> u64 {
        if self.epoch == epoch { self.before } else { self.latest }
    }
}

/// A running block.
#[derive(Debug, Default)]
struct Block {
    /// The words that it has written and that no fence has made visible, each once.
    hidden: Vec<Entry>,
    fences: Fences<u64>,
}

/// The record of global memory.
#[derive(Debug, Default)]
pub(super) struct GlobalMemory {
    /// By address, divided by the four bytes of a word.
    words: Writes<Write>,
    /// Counts fences.
    clock: u64,
    blocks: Vec<Block>,
    /// The epoch of a warp is that of its block and its own.
    warps: Vec<Fences<(u64, u32)>>,
    threads: Vec<u64>,
    /// The latest fence of all running blocks together.
    all: u64,
}

impl GlobalMemory {
    /// Begins a launch: what was written before is visible to all threads.
    pub(super) fn begin(&mut self) {
        self.words.begin();
        self.clock = 0;
    }

    /// Begins `blocks` blocks.
    pub(super) fn begin_blocks(&mut self, blocks: u32, block_dim: u32) {
        let threads = (blocks * block_dim) as usize;
        self.blocks.clear();
        self.blocks.resize_with(blocks as usize, Block::default);
        self.warps.clear();
        self.warps.resize(threads / 32, Fences::default());
        self.threads.clear();
        self.threads.resize(threads, 0);
        self.all = 0;
    }

    /// Removes the record of a block's shared memory that is used as global memory, because another block will use it.
    pub(super) fn ended(&mut self, shared: SharedMemory) -> SharedMemory {
        let (address, bytes) = shared.near();
        self.words.remove(words(address, bytes));
        shared
    }

    /// The latest fence that is ordered before the present access of a thread.
    fn latest(&self, me: Identity, by: &Access) -> u64 {
        let of_block = self.blocks[me.member as usize].fences.behind(by.epoch);
        let of_warp = self.warps[(me.slot / 32) as usize].behind((by.epoch, by.warp_epoch));
        self.threads[me.slot as usize].max(of_warp).max(of_block).max(self.all)
    }

    /// The write to these bytes that nothing orders before an access, if there is one.
    pub(super) fn unordered(
        &self,
        (address, bytes): (usize, usize),
        me: Identity,
        by: &Access,
    ) -> Option<Write> {
        let writes = words(address, bytes).filter_map(|word| self.words.get(word));
        let mut hidden = writes.filter(|write| {
            if write.block == me.block {
                write.by.unordered(by)
            } else {
                write.shown == 0 || write.shown > self.latest(me, by)
            }
        });
        hidden.next().copied()
    }

    /// Records a write, which is ordered after all earlier ones to these bytes.
    pub(super) fn write(&mut self, (address, bytes): (usize, usize), me: Identity, by: Access) {
        let write = Write { by, block: me.block, shown: 0 };
        for word in words(address, bytes) {
            let (entry, old) = self.words.insert(word, write);
            // If the block's last write to this word is not visible yet, the word is already in the list.
            if !old.is_some_and(|old| old.block == me.block && old.shown == 0) {
                self.blocks[me.member as usize].hidden.push(entry);
            }
        }
    }

    /// A thread's fence: makes visible what was written before it.
    pub(super) fn fence(&mut self, me: Identity, by: &Access) {
        self.clock += 1;
        let clock = self.clock;
        self.threads[me.slot as usize] = clock;
        self.warps[(me.slot / 32) as usize].make((by.epoch, by.warp_epoch), clock);
        let block = &mut self.blocks[me.member as usize];
        block.fences.make(by.epoch, clock);
        let words = &mut self.words;
        block.hidden.retain(|&entry| match words.get_mut(entry) {
            Some(write) if write.block == me.block && write.shown == 0 => {
                let is_behind = !write.by.unordered(by);
                if is_behind {
                    write.shown = clock;
                }
                !is_behind
            }
            _ => false,
        });
    }

    /// A barrier of all running blocks: makes every write visible to all of them.
    pub(super) fn meet(&mut self) {
        self.clock += 1;
        self.all = self.clock;
        for block in &mut self.blocks {
            for entry in block.hidden.drain(..) {
                if let Some(write) = self.words.get_mut(entry) {
                    write.shown = self.clock;
                }
            }
        }
    }
}

/// The words that an access covers.
#[inline]
fn words(address: usize, bytes: usize) -> Range<usize> {
    address / 4..(address + bytes).div_ceil(4)
}
