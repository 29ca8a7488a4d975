//! Contexts of devices, with the kernels that are loaded in them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use once_cell::sync::OnceCell;
use warpswarm_ptx_builder::Package;

use super::super::Kernel;
use super::architecture::{self, check_architecture};
use super::devices::{describe, devices};
use super::failures::{failure, is_final, message, said};
use super::kernels::{self, package};
use super::staged::Room;
use super::variants::Variants;
use crate::error::faults::Call;
use crate::error::{Error, Result};
use crate::machine::system;

/// The largest amount of local memory per thread, in bytes, with which a kernel keeps its wished residency. Up to this
/// amount of spilling, more threads per multiprocessor were faster in all measurements.
const SPILLED: i32 = 32;

/// A pointer owned by the driver.
#[derive(Clone, Copy)]
pub(super) struct Pointer<T>(pub(super) T);

// SAFETY: this module uses it only for contexts and functions. Any thread may use them after making the context
// current, which every method does first; they are never freed.
unsafe impl<T> Send for Pointer<T> {}
// SAFETY: as above; the driver's functions are thread-safe.
unsafe impl<T> Sync for Pointer<T> {}

/// A device, opened once per process.
pub(super) struct Context {
    pub(super) facts: system::Device,
    /// The number of the device, as the driver counts.
    pub(super) number: u32,
    device: sys::CUdevice,
    /// The largest number of bytes of shared memory for a block, if its kernel opts in.
    most_shared: i32,
    pub(super) context: Pointer<sys::CUcontext>,
    /// The addresses of other devices' contexts whose memory this context may access.
    reached: Mutex<BTreeSet<usize>>,
    kernels: &'static Package<'static>,
    /// For each kernel without known words, its variants. The first user of a variant loads it. Compilation takes the
    /// driver up to a second, during which other kernels can be launched.
    functions: Mutex<HashMap<Kernel, Variants<OnceCell<Pointer<sys::CUfunction>>>>>,
    /// Staging buffers for large copies that are not in use.
    rooms: Mutex<Vec<Room>>,
    /// Why the context has become unusable.
    poison: OnceLock<Error>,
}

/// The contexts of the devices that have been opened, by device number.
static CONTEXTS: Mutex<BTreeMap<u32, Arc<Context>>> = Mutex::new(BTreeMap::new());

/// Whether a device has been opened.
pub(crate) fn is_open() -> bool {
    !lock(&CONTEXTS).is_empty()
}

impl Context {
    pub(super) fn shared(number: u32) -> Result<Arc<Context>> {
        let mut contexts = lock(&CONTEXTS);
        if let Some(context) = contexts.get(&number) {
            return Ok(context.clone());
        }
        let opened = Arc::new(Context::open(number)?);
        contexts.insert(number, opened.clone());
        Ok(opened)
    }

    fn open(number: u32) -> Result<Self> {
        let kernels = package();
        devices()?;
        let kernels = kernels?;
        let (facts, device) = describe(number as i32)?;
        check_architecture(&facts, kernels.arch())?;
        // SAFETY: the device is valid. The context is never released, so it outlives its users.
        let context = unsafe { result::primary_ctx::retain(device) }
            .map_err(|error| failure("cuDevicePrimaryCtxRetain", error))?;
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        // SAFETY: the device is valid.
        let most_shared = unsafe { result::device::get_attribute(device, attribute) }
            .map_err(|error| failure("cuDeviceGetAttribute", error))?;
        // The limit also applies to a device that tests treat as an older one.
        let most_shared = most_shared.min(architecture::most_shared(&facts));
        Ok(Context {
            facts,
            number,
            device,
            most_shared,
            context: Pointer(context),
            reached: Mutex::default(),
            kernels,
            functions: Mutex::default(),
            rooms: Mutex::default(),
            poison: OnceLock::new(),
        })
    }

    /// Lets this device access another device's memory directly, if possible; otherwise copies go through the host.
    /// This context must be current.
    pub(super) fn reach(&self, other: &Context) {
        if lock(&self.reached).insert(other.context.0.addr()) {
            // SAFETY: both contexts are never released. The result does not matter: copies work without direct access.
            let _ = unsafe { sys::cuCtxEnablePeerAccess(other.context.0, 0) };
        }
    }

    /// Staging buffers for large copies that are not in use.
    pub(super) fn rooms(&self) -> MutexGuard<'_, Vec<Room>> {
        lock(&self.rooms)
    }

    /// Makes the context current in the calling thread, unless it is lost.
    pub(super) fn enter(&self) -> Result<()> {
        if let Some(cause) = self.poison.get() {
            return Err(Error::DeviceLost { cause: cause.to_string() });
        }
        // SAFETY: the context is never released.
        self.check("cuCtxSetCurrent", unsafe { result::ctx::set_current(self.context.0) })
    }

    pub(super) fn check<T>(&self, call: &'static str, said: Result<T, DriverError>) -> Result<T> {
        said.map_err(|error| self.note(error, failure(call, error)))
    }

    /// Stores an error after which the context is unusable.
    pub(super) fn note(&self, error: DriverError, ours: Error) -> Error {
        if is_final(error.0) {
            // If two threads fail at once, the first error is kept.
            let _ = self.poison.set(ours.clone());
        }
        ours
    }

    /// The function of a kernel. Its module is linked and loaded at first use.
    pub(super) fn function(&self, kernel: &Kernel) -> Result<sys::CUfunction> {
        said(Call::Load, CUresult::CUDA_ERROR_INVALID_PTX, || Ok(()))
            .map_err(|error| self.kernel_failed(kernel, error))?;
        let general = Kernel { known: Vec::new(), ..kernel.clone() };
        let (known, function) =
            lock(&self.functions).entry(general.clone()).or_default().of(&kernel.known);
        let kernel = Kernel { known, ..general };
        // Other threads wait while it is loaded; if loading fails, the next one tries again.
        function.get_or_try_init(|| self.fitting(&kernel).map(Pointer)).map(|function| function.0)
    }

    /// Loads the function of a kernel. If the wished residency would spill too many registers, returns the usual
    /// function instead.
    fn fitting(&self, kernel: &Kernel) -> Result<sys::CUfunction> {
        let function = self.load(kernel)?;
        if kernel.residency.is_none() {
            return Ok(function);
        }
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES;
        // SAFETY: the function's module is never unloaded.
        let spilled = unsafe { result::function::get_function_attribute(function, attribute) };
        match self.check("cuFuncGetAttribute", spilled)? {
            0..=SPILLED => Ok(function),
            _ => self.function(&Kernel { residency: None, ..kernel.clone() }),
        }
    }

    /// How many blocks of this size a multiprocessor runs at the same time; 0 if the kernel does not support blocks
    /// with so many threads.
    pub(super) fn occupancy(&self, kernel: &Kernel, block: u32, shared: u32) -> Result<u32> {
        let function = self.function(kernel)?;
        self.enter()?;
        use result::{function, occupancy};
        let most = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        // SAFETY: the function's module is never unloaded.
        let most = unsafe { function::get_function_attribute(function, most) };
        let (block, shared) = (block as i32, shared as usize);
        if self.check("cuFuncGetAttribute", most)? < block {
            return Ok(0);
        }
        let blocks = said(Call::Ask, CUresult::CUDA_ERROR_INVALID_VALUE, || {
            // SAFETY: as above.
            unsafe { occupancy::max_active_block_per_multiprocessor(function, block, shared) }
        });
        let call = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
        self.check(call, blocks).map(|blocks| blocks.max(0) as u32)
    }

    /// A globally unique identifier of the device.
    pub(super) fn uuid(&self) -> Result<[u8; 16]> {
        let uuid = self.check("cuDeviceGetUuid", result::device::get_uuid(self.device))?;
        Ok(uuid.bytes.map(|byte| byte as u8))
    }

    /// The number of free bytes of device memory.
    pub(super) fn free_memory(&self) -> Result<u64> {
        self.enter()?;
        self.check("cuMemGetInfo", result::mem_get_info()).map(|(free, _)| free as u64)
    }

    /// The error for a kernel that could not be loaded or launched, or failed.
    pub(super) fn kernel_failed(&self, kernel: &Kernel, error: DriverError) -> Error {
        let (code, message) = (error.0 as u32, message(error));
        self.note(error, Error::Launch { kernel: kernel.to_string(), code, message })
    }

    /// Allocates device memory. The caller must write it before reading it, and must free it.
    pub(super) fn allocate(&self, bytes: u64) -> Result<u64> {
        self.enter()?;
        let address = said(Call::Allocate, CUresult::CUDA_ERROR_OUT_OF_MEMORY, || {
            // SAFETY: the context is current in the calling thread.
            unsafe { result::malloc_sync(bytes as usize) }
        });
        match address {
            Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                Err(Error::OutOfMemory { bytes, free: self.free_memory().unwrap_or(0) })
            }
            said => self.check("cuMemAlloc", said),
        }
    }

    /// Links and loads the function of a kernel.
    fn load(&self, kernel: &Kernel) -> Result<sys::CUfunction> {
        let text = kernels::text(self.kernels, kernel, architecture::number(&self.facts))?;
        self.enter()?;
        let launch_failure = |error| self.kernel_failed(kernel, error);
        // SAFETY: the text ends with a zero byte, and the driver keeps a copy. The module is never unloaded, so its
        // function stays valid.
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
        let count = if self.facts.has_clusters() { 2 } else { 1 };
        for (attribute, value) in &[shared, large][..count] {
            // SAFETY: the function's module is never unloaded. Kernels have no other shared memory, and the host
            // queries whether clusters of more than eight blocks fit before it launches them.
            let said =
                unsafe { result::function::set_function_attribute(function, *attribute, *value) };
            self.check("cuFuncSetAttribute", said)?;
        }
        Ok(function)
    }
}

/// A poisoned lock is still usable: its data change only by single insertions.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
