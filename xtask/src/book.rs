//! The book is a separate package, because it needs the library, on which no task may depend.

use std::path::PathBuf;

use anyhow::Result;

use crate::shell;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where it goes [default: target/book]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let out = match &args.out {
        Some(out) => std::path::absolute(out)?,
        None => shell::target()?.join("book"),
    };
    // The profile of tests, so that dependencies are compiled only once; without optimisation, runs would take minutes.
    let build =
        ["run", "--quiet", "--profile", "test", "--package", "warpswarm-book", "--", "--out"];
    shell::run(shell::cargo(&build).arg(out))
}
