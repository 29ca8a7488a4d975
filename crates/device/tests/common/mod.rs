//! How the tests launch kernels, and their arguments.

#![allow(dead_code, reason = "each test binary uses its share")]

use warpswarm_core::launch::Ptr;
use warpswarm_device::emulator::{self, Entry, Fault, FaultKind, LaunchConfig};
use warpswarm_device::shared::{SharedArray, Stored};
use warpswarm_device::view::View;

/// An array on the host as a kernel's argument.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Array<T> {
    ptr: Ptr<T>,
    len: u64,
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Array<T> {}

impl<T: Copy> Array<T> {
    pub(crate) fn of(items: &mut [T]) -> Self {
        Array {
            ptr: Ptr::at(items.as_mut_ptr().expose_provenance() as u64),
            len: items.len() as u64,
        }
    }

    pub(crate) fn at(ptr: Ptr<T>, len: u64) -> Self {
        Array { ptr, len }
    }

    pub(crate) fn view(&self) -> View<T> {
        // SAFETY: `of`'s callers keep the slice until the launch has ended.
        unsafe { View::new(self.ptr, self.len as usize) }
    }
}

/// Numbers at an address that is a multiple of 16, as the host allocates them.
pub(crate) struct Aligned<T> {
    memory: Vec<u128>,
    len: usize,
    item: std::marker::PhantomData<T>,
}

impl<T: Copy + Default> Aligned<T> {
    pub(crate) fn new(items: &[T]) -> Self {
        let memory = vec![0; size_of_val(items).div_ceil(16)];
        let mut new = Aligned { memory, len: items.len(), item: std::marker::PhantomData };
        new.slice().copy_from_slice(items);
        new
    }

    pub(crate) fn zeroed(len: usize) -> Self {
        Aligned::new(&vec![T::default(); len])
    }

    pub(crate) fn slice(&mut self) -> &mut [T] {
        // SAFETY: the memory is as large and at least as aligned, and holds plain numbers.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.len) }
    }

    pub(crate) fn array(&mut self) -> Array<T> {
        Array::of(self.slice())
    }
}

/// `len` elements of shared memory from byte `offset` on.
pub(crate) fn shared<T: Stored>(offset: u32, len: u32) -> SharedArray<T> {
    // SAFETY: the emulator checks every access, so that there is nothing to uphold.
    unsafe { SharedArray::new(offset, len) }
}

pub(crate) fn blocks(grid: u32, block: u32) -> LaunchConfig {
    LaunchConfig { grid, block, shared_bytes: 16 * 1024, ..LaunchConfig::default() }
}

/// The fixed order of threads and a few random ones.
pub(crate) fn orders(config: LaunchConfig) -> impl Iterator<Item = LaunchConfig> {
    let seeds = [None, Some(1), Some(2), Some(3)];
    seeds.into_iter().map(move |shuffle_seed| LaunchConfig { shuffle_seed, ..config })
}

/// Launches `kernel` with `argument`, under the name "kernel".
pub(crate) fn launch<T: Copy>(
    config: &LaunchConfig,
    argument: T,
    kernel: fn(T),
) -> Result<(), Fault> {
    let entry = Entry::new::<T>("kernel", kernel);
    let at = (&raw const argument).cast();
    // SAFETY: the bytes of a `T`, with or without padding; the arrays in it outlive the launch.
    unsafe { emulator::launch(&entry, config, std::slice::from_raw_parts(at, size_of::<T>())) }
}

/// The fault that a launch must have.
#[track_caller]
pub(crate) fn fault(result: Result<(), Fault>, kind: FaultKind) -> Fault {
    let fault = result.expect_err("the emulator saw nothing wrong");
    assert_eq!(fault.kind, kind, "{fault}");
    fault
}
