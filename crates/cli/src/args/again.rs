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
  warpswarm rerun first --out again --population-every 1

The command repeats the run, and compares the result bit by bit. If something differs, it prints what
differs: the version, the compiler of the kernels, the values of each run, and the iteration from
which the trace differs. A run that was stopped by its time limit or by Ctrl-C is repeated for the
same number of iterations; after Ctrl-C without the local search at the end. --out keeps the
repetition in a folder as `solve` writes it.

Exit codes: 0 the same bits; 1 something differs, or it failed while running; 2 bad usage or input;
130 interrupted (Ctrl-C, TERM or HUP).";

#[derive(Debug, Args)]
pub(crate) struct RerunArgs {
    /// The folder of the run, which --out wrote
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// Also write the repetition to a new folder: run.toml, result.json and trace.csv
    #[arg(long, value_name = "NEW")]
    pub(crate) out: Option<PathBuf>,

    /// Replace the folder NEW of an earlier run
    #[arg(long, requires = "out")]
    pub(crate) force: bool,

    /// Write the populations to NEW/population.csv, every K iterations and at the end [default: as the first time]
    #[arg(long, value_name = "K", requires = "out", value_parser = whole(1..=MAX_ITERATIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) population_every: Option<u64>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    /// What to show during the run; see `warpswarm solve --help`
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) progress: ProgressKind,
}

pub(super) const RESUME_EXAMPLES: &str = "\
Examples:
  warpswarm solve rastrigin --iterations 1000000 --checkpoint run.ws --every 10s
  warpswarm resume run.ws
  warpswarm resume run.ws --iterations 5000 --backend cpu
  mpirun -n 4 warpswarm resume kept

The command continues the run up to its stop conditions, or for the given number of further
iterations. The result has the same bits as a run that was never interrupted. Islands continue on any
number of ranks. Seconds count from the beginning of the first run.

Exit codes: 0 done; 1 failed while running; 2 bad usage or input;
130 interrupted (Ctrl-C, TERM or HUP), after printing the best so far.";

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The checkpoint that --checkpoint wrote: a file, or with islands a folder
    ///
    /// The resumed run writes its checkpoints to the same place, unless --checkpoint names another.
    #[arg(value_name = "FILE|DIR")]
    pub(crate) file: PathBuf,

    /// Do MORE further iterations, instead of continuing to the limits of the run
    ///
    /// These limits are iterations, evaluations and seconds. MORE replaces them for good, also in the checkpoint: a later
    /// `resume` without --iterations continues to the new limit. The target and the limit of stagnation still apply.
    #[arg(long, value_name = "MORE", value_parser = whole(0..=MAX_ITERATIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) iterations: Option<u64>,

    #[command(flatten)]
    _of_the_run: OfTheRun,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Not options of `resume`: what the first command decides. The messages say what to do instead.
#[derive(Debug, Args)]
struct OfTheRun {
    #[arg(long = "seconds", id = "seconds", value_name = "S")]
    #[arg(hide = true, allow_hyphen_values = true, value_parser = no_limit)]
    _seconds: Option<String>,

    #[arg(long = "evaluations", id = "evaluations", value_name = "N")]
    #[arg(hide = true, allow_hyphen_values = true, value_parser = no_limit)]
    _evaluations: Option<String>,

    #[arg(long = "target", id = "target", value_name = "F")]
    #[arg(hide = true, allow_hyphen_values = true, value_parser = no_condition)]
    _target: Option<String>,

    #[arg(long = "stagnation", id = "stagnation", value_name = "N")]
    #[arg(hide = true, allow_hyphen_values = true, value_parser = no_condition)]
    _stagnation: Option<String>,
}

fn no_limit(_: &str) -> Result<String, String> {
    Err("the first command has set the limits of the run; --iterations MORE replaces them".into())
}

fn no_condition(_: &str) -> Result<String, String> {
    Err("the first command has set the target and the limit of stagnation, and `resume` cannot change them; leave it \
         out, or start a new run"
        .into())
}

pub(super) const CHECKPOINT_EXAMPLES: &str = "\
Examples:
  warpswarm solve rastrigin --iterations 1000000 --checkpoint run.ws --every 10s
  warpswarm checkpoint run.ws
  warpswarm checkpoint run.ws --json | jq .best.value

The command reads the whole checkpoint and checks that it is not damaged. It changes nothing.

Exit codes: 0 the checkpoint is intact; 2 bad usage, or a file that is damaged or no checkpoint.";

#[derive(Debug, Args)]
pub(crate) struct CheckpointArgs {
    /// The checkpoint that --checkpoint wrote: a file, or with islands a folder
    #[arg(value_name = "FILE|DIR")]
    pub(crate) file: PathBuf,

    /// Write JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options that select where a repeated or resumed run executes; the numbers do not depend on them.
#[derive(Debug, Default, Args)]
pub(crate) struct PlaceArgs {
    /// Where to run [default: as the first time]
    #[arg(long, value_parser = one_of(Backend::ALL, Backend::name))]
    pub(crate) backend: Option<Backend>,

    /// GPUs that share the runs: all, or their numbers, such as 0,2 [default: as the first time; with --backend the
    /// first GPU]
    #[arg(long, value_name = "all|N,...", value_parser = devices)]
    pub(crate) devices: Option<Devices>,

    /// Share the individuals of each swarm among these GPUs
    #[arg(long)]
    pub(crate) split: bool,

    /// How the runs are laid out on the GPU [default: as the first time; with --backend auto]
    #[arg(long, value_parser = one_of(Schedule::ALL, Schedule::name))]
    pub(crate) schedule: Option<Schedule>,

    /// Threads of a block on the GPU [default: as the first time; with --backend or --schedule the planner's choice]
    ///
    /// N is a multiple of 32, up to 1024.
    #[arg(long, value_name = "N", value_parser = block_size, allow_negative_numbers = true)]
    pub(crate) block_size: Option<u32>,

    /// Threads of the backend cpu [default: as the first time]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_THREADS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: Option<u64>,
}
