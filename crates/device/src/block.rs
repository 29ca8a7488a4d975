//! The threads of a block.
//!
//! Every function is collective: all threads of the block call it together.

use warpswarm_core::sum::Operator;

use crate::grid::Board;
use crate::shared::{SharedArray, Stored};
use crate::{machine, thread};

/// Waits for all threads of the block. Shared and global memory that they wrote before is visible to all of them
/// afterwards.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn sync() {
    machine::sync_threads();
}

/// [`sync`], and whether the predicate holds in any thread.
///
/// If it holds, all threads take the branch that follows, not one warp alone. When a single warp asked, ptxas 13.0 put
/// a second barrier into the branch of that warp, for architectures from 9.0 on.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn sync_or(predicate: bool) -> bool {
    machine::sync_threads_or(predicate)
}

/// [`sync`], and the number of threads in which the predicate holds.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn sync_count(predicate: bool) -> u32 {
    machine::sync_threads_count(predicate)
}

/// Combines the threads' values by CPSO's tree reduction: in each round the lower half of the threads combines its
/// values with those of the upper half.
///
/// The result is valid in every thread. The order of the operands must not matter to `O`, because the tree pairs
/// distant threads. `scratch` has an element for every thread and may be used again after the next [`sync`].
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn reduce<T: Stored, O: Operator<T>>(value: T, scratch: SharedArray<T>) -> T {
    let me = thread::index();
    let mut value = value;
    let mut left = thread::block_dim();
    scratch.set(me, value);
    sync();
    while left > 1 {
        // The middle element of an odd row waits for the next round.
        let half = left.div_ceil(2);
        if me + half < left {
            value = O::combine(value, scratch.get(me + half));
            scratch.set(me, value);
        }
        sync();
        left = half;
    }
    scratch.get(0)
}

/// A [`Board`] in the block's shared memory, on which its warps exchange words without a barrier.
#[derive(Clone, Copy, Debug)]
pub struct BlockBoard(SharedArray<u64>);

impl BlockBoard {
    /// The board in `words`.
    #[inline(always)]
    pub fn new(words: SharedArray<u64>) -> Self {
        BlockBoard(words)
    }

    /// Sets all of `count` words to zero, before any thread writes a word. Collective in the block.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn clear(&self, count: u32) {
        self.0.zero(count);
        sync();
    }
}

impl Board for BlockBoard {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn places(&self, first: u32, count: u32) -> Self {
        BlockBoard(self.0.part(first, count))
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn keep(&self, place: u32, word: u64) {
        self.0.say(place, word);
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn kept(&self, _block: u32, place: u32) -> u64 {
        self.0.said(place)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn see<const N: usize>(&self, places: [u32; N]) -> [u64; N] {
        let mut words = [0; N];
        let mut k = 0;
        while k < N {
            words[k] = self.0.said(places[k]);
            k += 1;
        }
        words
    }
}
