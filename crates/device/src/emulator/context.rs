//! The launch of an operating-system thread, as its emulated threads see it.

use core::panic::Location;
use std::cell::{Cell, RefCell};

use super::collective::{Doing, Stop};
use super::fault::{Fault, FaultKind};
use super::fibre::Yielder;
use super::memory::{Access, Misuse, SharedMemory};
use super::state::{Identity, State};
use super::{Entry, LaunchConfig, Linkable};

/// The launch that an operating-system thread is executing.
pub(super) struct Launch {
    pub(super) entry: Entry,
    /// The objective that the kernel is linked with, and its bytes.
    pub(super) objective: Option<(Linkable, *const u8)>,
    pub(super) config: LaunchConfig,
    pub(super) argument: *const u8,
    /// The emulated thread that is running.
    pub(super) current: Cell<Identity>,
    /// Whether an emulated thread is running, and not the scheduler.
    pub(super) running: Cell<bool>,
    /// Never borrowed across a switch.
    pub(super) state: RefCell<State>,
}

thread_local! {
    static LAUNCH: Cell<*const Launch> = const { Cell::new(core::ptr::null()) };
}

/// Calls `run` with `launch` as the launch of this operating-system thread.
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

/// A launch for another operating-system thread, which runs only while this one waits for it.
#[cfg(miri)]
#[derive(Clone, Copy)]
pub(super) struct Current(*const Launch);

// SAFETY: the two threads never run at the same time, and the launch outlives the other thread.
#[cfg(miri)]
unsafe impl Send for Current {}

/// The launch of this operating-system thread.
#[cfg(miri)]
pub(super) fn current() -> Current {
    Current(LAUNCH.get())
}

/// Makes it the launch of this operating-system thread.
#[cfg(miri)]
pub(super) fn adopt(launch: Current) {
    LAUNCH.set(launch.0);
}

/// Whether this operating-system thread is executing a launch.
pub(super) fn in_launch() -> bool {
    !LAUNCH.get().is_null()
}

/// Whether this operating-system thread is executing a kernel's code.
pub(super) fn in_kernel() -> bool {
    // SAFETY: as in `launch`.
    unsafe { LAUNCH.get().as_ref() }.is_some_and(|launch| launch.running.get())
}

/// The launch of the calling kernel. No caller keeps it beyond a device function.
#[inline(always)]
pub(super) fn launch<'a>() -> &'a Launch {
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

/// Executes an emulated thread from beginning to end.
pub(super) fn start(yielder: &Yielder<(), ()>) {
    let launch = launch();
    let me = Identity { yielder, ..launch.current.get() };
    launch.current.set(me);
    launch.state.borrow_mut().threads[me.slot as usize].identity = me;
    // SAFETY: `launch`'s caller guarantees the argument, whose length has been checked.
    unsafe { launch.entry.call(launch.argument) }
}

impl Launch {
    /// Lets other threads run.
    #[inline(always)]
    pub(super) fn switch(&self) {
        let yielder = self.current.get().yielder;
        // SAFETY: only a running thread gets here; `start` has stored its yielder, which lives on
        // its stack until the thread ends.
        unsafe { (*yielder).suspend(()) }
    }

    /// Ends the launch. The thread is resumed only to be dropped.
    #[cold]
    fn stop(&self) -> ! {
        self.switch();
        unreachable!("a thread was resumed after a fault")
    }

    #[cold]
    pub(super) fn fail(
        &self,
        kind: FaultKind,
        place: &'static Location<'static>,
        message: String,
    ) -> ! {
        self.state.borrow_mut().fail(self.current.get(), kind, Some(place.into()), message);
        self.stop()
    }

    /// In a shuffled launch, sometimes lets other threads run between two accesses to global memory.
    #[inline(always)]
    pub(super) fn maybe_switch(&self) {
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

    /// Waits for all lanes at a collective operation of the warp. Returns the set in which the lanes' values are.
    #[inline(always)]
    pub(super) fn in_warp(&self, stop: Stop, value: u32) -> usize {
        let parity = self.state.borrow_mut().arrive_in_warp(self.current.get(), stop, value);
        self.switch();
        parity
    }

    #[inline(always)]
    pub(super) fn of_lane(&self, parity: usize, lane: u32) -> u32 {
        self.state.borrow().warp(self.current.get()).value(parity, lane)
    }

    #[inline(always)]
    pub(super) fn reduced(&self) -> u32 {
        self.state.borrow().warp(self.current.get()).reduced()
    }

    #[inline(always)]
    pub(super) fn shared<T>(
        &self,
        place: &'static Location<'static>,
        access: (&str, u32, u32),
        work: impl FnOnce(&mut SharedMemory, Access) -> Result<T, Misuse>,
    ) -> T {
        self.shared_of(self.current.get(), place, access, work)
    }

    /// Whether every write to some bytes of global memory is ordered before a read by the running thread.
    #[inline(never)]
    pub(super) fn can_read(
        &self,
        place: &'static Location<'static>,
        bytes: (usize, usize),
    ) -> bool {
        self.state.borrow().write_before(self.current.get(), place, bytes).is_none()
    }

    /// Records that the thread writes some bytes of global memory.
    #[inline(never)]
    pub(super) fn write(&self, place: &'static Location<'static>, bytes: (usize, usize)) {
        if !self.state.borrow_mut().write(self.current.get(), place, bytes) {
            self.stop();
        }
    }

    /// [`shared`](Launch::shared) for the block of thread `whose`.
    #[inline(always)]
    pub(super) fn shared_of<T>(
        &self,
        whose: Identity,
        place: &'static Location<'static>,
        access: (&str, u32, u32),
        work: impl FnOnce(&mut SharedMemory, Access) -> Result<T, Misuse>,
    ) -> T {
        let done = self.state.borrow_mut().with_shared(whose, place, access, work);
        match done {
            Some(value) => value,
            None => self.stop(),
        }
    }
}
