//! Copies beside a kernel that runs, on a stream of their own.

use cudarc::driver::result::{self, stream::StreamKind};
use cudarc::driver::sys::{self, CUresult};

use super::failures::said;
use super::{Gpu, INVALID};
use crate::backend::machine::Desk;
use crate::error::Result;
use crate::faults::Call;

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

impl Side<'_> {
    /// Waits until a copy is done.
    fn wait(&mut self) -> Result<()> {
        // SAFETY: the stream is the device's and not yet destroyed.
        let done = unsafe { result::stream::synchronize(self.stream) };
        self.gpu.check_work("cuStreamSynchronize", done)
    }
}

impl Desk for Side<'_> {
    fn read(&mut self, address: u64, to: &mut [u8]) -> Result<()> {
        self.gpu.context.enter()?;
        let begun = said(Call::Download, INVALID, || {
            // SAFETY: `address` is of an array of ours with as many bytes as `to`, which stays borrowed until the copy is
            // done, since we wait for it. The kernel that runs writes there only by atomic stores of eight bytes.
            unsafe { result::memcpy_dtoh_async(to, address, self.stream) }
        });
        self.gpu.check_work("cuMemcpyDtoHAsync", begun)?;
        self.wait()
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<()> {
        self.gpu.context.enter()?;
        let begun = said(Call::Upload, INVALID, || {
            // SAFETY: `address` is of an array of ours with room for `from`, which stays borrowed until the copy is done,
            // since we wait for it. The kernel that runs reads there only by atomic loads of eight bytes.
            unsafe { result::memcpy_htod_async(address, from, self.stream) }
        });
        self.gpu.check_work("cuMemcpyHtoDAsync", begun)?;
        self.wait()
    }
}
