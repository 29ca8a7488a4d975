//! Results as files and on the terminal.
//!
//! * `files`: all files of all commands are written through it; `folder`: folders that are written atomically;
//!   `beside`: their temporary names.
//! * `run_folder`: the folder of a run; `json`, `trace`, `parquet`, `population`: its contents; `summary`: the result
//!   for people.
//! * `plot`: pictures; `page`: pages for a browser; `table`: tables; `number`: numbers in JSON.

mod beside;
pub(crate) mod files;
pub(crate) mod folder;
pub(crate) mod json;
pub(crate) mod number;
pub(crate) mod page;
#[cfg(feature = "parquet")]
mod parquet;
pub(crate) mod plot;
pub(crate) mod population;
pub(crate) mod run_folder;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod trace;
