//! Options for the files and the progress of a run, which `solve` and `resume` share.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum};
use warpswarm::MAX_ITERATIONS;
use warpswarm_pictures::Kind;

use super::plot::Plot;
use super::values::whole;

#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("replaced").args(["out", "checkpoint"]).multiple(true))]
pub(crate) struct OutputArgs {
    /// Write the run to a new folder: run.toml, result.json and trace.csv
    ///
    /// run.toml contains everything that is needed to repeat the run (see `warpswarm rerun`).
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Replace the folder or the checkpoint of an earlier run
    #[arg(long, requires = "replaced")]
    pub(crate) force: bool,

    /// Also write the populations to population.csv, every K iterations and at the end
    ///
    /// The file is in the folder of --out.
    #[arg(long, value_name = "K", requires = "out", value_parser = whole(1..=MAX_ITERATIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) population_every: Option<u64>,

    /// Write the result as JSON; - is the standard output
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,

    /// Write the course of the runs as CSV
    ///
    /// The columns are run, iteration, evaluations, seconds, best, violation, mean and spread. The last two are empty
    /// without --out. The file has at most about a thousand rows for each run, and about a million rows in all.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) trace: Option<PathBuf>,

    /// Draw a picture; the name of the file selects its content; may be repeated
    ///
    /// The names are convergence, convergence-evaluations, convergence-seconds, distribution, parameters, constraints
    /// and fit (for the fit of a model), and in two dimensions also population and swarm. A name may begin with anything,
    /// as in run1-swarm.svg. Any other name gives a convergence picture. The file ends in .svg or .png; swarm may also end in .gif.
    #[arg(long = "plot", value_name = "FILE")]
    #[arg(value_parser = OsStringValueParser::new().try_map(Plot::<Kind>::of))]
    pub(crate) plots: Vec<Plot<Kind>>,

    /// Write checkpoints, from which `warpswarm resume` continues the run
    ///
    /// A checkpoint is written at intervals (see --every), on Ctrl-C, and at the end of the run. With --islands the
    /// checkpoint is a folder to which all ranks can write; it contains the last complete epoch. An existing checkpoint
    /// is replaced only with --force.
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Interval between checkpoints: iterations, such as 1000, or seconds, such as 30s
    ///
    /// The program checks the interval about every 50 ms, and with --islands at the end of an epoch.
    #[arg(long, value_name = "N|Ns", value_parser = every, allow_hyphen_values = true)]
    #[arg(default_value = "30s")]
    pub(crate) every: Every,

    /// What to show during the run
    ///
    /// bar: a line that is updated in place. plain: a new line every second. none: nothing. auto: bar on a terminal,
    /// otherwise none.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) progress: ProgressKind,

    /// Show neither progress nor summary
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// How often a checkpoint is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Every {
    Iterations(u64),
    Time(Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressKind {
    Auto,
    Bar,
    Plain,
    None,
}

fn every(text: &str) -> Result<Every, String> {
    let allowed =
        "allowed: iterations from 1, such as 1000, or seconds above 0, such as 30s or 0.5s";
    let every = match text.strip_suffix('s') {
        Some(seconds) => {
            let seconds = seconds.parse().ok().filter(|seconds| *seconds > 0.0);
            seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()).map(Every::Time)
        }
        None => text.parse().ok().filter(|n| *n > 0).map(Every::Iterations),
    };
    every.ok_or_else(|| allowed.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_iterations_or_seconds() {
        assert_eq!(every("1000"), Ok(Every::Iterations(1000)));
        assert_eq!(every("30s"), Ok(Every::Time(Duration::from_secs(30))));
        assert_eq!(every("0.5s"), Ok(Every::Time(Duration::from_millis(500))));
        for wrong in ["0", "-1", "1.5", "0s", "-3s", "NaNs", "infs", "1e300s", "s", "", "5m"] {
            let message = every(wrong).unwrap_err();
            assert!(message.contains("allowed: iterations"), "{wrong}: {message}");
        }
    }
}
