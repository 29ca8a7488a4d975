//! The arguments of `warpswarm new`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm new my-fit
  warpswarm new my-fit --library ../warpswarm

The crate fits a peak to measured points. It builds with stable Rust and runs on the CPU at once; on \
the GPU after `warpswarm setup`.

Exit codes: 0 done; 1 failed while running; 2 bad usage or input.";

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The crate's folder, not there yet or empty; the crate is named after it
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,

    /// Which warpswarm the crate depends on: a published version, or a folder with its packages, such
    /// as its repository [default: the repository in which this program was built, if it is there, otherwise the published
    /// version of this program]
    #[arg(long, value_name = "VERSION|FOLDER")]
    pub(crate) library: Option<OsString>,
}
