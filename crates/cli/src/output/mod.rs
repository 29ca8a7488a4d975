//! What is written and shown.
//!
//! * `files`: through which every file goes that a command writes; `folder`: one that is there whole or not at all, and
//!   `beside` where it waits until then.
//! * `run_folder`: the folder of a run; `json`, `trace`, `parquet`, `population`: what is in it, and `summary` what people read.
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
