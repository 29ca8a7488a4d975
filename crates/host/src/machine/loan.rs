//! Memory of a device that others read, and their streams.
#![allow(unsafe_code)]

use std::fmt;

use crate::error::Result;

/// A stream of work of others on a device, such as that of an array library.
///
/// Work that is enqueued in it is done in order; work of two streams is not, unless one is told to wait for the other.
///
/// ```
/// use warpswarm::Stream;
/// // SAFETY: every context has its default stream.
/// let default = unsafe { Stream::new(0) };
/// assert_eq!(default.handle(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The stream with a handle: a `cudaStream_t` as an integer, 0 for the default stream.
    ///
    /// # Safety
    ///
    /// The handle is one of the device's primary context, and valid for as long as this value is used.
    pub const unsafe fn new(handle: u64) -> Self {
        Stream(handle)
    }

    /// The handle.
    pub const fn handle(self) -> u64 {
        self.0
    }
}

/// Memory of a device that lives as long as this, even where the machine that has lent it is gone.
pub(crate) trait Loan: Send + Sync + fmt::Debug {
    /// Where it begins.
    fn address(&self) -> u64;
    /// The number of the device.
    fn device(&self) -> u32;
    /// The stream in which the machine that has lent it writes.
    fn stream(&self) -> Stream;
    /// Has what is enqueued in a stream from now on wait for what the machine has enqueued so far.
    fn ready_for(&self, stream: Stream) -> Result<()>;
}
