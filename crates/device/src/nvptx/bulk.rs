//! Bulk copies between global and shared memory, done by the copy engine; for compute capability 9.0 and later.
//!
//! Only barriers that count bytes, groups of copies, and [`show_to_copies`] order its accesses with those of threads.

use core::arch::asm;

/// Tells the cutter that the entry into which this is inlined needs bulk copies.
#[inline(always)]
pub(crate) fn needs_bulk_copies() {
    // SAFETY: only a comment.
    unsafe { asm!("// warpswarm.target sm_90", options(nomem, nostack, preserves_flags)) }
}

/// Initialises the 8 bytes at `at` as a barrier at which one thread arrives; the copy engine sees it afterwards.
///
/// # Safety
/// `at` is the [address](super::shared_address) of a multiple of 8 that, with the 8 bytes after it, is below the
/// launch's shared bytes; nothing else uses them.
#[inline(always)]
pub(crate) unsafe fn byte_barrier_init(at: u32) {
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("mbarrier.init.shared::cta.b64 [{at}], 1;", "fence.mbarrier_init.release.cluster;",
            at = in(reg32) at, options(nostack, preserves_flags));
    }
}

/// Arrives at the barrier; the phase ends when `bytes` bytes have arrived.
///
/// # Safety
/// `at` is a barrier.
#[inline(always)]
pub(crate) unsafe fn byte_barrier_expect(at: u32, bytes: u32) {
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [{at}], {bytes};", at = in(reg32) at,
            bytes = in(reg32) bytes, options(nostack, preserves_flags));
    }
}

/// Waits until the phase of this parity has ended; by all lanes of a warp together.
///
/// # Safety
/// `at` is a barrier.
#[inline(always)]
pub(crate) unsafe fn byte_barrier_wait(at: u32, parity: u32) {
    let mut ended = 0_u32;
    while ended == 0 {
        // SAFETY: the caller upholds this.
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
/// `from` is valid for a read of `bytes` bytes in global memory, `to` is an address in shared memory with as many after
/// it; all three are multiples of 16. `barrier` is a barrier.
#[inline(always)]
pub(crate) unsafe fn bulk_copy_in(to: u32, from: *const u8, bytes: u32, barrier: u32) {
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{from}], {bytes}, [{barrier}];",
            to = in(reg32) to, from = in(reg64) from, bytes = in(reg32) bytes,
            barrier = in(reg32) barrier, options(nostack, preserves_flags));
    }
}

/// Copies from shared memory, in the group that the thread commits next.
///
/// # Safety
/// `to` is valid for a write of `bytes` bytes in global memory, `from` is an address in shared memory with as many
/// after it; all three are multiples of 16.
#[inline(always)]
pub(crate) unsafe fn bulk_copy_out(to: *mut u8, from: u32, bytes: u32) {
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("cp.async.bulk.global.shared::cta.bulk_group [{to}], [{from}], {bytes};",
            to = in(reg64) to, from = in(reg32) from, bytes = in(reg32) bytes,
            options(nostack, preserves_flags));
    }
}

/// Makes what the thread has written to shared memory visible to copies that are started later.
#[inline(always)]
pub(crate) fn show_to_copies() {
    // SAFETY: a fence has no preconditions.
    unsafe { asm!("fence.proxy.async.shared::cta;", options(nostack, preserves_flags)) }
}

/// Ends a group of the thread's copies out, and waits until they have read their source.
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

/// Waits until all groups of the thread's copies out have been written.
#[inline(always)]
pub(crate) fn bulk_copies_have_written() {
    // SAFETY: waiting has no preconditions.
    unsafe { asm!("cp.async.bulk.wait_group 0;", options(nostack, preserves_flags)) }
}
