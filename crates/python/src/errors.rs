//! Converts the library's errors to Python's exceptions.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use warpswarm::Error;

create_exception!(
    pywarpswarm,
    DeviceError,
    PyRuntimeError,
    "A GPU, its driver or its kernels cannot be used, or failed; the message says what to do."
);

/// The Python exception for an error of the library, with its message.
pub(crate) fn raised(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::NoDriver
        | Error::NoDevice { .. }
        | Error::DriverTooOld { .. }
        | Error::UnsupportedArchitecture { .. }
        | Error::NoKernels
        | Error::BadKernels { .. }
        | Error::NoSuchKernel { .. }
        | Error::OutOfMemory { .. }
        | Error::Launch { .. }
        | Error::Driver { .. }
        | Error::DeviceLost { .. } => DeviceError::new_err(message),
        Error::HostMemory { .. } => PyMemoryError::new_err(message),
        Error::File { .. } => PyOSError::new_err(message),
        Error::Threads { .. } | Error::Objective { .. } | Error::NotPlaced => {
            PyRuntimeError::new_err(message)
        }
        _ => PyValueError::new_err(message),
    }
}

/// The exception for a mistake in an argument.
pub(crate) fn wrong(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}
