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

The model is a problem file with a model in place of an objective, such as:
  fit = \"y ~ height * exp(-t / lifetime)\"
  variables.height = { lower = 0, upper = 100 }
  variables.lifetime = { lower = 0.01, upper = 1000, scale = \"log\" }
  data = { file = \"decay.csv\", columns = [\"t\", \"y\"] }
sigma = \"dy\" says how certain the data are, loss = \"soft-l1\", \"huber\" or \"cauchy\" counts outliers less, and \
loss = \"poisson\" is for counts. Where the file names no columns, each column of the data whose heading is a name in the model \
is used.

The space between the bounds is searched, and the best point found is fitted by the method of Levenberg and Marquardt. Standard \
errors come from the covariance matrix. Unless --absolute-sigma is given, they are scaled so that reduced chi-squared is 1, as \
SciPy's curve_fit does.

Status of a fit: converged; several minima (another minimum fits nearly as well); at a bound (the model would fit better \
beyond it); undetermined (the data do not determine all parameters); not converged (--evaluations were used up); not finite.

--json writes: model, formula, precision, seed, absolute_sigma, polish_only, device, seconds, parameters (name, unit, lower, upper), statuses, and \
fits: of each group, rows, status, evaluations, parameters and errors by name, chi_squared, reduced_chi_squared, \
degrees_of_freedom, r_squared, aic, bic, other_minimum, at_bounds, undetermined, and of up to 100 fits correlation. NaN and \
infinities are the strings \"NaN\", \"Infinity\", \"-Infinity\".

Exit codes: 0 done, also where a fit has not converged; 1 failed while running; 2 bad usage or input.";

#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// The model: a problem file with `fit = \"y ~ ...\"`
    #[arg(value_name = "MODEL.toml")]
    pub(crate) model: PathBuf,

    /// The data, in place of those of the model's [data] file
    #[arg(value_name = "DATA.csv")]
    pub(crate) data: Option<PathBuf>,

    /// Do a fit for each value of this column, numbers or texts
    #[arg(long, value_name = "COLUMN", conflicts_with = "wide")]
    pub(crate) group: Option<String>,

    /// Do a fit for each column that the model does not name, in place of the one before `~`
    #[arg(long)]
    pub(crate) wide: bool,

    /// Begin at the `start` of each variable, without a search
    #[arg(long, visible_alias = "from-start", conflicts_with_all = ["starts", "samples"])]
    pub(crate) polish_only: bool,

    /// Take standard deviations of the data for their true sizes; otherwise they only say how observations compare
    #[arg(long)]
    pub(crate) absolute_sigma: bool,

    /// Starts of the search [default: 64 for each parameter, up to 512]
    #[arg(long, value_name = "N", value_parser = whole(1..=65_536), allow_negative_numbers = true)]
    pub(crate) starts: Option<u64>,

    /// Points of which a start takes the best [default: 8]
    #[arg(long, value_name = "N", value_parser = whole(1..=65_536), allow_negative_numbers = true)]
    pub(crate) samples: Option<u64>,

    /// Seed of the search's random draws
    #[arg(long, value_name = "S", default_value = "0", value_parser = whole(0..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Stop when chi-squared changes by no more than this part of it [default: 1.8e-15, with f32 1e-6]
    #[arg(long, value_name = "F", value_parser = part, allow_hyphen_values = true)]
    pub(crate) ftol: Option<f64>,

    /// Stop when the parameters change by no more than this part of them [default: 1.8e-15, with f32 1e-6]
    #[arg(long, value_name = "F", value_parser = part, allow_hyphen_values = true)]
    pub(crate) xtol: Option<f64>,

    /// Stop when no component of the gradient is larger [default: 0]
    #[arg(long, value_name = "F", value_parser = gradient, allow_hyphen_values = true)]
    pub(crate) gtol: Option<f64>,

    /// The most evaluations of a fit, beside those of the search [default: 100 for each parameter and one more]
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

    /// Keep the results in a new folder: fits.csv with a row a fit, fits.json, report.html to look at in a browser, and pictures:
    /// fit.svg of one fit, fits.svg and parameters.svg of many
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Replace the folder of earlier fits
    #[arg(long, requires = "out")]
    pub(crate) force: bool,

    /// Write the result as JSON; - is the standard output
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,

    /// What to show meanwhile: a line that changes (bar), one every second (plain), or nothing (none);
    /// auto is bar on a terminal, otherwise none
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) progress: ProgressKind,

    /// Show neither progress nor summary
    #[arg(long)]
    pub(crate) quiet: bool,
}

fn part(text: &str) -> Result<f64, String> {
    float(text, "from 0 to below 1", |x| (0.0..1.0).contains(&x))
}

fn gradient(text: &str) -> Result<f64, String> {
    float(text, "a finite number of at least 0", |x| x >= 0.0 && x.is_finite())
}
