//! Device memory that other code reads, and the streams of that code.
#![allow(unsafe_code)]

use std::fmt;

use crate::error::Result;

/// A stream of work of other code on a device, such as that of an array library.
///
/// Work in one stream is done in order. Work in two streams is not ordered, unless one of them waits for the other.
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

/// Device memory that lives as long as this value, even if the machine that has lent it is dropped.
pub(crate) trait Loan: Send + Sync + fmt::Debug {
    /// Its address.
    fn address(&self) -> u64;
    /// The number of the device.
    fn device(&self) -> u32;
    /// The stream in which the lending machine writes.
    fn stream(&self) -> Stream;
    /// Lets work that is enqueued in a stream from now on wait for the work that the machine has enqueued so far.
    fn ready_for(&self, stream: Stream) -> Result<()>;
}
