//! The arguments of `warpswarm report`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::plot::{OfFolders, Plot};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm report runs/pso
  warpswarm report runs/pso runs/de --out comparison.html
  warpswarm report runs/one-thread runs/gpu --plot speed-up.svg

Each folder was written by `warpswarm solve --out DIR`. The page is one file that needs no network. It
shows convergence, and the final values and parameters of each run and as histograms. Charts have zoom,
and tables can be sorted. In two dimensions the page also shows the swarm over its iterations, if the
folder has population.csv.

Exit codes: 0 done; 1 failed while running; 2 bad usage or input.";

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Folders of runs
    #[arg(value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,

    /// Where to write the page
    #[arg(long, value_name = "FILE.html", default_value = "report.html")]
    pub(crate) out: PathBuf,

    /// Draw the speed-up of each folder over the first, as .svg or .png
    ///
    /// The speed-up is the ratio of the evaluations per second of all runs of a folder, without set-up.
    #[arg(long, value_name = "FILE")]
    #[arg(value_parser = OsStringValueParser::new().try_map(Plot::<OfFolders>::of))]
    pub(crate) plot: Option<Plot<OfFolders>>,

    /// Overwrite an existing page
    #[arg(long)]
    pub(crate) force: bool,
}
