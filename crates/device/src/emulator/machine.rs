//! The machine's instructions, emulated: twins of those in `nvptx`.
//!
//! A thread runs until it reaches a collective operation or calls `spin`; then the [scheduler](super::schedule) lets
//! another thread run.
//!
//! Functions that kernels call very often are not inlined. There are some two hundred kernels, each inlined into one
//! function; inlining the emulator at every call as well would take longer to compile than all calls in tests take.

mod bulk;
mod global;
mod shared;

use core::any::TypeId;
use core::panic::Location;

use super::collective::{Doing, Kind, Stop};
use super::context::launch;
use super::fault::FaultKind;
use crate::objective::Form;
use crate::view::DeviceReal;
use warpswarm_core::order::Fitness;

pub(crate) use bulk::*;
pub(crate) use global::*;
pub(crate) use shared::*;

#[inline(never)]
pub(crate) fn thread_index() -> u32 {
    launch().current.get().thread
}

#[inline(never)]
pub(crate) fn block_index() -> u32 {
    launch().current.get().block
}

#[inline(never)]
pub(crate) fn block_dim() -> u32 {
    launch().config.block
}

#[inline(never)]
pub(crate) fn grid_dim() -> u32 {
    launch().config.grid
}

#[cold]
#[track_caller]
pub(crate) fn fail(what: impl Into<String>) -> ! {
    let place = Location::caller();
    launch().fail(FaultKind::Trap, place, what.into())
}

/// Fails because of an index beyond the end of a view or a shared array, of `len` elements.
#[cold]
#[track_caller]
pub(crate) fn out_of_bounds(of: &str, (first, count): (usize, usize), len: usize) -> ! {
    let elements = match count {
        1 => format!("element {first}"),
        _ => format!("elements {first} to {}", first.saturating_add(count - 1)),
    };
    fail(format!("an index is out of bounds: {elements} of {of} of {len}"))
}

#[inline(never)]
#[track_caller]
pub(crate) fn sync_threads() {
    let stop = Stop::new(Kind::Barrier, Location::caller());
    let launch = launch();
    launch.state.borrow_mut().arrive_in_block(launch.current.get(), stop, false);
    launch.switch();
}

#[inline(never)]
#[track_caller]
pub(crate) fn sync_threads_or(predicate: bool) -> bool {
    sync_threads_count(predicate) != 0
}

#[inline(never)]
#[track_caller]
pub(crate) fn sync_threads_count(predicate: bool) -> u32 {
    let stop = Stop::new(Kind::BarrierCount, Location::caller());
    let launch = launch();
    launch.state.borrow_mut().arrive_in_block(launch.current.get(), stop, predicate);
    launch.switch();
    launch.state.borrow().barrier_result(launch.current.get())
}

#[inline(never)]
#[track_caller]
pub(crate) fn sync_warp() {
    let stop = Stop::new(Kind::SyncWarp, Location::caller());
    launch().in_warp(stop, 0);
}

#[inline(never)]
#[track_caller]
pub(crate) fn any(predicate: bool) -> bool {
    let stop = Stop::new(Kind::Any, Location::caller());
    let launch = launch();
    launch.in_warp(stop, u32::from(predicate));
    launch.reduced() != 0
}

#[inline(never)]
#[track_caller]
pub(crate) fn ballot(predicate: bool) -> u32 {
    let stop = Stop::new(Kind::Ballot, Location::caller());
    let launch = launch();
    launch.in_warp(stop, u32::from(predicate));
    launch.reduced()
}

#[inline(never)]
#[track_caller]
pub(crate) fn shuffle_xor(value: u32, mask: u32) -> u32 {
    let stop = Stop::new(Kind::ShuffleXor, Location::caller());
    let launch = launch();
    let parity = launch.in_warp(stop, value);
    launch.of_lane(parity, launch.current.get().thread ^ mask)
}

#[inline(never)]
#[track_caller]
pub(crate) fn shuffle(value: u32, lane: u32) -> u32 {
    let stop = Stop::new(Kind::Shuffle, Location::caller());
    let launch = launch();
    let parity = launch.in_warp(stop, value);
    launch.of_lane(parity, lane)
}

#[inline(never)]
#[track_caller]
pub(crate) fn min(value: u32) -> u32 {
    let stop = Stop::new(Kind::Min, Location::caller());
    let launch = launch();
    launch.in_warp(stop, value);
    launch.reduced()
}

/// Declares that the thread waits for another one, and lets all other threads run.
#[inline(never)]
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

/// Checks that the launch has no more threads a block than the kernel was compiled for.
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

/// The value itself; the emulator hides nothing.
#[inline]
pub(crate) fn opaque(value: u32) -> u32 {
    value
}

/// The fitness at a point, by the objective of the launch.
#[track_caller]
pub(crate) fn judge<R: DeviceReal, P: Form<R>>(point: &P) -> Fitness<R> {
    let (objective, bytes) = match launch().objective {
        Some(linked) if (linked.0.form)() == TypeId::of::<(R, P)>() => linked,
        Some(_) => fail("the objective is for points of another form"),
        None => fail("the kernel is linked with no objective"),
    };
    let mut fitness = Fitness::WORST;
    // SAFETY: the types have just been compared; `launch_linked`'s caller guarantees the bytes.
    unsafe {
        (objective.judge)(bytes, (&raw const *point).cast(), (&raw mut fitness).cast());
    }
    fitness
}
