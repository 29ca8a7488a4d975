//! The kernel on the first GPU, through cudarc: how PTX that a build script has made reaches a device.
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

/// The kernel as the build script has compiled it; empty where there was nothing to compile it with.
static KERNELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx"));

/// The name under which `entries!` exports the kernel.
const ENTRY: &str = "summarise";

/// The first GPU with the kernel loaded. It is for the thread that has opened it.
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
    /// Where the kernel was not compiled, there is no driver or no device, or the device is too old.
    pub fn open() -> Result<Self, Box<dyn Error>> {
        let package = Package::open(KERNELS)?;
        let ptx = CString::new(package.module(ENTRY).ok_or("the package has no such kernel")?)?;
        // SAFETY: loading the driver's library runs nothing but its own initialisers.
        if !unsafe { sys::is_culib_present() } {
            return Err("there is no NVIDIA driver".into());
        }
        result::init()?;
        let device = result::device::get(0)?;
        let name = result::device::get_name(device)?;
        // SAFETY: the driver has just given device, context and module; the context is released by `drop`, with which the
        // module and its function go. The PTX ends with a zero byte.
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
    /// What the driver says.
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
        // SAFETY: `Args` is the kernel's one parameter, which the driver copies; its arrays have the lengths that it
        // documents and live until all has been done, since the last copy waits for the launch.
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
        // SAFETY: retained by `open`, released once; nothing is under way. Nothing can be done about an error.
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
        // The driver allocates no arrays without bytes.
        let bytes = (len * size_of::<T>()).max(1);
        // SAFETY: the memory is set to zero before anything reads it, and freed once, by `drop`.
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
        // SAFETY: allocated by `new`, freed once, and no launch is under way. Nothing can be done about an error.
        let _ = unsafe { result::free_sync(self.address) };
    }
}
