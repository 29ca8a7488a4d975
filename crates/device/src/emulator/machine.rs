//! The machine's instructions, emulated: twins of those in `nvptx`.
//!
//! A thread runs until it comes to a collective operation or says that it spins; then the
//! [scheduler](super::schedule) lets another one run.

use core::panic::Location;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::cell::{Cell, RefCell};

use corosensei::Yielder;

use super::collective::{Doing, Kind, Stop};
use super::fault::{Fault, FaultKind};
use super::memory::{Access, Misuse, SharedMemory};
use super::state::{Identity, State};
use super::{Entry, LaunchConfig};

/// The launch that an operating-system thread is in.
pub(super) struct Launch {
    pub(super) entry: Entry,
    pub(super) config: LaunchConfig,
    pub(super) argument: *const u8,
    /// The thread that runs.
    pub(super) current: Cell<Identity>,
    /// Whether a thread runs, not the scheduler.
    pub(super) running: Cell<bool>,
    /// Never borrowed across a switch.
    pub(super) state: RefCell<State>,
}

thread_local! {
    static LAUNCH: Cell<*const Launch> = const { Cell::new(core::ptr::null()) };
}

/// Calls `run` with `launch` as the one that this operating-system thread is in.
pub(super) fn enter(launch: &Launch, run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            LAUNCH.set(core::ptr::null());
        }
    }
    LAUNCH.set(launch);
    let _leave = Leave;
    run()
}

/// Whether this operating-system thread is in a launch.
pub(super) fn in_launch() -> bool {
    !LAUNCH.get().is_null()
}

/// Whether this operating-system thread is in a kernel's code.
pub(super) fn in_kernel() -> bool {
    // SAFETY: as in `launch`.
    unsafe { LAUNCH.get().as_ref() }.is_some_and(|launch| launch.running.get())
}

/// The launch that the calling kernel is in. Not kept by anybody beyond a device function.
#[inline(always)]
fn launch<'a>() -> &'a Launch {
    // SAFETY: the pointer is null, or `enter` has set it to a launch that it borrows until it sets
    // it to null again; the launch's threads, which make all calls of device functions, end before.
    match unsafe { LAUNCH.get().as_ref() } {
        Some(launch) => launch,
        None => outside(),
    }
}

#[cold]
fn outside() -> ! {
    panic!("a device function was called outside of a kernel")
}

/// The whole life of a thread.
pub(super) fn start(yielder: &Yielder<(), ()>) {
    let launch = launch();
    let me = Identity { yielder, ..launch.current.get() };
    launch.current.set(me);
    launch.state.borrow_mut().threads[me.slot as usize].identity = me;
    // SAFETY: `launch`'s caller vouches for the argument, whose length it has checked.
    unsafe { launch.entry.call(launch.argument) }
}

impl Launch {
    /// Lets others run.
    #[inline(always)]
    fn switch(&self) {
        let yielder = self.current.get().yielder;
        // SAFETY: only a running thread gets here; `start` has stored its yielder, which lives on
        // its stack until the thread ends.
        unsafe { (*yielder).suspend(()) }
    }

    /// Ends the launch; the thread is never resumed but to be dropped.
    #[cold]
    fn stop(&self) -> ! {
        self.switch();
        unreachable!("a thread was resumed after a fault")
    }

    #[cold]
    fn fail(&self, kind: FaultKind, place: &'static Location<'static>, message: String) -> ! {
        self.state.borrow_mut().fail(self.current.get(), kind, Some(place.into()), message);
        self.stop()
    }

    /// Under a shuffled launch, sometimes lets others run between two accesses to global memory.
    #[inline(always)]
    fn maybe_switch(&self) {
        if self.config.shuffle_seed.is_some() {
            self.switch_at_random();
        }
    }

    #[cold]
    fn switch_at_random(&self) {
        let mut state = self.state.borrow_mut();
        let switches = state.shuffle.as_mut().is_some_and(|shuffle| shuffle.below(4) == 0);
        if switches {
            let slot = self.current.get().slot;
            state.threads[slot as usize].doing = Doing::Runs(None);
            state.ready.push(slot);
            drop(state);
            self.switch();
        }
    }

    /// Waits for all lanes at a collective operation of the warp; gives the set in which the lanes'
    /// values are then.
    #[inline(always)]
    fn in_warp(&self, stop: Stop, value: u32) -> usize {
        let parity = self.state.borrow_mut().arrive_in_warp(self.current.get(), stop, value);
        self.switch();
        parity
    }

    #[inline(always)]
    fn of_lane(&self, parity: usize, lane: u32) -> u32 {
        self.state.borrow().warp(self.current.get()).value(parity, lane)
    }

    #[inline(always)]
    fn reduced(&self) -> u32 {
        self.state.borrow().warp(self.current.get()).reduced()
    }

    #[inline(always)]
    fn shared<T>(
        &self,
        place: &'static Location<'static>,
        access: (&str, u32, u32),
        work: impl FnOnce(&mut SharedMemory, Access) -> Result<T, Misuse>,
    ) -> T {
        let done = self.state.borrow_mut().with_shared(self.current.get(), place, access, work);
        match done {
            Some(value) => value,
            None => self.stop(),
        }
    }
}

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

/// # Safety
/// None is needed here: a bad offset is a fault.
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_read_u32(offset: u32) -> u32 {
    let place = Location::caller();
    let launch = launch();
    launch.shared(place, ("reads", offset, 4), |shared, by| shared.read_u32(offset, by))
}

/// # Safety
/// As [`shared_read_u32`].
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_read_u64(offset: u32) -> u64 {
    let place = Location::caller();
    let launch = launch();
    launch.shared(place, ("reads", offset, 8), |shared, by| shared.read_u64(offset, by))
}

/// # Safety
/// As [`shared_read_u32`].
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_write_u32(offset: u32, value: u32) {
    let place = Location::caller();
    let launch = launch();
    let access = ("writes", offset, 4);
    launch.shared(place, access, |shared, by| shared.write_u32(offset, value, by));
}

/// # Safety
/// As [`shared_read_u32`].
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_write_u64(offset: u32, value: u64) {
    let place = Location::caller();
    let launch = launch();
    let access = ("writes", offset, 8);
    launch.shared(place, access, |shared, by| shared.write_u64(offset, value, by));
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
pub(crate) unsafe fn store_release_u64(at: *mut u64, value: u64) {
    check_address(at.addr(), 8);
    stored(launch());
    // SAFETY: the caller's; neither null nor misaligned.
    unsafe { AtomicU64::from_ptr(at) }.store(value, Ordering::Release);
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

/// The value itself; the emulator has nothing to hide.
#[inline]
pub(crate) fn opaque(value: u32) -> u32 {
    value
}
