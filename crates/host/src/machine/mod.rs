//! The interface of a device: a GPU or the emulator.

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

/// The name of a kernel's entry, or of an objective.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    pub(crate) name: String,
    /// The package that contains it, unless it is built in.
    pub(crate) own: Option<Kernels>,
    /// The program from which it is built, if it is an expression.
    pub(crate) program: Option<Arc<Program>>,
}

/// The threads among which a multiprocessor's registers are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Residency {
    /// The largest number of threads of a block.
    pub(crate) threads: u32,
    /// The smallest number of resident blocks of that size.
    pub(crate) blocks: u32,
}

/// The prefixes of the names of kernels that evaluate rows of a model.
const MODEL_KERNELS: [&str; 3] = ["fit_", "search_", "sums_"];

/// A kernel: an entry, and the objective with which it is linked, if it evaluates one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Kernel {
    pub(crate) entry: Piece,
    pub(crate) objective: Option<Piece>,
    /// The number of threads that a multiprocessor should hold, if this spills at most a few registers. Otherwise, and
    /// by default, the launch bounds in the kernel's text apply.
    pub(crate) residency: Option<Residency>,
    /// Words of its argument that are known when it is loaded, with their byte offsets. They become constants in the
    /// PTX text, unless the kernel has too many variants already. All launches must have these words.
    pub(crate) known: Vec<(u32, u32)>,
}

impl Kernel {
    /// A kernel that evaluates no objective.
    pub(crate) fn new(name: String, own: Option<Kernels>) -> Self {
        Kernel { entry: Piece { name, own, program: None }, ..Kernel::default() }
    }

    /// Whether it is linked with a model rather than an objective, to fit it.
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

/// A device with its own memory, and a queue of work that is done in order.
pub(crate) trait Machine: Send {
    /// A description of the device.
    fn name(&self) -> String;
    /// A globally unique name of the device.
    fn identity(&mut self) -> Result<String>;
    /// The number of multiprocessors.
    fn multiprocessors(&self) -> u32;
    /// Whether it supports bulk copies.
    fn has_bulk_copies(&self) -> bool;
    /// How many blocks of this size a multiprocessor runs at the same time; 0 if the kernel does not support blocks
    /// with so many threads.
    fn occupancy(&mut self, kernel: &Kernel, block: u32, shared: u32) -> Result<u32>;
    /// The number of clusters of `shape` that run on the device at the same time; 0 if it does not support clusters, or
    /// not of that size.
    fn clusters(&mut self, kernel: &Kernel, shape: Shape) -> Result<u32>;
    /// Loads a kernel, so that it can be launched.
    fn load(&mut self, kernel: &Kernel) -> Result<()>;
    /// Allocates memory: zeroed, aligned to 256 bytes, and freed with the machine. Returns the address.
    fn allocate(&mut self, bytes: u64) -> Result<u64>;
    /// As [`allocate`](Machine::allocate), for memory that the host can read while kernels write it.
    fn allocate_visible(&mut self, bytes: u64) -> Result<u64>;
    /// Allocates arrays of these sizes in bytes, and stores their addresses. A GPU allocates a single block for all,
    /// because allocations by the driver are slow.
    fn allocate_all(&mut self, arrays: &mut [(&mut u64, u64)]) -> Result<()> {
        for (address, bytes) in arrays {
            **address = self.allocate(*bytes)?;
        }
        Ok(())
    }
    /// Fills allocated memory with zeros.
    fn zero(&mut self, address: u64, bytes: u64) -> Result<()>;
    /// Copies to allocated memory.
    fn upload(&mut self, address: u64, from: &[u8]) -> Result<()>;
    /// Waits until all work is done, then copies from allocated memory.
    fn download(&mut self, address: u64, to: &mut [u8]) -> Result<()>;
    /// Allocates memory that other code can read, zeroed and aligned to 256 bytes; it lives as long as the loan.
    fn lend(&mut self, bytes: u64) -> Result<Arc<dyn Loan>>;
    /// Checks that this many bytes at an address are allocated, by any code, where kernels of this device can read
    /// them.
    fn check_foreign(&mut self, address: u64, bytes: u64) -> Result<()>;
    /// Lets work that is enqueued from now on wait for the work in another stream.
    fn follow_stream(&mut self, stream: Stream) -> Result<()>;
    /// Enqueues a copy of allocated memory to another device's memory, which must not be freed before the copy is done:
    /// see [`finish`](Machine::finish).
    fn copy_to(&mut self, from: u64, other: &Self, to: u64, bytes: u64) -> Result<()>
    where
        Self: Sized;
    /// Marks the work that has been enqueued so far.
    fn mark(&mut self) -> Result<()>;
    /// Lets work that is enqueued from now on wait for what another device has marked.
    fn follow(&mut self, other: &Self) -> Result<()>
    where
        Self: Sized;
    /// Forms a group with the devices of other ranks, one for each; all ranks call this. Returns whether the devices
    /// can exchange data directly.
    fn connect(&mut self, _: &dyn Communicator) -> Result<bool> {
        Ok(false)
    }
    /// Enqueues an all-gather: afterwards every device has at `address` the bytes of all ranks, `[rank]`, with this
    /// many bytes from each. Its own bytes must already be in their place. Only after [`connect`](Machine::connect) has
    /// returned `true`.
    fn all_gather(&mut self, _address: u64, _bytes: u64) -> Result<()> {
        unreachable!("no device has connected")
    }
    /// Waits until all work is done.
    fn finish(&mut self) -> Result<()>;
    /// Enqueues a kernel; `parameter` is its only parameter, with the objective at its end.
    fn launch(&mut self, kernel: &Kernel, shape: Shape, parameter: &Parameter) -> Result<()>;
    /// As [`launch`](Machine::launch), and serves the kernel until the service is done.
    fn launch_served(
        &mut self,
        kernel: &Kernel,
        shape: Shape,
        parameter: &Parameter,
        service: &mut dyn Service,
    ) -> Result<()>;
}

/// The alignment of arrays in a block, as of arrays that are allocated separately.
const ALIGNMENT: u64 = 256;

/// The size of a block for arrays of these sizes, in bytes.
fn bytes_of_block(arrays: &[(&mut u64, u64)]) -> u64 {
    arrays.iter().map(|(_, bytes)| bytes.next_multiple_of(ALIGNMENT)).sum()
}

/// Stores the addresses of arrays in a block at `next`; an empty array has address 0.
fn place_in_block(arrays: &mut [(&mut u64, u64)], mut next: u64) {
    for (address, bytes) in arrays {
        **address = if *bytes == 0 { 0 } else { next };
        next += bytes.next_multiple_of(ALIGNMENT);
    }
}

/// How the host accesses device memory while a kernel runs. Each word is read and written atomically, in any order.
pub(crate) trait LiveMemory {
    /// Reads memory that is [visible](Machine::allocate_visible) to the host.
    fn read(&mut self, address: u64, to: &mut [u64]) -> Result<()>;
    /// Writes other allocated memory.
    fn write(&mut self, address: u64, from: &[u64]) -> Result<()>;
}

/// Work that the host does for a kernel while it runs.
pub(crate) trait Service {
    /// Does the work that is available now; returns whether there was any. After an error the kernel must end on its
    /// own.
    fn serve(&mut self, memory: &mut dyn LiveMemory) -> Result<bool>;
    /// Whether no work is left.
    fn is_done(&self) -> bool;
}

/// The sizes of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The number of blocks.
    pub(crate) grid: u32,
    /// The number of threads per block.
    pub(crate) block: u32,
    /// Bytes of shared memory per block.
    pub(crate) shared: u32,
    /// Whether all blocks must run at the same time.
    pub(crate) cooperative: bool,
    /// The number of blocks per cluster; 0 without clusters.
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
        // The block sizes are 256, 256, 0, 512 and 256.
        assert_eq!(bytes_of_block(&arrays), 1280);
        place_in_block(&mut arrays, 0x1000);
        assert_eq!(at, [0x1000, 0x1100, 0, 0x1200, 0x1400]);
        assert_eq!(bytes_of_block(&[]), 0);
    }
}
