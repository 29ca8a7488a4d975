//! `cargo xtask bench`: this library beside its peers.
//!
//! Tables and statistics are those of `reproduce`, so this is behind the same feature: without it, this file builds the
//! program with it, and runs that.

use std::path::PathBuf;

use anyhow::Result;
#[cfg(any(test, feature = "reproduce"))]
use {
    crate::reproduce::page::Records, crate::reproduce::table::Table, anyhow::Context,
    std::path::Path,
};

#[cfg(any(test, feature = "reproduce"))]
mod cpu;
#[cfg(not(any(test, feature = "reproduce")))]
mod folder;
#[cfg(any(test, feature = "reproduce"))]
mod gpu;

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
    /// On a GPU: beside EvoX, evosax, JAX, PyTorch and CUDA C++, in a folder that needs no Rust where it runs
    Gpu(GpuArgs),
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

#[derive(Clone, Debug, Default, clap::Args)]
struct GpuArgs {
    /// A tenth of the iterations
    #[arg(long)]
    quick: bool,
    /// These cases alone, such as n64k_d2
    #[arg(long, value_name = "CASE", num_args = 1..)]
    only: Vec<String>,
    /// Measure this library alone
    #[arg(long)]
    no_peers: bool,
    /// Measure something else: whether schedules and backends are chosen well, and what start-up takes
    #[arg(long, conflicts_with_all = ["quick", "only", "no_peers"])]
    choices: bool,
    /// Measure something else: what several GPUs of this machine are worth
    #[arg(long, conflicts_with_all = ["quick", "only", "no_peers", "choices"])]
    devices: bool,
    /// Where the tables go [default: the folder that measures]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Nothing for the program in the folder, which is this one, built with the feature.
    #[cfg(not(any(test, feature = "reproduce")))]
    #[command(flatten)]
    folder: folder::FolderArgs,
}

#[cfg(any(test, feature = "reproduce"))]
pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Cpu(args) => cpu::run(*args),
        What::Gpu(args) => gpu::run(args),
    }
}

/// Prints the table, and writes it with its records.
#[cfg(any(test, feature = "reproduce"))]
fn publish(folder: &Path, table: &Table, records: &Records) -> Result<()> {
    print!("{}", table.text());
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (text, markdown) = (table.text().into_bytes(), table.markdown().into_bytes());
    for (kind, bytes) in [("txt", text), ("md", markdown), ("csv", records.csv()?)] {
        let path = folder.join(records.name).with_extension(kind);
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    println!("written to {} as text, Markdown and CSV", folder.display());
    Ok(())
}

/// Builds what measures, and runs it with the same arguments.
#[cfg(not(any(test, feature = "reproduce")))]
pub(crate) fn run(args: &Args) -> Result<()> {
    use crate::shell;

    let CpuArgs { rounds, iterations } = match &args.what {
        What::Cpu(args) => *args,
        What::Gpu(args) => return folder::run(args),
    };
    let build = ["build", "--release", "--quiet", "--package", "xtask", "--features", "reproduce"];
    shell::run(&mut shell::cargo(&build))?;
    let mut command = std::process::Command::new(shell::target()?.join("release/xtask"));
    command.args(["bench", "cpu", "--rounds", &rounds.to_string()]);
    command.args(["--iterations", &iterations.to_string()]);
    shell::run(&mut command)
}
