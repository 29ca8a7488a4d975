//! The blocks of a cluster: neighbours that run at the same time and write to each other's shared memory.
//!
//! They need compute capability 9.0 or later. The launch sets how many blocks a cluster has, at most 16.

use crate::grid::Board;
use crate::machine;
use crate::shared::SharedArray;
use crate::thread;

/// Declares that the kernel needs clusters: `ptx-builder` compiles it for devices that have them. Call it first.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn needed() {
    machine::needs_clusters();
}

/// Waits for all threads of all blocks of the cluster. Memory that they wrote before is visible to all of them
/// afterwards.
///
/// Collective in the cluster.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn sync() {
    machine::sync_cluster();
}

/// A [`Board`] of which each block has a part in its shared memory. Shown words are written to all parts.
#[derive(Clone, Copy, Debug)]
pub struct NearBoard {
    words: SharedArray<u64>,
    blocks: u32,
}

impl NearBoard {
    /// The board of a cluster of `blocks` blocks in `words`, which are at the same place in each block.
    #[inline(always)]
    pub fn new(words: SharedArray<u64>, blocks: u32) -> Self {
        NearBoard { words, blocks }
    }

    /// Sets all words to zero, before any block writes a word. A block may leave the kernel only after all blocks have
    /// written their last word ([`sync`]). Collective in the cluster.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn clear(&self, count: u32) {
        self.words.zero(count);
        sync();
    }
}

impl Board for NearBoard {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn places(&self, first: u32, count: u32) -> Self {
        NearBoard { words: self.words.part(first, count), ..*self }
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn keep(&self, place: u32, word: u64) {
        self.words.keep(place, word);
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn kept(&self, block: u32, place: u32) -> u64 {
        self.words.kept(block, place)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn show(&self, place: u32, word: u64) {
        let rank = thread::lane();
        if rank < self.blocks {
            self.words.show(rank, place, word);
        }
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn see<const N: usize>(&self, places: [u32; N]) -> [u64; N] {
        let mut words = [0; N];
        let mut k = 0;
        while k < N {
            words[k] = self.words.see(places[k]);
            k += 1;
        }
        words
    }
}
