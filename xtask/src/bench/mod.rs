//! `cargo xtask bench`: compares this library with its peers.
//!
//! Tables and statistics are those of `reproduce`, so this needs the same feature. Without the feature, this file
//! rebuilds xtask with it, and runs that.

use std::path::PathBuf;

use anyhow::Result;
#[cfg(any(test, feature = "reproduce"))]
use {
    crate::reproduce::page::Records, crate::reproduce::table::Table, anyhow::Context,
    std::path::Path,
};

#[cfg(any(test, feature = "reproduce"))]
mod bbob;
#[cfg(any(test, feature = "reproduce"))]
mod cpu;
#[cfg(not(any(test, feature = "reproduce")))]
mod folder;
#[cfg(any(test, feature = "reproduce"))]
mod gpu;
#[cfg(any(test, feature = "reproduce"))]
mod growth;
#[cfg(any(test, feature = "reproduce"))]
mod python;

/// The measurement to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// On the CPU: beside pygmo, scipy, PySwarms and NumPy (taken from PyPI), argmin, and a loop in C++
    Cpu(CpuArgs),
    /// On COCO's BBOB suite: which targets are reached how soon, beside pycma, pygmo, minion, fcmaes and scipy (taken from PyPI)
    Bbob(BbobArgs),
    /// On a GPU: beside EvoX, evosax, JAX, PyTorch and CUDA C++, in a folder that needs no Rust where it runs
    Gpu(GpuArgs),
    /// Draw what `bench gpu --growth` has measured: microseconds an iteration over individuals, dimensions and runs
    GrowthPictures(GrowthArgs),
}

#[derive(Clone, Debug, clap::Args)]
struct GrowthArgs {
    /// The file that it wrote
    #[arg(value_name = "GROWTH_CSV")]
    file: PathBuf,
    /// Where the pictures go
    #[arg(value_name = "OUT_DIR")]
    out: PathBuf,
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

#[derive(Clone, Debug, clap::Args)]
struct BbobArgs {
    /// Dimensions of the functions
    #[arg(long, value_name = "D", num_args = 1.., default_values_t = SUITE[2..].to_vec(), value_parser = dimensions)]
    dimensions: Vec<usize>,
    /// Instances of each function, from the first on
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=1000))]
    instances: u32,
    /// These alone, such as auto or pycma
    #[arg(long, value_name = "SEARCH", num_args = 1..)]
    only: Vec<String>,
    /// Runs at a time [default: one for each thread of the machine]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Where tables and picture go [default: target/bench/bbob]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write only the page and the picture that it shows
    #[arg(long)]
    page_only: bool,
}

/// The dimensions of COCO's suite.
const SUITE: [usize; 6] = [2, 3, 5, 10, 20, 40];

fn dimensions(text: &str) -> Result<usize, String> {
    let allowed = || format!("allowed: {SUITE:?}");
    text.parse().ok().filter(|dimensions| SUITE.contains(dimensions)).ok_or_else(allowed)
}

#[cfg(any(test, feature = "reproduce"))]
impl BbobArgs {
    fn jobs(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(all, usize::from)
    }

    /// The command as typed in the repository, without options for the output folder and the number of parallel runs.
    fn command(&self) -> String {
        let dimensions: Vec<String> = self.dimensions.iter().map(usize::to_string).collect();
        let mut command = format!(
            "cargo xtask bench bbob --dimensions {} --instances {}",
            dimensions.join(" "),
            self.instances
        );
        if !self.only.is_empty() {
            command.push_str(&format!(" --only {}", self.only.join(" ")));
        }
        command
    }
}

#[derive(Clone, Debug, Default, clap::Args)]
struct GpuArgs {
    /// A tenth of the iterations; with --targets five seeds instead of 20
    #[arg(long)]
    quick: bool,
    /// These cases alone, such as n64k_d2; with --targets these problems, such as rastrigin
    #[arg(long, value_name = "CASE", num_args = 1..)]
    only: Vec<String>,
    /// Measure this library alone
    #[arg(long)]
    no_peers: bool,
    /// Measure whether schedules and backends are chosen well, and how long start-up takes, in place of the cases
    #[arg(long, conflicts_with_all = ["quick", "only", "no_peers"])]
    choices: bool,
    /// Measure how much faster several GPUs of this machine are than one, in place of the cases
    #[arg(long, conflicts_with_all = ["quick", "only", "no_peers", "choices"])]
    devices: bool,
    /// Measure how the time of an iteration grows with individuals, dimensions and runs, in place of the cases
    #[arg(long, conflicts_with_all = ["quick", "only", "no_peers", "choices", "devices"])]
    growth: bool,
    /// Measure the time to a target of whole solves, beside scipy, pycma, evosax and EvoX, in place of the cases
    #[arg(long, conflicts_with_all = ["choices", "devices", "growth"])]
    targets: bool,
    /// Where the tables go [default: the folder that measures]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Options of the folder. The program in the folder, which is xtask with the feature, does not have them.
    #[cfg(not(any(test, feature = "reproduce")))]
    #[command(flatten)]
    folder: folder::FolderArgs,
}

#[cfg(any(test, feature = "reproduce"))]
pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Cpu(args) => cpu::run(*args),
        What::Bbob(args) => bbob::run(args),
        What::Gpu(args) => gpu::run(args),
        What::GrowthPictures(args) => growth::run(args),
    }
}

/// Prints the table, and writes it together with its records.
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

/// Builds xtask with the feature, and runs it with the same arguments.
#[cfg(not(any(test, feature = "reproduce")))]
pub(crate) fn run(args: &Args) -> Result<()> {
    use crate::shell;

    if let What::Gpu(args) = &args.what {
        return folder::run(args);
    }
    let build = ["build", "--release", "--quiet", "--package", "xtask", "--features", "reproduce"];
    shell::run(&mut shell::cargo(&build))?;
    let mut command = std::process::Command::new(shell::target()?.join("release/xtask"));
    command.args(std::env::args_os().skip(1));
    shell::run(&mut command)
}
