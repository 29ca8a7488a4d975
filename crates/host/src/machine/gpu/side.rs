//! What goes on beside a kernel that runs: the host reads memory of its own that the kernel writes, and copies to the
//! device's on a stream for that.

use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::result::{self, DriverError, stream::StreamKind};
use cudarc::driver::sys::{self, CUresult};

use super::failures::said;
use super::{Gpu, INVALID};
use crate::error::Result;
use crate::error::faults::Call;
use crate::machine::{Desk, Service};

/// How often a service may look in vain for something to do before it is found out whether the kernel still runs.
const LOOKS: u32 = 1_000;

/// A device of which a kernel runs.
pub(super) struct Side<'a> {
    pub(super) gpu: &'a mut Gpu,
    pub(super) stream: sys::CUstream,
}

impl Gpu {
    /// The stream on which copies wait for no kernel.
    pub(super) fn side(&mut self) -> Result<sys::CUstream> {
        if let Some(side) = self.side {
            return Ok(side);
        }
        self.context.enter()?;
        let stream = said(Call::Open, CUresult::CUDA_ERROR_OUT_OF_MEMORY, || {
            result::stream::create(StreamKind::NonBlocking)
        });
        Ok(*self.side.insert(self.context.check("cuStreamCreate", stream)?))
    }
}

/// Memory of the host that kernels write.
pub(super) struct Visible {
    words: *mut u64,
    pub(super) address: sys::CUdeviceptr,
    pub(super) bytes: u64,
}

impl Visible {
    /// So much of it, in the current context.
    pub(super) fn allocate(bytes: u64) -> Result<Self, DriverError> {
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        let mut address = 0;
        // SAFETY: what is allocated is zeroed before anything reads it, below.
        let words = unsafe { result::malloc_host(bytes as usize, flags) }?;
        // SAFETY: the memory has just been allocated for devices; where that fails it is lost, with the device.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut address, words, 0) }.result()?;
        let mut visible = Visible { words: words.cast(), address, bytes };
        visible.zero();
        Ok(visible)
    }

    fn words(&self, from: u64, count: usize) -> Option<&[AtomicU64]> {
        let start = from.checked_sub(self.address)?;
        if start + 8 * count as u64 > self.bytes {
            return None;
        }
        // SAFETY: the words are inside the allocation, which lives as long as `self`; devices write them, too, each at once.
        Some(unsafe { slice::from_raw_parts(self.words.byte_add(start as usize).cast(), count) })
    }

    /// Zeroes it.
    pub(super) fn zero(&mut self) {
        let all = self.words(self.address, (self.bytes / 8) as usize);
        all.into_iter().flatten().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// Frees it.
    ///
    /// # Safety
    /// Once, and nothing is left that uses it; the context in which it was allocated is current.
    pub(super) unsafe fn free(&mut self) -> Result<(), DriverError> {
        // SAFETY: the caller's.
        unsafe { result::free_host(self.words.cast()) }
    }
}

impl Side<'_> {
    /// Serves the kernel until that is done.
    pub(super) fn serve(&mut self, service: &mut dyn Service) -> Result<()> {
        let mut looks = 0;
        while !service.is_done() {
            looks = if service.serve(self)? { 0 } else { looks + 1 };
            if looks == LOOKS {
                self.check()?;
                looks = 0;
            }
        }
        Ok(())
    }

    /// Whether the kernel goes on, or has ended well: one that has failed writes nothing any more.
    fn check(&mut self) -> Result<()> {
        // SAFETY: the stream is the device's and not yet destroyed.
        let state = unsafe { sys::cuStreamQuery(self.gpu.stream) }.result();
        match state {
            Err(DriverError(CUresult::CUDA_ERROR_NOT_READY)) | Ok(()) => Ok(()),
            failed => self.gpu.check_work("cuStreamQuery", failed),
        }
    }
}

impl Desk for Side<'_> {
    fn read(&mut self, address: u64, to: &mut [u64]) -> Result<()> {
        let words = self.gpu.visible.iter().find_map(|visible| visible.words(address, to.len()));
        for (to, word) in to.iter_mut().zip(words.into_iter().flatten()) {
            *to = word.load(Ordering::Relaxed);
        }
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u64]) -> Result<()> {
        self.gpu.context.enter()?;
        let bytes: Vec<u8> = from.iter().flat_map(|word| word.to_le_bytes()).collect();
        let begun = said(Call::Upload, INVALID, || {
            // SAFETY: `address` is of an array of ours with room for the bytes, which are pageable memory: they have been read
            // when the call returns. The kernel that runs reads there only by atomic loads of eight bytes.
            unsafe { result::memcpy_htod_async(address, &bytes, self.stream) }
        });
        self.gpu.check_work("cuMemcpyHtoDAsync", begun)
    }
}
