//! Runs all tests that need no GPU.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::{dieharder, fuzz, miri, shell};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also the tests that take hours, tests under Miri where it is installed, five minutes of fuzzing for every reader
    /// of files, and dieharder's battery on the random numbers
    #[arg(long)]
    long: bool,
}

/// The feature for tests of programs that use MPI. Everything is compiled once, either with or without it.
const MPI: &str = "warpswarm-cli/mpi";

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut tests = cargo(&["test"]);
    if !has_mpi() {
        println!("without the ranks of mpirun: for them mpirun, mpicc and libclang are needed");
    }
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

/// A cargo command for the whole workspace, with the features of its tests.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = shell::cargo(arguments);
    command.arg("--workspace");
    if has_mpi() {
        command.args(["--features", MPI]);
    }
    command
}

/// Whether programs that use MPI can be built and started.
fn has_mpi() -> bool {
    let there = |name| shell::succeeds(name, &["--version"]);
    there("mpirun") && there("mpicc") && has_libclang()
}

/// Whether bindings can be generated: looks for libclang (`libclang.so`, `libclang-14.so.1`, not `libclang-cpp.so`)
/// where distributions install it, or in the folder that the user has set.
fn has_libclang() -> bool {
    if env::var_os("LIBCLANG_PATH").is_some() {
        return true;
    }
    let folders = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
    let is_it = |path: &Path| {
        folders(path).any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.strip_prefix("libclang").is_some_and(|rest| {
                let rest = rest.strip_prefix('-').unwrap_or(rest);
                rest.starts_with(".so")
                    || rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains(".so")
            })
        })
    };
    ["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(Path::new).into_iter().any(|place| {
        let mut within = folders(place).map(|entry| entry.path());
        is_it(place) || within.any(|path| is_it(&path) || is_it(&path.join("lib")))
    })
}
