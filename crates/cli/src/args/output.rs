//! What a run writes and shows: the same options for every command that does runs.

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
    /// Keep the run in a new folder: run.toml (everything needed to repeat it), result.json, trace.csv
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Replace the folder of an earlier run, or its checkpoint
    #[arg(long, requires = "replaced")]
    pub(crate) force: bool,

    /// Also keep the populations, every K iterations and at the end, in population.csv
    #[arg(long, value_name = "K", requires = "out", value_parser = whole(1..=MAX_ITERATIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) population_every: Option<u64>,

    /// Write the result as JSON; - is the standard output
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,

    /// Write how the runs went as CSV, in at most about a thousand rows a run and a million in all: run, iteration,
    /// evaluations, seconds, best, violation, mean, spread (the last two are empty without --out)
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) trace: Option<PathBuf>,

    /// Draw a picture, of what the file's name says: convergence, convergence-evaluations, convergence-seconds,
    /// distribution, parameters, constraints, of a model fit; in two dimensions population and swarm. Any other name is of
    /// convergence. Ends in .svg, .png, or for swarm .gif; may be repeated
    #[arg(long = "plot", value_name = "FILE")]
    #[arg(value_parser = OsStringValueParser::new().try_map(Plot::<Kind>::of))]
    pub(crate) plots: Vec<Plot<Kind>>,

    /// Write a file from which `warpswarm resume` goes on, now and then, on Ctrl-C, and at the end; with --islands a folder
    /// that all ranks can write to, with the last complete epoch. One that is there is replaced by --force alone
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// How often: iterations, such as 1000, or seconds, such as 30s; checked about every 50 ms, with --islands at the
    /// end of an epoch
    #[arg(long, value_name = "N|Ns", value_parser = every, allow_hyphen_values = true)]
    #[arg(default_value = "30s")]
    pub(crate) every: Every,

    /// What to show meanwhile: a line that changes (bar), one every second (plain), or nothing (none);
    /// auto is bar on a terminal, otherwise none
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
