//! The GPU, through the driver API: the library is loaded at run time.
//!
//! One context per process (the device's primary one), which is never released; modules are loaded
//! once per process; memory and a stream belong to each [`Gpu`].
//!
//! A failure that the driver reports for a context as a whole (an illegal address, a trap) makes it
//! unusable: the device is *poisoned*, and every later call in the process fails at once.
#![allow(unsafe_code)]

mod architecture;
mod clusters;
mod devices;
mod failures;
mod kernels;

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::result::{self, DriverError, stream::StreamKind};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use warpswarm_ptx_builder::Package;

use super::{Kernel, Machine, Parameter, Shape};
use crate::error::{Error, Result};
use crate::system;

pub(crate) use architecture::check_architecture;
use architecture::{has_bulk_copies, has_clusters};
use devices::describe;
pub(crate) use devices::{devices, driver};
use failures::{failure, is_final, message};
pub(crate) use kernels::package;

/// The first device, opened once per process.
struct Context {
    facts: system::Device,
    /// Bytes of shared memory that a block can have if its kernel may.
    most_shared: i32,
    context: sys::CUcontext,
    kernels: &'static Package<'static>,
    /// None while a thread loads it: compiling takes the driver up to a second, in which others may launch theirs.
    functions: Mutex<HashMap<Kernel, Option<sys::CUfunction>>>,
    /// Told when a function has been loaded, or could not be.
    loaded: Condvar,
    /// Why the context cannot be used any more.
    poison: OnceLock<Error>,
}

// SAFETY: a context and its functions may be used by any thread that has made the context current,
// which every method does first; the pointers are never freed.
unsafe impl Send for Context {}
// SAFETY: as above; the driver's functions are thread-safe, and our own table has a lock.
unsafe impl Sync for Context {}

/// The first device's, once it has been opened.
static CONTEXT: Mutex<Option<Arc<Context>>> = Mutex::new(None);

/// Whether the first device has been opened.
pub(crate) fn is_open() -> bool {
    lock(&CONTEXT).is_some()
}

impl Context {
    fn shared() -> Result<Arc<Context>> {
        let mut context = lock(&CONTEXT);
        if let Some(context) = &*context {
            return Ok(context.clone());
        }
        let opened = Arc::new(Context::open()?);
        *context = Some(opened.clone());
        Ok(opened)
    }

    fn open() -> Result<Self> {
        let kernels = package();
        devices()?;
        let kernels = kernels?;
        let (facts, device) = describe(0)?;
        check_architecture(&facts, kernels.arch())?;
        // SAFETY: the device is valid. The context is never released, so that it outlives its users.
        let context = unsafe { result::primary_ctx::retain(device) }
            .map_err(|error| failure("cuDevicePrimaryCtxRetain", error))?;
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        // SAFETY: the device is valid.
        let most_shared = unsafe { result::device::get_attribute(device, attribute) }
            .map_err(|error| failure("cuDeviceGetAttribute", error))?;
        let (functions, loaded, poison) = (Mutex::default(), Condvar::new(), OnceLock::new());
        Ok(Context { facts, most_shared, context, kernels, functions, loaded, poison })
    }

    /// Makes the context the calling thread's, unless it is lost.
    fn enter(&self) -> Result<()> {
        if let Some(cause) = self.poison.get() {
            return Err(Error::DeviceLost { cause: cause.to_string() });
        }
        // SAFETY: the context is never released.
        self.check("cuCtxSetCurrent", unsafe { result::ctx::set_current(self.context) })
    }

    fn check<T>(&self, call: &'static str, said: Result<T, DriverError>) -> Result<T> {
        said.map_err(|error| self.note(error, failure(call, error)))
    }

    /// Remembers an error after which the context cannot be used.
    fn note(&self, error: DriverError, ours: Error) -> Error {
        if is_final(error.0) {
            // Where two threads fail at once, the first one's error is kept.
            let _ = self.poison.set(ours.clone());
        }
        ours
    }

    /// The function of a kernel, its module linked and loaded if no one has needed it yet.
    fn function(&self, kernel: &Kernel) -> Result<sys::CUfunction> {
        let mut functions = lock(&self.functions);
        while let Some(function) = functions.get(kernel) {
            match function {
                Some(function) => return Ok(*function),
                None => {
                    functions = self.loaded.wait(functions).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
        functions.insert(kernel.clone(), None);
        drop(functions);
        let function = self.fitting(kernel);
        let mut functions = lock(&self.functions);
        match function {
            Ok(function) => functions.insert(kernel.clone(), Some(function)),
            Err(_) => functions.remove(kernel),
        };
        self.loaded.notify_all();
        function
    }

    /// The function of a kernel, loaded now; of one that is to be dense but does not fit, the usual one.
    fn fitting(&self, kernel: &Kernel) -> Result<sys::CUfunction> {
        let function = self.load(kernel)?;
        if !kernel.dense {
            return Ok(function);
        }
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES;
        // SAFETY: the function's module is never unloaded.
        let spilled = unsafe { result::function::get_function_attribute(function, attribute) };
        match self.check("cuFuncGetAttribute", spilled)? {
            0 => Ok(function),
            _ => self.function(&Kernel { dense: false, ..kernel.clone() }),
        }
    }

    /// The function of a kernel, linked and loaded now.
    fn load(&self, kernel: &Kernel) -> Result<sys::CUfunction> {
        let text = kernels::text(self.kernels, kernel)?;
        self.enter()?;
        let launch_failure = |error: DriverError| {
            let (code, message) = (error.0 as u32, message(error));
            self.note(error, Error::Launch { kernel: kernel.to_string(), code, message })
        };
        // SAFETY: the text ends with a zero byte, and the driver keeps a copy. The module is never
        // unloaded, so its function stays valid.
        let module =
            unsafe { result::module::load_data(text.as_ptr().cast()) }.map_err(launch_failure)?;
        let name =
            CString::new(kernel.entry.name.as_str()).map_err(|_| kernels::missing(kernel))?;
        // SAFETY: the module has just been loaded.
        let function =
            unsafe { result::module::get_function(module, name) }.map_err(launch_failure)?;
        use sys::CUfunction_attribute as Of;
        let shared = (Of::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, self.most_shared);
        let large = (Of::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
        let count = if has_clusters(&self.facts) { 2 } else { 1 };
        for (attribute, value) in &[shared, large][..count] {
            // SAFETY: the function's module is never unloaded. Kernels have no other shared memory, and clusters of more than
            // eight blocks are asked for before they are launched.
            let said =
                unsafe { result::function::set_function_attribute(function, *attribute, *value) };
            self.check("cuFuncSetAttribute", said)?;
        }
        Ok(function)
    }
}

/// A lock whose holder panicked protects nothing half-done here: single insertions.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A stream of work on the first device, with its own memory.
pub(crate) struct Gpu {
    context: Arc<Context>,
    stream: sys::CUstream,
    arrays: Vec<sys::CUdeviceptr>,
    /// The last kernel that was enqueued: the one that a failure is most likely about.
    last: Kernel,
}

// SAFETY: stream and addresses are the driver's handles, valid in any thread in which the context
// is current; every method makes it so first.
unsafe impl Send for Gpu {}

impl Gpu {
    /// The first device.
    ///
    /// # Errors
    ///
    /// Where there is no driver, no device, no kernels, or the device is too old for them.
    pub(crate) fn open() -> Result<Self> {
        let context = Context::shared()?;
        context.enter()?;
        let stream =
            context.check("cuStreamCreate", result::stream::create(StreamKind::NonBlocking))?;
        Ok(Gpu { context, stream, arrays: Vec::new(), last: Kernel::default() })
    }

    /// Waits until all that was enqueued is done.
    fn wait(&mut self) -> Result<()> {
        // SAFETY: the stream is ours and not yet destroyed.
        let done = unsafe { result::stream::synchronize(self.stream) };
        self.check_work(done)
    }

    /// What a call that reports failures of earlier launches says.
    fn check_work<T>(&self, said: Result<T, DriverError>) -> Result<T> {
        said.map_err(|error| {
            let (code, message) = (error.0 as u32, message(error));
            self.context.note(error, Error::Launch { kernel: self.last.to_string(), code, message })
        })
    }
}

impl Machine for Gpu {
    fn name(&self) -> String {
        self.context.facts.name.clone()
    }

    fn multiprocessors(&self) -> u32 {
        self.context.facts.multiprocessors
    }

    fn has_bulk_copies(&self) -> bool {
        has_bulk_copies(&self.context.facts)
    }

    fn occupancy(&mut self, kernel: &Kernel, block: u32, shared: u32) -> Result<u32> {
        let function = self.context.function(kernel)?;
        self.context.enter()?;
        // SAFETY: the function's module is never unloaded.
        let blocks = unsafe {
            result::occupancy::max_active_block_per_multiprocessor(
                function,
                block as i32,
                shared as usize,
            )
        };
        let call = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
        self.context.check(call, blocks).map(|blocks| blocks.max(0) as u32)
    }

    fn clusters(&mut self, kernel: &Kernel, shape: Shape) -> Result<u32> {
        if !has_clusters(&self.context.facts) {
            return Ok(0);
        }
        let function = self.context.function(kernel)?;
        self.context.enter()?;
        // SAFETY: the function's module is never unloaded.
        let clusters = unsafe { clusters::at_once(function, shape, self.stream) };
        self.context.check("cuOccupancyMaxActiveClusters", clusters)
    }

    fn load(&mut self, kernel: &Kernel) -> Result<()> {
        self.context.function(kernel).map(drop)
    }

    fn allocate(&mut self, bytes: u64) -> Result<u64> {
        if bytes == 0 {
            return Ok(0);
        }
        self.context.enter()?;
        // SAFETY: the memory is written to before anything reads it, below.
        let address = match unsafe { result::malloc_sync(bytes as usize) } {
            Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                let free = result::mem_get_info().map_or(0, |(free, _)| free as u64);
                return Err(Error::OutOfMemory { bytes, free });
            }
            said => self.context.check("cuMemAlloc", said)?,
        };
        self.arrays.push(address);
        self.zero(address, bytes)?;
        Ok(address)
    }

    fn zero(&mut self, address: u64, bytes: u64) -> Result<()> {
        self.context.enter()?;
        // SAFETY: `address` and `bytes` are of an array of ours, which lives as long as the stream.
        let said = unsafe { result::memset_d8_async(address, 0, bytes as usize, self.stream) };
        self.context.check("cuMemsetD8Async", said)
    }

    fn upload(&mut self, address: u64, from: &[u8]) -> Result<()> {
        self.context.enter()?;
        // SAFETY: `address` is of an array of ours with room for `from`, which stays borrowed until
        // the copy is done, since we wait for it.
        let said = unsafe { result::memcpy_htod_async(address, from, self.stream) };
        self.check_work(said)?;
        self.wait()
    }

    fn download(&mut self, address: u64, to: &mut [u8]) -> Result<()> {
        self.context.enter()?;
        // SAFETY: `address` is of an array of ours with as many bytes as `to`, which stays borrowed
        // until the copy is done, since we wait for it.
        let said = unsafe { result::memcpy_dtoh_async(to, address, self.stream) };
        self.check_work(said)?;
        self.wait()
    }

    fn launch(&mut self, kernel: &Kernel, shape: Shape, parameter: &Parameter) -> Result<()> {
        let function = self.context.function(kernel)?;
        self.context.enter()?;
        if self.last != *kernel {
            self.last.clone_from(kernel);
        }
        let Shape { grid, block, shared, cooperative, cluster } = shape;
        let mut parameters = [parameter.bytes().as_ptr().cast_mut().cast::<c_void>()];
        let (grid, block) = ((grid, 1, 1), (block, 1, 1));
        // SAFETY: the function's module is never unloaded; `parameter` is its one parameter, of the structs
        // that its name gives, and copied by the driver before it returns; the addresses in it are
        // of arrays of ours, with the sizes that `PsoArgs` documents, which are freed only after the
        // stream has been waited for.
        let said = unsafe {
            if cluster > 0 {
                clusters::launch(function, shape, self.stream, &mut parameters)
            } else if cooperative {
                result::launch_cooperative_kernel(
                    function,
                    grid,
                    block,
                    shared,
                    self.stream,
                    &mut parameters,
                )
            } else {
                result::launch_kernel(function, grid, block, shared, self.stream, &mut parameters)
            }
        };
        self.check_work(said)
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // A lost device frees nothing; its memory goes with the process.
        if self.context.enter().is_err() || self.wait().is_err() {
            return;
        }
        for &address in &self.arrays {
            // SAFETY: allocated by `allocate`, freed once, and no work is left that uses it. Nothing
            // can be done about an error.
            let _ = unsafe { result::free_sync(address) };
        }
        // SAFETY: created by `open`, destroyed once, and nothing is enqueued.
        let _ = unsafe { result::stream::destroy(self.stream) };
    }
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    #[cfg(feature = "emulator")]
    use super::*;

    /// Where kernels are built in, they are those that the emulator has.
    #[test]
    fn every_kernel_was_built_in() {
        let package = match package() {
            Err(error) => return assert_eq!(error, Error::NoKernels),
            Ok(package) => package,
        };
        let objectives = warpswarm_kernels::objectives::all().map(|objective| objective.name());
        let entries = warpswarm_kernels::entries().map(|entry| entry.name());
        // Expressions are there in pieces.
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
