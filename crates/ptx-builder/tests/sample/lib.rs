//! Two kernels for `tests/compile.rs`, which copies this text into a crate of its own.
#![no_std]
#![feature(abi_ptx, stdarch_nvptx, asm_experimental_arch)]

use core::arch::{asm, nvptx};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: ends the kernel.
    unsafe { nvptx::trap() }
}

/// # Safety
/// Both arrays have a place for each thread.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn copy(from: *const f32, to: *mut f32) {
    // SAFETY: the caller upholds this; the comment is no instruction.
    unsafe {
        asm!("// warpswarm.maxntid {n}", n = const 128);
        let thread = nvptx::_thread_idx_x() as usize;
        *to.add(thread) = *from.add(thread);
    }
}

/// # Safety
/// The array, and dynamic shared memory, have a place for each thread.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn swap(values: *mut f32) {
    let scratch: *mut f32;
    // SAFETY: the caller upholds this; a barrier separates the writes from the reads.
    unsafe {
        asm!("cvta.shared.u64 {0}, warpswarm_shared;", out(reg64) scratch);
        let thread = nvptx::_thread_idx_x() as usize;
        *scratch.add(thread) = *values.add(thread);
        nvptx::_syncthreads();
        *values.add(thread) = *scratch.add(thread ^ 1);
    }
}
