//! Bulk copies between global and shared memory, which the copy engine makes; of compute capability 9.0 and later.
//!
//! Its accesses are ordered to those of threads by barriers that count bytes, by groups of copies, and by
//! [`show_to_copies`] alone.

use core::arch::asm;

/// Tells the cutter that the entry that this is inlined into needs bulk copies.
#[inline(always)]
pub(crate) fn needs_bulk_copies() {
    // SAFETY: a comment.
    unsafe { asm!("// warpswarm.target sm_90", options(nomem, nostack, preserves_flags)) }
}

/// Makes the 8 bytes at `at` a barrier at which one thread arrives; the copy engine sees it after.
///
/// # Safety
/// `at` is the [address](super::shared_address) of a multiple of 8 that, with the 8 bytes after it, is below the launch's
/// shared bytes; nobody uses them otherwise.
#[inline(always)]
pub(crate) unsafe fn byte_barrier_init(at: u32) {
    // SAFETY: the caller's.
    unsafe {
        asm!("mbarrier.init.shared::cta.b64 [{at}], 1;", "fence.mbarrier_init.release.cluster;",
            at = in(reg32) at, options(nostack, preserves_flags));
    }
}

/// Arrives, and has the phase end when so many bytes have come.
///
/// # Safety
/// `at` is a barrier.
#[inline(always)]
pub(crate) unsafe fn byte_barrier_expect(at: u32, bytes: u32) {
    // SAFETY: the caller's.
    unsafe {
        asm!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [{at}], {bytes};", at = in(reg32) at,
            bytes = in(reg32) bytes, options(nostack, preserves_flags));
    }
}

/// Waits until the phase of this parity has ended; a warp together.
///
/// # Safety
/// `at` is a barrier.
#[inline(always)]
pub(crate) unsafe fn byte_barrier_wait(at: u32, parity: u32) {
    let mut ended = 0_u32;
    while ended == 0 {
        // SAFETY: the caller's.
        unsafe {
            asm!("{{", ".reg .pred ended;",
                "mbarrier.try_wait.parity.shared::cta.b64 ended, [{at}], {parity};",
                "selp.u32 {ended}, 1, 0, ended;", "}}",
                at = in(reg32) at, parity = in(reg32) parity,
                ended = out(reg32) ended, options(nostack, preserves_flags));
        }
    }
    super::sync_warp();
}

/// Copies to shared memory; the barrier counts the bytes.
///
/// # Safety
/// `from` is valid for a read of so many bytes in global memory, `to` is an address in shared memory with as many behind
/// it; all three are multiples of 16. `barrier` is one.
#[inline(always)]
pub(crate) unsafe fn bulk_copy_in(to: u32, from: *const u8, bytes: u32, barrier: u32) {
    // SAFETY: the caller's.
    unsafe {
        asm!("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{from}], {bytes}, [{barrier}];",
            to = in(reg32) to, from = in(reg64) from, bytes = in(reg32) bytes,
            barrier = in(reg32) barrier, options(nostack, preserves_flags));
    }
}

/// Copies from shared memory, in the group that the thread commits next.
///
/// # Safety
/// `to` is valid for a write of so many bytes in global memory, `from` is an address in shared memory with as many behind
/// it; all three are multiples of 16.
#[inline(always)]
pub(crate) unsafe fn bulk_copy_out(to: *mut u8, from: u32, bytes: u32) {
    // SAFETY: the caller's.
    unsafe {
        asm!("cp.async.bulk.global.shared::cta.bulk_group [{to}], [{from}], {bytes};",
            to = in(reg64) to, from = in(reg32) from, bytes = in(reg32) bytes,
            options(nostack, preserves_flags));
    }
}

/// What the thread has written to shared memory is seen by copies that are begun later.
#[inline(always)]
pub(crate) fn show_to_copies() {
    // SAFETY: a fence has no preconditions.
    unsafe { asm!("fence.proxy.async.shared::cta;", options(nostack, preserves_flags)) }
}

/// Ends a group of the thread's copies out, and waits until they have read what they copy.
#[inline(always)]
pub(crate) fn bulk_copies_have_read() {
    // SAFETY: neither has preconditions.
    unsafe {
        asm!(
            "cp.async.bulk.commit_group;",
            "cp.async.bulk.wait_group.read 0;",
            options(nostack, preserves_flags)
        );
    }
}

/// Waits until all groups of the thread's copies out have written.
#[inline(always)]
pub(crate) fn bulk_copies_have_written() {
    // SAFETY: waiting has no preconditions.
    unsafe { asm!("cp.async.bulk.wait_group 0;", options(nostack, preserves_flags)) }
}
