//! Communication with a running kernel: the host reads host memory that the kernel writes, and copies to device memory
//! on a separate stream.

use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::result::{self, DriverError, stream::StreamKind};
use cudarc::driver::sys::{self, CUresult};

use super::failures::said;
use super::{Gpu, INVALID};
use crate::error::Result;
use crate::error::faults::Call;
use crate::machine::{LiveMemory, Service};

/// The number of polls without work after which a service checks whether the kernel still runs.
const LOOKS: u32 = 1_000;

/// A device that runs a kernel.
pub(super) struct Side<'a> {
    pub(super) gpu: &'a mut Gpu,
    pub(super) stream: sys::CUstream,
}

impl Gpu {
    /// The stream for copies that do not wait for kernels.
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

/// Host memory that kernels write.
pub(super) struct Visible {
    words: *mut u64,
    pub(super) address: sys::CUdeviceptr,
    pub(super) bytes: u64,
}

impl Visible {
    /// Allocates visible memory, in the current context.
    pub(super) fn allocate(bytes: u64) -> Result<Self, DriverError> {
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        let mut address = 0;
        // SAFETY: the memory is zeroed below before anything reads it.
        let words = unsafe { result::malloc_host(bytes as usize, flags) }?;
        // SAFETY: the memory has just been allocated for devices. If this fails, it is leaked with the lost device.
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
        // SAFETY: the words are inside the allocation, which lives as long as `self`. Devices also write them, each
        // word atomically.
        Some(unsafe { slice::from_raw_parts(self.words.byte_add(start as usize).cast(), count) })
    }

    /// Fills it with zeros.
    pub(super) fn zero(&mut self) {
        let all = self.words(self.address, (self.bytes / 8) as usize);
        all.into_iter().flatten().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// Frees it.
    ///
    /// # Safety
    /// Called once, when nothing uses the memory any more; the context in which it was allocated is current.
    pub(super) unsafe fn free(&mut self) -> Result<(), DriverError> {
        // SAFETY: the caller ensures it.
        unsafe { result::free_host(self.words.cast()) }
    }
}

impl Side<'_> {
    /// Serves the kernel until the service is done.
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

    /// Fails if the kernel has failed and so writes nothing any more; succeeds while it runs or after it has ended.
    fn check(&mut self) -> Result<()> {
        // SAFETY: the stream belongs to the device and is not yet destroyed.
        let state = unsafe { sys::cuStreamQuery(self.gpu.stream) }.result();
        match state {
            Err(DriverError(CUresult::CUDA_ERROR_NOT_READY)) | Ok(()) => Ok(()),
            failed => self.gpu.check_work("cuStreamQuery", failed),
        }
    }
}

impl LiveMemory for Side<'_> {
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
            // SAFETY: `address` belongs to an array of ours with room for the bytes. They are pageable memory, so they
            // have been read when the call returns. The running kernel reads there only by atomic loads of eight bytes.
            unsafe { result::memcpy_htod_async(address, &bytes, self.stream) }
        });
        self.gpu.check_work("cuMemcpyHtoDAsync", begun)
    }
}
