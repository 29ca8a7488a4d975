//! Launches under the emulator.

use warpswarm_core::launch::Ptr;
use warpswarm_device::emulator::{self, Entry, LaunchConfig};

/// An array in memory, aligned as the host allocates it.
pub(crate) struct Array<T> {
    memory: Vec<u128>,
    len: usize,
    item: std::marker::PhantomData<T>,
}

impl<T: Copy> Array<T> {
    /// An array of these items.
    pub(crate) fn of(items: &[T]) -> Self {
        let memory = vec![0; size_of_val(items).div_ceil(16).max(1)];
        let mut array = Array { memory, len: items.len(), item: std::marker::PhantomData };
        array.items().copy_from_slice(items);
        array
    }

    /// The items.
    pub(crate) fn items(&mut self) -> &mut [T] {
        // SAFETY: the memory is as large and at least as aligned, and holds plain numbers.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.len) }
    }

    /// Its address.
    pub(crate) fn ptr(&mut self) -> Ptr<T> {
        Ptr::at(self.memory.as_mut_ptr().expose_provenance() as u64)
    }
}

/// Runs a kernel.
pub(crate) fn launch<T: Copy>(entry: &Entry, (grid, block, shuffle_seed): Shape, args: &T) {
    let config = LaunchConfig { grid, block, shuffle_seed, ..LaunchConfig::default() };
    // SAFETY: the bytes of the kernel's argument; the arrays in it outlive the launch.
    let bytes = unsafe { std::slice::from_raw_parts((&raw const *args).cast(), size_of_val(args)) };
    // SAFETY: the entry takes this argument.
    unsafe { emulator::launch(entry, &config, bytes) }.unwrap();
}

/// Blocks, threads of a block, and the seed of the order in which they run.
pub(crate) type Shape = (u32, u32, Option<u64>);
/// Some shapes to test.
pub(crate) const SHAPES: [Shape; 3] = [(1, 32, None), (2, 32, Some(1)), (1, 64, Some(2))];
