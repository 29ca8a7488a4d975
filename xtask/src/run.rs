//! What a newcomer calls: the program, with GPU kernels where there is a GPU.

use std::process::ExitCode;

use warpswarm_ptx_builder::DeviceToolchain;

use crate::{setup, shell};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What the program `warpswarm` is given
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Runs the program and passes its exit code on.
pub(crate) fn run(args: &Args) -> ExitCode {
    if shell::has_gpu() && DeviceToolchain::find().is_err() {
        // Without kernels the program still runs, on the CPU.
        if let Err(error) = setup::toolchain() {
            eprintln!("warning: no GPU kernels: {error:#}");
        }
    }
    let mut program = shell::cargo(&["run", "--release", "--quiet", "--package", "warpswarm-cli"]);
    match program.arg("--").args(&args.arguments).status() {
        Ok(status) => u8::try_from(status.code().unwrap_or(1)).unwrap_or(1).into(),
        Err(error) => shell::exit_code(Err(error.into())),
    }
}
