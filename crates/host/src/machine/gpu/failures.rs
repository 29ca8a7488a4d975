//! Errors of the driver.

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::CUresult;

use crate::error::Error;
use crate::error::faults::{self, Call};

/// Whether a context that has reported this error returns it for all later calls.
pub(super) fn is_final(code: CUresult) -> bool {
    use CUresult::*;
    matches!(
        code,
        CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ECC_UNCORRECTABLE
            | CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUDA_ERROR_DEVICE_UNAVAILABLE
            | CUDA_ERROR_DEINITIALIZED
            | CUDA_ERROR_UNKNOWN
    )
}

/// The driver's description of an error.
pub(super) fn message(error: DriverError) -> String {
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    text.unwrap_or_else(|_| "unknown error".into())
}

/// The error for a failed call.
pub(super) fn failure(call: &'static str, error: DriverError) -> Error {
    Error::Driver { call, code: error.0 as u32, message: message(error) }
}

/// The result of a call to the driver, or an injected fault.
pub(super) fn said<T>(
    call: Call,
    code: CUresult,
    ask: impl FnOnce() -> Result<T, DriverError>,
) -> Result<T, DriverError> {
    if faults::due(call) { Err(DriverError(code)) } else { ask() }
}
