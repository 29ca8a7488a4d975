//! Copies of whole rows between global and shared memory, which run while threads compute.
//!
//! They need compute capability 9.0 or later. One lane of a warp starts copies, and all lanes wait for them. Between
//! accesses of lanes and accesses of copies to the same place in shared memory there must be a wait or a
//! [`warp::sync`](crate::warp::sync). The addresses and the lengths of arrays are multiples of 16 bytes.

use crate::machine;
use crate::shared::SharedArray;
use crate::view::{DeviceReal, View};

/// Declares that the kernel needs bulk copies: `ptx-builder` compiles it for devices that have them. Call it first.
#[inline(always)]
pub fn needed() {
    machine::needs_bulk_copies();
}

/// A barrier in shared memory that counts bytes, for one warp. It has phases; a phase ends when the bytes that it
/// expects have arrived.
#[derive(Clone, Copy, Debug)]
pub struct ByteBarrier(SharedArray<u64>);

impl ByteBarrier {
    /// The barrier in an array of one word, which has no other use.
    #[inline(always)]
    pub fn new(word: SharedArray<u64>) -> Self {
        ByteBarrier(word)
    }

    /// Initialises it for its first phase. By one lane, before a [`warp::sync`](crate::warp::sync).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn init(&self) {
        // SAFETY: the word lies in shared memory, by the contract of `SharedArray::new`, and has no other use.
        unsafe { machine::byte_barrier_init(self.0.at(0)) }
    }

    /// Begins a phase of `bytes` bytes, at least 16. By one lane, after the warp has waited for the last phase, and
    /// before the copies that bring the bytes.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn expect(&self, bytes: u32) {
        // SAFETY: `init` has made it a barrier.
        unsafe { machine::byte_barrier_expect(self.0.at(0), bytes) }
    }

    /// Waits until phase `phase` (the first is 0) has ended. All lanes then see what its copies brought. Only the last
    /// phase that was begun can be waited for. Collective in the warp.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn wait(&self, phase: u32) {
        // SAFETY: `init` has made it a barrier.
        unsafe { machine::byte_barrier_wait(self.0.at(0), phase % 2) }
    }
}

/// Starts a copy of all of `from` to the beginning of `to`; `barrier` counts the bytes. By one lane.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn copy_in<R: DeviceReal>(from: View<R>, to: SharedArray<R>, barrier: ByteBarrier) {
    let count = from.len() as u32;
    let to = to.part(0, count).at(0);
    // SAFETY: both arrays have this length and address by the contracts of their constructors; `init` has made the
    // barrier.
    unsafe {
        let from = from.at(0, count as usize);
        machine::bulk_copy_in(to, from.cast(), count * R::BYTES, barrier.0.at(0));
    }
}

/// Starts a copy of the beginning of `from`, as it is now, to all of `to`. By one lane, after each lane that has
/// written there has called [`show`] and all lanes have reached a [`warp::sync`](crate::warp::sync).
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn copy_out<R: DeviceReal>(to: View<R>, from: SharedArray<R>) {
    let count = to.len() as u32;
    let from = from.part(0, count).at(0);
    // SAFETY: both arrays have this length and address by the contracts of their constructors.
    unsafe { machine::bulk_copy_out(to.at(0, count as usize).cast(), from, count * R::BYTES) }
}

/// Makes what this lane has written to shared memory visible to copies that are started later.
#[inline(always)]
pub fn show() {
    machine::show_to_copies();
}

/// Waits until the copies out that this lane has started have read their source, which may then be overwritten.
#[inline(always)]
pub fn have_read() {
    machine::bulk_copies_have_read();
}

/// Waits until all copies out that this lane started before it waited in [`have_read`] have been written. A kernel must
/// call it before it ends.
#[inline(always)]
pub fn have_written() {
    machine::bulk_copies_have_written();
}
