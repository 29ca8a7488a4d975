//! The arguments of `warpswarm rerun` and `warpswarm resume`.

use std::path::PathBuf;

use clap::Args;
use warpswarm::{Backend, Devices, MAX_ITERATIONS, Schedule};

use super::output::{OutputArgs, ProgressKind};
use super::values::{MAX_THREADS, block_size, devices, one_of, whole};

pub(super) const RERUN_EXAMPLES: &str = "\
Examples:
  warpswarm solve rastrigin --seed 7 --out first
  warpswarm rerun first
  warpswarm rerun first --backend cpu --threads 1

Says what the same bits are, or what differs: the version, the compiler of the kernels, which values of \
which run, and from which iteration of the trace on. A run that was stopped by its time or by Ctrl-C is \
repeated for as many iterations as it did.

Exit codes: 0 the same bits; 1 something differs, or it failed while running; 2 bad usage or input; \
130 interrupted (Ctrl-C).";

#[derive(Debug, Args)]
pub(crate) struct RerunArgs {
    /// The folder that --out has written
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    /// What to show meanwhile; see `warpswarm solve --help`
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) progress: ProgressKind,
}

pub(super) const RESUME_EXAMPLES: &str = "\
Examples:
  warpswarm solve rastrigin --iterations 1000000 --checkpoint run.ws --every 10s
  warpswarm resume run.ws
  warpswarm resume run.ws --iterations 5000 --backend cpu
  mpirun -n 4 warpswarm resume kept

Goes on to the stop conditions of the run, or so many iterations more, and gives the bits of a run that \
was never left, islands on any number of ranks. Seconds count from the beginning of the run.

Exit codes: 0 done; 1 failed while running; 2 bad usage or input; 130 interrupted (Ctrl-C), after \
printing the best so far.";

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The file, of islands the folder, that --checkpoint has written; it goes on being written, unless --checkpoint
    /// names another
    #[arg(value_name = "FILE|DIR")]
    pub(crate) file: PathBuf,

    /// Do so many iterations more, instead of going on to the limits of iterations, evaluations and seconds
    #[arg(long, value_name = "MORE", value_parser = whole(0..=MAX_ITERATIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) iterations: Option<u64>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Another place to run; the numbers do not depend on it.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// Where to run [default: as the first time]
    #[arg(long, value_parser = one_of(Backend::ALL, Backend::name))]
    pub(crate) backend: Option<Backend>,

    /// The GPUs that share the runs: all, or their numbers, such as 0,2 [default: as the first time; with --backend the first one]
    #[arg(long, value_name = "all|N,...", value_parser = devices)]
    pub(crate) devices: Option<Devices>,

    /// Split each swarm over these
    #[arg(long)]
    pub(crate) split: bool,

    /// How to lay the runs over the GPU [default: as the first time, with --backend auto]
    #[arg(long, value_parser = one_of(Schedule::ALL, Schedule::name))]
    pub(crate) schedule: Option<Schedule>,

    /// Threads of a block on the GPU [default: as the first time, with --backend or --schedule what suits the schedule]
    #[arg(long, value_name = "N", value_parser = block_size, allow_negative_numbers = true)]
    pub(crate) block_size: Option<u32>,

    /// Threads of the backend cpu [default: as the first time]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_THREADS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: Option<u64>,
}
