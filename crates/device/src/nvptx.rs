//! The machine's own instructions.
//!
//! Every function here has a twin of the same name and signature in `emulator::machine`; the rest of
//! the crate is written in terms of the two.

use core::arch::{asm, nvptx};

// Collective operations go through LLVM's intrinsics: they are known to be convergent, so that the
// optimiser never duplicates one into two branches, which inline assembly does not promise.
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

/// Leaves the launch with an error that the host sees.
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

/// The start of the block's shared memory; the launch gives its size. `ptx-builder` declares the
/// symbol in every module that uses it.
#[inline(always)]
fn shared_base() -> u32 {
    let base: u32;
    // SAFETY: reads the address of a symbol.
    unsafe {
        asm!("mov.u32 {base}, warpswarm_shared;", base = out(reg32) base,
            options(pure, nomem, nostack, preserves_flags));
    }
    base
}

/// # Safety
/// `offset` is a multiple of 4 and below the launch's shared bytes.
#[inline(always)]
pub(crate) unsafe fn shared_read_u32(offset: u32) -> u32 {
    let value: u32;
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("ld.shared.b32 {value}, [{at}];", at = in(reg32) shared_base() + offset,
            value = out(reg32) value, options(pure, readonly, nostack, preserves_flags));
    }
    value
}

/// # Safety
/// `offset` is a multiple of 8 and, with the 8 bytes after it, below the launch's shared bytes.
#[inline(always)]
pub(crate) unsafe fn shared_read_u64(offset: u32) -> u64 {
    let value: u64;
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("ld.shared.b64 {value}, [{at}];", at = in(reg32) shared_base() + offset,
            value = out(reg64) value, options(pure, readonly, nostack, preserves_flags));
    }
    value
}

/// # Safety
/// As [`shared_read_u32`].
#[inline(always)]
pub(crate) unsafe fn shared_write_u32(offset: u32, value: u32) {
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("st.shared.b32 [{at}], {value};", at = in(reg32) shared_base() + offset,
            value = in(reg32) value, options(nostack, preserves_flags));
    }
}

/// # Safety
/// As [`shared_read_u64`].
#[inline(always)]
pub(crate) unsafe fn shared_write_u64(offset: u32, value: u64) {
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("st.shared.b64 [{at}], {value};", at = in(reg32) shared_base() + offset,
            value = in(reg64) value, options(nostack, preserves_flags));
    }
}

/// # Safety
/// `at` is valid for a read of a `T` in global memory.
#[inline(always)]
pub(crate) unsafe fn global_read<T: Copy>(at: *const T) -> T {
    // SAFETY: the caller's.
    unsafe { *at }
}

/// # Safety
/// `at` is valid for a write of a `T` in global memory.
#[inline(always)]
pub(crate) unsafe fn global_write<T: Copy>(at: *mut T, value: T) {
    // SAFETY: the caller's.
    unsafe { *at = value }
}

/// Four neighbouring 32-bit words, once: they are not kept in the caches.
///
/// # Safety
/// `at` is valid for a read of 16 bytes in global memory and a multiple of 16.
#[inline(always)]
pub(crate) unsafe fn stream_read_4x32(at: *const u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: the caller's.
    unsafe {
        asm!("ld.global.cs.v4.b32 {{{a}, {b}, {c}, {d}}}, [{at}];", at = in(reg64) at,
            a = out(reg32) a, b = out(reg32) b, c = out(reg32) c, d = out(reg32) d,
            options(readonly, pure, nostack, preserves_flags));
    }
    [a, b, c, d]
}

/// Two neighbouring 32-bit words, once.
///
/// # Safety
/// `at` is valid for a read of 8 bytes in global memory and a multiple of 8.
#[inline(always)]
pub(crate) unsafe fn stream_read_2x32(at: *const u32) -> [u32; 2] {
    let (a, b): (u32, u32);
    // SAFETY: the caller's.
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
    // SAFETY: the caller's.
    unsafe {
        asm!("st.global.cs.v2.b32 [{at}], {{{a}, {b}}};", at = in(reg64) at,
            a = in(reg32) a, b = in(reg32) b, options(nostack, preserves_flags));
    }
}

/// Two neighbouring 64-bit words, once.
///
/// # Safety
/// As [`stream_read_4x32`].
#[inline(always)]
pub(crate) unsafe fn stream_read_2x64(at: *const u64) -> [u64; 2] {
    let (a, b): (u64, u64);
    // SAFETY: the caller's.
    unsafe {
        asm!("ld.global.cs.v2.b64 {{{a}, {b}}}, [{at}];", at = in(reg64) at,
            a = out(reg64) a, b = out(reg64) b,
            options(readonly, pure, nostack, preserves_flags));
    }
    [a, b]
}

/// # Safety
/// `at` is valid for a write of 16 bytes in global memory and a multiple of 16.
#[inline(always)]
pub(crate) unsafe fn stream_write_4x32(at: *mut u32, [a, b, c, d]: [u32; 4]) {
    // SAFETY: the caller's.
    unsafe {
        asm!("st.global.cs.v4.b32 [{at}], {{{a}, {b}, {c}, {d}}};", at = in(reg64) at,
            a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
            options(nostack, preserves_flags));
    }
}

/// # Safety
/// As [`stream_write_4x32`].
#[inline(always)]
pub(crate) unsafe fn stream_write_2x64(at: *mut u64, [a, b]: [u64; 2]) {
    // SAFETY: the caller's.
    unsafe {
        asm!("st.global.cs.v2.b64 [{at}], {{{a}, {b}}};", at = in(reg64) at,
            a = in(reg64) a, b = in(reg64) b, options(nostack, preserves_flags));
    }
}

/// Brings the cache line at an address into the second-level cache.
#[inline(always)]
pub(crate) fn prefetch<T>(at: *const T) {
    // SAFETY: a prefetch of an address that is not there does nothing.
    unsafe {
        asm!("prefetch.global.L2 [{at}];", at = in(reg64) at, options(nostack, preserves_flags));
    }
}

/// # Safety
/// `at` is valid for a read of 8 bytes in global memory and a multiple of 8.
#[inline(always)]
pub(crate) unsafe fn load_relaxed_u64(at: *const u64) -> u64 {
    let value: u64;
    // SAFETY: the caller's.
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
    // SAFETY: the caller's.
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
    // SAFETY: the caller's.
    unsafe {
        asm!("st.relaxed.gpu.global.b64 [{at}], {value};", at = in(reg64) at,
            value = in(reg64) value, options(nostack, preserves_flags));
    }
}

/// Orders what this thread saw and wrote before against what it does after, for the whole GPU.
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
    // SAFETY: the caller's.
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
    // SAFETY: the caller's.
    unsafe {
        asm!("red.add.relaxed.gpu.global.u64 [{at}], {value};", at = in(reg64) at,
            value = in(reg64) value, options(nostack, preserves_flags));
    }
}

/// Says that the thread waits for another one.
#[inline(always)]
pub(crate) fn spin() {}

/// Tells the cutter the largest block of the entry that this is inlined into.
#[inline(always)]
pub(crate) fn max_block<const THREADS: u32>() {
    // SAFETY: a comment.
    unsafe {
        asm!("// warpswarm.maxntid {threads}", threads = const THREADS,
            options(nomem, nostack, preserves_flags));
    }
}

/// Hides a value from the compiler.
#[inline(always)]
pub(crate) fn opaque(value: u32) -> u32 {
    let mut value = value;
    // SAFETY: no instruction at all.
    unsafe {
        asm!("// {value}", value = inout(reg32) value, options(nomem, nostack, preserves_flags));
    }
    value
}

// The agreement between a kernel and the objective that `ptx-builder` puts in place of the comment:
// registers of these names, those of coordinates as wide as the numbers.
macro_rules! judge {
    ($word:ty, $class:ident, $bits:literal, [$($k:literal $x:ident = $value:expr),*], $dimensions:expr, $stage:expr) => {{
        let (violation, value): ($word, $word);
        // SAFETY: the objective reads these registers, what the point's contract lets it, and its own
        // parameter; it writes to the two results and to the point's stage.
        unsafe {
            asm!(
                "{{",
                concat!(".reg .", $bits, " %ws_x<8>, %ws_violation, %ws_value;"),
                ".reg .b32 %ws_dimensions, %ws_stage;",
                ".reg .b64 %ws_row;",
                $(concat!("mov.", $bits, " %ws_x", $k, ", {", stringify!($x), "};"),)*
                "mov.b32 %ws_dimensions, {dimensions};",
                "mov.b32 %ws_stage, {stage};",
                "// warpswarm.objective",
                concat!("mov.", $bits, " {violation}, %ws_violation;"),
                concat!("mov.", $bits, " {value}, %ws_value;"),
                "}}",
                $($x = in($class) $value,)*
                dimensions = in(reg32) $dimensions, stage = in(reg32) $stage,
                violation = out($class) violation, value = out($class) value,
                options(nostack, preserves_flags)
            );
        }
        (violation, value)
    }};
}

macro_rules! judges {
    ($tile:ident, $row:ident, $coordinates:ident, $coordinate:ident, $answer:ident, $word:ty, $class:ident, $bits:literal) => {
        /// Violation and value, by the linked objective, for a lane's share of a point.
        #[inline(always)]
        pub(crate) fn $tile<const K: usize>(
            own: [$word; K],
            dimensions: u32,
            stage: u32,
        ) -> ($word, $word) {
            const { assert!(K == 1 || K == 2 || K == 4 || K == 8) };
            let x = |k: usize| if k < K { own[k] } else { 0 };
            if K == 1 {
                judge!($word, $class, $bits, [0 x0 = x(0)], dimensions, stage)
            } else if K == 2 {
                judge!($word, $class, $bits, [0 x0 = x(0), 1 x1 = x(1)], dimensions, stage)
            } else if K == 4 {
                judge!($word, $class, $bits, [0 x0 = x(0), 1 x1 = x(1), 2 x2 = x(2), 3 x3 = x(3)],
                    dimensions, stage)
            } else {
                judge!($word, $class, $bits, [0 x0 = x(0), 1 x1 = x(1), 2 x2 = x(2), 3 x3 = x(3),
                    4 x4 = x(4), 5 x5 = x(5), 6 x6 = x(6), 7 x7 = x(7)], dimensions, stage)
            }
        }

        /// Violation and value, by the linked objective, for a row in memory.
        #[inline(always)]
        pub(crate) fn $row(row: u64, dimensions: u32) -> ($word, $word) {
            let (violation, value): ($word, $word);
            // SAFETY: the objective reads these registers, the row and its own parameter; it writes
            // to the two results.
            unsafe {
                asm!(
                    "{{",
                    concat!(".reg .", $bits, " %ws_violation, %ws_value;"),
                    ".reg .b32 %ws_dimensions;",
                    ".reg .b64 %ws_row;",
                    "mov.b32 %ws_dimensions, {dimensions};",
                    "mov.b64 %ws_row, {row};",
                    "// warpswarm.objective",
                    concat!("mov.", $bits, " {violation}, %ws_violation;"),
                    concat!("mov.", $bits, " {value}, %ws_value;"),
                    "}}",
                    dimensions = in(reg32) dimensions, row = in(reg64) row,
                    violation = out($class) violation, value = out($class) value,
                    options(nostack, preserves_flags)
                );
            }
            (violation, value)
        }

        /// The coordinates that were handed over.
        #[inline(always)]
        pub(crate) fn $coordinates<const K: usize>() -> [$word; K] {
            let mut own = [0; K];
            let mut k = 0;
            while k < K {
                own[k] = match k {
                    0 => $coordinate::<0>(),
                    1 => $coordinate::<1>(),
                    2 => $coordinate::<2>(),
                    3 => $coordinate::<3>(),
                    4 => $coordinate::<4>(),
                    5 => $coordinate::<5>(),
                    6 => $coordinate::<6>(),
                    _ => $coordinate::<7>(),
                };
                k += 1;
            }
            own
        }

        #[inline(always)]
        fn $coordinate<const I: usize>() -> $word {
            let x: $word;
            // SAFETY: reads a register that the kernel has written.
            unsafe {
                asm!(concat!("mov.", $bits, " {x}, %ws_x{i};"), x = out($class) x, i = const I,
                    options(pure, nomem, nostack, preserves_flags));
            }
            x
        }

        /// Gives the kernel violation and value.
        #[inline(always)]
        pub(crate) fn $answer(violation: $word, value: $word) {
            // SAFETY: writes registers that the kernel reads after.
            unsafe {
                asm!(concat!("mov.", $bits, " %ws_violation, {violation};"),
                    concat!("mov.", $bits, " %ws_value, {value};"),
                    violation = in($class) violation, value = in($class) value,
                    options(nostack, preserves_flags));
            }
        }
    };
}

judges!(
    judge_tile_32,
    judge_row_32,
    handed_coordinates_32,
    handed_32,
    answer_32,
    u32,
    reg32,
    "b32"
);
judges!(
    judge_tile_64,
    judge_row_64,
    handed_coordinates_64,
    handed_64,
    answer_64,
    u64,
    reg64,
    "b64"
);

/// The number of coordinates that was handed over.
#[inline(always)]
pub(crate) fn handed_dimensions() -> u32 {
    let dimensions: u32;
    // SAFETY: reads a register that the kernel has written.
    unsafe {
        asm!("mov.b32 {x}, %ws_dimensions;", x = out(reg32) dimensions,
            options(pure, nomem, nostack, preserves_flags));
    }
    dimensions
}

/// Where the stage that was handed over begins, in bytes of shared memory.
#[inline(always)]
pub(crate) fn handed_stage() -> u32 {
    let stage: u32;
    // SAFETY: reads a register that the kernel has written.
    unsafe {
        asm!("mov.b32 {x}, %ws_stage;", x = out(reg32) stage,
            options(pure, nomem, nostack, preserves_flags));
    }
    stage
}

/// The address of the row that was handed over.
#[inline(always)]
pub(crate) fn handed_row() -> u64 {
    let row: u64;
    // SAFETY: reads a register that the kernel has written.
    unsafe {
        asm!("mov.b64 {x}, %ws_row;", x = out(reg64) row,
            options(pure, nomem, nostack, preserves_flags));
    }
    row
}
