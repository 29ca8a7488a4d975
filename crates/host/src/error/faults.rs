//! Calls to a device, and for files, that fail because a test wants them to.
//!
//! Whoever makes such a call asks `due` first. Calls are counted for each thread: one alone drives a device and writes
//! files, and tests run side by side. Without the feature `faults` nothing is counted and nothing fails.

use std::io::{self, Write};

/// What a call is made for.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// To have a device's queue.
    Open,
    /// To make a kernel ready.
    Load,
    /// To ask how many blocks of a kernel fit.
    Ask,
    /// To have a device's memory.
    Allocate,
    /// To zero it.
    Zero,
    /// To copy to it.
    Upload,
    /// To copy from it.
    Download,
    /// To have devices wait for each other.
    Mark,
    /// To have a kernel run.
    Launch,
    /// To have a new file or folder.
    Create,
    /// To write into a file.
    Write,
    /// To bring a file to the disk.
    Sync,
    /// To give a file or a folder another name.
    Rename,
    /// To bring a folder's names to the disk.
    SyncFolder,
}

/// Whether the call that is about to be made is to fail instead.
#[cfg(not(any(test, feature = "faults")))]
#[inline(always)]
pub(crate) fn due(_: Call) -> bool {
    false
}

/// What a call for a file says that is to fail.
#[doc(hidden)]
#[inline]
pub fn before(call: Call) -> io::Result<()> {
    if due(call) {
        Err(io::Error::new(io::ErrorKind::StorageFull, "no space left"))
    } else {
        Ok(())
    }
}

/// A file whose writes may fail, half done.
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
        /// The calls before the one that fails; none where none does.
        static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
        static FAILED: Cell<Option<Call>> = const { Cell::new(None) };
        static HELD: Cell<u64> = const { Cell::new(0) };
        static ON_DEVICE: Cell<bool> = const { Cell::new(false) };
        static SHUFFLED: Cell<Option<u64>> = const { Cell::new(None) };
    }

    /// What `run` gives where call number `n` of this thread, from 0, fails, and what that call was for: none where
    /// there were no more than `n`.
    #[doc(hidden)]
    pub fn at<T>(n: u64, run: impl FnOnce() -> T) -> (T, Option<Call>) {
        LEFT.set(Some(n));
        FAILED.set(None);
        let given = run();
        LEFT.set(None);
        (given, FAILED.get())
    }

    /// Bytes of devices that optimisers of this thread have allocated and not freed.
    #[doc(hidden)]
    pub fn held() -> u64 {
        HELD.get()
    }

    /// What `run` gives where a GPU polishes all runs for which it has a kernel, however fast the CPU would be.
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

    /// What `run` gives where the emulator's threads and blocks run in a random order of this seed, some of them kept behind.
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
        // A device may be freed by another thread than the one that filled it.
        HELD.set(HELD.get().saturating_sub(bytes));
    }
}

/// The compute capability that a GPU is taken to have: with the feature `faults` an older one, where the environment variable
/// `WARPSWARM_PASSES_FOR` names it, such as `7.5`.
pub(crate) fn passing_for(found: (u32, u32)) -> (u32, u32) {
    #[cfg(feature = "faults")]
    if let Ok(said) = std::env::var("WARPSWARM_PASSES_FOR") {
        let (major, minor) = said.split_once('.').expect("a compute capability, such as 7.5");
        let number = |text: &str| text.parse().expect("a number");
        return found.min((number(major), number(minor)));
    }
    found
}

/// The most texts of a kernel in which words of its argument are constants: with the feature `faults` as many as the environment
/// variable `WARPSWARM_KNOWN_TEXTS` says, so that tests go through many.
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
