//! Memory that other code reads, and synchronisation with its streams.

use std::sync::Arc;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUresult};

use super::failures::said;
use super::{Context, Gpu, INVALID};
use crate::error::faults::{self, Call};
use crate::error::{Error, Result};
use crate::machine::{Loan, Stream};

/// A stream of ours, which lives as long as other code may wait for it.
pub(super) struct Owned {
    pub(super) context: Arc<Context>,
    pub(super) stream: sys::CUstream,
    /// The event that other streams wait for.
    pub(super) outgoing: sys::CUevent,
}

// SAFETY: stream and event are handles of the driver, valid in any thread in which the context is current.
unsafe impl Send for Owned {}
// SAFETY: the driver accepts calls for a stream from several threads at once.
unsafe impl Sync for Owned {}

impl Drop for Owned {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            // SAFETY: both were created by `Gpu::open`, and are destroyed once, by their last owner; enqueued work is
            // still done.
            let _ = unsafe { result::stream::destroy(self.stream) };
            // SAFETY: as above; the driver keeps it for streams that still wait for it.
            let _ = unsafe { result::event::destroy(self.outgoing) };
        }
    }
}

/// Device memory that may outlive the [`Gpu`] that has lent it.
struct Lent {
    owned: Arc<Owned>,
    address: u64,
    bytes: u64,
}

impl std::fmt::Debug for Lent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes at {:#x}", self.bytes, self.address)
    }
}

impl Loan for Lent {
    fn address(&self) -> u64 {
        self.address
    }

    fn device(&self) -> u32 {
        self.owned.context.number
    }

    fn stream(&self) -> Stream {
        // SAFETY: it is our own stream, which lives as long as `self`.
        unsafe { Stream::new(self.owned.stream as u64) }
    }

    fn ready_for(&self, stream: Stream) -> Result<()> {
        let Owned { context, stream: ours, outgoing } = &*self.owned;
        follow(context, stream.handle() as sys::CUstream, (*ours, *outgoing))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if self.owned.context.enter().is_ok() {
            // SAFETY: allocated by `lend`, freed once, by its last owner; the driver waits for all work of the device.
            // An error cannot be handled here.
            if unsafe { result::free_sync(self.address) }.is_ok() {
                faults::freed(self.bytes);
            }
        }
    }
}

/// Creates an event for [`follow`].
pub(super) fn event(context: &Context) -> Result<sys::CUevent> {
    context.enter()?;
    let created = said(Call::Mark, INVALID, || {
        result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
    });
    context.check("cuEventCreate", created)
}

/// Lets a stream wait for the work that is in another one now, marked by an event of ours. If the event is recorded
/// again meanwhile, the new position is later in the same stream.
fn follow(
    context: &Context,
    waits: sys::CUstream,
    (goes_before, event): (sys::CUstream, sys::CUevent),
) -> Result<()> {
    context.enter()?;
    let marked = said(Call::Mark, INVALID, || {
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: one stream is ours, the other is valid by the contract of `Stream`, and so is the event; all belong
        // to this context.
        unsafe {
            result::event::record(event, goes_before)?;
            result::stream::wait_event(waits, event, flags)
        }
    });
    context.check("cuStreamWaitEvent", marked)
}

/// Checks that this many bytes are allocated at an address, on the device of a context, which is current.
pub(super) fn check(context: &Context, address: u64, bytes: u64) -> Result<()> {
    use sys::CUpointer_attribute as Attribute;
    let (mut start, mut size, mut device) = (0_u64, 0_usize, -1_i32);
    let mut asked = [
        Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE,
        Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
    ];
    let mut answers = [(&raw mut start).cast(), (&raw mut size).cast(), (&raw mut device).cast()];
    // SAFETY: each answer has the size of its attribute: an address, a size, and a number. For an unknown address the
    // driver returns an error, or writes nothing.
    let said = unsafe {
        let count = asked.len() as u32;
        sys::cuPointerGetAttributes(count, asked.as_mut_ptr(), answers.as_mut_ptr(), address)
    };
    let there = said == CUresult::CUDA_SUCCESS
        && device == context.number as i32
        && address >= start
        && bytes <= (start + size as u64).saturating_sub(address);
    match there {
        true => Ok(()),
        false => Err(Error::Driver {
            call: "cuPointerGetAttributes",
            code: said as u32,
            message: format!(
                "{bytes} bytes at {address:#x} are not allocated on GPU {}",
                context.number
            ),
        }),
    }
}

impl Gpu {
    /// See [`Machine::lend`](crate::machine::Machine::lend).
    pub(super) fn lent(&mut self, bytes: u64) -> Result<Arc<dyn Loan>> {
        let address = self.context.allocate(bytes.max(1))?;
        faults::allocated(bytes);
        let lent = Lent { owned: self.owned.clone(), address, bytes };
        let zeroed = said(Call::Zero, INVALID, || {
            // SAFETY: this number of bytes was just allocated there.
            unsafe { result::memset_d8_async(address, 0, bytes.max(1) as usize, self.stream) }
        });
        self.check_work("cuMemsetD8Async", zeroed)?;
        Ok(Arc::new(lent))
    }

    /// See [`Machine::follow_stream`](crate::machine::Machine::follow_stream).
    pub(super) fn followed(&mut self, stream: Stream) -> Result<()> {
        let incoming = match self.incoming {
            Some(event) => event,
            None => *self.incoming.insert(event(&self.context)?),
        };
        follow(&self.context, self.stream, (stream.handle() as sys::CUstream, incoming))
    }
}
