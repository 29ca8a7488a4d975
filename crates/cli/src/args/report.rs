//! The arguments of `report`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::plot::{OfFolders, Plot};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm report runs/pso
  warpswarm report runs/pso runs/de --out comparison.html
  warpswarm report runs/one-thread runs/gpu --plot speed-up.svg

A folder is one that `warpswarm solve --out DIR` has written. The page is one file that needs no network: \
convergence, and final values and parameters run by run and as histograms, in charts to zoom into, tables to sort, \
and in two dimensions the swarm over its iterations, where the folder has population.csv.

Exit codes: 0 done; 1 failed while running; 2 bad usage or input.";

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Folders of runs
    #[arg(value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,

    /// Where to write the page
    #[arg(long, value_name = "FILE.html", default_value = "report.html")]
    pub(crate) out: PathBuf,

    /// Draw how many times as fast the runs of each folder were as those of the first, by the evaluations a second of
    /// all runs of a folder (without its set-up), as .svg or .png
    #[arg(long, value_name = "FILE")]
    #[arg(value_parser = OsStringValueParser::new().try_map(Plot::<OfFolders>::of))]
    pub(crate) plot: Option<Plot<OfFolders>>,

    /// Overwrite the page if it is there
    #[arg(long)]
    pub(crate) force: bool,
}
