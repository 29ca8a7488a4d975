//! Releases a device's resources.

use cudarc::driver::result;

use super::Gpu;
use crate::error::faults;

impl Drop for Gpu {
    fn drop(&mut self) {
        // A lost device cannot free anything; its memory is released when the process ends.
        if self.context.enter().is_err() || self.wait().is_err() {
            std::mem::forget(self.group.take());
            return;
        }
        // The group must be destroyed before its stream.
        drop(self.group.take());
        for &(address, bytes) in &self.arrays {
            // SAFETY: allocated by `allocate`, freed once, and no work is left that uses it. An error cannot be handled
            // here.
            if unsafe { result::free_sync(address) }.is_ok() {
                faults::freed(bytes);
            }
        }
        if let Some(mark) = self.mark {
            // SAFETY: created by `mark`, destroyed once; the driver keeps it for streams that still wait for it.
            let _ = unsafe { result::event::destroy(mark) };
        }
        if let Some(incoming) = self.incoming {
            // SAFETY: created by `followed`, destroyed once, and nothing waits for it.
            let _ = unsafe { result::event::destroy(incoming) };
        }
        for visible in &mut self.visible {
            // SAFETY: freed once, and no work is left that uses it.
            if unsafe { visible.free() }.is_ok() {
                faults::freed(visible.bytes);
            }
        }
        if let Some(side) = self.side {
            // SAFETY: created by `side`, destroyed once, and every copy on it has been waited for.
            let _ = unsafe { result::stream::destroy(side) };
        }
    }
}
