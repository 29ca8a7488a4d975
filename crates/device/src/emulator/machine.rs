//! The machine's instructions, emulated: twins of those in `nvptx`.
//!
//! A thread runs until it comes to a collective operation or says that it spins; then the
//! [scheduler](super::schedule) lets another one run.

mod bulk;
mod shared;

use core::any::TypeId;
use core::panic::Location;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::collective::{Doing, Kind, Stop};
use super::context::{Launch, launch};
use super::fault::FaultKind;
use crate::objective::Form;
use crate::view::DeviceReal;
use warpswarm_core::order::Fitness;

pub(crate) use bulk::*;
pub(crate) use shared::*;

#[inline]
pub(crate) fn thread_index() -> u32 {
    launch().current.get().thread
}

#[inline]
pub(crate) fn block_index() -> u32 {
    launch().current.get().block
}

#[inline]
pub(crate) fn block_dim() -> u32 {
    launch().config.block
}

#[inline]
pub(crate) fn grid_dim() -> u32 {
    launch().config.grid
}

#[cold]
#[track_caller]
pub(crate) fn fail(what: &'static str) -> ! {
    let place = Location::caller();
    launch().fail(FaultKind::Trap, place, what.to_owned())
}

#[inline(always)]
#[track_caller]
pub(crate) fn sync_threads() {
    let stop = Stop::new(Kind::Barrier, Location::caller());
    let launch = launch();
    launch.state.borrow_mut().arrive_in_block(launch.current.get(), stop, false);
    launch.switch();
}

#[inline(always)]
#[track_caller]
pub(crate) fn sync_threads_or(predicate: bool) -> bool {
    let stop = Stop::new(Kind::BarrierOr, Location::caller());
    let launch = launch();
    launch.state.borrow_mut().arrive_in_block(launch.current.get(), stop, predicate);
    launch.switch();
    launch.state.borrow().barrier_result(launch.current.get())
}

#[inline(always)]
#[track_caller]
pub(crate) fn sync_warp() {
    let stop = Stop::new(Kind::SyncWarp, Location::caller());
    launch().in_warp(stop, 0);
}

#[inline(always)]
#[track_caller]
pub(crate) fn any(predicate: bool) -> bool {
    let stop = Stop::new(Kind::Any, Location::caller());
    let launch = launch();
    launch.in_warp(stop, u32::from(predicate));
    launch.reduced() != 0
}

#[inline(always)]
#[track_caller]
pub(crate) fn ballot(predicate: bool) -> u32 {
    let stop = Stop::new(Kind::Ballot, Location::caller());
    let launch = launch();
    launch.in_warp(stop, u32::from(predicate));
    launch.reduced()
}

#[inline(always)]
#[track_caller]
pub(crate) fn shuffle_xor(value: u32, mask: u32) -> u32 {
    let stop = Stop::new(Kind::ShuffleXor, Location::caller());
    let launch = launch();
    let parity = launch.in_warp(stop, value);
    launch.of_lane(parity, launch.current.get().thread ^ mask)
}

#[inline(always)]
#[track_caller]
pub(crate) fn shuffle(value: u32, lane: u32) -> u32 {
    let stop = Stop::new(Kind::Shuffle, Location::caller());
    let launch = launch();
    let parity = launch.in_warp(stop, value);
    launch.of_lane(parity, lane)
}

#[inline(always)]
#[track_caller]
pub(crate) fn min(value: u32) -> u32 {
    let stop = Stop::new(Kind::Min, Location::caller());
    let launch = launch();
    launch.in_warp(stop, value);
    launch.reduced()
}

/// Fails where the GPU would: a null array, an address that is not a multiple of `align`.
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
    check_address(at.addr(), align_of::<T>());
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { at.read() }
}

/// # Safety
/// `at` is valid for a write of a `T`, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn global_write<T: Copy>(at: *mut T, value: T) {
    check_address(at.addr(), align_of::<T>());
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { at.write(value) }
}

/// # Safety
/// `at` is valid for a read of 16 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_read_4x32(at: *const u32) -> [u32; 4] {
    check_address(at.addr(), 16);
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { at.cast::<[u32; 4]>().read() }
}

// There are no caches.
pub(crate) use self::{
    stream_read_2x64 as global_read_2x64, stream_read_4x32 as global_read_4x32,
    stream_write_2x64 as global_write_2x64, stream_write_4x32 as global_write_4x32,
};

/// # Safety
/// `at` is valid for a read of 8 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn constant_read_u64(at: *const u64) -> u64 {
    // SAFETY: the caller's.
    unsafe { global_read(at) }
}

/// # Safety
/// `at` is valid for a read of 4 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn constant_read_u32(at: *const u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { global_read(at) }
}

/// # Safety
/// `at` is valid for a read of 8 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_read_2x32(at: *const u32) -> [u32; 2] {
    check_address(at.addr(), 8);
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { at.cast::<[u32; 2]>().read() }
}

/// # Safety
/// `at` is valid for a write of 8 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_write_2x32(at: *mut u32, words: [u32; 2]) {
    check_address(at.addr(), 8);
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { at.cast::<[u32; 2]>().write(words) }
}

/// # Safety
/// As [`stream_read_4x32`].
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_read_2x64(at: *const u64) -> [u64; 2] {
    check_address(at.addr(), 16);
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { at.cast::<[u64; 2]>().read() }
}

/// # Safety
/// `at` is valid for a write of 16 bytes, or null.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_write_4x32(at: *mut u32, values: [u32; 4]) {
    check_address(at.addr(), 16);
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { at.cast::<[u32; 4]>().write(values) }
}

/// # Safety
/// As [`stream_write_4x32`].
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn stream_write_2x64(at: *mut u64, values: [u64; 2]) {
    check_address(at.addr(), 16);
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { at.cast::<[u64; 2]>().write(values) }
}

/// There is no cache.
#[inline(always)]
pub(crate) fn prefetch<T>(_at: *const T) {}

/// # Safety
/// `at` is valid for a read of 8 bytes, or null.
#[inline]
#[track_caller]
pub(crate) unsafe fn load_relaxed_u64(at: *const u64) -> u64 {
    check_address(at.addr(), 8);
    launch().maybe_switch();
    // SAFETY: the caller's; neither null nor misaligned. A load writes nothing.
    unsafe { AtomicU64::from_ptr(at.cast_mut()) }.load(Ordering::Relaxed)
}

/// # Safety
/// `at` is valid for a read of 4 bytes, or null.
#[inline]
#[track_caller]
pub(crate) unsafe fn load_relaxed_u32(at: *const u32) -> u32 {
    check_address(at.addr(), 4);
    launch().maybe_switch();
    // SAFETY: the caller's; neither null nor misaligned. A load writes nothing.
    unsafe { AtomicU32::from_ptr(at.cast_mut()) }.load(Ordering::Relaxed)
}

/// Notes that others may now see what they wait for.
fn stored(launch: &Launch) {
    launch.state.borrow_mut().stored = true;
    launch.maybe_switch();
}

/// # Safety
/// `at` is valid for a write of 8 bytes, or null.
#[inline]
#[track_caller]
pub(crate) unsafe fn store_relaxed_u64(at: *mut u64, value: u64) {
    check_address(at.addr(), 8);
    stored(launch());
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { AtomicU64::from_ptr(at) }.store(value, Ordering::Relaxed);
}

#[inline]
pub(crate) fn fence() {
    core::sync::atomic::fence(Ordering::AcqRel);
}

/// # Safety
/// `at` is valid for an update of 4 bytes, or null.
#[inline]
#[track_caller]
pub(crate) unsafe fn add_acq_rel_u32(at: *mut u32, value: u32) -> u32 {
    check_address(at.addr(), 4);
    stored(launch());
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { AtomicU32::from_ptr(at) }.fetch_add(value, Ordering::AcqRel)
}

/// # Safety
/// `at` is valid for an update of 8 bytes, or null.
#[inline]
#[track_caller]
pub(crate) unsafe fn add_relaxed_u64(at: *mut u64, value: u64) {
    check_address(at.addr(), 8);
    stored(launch());
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { AtomicU64::from_ptr(at) }.fetch_add(value, Ordering::Relaxed);
}

/// Says that the thread waits for another one, and lets all others run.
#[inline(always)]
#[track_caller]
pub(crate) fn spin() {
    let place = Location::caller();
    let launch = launch();
    let slot = launch.current.get().slot;
    let mut state = launch.state.borrow_mut();
    state.threads[slot as usize].doing = Doing::Runs(Some(place));
    state.ready.push(slot);
    drop(state);
    launch.switch();
}

/// Checks that the launch keeps what the kernel was compiled for.
#[track_caller]
pub(crate) fn max_block<const THREADS: u32>() {
    let place = Location::caller();
    let launch = launch();
    let block = launch.config.block;
    if block > THREADS {
        let message =
            format!("the launch has {block} threads a block, the kernel at most {THREADS}");
        launch.fail(FaultKind::BlockTooLarge, place, message);
    }
}

/// Checks that the launch has clusters.
#[track_caller]
pub(crate) fn needs_clusters() {
    let launch = launch();
    if launch.config.cluster == 0 {
        let message = "the kernel needs clusters, and the launch has none".to_owned();
        launch.fail(FaultKind::Launch, Location::caller(), message);
    }
}

/// The value itself; the emulator has nothing to hide.
#[inline]
pub(crate) fn opaque(value: u32) -> u32 {
    value
}

/// The fitness at a point, by the objective that the launch brings.
#[track_caller]
pub(crate) fn judge<R: DeviceReal, P: Form<R>>(point: &P) -> Fitness<R> {
    let (objective, bytes) = match launch().objective {
        Some(linked) if (linked.0.form)() == TypeId::of::<(R, P)>() => linked,
        Some(_) => fail("the objective is for points of another form"),
        None => fail("the kernel is linked with no objective"),
    };
    let mut fitness = Fitness::WORST;
    // SAFETY: the types have just been compared; `launch_linked`'s caller vouches for the bytes.
    unsafe {
        (objective.judge)(bytes, (&raw const *point).cast(), (&raw mut fitness).cast());
    }
    fitness
}
