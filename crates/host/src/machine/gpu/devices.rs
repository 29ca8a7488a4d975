//! The driver, and the devices that it shows.

use std::sync::OnceLock;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};

use super::failures::{failure, message};
use crate::error::{Error, Result, faults};
use crate::machine::system;

/// The lowest CUDA version that a driver must support: that of the functions that we call.
const CUDA: i32 = 12_000;

/// The CUDA version that the driver supports, after checking it.
pub(crate) fn driver() -> Result<String> {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: it loads the driver's library and closes it again; the library's initialisers are harmless.
    if !PRESENT.get_or_init(|| unsafe { sys::is_culib_present() }) {
        return Err(Error::NoDriver);
    }
    let mut version = 0;
    // SAFETY: it writes the version to the given address, and needs no initialisation.
    let said = unsafe { sys::cuDriverGetVersion(&mut version) };
    said.result().map_err(|error| failure("cuDriverGetVersion", error))?;
    let name = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
    if version < CUDA {
        return Err(Error::DriverTooOld { found: name(version), needed: name(CUDA) });
    }
    Ok(name(version))
}

/// The devices that the driver shows; at least one.
pub(crate) fn devices() -> Result<Vec<system::Device>> {
    (0..count()? as i32).map(|ordinal| describe(ordinal).map(|(device, _)| device)).collect()
}

/// The number of devices that the driver shows; at least one.
pub(crate) fn count() -> Result<u32> {
    let needed = format!("{}.{}", CUDA / 1000, CUDA % 1000 / 10);
    let found = driver()?;
    result::init().map_err(|error| match error.0 {
        CUresult::CUDA_ERROR_NO_DEVICE => Error::NoDevice { reason: None },
        CUresult::CUDA_ERROR_STUB_LIBRARY => Error::NoDriver,
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => Error::DriverTooOld { found, needed },
        _ => Error::NoDevice { reason: Some(message(error)) },
    })?;
    let count = result::device::get_count().map_err(|error| failure("cuDeviceGetCount", error))?;
    if count == 0 {
        return Err(Error::NoDevice { reason: None });
    }
    Ok(count as u32)
}

/// Describes one of the devices.
pub(super) fn describe(ordinal: i32) -> Result<(system::Device, sys::CUdevice)> {
    let device = result::device::get(ordinal).map_err(|error| failure("cuDeviceGet", error))?;
    // SAFETY: the driver has just returned this device.
    let attribute = |which| unsafe { result::device::get_attribute(device, which) };
    let attribute = |which| {
        attribute(which)
            .map(|value| value as u32)
            .map_err(|error| failure("cuDeviceGetAttribute", error))
    };
    // SAFETY: as above.
    let memory = unsafe { result::device::total_mem(device) };
    let found = system::Device {
        name: result::device::get_name(device)
            .map_err(|error| failure("cuDeviceGetName", error))?,
        memory: memory.map_err(|error| failure("cuDeviceTotalMem", error))? as u64,
        compute_capability: faults::passing_for((
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        )),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
    };
    Ok((found, device))
}
