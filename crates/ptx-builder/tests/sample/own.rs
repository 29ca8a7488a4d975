//! A kernel for `tests/compile.rs`, which inserts things that a GPU lacks at the two marks.
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
// ITEMS

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: ends the kernel.
    unsafe { core::arch::nvptx::trap() }
}

#[unsafe(no_mangle)]
pub extern "ptx-kernel" fn own(place: &mut u32) {
    let x = *place;
    // STATEMENT
    *place = x;
}
