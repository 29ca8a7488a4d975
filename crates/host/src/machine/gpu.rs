//! The GPU, through the driver API. The library is loaded at run time.
//!
//! A process has one context per device (the device's primary context), which is never released. Modules are loaded
//! once per context. Each [`Gpu`] has its own memory and stream.
//!
//! A failure that the driver reports for a whole context (an illegal address, a trap) makes the context unusable: the
//! device is *poisoned*, and every later call for it in the process fails at once.
#![allow(unsafe_code)]

mod architecture;
mod clusters;
mod context;
mod devices;
mod end;
mod failures;
mod kernels;
mod loans;
mod nccl;
mod side;
mod staged;
mod variants;

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::result::{self, DriverError, stream::StreamKind};
use cudarc::driver::sys::{self, CUresult};

use super::{Kernel, Loan, Machine, Parameter, Service, Shape, Stream};
use crate::error::Result;
use crate::error::faults::{self, Call};
use crate::settings::communicator::Communicator;

pub(crate) use architecture::check_architecture;
use context::Context;
pub(crate) use context::is_open;
pub(crate) use devices::{count, devices, driver};
use failures::{failure, is_final, said};
pub(crate) use kernels::package;
use loans::Owned;
use nccl::Group;
use side::Visible;

/// The code of injected faults in copies.
const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

/// A stream of work on a device, with its own memory.
pub(crate) struct Gpu {
    context: Arc<Context>,
    stream: sys::CUstream,
    /// The stream again, shared with lent memory, which may outlive this value.
    owned: Arc<Owned>,
    /// The event that marks work in other streams, created at the first wait for such work.
    incoming: Option<sys::CUevent>,
    /// The stream for copies while kernels run, created at first use.
    side: Option<sys::CUstream>,
    /// The event that other devices wait for, created at first use.
    mark: Option<sys::CUevent>,
    /// The group of devices of other ranks with which it exchanges data, if there is one.
    group: Option<Group>,
    /// Host memory that kernels write.
    visible: Vec<Visible>,
    /// Addresses and bytes.
    arrays: Vec<(sys::CUdeviceptr, u64)>,
    /// The last enqueued kernel, which is the most likely cause of a failure of the context.
    last: Option<(Kernel, sys::CUfunction)>,
}

// SAFETY: streams, events, addresses and visible memory are handles of the driver, valid in any thread in which the
// context is current; every method first makes it current. A group may be used by one thread after another.
unsafe impl Send for Gpu {}

/// The number of free bytes on the first GPU, for tests.
#[doc(hidden)]
#[cfg(feature = "faults")]
pub fn free_on_gpu() -> Result<u64> {
    Context::shared(0)?.free_memory()
}

impl Gpu {
    /// Opens a device by its number.
    ///
    /// # Errors
    ///
    /// If there is no driver, no such device, or no kernels, or the device is too old for the kernels.
    pub(crate) fn open(number: u32) -> Result<Self> {
        let context = Context::shared(number)?;
        context.enter()?;
        let stream = said(Call::Open, CUresult::CUDA_ERROR_OUT_OF_MEMORY, || {
            result::stream::create(StreamKind::NonBlocking)
        });
        let stream = context.check("cuStreamCreate", stream)?;
        let (side, mark, group) = (None, None, None);
        let (visible, arrays) = (Vec::new(), Vec::new());
        let outgoing = loans::event(&context)?;
        let owned = Arc::new(Owned { context: context.clone(), stream, outgoing });
        Ok(Gpu {
            context,
            stream,
            owned,
            incoming: None,
            side,
            mark,
            group,
            visible,
            arrays,
            last: None,
        })
    }
    /// Waits until all enqueued work is done.
    fn wait(&mut self) -> Result<()> {
        // SAFETY: the stream is ours and not yet destroyed.
        let done = unsafe { result::stream::synchronize(self.stream) };
        self.check_work("cuStreamSynchronize", done)
    }

    /// The result of a call that also reports failures of earlier launches.
    fn check_work<T>(&self, call: &'static str, said: Result<T, DriverError>) -> Result<T> {
        said.map_err(|error| match &self.last {
            Some((kernel, _)) if is_final(error.0) => self.context.kernel_failed(kernel, error),
            _ => self.context.note(error, failure(call, error)),
        })
    }
}

impl Machine for Gpu {
    fn name(&self) -> String {
        self.context.facts.name.clone()
    }

    fn identity(&mut self) -> Result<String> {
        self.context.enter()?;
        let bytes = self.context.uuid()?;
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn multiprocessors(&self) -> u32 {
        self.context.facts.multiprocessors
    }

    fn has_bulk_copies(&self) -> bool {
        self.context.facts.has_clusters()
    }

    fn occupancy(&mut self, kernel: &Kernel, block: u32, shared: u32) -> Result<u32> {
        self.context.occupancy(kernel, block, shared)
    }

    fn clusters(&mut self, kernel: &Kernel, shape: Shape) -> Result<u32> {
        if !self.context.facts.has_clusters() {
            return Ok(0);
        }
        let function = self.context.function(kernel)?;
        self.context.enter()?;
        let clusters = said(Call::Ask, INVALID, || {
            // SAFETY: the function's module is never unloaded.
            unsafe { clusters::at_once(function, shape, self.stream) }
        });
        self.context.check("cuOccupancyMaxActiveClusters", clusters)
    }

    fn load(&mut self, kernel: &Kernel) -> Result<()> {
        self.context.function(kernel).map(drop)
    }

    fn allocate(&mut self, bytes: u64) -> Result<u64> {
        if bytes == 0 {
            return Ok(0);
        }
        let address = self.context.allocate(bytes)?;
        self.arrays.push((address, bytes));
        faults::allocated(bytes);
        self.zero(address, bytes)?;
        Ok(address)
    }

    fn allocate_all(&mut self, arrays: &mut [(&mut u64, u64)]) -> Result<()> {
        let block = self.allocate(super::bytes_of_block(arrays))?;
        super::place_in_block(arrays, block);
        Ok(())
    }

    fn allocate_visible(&mut self, bytes: u64) -> Result<u64> {
        self.context.enter()?;
        let visible = said(Call::Allocate, CUresult::CUDA_ERROR_OUT_OF_MEMORY, || {
            Visible::allocate(bytes.next_multiple_of(8))
        });
        let visible = self.context.check("cuMemHostAlloc", visible)?;
        faults::allocated(visible.bytes);
        let address = visible.address;
        self.visible.push(visible);
        Ok(address)
    }

    fn zero(&mut self, address: u64, bytes: u64) -> Result<()> {
        if self.visible.iter().any(|visible| visible.address == address) {
            // Work in progress may still write it.
            self.finish()?;
            self.visible.iter_mut().filter(|one| one.address == address).for_each(Visible::zero);
            return Ok(());
        }
        self.context.enter()?;
        let done = said(Call::Zero, INVALID, || {
            // SAFETY: `address` and `bytes` belong to an array of ours, which lives as long as the stream.
            unsafe { result::memset_d8_async(address, 0, bytes as usize, self.stream) }
        });
        self.check_work("cuMemsetD8Async", done)
    }

    fn upload(&mut self, address: u64, from: &[u8]) -> Result<()> {
        self.context.enter()?;
        let begun = said(Call::Upload, INVALID, || {
            // SAFETY: `address` belongs to an array of ours with room for `from`, which stays borrowed until the copy
            // is done, because we wait for it.
            unsafe {
                if from.len() < staged::LARGE {
                    result::memcpy_htod_async(address, from, self.stream)
                } else {
                    self.upload_staged(address, from)
                }
            }
        });
        self.check_work("cuMemcpyHtoDAsync", begun)?;
        self.wait()
    }

    fn download(&mut self, address: u64, to: &mut [u8]) -> Result<()> {
        self.context.enter()?;
        let begun = said(Call::Download, INVALID, || {
            // SAFETY: `address` belongs to an array of ours with as many bytes as `to`, which stays borrowed until the
            // copy is done, because we wait for it.
            unsafe {
                if to.len() < staged::LARGE {
                    result::memcpy_dtoh_async(to, address, self.stream)
                } else {
                    self.download_staged(address, to)
                }
            }
        });
        self.check_work("cuMemcpyDtoHAsync", begun)?;
        self.wait()
    }

    fn lend(&mut self, bytes: u64) -> Result<Arc<dyn Loan>> {
        self.lent(bytes)
    }

    fn check_foreign(&mut self, address: u64, bytes: u64) -> Result<()> {
        self.context.enter()?;
        loans::check(&self.context, address, bytes)
    }

    fn follow_stream(&mut self, stream: Stream) -> Result<()> {
        self.followed(stream)
    }

    fn copy_to(&mut self, from: u64, other: &Self, to: u64, bytes: u64) -> Result<()> {
        self.context.enter()?;
        self.context.reach(&other.context);
        let (here, there) = (self.context.context.0, other.context.context.0);
        let begun = said(Call::Upload, INVALID, || {
            // SAFETY: `from` and `to` belong to arrays of ours with this number of bytes. The caller does not free the
            // other array before this stream has been waited for. Contexts are never released.
            unsafe { result::memcpy_peer_async(there, to, here, from, bytes as usize, self.stream) }
        });
        self.check_work("cuMemcpyPeerAsync", begun)
    }

    fn mark(&mut self) -> Result<()> {
        self.context.enter()?;
        let mark = match self.mark {
            Some(mark) => mark,
            None => {
                let created = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
                *self.mark.insert(self.context.check("cuEventCreate", created)?)
            }
        };
        let recorded = said(Call::Mark, INVALID, || {
            // SAFETY: stream and event are ours, of the same context.
            unsafe { result::event::record(mark, self.stream) }
        });
        self.check_work("cuEventRecord", recorded)
    }

    fn follow(&mut self, other: &Self) -> Result<()> {
        let Some(mark) = other.mark else { return Ok(()) };
        self.context.enter()?;
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        let waits = said(Call::Mark, INVALID, || {
            // SAFETY: the stream is ours, and the other device's mark exists while that device is borrowed; streams may
            // wait for events of other devices.
            unsafe { result::stream::wait_event(self.stream, mark, flags) }
        });
        self.check_work("cuStreamWaitEvent", waits)
    }

    fn connect(&mut self, others: &dyn Communicator) -> Result<bool> {
        let entered = self.context.enter();
        // A rank that has failed must still meet the others, so that they learn of it.
        let device = entered.and_then(|()| self.context.uuid());
        self.group = Group::meet(device.as_ref().ok().copied(), others)?;
        device.map(|_| self.group.is_some())
    }

    fn all_gather(&mut self, address: u64, bytes: u64) -> Result<()> {
        self.context.enter()?;
        let Some(group) = &self.group else { unreachable!("it has not connected") };
        // SAFETY: `address` belongs to an array of ours with room for this number of bytes from every rank. The array
        // is freed only after the stream has been waited for. The stream is ours, and our context has just been made
        // current.
        unsafe { group.all_gather(address, bytes, self.stream) }
    }

    fn finish(&mut self) -> Result<()> {
        self.context.enter()?;
        self.wait()
    }

    fn launch(&mut self, kernel: &Kernel, shape: Shape, parameter: &Parameter) -> Result<()> {
        let function = match &self.last {
            Some((last, function)) if last == kernel => *function,
            _ => {
                let function = self.context.function(kernel)?;
                self.last = Some((kernel.clone(), function));
                function
            }
        };
        self.context.enter()?;
        let Shape { grid, block, shared, cooperative, cluster } = shape;
        let mut parameters = [parameter.bytes().as_ptr().cast_mut().cast::<c_void>()];
        let (grid, block) = ((grid, 1, 1), (block, 1, 1));
        let stream = self.stream;
        // SAFETY: the function's module is never unloaded. `parameter` is its only parameter, consists of the structs
        // that its name implies, and is copied by the driver before the call returns. The addresses in it belong to
        // arrays of ours, with the sizes that `PsoArgs` documents, which are freed only after the stream has been
        // waited for.
        let mut launch = || unsafe {
            if cluster > 0 {
                clusters::launch(function, shape, stream, &mut parameters)
            } else if cooperative {
                result::launch_cooperative_kernel(
                    function,
                    grid,
                    block,
                    shared,
                    stream,
                    &mut parameters,
                )
            } else {
                result::launch_kernel(function, grid, block, shared, stream, &mut parameters)
            }
        };
        let code = CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
        let launched = said(Call::Launch, code, &mut launch);
        launched.map_err(|error| self.context.kernel_failed(kernel, error))
    }

    fn launch_served(
        &mut self,
        kernel: &Kernel,
        shape: Shape,
        parameter: &Parameter,
        service: &mut dyn Service,
    ) -> Result<()> {
        let stream = self.side()?;
        self.launch(kernel, shape, parameter)?;
        side::Side { gpu: self, stream }.serve(service)
    }
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    #[cfg(feature = "emulator")]
    use super::*;

    /// If kernels are built in, they are the same as those of the emulator.
    #[test]
    fn every_kernel_was_built_in() {
        let package = match package() {
            Err(error) => return assert_eq!(error, crate::Error::NoKernels),
            Ok(package) => package,
        };
        let objectives = warpswarm_kernels::objectives::all().map(|objective| objective.name());
        let entries = warpswarm_kernels::entries().map(|entry| entry.name());
        // Expressions are built in as pieces.
        let is_whole = |name: &&str| !name.starts_with("objective_Expression_");
        let mut names: Vec<_> = entries.chain(objectives).filter(is_whole).collect();
        names.sort_unstable();
        let is_piece = |name: &&str| name.starts_with("piece_");
        let (pieces, whole): (Vec<_>, Vec<_>) = package.names().partition(is_piece);
        assert_eq!(whole, names);
        assert!(pieces.contains(&"piece_Add_f32"), "{pieces:?}");
        let module = package.module(names[0]).unwrap();
        assert!(module.contains(&format!(".entry {}", names[0])), "{module}");
    }
}
