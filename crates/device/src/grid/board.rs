//! Where blocks show each other words.

use warpswarm_core::real::Float;

use crate::view::View;
use crate::{machine, thread};

/// Words that blocks show each other, each at once and in no order to anything else.
pub trait Board: Copy {
    /// The `count` places from `first` on.
    fn places(&self, first: u32, count: u32) -> Self;
    /// Shows a word to all, in a place; collective in the warp, in all lanes of which place and word are the same.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn show(&self, place: u32, word: u64) {
        if thread::lane() == 0 {
            self.keep(place, word);
        }
    }
    /// The words that are shown in some places: all loads are on their way before the first is looked at.
    fn see<const N: usize>(&self, places: [u32; N]) -> [u64; N];
    /// Keeps a word where who knows that it is there can look for it; by one thread.
    fn keep(&self, place: u32, word: u64);
    /// The word that block `block` keeps in a place.
    fn kept(&self, block: u32, place: u32) -> u64;
}

/// In global memory, so that all blocks of the grid see them.
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

/// Words that one block shows the others, each with the tag under which it does: whoever reads waits for the tag, and
/// so nothing else needs an order.
#[derive(Clone, Copy, Debug)]
pub struct Tagged<B = View<u64>>(B);

impl<B: Board> Tagged<B> {
    /// The words in `words`.
    #[inline(always)]
    pub fn new(words: B) -> Self {
        Tagged(words)
    }

    /// Shows a word; collective in the warp, in all lanes of which place and word are the same.
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

    /// The word that `block` keeps under `tag`, when it does.
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

    /// The words that are shown under `tag`, when all are: all loads are on their way before the first is looked at.
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

    /// The number that `block` keeps under `tag`, when it does.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn kept_number<R: Float>(&self, tag: u32, block: u32, place: u32) -> R {
        let low = self.kept(tag, block, R::WORDS as u32 * place);
        let high = if R::WORDS == 2 { self.kept(tag, block, 2 * place + 1) } else { 0 };
        R::from_bits64(u64::from(high) << 32 | u64::from(low))
    }
}

/// A word with the tag under which it is there.
#[inline(always)]
fn tagged(tag: u32, word: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(word)
}
