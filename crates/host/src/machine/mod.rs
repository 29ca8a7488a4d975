//! What a device can do, be it a GPU or the emulator.

#[cfg(feature = "emulator")]
pub(crate) mod emulator;
pub(crate) mod gpu;
pub(crate) mod kernels;
mod loan;
pub(crate) mod pages;
mod parameter;
pub(crate) mod plain;
#[cfg(feature = "problem-files")]
pub(crate) mod program;
#[cfg(not(feature = "problem-files"))]
#[path = "program/none.rs"]
pub(crate) mod program;
pub mod system;

use std::fmt;
use std::sync::Arc;

pub(crate) use loan::Loan;
pub use loan::Stream;
pub(crate) use parameter::Parameter;
use program::Program;

use crate::error::Result;
use crate::settings::communicator::Communicator;
use kernels::Kernels;

/// A kernel's entry, or an objective, by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    pub(crate) name: String,
    /// Where it is, unless it is built in.
    pub(crate) own: Option<Kernels>,
    /// What it is put together from, if it is an expression.
    pub(crate) program: Option<Arc<Program>>,
}

/// Threads that have the registers of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Residency {
    /// Of a block, at most.
    pub(crate) threads: u32,
    /// Blocks of that size at the same time, at least.
    pub(crate) blocks: u32,
}

/// What the names of kernels begin with that ask a model for rows.
const MODEL_KERNELS: [&str; 3] = ["fit_", "search_", "sums_"];

/// A kernel: an entry, and the objective that it is linked with, if it evaluates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Kernel {
    pub(crate) entry: Piece,
    pub(crate) objective: Option<Piece>,
    /// How many threads a multiprocessor shall hold, if no more than a few registers have to be spilled for that; otherwise, and where
    /// nothing is said, as many as the kernel's own text says.
    pub(crate) wish: Option<Residency>,
    /// Words of its argument that are known when it is loaded, by their place in bytes: they become constants in its text, unless there are
    /// too many texts of the kernel already. All launches have these words.
    pub(crate) known: Vec<(u32, u32)>,
}

impl Kernel {
    /// A kernel that evaluates nothing.
    pub(crate) fn new(name: String, own: Option<Kernels>) -> Self {
        Kernel { entry: Piece { name, own, program: None }, ..Kernel::default() }
    }

    /// Whether it is linked with a model, not with an objective: it fits one.
    pub(crate) fn is_of_model(&self) -> bool {
        MODEL_KERNELS.iter().any(|begin| self.entry.name.starts_with(begin))
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.entry.name)?;
        match &self.objective {
            None => Ok(()),
            Some(objective) => write!(f, " with {}", objective.name),
        }
    }
}

/// A device with memory of its own, and a queue of work that it does in order.
pub(crate) trait Machine: Send {
    /// The device in words.
    fn name(&self) -> String;
    /// What no other device is called, wherever it is.
    fn identity(&mut self) -> Result<String>;
    /// Its multiprocessors.
    fn multiprocessors(&self) -> u32;
    /// Whether it has bulk copies.
    fn has_bulk_copies(&self) -> bool;
    /// How many such blocks of a kernel a multiprocessor runs at the same time; 0 where a block has more threads than the kernel may have.
    fn occupancy(&mut self, kernel: &Kernel, block: u32, shared: u32) -> Result<u32>;
    /// How many clusters of `shape` the device runs at the same time; 0 where it has none, or none of that size.
    fn clusters(&mut self, kernel: &Kernel, shape: Shape) -> Result<u32>;
    /// Makes a kernel ready to be launched.
    fn load(&mut self, kernel: &Kernel) -> Result<()>;
    /// The address of so many bytes, zeroed and aligned to 256; freed with the machine.
    fn allocate(&mut self, bytes: u64) -> Result<u64>;
    /// The same of memory that the host sees while kernels run that write it.
    fn allocate_visible(&mut self, bytes: u64) -> Result<u64>;
    /// Allocates arrays of so many bytes each, and writes down their addresses. A GPU takes one block for all: calls of its driver
    /// for memory are slow.
    fn allocate_all(&mut self, arrays: &mut [(&mut u64, u64)]) -> Result<()> {
        for (address, bytes) in arrays {
            **address = self.allocate(*bytes)?;
        }
        Ok(())
    }
    /// Zeroes allocated memory.
    fn zero(&mut self, address: u64, bytes: u64) -> Result<()>;
    /// Copies to allocated memory.
    fn upload(&mut self, address: u64, from: &[u8]) -> Result<()>;
    /// Waits until all work is done, then copies from allocated memory.
    fn download(&mut self, address: u64, to: &mut [u8]) -> Result<()>;
    /// So many bytes for others to read, zeroed and aligned to 256: their memory lives as long as the loan.
    fn lend(&mut self, bytes: u64) -> Result<Arc<dyn Loan>>;
    /// Whether so many bytes are there that kernels of this device may read, whoever has allocated them; where not, that is an error.
    fn check_foreign(&mut self, address: u64, bytes: u64) -> Result<()>;
    /// Has what is enqueued from now on wait for what others have enqueued so far.
    fn follow_stream(&mut self, stream: Stream) -> Result<()>;
    /// Enqueues a copy of allocated memory into another device's, which must not be freed before it is done: see
    /// [`finish`](Machine::finish).
    fn copy_to(&mut self, from: u64, other: &Self, to: u64, bytes: u64) -> Result<()>
    where
        Self: Sized;
    /// Marks all that has been enqueued so far.
    fn mark(&mut self) -> Result<()>;
    /// Has what is enqueued from now on wait for what another device has marked.
    fn follow(&mut self, other: &Self) -> Result<()>
    where
        Self: Sized;
    /// Meets the devices of other ranks, one of each, which all do the same; whether they can exchange anything by themselves.
    fn connect(&mut self, _: &dyn Communicator) -> Result<bool> {
        Ok(false)
    }
    /// Enqueues that every device has at `address` what each of them has at that of its own, `[rank]` and of so many bytes each,
    /// among which its own already are. Only where they have connected.
    fn all_gather(&mut self, _address: u64, _bytes: u64) -> Result<()> {
        unreachable!("no device has connected")
    }
    /// Waits until all work is done.
    fn finish(&mut self) -> Result<()>;
    /// Enqueues a kernel; `parameter` is its one parameter, with the objective at its end.
    fn launch(&mut self, kernel: &Kernel, shape: Shape, parameter: &Parameter) -> Result<()>;
    /// The same, and serves the kernel until that is done.
    fn launch_served(
        &mut self,
        kernel: &Kernel,
        shape: Shape,
        parameter: &Parameter,
        service: &mut dyn Service,
    ) -> Result<()>;
}

/// Every array of a block begins at a multiple of this, as arrays do that are allocated alone.
const ALIGNMENT: u64 = 256;

/// Bytes of a block for arrays of so many bytes each.
fn bytes_of_block(arrays: &[(&mut u64, u64)]) -> u64 {
    arrays.iter().map(|(_, bytes)| bytes.next_multiple_of(ALIGNMENT)).sum()
}

/// Writes down where arrays lie in a block at `next`; one without bytes has no address.
fn place_in_block(arrays: &mut [(&mut u64, u64)], mut next: u64) {
    for (address, bytes) in arrays {
        **address = if *bytes == 0 { 0 } else { next };
        next += bytes.next_multiple_of(ALIGNMENT);
    }
}

/// What the host can do with a device's memory while a kernel runs: each word at once, in whatever order.
pub(crate) trait Desk {
    /// Reads memory that it [sees](Machine::allocate_visible).
    fn read(&mut self, address: u64, to: &mut [u64]) -> Result<()>;
    /// Writes other allocated memory.
    fn write(&mut self, address: u64, from: &[u64]) -> Result<()>;
}

/// What the host does for a kernel while it runs.
pub(crate) trait Service {
    /// Does what there is to do now; whether there was anything. After an error the kernel must end by itself.
    fn serve(&mut self, desk: &mut dyn Desk) -> Result<bool>;
    /// Whether nothing is left to be done.
    fn is_done(&self) -> bool;
}

/// The sizes of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Blocks.
    pub(crate) grid: u32,
    /// Threads of a block.
    pub(crate) block: u32,
    /// Bytes of a block's shared memory.
    pub(crate) shared: u32,
    /// Whether all blocks run at the same time.
    pub(crate) cooperative: bool,
    /// Blocks of a cluster; 0 for none.
    pub(crate) cluster: u32,
}

impl Shape {
    /// A launch of one cluster.
    pub(crate) fn cluster(blocks: u32, block: u32, shared: u32) -> Self {
        Shape { grid: blocks, block, shared, cooperative: false, cluster: blocks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_a_block_are_aligned_and_apart() {
        let mut at = [7; 5];
        let mut arrays: Vec<_> = at.iter_mut().zip([4, 256, 0, 257, 8]).collect();
        // 256, 256, 0, 512 and 256.
        assert_eq!(bytes_of_block(&arrays), 1280);
        place_in_block(&mut arrays, 0x1000);
        assert_eq!(at, [0x1000, 0x1100, 0, 0x1200, 0x1400]);
        assert_eq!(bytes_of_block(&[]), 0);
    }
}
