//! Arrays in global memory, with bounds checks under the emulator.
//!
//! If a kernel reads or writes outside a view, the emulator ends the launch with a fault that names kernel, block,
//! thread and place. On a GPU element accesses are not checked: see [`View::new`].

mod real;

use core::marker::PhantomData;

use warpswarm_core::launch::Ptr;

use crate::{machine, thread};

pub use real::DeviceReal;

/// An array in global memory that threads read and write.
///
/// Threads may access the same place, one of them writing, only with a barrier, a launch boundary or one of the orders
/// documented here between.
#[derive(Debug)]
pub struct View<T> {
    start: *mut T,
    len: usize,
    item: PhantomData<T>,
}

impl<T> Clone for View<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for View<T> {}

impl<T: Copy> View<T> {
    /// An array without elements.
    pub const EMPTY: Self = View { start: core::ptr::null_mut(), len: 0, item: PhantomData };

    /// The array of `len` elements at `ptr`.
    ///
    /// # Safety
    /// The host upholds: `ptr` is the address of `len` elements, aligned to 16 bytes, that stay allocated while the
    /// kernel runs and that only this launch accesses meanwhile. On a GPU the kernel upholds that it stays within
    /// them; the emulator stops it if it does not.
    #[inline(always)]
    pub unsafe fn new(ptr: Ptr<T>, len: usize) -> Self {
        View { start: ptr.address as *mut T, len, item: PhantomData }
    }

    /// The address of element `i`, at which `count` elements lie.
    ///
    /// Only the emulator checks this, under which every kernel runs over the whole matrix of tests. On a GPU, checks of
    /// every access took a fifth of the instructions and of the registers.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub(crate) fn at(&self, i: usize, count: usize) -> *mut T {
        #[cfg(not(target_arch = "nvptx64"))]
        {
            machine::place((self.start.cast(), self.len), (i, count), size_of::<T>()).cast()
        }
        #[cfg(target_arch = "nvptx64")]
        {
            let _ = count;
            // SAFETY: lies in the array, which the kernel upholds: it has been checked.
            unsafe { self.start.add(i) }
        }
    }

    /// The number of elements.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The address of the first element.
    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    pub(crate) fn address(&self) -> u64 {
        self.start as u64
    }

    /// Element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn get(&self, i: usize) -> T {
        // SAFETY: `at` returns a place in the array, which `new`'s caller guarantees.
        unsafe { machine::global_read(self.at(i, 1)) }
    }

    /// Sets element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn set(&self, i: usize, value: T) {
        // SAFETY: `at` returns a place in the array, which `new`'s caller guarantees.
        unsafe { machine::global_write(self.at(i, 1), value) }
    }

    /// The `count` elements from `i` on, checked once.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn part(&self, i: usize, count: usize) -> View<T> {
        View { start: self.at(i, count), len: count, item: PhantomData }
    }

    /// The field of type `F` of element `i`, `offset` bytes into it, as an array of one.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn field<F: Copy>(&self, i: usize, offset: usize) -> View<F> {
        assert_inside::<T>(offset, size_of::<F>());
        let start = self.at(i, 1).wrapping_byte_add(offset).cast();
        View { start, len: 1, item: PhantomData }
    }

    /// A 32-bit field of element `i`, `offset` bytes into it, for atomic use.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn atomic_u32(&self, i: usize, offset: usize) -> AtomicU32 {
        assert_inside::<T>(offset, 4);
        AtomicU32(self.at(i, 1).wrapping_byte_add(offset).cast())
    }

    /// A 64-bit field of element `i`, `offset` bytes into it, for atomic use.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn atomic_u64(&self, i: usize, offset: usize) -> AtomicU64 {
        assert_inside::<T>(offset, 8);
        AtomicU64(self.at(i, 1).wrapping_byte_add(offset).cast())
    }
}

#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn assert_inside<T>(offset: usize, size: usize) {
    if !offset.is_multiple_of(size) || offset + size > size_of::<T>() {
        machine::fail("a field lies outside its element");
    }
}

impl<R: DeviceReal> View<R> {
    /// Prefetches the `count` elements from `i` on, as far as they exist, into the L2 cache. By a warp, a cache line
    /// for each lane, 4 KiB at most.
    #[inline(always)]
    pub fn prefetch(&self, i: usize, count: u32) {
        const LINE: u32 = 128;
        let first = thread::lane() * (LINE / R::BYTES);
        let at = i + first as usize;
        if first < count && at < self.len {
            machine::prefetch(self.start.wrapping_add(at));
        }
    }

    /// Elements `i` to `i + 3`; they start at a multiple of 16 bytes.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn get4(&self, i: usize) -> [R; 4] {
        // SAFETY: `at` returns a place in the array with three more after it, which `new`'s caller guarantees.
        unsafe { R::read4(self.at(i, 4)) }
    }

    /// Sets elements `i` to `i + 3`; see [`get4`](View::get4).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn set4(&self, i: usize, values: [R; 4]) {
        // SAFETY: as in `get4`.
        unsafe { R::write4(self.at(i, 4), values) }
    }

    /// The row of `len` places from `i` on.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn row(&self, i: usize, len: u32) -> Row<R> {
        Row { start: self.at(i, len as usize), len }
    }

    /// Element `i` as other blocks of this launch have left it, not from this multiprocessor's L1 cache.
    ///
    /// Valid after something that orders this read after their writes ([`grid`](crate::grid)).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn get_shared(&self, i: usize) -> R {
        let at = self.at(i, 1);
        // SAFETY: `at` has checked the place; a number is aligned to its size.
        unsafe {
            if R::WORDS == 1 {
                R::from_bits64(u64::from(machine::load_relaxed_u32(at.cast())))
            } else {
                R::from_bits64(machine::load_relaxed_u64(at.cast()))
            }
        }
    }
}

impl View<u64> {
    /// Element `i` as any thread of the GPU has last written it; orders nothing.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_relaxed(&self, i: usize) -> u64 {
        // SAFETY: `at` has checked the place.
        unsafe { machine::load_relaxed_u64(self.at(i, 1)) }
    }

    /// [`load_relaxed`](View::load_relaxed) of `N` elements: all are checked first, then all loads are issued together.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_relaxed_all<const N: usize>(&self, places: [usize; N]) -> [u64; N] {
        let mut values = [0; N];
        let mut starts = [self.start; N];
        let mut k = 0;
        while k < N {
            starts[k] = self.at(places[k], 1);
            k += 1;
        }
        k = 0;
        while k < N {
            // SAFETY: `at` has checked the place.
            values[k] = unsafe { machine::load_relaxed_u64(starts[k]) };
            k += 1;
        }
        values
    }

    /// Sets element `i` for the whole GPU; orders nothing.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_relaxed(&self, i: usize, value: u64) {
        // SAFETY: `at` has checked the place.
        unsafe { machine::store_relaxed_u64(self.at(i, 1), value) }
    }

    /// Sets an element that the host reads while the kernel runs. The host sees all eight bytes at once; other accesses
    /// are not ordered before or after it.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn show_host(&self, i: usize, value: u64) {
        // SAFETY: `at` has checked the place.
        unsafe { machine::store_system_u64(self.at(i, 1), value) }
    }
}

/// A row of a [`View`], checked once when it is made.
///
/// Lanes whose places lie beyond its end need no branch of their own: they read a value that the caller passes, and
/// what they write is discarded. Indices and the length are multiples of the number of places that are moved at once.
#[derive(Clone, Copy, Debug)]
pub struct Row<R> {
    start: *mut R,
    len: u32,
}

macro_rules! row_access {
    ($get:ident, $set:ident, $places:literal, $read:path, $write:path, $doc:literal) => {
        #[doc = concat!("The ", $doc, " from `i` on, or `beyond`.")]
        #[inline(always)]
        #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
        pub fn $get(&self, i: u32, beyond: R) -> [R; $places] {
            if i >= self.len {
                return [beyond; $places];
            }
            // SAFETY: `View::row` has checked the row; `i` is below its length and both are multiples
            // of the number of places, so all of them lie in the row, aligned to their size.
            unsafe { $read(self.start.add(i as usize)) }
        }

        #[doc = concat!("Makes `values` the ", $doc, " from `i` on.")]
        #[inline(always)]
        #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
        pub fn $set(&self, i: u32, values: [R; $places]) {
            if i < self.len {
                // SAFETY: as for reading.
                unsafe { $write(self.start.add(i as usize), values) }
            }
        }
    };
}

impl<R: DeviceReal> Row<R> {
    row_access!(get, set, 1, read_one, write_one, "place");
    row_access!(
        stream2,
        set_stream2,
        2,
        R::stream_read2,
        R::stream_write2,
        "two places, not kept in the caches,"
    );
    row_access!(
        stream4,
        set_stream4,
        4,
        R::stream_read,
        R::stream_write,
        "four places, not kept in the caches,"
    );
}

/// # Safety
/// `at` is valid for a read.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
unsafe fn read_one<R: Copy>(at: *mut R) -> [R; 1] {
    // SAFETY: the caller upholds this.
    [unsafe { machine::global_read(at) }]
}

/// # Safety
/// `at` is valid for a write.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
unsafe fn write_one<R: Copy>(at: *mut R, [value]: [R; 1]) {
    // SAFETY: the caller upholds this.
    unsafe { machine::global_write(at, value) }
}

/// A 32-bit counter in global memory.
#[derive(Clone, Copy, Debug)]
pub struct AtomicU32(*mut u32);

impl AtomicU32 {
    /// Adds `value` and returns the old value; acquires and releases for the whole GPU.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn add_acq_rel(&self, value: u32) -> u32 {
        // SAFETY: made only by `View::atomic_u32`, which checks the place.
        unsafe { machine::add_acq_rel_u32(self.0, value) }
    }
}

/// A 64-bit counter in global memory.
#[derive(Clone, Copy, Debug)]
pub struct AtomicU64(*mut u64);

impl AtomicU64 {
    /// Adds `value`; orders nothing.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn add_relaxed(&self, value: u64) {
        // SAFETY: made only by `View::atomic_u64`, which checks the place.
        unsafe { machine::add_relaxed_u64(self.0, value) }
    }
}
