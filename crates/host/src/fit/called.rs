//! Models that closures compute.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use warpswarm_core::fit::Scatter;

use super::model::{Fittable, Wanted};
use super::settings::FitSettings;
use super::work::{Numbers, Sheet, Work, names};
use crate::error::{Error, Result};
use crate::objective::bounds::Bounds;
use crate::settings::precise::Precise;

/// Predicts the rows of a fit, given its number and the parameters.
type Predict<R> = dyn Fn(usize, &[R], &mut [R]) + Send + Sync;

/// A model that a closure computes on the CPU, all rows at once, with the observations: for models that cannot be
/// written as a [`Model`](crate::fit::Model), such as an existing program.
///
/// The closure is called on several threads ([`FitSettings::threads`]). Derivatives are central differences, with two
/// calls for each parameter and steps of the cube root of the rounding error, unless the model has [its
/// own](HostModel::with_derivatives).
///
/// ```
/// use warpswarm::fit::{FitSettings, HostModel};
/// use warpswarm::{Bounds, fit};
/// let times = [0.0, 1.0, 2.0, 3.0_f64];
/// let model = HostModel::new(vec![8.1, 4.8, 3.0, 1.8], move |x: &[f64], predicted: &mut [f64]| {
///     predicted.iter_mut().zip(times).for_each(|(y, t)| *y = x[0] * (-t / x[1]).exp());
/// });
/// let fits = fit(&model, &Bounds::uniform(2, 0.1, 50.0)?, &FitSettings::default())?;
/// assert!((fits.get(0).expect("one").parameters()[1] - 1.98).abs() < 0.02);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone)]
pub struct HostModel<R> {
    predict: Arc<Predict<R>>,
    derivatives: Option<Arc<Predict<R>>>,
    observed: Arc<Vec<R>>,
    sigma: Option<Arc<Vec<R>>>,
    scatter: Scatter,
    fits: usize,
    /// Names of the parameters, if the bounds have none.
    names: Vec<String>,
}

impl<R> fmt::Debug for HostModel<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostModel").field("fits", &self.fits).finish_non_exhaustive()
    }
}

impl<R: Precise> HostModel<R> {
    /// A model of one data set, `[row]`: `predict(parameters, predicted)` writes the prediction for each row.
    pub fn new(observed: Vec<R>, predict: impl Fn(&[R], &mut [R]) + Send + Sync + 'static) -> Self {
        HostModel::of_fits(observed, 1, move |_, x, predicted| predict(x, predicted))
    }

    /// A model of `fits` data sets, `[fit][row]`: `predict(fit, parameters, predicted)` also gets the number of the
    /// set, from 0.
    pub fn of_fits(
        observed: Vec<R>,
        fits: usize,
        predict: impl Fn(usize, &[R], &mut [R]) + Send + Sync + 'static,
    ) -> Self {
        let (predict, observed) = (Arc::new(predict), Arc::new(observed));
        let scatter = Scatter::default();
        HostModel {
            predict,
            derivatives: None,
            observed,
            sigma: None,
            scatter,
            fits,
            names: Vec::new(),
        }
    }

    /// This model with the standard deviations of the observations, `[row]`, or `[fit][row]`.
    pub fn with_sigma(self, sigma: Vec<R>) -> Self {
        HostModel { sigma: Some(Arc::new(sigma)), ..self }
    }

    /// This model with names of the parameters, in results and messages; they replace those of the bounds.
    pub fn with_names(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        HostModel { names: names.into_iter().map(Into::into).collect(), ..self }
    }

    /// This model with another distribution or loss of residuals.
    pub fn with_scatter(self, scatter: Scatter) -> Self {
        HostModel { scatter, ..self }
    }

    /// This model with derivatives: `derivatives(fit, parameters, into)` writes the derivative of each row by each
    /// parameter, `[parameter][row]`.
    ///
    /// ```
    /// use warpswarm::fit::{FitSettings, HostModel};
    /// use warpswarm::{Bounds, fit};
    /// let line = |_, x: &[f64], y: &mut [f64]| (0..3).for_each(|t| y[t] = x[0] + x[1] * t as f64);
    /// let model = HostModel::of_fits(vec![1.0, 3.0, 5.0], 1, line)
    ///     .with_derivatives(|_, _, into| into.copy_from_slice(&[1.0, 1.0, 1.0, 0.0, 1.0, 2.0]));
    /// let fits = fit(&model, &Bounds::uniform(2, -9.0, 9.0)?, &FitSettings::default())?;
    /// let found = fits.get(0).expect("one").parameters();
    /// assert!((found[0] - 1.0).abs() < 1e-12 && (found[1] - 2.0).abs() < 1e-12);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn with_derivatives(
        self,
        derivatives: impl Fn(usize, &[R], &mut [R]) + Send + Sync + 'static,
    ) -> Self {
        HostModel { derivatives: Some(Arc::new(derivatives)), ..self }
    }
}

impl<R: Precise> Fittable<R> for HostModel<R> {
    fn wanted<'a>(&self, bounds: &Bounds, settings: &'a FitSettings) -> Result<Wanted<'a, R>> {
        let given = self.observed.len();
        let rows = given.checked_div(self.fits).unwrap_or(0);
        if rows == 0 || rows * self.fits != given {
            let allowed =
                format!("as many numbers for each of the {} fits, at least one", self.fits);
            return Err(Error::Setting { field: "observed", value: given.to_string(), allowed });
        }
        let are_counts = self.scatter == Scatter::Counts;
        let allowed = if are_counts { "counts from 0 on" } else { "finite numbers" };
        let is_seen = |y: R| y.is_finite() && (!are_counts || y >= R::ZERO);
        check(("observed", allowed), (&self.observed, rows), is_seen)?;
        let allowed = "numbers above 0, infinite where a row is left out";
        if let Some(sigma) = &self.sigma {
            check(("sigma", allowed), (sigma, rows), |sigma| sigma > R::ZERO)?;
        }
        let sigma = self.sigma.as_ref().map(|sigma| match sigma.len() {
            len if len == given => Ok(Numbers::among(sigma.clone(), 0, rows)),
            len if len == rows => Ok(Numbers::among(sigma.clone(), 0, 0)),
            len => {
                let allowed =
                    format!("{rows} numbers, one for each row, or {given}, those of each fit");
                Err(Error::Setting { field: "sigma", value: len.to_string(), allowed })
            }
        });
        let names = match self.names.len() {
            0 => names(bounds),
            count if count == bounds.dimensions() => self.names.clone(),
            count => {
                let allowed = format!("{}, as bounds", bounds.dimensions());
                return Err(Error::Setting { field: "names", value: count.to_string(), allowed });
            }
        };
        let known = || (0..PLACES).map(|_| Mutex::default()).collect();
        let called = |limits| Called { model: self.clone(), rows, limits, known: known() };
        let mut work = Work::new(names, Arc::new(called(Vec::new())), self.fits, rows);
        work.values = Numbers::among(self.observed.clone(), 0, rows);
        work.sigma = sigma.transpose()?;
        work.scatter = self.scatter;
        work.within(bounds, settings)?;
        // The steps of differences stay within the limits, which are known now.
        let [lower, upper] = &work.limits;
        let limits = lower.iter().zip(upper).map(|(&lower, &upper)| (lower, upper)).collect();
        work.sheet = Arc::new(called(limits));
        work.no_device = "cpu, where a closure computes the model";
        Ok(Wanted(work))
    }
}

/// Checks that all numbers are allowed.
fn check<R: Precise>(
    (field, allowed): (&'static str, &str),
    (numbers, rows): (&[R], usize),
    is_right: impl Fn(R) -> bool,
) -> Result<()> {
    match numbers.iter().position(|&number| !is_right(number)) {
        None => Ok(()),
        Some(at) => {
            let (fit, row) = (at / rows, at % rows);
            let value = format!("{:?} in row {row} of fit {fit}, both from 0", numbers[at]);
            Err(Error::Setting { field, value, allowed: allowed.into() })
        }
    }
}

/// The number of fits whose last results are kept, because their rows are requested block by block.
const PLACES: usize = 64;

/// All rows of a fit at a point: the predictions, and optionally the derivatives after them.
#[derive(Default)]
struct Known<R> {
    fit: u32,
    x: Vec<R>,
    /// `[1 + parameters][row]`, or `[1][row]`.
    numbers: Vec<R>,
}

/// The rows of a model.
struct Called<R> {
    model: HostModel<R>,
    rows: usize,
    /// The limits of each parameter.
    limits: Vec<(f64, f64)>,
    known: Vec<Mutex<Known<R>>>,
}

impl<R: Precise> Called<R> {
    fn predict(&self, fit: u32, x: &[R], into: &mut [R]) {
        (self.model.predict)(fit as usize, x, into);
    }

    /// Computes all rows, with derivatives if there is room for them.
    fn all(&self, fit: u32, x: &[R], into: &mut [R]) {
        let (values, partials) = into.split_at_mut(self.rows);
        self.predict(fit, x, values);
        if partials.is_empty() {
            return;
        }
        if let Some(derivatives) = &self.model.derivatives {
            return derivatives(fit as usize, x, partials);
        }
        let (mut near, mut below) = (x.to_vec(), vec![R::ZERO; self.rows]);
        let by_each = partials.chunks_mut(self.rows).zip(&self.limits).enumerate();
        for (i, (above, &(lower, upper))) in by_each {
            if lower == upper {
                above.fill(R::ZERO);
                continue;
            }
            let [low, high] = around(x[i], (lower, upper));
            near[i] = high;
            self.predict(fit, &near, above);
            near[i] = low;
            self.predict(fit, &near, &mut below);
            near[i] = x[i];
            let width = high - low;
            above
                .iter_mut()
                .zip(&below)
                .for_each(|(above, &below)| *above = (*above - below) / width);
        }
    }

    /// Some rows, starting with `first`, with `numbers` numbers each.
    fn some(&self, (fit, x): (u32, &[R]), first: usize, numbers: usize, into: &mut [R]) {
        let count = into.len() / numbers;
        if count == self.rows {
            return self.all(fit, x, into);
        }
        let place =
            || self.known[fit as usize % PLACES].lock().unwrap_or_else(PoisonError::into_inner);
        let is_there = |known: &Known<R>| {
            known.fit == fit && known.x == x && known.numbers.len() >= numbers * self.rows
        };
        let mut known = place();
        if !is_there(&known) {
            // The closure may itself use the threads that would wait for this lock.
            drop(known);
            let mut all = vec![R::ZERO; numbers * self.rows];
            self.all(fit, x, &mut all);
            known = place();
            *known = Known { fit, x: x.to_vec(), numbers: all };
        }
        for (into, all) in into.chunks_mut(count).zip(known.numbers.chunks(self.rows)) {
            into.copy_from_slice(&all[first..][..count]);
        }
    }
}

/// Two values of a parameter around `x`, or on one side of it at a limit, for a difference between them.
///
/// The error of a central difference is smallest for a step of about the cube root of epsilon, relative to the scale of
/// the parameter. Near zero this scale is assumed to be a thousandth of 1, or of the distance between the limits if
/// that is less.
fn around<R: Precise>(x: R, (lower, upper): (f64, f64)) -> [R; 2] {
    let least = R::from_f64(1e-3 * (upper - lower).min(1.0));
    let step = R::HALF_EPSILON.cbrt() * x.abs().larger(least);
    [(x - step).larger(R::from_f64(lower)), (x + step).smaller(R::from_f64(upper))]
}

impl<R: Precise> Sheet<R> for Called<R> {
    fn values(&self, fit: u32, x: &[R], first: usize, values: &mut [R]) {
        self.some((fit, x), first, 1, values);
    }

    fn slopes(&self, fit: u32, x: &[R], first: usize, into: &mut [R]) {
        self.some((fit, x), first, 1 + x.len(), into);
    }
}
