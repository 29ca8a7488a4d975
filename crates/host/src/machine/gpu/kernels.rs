//! The built-in kernels, and linking them with objectives.

use std::ffi::CString;
use std::sync::{Mutex, OnceLock, PoisonError};

use warpswarm_ptx_builder::{LinkError, Package, PackageError, known, link, lower};

use super::super::{Piece, Residency};
use super::Kernel;
use crate::error::{Error, Result};
use crate::machine::kernels::Kernels;

/// The kernels that the build script compiled; empty if it could not compile them.
static KERNELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx"));

/// The package of built-in kernels.
pub(crate) fn package() -> Result<&'static Package<'static>> {
    static PACKAGE: OnceLock<Result<Package<'static>, PackageError>> = OnceLock::new();
    PACKAGE.get_or_init(|| Package::open(KERNELS)).as_ref().map_err(unusable)
}

/// The error for a package that cannot be opened.
fn unusable(error: &PackageError) -> Error {
    match error {
        PackageError::Empty => Error::NoKernels,
        error => Error::BadKernels { message: error.to_string() },
    }
}

/// A user's package, opened once.
fn opened(own: Kernels) -> Result<&'static Package<'static>> {
    static OPENED: Mutex<Vec<(Kernels, &'static Package<'static>)>> = Mutex::new(Vec::new());
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, package)) = opened.iter().find(|(known, _)| *known == own) {
        return Ok(package);
    }
    let package = Package::open(own.package()).map_err(|error| unusable(&error))?;
    // A program has only as many packages as build scripts, so that leaking them is harmless.
    let package: &'static _ = Box::leak(Box::new(package));
    opened.push((own, package));
    Ok(package)
}

/// The error for a kernel or an objective that is not built in.
pub(super) fn missing(kernel: &Kernel) -> Error {
    Error::NoSuchKernel { kernel: kernel.to_string() }
}

/// The PTX of a kernel, linked with its objective, for devices of an architecture such as 80.
pub(super) fn text(
    built_in: &'static Package<'static>,
    kernel: &Kernel,
    architecture: u32,
) -> Result<CString> {
    let module = |piece: &Piece| {
        let package = piece.own.map_or(Ok(built_in), opened)?;
        package.module(&piece.name).ok_or_else(|| match piece.own {
            Some(_) if kernel.objective.as_ref() == Some(piece) => {
                Error::NotExported { objective: piece.name.clone() }
            }
            _ => missing(kernel),
        })
    };
    let entry = module(&kernel.entry)?;
    let failed = |error: LinkError| Error::Launch {
        kernel: kernel.to_string(),
        code: 0,
        message: error.to_string(),
    };
    let text = match &kernel.objective {
        None => entry,
        Some(objective) => {
            let objective = match &objective.program {
                None => module(objective)?,
                Some(program) => {
                    let piece = |name: &str| built_in.module(name);
                    let text = match kernel.is_of_model() {
                        true => program.model_text(&kernel.entry.name, &piece),
                        false => program.text(&objective.name, &piece),
                    };
                    text.map_err(failed)?
                }
            };
            link(&entry, &objective).map_err(failed)?
        }
    };
    let text = known::with_words(&text, &kernel.entry.name, &kernel.known);
    let text = match kernel.residency {
        Some(residency) => resident(&text, residency),
        None => text,
    };
    CString::new(lower::for_architecture(&text, architecture).into_owned())
        .map_err(|_| missing(kernel))
}

/// The text with launch bounds for this number of resident threads.
fn resident(text: &str, Residency { threads, blocks }: Residency) -> String {
    let line = |line: &str| match line.split_whitespace().next() {
        Some(".maxntid") => format!(".maxntid {threads}, 1, 1\n"),
        Some(".minnctapersm") => format!(".minnctapersm {blocks}\n"),
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_kernels_says_so() {
        assert_eq!(
            Package::open(&[]).map(drop).map_err(|error| unusable(&error)),
            Err(Error::NoKernels)
        );
        let other = Package::open(b"something else").map(drop).map_err(|error| unusable(&error));
        assert!(matches!(other, Err(Error::BadKernels { .. })), "{other:?}");
    }

    #[test]
    fn a_text_says_how_many_threads_a_multiprocessor_holds() {
        let text = ".entry a(\n)\n.maxntid 256, 1, 1\n.minnctapersm 1\n{\n}";
        let crowded = ".entry a(\n)\n.maxntid 640, 1, 1\n.minnctapersm 2\n{\n}";
        assert_eq!(resident(text, Residency { threads: 640, blocks: 2 }), crowded);
    }
}
