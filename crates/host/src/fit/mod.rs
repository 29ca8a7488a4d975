//! Fits of models to data, with the uncertainties of their parameters.
//!
//! A model predicts rows of data. Its parameters are searched for within bounds, from many starting values, and the
//! best result is fitted by the Levenberg-Marquardt method: see [`warpswarm_core::fit`] for equations and sources. Many
//! data sets are fitted side by side.

mod called;
mod device;
mod found;
mod model;
mod outcome;
mod rows;
mod scatter;
mod settings;
mod solve;
mod work;

pub use called::HostModel;
#[cfg(feature = "problem-files")]
pub(crate) use device::{OnDevice, Target};
pub use model::{Fittable, FittedModel};
pub use outcome::{Fit, FitStatus, Fits};
pub use scatter::scatter;
pub use settings::FitSettings;
#[cfg(feature = "problem-files")]
pub(crate) use solve::LARGE;
pub use warpswarm_core::fit::{Loss, Model, Observed, Scatter, SmoothModel};
#[cfg(feature = "problem-files")]
pub(crate) use work::{Numbers, Sheet, Work};

use crate::error::Result;
use crate::objective::bounds::Bounds;
use crate::settings::precise::Precise;

/// Fits a model to the data of each run, within `bounds`.
///
/// ```
/// use warpswarm::fit::{FitSettings, FittedModel, Model, Observed};
/// use warpswarm::{Bounds, Data, Point, Real, Table, Variable, fit};
///
/// /// height exp(-t / lifetime)
/// #[derive(Clone, Copy)]
/// struct Decay {
///     times: Table,
/// }
///
/// impl<R: Real> Model<R, 2> for Decay {
///     fn predict<P: Point<R>>(&self, x: &P, row: usize) -> R {
///         x.get(0) * (-x.data(self.times, row) / x.get(1)).exp()
///     }
/// }
///
/// let mut data = Data::<f64>::new();
/// let times = data.table(&[0.0, 1.0, 2.0, 3.0])?;
/// // Two measurements at the same times.
/// let seen = data.table_of_runs(&[8.1, 4.8, 3.0, 1.8, 2.0, 1.4, 1.0, 0.8], 2)?;
/// let model = FittedModel::<_, _, 2>::new(Decay { times }, Observed::plain(seen), data);
/// let bounds = Bounds::of(&[Variable::linear("height", 0.0, 50.0), Variable::log("lifetime", 0.01, 100.0)])?;
/// let fits = fit(&model, &bounds, &FitSettings::default())?;
/// let first = fits.get(0).expect("there are two");
/// assert!((first.parameters()[1] - 1.98).abs() < 0.02 && first.errors()[1] < 0.05);
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// # Errors
///
/// If data are missing or do not have the size that the model needs, there are fewer rows than parameters, starting
/// values are not within the bounds, or settings are not allowed.
pub fn fit<R: Precise>(
    model: &impl Fittable<R>,
    bounds: &Bounds,
    settings: &FitSettings,
) -> Result<Fits<R>> {
    model.wanted(bounds, settings)?.0.done(settings)
}
