//! Copies of whole rows between global and shared memory, which go on while threads compute.
//!
//! Of compute capability 9.0 and later. One lane of a warp begins copies, all lanes wait for them; between what lanes do
//! with a place in shared memory and what copies do with it there must be a wait or a [`warp::sync`](crate::warp::sync).
//! Arrays begin at multiples of 16 bytes and are as long.

use crate::machine;
use crate::shared::SharedArray;
use crate::view::{DeviceReal, View};

/// Says that the kernel needs bulk copies: `ptx-builder` compiles it for devices that have them. Call it first.
#[inline(always)]
pub fn needed() {
    machine::needs_bulk_copies();
}

/// A barrier in shared memory that counts bytes, for one warp. It goes through phases, of which each ends when the bytes
/// that it expects have come.
#[derive(Clone, Copy, Debug)]
pub struct ByteBarrier(SharedArray<u64>);

impl ByteBarrier {
    /// The barrier in an array of one word, of which it is the only use.
    #[inline(always)]
    pub fn new(word: SharedArray<u64>) -> Self {
        ByteBarrier(word)
    }

    /// Makes it ready for its first phase. For one lane, before a [`warp::sync`](crate::warp::sync).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn init(&self) {
        // SAFETY: the word lies in shared memory, by the contract of `SharedArray::new`, and has no other use.
        unsafe { machine::byte_barrier_init(self.0.at(0)) }
    }

    /// Begins a phase of so many bytes, at least 16. For one lane, after the warp has waited for the last phase, and before
    /// the copies that bring them.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn expect(&self, bytes: u32) {
        // SAFETY: `init` has made it a barrier.
        unsafe { machine::byte_barrier_expect(self.0.at(0), bytes) }
    }

    /// Waits until phase `phase` (the first is 0) has ended; all lanes see what its copies brought. Only the last phase
    /// that was begun can be waited for. Collective in the warp.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn wait(&self, phase: u32) {
        // SAFETY: `init` has made it a barrier.
        unsafe { machine::byte_barrier_wait(self.0.at(0), phase % 2) }
    }
}

/// Begins to copy all of `from` to the beginning of `to`; `barrier` counts the bytes. For one lane.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn copy_in<R: DeviceReal>(from: View<R>, to: SharedArray<R>, barrier: ByteBarrier) {
    let count = from.len() as u32;
    let to = to.part(0, count).at(0);
    // SAFETY: both arrays are as long and where they are by the contracts of their makers; `init` has made the barrier.
    unsafe {
        let from = from.at(0, count as usize);
        machine::bulk_copy_in(to, from.cast(), count * R::BYTES, barrier.0.at(0));
    }
}

/// Begins to copy the beginning of `from` to all of `to`, as it is now. For one lane, after each lane that has written
/// there has called [`show`] and all have met in a [`warp::sync`](crate::warp::sync).
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn copy_out<R: DeviceReal>(to: View<R>, from: SharedArray<R>) {
    let count = to.len() as u32;
    let from = from.part(0, count).at(0);
    // SAFETY: both arrays are as long and where they are by the contracts of their makers.
    unsafe { machine::bulk_copy_out(to.at(0, count as usize).cast(), from, count * R::BYTES) }
}

/// Shows what this lane has written to shared memory to copies that are begun later.
#[inline(always)]
pub fn show() {
    machine::show_to_copies();
}

/// Waits until the copies out that this lane has begun have read what they copy: something else may be brought there.
#[inline(always)]
pub fn have_read() {
    machine::bulk_copies_have_read();
}

/// Waits until all copies out that this lane has begun before it waited in [`have_read`] have written. A kernel does not
/// end before.
#[inline(always)]
pub fn have_written() {
    machine::bulk_copies_have_written();
}
