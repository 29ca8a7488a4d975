//! Shared memory.

use core::panic::Location;

use super::super::collective::{Doing, Kind, Stop};
use super::super::context::launch;
use super::super::state::Identity;
use super::{fail, stored};

/// Addresses in shared memory are offsets.
#[inline(always)]
pub(crate) fn shared_address(offset: u32) -> u32 {
    offset
}

/// A separate memory of the block, of the same size, so that both kinds of access can be checked.
#[inline(never)]
#[track_caller]
pub(crate) fn near_address(offset: u32) -> u64 {
    let place = Location::caller();
    launch().shared(place, ("looks for", offset, 1), |shared, _| shared.near_address(offset))
}

/// # Safety
/// None is needed here: a bad offset is a fault.
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn shared_read_u32(offset: u32) -> u32 {
    let place = Location::caller();
    let launch = launch();
    launch.shared(place, ("reads", offset, 4), |shared, by| shared.read_u32(offset, by))
}

/// # Safety
/// As [`shared_read_u32`].
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn shared_read_u64(offset: u32) -> u64 {
    let place = Location::caller();
    let launch = launch();
    launch.shared(place, ("reads", offset, 8), |shared, by| shared.read_u64(offset, by))
}

/// # Safety
/// As [`shared_read_u32`].
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn shared_write_u32(offset: u32, value: u32) {
    let place = Location::caller();
    let launch = launch();
    let access = ("writes", offset, 4);
    launch.shared(place, access, |shared, by| shared.write_u32(offset, value, by));
}

/// # Safety
/// As [`shared_read_u32`].
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn shared_write_u64(offset: u32, value: u64) {
    let place = Location::caller();
    let launch = launch();
    let access = ("writes", offset, 8);
    launch.shared(place, access, |shared, by| shared.write_u64(offset, value, by));
}

/// # Safety
/// `offset` is a multiple of 16 and, with the 16 bytes after it, below the launch's shared bytes.
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn shared_read_4x32(offset: u32) -> [u32; 4] {
    // SAFETY: the caller upholds this.
    unsafe {
        let [a, b] = shared_read_2x64(offset);
        [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
    }
}

/// # Safety
/// As [`shared_read_4x32`].
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn shared_write_4x32(offset: u32, [a, b, c, d]: [u32; 4]) {
    let both = |low, high| u64::from(low) | u64::from(high) << 32;
    // SAFETY: the caller upholds this.
    unsafe { shared_write_2x64(offset, [both(a, b), both(c, d)]) }
}

/// # Safety
/// As [`shared_read_4x32`].
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn shared_read_2x64(offset: u32) -> [u64; 2] {
    check_vector(offset);
    // SAFETY: the caller upholds this.
    unsafe { [shared_read_u64(offset), shared_read_u64(offset + 8)] }
}

/// # Safety
/// As [`shared_read_4x32`].
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn shared_write_2x64(offset: u32, [a, b]: [u64; 2]) {
    check_vector(offset);
    // SAFETY: the caller upholds this.
    unsafe {
        shared_write_u64(offset, a);
        shared_write_u64(offset + 8, b);
    }
}

/// Fails where a GPU would: for a vector in shared memory that is not aligned.
#[track_caller]
fn check_vector(offset: u32) {
    if !offset.is_multiple_of(16) {
        fail("a vector in shared memory does not begin at a multiple of 16 bytes");
    }
}

#[inline(never)]
#[track_caller]
pub(crate) fn sync_cluster() {
    let stop = Stop::new(Kind::Cluster, Location::caller());
    let launch = launch();
    launch.state.borrow_mut().arrive_in_cluster(launch.current.get(), stop);
    launch.switch();
}

/// The calling thread, as if it belonged to block `rank` of the cluster.
#[track_caller]
fn neighbour(rank: u32) -> Identity {
    let launch = launch();
    if rank >= launch.config.cluster {
        fail("a block reached for a block outside of its cluster");
    }
    let threads = launch.config.block as usize;
    let has_left = launch.state.borrow().threads[rank as usize * threads..][..threads]
        .iter()
        .all(|thread| matches!(thread.doing, Doing::Left));
    if has_left {
        fail("a block reached for the memory of a block that has ended");
    }
    Identity { member: rank, ..launch.current.get() }
}

/// # Safety
/// As [`shared_read_u32`].
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn near_store_u64(rank: u32, offset: u32, value: u64) {
    let (place, there) = (Location::caller(), neighbour(rank));
    stored(launch());
    let access = ("writes", offset, 8);
    launch().shared_of(there, place, access, |shared, _| shared.store_u64(offset, value));
}

/// # Safety
/// As [`shared_read_u32`].
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn near_load_u64(rank: u32, offset: u32) -> u64 {
    let (place, there) = (Location::caller(), neighbour(rank));
    launch().maybe_switch();
    let access = ("reads", offset, 8);
    launch().shared_of(there, place, access, |shared, _| shared.load_u64(offset))
}

/// # Safety
/// As [`shared_read_u32`].
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn own_store_u64(offset: u32, value: u64) {
    let place = Location::caller();
    stored(launch());
    let access = ("writes", offset, 8);
    launch().shared(place, access, |shared, _| shared.store_u64(offset, value));
}

/// # Safety
/// As [`shared_read_u32`].
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn own_load_u64(offset: u32) -> u64 {
    let place = Location::caller();
    launch().maybe_switch();
    launch().shared(place, ("reads", offset, 8), |shared, _| shared.load_u64(offset))
}

// Threads of a block use it as those of a cluster do.
pub(crate) use self::{own_load_u64 as block_load_u64, own_store_u64 as block_store_u64};
