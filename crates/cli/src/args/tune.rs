//! The command line of `tune`.

use std::path::PathBuf;

use clap::Args;

use super::compare::CommonArgs;
use super::values::{key_value, number, whole};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm tune pso --problems sphere,rosenbrock,rastrigin --dim 10 --evaluations 20000
  warpswarm tune de --problems rastrigin:shift=0.5 --dim 10 --parameters scale_factor,crossover_rate --budget 400
  warpswarm tune sa --problems ackley --dim 5 --set neighbour=uniform

Problems are written as for `compare`; one of which no best value is known, such as a file's, needs goal=VALUE. Differential evolution searches the parameters that are numbers; --set fixes \
others, such as the boundary, and where the search begins. A configuration's cost on a problem is the mean of its \
runs': the part of its evaluations that a run took to reach the target, or 1 and the powers of ten by which it is \
away from it, but 17 and those of the violation where it is not feasible. Its quality is that cost over the \
default's (with what --set sets) in as many runs, the geometric mean over all problems: 1 is as good as the default, less is better. What \
was found is then run anew beside the default, with other draws: the interval (95 %, bootstrap) and the p-values \
(Wilcoxon's rank sum test with Holm's correction over the problems) are of these runs alone.

Exit codes: 0 done; 1 failed while running; 2 bad usage or input; 130 interrupted (Ctrl-C).";

#[derive(Debug, Args)]
pub(crate) struct TuneArgs {
    /// Algorithm; `warpswarm list algorithms` shows all, with their parameters
    #[arg(value_name = "ALGORITHM")]
    pub(crate) algorithm: String,

    /// On what to tune: problems with settings, separated by commas
    #[arg(
        long,
        value_name = "NAME|FILE.toml[:KEY=VALUE],...",
        value_delimiter = ',',
        required = true
    )]
    pub(crate) problems: Vec<String>,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    /// Distance from the best known value at which a run stops
    #[arg(long, value_name = "T", default_value = "1e-8", value_parser = number)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) target: f64,

    /// Configurations to try, the default among them
    #[arg(long, value_name = "N", default_value = "200", value_parser = whole(1..=1_000_000))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) budget: u64,

    /// Parameters to search, separated by commas [default: all that are numbers, have a range to search, and are used]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) parameters: Vec<String>,

    /// Set a parameter that is not searched, or all of them with preset=NAME; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) settings: Vec<(String, String)>,

    /// Runs of what was found and of the default on each problem, to compare the two [default: four times --runs]
    #[arg(long, value_name = "R", value_parser = whole(1..=1_000_000))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) test_runs: Option<u64>,

    /// Write what was found as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) json: Option<PathBuf>,

    /// Show neither progress nor what was found
    #[arg(long)]
    pub(crate) quiet: bool,
}
