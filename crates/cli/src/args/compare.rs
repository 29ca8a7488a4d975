//! The command line of `compare`.

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

A problem is NAME[:KEY=VALUE...] with the keys name, dim, instance (of the BBOB suite), shift, lower, upper, target, and goal: the value that \
targets count from, by default the best one known. A NAME that ends in .toml is a problem file, with the keys name, \
target and goal. Where no best value is known, as of a file, and no goal is given, target=VALUE is a value itself; \
without it there is no target: runs use all their evaluations and are ordered by what they found. An algorithm is NAME[:KEY=VALUE...] with the keys name, \
individuals, preset, and its parameters. By default cmepso has 110 individuals, gpu-fwa 48, fwa 5, auto and \
cma-es 4 + 3 ln(dimensions), and the others have 64.

A study is a TOML file with the options' names as keys, such as:
  problems = [\"sphere\", \"rastrigin:shift=0.5\"]
  algorithms = [\"pso\", \"pso:name=wide:individuals=256\"]
  dim = 10
  runs = 50
  target = [1e-2, 1e-8]
Options of the command line count instead of its keys.

Every entrant has runs of its own numbers with the same seed, so that all runs are independent. A run stops at its \
target. Runs that reach it are ordered by their evaluations, before all others, which are ordered by violation and \
value. Entrants are told apart by Wilcoxon's rank sum test (two-sided, normal approximation, corrected for ties and \
continuity), with Holm's correction over all pairs on a problem. ERT is what reaching the target once is expected to \
take: all evaluations, or all seconds, of all runs over the number of those that reach it. Runs are done side by \
side: the seconds are those of the batch, without its set-up; while a GPU's driver \
compiles kernels, as it does once, they are longer.

--json writes: runs, evaluations, seed, precision, entrants, problems, overall, seconds; each of problems has goal (null: targets are values), maximised, results \
(of each entrant quartiles, feasible, rank, targets with successes and ert_evaluations, ert_seconds, and each run) and \
pairs (p, adjusted_p, superiority: the part of all pairs of runs in which the first is better); overall has each \
entrant's mean_rank, better and worse, and profile: the multiples of the least ERT at which a further one of all \
targets is reached.

Exit codes: 0 done; 1 failed while running; 2 bad usage or input; 130 interrupted (Ctrl-C), after \
printing what is complete.";

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Read what to compare from a file
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) study: Option<PathBuf>,

    /// On what to compare: problems or problem files with settings, separated by commas
    #[arg(long, value_name = "NAME|FILE.toml[:KEY=VALUE],...", value_delimiter = ',')]
    pub(crate) problems: Vec<String>,

    /// What to compare: algorithms with settings, separated by commas
    #[arg(long, value_name = "NAME[:KEY=VALUE],...", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    /// Distances from the best known value that count as reached, separated by commas; at the least a run stops
    /// [default: 1e-8]
    #[arg(long, value_name = "T,...", value_delimiter = ',', value_parser = number)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) target: Vec<f64>,

    /// Write the tables as CSV, a row for each problem and entrant
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) csv: Option<PathBuf>,

    /// Write the tables as Markdown
    #[arg(long, value_name = "FILE.md")]
    pub(crate) markdown: Option<PathBuf>,

    /// Write everything, all runs included, as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) json: Option<PathBuf>,

    /// Draw a picture, which the file's name says: profile (performance profiles; any other name), ert, distribution
    /// (final values, a panel for each of up to 12 problems), as .svg or .png; may be repeated
    #[arg(long = "plot", value_name = "FILE")]
    #[arg(value_parser = OsStringValueParser::new().try_map(Plot::<OfComparison>::of))]
    pub(crate) plots: Vec<Plot<OfComparison>>,

    /// Write one page to look at in a browser, without a network: performance profiles and final values as charts to
    /// zoom into, tables to sort
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Overwrite the page if it is there
    #[arg(long, requires = "report")]
    pub(crate) force: bool,

    /// Show neither progress nor tables
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// What a comparison and a search for parameters are both asked.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CommonArgs {
    /// Number of dimensions of every problem that is no file's [default: the problem's own, otherwise 30]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_DIMENSIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) dim: Option<u64>,

    /// Independent runs of each algorithm on each problem [default: 25]
    #[arg(long, value_name = "R", value_parser = whole(1..=MAX_RUNS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) runs: Option<u64>,

    /// Evaluations of a run, at most [default: 100000]
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) evaluations: Option<u64>,

    /// Individuals of a run, of every algorithm that does not say [default: its own; see below]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_INDIVIDUALS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) individuals: Option<u64>,

    /// Seed of all random draws [default: 0]
    #[arg(long, value_name = "S", value_parser = whole(0..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,

    /// Number type [default: f64: targets such as 1e-8 need it]
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
