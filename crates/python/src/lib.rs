//! The compiled part of the Python package `pywarpswarm`: problems, and searches that run them.
//!
//! The public interface is written in Python, in `python/pywarpswarm`, on top of two classes:
//!
//! * [`Problem`](problem::Problem): a compiled objective with its variables;
//! * [`Search`](search::Search): runs of an algorithm, with a `Problem`, with a Python function, or with a caller who
//!   evaluates.
//!
//! Settings and algorithms are passed as JSON, in the library's format; points and values are NumPy arrays.

mod callbacks;
mod commands;
mod device_points;
mod errors;
mod fit;
mod listing;
mod picture;
mod problem;
mod report;
mod saver;
mod search;
mod within;

use pyo3::prelude::*;

/// The compiled part of `pywarpswarm`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::callbacks::{forked, leave};
    #[pymodule_export]
    use super::commands::{command, program};
    #[pymodule_export]
    use super::device_points::DevicePoints;
    #[pymodule_export]
    use super::errors::DeviceError;
    #[pymodule_export]
    use super::fit::{fit, fit_called};
    #[pymodule_export]
    use super::listing::{algorithms, problems, system};
    #[pymodule_export]
    use super::picture::picture;
    #[pymodule_export]
    use super::problem::Problem;
    #[pymodule_export]
    use super::search::Search;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
