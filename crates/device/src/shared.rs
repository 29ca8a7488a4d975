//! The shared memory of a block.
//!
//! The launch sets its size. Kernels divide it into arrays at offsets that host and kernel compute by the same
//! function. Two threads may access the same place, one of them writing, only with a barrier between:
//! [`block::sync`](crate::block::sync), or [`warp::sync`](crate::warp::sync) within a warp. The emulator reports
//! violations.

use core::marker::PhantomData;

use warpswarm_core::launch::Ptr;
use warpswarm_core::order::{Candidate, Fitness};

use crate::view::{DeviceReal, View};
use crate::{machine, thread};

/// A type that shared memory can hold.
pub trait Stored: Copy {
    /// Its size in bytes.
    const BYTES: u32;
    /// Reads it.
    ///
    /// # Safety
    /// `at` is an address in the block's shared memory, in the machine's terms, aligned to the element (at most 8),
    /// which lies inside that memory.
    unsafe fn read(at: u32) -> Self;
    /// Writes it.
    ///
    /// # Safety
    /// As for [`read`](Stored::read).
    unsafe fn write(at: u32, value: Self);
}

macro_rules! stored {
    ($type:ty, $bytes:literal, $read:ident, $write:ident, $from:expr, $to:expr) => {
        impl Stored for $type {
            const BYTES: u32 = $bytes;
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            unsafe fn read(at: u32) -> Self {
                // SAFETY: the caller upholds this.
                $from(unsafe { machine::$read(at) })
            }
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            unsafe fn write(at: u32, value: Self) {
                // SAFETY: the caller upholds this.
                unsafe { machine::$write(at, $to(value)) }
            }
        }
    };
}

stored!(u32, 4, shared_read_u32, shared_write_u32, |x| x, |x| x);
stored!(u64, 8, shared_read_u64, shared_write_u64, |x| x, |x| x);
stored!(f32, 4, shared_read_u32, shared_write_u32, f32::from_bits, f32::to_bits);
stored!(f64, 8, shared_read_u64, shared_write_u64, f64::from_bits, f64::to_bits);

impl<R: DeviceReal> Stored for Candidate<R> {
    const BYTES: u32 = 2 * R::BYTES + 8;
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn read(at: u32) -> Self {
        // SAFETY: the caller upholds this; the three parts lie in the element one after the other.
        unsafe {
            let (violation, value) = (R::read(at), R::read(at + R::BYTES));
            Candidate::new(Fitness { violation, value }, u32::read(at + 2 * R::BYTES))
        }
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn write(at: u32, value: Self) {
        // SAFETY: the caller upholds this; the three parts lie in the element one after the other.
        unsafe {
            R::write(at, value.fitness.violation);
            R::write(at + R::BYTES, value.fitness.value);
            u32::write(at + 2 * R::BYTES, value.index);
        }
    }
}

/// An array in the block's shared memory.
#[derive(Debug)]
pub struct SharedArray<T> {
    /// Its start; computed once, since that takes a GPU two slow instructions.
    start: u32,
    len: u32,
    item: PhantomData<T>,
}

impl<T> Clone for SharedArray<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SharedArray<T> {}

impl<T: Stored> SharedArray<T> {
    /// The array of `len` elements that starts `offset` bytes into the block's shared memory.
    ///
    /// # Safety
    /// The host upholds that the launch gives every block at least `offset + len * T::BYTES` bytes; `offset` is a
    /// multiple of
    /// 8. Arrays with overlapping bytes are used one after the other, with a barrier between.
    #[inline(always)]
    pub unsafe fn new(offset: u32, len: u32) -> Self {
        SharedArray { start: machine::shared_address(offset), len, item: PhantomData }
    }

    /// The array of `len` elements at a [start](SharedArray::start) of another array.
    ///
    /// # Safety
    /// As [`new`](SharedArray::new).
    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    pub(crate) unsafe fn at_start(start: u32, len: u32) -> Self {
        SharedArray { start, len, item: PhantomData }
    }

    /// Its start, as the machine's address.
    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    pub(crate) fn start(&self) -> u32 {
        self.start
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub(crate) fn at(&self, i: u32) -> u32 {
        // Checked under the emulator only, as with views.
        #[cfg(not(target_arch = "nvptx64"))]
        if i >= self.len {
            machine::out_of_bounds("a shared array", (i as usize, 1), self.len as usize);
        }
        self.start + i * T::BYTES
    }

    /// Element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn get(&self, i: u32) -> T {
        // SAFETY: the place lies in the array, by the emulator's check; `new`'s caller guarantees the array.
        unsafe { T::read(self.at(i)) }
    }

    /// Sets element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn set(&self, i: u32, value: T) {
        // SAFETY: the place lies in the array, by the emulator's check; `new`'s caller guarantees the array.
        unsafe { T::write(self.at(i), value) }
    }

    /// Elements `i` and `i + 1`; they start at a multiple of the size of two.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn get2(&self, i: u32) -> [T; 2]
    where
        T: DeviceReal,
    {
        self.at(i + 1);
        // SAFETY: the places lie in the array, by the emulator's check; `new`'s caller guarantees the array.
        unsafe { T::shared_read2(self.at(i)) }
    }

    /// Sets elements `i` and `i + 1`; see [`get2`](SharedArray::get2).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn set2(&self, i: u32, values: [T; 2])
    where
        T: DeviceReal,
    {
        self.at(i + 1);
        // SAFETY: as in `get2`.
        unsafe { T::shared_write2(self.at(i), values) }
    }

    /// Elements `i` to `i + 3`; they start at a multiple of 16 bytes.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn get4(&self, i: u32) -> [T; 4]
    where
        T: DeviceReal,
    {
        self.at(i + 3);
        // SAFETY: the places lie in the array, by the emulator's check; `new`'s caller guarantees the array.
        unsafe { T::shared_read4(self.at(i)) }
    }

    /// Sets elements `i` to `i + 3`; see [`get4`](SharedArray::get4).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn set4(&self, i: u32, values: [T; 4])
    where
        T: DeviceReal,
    {
        self.at(i + 3);
        // SAFETY: as in `get4`.
        unsafe { T::shared_write4(self.at(i), values) }
    }

    /// The `len` elements from `i` on.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn part(&self, i: u32, len: u32) -> Self {
        #[cfg(not(target_arch = "nvptx64"))]
        if i > self.len || self.len - i < len {
            machine::fail("a part of a shared array lies outside it");
        }
        SharedArray { start: self.start + i * T::BYTES, len, item: PhantomData }
    }
}

/// The array of `len` elements that starts `offset` bytes into the block's shared memory, as a [`View`], for data that
/// are either in shared or in global memory. Only this block can access it.
///
/// # Safety
/// The host upholds that the launch gives every block at least that many bytes, and that no [`SharedArray`] has them;
/// `offset` is a multiple of 16.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub unsafe fn near<T: Copy>(offset: u32, len: usize) -> View<T> {
    // SAFETY: the caller upholds this.
    unsafe { View::new(Ptr::at(machine::near_address(offset)), len) }
}

impl SharedArray<u64> {
    /// Sets the first `count` elements to zero; visible after a barrier. Collective in the block.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub(crate) fn zero(&self, count: u32) {
        let mut i = thread::index();
        while i < count {
            self.set(i, 0);
            i += thread::block_dim();
        }
    }

    /// Sets element `i` of the same array of block `rank` of the cluster by a single store, in no order to other
    /// accesses; for [`see`](SharedArray::see).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub(crate) fn show(&self, rank: u32, i: u32, word: u64) {
        // SAFETY: as in `set`; all blocks of a launch have their arrays in the same place.
        unsafe { machine::near_store_u64(rank, self.at(i), word) }
    }

    /// Sets element `i` by a single store, in no order to other accesses; for [`kept`](SharedArray::kept).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub(crate) fn keep(&self, i: u32, word: u64) {
        // SAFETY: as in `set`.
        unsafe { machine::own_store_u64(self.at(i), word) }
    }

    /// Element `i` of the same array of block `rank` of the cluster, as that block has last [kept](SharedArray::keep)
    /// it.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub(crate) fn kept(&self, rank: u32, i: u32) -> u64 {
        // SAFETY: as in `show`.
        unsafe { machine::near_load_u64(rank, self.at(i)) }
    }

    /// Element `i` as a block of the cluster has last [shown](SharedArray::show) it.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub(crate) fn see(&self, i: u32) -> u64 {
        // SAFETY: as in `get`.
        unsafe { machine::own_load_u64(self.at(i)) }
    }

    /// Sets element `i` by a single store, in no order to other accesses; for [`said`](SharedArray::said).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub(crate) fn say(&self, i: u32, word: u64) {
        // SAFETY: as in `set`.
        unsafe { machine::block_store_u64(self.at(i), word) }
    }

    /// Element `i` as a thread of the block has last [said](SharedArray::say) it.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub(crate) fn said(&self, i: u32) -> u64 {
        // SAFETY: as in `get`.
        unsafe { machine::block_load_u64(self.at(i)) }
    }
}
