//! Bulk copies, done at once by the thread that starts them.
//!
//! A barrier is two words: the bytes that its phase still waits for, and the number of phases that have ended. The
//! thread that copies writes it, and a warp reads it after a warp barrier.

use core::panic::Location;

use super::super::context::launch;
use super::super::fault::FaultKind;
use super::{fail, global_read, global_write, sync_warp};
use super::{shared_read_u32, shared_write_u32};

pub(crate) fn needs_bulk_copies() {}

/// # Safety
/// None is needed here: a bad offset is a fault.
#[track_caller]
pub(crate) unsafe fn byte_barrier_init(at: u32) {
    // SAFETY: as above.
    unsafe {
        shared_write_u32(at, 0);
        shared_write_u32(at + 4, 0);
    }
}

/// # Safety
/// As [`byte_barrier_init`].
#[track_caller]
pub(crate) unsafe fn byte_barrier_expect(at: u32, bytes: u32) {
    // SAFETY: as above.
    unsafe {
        if bytes == 0 || shared_read_u32(at) != 0 {
            fail("a barrier expects no bytes, or more before the last ones came");
        }
        shared_write_u32(at, bytes);
    }
}

/// # Safety
/// As [`byte_barrier_init`].
#[track_caller]
pub(crate) unsafe fn byte_barrier_wait(at: u32, parity: u32) {
    sync_warp();
    // SAFETY: as above.
    let ended = unsafe { shared_read_u32(at + 4) };
    // As on a GPU, where the phase before the first counts as ended.
    if ended % 2 == parity % 2 {
        let message = "a warp waits for copies that nobody has begun".to_owned();
        launch().fail(FaultKind::Deadlock, Location::caller(), message);
    }
}

/// # Safety
/// `from` is valid for a read of `bytes` bytes, or null.
#[track_caller]
pub(crate) unsafe fn bulk_copy_in(to: u32, from: *const u8, bytes: u32, barrier: u32) {
    check_multiples(from.addr(), to, bytes);
    // SAFETY: the caller upholds this; other errors are faults.
    unsafe {
        let Some(left) = shared_read_u32(barrier).checked_sub(bytes) else {
            fail("a copy brings more bytes than its barrier expects")
        };
        for byte in (0..bytes).step_by(4) {
            shared_write_u32(to + byte, global_read(from.add(byte as usize).cast()));
        }
        shared_write_u32(barrier, left);
        if left == 0 {
            let ended = shared_read_u32(barrier + 4);
            shared_write_u32(barrier + 4, ended.wrapping_add(1));
        }
    }
}

/// # Safety
/// `to` is valid for a write of `bytes` bytes, or null.
#[track_caller]
pub(crate) unsafe fn bulk_copy_out(to: *mut u8, from: u32, bytes: u32) {
    check_multiples(to.addr(), from, bytes);
    for byte in (0..bytes).step_by(4) {
        // SAFETY: the caller upholds this; other errors are faults.
        unsafe { global_write(to.add(byte as usize).cast(), shared_read_u32(from + byte)) };
    }
}

/// Fails where a GPU would.
#[track_caller]
fn check_multiples(address: usize, offset: u32, bytes: u32) {
    if [address, offset as usize, bytes as usize].iter().any(|number| number % 16 != 0) {
        let message = format!(
            "a copy of {bytes} bytes between address {address:#x} and byte {offset} of shared memory: not multiples of 16"
        );
        launch().fail(FaultKind::Misaligned, Location::caller(), message);
    }
}

// Copies are done as soon as they are started, and see what threads have written.
pub(crate) fn show_to_copies() {}
pub(crate) fn bulk_copies_have_read() {}
pub(crate) fn bulk_copies_have_written() {}
