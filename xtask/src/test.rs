//! All tests that need no GPU.

use anyhow::Result;

use crate::{dieharder, fuzz, miri, shell};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also the tests that take hours, tests under Miri where it is installed, five minutes of fuzzing for every reader
    /// of files, and dieharder's battery on the random numbers
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
        miri::run()?;
        fuzz::run(&fuzz::Args::all(300))?;
        dieharder::run()?;
    }
    Ok(())
}
