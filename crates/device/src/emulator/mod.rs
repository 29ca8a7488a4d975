//! The GPU on the host: every GPU thread is a coroutine, and barriers and shuffles switch between them.
//!
//! [`launch`] runs a kernel's [`Entry`] to its end on the calling thread. It reports what compute-sanitizer would find
//! on a GPU, with kernel, block, thread and source line ([`Fault`]):
//!
//! * threads of a block at different barriers, lanes of a warp at different operations, or threads that have left while
//!   others wait;
//! * views and shared memory used out of bounds, misaligned or null addresses;
//! * shared memory read before it was written, and conflicting accesses without a barrier between;
//! * global memory written after another thread's write without a barrier between, or after another block's without a
//!   fence;
//! * threads that spin for a write that never comes, and panics.
//!
//! A read of global memory that is not ordered after a write returns numbers that spoil every result computed from
//! them, as may happen on a GPU. A write that changes nothing does not count as one.
//!
//! The emulator does not detect global memory that is written before another thread has read it, a loop that never
//! waits, and orderings of atomic accesses that are weaker than the host's: every thread sees every write at once. If
//! kernels call device functions through closures or other crates, the reported place is the nearest call that the
//! compiler tracks.
//!
//! Threads run in a fixed order, each until it waits; a warp whose lanes have all reached a warp operation runs ahead
//! of the others. Blocks run one after the other; with `cooperative` all blocks are alive at the same time, and the
//! blocks of a cluster always are. [`LaunchConfig::shuffle_seed`] selects a random order, in which some threads also
//! wait for a long time, and threads switch between accesses to global memory too. The same seed gives the same order.
//!
//! Any number of operating-system threads may launch at the same time. Together they have at most 24,576 emulated
//! threads alive; a launch that needs more waits for others to end. A kernel has 128 KiB of stack.

mod collective;
mod context;
mod fault;
mod fibre;
mod global;
pub(crate) mod machine;
mod memory;
mod panics;
mod schedule;
mod stacks;
mod state;
mod writes;

pub use fault::{Fault, FaultKind, Place};

use core::any::TypeId;
use core::mem::MaybeUninit;

use warpswarm_core::launch::MAX_CLUSTER;
use warpswarm_core::objective::Objective;
use warpswarm_core::order::Fitness;

use crate::objective::{self, Form, ObjectiveArgs};
use crate::view::DeviceReal;

/// The largest block of any GPU.
const MAX_BLOCK: u32 = 1024;

/// The sizes of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks, at least 1.
    pub grid: u32,
    /// Threads in a block: a multiple of 32, at most 1024.
    pub block: u32,
    /// Bytes of shared memory that each block has.
    pub shared_bytes: u32,
    /// Whether all blocks are alive at the same time, so that they may wait for each other: at most 24,576 threads.
    pub cooperative: bool,
    /// Neighbouring blocks that form a cluster, at most 16; `grid` is a multiple. 0 for none.
    pub cluster: u32,
    /// The seed of a random order of threads and blocks; `None` for the fixed one.
    pub shuffle_seed: Option<u64>,
}

impl LaunchConfig {
    /// Blocks that are alive at the same time.
    fn together(&self) -> u32 {
        if self.cooperative { self.grid } else { self.cluster.max(1) }
    }
}

/// A kernel that can be launched: a row of the table that [`entries!`](crate::entries) makes.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    name: &'static str,
    argument_bytes: usize,
    /// A `fn(T)`; only `call` knows `T`.
    body: fn(),
    call: unsafe fn(fn(), *const u8),
}

impl Entry {
    /// The entry `name`, whose one parameter is a `T`.
    pub const fn new<T: Copy>(name: &'static str, body: fn(T)) -> Entry {
        // SAFETY: function pointers have one size; `call::<T>` turns it back before it is called.
        let body = unsafe { core::mem::transmute::<fn(T), fn()>(body) };
        Entry { name, argument_bytes: size_of::<T>(), body, call: call::<T> }
    }

    /// The name by which the host launches it.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The size of its parameter.
    pub const fn argument_bytes(&self) -> usize {
        self.argument_bytes
    }

    /// Runs the kernel's body in the calling emulated thread.
    ///
    /// # Safety
    /// `argument` points to the bytes of the parameter.
    unsafe fn call(&self, argument: *const u8) {
        // SAFETY: `new` has made both for the same `T`; the caller guarantees the argument.
        unsafe { (self.call)(self.body, argument) }
    }
}

/// An objective that kernels can be linked with: a row of the table that
/// [`objectives!`](crate::objectives) makes.
#[derive(Clone, Copy, Debug)]
pub struct Linkable {
    name: &'static str,
    bytes: usize,
    align: usize,
    /// The type of the points that it is for.
    form: fn() -> TypeId,
    judge: unsafe fn(*const u8, *const (), *mut ()),
}

impl Linkable {
    /// The objective `name`, an `O`, for points of type `P`.
    pub const fn new<R: DeviceReal, O: Objective<R>, P: Form<R>>(name: &'static str) -> Self {
        let (bytes, align) = (size_of::<ObjectiveArgs<R, O>>(), align_of::<ObjectiveArgs<R, O>>());
        Linkable { name, bytes, align, form: TypeId::of::<(R, P)>, judge: judge::<R, O, P> }
    }

    /// The name by which the host links it.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The place of its bytes in the parameter of a kernel whose own arguments end at `end`.
    pub const fn begin(&self, end: usize) -> usize {
        end.next_multiple_of(self.align)
    }
}

/// # Safety
/// `objective` points to the bytes of an `ObjectiveArgs<R, O>` whose data exist, `point` to a `P`, `fitness` to a
/// `Fitness<R>`.
unsafe fn judge<R: DeviceReal, O: Objective<R>, P: Form<R>>(
    objective: *const u8,
    point: *const (),
    fitness: *mut (),
) {
    // SAFETY: the caller upholds this.
    unsafe {
        let args = objective.cast::<ObjectiveArgs<R, O>>().read_unaligned();
        *fitness.cast::<Fitness<R>>() = objective::at::<R, O, P>(&args, &*point.cast::<P>());
    }
}

/// # Safety
/// `body` is a `fn(T)`; `argument` points to the bytes of a `T`.
unsafe fn call<T: Copy>(body: fn(), argument: *const u8) {
    // SAFETY: the caller upholds this.
    let (body, argument) = unsafe {
        (core::mem::transmute::<fn(), fn(T)>(body), argument.cast::<T>().read_unaligned())
    };
    body(argument);
}

/// Runs a kernel to its end.
///
/// # Errors
/// The first [`Fault`] of a thread, or what is wrong with the launch itself. The emulator can be used again after a
/// fault; what the kernel wrote until then stays written.
///
/// # Safety
/// `argument` holds the bytes of a valid parameter of the entry's type. The addresses in it are those of arrays as the
/// kernel's contract describes them. They stay allocated, and nothing else accesses them until this returns.
pub unsafe fn launch(
    entry: &Entry,
    config: &LaunchConfig,
    argument: &[MaybeUninit<u8>],
) -> Result<(), Fault> {
    // SAFETY: the caller upholds this.
    unsafe { launch_linked(entry, None, config, argument, &mut || false) }
}

/// Runs a kernel to its end, linked with an objective whose bytes follow the kernel's own arguments in `argument`, from
/// [`Linkable::begin`] on. When all threads wait, `meanwhile` is called. It may change what kernels read by atomic
/// loads, and returns whether it has.
///
/// # Errors
/// See [`launch`]; also if the objective is for points of another form than the kernel's.
///
/// # Safety
/// As for [`launch`]. The arguments are followed by the bytes of a valid [`ObjectiveArgs`] of the objective's type,
/// whose arrays are as it describes them.
pub unsafe fn launch_linked(
    entry: &Entry,
    objective: Option<&Linkable>,
    config: &LaunchConfig,
    argument: &[MaybeUninit<u8>],
    meanwhile: &mut dyn FnMut() -> bool,
) -> Result<(), Fault> {
    let refuse = |kind, message| Err(Fault::of_launch(kind, entry.name, message));
    if context::in_launch() {
        return refuse(FaultKind::Launch, "a kernel cannot launch another one".to_owned());
    }
    let LaunchConfig { grid, block, .. } = *config;
    if block == 0 || block > MAX_BLOCK || !block.is_multiple_of(32) {
        let message = format!("{block} threads a block: not a multiple of 32 up to {MAX_BLOCK}");
        return refuse(FaultKind::Launch, message);
    }
    if grid == 0 || u64::from(grid) * u64::from(block) > u64::from(u32::MAX) {
        let message = format!("{grid} blocks of {block} threads: not 1 to 2^32 threads");
        return refuse(FaultKind::Launch, message);
    }
    let LaunchConfig { cluster, cooperative, .. } = *config;
    if cluster > 0 && (cluster > MAX_CLUSTER || !grid.is_multiple_of(cluster) || cooperative) {
        let message = format!(
            "clusters of {cluster} blocks: not up to {MAX_CLUSTER}, of which {grid} blocks are a multiple, or the launch is cooperative"
        );
        return refuse(FaultKind::Launch, message);
    }
    let linked = objective.map(|linkable| (linkable, linkable.begin(entry.argument_bytes)));
    let wanted = linked.map_or(entry.argument_bytes, |(linkable, at)| at + linkable.bytes);
    if argument.len() != wanted {
        let given = argument.len();
        let message = format!("{given} bytes were given, the kernel takes {wanted}");
        return refuse(FaultKind::Argument, message);
    }
    let linked = linked.map(|(linkable, at)| (*linkable, argument[at..].as_ptr().cast()));
    // SAFETY: the caller upholds this.
    unsafe { schedule::run(entry, linked, config, argument, meanwhile) }
}
