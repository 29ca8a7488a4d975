//! The book, which is a package of its own: it needs the library, and no task may.

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
    // As tests are built, so that they share what is compiled; unoptimised, runs would take minutes.
    let build =
        ["run", "--quiet", "--profile", "test", "--package", "warpswarm-book", "--", "--out"];
    shell::run(shell::cargo(&build).arg(out))
}
