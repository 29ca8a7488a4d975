//! Shared memory.

use core::arch::asm;

/// The address of byte `offset` of the block's shared memory, whose size the launch sets. `ptx-builder` declares the
/// symbol in every module that uses it.
#[inline(always)]
pub(crate) fn shared_address(offset: u32) -> u32 {
    let base: u32;
    // SAFETY: reads the address of a symbol.
    unsafe {
        asm!("mov.u32 {base}, warpswarm_shared;", base = out(reg32) base,
            options(pure, nomem, nostack, preserves_flags));
    }
    base + offset
}

/// The generic address of byte `offset` of the block's shared memory.
#[inline(always)]
pub(crate) fn near_address(offset: u32) -> u64 {
    let address: u64;
    // SAFETY: computes with an address.
    unsafe {
        asm!("cvta.shared.u64 {address}, {at};", at = in(reg64) u64::from(shared_address(offset)),
            address = out(reg64) address, options(pure, nomem, nostack, preserves_flags));
    }
    address
}

/// # Safety
/// `at` is the [address](shared_address) of a multiple of 4 below the launch's shared bytes.
#[inline(always)]
pub(crate) unsafe fn shared_read_u32(at: u32) -> u32 {
    let value: u32;
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("ld.shared.b32 {value}, [{at}];", at = in(reg32) at,
            value = out(reg32) value, options(pure, readonly, nostack, preserves_flags));
    }
    value
}

/// # Safety
/// `at` is the [address](shared_address) of a multiple of 8 that, with the 8 bytes after it, is below the launch's
/// shared bytes.
#[inline(always)]
pub(crate) unsafe fn shared_read_u64(at: u32) -> u64 {
    let value: u64;
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("ld.shared.b64 {value}, [{at}];", at = in(reg32) at,
            value = out(reg64) value, options(pure, readonly, nostack, preserves_flags));
    }
    value
}

/// # Safety
/// As [`shared_read_u32`].
#[inline(always)]
pub(crate) unsafe fn shared_write_u32(at: u32, value: u32) {
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("st.shared.b32 [{at}], {value};", at = in(reg32) at,
            value = in(reg32) value, options(nostack, preserves_flags));
    }
}

/// # Safety
/// As [`shared_read_u64`].
#[inline(always)]
pub(crate) unsafe fn shared_write_u64(at: u32, value: u64) {
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("st.shared.b64 [{at}], {value};", at = in(reg32) at,
            value = in(reg64) value, options(nostack, preserves_flags));
    }
}

/// # Safety
/// `at` is the [address](shared_address) of a multiple of 16 that, with the 16 bytes after it, is below the launch's
/// shared bytes.
#[inline(always)]
pub(crate) unsafe fn shared_read_4x32(at: u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("ld.shared.v4.b32 {{{a}, {b}, {c}, {d}}}, [{at}];", at = in(reg32) at,
            a = out(reg32) a, b = out(reg32) b, c = out(reg32) c, d = out(reg32) d,
            options(pure, readonly, nostack, preserves_flags));
    }
    [a, b, c, d]
}

/// # Safety
/// As [`shared_read_4x32`].
#[inline(always)]
pub(crate) unsafe fn shared_write_4x32(at: u32, [a, b, c, d]: [u32; 4]) {
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("st.shared.v4.b32 [{at}], {{{a}, {b}, {c}, {d}}};", at = in(reg32) at,
            a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
            options(nostack, preserves_flags));
    }
}

/// # Safety
/// As [`shared_read_4x32`].
#[inline(always)]
pub(crate) unsafe fn shared_read_2x64(at: u32) -> [u64; 2] {
    let (a, b): (u64, u64);
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("ld.shared.v2.b64 {{{a}, {b}}}, [{at}];", at = in(reg32) at,
            a = out(reg64) a, b = out(reg64) b, options(pure, readonly, nostack, preserves_flags));
    }
    [a, b]
}

/// # Safety
/// As [`shared_read_4x32`].
#[inline(always)]
pub(crate) unsafe fn shared_write_2x64(at: u32, [a, b]: [u64; 2]) {
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("st.shared.v2.b64 [{at}], {{{a}, {b}}};", at = in(reg32) at,
            a = in(reg64) a, b = in(reg64) b, options(nostack, preserves_flags));
    }
}

#[inline(always)]
pub(crate) fn sync_cluster() {
    // SAFETY: collective by the contract of `cluster`: every thread of every block arrives here.
    unsafe {
        asm!("barrier.cluster.arrive;", "barrier.cluster.wait;", options(nostack, preserves_flags));
    }
}

/// Writes to the shared memory of block `rank` of the cluster.
///
/// # Safety
/// As [`shared_read_u64`]; the block exists and has not ended.
#[inline(always)]
pub(crate) unsafe fn near_store_u64(rank: u32, at: u32, value: u64) {
    // SAFETY: the caller keeps the address inside the other block's shared memory, which is as large as this block's.
    unsafe {
        asm!("{{", ".reg .b32 there;", "mapa.shared::cluster.u32 there, {at}, {rank};",
            "st.relaxed.cluster.shared::cluster.b64 [there], {value};", "}}",
            at = in(reg32) at, rank = in(reg32) rank,
            value = in(reg64) value, options(nostack, preserves_flags));
    }
}

/// Reads from the shared memory of block `rank` of the cluster.
///
/// # Safety
/// As [`near_store_u64`].
#[inline(always)]
pub(crate) unsafe fn near_load_u64(rank: u32, at: u32) -> u64 {
    let value: u64;
    // SAFETY: the caller keeps the address inside the other block's shared memory, which is as large as this block's.
    unsafe {
        asm!("{{", ".reg .b32 there;", "mapa.shared::cluster.u32 there, {at}, {rank};",
            "ld.relaxed.cluster.shared::cluster.b64 {value}, [there];", "}}",
            at = in(reg32) at, rank = in(reg32) rank,
            value = out(reg64) value, options(nostack, preserves_flags));
    }
    value
}

/// Writes a word that threads of the block read without a barrier between.
///
/// # Safety
/// As [`shared_read_u64`].
#[inline(always)]
pub(crate) unsafe fn block_store_u64(at: u32, value: u64) {
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("st.relaxed.cta.shared.b64 [{at}], {value};",
            at = in(reg32) at, value = in(reg64) value,
            options(nostack, preserves_flags));
    }
}

/// Reads a word that threads of the block write without a barrier between.
///
/// # Safety
/// As [`shared_read_u64`].
#[inline(always)]
pub(crate) unsafe fn block_load_u64(at: u32) -> u64 {
    let value: u64;
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("ld.relaxed.cta.shared.b64 {value}, [{at}];",
            at = in(reg32) at, value = out(reg64) value,
            options(nostack, preserves_flags));
    }
    value
}

/// Writes a word that blocks of the cluster read from this block's shared memory.
///
/// # Safety
/// As [`shared_read_u64`].
#[inline(always)]
pub(crate) unsafe fn own_store_u64(at: u32, value: u64) {
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("st.relaxed.cluster.shared::cta.b64 [{at}], {value};",
            at = in(reg32) at, value = in(reg64) value,
            options(nostack, preserves_flags));
    }
}

/// Reads a word that blocks of the cluster write to this block's shared memory.
///
/// # Safety
/// As [`shared_read_u64`].
#[inline(always)]
pub(crate) unsafe fn own_load_u64(at: u32) -> u64 {
    let value: u64;
    // SAFETY: the caller keeps the address inside the block's shared memory.
    unsafe {
        asm!("ld.relaxed.cluster.shared::cta.b64 {value}, [{at}];",
            at = in(reg32) at, value = out(reg64) value,
            options(nostack, preserves_flags));
    }
    value
}
