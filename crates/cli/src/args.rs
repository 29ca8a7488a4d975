//! The command line.

mod again;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod fit;
mod islands;
mod output;
mod report;
mod shell;
pub(crate) mod tune;

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use warpswarm::bbob::MAX_INSTANCE;
use warpswarm::{
    Backend, Constraints, Devices, MAX_INDIVIDUALS, MAX_ITERATIONS, MAX_RUNS, Precision, Restart,
    Schedule,
};

pub(crate) use again::{PlaceArgs, RerunArgs, ResumeArgs};
pub(crate) use islands::IslandArgs;
pub(crate) use output::{Every, OutputArgs, ProgressKind};
pub(crate) use report::ReportArgs;
pub(crate) use shell::{CompletionsArgs, ManArgs};

/// Minimises functions with swarms, on NVIDIA GPUs and on the CPU, with the same numbers on both.
#[derive(Debug, Parser)]
#[command(name = "warpswarm", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  warpswarm solve rastrigin --dim 30
  warpswarm solve rastrigin --out first
  warpswarm rerun first
  warpswarm fit my-model.toml data.csv
  warpswarm list problems
  warpswarm new my-fit
  warpswarm doctor

Exit codes: 0 done; 1 failed while running; 2 bad usage or input; 130 interrupted (Ctrl-C), after \
printing the best so far.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Minimise a problem
    #[command(after_help = SOLVE_EXAMPLES)]
    Solve(Box<SolveArgs>),
    /// Fit a model to data, or to many data sets: parameters with their standard errors
    #[command(after_help = fit::EXAMPLES)]
    Fit(Box<fit::FitArgs>),
    /// Look for mistakes in a problem, before time is spent on it
    #[command(after_help = check::EXAMPLES)]
    Check(check::CheckArgs),
    /// Repeat the run of a folder that --out wrote, and say whether it gave the same bits
    #[command(after_help = again::RERUN_EXAMPLES)]
    Rerun(RerunArgs),
    /// Go on from a file that --checkpoint wrote
    #[command(after_help = again::RESUME_EXAMPLES)]
    Resume(Box<ResumeArgs>),
    /// Write a small crate with an objective of its own, to start from
    #[command(after_help = NEW_EXAMPLES)]
    New(NewArgs),
    /// Compare algorithms and settings on problems over many runs, with statistics
    #[command(after_help = compare::EXAMPLES)]
    Compare(Box<compare::CompareArgs>),
    /// Search for an algorithm's best parameters on some problems
    #[command(after_help = tune::EXAMPLES)]
    Tune(Box<tune::TuneArgs>),
    /// List problems or algorithms
    #[command(after_help = LIST_EXAMPLES)]
    List(ListArgs),
    /// Make one page of run folders, with charts and tables, to look at in a browser
    #[command(after_help = report::EXAMPLES)]
    Report(ReportArgs),
    /// Say what this machine and this build can do, and how to get what is missing
    #[command(
        after_help = "Examples:\n  warpswarm doctor\n  warpswarm doctor --json | jq .backends"
    )]
    Doctor(DoctorArgs),
    /// Install what compiles objectives for GPUs: a dated nightly with rustup, or Debian's packages
    #[command(after_help = "Examples:\n  warpswarm setup")]
    Setup,
    /// Write the completions of a shell
    #[command(after_help = shell::COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
    /// Write the manual page
    #[command(after_help = shell::MAN_EXAMPLES)]
    Man(ManArgs),
}

const LIST_EXAMPLES: &str = "\
Examples:
  warpswarm list problems
  warpswarm list algorithms --json | jq '.[].id'";

const SOLVE_EXAMPLES: &str = "\
Examples:
  warpswarm solve rastrigin --dim 30 --seed 7
  warpswarm solve spring --algorithm de
  warpswarm solve bbob-f15 --dim 20 --instance 3
  warpswarm solve my-problem.toml
  warpswarm solve my-problem.toml --start guesses.csv
  warpswarm solve rastrigin --dim 1000 --precision f32
  warpswarm solve sphere --dim 100 --individuals 65536 --target 1e-6 --seconds 10
  warpswarm solve rastrigin --runs 1000 --json results.json
  warpswarm solve rastrigin --runs 50 --plot convergence.svg --plot distribution.png
  warpswarm solve rastrigin --dim 2 --individuals 64 --iterations 100 --plot swarm.gif
  warpswarm solve euclidean --dim 2 --algorithm pso --set preset=cpso-paper --set boundary=reflect
  warpswarm solve euclidean --dim 2 --algorithm pso --set preset=cpso-paper --schedule stepwise --block-size 32
  warpswarm solve rastrigin --json - | jq '.runs[0].best.value'
  warpswarm solve rastrigin --runs 20 --out first
  warpswarm solve rastrigin --iterations 1000000 --checkpoint run.ws
  warpswarm solve rastrigin --islands ring --island-count 8 --migrants 2 --individuals 128
  mpirun -n 8 warpswarm solve rastrigin --islands torus --island-set pso,de --checkpoint kept
  mpirun -n 4 warpswarm solve rastrigin --dim 100 --individuals 4194304 --split

The first stop condition that is met ends a run. The same seed gives the same numbers of an algorithm on every \
backend, with every schedule, block size and number of threads; auto is another one, shade, with a schedule of a launch an iteration, among islands, \
and in more than 200 dimensions.

--json writes: problem, dimensions, algorithm, parameters, backend, device, schedule and \
block_size (null on the CPU), precision, seed, runs, seconds, polish_seconds, setup_seconds; each of runs has best (value, violation, \
position, constraints with name and value; of a problem file also variables, a name with its value each, with values and choices \
as the file has them; with --precision f32 also in_f64, value and violation computed again), evaluations, iterations, restarts, stop_reason, not_finite, and where a local search has finished the run polish (value and violation from which it started, steps, evaluations, gradients); with --islands also \
islands (topology, every, migrants, select, replace, inhabitants), the runs being the islands. Read in the precision of the run, \
numbers give the same bits; NaN and infinities are the strings \"NaN\", \"Infinity\", \"-Infinity\".

Exit codes: 0 done; 1 failed while running; 2 bad usage or input; 130 interrupted (Ctrl-C), after \
printing the best so far.";

#[derive(Debug, Args)]
pub(crate) struct SolveArgs {
    /// What to minimise: one of `warpswarm list problems`, or a problem file, which ends in .toml
    #[arg(value_name = "PROBLEM")]
    pub(crate) problem: String,

    /// Number of dimensions [default: the problem's own, otherwise 30]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_DIMENSIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) dim: Option<u64>,

    /// Which instance of a function of the BBOB suite [default: 1]
    #[arg(long, value_name = "N", value_parser = instance, allow_negative_numbers = true)]
    pub(crate) instance: Option<u32>,

    /// Algorithm; `warpswarm list algorithms` shows all, with their parameters
    #[arg(long, value_name = "ID", default_value = "auto")]
    pub(crate) algorithm: String,

    /// Individuals of a run [default: what suits the algorithm and the dimensions]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_INDIVIDUALS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) individuals: Option<u64>,

    /// Independent runs, done side by side
    #[arg(long, value_name = "R", default_value = "1", value_parser = whole(1..=MAX_RUNS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) runs: u64,

    /// Stop after this many iterations [default: 1000, of auto and cma-es 1,000,000 evaluations, unless
    /// --evaluations, --seconds or --stagnation is given]
    #[arg(long, value_name = "N", value_parser = whole(0..=MAX_ITERATIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) iterations: Option<u64>,

    /// Stop before a run's evaluations exceed this
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) evaluations: Option<u64>,

    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds, allow_hyphen_values = true)]
    pub(crate) seconds: Option<f64>,

    /// Stop a run whose best value is at most this
    #[arg(long, value_name = "F", value_parser = number, allow_hyphen_values = true)]
    pub(crate) target: Option<f64>,

    /// Stop a run that has not improved for this many iterations
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) stagnation: Option<u64>,

    /// Seed of all random draws
    #[arg(long, value_name = "S", default_value = "0", value_parser = whole(0..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Where to run; auto is the GPU if there is one that can do this and should be done first, otherwise the CPU
    #[arg(long, default_value = "auto", value_parser = one_of(Backend::ALL, Backend::name))]
    pub(crate) backend: Backend,

    /// The GPUs that share the runs: all, or their numbers, such as 0,2 [default: 0]; the numbers do not depend on it
    #[arg(long, value_name = "all|N,...", value_parser = devices)]
    pub(crate) devices: Option<Devices>,

    /// Split each swarm over these, instead of sharing out the runs: pso alone, for swarms that are large. With `mpirun` over
    /// its ranks, each with a GPU of its machine
    #[arg(long)]
    pub(crate) split: bool,

    /// How to lay the runs over the GPU; the numbers do not depend on it
    #[arg(long, default_value = "auto", value_parser = one_of(Schedule::ALL, Schedule::name))]
    pub(crate) schedule: Schedule,

    /// Threads of a block on the GPU [default: what suits the schedule and the sizes]; the numbers do not depend on it
    #[arg(long, value_name = "N", value_parser = block_size, allow_negative_numbers = true)]
    pub(crate) block_size: Option<u32>,

    /// Number type: f64 has sixteen digits; f32 has seven, and takes half the time or less
    #[arg(long, default_value = "f64", value_parser = one_of(Precision::ALL, Precision::name))]
    pub(crate) precision: Precision,

    /// Threads of the backend cpu; 1 is serial [default: as many as the machine has]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_THREADS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: Option<u64>,

    /// Lower bound of every coordinate [default: the problem's, of each]
    #[arg(long, value_name = "L", value_parser = finite, allow_hyphen_values = true)]
    pub(crate) lower: Option<f64>,

    /// Upper bound of every coordinate [default: the problem's, of each]
    #[arg(long, value_name = "U", value_parser = finite, allow_hyphen_values = true)]
    pub(crate) upper: Option<f64>,

    /// Move the problem's optimum by this much in every coordinate
    #[arg(long, value_name = "S", default_value = "0", value_parser = finite)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) shift: f64,

    /// What counts of constraints: feasible-first is Deb's rule; epsilon lets violations of most individuals pass in the first 200
    /// iterations, ever smaller ones, which finds more where there is little room [default: epsilon for a problem file with equations or narrow bands, otherwise
    /// feasible-first]
    #[arg(long, value_parser = one_of(Constraints::ALL, Constraints::name))]
    pub(crate) constraints: Option<Constraints>,

    /// What a run does when its population has converged: begin anew, with other draws, and keep the best of all, or go on
    #[arg(long, default_value_t, value_parser = one_of(Restart::ALL, Restart::name))]
    pub(crate) restart: Restart,

    /// Finish each run with a local search from its best point, along exact derivatives: to the last digits, and never to a worse
    /// point. This is done anyway, in at most about a tenth of the run's own evaluations, or 20,000 if that is more, unless a run has reached its target or there
    /// are more than 1,000 dimensions; with --polish in any case and in up to 20,000
    #[arg(long, conflicts_with = "islands")]
    pub(crate) polish: bool,

    /// Report the best point that the population has found, without a local search from there
    #[arg(long, conflicts_with = "polish")]
    pub(crate) no_polish: bool,

    /// Begin with the points of a CSV file, a row a point: its headings are the variables' names, or x1, x2 and so on
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) start: Option<PathBuf>,

    /// Look for the greatest value; a problem file says by itself whether it is minimised or maximised
    #[arg(long)]
    pub(crate) maximise: bool,

    /// Set a parameter of the algorithm, or all of them with preset=NAME; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) parameters: Vec<(String, String)>,

    #[command(flatten)]
    pub(crate) islands: IslandArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const NEW_EXAMPLES: &str = "\
Examples:
  warpswarm new my-fit
  warpswarm new my-fit --library ../warpswarm

The crate fits a peak to measured points. It builds with stable Rust and runs on the CPU at once; on \
the GPU after `warpswarm setup`.

Exit codes: 0 done; 1 failed while running; 2 bad usage or input.";

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The crate's folder, not there yet or empty; the crate is named after it
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,

    /// Which warpswarm the crate depends on: a published version, or a folder with its packages, such
    /// as its repository [default: the repository in which this program was built, if it is there, otherwise the published
    /// version of this program]
    #[arg(long, value_name = "VERSION|FOLDER")]
    pub(crate) library: Option<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// What to list
    #[arg(value_enum, value_name = "problems|algorithms")]
    pub(crate) what: Listed,

    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Listed {
    Problems,
    Algorithms,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A row of coordinates is counted in 32 bits.
const MAX_DIMENSIONS: u64 = warpswarm::MAX_DIMENSIONS as u64;
const MAX_THREADS: u64 = 65_536;
/// Threads of a warp, of which a block has a whole number, and the most threads of a block.
const WARP: u32 = 32;
const MAX_BLOCK: u32 = 1024;

/// A whole number in a range.
fn whole(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let (least, most) = (range.start(), range.end());
        let allowed = || format!("allowed: a whole number from {least} to {most}");
        text.parse().ok().filter(|n| range.contains(n)).ok_or_else(allowed)
    }
}

fn instance(text: &str) -> Result<u32, String> {
    whole(1..=MAX_INSTANCE.into())(text).map(|number| number as u32)
}

fn finite(text: &str) -> Result<f64, String> {
    float(text, "a finite number", f64::is_finite)
}

fn number(text: &str) -> Result<f64, String> {
    float(text, "a number, not NaN", |x| !x.is_nan())
}

fn seconds(text: &str) -> Result<f64, String> {
    float(text, "a finite number of at least 0", |x| x >= 0.0 && x.is_finite())
}

fn float(text: &str, allowed: &str, good: impl Fn(f64) -> bool) -> Result<f64, String> {
    text.parse().ok().filter(|x| good(*x)).ok_or_else(|| format!("allowed: {allowed}"))
}

fn block_size(text: &str) -> Result<u32, String> {
    let good = |n: &u32| (WARP..=MAX_BLOCK).contains(n) && n.is_multiple_of(WARP);
    let allowed = || format!("allowed: a multiple of {WARP} from {WARP} to {MAX_BLOCK}");
    text.parse().ok().filter(good).ok_or_else(allowed)
}

fn devices(text: &str) -> Result<Devices, String> {
    text.parse().map_err(|_| "allowed: all, or numbers, each once, such as 0,2".into())
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.into(), value.into())),
        _ => Err("allowed: KEY=VALUE, such as inertia=0.6 or preset=cpso-paper".into()),
    }
}

/// One of the values of an enum of the library, by its name.
fn one_of<T>(all: &'static [T], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + FromStr<Err = warpswarm::Error> + Send + Sync + 'static,
{
    let names = all.iter().map(|value| name(*value));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(words: &[&str]) -> Result<SolveArgs, String> {
        let words = ["warpswarm", "solve", "sphere"].iter().chain(words);
        match Arguments::try_parse_from(words) {
            Ok(Arguments { command: Command::Solve(args) }) => Ok(*args),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn defaults() {
        let args = solve(&[]).unwrap();
        assert_eq!((args.dim, args.individuals, args.runs, args.seed), (None, None, 1, 0));
        assert_eq!(args.backend, Backend::Auto);
        assert_eq!((args.schedule, args.block_size), (Schedule::Auto, None));
        assert_eq!(args.precision, Precision::F64);
        assert_eq!((args.iterations, args.threads, args.lower), (None, None, None));
        assert_eq!(args.shift, 0.0);
    }

    #[test]
    fn negative_numbers_are_values_not_options() {
        let args = solve(&["--lower", "-5.5", "--upper", "-1e0", "--shift", "-2", "--target=-inf"]);
        let args = args.unwrap();
        assert_eq!((args.lower, args.upper, args.shift), (Some(-5.5), Some(-1.0), -2.0));
        assert_eq!(args.target, Some(f64::NEG_INFINITY));
    }

    #[test]
    fn parameters_are_split_at_the_first_equals_sign() {
        let args = solve(&["--set", "preset=cpso-paper", "--set", "a=b=c"]).unwrap();
        let pair = |k: &str, v: &str| (k.to_string(), v.to_string());
        assert_eq!(args.parameters, [pair("preset", "cpso-paper"), pair("a", "b=c")]);
    }

    #[test]
    fn errors_name_the_option_the_value_and_what_is_allowed() {
        let check = |words: &[&str], parts: &[&str]| {
            let message = solve(words).unwrap_err();
            for part in parts {
                assert!(message.contains(part), "{part:?} is not in {message:?}");
            }
        };
        check(&["--dim", "0"], &["--dim", "'0'", "allowed: a whole number from 1 to 4193280"]);
        check(&["--dim", "-3"], &["--dim", "'-3'", "from 1"]);
        check(&["--dim", "2.5"], &["--dim", "'2.5'", "from 1"]);
        check(&["--individuals", "0"], &["--individuals", "'0'", "from 1"]);
        check(&["--runs", "0"], &["--runs", "'0'", "from 1"]);
        check(&["--lower", "NaN"], &["--lower", "'NaN'", "allowed: a finite number"]);
        check(&["--upper", "-inf"], &["--upper", "'-inf'", "allowed: a finite number"]);
        check(&["--target", "nan"], &["--target", "'nan'", "not NaN"]);
        check(&["--seconds", "-1"], &["--seconds", "'-1'", "at least 0"]);
        check(&["--seconds", "nan"], &["--seconds", "'nan'", "at least 0"]);
        check(&["--seconds", "1e400"], &["--seconds", "'1e400'", "a finite number"]);
        check(&["--stagnation", "0"], &["--stagnation", "'0'", "from 1"]);
        check(&["--seed", "-1"], &["--seed", "'-1'", "from 0 to 18446744073709551615"]);
        check(&["--threads", "0"], &["--threads", "'0'", "from 1 to 65536"]);
        check(&["--set", "inertia"], &["--set", "'inertia'", "KEY=VALUE"]);
        check(&["--set", "=1"], &["--set", "'=1'", "KEY=VALUE"]);
        check(&["--backend", "cuda"], &["--backend", "'cuda'", "auto, cpu, gpu, emulator"]);
        check(&["--schedule", "fast"], &["--schedule", "'fast'", "stepwise, resident, streaming"]);
        check(&["--precision", "f16"], &["--precision", "'f16'", "f32, f64"]);
        for wrong in ["0", "31", "33", "48", "1056", "4096", "-32", "32.0", "4294967328"] {
            let shown = format!("'{wrong}'");
            let allowed = "allowed: a multiple of 32 from 32 to 1024";
            check(&["--block-size", wrong], &["--block-size", &shown, allowed]);
        }
    }

    #[test]
    fn every_block_of_whole_warps_can_be_asked_for() {
        for threads in (32..=1024).step_by(32) {
            let args = solve(&["--block-size", &threads.to_string()]).unwrap();
            assert_eq!(args.block_size, Some(threads));
        }
    }
}
