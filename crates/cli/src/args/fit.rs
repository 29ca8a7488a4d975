//! The arguments of `warpswarm fit`.

use std::path::PathBuf;

use clap::Args;
use warpswarm::{Backend, Precision};

use super::output::ProgressKind;
use super::values::{MAX_THREADS, float, one_of, whole};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm fit decay.toml
  warpswarm fit decay.toml other.csv --out result
  warpswarm fit decay.toml wells.csv --group well --out wells
  warpswarm fit decay.toml traces.csv --wide --json -
  warpswarm fit decay.toml --polish-only

The model is a problem file that has a model instead of an objective. Example:
  fit = \"y ~ height * exp(-t / lifetime)\"
  variables.height = { lower = 0, upper = 100 }
  variables.lifetime = { lower = 0.01, upper = 1000, scale = \"log\" }
  data = { file = \"decay.csv\", columns = [\"t\", \"y\"] }
sigma = \"dy\" names the column with the standard deviations of the data. loss = \"soft-l1\", \"huber\" or
\"cauchy\" gives outliers less weight. loss = \"poisson\" is for counts. If the file names no columns,
the program uses each column of the data whose heading is a name in the model.

The program searches the space between the bounds. It then fits the best point with the method of
Levenberg and Marquardt. Standard errors come from the covariance matrix. Without --absolute-sigma,
they are scaled so that reduced chi-squared is 1, as in SciPy's curve_fit.

Status of a fit:
  converged
  several minima: another minimum fits as well, or nearly
  at a bound: the model would fit better beyond it
  undetermined: the data do not determine all parameters
  not converged: --evaluations were used up
  not finite

--json writes an object with these fields:
  version, model, formula, precision, seed, device, seconds, rows_left_out, statuses
  absolute_sigma, polish_only, starts, samples, ftol, xtol, gtol, evaluations: null is the default
  parameters: name, unit, lower, upper
  fits, one for each group
Each of the fits has these fields:
  rows, status, evaluations, parameters and errors by name, chi_squared, reduced_chi_squared,
  degrees_of_freedom, r_squared, aic, bic, other_minimum, at_bounds, undetermined
  correlation, if there are at most 100 fits
NaN and infinities are the strings \"NaN\", \"Infinity\" and \"-Infinity\".

Exit codes: 0 done, even if a fit has not converged; 1 failed while running; 2 bad usage or input.";

#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// The model: a problem file with `fit = "y ~ ..."`
    #[arg(value_name = "MODEL.toml")]
    pub(crate) model: PathBuf,

    /// Data file, which replaces the one that the model names in [data]
    #[arg(value_name = "DATA.csv")]
    pub(crate) data: Option<PathBuf>,

    /// Do one fit for each value of this column, which contains numbers or texts
    #[arg(long, value_name = "COLUMN", conflicts_with = "wide")]
    pub(crate) group: Option<String>,

    /// Do one fit for each column that the model does not name
    ///
    /// The column replaces the one before `~` in the formula.
    #[arg(long)]
    pub(crate) wide: bool,

    /// Start from the `start` of each variable, without a search
    #[arg(long, visible_alias = "from-start", conflicts_with_all = ["starts", "samples"])]
    pub(crate) polish_only: bool,

    /// Take the standard deviations of the data as their true sizes
    ///
    /// Without this option they are only relative weights of the observations.
    #[arg(long)]
    pub(crate) absolute_sigma: bool,

    /// Maximum number of starts of the search [default: 64 for each parameter, up to 512]
    #[arg(long, value_name = "N", value_parser = whole(1..=65_536), allow_negative_numbers = true)]
    pub(crate) starts: Option<u64>,

    /// Number of points from which each start takes the best [default: 8]
    #[arg(long, value_name = "N", value_parser = whole(1..=65_536), allow_negative_numbers = true)]
    pub(crate) samples: Option<u64>,

    /// Seed of the random numbers of the search
    #[arg(long, value_name = "S", default_value = "0", value_parser = whole(0..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Stop if the relative change of chi-squared is at most F [default: 1.8e-15; with f32 1e-6]
    ///
    /// F is a number from 0 to below 1.
    #[arg(long, value_name = "F", value_parser = part, allow_hyphen_values = true)]
    pub(crate) ftol: Option<f64>,

    /// Stop if the relative change of the parameters is at most F [default: 1.8e-15; with f32 1e-6]
    ///
    /// F is a number from 0 to below 1.
    #[arg(long, value_name = "F", value_parser = part, allow_hyphen_values = true)]
    pub(crate) xtol: Option<f64>,

    /// Stop if no component of the gradient is larger than F [default: 0]
    #[arg(long, value_name = "F", value_parser = gradient, allow_hyphen_values = true)]
    pub(crate) gtol: Option<f64>,

    /// Maximum number of evaluations of a fit [default: 100 x (parameters + 1)]
    ///
    /// The evaluations of the search are not counted.
    #[arg(long, value_name = "N", value_parser = whole(1..=u32::MAX as u64))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) evaluations: Option<u64>,

    /// Number type: f64 has sixteen digits, f32 has seven
    #[arg(long, default_value = "f64", value_parser = one_of(Precision::ALL, Precision::name))]
    pub(crate) precision: Precision,

    /// Where to do the fits
    #[arg(long, default_value = "auto", value_parser = one_of(Backend::ALL, Backend::name))]
    pub(crate) backend: Backend,

    /// Threads of the backend cpu; 1 is serial [default: as many as the machine has]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_THREADS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: Option<u64>,

    /// Write the results to a new folder
    ///
    /// fits.csv has a row for each fit. The folder also contains fits.json, report.html (a web page), and pictures:
    /// fit.svg for one fit, or fits.svg and parameters.svg for many.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Not an option; it says where pictures are
    #[arg(long = "plot", id = "plot", value_name = "FILE", hide = true, value_parser = no_plot)]
    _plot: Option<String>,

    /// Replace the folder of earlier fits
    #[arg(long, requires = "out")]
    pub(crate) force: bool,

    /// Write the result as JSON; - is the standard output
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,

    /// What to show during the fits
    ///
    /// bar: a line that is updated in place. plain: a new line every second. none: nothing. auto: bar on a terminal,
    /// otherwise none.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) progress: ProgressKind,

    /// Show neither progress nor summary
    #[arg(long)]
    pub(crate) quiet: bool,
}

fn no_plot(_: &str) -> Result<String, String> {
    Err("`fit` writes its pictures to a folder; write --out DIR in place of --plot".into())
}

fn part(text: &str) -> Result<f64, String> {
    float(text, "from 0 to below 1", |x| (0.0..1.0).contains(&x))
}

fn gradient(text: &str) -> Result<f64, String> {
    float(text, "a finite number of at least 0", |x| x >= 0.0 && x.is_finite())
}
