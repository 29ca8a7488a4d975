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
    PACKAGE.get_or_init(|| Package::open(KERNELS)).as_ref().map_err(unusable)
}

/// What to say of a package that cannot be opened.
fn unusable(error: &PackageError) -> Error {
    match error {
        PackageError::Empty => Error::NoKernels,
        error => Error::BadKernels { message: error.to_string() },
    }
}

/// What to say where a kernel or its objective was not built in.
pub(super) fn missing(kernel: &Kernel) -> Error {
    Error::NoSuchKernel { kernel: kernel.to_string() }
}

/// The PTX of a kernel, with its objective in it.
pub(super) fn text(package: &Package<'_>, kernel: &Kernel) -> Result<CString> {
    let entry = match &kernel.own {
        None => package.module(&kernel.entry),
        Some(own) => {
            Package::open(own.package()).map_err(|error| unusable(&error))?.module(&kernel.entry)
        }
    };
    let entry = entry.ok_or_else(|| missing(kernel))?;
    let text = match &kernel.objective {
        None => entry,
        Some(objective) => {
            let objective = package.module(objective).ok_or_else(|| missing(kernel))?;
            link(&entry, &objective).map_err(|error| Error::Launch {
                kernel: kernel.to_string(),
                code: 0,
                message: error.to_string(),
            })?
        }
    };
    let text = if kernel.dense { with_blocks(&text, 2) } else { text };
    CString::new(text).map_err(|_| missing(kernel))
}

/// The same text for a multiprocessor that shall hold so many of the largest blocks.
fn with_blocks(text: &str, blocks: u32) -> String {
    text.replacen(".minnctapersm 1\n", &format!(".minnctapersm {blocks}\n"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dense_kernel_asks_for_two_blocks() {
        let text = ".entry a(\n)\n.maxntid 256, 1, 1\n.minnctapersm 1\n{\n}";
        let dense = ".entry a(\n)\n.maxntid 256, 1, 1\n.minnctapersm 2\n{\n}";
        assert_eq!(with_blocks(text, 2), dense);
    }
}
