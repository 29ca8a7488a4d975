//! Runs the program for new users, with GPU kernels if there is a GPU.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Result;
use warpswarm_ptx_builder::DeviceToolchain;
use warpswarm_ptx_builder::toolchain::{NONE, RUSTC_VARIABLE};

use crate::{setup, shell};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What the program `warpswarm` is given
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Runs the program and returns its exit code.
pub(crate) fn run(args: &Args) -> ExitCode {
    let wanted = env::var_os(RUSTC_VARIABLE).is_none_or(|rustc| rustc != NONE);
    if wanted && shell::has_gpu() && DeviceToolchain::find().is_err() {
        // Without kernels, the program still runs on the CPU.
        if let Err(error) = setup::toolchain() {
            eprintln!("warning: no GPU kernels: {error:#}");
        }
    }
    run_in_callers_folder(&args.arguments).unwrap_or_else(|error| shell::exit_code(Err(error)))
}

fn run_in_callers_folder(arguments: &[String]) -> Result<ExitCode> {
    let status = program(arguments, &env::current_dir()?)?.status()?;
    Ok(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1).into())
}

/// The command that runs the program in a folder, to which its file arguments are relative.
fn program(arguments: &[String], folder: &Path) -> Result<Command> {
    let mut cargo = shell::cargo(&["run", "--release", "--package", "warpswarm-cli"]);
    cargo.arg("--manifest-path").arg(shell::root().join("Cargo.toml")).current_dir(folder);
    let built = format!("release/warpswarm{}", env::consts::EXE_SUFFIX);
    // The first build takes minutes, so its progress is shown; later builds are quiet.
    if shell::target()?.join(built).exists() {
        cargo.arg("--quiet");
    }
    cargo.arg("--").args(arguments);
    Ok(cargo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_those_of_the_callers_folder() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["solve", "mine.toml"].map(String::from);
        let program = program(&arguments, folder.path()).unwrap();
        assert_eq!(program.get_current_dir(), Some(folder.path()));
        let given: Vec<_> = program.get_args().collect();
        assert!(given.ends_with(&["--", "solve", "mine.toml"].map(AsRef::as_ref)), "{given:?}");
        let manifest = shell::root().join("Cargo.toml");
        assert!(
            given.windows(2).any(|two| two == ["--manifest-path".as_ref(), manifest.as_os_str()])
        );
    }
}
