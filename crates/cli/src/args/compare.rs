//! The arguments of `warpswarm compare`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use warpswarm::{Backend, MAX_INDIVIDUALS, MAX_RUNS, Precision};

use super::plot::{OfComparison, Plot};
use super::values::{MAX_DIMENSIONS, MAX_THREADS, number, one_of, whole};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm compare --problems sphere,rastrigin,ackley --dim 10 --algorithms pso,de,sa:cooling=0.99
  warpswarm compare --problems spring:target=1e-4,welded-beam --algorithms pso,pso:preset=cpso-paper
  warpswarm compare --problems mine.toml,other.toml:target=3.5,ackley:dim=5 --algorithms pso,de
  warpswarm compare --study study.toml --json study.json --plot profile.svg --plot ert.png

Problems are written NAME[:KEY=VALUE...]. The keys are name, dim, instance (of the BBOB suite), shift,
lower, upper, target and goal. A NAME that ends in .toml is a problem file; its keys are name, target
and goal. Targets are distances from the goal, which by default is the best known value. If neither a
goal nor a best known value exists, as for a problem file, target=VALUE is the value itself. Without
it there is no target: runs use all their evaluations, and are ordered by what they found.

Algorithms are written NAME[:KEY=VALUE...]. The keys are name, individuals, preset, and the parameters
of the algorithm. Default numbers of individuals: 110 for cmepso, 48 for gpu-fwa, 5 for fwa,
4 + 3 ln(dimensions) for cma-es and, up to 200 dimensions, auto; and 64 for all others.

A study is a TOML file with the names of the options as keys. Options of the command line replace its
keys. Example:
  problems = [\"sphere\", \"rastrigin:shift=0.5\"]
  algorithms = [\"pso\", \"pso:name=wide:individuals=256\"]
  dim = 10
  runs = 50
  target = [1e-2, 1e-8]

An entrant is an algorithm with its settings. Runs of all entrants have the same seed, but different
run numbers, so all runs are independent. A run stops at its target. Runs that reach the target come
first, ordered by their evaluations. The other runs are ordered by constraint violation, then by value.

The statistics are Wilcoxon's rank sum test (two-sided, normal approximation, with corrections for
ties and continuity), with Holm's correction over all pairs on a problem. ERT is the expected running
time to reach the target once: the evaluations (or the seconds) of all runs, divided by the number of
runs that reach the target. Runs are computed side by side. Seconds are those of the whole batch,
without its set-up. They are longer while the driver of a GPU compiles kernels, which it does once.

--json writes an object with these fields:
  runs, evaluations, seed, precision, entrants, problems, overall, seconds
Each of the problems has these fields:
  goal (null: targets are values), maximised
  results, for each entrant: quartiles, feasible, rank, targets (successes and ert_evaluations),
  ert_seconds, and each run
  pairs: p, adjusted_p, superiority (the fraction of all pairs of runs in which the first is better)
overall has for each entrant:
  mean_rank, better, worse
  profile: the multiples of the least ERT at which one more of all targets is reached

Exit codes: 0 done; 1 failed while running; 2 bad usage or input;
130 interrupted (Ctrl-C, TERM or HUP), after printing what is complete.";

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Read the options of the comparison from a file
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) study: Option<PathBuf>,

    /// Problems or problem files with settings, separated by commas
    #[arg(long, value_name = "NAME|FILE.toml[:KEY=VALUE],...", value_delimiter = ',')]
    pub(crate) problems: Vec<String>,

    /// Algorithms with settings, separated by commas
    #[arg(long, value_name = "NAME[:KEY=VALUE],...", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    /// Distances from the best known value that count as reached, separated by commas [default: 1e-8]
    ///
    /// A run stops at the smallest of them.
    #[arg(long, value_name = "T,...", value_delimiter = ',', value_parser = number)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) target: Vec<f64>,

    /// Write the tables as CSV, with a row for each problem and entrant
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) csv: Option<PathBuf>,

    /// Write the tables as Markdown
    #[arg(long, value_name = "FILE.md")]
    pub(crate) markdown: Option<PathBuf>,

    /// Write everything as JSON, including all runs
    #[arg(long, value_name = "FILE.json")]
    pub(crate) json: Option<PathBuf>,

    /// Draw a picture; the name of the file selects its content; may be repeated
    ///
    /// The names are profile (performance profiles), ert (expected running times) and distribution (final values, with
    /// a panel for each of up to 12 problems). A name may begin with anything, as in all-ert.svg. Any other
    /// name gives performance profiles. The file ends in .svg or .png.
    #[arg(long = "plot", value_name = "FILE")]
    #[arg(value_parser = OsStringValueParser::new().try_map(Plot::<OfComparison>::of))]
    pub(crate) plots: Vec<Plot<OfComparison>>,

    /// Write a web page, which needs no network
    ///
    /// The page shows performance profiles and final values as charts with zoom, and sortable tables.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Overwrite an existing page
    #[arg(long, requires = "report")]
    pub(crate) force: bool,

    /// Show neither progress nor tables
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// Options that `compare` and `tune` share.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CommonArgs {
    /// Number of dimensions of every problem, except problem files [default: the problem's own, otherwise 30]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_DIMENSIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) dim: Option<u64>,

    /// Number of independent runs of each algorithm on each problem [default: 25]
    #[arg(long, value_name = "R", value_parser = whole(1..=MAX_RUNS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) runs: Option<u64>,

    /// Maximum number of evaluations of a run [default: 100000]
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) evaluations: Option<u64>,

    /// Population size of every algorithm that does not set its own [default: the algorithm's own; see below]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_INDIVIDUALS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) individuals: Option<u64>,

    /// Seed of all random numbers [default: 0]
    #[arg(long, value_name = "S", value_parser = whole(0..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,

    /// Number type [default: f64, which targets such as 1e-8 need]
    #[arg(long, value_parser = one_of(Precision::ALL, Precision::name))]
    pub(crate) precision: Option<Precision>,

    /// Where to run; the numbers do not depend on it
    #[arg(long, default_value = "auto", value_parser = one_of(Backend::ALL, Backend::name))]
    pub(crate) backend: Backend,

    /// Threads of the backend cpu [default: as many as the machine has]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_THREADS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: Option<u64>,
}
