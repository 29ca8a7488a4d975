//! The machine's own instructions.
//!
//! Every function here has a twin of the same name and signature in `emulator::machine`. The rest of the crate uses one
//! or the other.

mod bulk;
mod linked;
mod model;
mod pieces;
mod shared;

use core::arch::{asm, nvptx};

pub(crate) use bulk::*;
pub(crate) use linked::*;
pub(crate) use model::*;
pub(crate) use pieces::*;
pub(crate) use shared::*;

// Collective operations use LLVM's intrinsics, which are known to be convergent: the optimiser never duplicates one
// into two branches. Inline assembly does not guarantee that.
#[allow(improper_ctypes)]
unsafe extern "C" {
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    fn shfl_bfly(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.vote.any.sync"]
    fn vote_any(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn vote_ballot(mask: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.umin"]
    fn redux_umin(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn bar_warp_sync(mask: u32);
    #[link_name = "llvm.nvvm.barrier0.or"]
    fn barrier_or(predicate: i32) -> i32;
    #[link_name = "llvm.nvvm.barrier0.popc"]
    fn barrier_count(predicate: i32) -> i32;
}

const ALL: u32 = u32::MAX;

#[inline(always)]
pub(crate) fn thread_index() -> u32 {
    // SAFETY: reading a special register has no preconditions.
    unsafe { nvptx::_thread_idx_x() as u32 }
}

#[inline(always)]
pub(crate) fn block_index() -> u32 {
    // SAFETY: reading a special register has no preconditions.
    unsafe { nvptx::_block_idx_x() as u32 }
}

#[inline(always)]
pub(crate) fn block_dim() -> u32 {
    // SAFETY: reading a special register has no preconditions.
    unsafe { nvptx::_block_dim_x() as u32 }
}

#[inline(always)]
pub(crate) fn grid_dim() -> u32 {
    // SAFETY: reading a special register has no preconditions.
    unsafe { nvptx::_grid_dim_x() as u32 }
}

/// Ends the launch with an error that the host sees.
#[cold]
#[inline(always)]
pub(crate) fn fail(_what: &'static str) -> ! {
    // SAFETY: a trap ends the launch; nothing after it runs.
    unsafe { nvptx::trap() }
}

#[inline(always)]
pub(crate) fn sync_threads() {
    // SAFETY: collective by the contract of `block`: every thread of the block arrives here.
    unsafe { nvptx::_syncthreads() }
}

#[inline(always)]
pub(crate) fn sync_threads_or(predicate: bool) -> bool {
    // SAFETY: collective by the contract of `block`.
    unsafe { barrier_or(i32::from(predicate)) != 0 }
}

#[inline(always)]
pub(crate) fn sync_threads_count(predicate: bool) -> u32 {
    // SAFETY: collective by the contract of `block`.
    unsafe { barrier_count(i32::from(predicate)) as u32 }
}

#[inline(always)]
pub(crate) fn sync_warp() {
    // SAFETY: collective by the contract of `warp`: all lanes arrive here.
    unsafe { bar_warp_sync(ALL) }
}

#[inline(always)]
pub(crate) fn any(predicate: bool) -> bool {
    // SAFETY: collective by the contract of `warp`.
    unsafe { vote_any(ALL, predicate) }
}

#[inline(always)]
pub(crate) fn ballot(predicate: bool) -> u32 {
    // SAFETY: collective by the contract of `warp`.
    unsafe { vote_ballot(ALL, predicate) }
}

#[inline(always)]
pub(crate) fn shuffle_xor(value: u32, mask: u32) -> u32 {
    // SAFETY: collective by the contract of `warp`.
    unsafe { shfl_bfly(ALL, value, mask, 31) }
}

#[inline(always)]
pub(crate) fn shuffle(value: u32, lane: u32) -> u32 {
    // SAFETY: collective by the contract of `warp`.
    unsafe { shfl_idx(ALL, value, lane, 31) }
}

#[inline(always)]
pub(crate) fn min(value: u32) -> u32 {
    // SAFETY: collective by the contract of `warp`.
    unsafe { redux_umin(value, ALL) }
}

/// # Safety
/// `at` is valid for a read of a `T` in global memory.
#[inline(always)]
pub(crate) unsafe fn global_read<T: Copy>(at: *const T) -> T {
    // SAFETY: the caller upholds this.
    unsafe { *at }
}

/// # Safety
/// `at` is valid for a write of a `T` in global memory.
#[inline(always)]
pub(crate) unsafe fn global_write<T: Copy>(at: *mut T, value: T) {
    // SAFETY: the caller upholds this.
    unsafe { *at = value }
}

/// Two neighbouring 32-bit words that are read once.
///
/// # Safety
/// `at` is valid for a read of 8 bytes in global memory and a multiple of 8.
#[inline(always)]
pub(crate) unsafe fn stream_read_2x32(at: *const u32) -> [u32; 2] {
    let (a, b): (u32, u32);
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("ld.global.cs.v2.b32 {{{a}, {b}}}, [{at}];", at = in(reg64) at,
            a = out(reg32) a, b = out(reg32) b,
            options(readonly, pure, nostack, preserves_flags));
    }
    [a, b]
}

/// # Safety
/// `at` is valid for a write of 8 bytes in global memory and a multiple of 8.
#[inline(always)]
pub(crate) unsafe fn stream_write_2x32(at: *mut u32, [a, b]: [u32; 2]) {
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("st.global.cs.v2.b32 [{at}], {{{a}, {b}}};", at = in(reg64) at,
            a = in(reg32) a, b = in(reg32) b, options(nostack, preserves_flags));
    }
}

/// Four neighbouring 32-bit words or two of 64 bits, with a cache operator.
macro_rules! sixteen_bytes {
    ($cache:literal, $read32:ident, $write32:ident, $read64:ident, $write64:ident) => {
        /// # Safety
        /// `at` is valid for a read of 16 bytes in global memory and a multiple of 16.
        #[inline(always)]
        pub(crate) unsafe fn $read32(at: *const u32) -> [u32; 4] {
            let (a, b, c, d): (u32, u32, u32, u32);
            // SAFETY: the caller upholds this.
            unsafe {
                asm!(concat!("ld.global", $cache, ".v4.b32 {{{a}, {b}, {c}, {d}}}, [{at}];"),
                    at = in(reg64) at, a = out(reg32) a, b = out(reg32) b, c = out(reg32) c,
                    d = out(reg32) d, options(readonly, pure, nostack, preserves_flags));
            }
            [a, b, c, d]
        }

        /// # Safety
        /// `at` is valid for a write of 16 bytes in global memory and a multiple of 16.
        #[inline(always)]
        pub(crate) unsafe fn $write32(at: *mut u32, [a, b, c, d]: [u32; 4]) {
            // SAFETY: the caller upholds this.
            unsafe {
                asm!(concat!("st.global", $cache, ".v4.b32 [{at}], {{{a}, {b}, {c}, {d}}};"),
                    at = in(reg64) at, a = in(reg32) a, b = in(reg32) b, c = in(reg32) c,
                    d = in(reg32) d, options(nostack, preserves_flags));
            }
        }

        /// # Safety
        /// `at` is valid for a read of 16 bytes in global memory and a multiple of 16.
        #[inline(always)]
        pub(crate) unsafe fn $read64(at: *const u64) -> [u64; 2] {
            let (a, b): (u64, u64);
            // SAFETY: the caller upholds this.
            unsafe {
                asm!(concat!("ld.global", $cache, ".v2.b64 {{{a}, {b}}}, [{at}];"),
                    at = in(reg64) at, a = out(reg64) a, b = out(reg64) b,
                    options(readonly, pure, nostack, preserves_flags));
            }
            [a, b]
        }

        /// # Safety
        /// `at` is valid for a write of 16 bytes in global memory and a multiple of 16.
        #[inline(always)]
        pub(crate) unsafe fn $write64(at: *mut u64, [a, b]: [u64; 2]) {
            // SAFETY: the caller upholds this.
            unsafe {
                asm!(concat!("st.global", $cache, ".v2.b64 [{at}], {{{a}, {b}}};"),
                    at = in(reg64) at, a = in(reg64) a, b = in(reg64) b,
                    options(nostack, preserves_flags));
            }
        }
    };
}

sixteen_bytes!("", global_read_4x32, global_write_4x32, global_read_2x64, global_write_2x64);
// Read or written once: they are not kept in the caches.
sixteen_bytes!(".cs", stream_read_4x32, stream_write_4x32, stream_read_2x64, stream_write_2x64);

/// Loads the cache line at an address into the L2 cache.
#[inline(always)]
pub(crate) fn prefetch<T>(at: *const T) {
    // SAFETY: a prefetch of an invalid address does nothing.
    unsafe {
        asm!("prefetch.global.L2 [{at}];", at = in(reg64) at, options(nostack, preserves_flags));
    }
}

/// # Safety
/// `at` is valid for a read of 8 bytes in global memory that this launch does not write, and a multiple of 8.
#[inline(always)]
pub(crate) unsafe fn constant_read_u64(at: *const u64) -> u64 {
    let value: u64;
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("ld.global.nc.b64 {value}, [{at}];", at = in(reg64) at,
            value = out(reg64) value, options(readonly, pure, nostack, preserves_flags));
    }
    value
}

/// # Safety
/// `at` is valid for a read of 4 bytes in global memory that this launch does not write, and a multiple of 4.
#[inline(always)]
pub(crate) unsafe fn constant_read_u32(at: *const u32) -> u32 {
    let value: u32;
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("ld.global.nc.b32 {value}, [{at}];", at = in(reg64) at,
            value = out(reg32) value, options(readonly, pure, nostack, preserves_flags));
    }
    value
}

/// # Safety
/// `at` is valid for a read of 8 bytes in global memory and a multiple of 8.
#[inline(always)]
pub(crate) unsafe fn load_relaxed_u64(at: *const u64) -> u64 {
    let value: u64;
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("ld.relaxed.gpu.global.b64 {value}, [{at}];", at = in(reg64) at,
            value = out(reg64) value, options(nostack, preserves_flags));
    }
    value
}

/// # Safety
/// `at` is valid for a read of 4 bytes in global memory and a multiple of 4.
#[inline(always)]
pub(crate) unsafe fn load_relaxed_u32(at: *const u32) -> u32 {
    let value: u32;
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("ld.relaxed.gpu.global.b32 {value}, [{at}];", at = in(reg64) at,
            value = out(reg32) value, options(nostack, preserves_flags));
    }
    value
}

/// # Safety
/// `at` is valid for a write of 8 bytes in global memory and a multiple of 8.
#[inline(always)]
pub(crate) unsafe fn store_relaxed_u64(at: *mut u64, value: u64) {
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("st.relaxed.gpu.global.b64 [{at}], {value};", at = in(reg64) at,
            value = in(reg64) value, options(nostack, preserves_flags));
    }
}

/// The same for readers outside this GPU.
///
/// # Safety
/// `at` is valid for a write of 8 bytes in global memory and a multiple of 8.
#[inline(always)]
pub(crate) unsafe fn store_system_u64(at: *mut u64, value: u64) {
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("st.relaxed.sys.global.b64 [{at}], {value};", at = in(reg64) at,
            value = in(reg64) value, options(nostack, preserves_flags));
    }
}

/// Orders what this thread read and wrote before, for the whole GPU, before what it does afterwards.
#[inline(always)]
pub(crate) fn fence() {
    // SAFETY: a fence has no preconditions.
    unsafe { asm!("fence.acq_rel.gpu;", options(nostack, preserves_flags)) }
}

/// # Safety
/// `at` is valid for an atomic update of 4 bytes in global memory.
#[inline(always)]
pub(crate) unsafe fn add_acq_rel_u32(at: *mut u32, value: u32) -> u32 {
    let old: u32;
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("atom.add.acq_rel.gpu.global.u32 {old}, [{at}], {value};", at = in(reg64) at,
            value = in(reg32) value, old = out(reg32) old, options(nostack, preserves_flags));
    }
    old
}

/// # Safety
/// `at` is valid for an atomic update of 8 bytes in global memory.
#[inline(always)]
pub(crate) unsafe fn add_relaxed_u64(at: *mut u64, value: u64) {
    // SAFETY: the caller upholds this.
    unsafe {
        asm!("red.add.relaxed.gpu.global.u64 [{at}], {value};", at = in(reg64) at,
            value = in(reg64) value, options(nostack, preserves_flags));
    }
}

/// Declares that the thread waits for another one.
#[inline(always)]
pub(crate) fn spin() {}

/// Tells the cutter the largest block of the entry into which this is inlined.
#[inline(always)]
pub(crate) fn max_block<const THREADS: u32>() {
    // SAFETY: only a comment.
    unsafe {
        asm!("// warpswarm.maxntid {threads}", threads = const THREADS,
            options(nomem, nostack, preserves_flags));
    }
}

/// Tells the cutter that the entry into which this is inlined needs clusters.
#[inline(always)]
pub(crate) fn needs_clusters() {
    // SAFETY: only a comment.
    unsafe { asm!("// warpswarm.target sm_90", options(nomem, nostack, preserves_flags)) }
}

/// Makes a value opaque to the compiler.
#[inline(always)]
pub(crate) fn opaque(value: u32) -> u32 {
    let mut value = value;
    // SAFETY: no instruction at all.
    unsafe {
        asm!("// {value}", value = inout(reg32) value, options(nomem, nostack, preserves_flags));
    }
    value
}
