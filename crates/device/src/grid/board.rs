//! Boards: memory in which blocks exchange words.

use warpswarm_core::real::Float;

use crate::view::View;
use crate::{machine, thread};

/// Words that blocks exchange. Each word is written by a single store, in no order to other accesses.
pub trait Board: Copy {
    /// The `count` places from `first` on.
    fn places(&self, first: u32, count: u32) -> Self;
    /// Writes a word that all blocks see, in a place. Collective in the warp; place and word are the same in all its
    /// lanes.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn show(&self, place: u32, word: u64) {
        if thread::lane() == 0 {
            self.keep(place, word);
        }
    }
    /// The words in some places. All loads are issued before the first result is used.
    fn see<const N: usize>(&self, places: [u32; N]) -> [u64; N];
    /// Writes a word that blocks look for only when they know that it is there; by one thread.
    fn keep(&self, place: u32, word: u64);
    /// The word that block `block` has written in a place.
    fn kept(&self, block: u32, place: u32) -> u64;
}

/// A board in global memory, which all blocks of the grid see.
impl Board for View<u64> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn places(&self, first: u32, count: u32) -> Self {
        self.part(first as usize, count as usize)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn keep(&self, place: u32, word: u64) {
        self.store_relaxed(place as usize, word);
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn kept(&self, _block: u32, place: u32) -> u64 {
        self.load_relaxed(place as usize)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn see<const N: usize>(&self, places: [u32; N]) -> [u64; N] {
        let mut at = [0; N];
        let mut k = 0;
        while k < N {
            at[k] = places[k] as usize;
            k += 1;
        }
        self.load_relaxed_all(at)
    }
}

/// Words with the tag under which they were written. A reader waits for the tag, so that no other order is needed.
#[derive(Clone, Copy, Debug)]
pub struct Tagged<B = View<u64>>(B);

impl<B: Board> Tagged<B> {
    /// The words in `words`.
    #[inline(always)]
    pub fn new(words: B) -> Self {
        Tagged(words)
    }

    /// Shows a word; collective in the warp, with the same place and word in all its lanes.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub(super) fn show(&self, tag: u32, place: u32, word: u32) {
        self.0.show(place, tagged(tag, word));
    }

    /// Keeps a word; by one thread.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn keep(&self, tag: u32, place: u32, word: u32) {
        self.0.keep(place, tagged(tag, word));
    }

    /// Waits for the word that `block` keeps under `tag`, and returns it.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn kept(&self, tag: u32, block: u32, place: u32) -> u32 {
        loop {
            let value = self.0.kept(block, place);
            if (value >> 32) as u32 == tag {
                return value as u32;
            }
            machine::spin();
        }
    }

    /// Waits until all these words are shown under `tag`, and returns them. All loads are issued before the first
    /// result is used.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn see_all<const N: usize>(&self, tag: u32, places: [u32; N]) -> [u32; N] {
        loop {
            if let Some(words) = self.seen(tag, places) {
                return words;
            }
            machine::spin();
        }
    }

    /// The words that are shown under `tag`, if all are.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn seen<const N: usize>(&self, tag: u32, places: [u32; N]) -> Option<[u32; N]> {
        let values = self.0.see(places);
        let mut words = [0; N];
        let mut there = true;
        let mut k = 0;
        while k < N {
            there &= (values[k] >> 32) as u32 == tag;
            words[k] = values[k] as u32;
            k += 1;
        }
        there.then_some(words)
    }

    /// Keeps a number, in one word or two; by one thread.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn keep_number<R: Float>(&self, tag: u32, place: u32, number: R) {
        let bits = number.to_bits64();
        if R::WORDS == 2 {
            self.keep(tag, 2 * place + 1, (bits >> 32) as u32);
        }
        self.keep(tag, R::WORDS as u32 * place, bits as u32);
    }

    /// Waits for the number that `block` keeps under `tag`, and returns it.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn kept_number<R: Float>(&self, tag: u32, block: u32, place: u32) -> R {
        let low = self.kept(tag, block, R::WORDS as u32 * place);
        let high = if R::WORDS == 2 { self.kept(tag, block, 2 * place + 1) } else { 0 };
        R::from_bits64(u64::from(high) << 32 | u64::from(low))
    }
}

/// A word with its tag.
#[inline(always)]
fn tagged(tag: u32, word: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(word)
}
