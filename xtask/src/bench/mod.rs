//! `cargo xtask bench`: this library beside its peers.
//!
//! Tables and statistics are those of `reproduce`, so this is behind the same feature: without it, this file builds the
//! program with it, and runs that.

use anyhow::Result;

#[cfg(any(test, feature = "reproduce"))]
mod cpu;

/// What is measured.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// On the CPU: beside pygmo, scipy, PySwarms and NumPy (taken from PyPI), argmin, and a loop in C++
    Cpu(CpuArgs),
}

#[derive(Clone, Copy, Debug, clap::Args)]
struct CpuArgs {
    /// Rounds, of which a row shows the median
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Iterations of the fastest; slower ones do fewer
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(100..))]
    iterations: u32,
}

#[cfg(any(test, feature = "reproduce"))]
pub(crate) fn run(args: &Args) -> Result<()> {
    match args.what {
        What::Cpu(args) => cpu::run(args),
    }
}

/// Builds what measures, and runs it with the same arguments.
#[cfg(not(any(test, feature = "reproduce")))]
pub(crate) fn run(args: &Args) -> Result<()> {
    use crate::shell;

    let build = ["build", "--release", "--quiet", "--package", "xtask", "--features", "reproduce"];
    shell::run(&mut shell::cargo(&build))?;
    let mut command = std::process::Command::new(shell::target()?.join("release/xtask"));
    match args.what {
        What::Cpu(CpuArgs { rounds, iterations }) => command
            .args(["bench", "cpu", "--rounds", &rounds.to_string()])
            .args(["--iterations", &iterations.to_string()]),
    };
    shell::run(&mut command)
}
