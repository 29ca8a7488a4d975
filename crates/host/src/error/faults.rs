//! Injected faults: calls to devices and file operations that fail because a test asks for it.
//!
//! Code that makes such a call first asks `due`. Calls are counted per thread, because a single thread drives a device
//! and writes files, and tests run in parallel. Without the feature `faults` nothing is counted and nothing fails.

use std::io::{self, Write};

/// The kind of a call.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Create a device's queue (stream).
    Open,
    /// Load a kernel.
    Load,
    /// Query how many blocks of a kernel fit.
    Ask,
    /// Allocate memory on a device.
    Allocate,
    /// Fill it with zeros.
    Zero,
    /// Copy to the device.
    Upload,
    /// Copy from the device.
    Download,
    /// Let devices wait for each other.
    Mark,
    /// Launch a kernel.
    Launch,
    /// Create a file or folder.
    Create,
    /// Write to a file.
    Write,
    /// Flush a file to disk.
    Sync,
    /// Rename a file or folder.
    Rename,
    /// Flush a folder's entries to disk.
    SyncFolder,
}

/// Whether the next call must fail.
#[cfg(not(any(test, feature = "faults")))]
#[inline(always)]
pub(crate) fn due(_: Call) -> bool {
    false
}

/// The error of a file operation that must fail.
#[doc(hidden)]
#[inline]
pub fn before(call: Call) -> io::Result<()> {
    if due(call) {
        Err(io::Error::new(io::ErrorKind::StorageFull, "no space left"))
    } else {
        Ok(())
    }
}

/// A writer whose writes may fail after half of the bytes.
#[doc(hidden)]
#[derive(Debug)]
pub struct Written<W>(pub W);

impl<W: Write> Write for Written<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = before(Call::Write) {
            self.0.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(any(test, feature = "faults"))]
pub use on_demand::*;

#[cfg(any(test, feature = "faults"))]
mod on_demand {
    use std::cell::Cell;

    use super::Call;

    thread_local! {
        /// The number of calls before the one that fails; `None` if no call fails.
        static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
        static FAILED: Cell<Option<Call>> = const { Cell::new(None) };
        static HELD: Cell<u64> = const { Cell::new(0) };
        static ON_DEVICE: Cell<bool> = const { Cell::new(false) };
        static SHUFFLED: Cell<Option<u64>> = const { Cell::new(None) };
    }

    /// The result of `run` if call number `n` of this thread, counted from 0, fails, and the kind of that call; `None`
    /// if there were at most `n` calls.
    #[doc(hidden)]
    pub fn at<T>(n: u64, run: impl FnOnce() -> T) -> (T, Option<Call>) {
        LEFT.set(Some(n));
        FAILED.set(None);
        let given = run();
        LEFT.set(None);
        (given, FAILED.get())
    }

    /// Bytes of device memory that optimisers of this thread have allocated and not freed.
    #[doc(hidden)]
    pub fn held() -> u64 {
        HELD.get()
    }

    /// The result of `run` if a GPU polishes all runs for which it has a kernel, even if the CPU is faster.
    #[doc(hidden)]
    pub fn polishing_on_device<T>(run: impl FnOnce() -> T) -> T {
        ON_DEVICE.set(true);
        let given = run();
        ON_DEVICE.set(false);
        given
    }

    pub(crate) fn polishes_on_device() -> bool {
        ON_DEVICE.get()
    }

    /// The result of `run` if the emulator runs threads and blocks in a random order with this seed, some of them
    /// delayed.
    #[doc(hidden)]
    pub fn shuffled<T>(seed: u64, run: impl FnOnce() -> T) -> T {
        SHUFFLED.set(Some(seed));
        let given = run();
        SHUFFLED.set(None);
        given
    }

    #[cfg(feature = "emulator")]
    pub(crate) fn shuffle_seed() -> Option<u64> {
        SHUFFLED.get()
    }

    pub(crate) fn due(call: Call) -> bool {
        let left = LEFT.get();
        LEFT.set(left.and_then(|left| left.checked_sub(1)));
        if left == Some(0) {
            FAILED.set(Some(call));
        }
        left == Some(0)
    }

    pub(crate) fn allocated(bytes: u64) {
        HELD.set(HELD.get() + bytes);
    }

    pub(crate) fn freed(bytes: u64) {
        // Memory may be freed by a different thread than the one that allocated it.
        HELD.set(HELD.get().saturating_sub(bytes));
    }
}

/// The compute capability to assume for a GPU. With the feature `faults`, the environment variable
/// `WARPSWARM_PASSES_FOR` can name an older one, such as `7.5`.
pub(crate) fn passing_for(found: (u32, u32)) -> (u32, u32) {
    #[cfg(feature = "faults")]
    if let Ok(said) = std::env::var("WARPSWARM_PASSES_FOR") {
        let (major, minor) = said.split_once('.').expect("a compute capability, such as 7.5");
        let number = |text: &str| text.parse().expect("a number");
        return found.min((number(major), number(minor)));
    }
    found
}

/// The largest number of compiled texts of a kernel in which words of the argument are constants. With the feature
/// `faults`, the environment variable `WARPSWARM_KNOWN_TEXTS` sets it, so that tests can reach the limit.
pub(crate) fn known_texts(usual: usize) -> usize {
    #[cfg(feature = "faults")]
    if let Ok(said) = std::env::var("WARPSWARM_KNOWN_TEXTS") {
        return said.parse().expect("a number");
    }
    usual
}

#[cfg(not(any(test, feature = "faults")))]
#[inline(always)]
pub(crate) fn polishes_on_device() -> bool {
    false
}

#[cfg(all(feature = "emulator", not(any(test, feature = "faults"))))]
#[inline(always)]
pub(crate) fn shuffle_seed() -> Option<u64> {
    None
}

#[cfg(not(any(test, feature = "faults")))]
#[inline(always)]
pub(crate) fn allocated(_: u64) {}

#[cfg(not(any(test, feature = "faults")))]
#[inline(always)]
pub(crate) fn freed(_: u64) {}
