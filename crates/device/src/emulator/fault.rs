//! Faults of kernels, and where they occur.

use core::fmt;
use core::panic::Location;

/// What can be wrong if a thread reads memory without a value.
pub(super) const UNWRITTEN: &str =
    "which no thread has written yet: a barrier is missing, or the index is wrong";

/// The first fault of any thread in a launch under the emulator.
///
/// `block` and `thread` are absent if the launch itself is at fault, `place` if the emulator does not know one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kernel}: {}{kind}{}: {message}", Who(.block, .thread), At(.place))]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The kernel's name.
    pub kernel: &'static str,
    /// The block of the thread that met the fault.
    pub block: Option<u32>,
    /// The index in its block of the thread that met the fault.
    pub thread: Option<u32>,
    /// Where in the kernel's source that thread was.
    pub place: Option<Place>,
    /// What happened, in words.
    pub message: String,
}

impl Fault {
    /// A fault of the launch, not of a thread.
    pub(super) fn of_launch(kind: FaultKind, kernel: &'static str, message: String) -> Self {
        Fault { kind, kernel, block: None, thread: None, place: None, message }
    }
}

/// The kinds of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// The launch is impossible: wrong sizes, a launch from inside a kernel, or no memory for threads.
    Launch,
    /// The argument does not have the size of the kernel's parameter.
    Argument,
    /// The block is larger than the kernel's `max_block`.
    BlockTooLarge,
    /// The kernel ended the launch: an index is beyond the end of a view or of a shared array, or the kernel called `abort`.
    Trap,
    /// The block's shared memory was used beyond its end, or an absent array was used.
    OutOfBounds,
    /// An address is not a multiple of the alignment of its access.
    Misaligned,
    /// Shared memory was read that this block has not written.
    Uninitialised,
    /// Two threads accessed the same memory, one of them writing, without a barrier between; for two blocks, without a
    /// fence.
    Race,
    /// Not all threads of a block reached the same barrier.
    DivergentBarrier,
    /// Not all lanes of a warp reached the same collective operation.
    DivergentWarp,
    /// Threads wait for each other for ever.
    Deadlock,
    /// The kernel panicked: an overflow, an index, an assertion.
    Panic,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Launch => "launch refused",
            FaultKind::Argument => "wrong argument",
            FaultKind::BlockTooLarge => "block too large",
            FaultKind::Trap => "trap",
            FaultKind::OutOfBounds => "out of bounds",
            FaultKind::Misaligned => "misaligned address",
            FaultKind::Uninitialised => "uninitialised shared memory",
            FaultKind::Race => "race",
            FaultKind::DivergentBarrier => "divergent barrier",
            FaultKind::DivergentWarp => "divergent warp operation",
            FaultKind::Deadlock => "deadlock",
            FaultKind::Panic => "panic",
        })
    }
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl From<&Location<'_>> for Place {
    fn from(location: &Location<'_>) -> Self {
        Place { file: location.file().to_owned(), line: location.line(), column: location.column() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// "block 3, thread 17: ", or nothing.
struct Who<'a>(&'a Option<u32>, &'a Option<u32>);

impl fmt::Display for Who<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who(Some(block), Some(thread)) => write!(f, "block {block}, thread {thread}: "),
            _ => Ok(()),
        }
    }
}

/// " at file:line:column", or nothing.
struct At<'a>(&'a Option<Place>);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(place) => write!(f, " at {place}"),
            None => Ok(()),
        }
    }
}
