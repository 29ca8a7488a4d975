//! The arguments of `warpswarm new`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm new my-fit
  warpswarm new my-fit --library ../warpswarm

The crate fits a peak to measured points. It builds with stable Rust. It runs on the CPU at once, and
on the GPU after `warpswarm setup`.

Exit codes: 0 done; 1 failed while running; 2 bad usage or input.";

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// Folder of the new crate, which is named after it; the folder must be empty or not exist
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,

    /// The warpswarm that the crate depends on [default: the repository of this program, otherwise its published
    /// version]
    ///
    /// This is a published version, or a folder with the packages of warpswarm, such as its repository. The default is
    /// the repository in which this program was built, if it still exists. Otherwise it is the published version of
    /// this program.
    #[arg(long, value_name = "VERSION|FOLDER")]
    pub(crate) library: Option<OsString>,
}
