//! Copies between devices.

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;

use super::context::Context;

/// Enqueues a copy into another device's memory.
///
/// # Safety
/// `from` is memory of `here`, `to` of `there`, of so many bytes at least, both until the stream, which is of `here`, has
/// been waited for; the context of `here` is current.
pub(super) unsafe fn copy(
    here: &Context,
    from: u64,
    there: &Context,
    to: u64,
    bytes: u64,
    stream: sys::CUstream,
) -> Result<(), DriverError> {
    let (source, target) = (here.context.0, there.context.0);
    // SAFETY: the caller's; contexts are never released.
    unsafe { result::memcpy_peer_async(target, to, source, from, bytes as usize, stream) }
}
