//! Global memory.

use core::mem::MaybeUninit;
use core::panic::Location;
use core::slice;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::super::context::{Launch, launch};
use super::super::fault::FaultKind;
use super::out_of_bounds;
use crate::thread;

/// The address of element `i`, of `bytes` bytes, in an array. Fails if the array has fewer than `count` elements from
/// there on.
#[inline(never)]
#[track_caller]
pub(crate) fn place(
    (start, len): (*mut u8, usize),
    (i, count): (usize, usize),
    bytes: usize,
) -> *mut u8 {
    if i >= len || len - i < count {
        out_of_bounds("a view", (i, count), len);
    }
    start.wrapping_add(i * bytes)
}

/// Reads global memory. If nothing orders the read after another thread's write, the result on a GPU is undefined. Here
/// it is a number that spoils every result computed from it: for half of the threads NaN, which loses against all
/// numbers, for the others the least number or nearly so, which beats all. Lanes may read what they do not use.
///
/// # Safety
/// `at` is valid for a read, or null. A `T` is made of numbers.
#[inline(never)]
#[track_caller]
unsafe fn read<T: Copy>(at: *const T, align: usize) -> T {
    // In either precision; two of them are a number of eight bytes.
    const SPOILT: [u32; 2] = [0x7FF7_7FF7, 0xFF80_0000];
    check_address(at.addr(), align);
    if launch().can_read(Location::caller(), (at.addr(), size_of::<T>())) {
        // SAFETY: the caller upholds this; the address is neither null nor misaligned.
        return unsafe { at.read() };
    }
    let word = SPOILT[thread::index() as usize % 2];
    let mut spoilt = MaybeUninit::<T>::uninit();
    let bytes = spoilt.as_mut_ptr().cast::<u8>();
    for i in 0..size_of::<T>() {
        // SAFETY: a byte of the value, which is made of numbers: all bit patterns are valid.
        unsafe { bytes.add(i).write(word.to_le_bytes()[i % 4]) };
    }
    // SAFETY: all bytes were written.
    unsafe { spoilt.assume_init() }
}

/// Writes global memory. Fails where a GPU would, and if nothing orders the write after another thread's write. A write
/// that changes nothing does not count, because no thread can notice it.
///
/// # Safety
/// `at` is valid for a write, or null, and has been written. A `T` is made of numbers, with nothing between them.
#[inline(never)]
#[track_caller]
unsafe fn write<T: Copy>(at: *mut T, align: usize, value: T) {
    check_address(at.addr(), align);
    let bytes = size_of::<T>();
    // SAFETY: the caller upholds this; the address is neither null nor misaligned.
    let same = unsafe {
        let (old, new) = (at.cast::<u8>(), (&raw const value).cast::<u8>());
        slice::from_raw_parts(old, bytes) == slice::from_raw_parts(new, bytes)
    };
    if !same {
        launch().write(Location::caller(), (at.addr(), bytes));
        // SAFETY: as above.
        unsafe { at.write(value) }
    }
}

/// Fails where a GPU would: for an absent array, or an address that is not a multiple of `align`.
#[inline(always)]
#[track_caller]
fn check_address(address: usize, align: usize) {
    if address < 4096 || !address.is_multiple_of(align) {
        bad_address(address, align);
    }
}

#[cold]
#[track_caller]
fn bad_address(address: usize, align: usize) -> ! {
    let place = Location::caller();
    let (kind, message) = if address < 4096 {
        (FaultKind::OutOfBounds, format!("address {address:#x}: the array is not there"))
    } else {
        (FaultKind::Misaligned, format!("address {address:#x} is not a multiple of {align}"))
    };
    launch().fail(kind, place, message)
}

/// # Safety
/// `at` is valid for a read of a `T`, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn global_read<T: Copy>(at: *const T) -> T {
    // SAFETY: the caller upholds this.
    unsafe { read(at, align_of::<T>()) }
}

/// # Safety
/// `at` is valid for a write of a `T`, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn global_write<T: Copy>(at: *mut T, value: T) {
    // SAFETY: the caller upholds this.
    unsafe { write(at, align_of::<T>(), value) }
}

/// # Safety
/// `at` is valid for a read of 16 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_read_4x32(at: *const u32) -> [u32; 4] {
    // SAFETY: the caller upholds this.
    unsafe { read(at.cast::<[u32; 4]>(), 16) }
}

// The emulator has no caches.
pub(crate) use self::{
    stream_read_2x64 as global_read_2x64, stream_read_4x32 as global_read_4x32,
    stream_write_2x64 as global_write_2x64, stream_write_4x32 as global_write_4x32,
};

/// # Safety
/// `at` is valid for a read of 8 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn constant_read_u64(at: *const u64) -> u64 {
    // SAFETY: the caller upholds this.
    unsafe { global_read(at) }
}

/// # Safety
/// `at` is valid for a read of 4 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn constant_read_u32(at: *const u32) -> u32 {
    // SAFETY: the caller upholds this.
    unsafe { global_read(at) }
}

/// # Safety
/// `at` is valid for a read of 8 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_read_2x32(at: *const u32) -> [u32; 2] {
    // SAFETY: the caller upholds this.
    unsafe { read(at.cast::<[u32; 2]>(), 8) }
}

/// # Safety
/// `at` is valid for a write of 8 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_write_2x32(at: *mut u32, words: [u32; 2]) {
    // SAFETY: the caller upholds this.
    unsafe { write(at.cast::<[u32; 2]>(), 8, words) }
}

/// # Safety
/// As [`stream_read_4x32`].
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_read_2x64(at: *const u64) -> [u64; 2] {
    // SAFETY: the caller upholds this.
    unsafe { read(at.cast::<[u64; 2]>(), 16) }
}

/// # Safety
/// `at` is valid for a write of 16 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_write_4x32(at: *mut u32, values: [u32; 4]) {
    // SAFETY: the caller upholds this.
    unsafe { write(at.cast::<[u32; 4]>(), 16, values) }
}

/// # Safety
/// As [`stream_write_4x32`].
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_write_2x64(at: *mut u64, values: [u64; 2]) {
    // SAFETY: the caller upholds this.
    unsafe { write(at.cast::<[u64; 2]>(), 16, values) }
}

/// The emulator has no caches.
#[inline(always)]
pub(crate) fn prefetch<T>(_at: *const T) {}

/// # Safety
/// `at` is valid for a read of 8 bytes, or null.
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn load_relaxed_u64(at: *const u64) -> u64 {
    launch().maybe_switch();
    // SAFETY: the caller upholds this. One operating-system thread runs all threads of a launch: no other thread writes
    // meanwhile.
    unsafe { read(at, 8) }
}

/// # Safety
/// `at` is valid for a read of 4 bytes, or null.
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn load_relaxed_u32(at: *const u32) -> u32 {
    launch().maybe_switch();
    // SAFETY: the caller upholds this. One operating-system thread runs all threads of a launch: no other thread writes
    // meanwhile.
    unsafe { read(at, 4) }
}

/// Records that other threads may now see what they wait for.
pub(super) fn stored(launch: &Launch) {
    launch.state.borrow_mut().stored = true;
    launch.maybe_switch();
}

/// # Safety
/// `at` is valid for a write of 8 bytes, or null.
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn store_relaxed_u64(at: *mut u64, value: u64) {
    check_address(at.addr(), 8);
    stored(launch());
    // SAFETY: the caller upholds this; the address is neither null nor misaligned.
    unsafe { AtomicU64::from_ptr(at) }.store(value, Ordering::Relaxed);
}

// There is no other device and no host that reads.
pub(crate) use self::store_relaxed_u64 as store_system_u64;

#[inline(never)]
#[track_caller]
pub(crate) fn fence() {
    let launch = launch();
    launch.state.borrow_mut().fence(launch.current.get(), Location::caller());
    core::sync::atomic::fence(Ordering::AcqRel);
}

/// # Safety
/// `at` is valid for an update of 4 bytes, or null.
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn add_acq_rel_u32(at: *mut u32, value: u32) -> u32 {
    check_address(at.addr(), 4);
    stored(launch());
    fence();
    // SAFETY: the caller upholds this; the address is neither null nor misaligned.
    unsafe { AtomicU32::from_ptr(at) }.fetch_add(value, Ordering::AcqRel)
}

/// # Safety
/// `at` is valid for an update of 8 bytes, or null.
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn add_relaxed_u64(at: *mut u64, value: u64) {
    check_address(at.addr(), 8);
    stored(launch());
    // SAFETY: the caller upholds this; the address is neither null nor misaligned.
    unsafe { AtomicU64::from_ptr(at) }.fetch_add(value, Ordering::Relaxed);
}
