//! The kernel in the emulator, which runs each GPU thread as a coroutine. It stops at a mistake: an index out of
//! bounds, a missing barrier, or a missing fence.
#![allow(unsafe_code)]

use std::slice;

use summary::{Args, Summary, entries};
use warpswarm_core::launch::Ptr;
use warpswarm_core::order::Candidate;
use warpswarm_core::sum::TILE;
use warpswarm_device::emulator::{self, Fault, LaunchConfig};

use crate::Grid;

/// Launches the kernel once. `order` is the seed of a random order of threads and blocks; `None` is the natural order.
///
/// # Errors
///
/// The first mistake that the emulator detects.
pub fn summarise(numbers: &[f32], grid: Grid, order: Option<u64>) -> Result<Summary, Fault> {
    let mut of_numbers = Array::new(numbers.len(), 0.0);
    of_numbers.items().copy_from_slice(numbers);
    let mut of_tiles = Array::new(numbers.len().div_ceil(TILE), 0.0);
    let mut of_blocks = Array::new(grid.blocks as usize, Candidate::NONE);
    let (mut ticket, mut result) = (Array::new(1, 0), Array::new(1, Summary::default()));
    let args = Args {
        numbers: of_numbers.ptr(),
        tiles: of_tiles.ptr(),
        blocks: of_blocks.ptr(),
        ticket: ticket.ptr(),
        summary: result.ptr(),
        count: numbers.len() as u32,
    };
    let config = LaunchConfig {
        grid: grid.blocks,
        block: grid.threads,
        shared_bytes: grid.shared_bytes(),
        shuffle_seed: order,
        ..LaunchConfig::default()
    };
    let bytes = (&raw const args).cast();
    // SAFETY: these are the bytes of an `Args`. Its arrays have the documented lengths and live until the launch has
    // ended.
    unsafe {
        let argument = slice::from_raw_parts(bytes, size_of::<Args>());
        emulator::launch(&entries()[0], &config, argument)?;
    }
    Ok(result.items()[0])
}

/// An array that is aligned to 16 bytes, as on a GPU.
struct Array<T> {
    memory: Vec<u128>,
    len: usize,
    item: std::marker::PhantomData<T>,
}

impl<T: Copy> Array<T> {
    fn new(len: usize, item: T) -> Self {
        let memory = vec![0; (len * size_of::<T>()).div_ceil(16)];
        let mut new = Array { memory, len, item: std::marker::PhantomData };
        new.items().fill(item);
        new
    }

    fn items(&mut self) -> &mut [T] {
        // SAFETY: the memory has this size and at least this alignment. The types used here are plain numbers, for
        // which all bit patterns are valid.
        unsafe { slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.len) }
    }

    fn ptr(&mut self) -> Ptr<T> {
        Ptr::at(self.memory.as_mut_ptr().expose_provenance() as u64)
    }
}
