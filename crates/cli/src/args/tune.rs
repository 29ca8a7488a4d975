//! The arguments of `warpswarm tune`.

use std::path::PathBuf;

use clap::Args;

use super::compare::CommonArgs;
use super::values::{key_value, number, whole};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm tune pso --problems sphere,rosenbrock,rastrigin --dim 10 --evaluations 20000
  warpswarm tune de --problems rastrigin:shift=0.5 --dim 10 --parameters scale_factor,crossover_rate --budget 400
  warpswarm tune sa --problems ackley --dim 5 --set neighbour=uniform

Problems are written as for `compare`. A problem without a best known value, such as a problem file,
needs goal=VALUE.

Differential evolution searches the numeric parameters of the algorithm. --set fixes other parameters,
such as the boundary, and sets where the search begins.

A run that reaches the target costs the fraction of its evaluations that it used. A run that misses
the target costs 1 plus the powers of ten that separate it from the target. A run without a feasible
point costs 17 plus the powers of ten of its constraint violation. The cost of a configuration on a
problem is the mean over its runs. Its quality is its cost divided by that of the default (with the
parameters that --set sets) in as many runs, as the geometric mean over all problems. A quality of 1
is as good as the default; less is better.

At the end, the best configuration and the default run again with other random numbers. The confidence
intervals (95 %, bootstrap) and the p-values (Wilcoxon's rank sum test, with Holm's correction over
the problems) come from these runs alone.

Exit codes: 0 done; 1 failed while running; 2 bad usage or input;
130 interrupted (Ctrl-C, TERM or HUP).";

#[derive(Debug, Args)]
pub(crate) struct TuneArgs {
    /// Algorithm; `warpswarm list algorithms` lists them, `warpswarm list algorithms ID` shows the parameters of one
    #[arg(value_name = "ALGORITHM")]
    pub(crate) algorithm: String,

    /// Problems on which to tune, with settings, separated by commas
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

    /// Number of configurations to try, including the default
    #[arg(long, value_name = "N", default_value = "200", value_parser = whole(1..=1_000_000))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) budget: u64,

    /// Parameters to search, separated by commas [default: all numeric ones in use that have a range to search]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) parameters: Vec<String>,

    /// Set a parameter that is not searched; may be repeated
    ///
    /// preset=NAME sets all parameters to a published set.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) settings: Vec<(String, String)>,

    /// Number of runs in the final comparison with the default, on each problem [default: four times --runs]
    ///
    /// The best configuration and the default each do this number of runs.
    #[arg(long, value_name = "R", value_parser = whole(1..=1_000_000))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) test_runs: Option<u64>,

    /// Write the result as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) json: Option<PathBuf>,

    /// Show neither progress nor result
    #[arg(long)]
    pub(crate) quiet: bool,
}
