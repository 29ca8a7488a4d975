//! The kernels that were built in, and linking them with objectives.

use std::ffi::CString;
use std::sync::OnceLock;

use warpswarm_ptx_builder::{Package, PackageError, link};

use super::Kernel;
use crate::error::{Error, Result};

/// The kernels that the build script compiled; empty if it could not.
static KERNELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx"));

/// The package of kernels that was built in.
pub(crate) fn package() -> Result<&'static Package<'static>> {
    static PACKAGE: OnceLock<Result<Package<'static>, PackageError>> = OnceLock::new();
    match PACKAGE.get_or_init(|| Package::open(KERNELS)) {
        Ok(package) => Ok(package),
        Err(PackageError::Empty) => Err(Error::NoKernels),
        Err(error) => Err(Error::BadKernels { message: error.to_string() }),
    }
}

/// What to say where a kernel or its objective was not built in.
pub(super) fn missing(kernel: &Kernel) -> Error {
    Error::NoSuchKernel { kernel: kernel.to_string() }
}

/// The PTX of a kernel, with its objective in it.
pub(super) fn text(package: &Package<'_>, kernel: &Kernel) -> Result<CString> {
    let module = |name: &str| package.module(name).ok_or_else(|| missing(kernel));
    let text = match &kernel.objective {
        None => module(&kernel.entry)?,
        Some(objective) => link(&module(&kernel.entry)?, &module(objective)?).map_err(|error| {
            Error::Launch { kernel: kernel.to_string(), code: 0, message: error.to_string() }
        })?,
    };
    CString::new(text).map_err(|_| missing(kernel))
}
