//! The results of fits.

use warpswarm_core::Float;
use warpswarm_core::fit::{Goodness, Parameters, Spread, Status};
use warpswarm_core::launch::{Outcome, triangle};

use super::found::Found;
use super::work::Numbers;

/// Another minimum fits nearly as well if its chi-squared is larger by less than this many times the reduced
/// chi-squared: three standard deviations.
const NEARLY: f64 = 9.0;

/// The data do not determine a parameter whose standard error is larger than this many times the range between its bounds.
const FAR: f64 = 10.0;

/// The results of fits: parameters, their errors, and how well each model fits. See [`fit`](crate::fit()).
///
/// ```
/// use warpswarm::fit::{FitStatus, FitSettings};
/// use warpswarm::problem_file::ProblemFile;
/// let line = ProblemFile::parse(
///     r#"
///     fit = "y ~ a + b * t"
///     variables = { a = { lower = -9, upper = 9 }, b = { lower = -9, upper = 9 } }
///     data = { t = [0, 1, 2, 3], y = [1.0, 3.1, 4.9, 7.0] }
///     "#,
/// )?;
/// let fits = line.fit_models::<f64>(&FitSettings::default())?;
/// assert_eq!((fits.len(), fits.names()), (1, &["a".to_string(), "b".to_string()][..]));
/// assert!(fits.iter().all(|fit| fit.status() == FitStatus::Converged));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fits<R> {
    pub(super) names: Vec<String>,
    pub(super) fits: usize,
    pub(super) rows: usize,
    /// The rows of each fit, if some fits have fewer.
    pub(super) of_rows: Vec<u32>,
    /// The parameters that are not fixed.
    pub(super) free: Vec<usize>,
    /// The lower and the upper bound of each parameter.
    pub(super) limits: [Vec<f64>; 2],
    pub(super) is_of_counts: bool,
    pub(super) absolute_sigma: bool,
    pub(super) found: Found<R>,
    /// The observations, and their standard deviations.
    pub(super) values: Numbers<R>,
    pub(super) sigma: Option<Numbers<R>>,
    pub(super) device: String,
    pub(super) seconds: f64,
}

impl<R: Float> Fits<R> {
    /// The number of fits.
    pub fn len(&self) -> usize {
        self.fits
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fits == 0
    }

    /// The names of the parameters.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A fit by its number, from 0.
    pub fn get(&self, number: usize) -> Option<Fit<'_, R>> {
        (number < self.fits).then_some(Fit { all: self, number })
    }

    /// All fits, one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Fit<'_, R>> {
        (0..self.fits).map(|number| Fit { all: self, number })
    }

    /// The parameters of all fits, `[parameter][fit]`.
    pub fn parameters(&self) -> &[R] {
        &self.found.parameters
    }

    /// Whether standard errors come from the uncertainty of the observations; otherwise they are scaled so that reduced
    /// chi-squared is 1. Always for counts.
    pub fn absolute_sigma(&self) -> bool {
        self.absolute_sigma
    }

    /// Whether the observations are counts.
    pub fn are_of_counts(&self) -> bool {
        self.is_of_counts
    }

    /// The device on which they were computed, in words.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The time that they took, in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

/// How a fit has ended.
///
/// ```
/// use warpswarm::fit::FitStatus;
/// assert!(FitStatus::AtBound.is_converged() && !FitStatus::Stopped.is_converged());
/// assert_eq!(FitStatus::Undetermined.name(), "undetermined");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FitStatus {
    /// In a minimum of chi-squared.
    Converged,
    /// In a minimum, and the search has seen another one that fits as well or nearly so: its chi-squared is larger by less than
    /// 9 times the reduced one.
    SeveralMinima,
    /// In a minimum that is at a bound of a parameter, beyond which the model would fit better. Errors say nothing of that bound.
    AtBound,
    /// In a minimum where the data do not determine some parameters: other values fit as well, or the standard error is more
    /// than ten times the range between the bounds. [`Fit::undetermined`] names them.
    Undetermined,
    /// The evaluations were used up on the way to a minimum.
    Stopped,
    /// The model or its derivatives are not finite where the fit begins.
    NotFinite,
}

impl FitStatus {
    /// All, the best first.
    pub const ALL: [FitStatus; 6] = [
        FitStatus::Converged,
        FitStatus::SeveralMinima,
        FitStatus::AtBound,
        FitStatus::Undetermined,
        FitStatus::Stopped,
        FitStatus::NotFinite,
    ];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            FitStatus::Converged => "converged",
            FitStatus::SeveralMinima => "several minima",
            FitStatus::AtBound => "at a bound",
            FitStatus::Undetermined => "undetermined",
            FitStatus::Stopped => "not converged",
            FitStatus::NotFinite => "not finite",
        }
    }

    /// Whether the fit is in a minimum.
    pub const fn is_converged(self) -> bool {
        !matches!(self, FitStatus::Stopped | FitStatus::NotFinite)
    }
}

/// One of many fits.
///
/// ```
/// use warpswarm::fit::{FitStatus, FitSettings};
/// use warpswarm::problem_file::ProblemFile;
/// let line = ProblemFile::parse(
///     r#"
///     fit = "y ~ a + b * t"
///     variables = { a = { lower = -9, upper = 9 }, b = { lower = -9, upper = 9 } }
///     data = { t = [0, 1, 2, 3], y = [1.0, 3.1, 4.9, 7.0] }
///     "#,
/// )?;
/// let fits = line.fit_models::<f64>(&FitSettings::default())?;
/// let fit = fits.get(0).expect("one");
/// assert!((fit.parameters()[1] - 1.98).abs() < 1e-9 && (fit.errors()[1] - 0.0424).abs() < 1e-4);
/// assert!((fit.correlation(0, 1) + 0.8018).abs() < 1e-4 && fit.degrees_of_freedom() == 2);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fit<'a, R> {
    all: &'a Fits<R>,
    number: usize,
}

impl<'a, R: Float> Fit<'a, R> {
    fn at(&self, numbers: &[R], place: usize) -> R {
        numbers.get(place * self.all.fits + self.number).copied().unwrap_or(R::NAN)
    }

    fn outcome(&self) -> Outcome {
        self.all
            .found
            .outcomes
            .get(self.number)
            .map_or_else(Outcome::default, |&words| words.into())
    }

    /// Its number, from 0.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The parameters.
    pub fn parameters(&self) -> Vec<R> {
        (0..self.all.names.len()).map(|i| self.at(&self.all.found.parameters, i)).collect()
    }

    /// The standard errors of the parameters: 0 of a fixed one, infinite where the data do not determine it.
    pub fn errors(&self) -> Vec<R> {
        (0..self.all.names.len()).map(|i| self.error(i)).collect()
    }

    fn error(&self, i: usize) -> R {
        if Parameters(self.outcome().undetermined).contains(i) {
            return R::INFINITY;
        }
        let error = self.covariance(i, i).larger(R::ZERO).sqrt();
        let [lower, upper] = &self.all.limits;
        let range = upper[i] - lower[i];
        if error.to_f64() > FAR * range { R::INFINITY } else { error }
    }

    /// The parameters that the data do not determine.
    fn undetermined_set(&self) -> Parameters {
        let Outcome { undetermined, .. } = self.outcome();
        // Without degrees of freedom all errors are infinite, which says nothing of single parameters.
        let is_known = self.all.absolute_sigma || self.degrees_of_freedom() > 0;
        let far = self.all.free.iter().filter(|&&i| is_known && self.error(i) == R::INFINITY);
        far.fold(Parameters(undetermined), |all, &i| all.with(i))
    }

    /// The covariance of two parameters: 0 for a fixed one; for undetermined ones that of the pseudo-inverse, which does
    /// not tell how far they are from the truth. NaN if there is no such parameter.
    pub fn covariance(&self, i: usize, j: usize) -> R {
        let (i, j) = if i < j { (j, i) } else { (i, j) };
        if i >= self.all.names.len() {
            return R::NAN;
        }
        let element = self.at(&self.all.found.covariance, triangle(i) + j);
        let factor = if self.all.absolute_sigma { R::ONE } else { self.reduced() };
        // Zeros stay, also where the factor is infinite.
        if element == R::ZERO { element } else { factor * element }
    }

    /// The correlation of two parameters, from -1 to 1; 0 where one has no variance.
    pub fn correlation(&self, i: usize, j: usize) -> R {
        let element = |i, j| self.at(&self.all.found.covariance, triangle(i) + j);
        let (low, high) = if i < j { (i, j) } else { (j, i) };
        let product = element(i, i).sqrt() * element(j, j).sqrt();
        if product > R::ZERO {
            (element(high, low) / product).smaller(R::ONE).larger(-R::ONE)
        } else {
            R::ZERO
        }
    }

    fn goodness(&self) -> Goodness<R> {
        let all = self.all.rows as u64;
        let rows = self.all.of_rows.get(self.number).map_or(all, |&rows| rows.into());
        let parameters = self.all.free.len() as u32;
        Goodness { chi_squared: self.chi_squared(), rows, parameters }
    }

    /// The sum of squares, each over the variance of its row, or what the loss makes of them; of counts the deviance.
    pub fn chi_squared(&self) -> R {
        self.at(&self.all.found.chi_squared, 0)
    }

    /// Rows less free parameters.
    pub fn degrees_of_freedom(&self) -> u64 {
        self.goodness().degrees_of_freedom()
    }

    /// Chi-squared over the degrees of freedom; infinite where there are none.
    pub fn reduced(&self) -> R {
        self.goodness().reduced()
    }

    /// The part of the observations' spread that the model explains: at most 1. None of counts.
    pub fn r_squared(&self) -> Option<R> {
        if self.all.is_of_counts {
            return None;
        }
        let rows = self.all.rows;
        let sigma = self.all.sigma.as_ref().map(|sigma| sigma.of(self.number, rows));
        let mut spread = Spread::EMPTY;
        for (row, &value) in self.all.values.of(self.number, rows).iter().enumerate() {
            spread.add(value, sigma.map_or(R::ONE, |sigma| R::ONE / (sigma[row] * sigma[row])));
        }
        Some(self.goodness().r_squared(&spread))
    }

    /// Akaike's information criterion; less is better.
    pub fn aic(&self) -> R {
        if self.all.is_of_counts { self.goodness().count_aic() } else { self.goodness().aic() }
    }

    /// The Bayesian information criterion; less is better.
    pub fn bic(&self) -> R {
        if self.all.is_of_counts { self.goodness().count_bic() } else { self.goodness().bic() }
    }

    /// How it has ended.
    pub fn status(&self) -> FitStatus {
        let Outcome { status, at_bounds, .. } = self.outcome();
        if status == 0 || status >= Status::NotFinite as u32 {
            FitStatus::NotFinite
        } else if status == Status::Evaluations as u32 {
            FitStatus::Stopped
        } else if !self.undetermined_set().is_empty() {
            FitStatus::Undetermined
        } else if at_bounds != 0 {
            FitStatus::AtBound
        } else if self.is_close() {
            FitStatus::SeveralMinima
        } else {
            FitStatus::Converged
        }
    }

    /// Whether another minimum fits nearly as well.
    fn is_close(&self) -> bool {
        let Some(other) = self.other_minimum() else { return false };
        let unit = if self.all.absolute_sigma { R::ONE } else { self.reduced() };
        other - self.chi_squared() < R::from_f64(NEARLY) * unit
    }

    /// Chi-squared in the best other minimum that the search has seen: one of equal chi-squared at other parameters, or one
    /// more than a hundredth above this one.
    pub fn other_minimum(&self) -> Option<R> {
        Some(self.at(&self.all.found.other, 0)).filter(|other| !other.is_nan())
    }

    /// Evaluations of the model by the fit, beside those of the search.
    pub fn evaluations(&self) -> u32 {
        self.outcome().evaluations
    }

    /// The names of the parameters at a bound, beyond which the model would fit better.
    pub fn at_bounds(&self) -> impl Iterator<Item = &'a str> {
        self.named(self.outcome().at_bounds)
    }

    /// The names of the parameters of which the data do not determine each one's value.
    pub fn undetermined(&self) -> impl Iterator<Item = &'a str> {
        self.named(self.undetermined_set().0)
    }

    fn named(&self, set: u32) -> impl Iterator<Item = &'a str> {
        let names = self.all.names.iter().enumerate();
        names.filter(move |(i, _)| Parameters(set).contains(*i)).map(|(_, name)| &**name)
    }
}
