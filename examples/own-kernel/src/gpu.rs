//! The kernel on the first GPU, with cudarc: how to load PTX from a build script onto a device.
#![allow(unsafe_code)]

use std::error::Error;
use std::ffi::{CString, c_void};
use std::{ptr, slice};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;
use summary::{Args, Summary};
use warpswarm_core::launch::Ptr;
use warpswarm_core::order::Candidate;
use warpswarm_core::sum::TILE;
use warpswarm_ptx_builder::Package;

use crate::Grid;

/// The kernel, compiled by the build script; empty if there was no device toolchain.
static KERNELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx"));

/// The name under which `entries!` exports the kernel.
const ENTRY: &str = "summarise";

/// The first GPU with the kernel loaded. Only the thread that opened it can use it.
#[derive(Debug)]
pub struct Gpu {
    /// The device's name.
    pub name: String,
    device: sys::CUdevice,
    function: sys::CUfunction,
}

impl Gpu {
    /// Opens the device and loads the kernel.
    ///
    /// # Errors
    ///
    /// If the kernel was not compiled, if there is no driver or no device, or if the device is too old.
    pub fn open() -> Result<Self, Box<dyn Error>> {
        let package = Package::open(KERNELS)?;
        let ptx = CString::new(package.module(ENTRY).ok_or("the package has no such kernel")?)?;
        // SAFETY: loading the driver's library runs only its own initialisers.
        if !unsafe { sys::is_culib_present() } {
            return Err("there is no NVIDIA driver".into());
        }
        result::init()?;
        let device = result::device::get(0)?;
        let name = result::device::get_name(device)?;
        // SAFETY: the driver has just returned device, context and module. `drop` releases the context, and with it the
        // module and its function. The PTX ends with a zero byte.
        let function = unsafe {
            result::ctx::set_current(result::primary_ctx::retain(device)?)?;
            let module = result::module::load_data(ptx.as_ptr().cast())?;
            result::module::get_function(module, CString::new(ENTRY)?)?
        };
        Ok(Gpu { name, device, function })
    }

    /// Launches the kernel once and waits for it.
    ///
    /// # Errors
    ///
    /// An error of the driver.
    pub fn summarise(&self, numbers: &[f32], grid: Grid) -> Result<Summary, DriverError> {
        let of_numbers = Array::<f32>::new(numbers.len())?;
        let of_tiles = Array::<f32>::new(numbers.len().div_ceil(TILE))?;
        let of_blocks = Array::<Candidate<f32>>::new(grid.blocks as usize)?;
        let (ticket, summary) = (Array::<u32>::new(1)?, Array::<Summary>::new(1)?);
        let mut args = Args {
            numbers: of_numbers.ptr(),
            tiles: of_tiles.ptr(),
            blocks: of_blocks.ptr(),
            ticket: ticket.ptr(),
            summary: summary.ptr(),
            count: numbers.len() as u32,
        };
        let mut result = Summary::default();
        let (blocks, threads) = ((grid.blocks, 1, 1), (grid.threads, 1, 1));
        let mut parameters = [(&raw mut args).cast::<c_void>()];
        // SAFETY: `Args` is the kernel's only parameter, which the driver copies. Its arrays have the documented
        // lengths and live until the kernel has ended, because the last copy waits for the launch.
        unsafe {
            result::memcpy_htod_sync(of_numbers.address, numbers)?;
            let (shared, stream) = (grid.shared_bytes(), ptr::null_mut());
            result::launch_kernel(self.function, blocks, threads, shared, stream, &mut parameters)?;
            result::memcpy_dtoh_sync(slice::from_mut(&mut result), summary.address)?;
        }
        Ok(result)
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: `open` retained the context, it is released once, and no launch is running. An error cannot be
        // handled.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// An array on the device, of zeros.
struct Array<T> {
    address: sys::CUdeviceptr,
    item: std::marker::PhantomData<T>,
}

impl<T> Array<T> {
    fn new(len: usize) -> Result<Self, DriverError> {
        // The driver does not allocate empty arrays.
        let bytes = (len * size_of::<T>()).max(1);
        // SAFETY: the memory is set to zero before any read, and `drop` frees it once.
        unsafe {
            let address = result::malloc_sync(bytes)?;
            let array = Array { address, item: std::marker::PhantomData };
            result::memset_d8_sync(address, 0, bytes)?;
            Ok(array)
        }
    }

    fn ptr(&self) -> Ptr<T> {
        Ptr::at(self.address)
    }
}

impl<T> Drop for Array<T> {
    fn drop(&mut self) {
        // SAFETY: `new` allocated the memory, it is freed once, and no launch is running. An error cannot be handled.
        let _ = unsafe { result::free_sync(self.address) };
    }
}
