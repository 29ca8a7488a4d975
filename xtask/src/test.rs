//! All tests that need no GPU.

use anyhow::Result;

use crate::{dieharder, shell};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also the tests that take hours, and dieharder's battery on the random numbers
    #[arg(long)]
    long: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut tests = shell::cargo(&["test", "--workspace"]);
    if args.long {
        tests.env("WARPSWARM_LONG", "1");
    }
    shell::run(&mut tests)?;
    if args.long {
        dieharder::run()?;
    }
    Ok(())
}
