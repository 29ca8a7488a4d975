//! User-defined models.

use std::fmt;
use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::data::{Data as _, DataSlices, Table, WithData};
use warpswarm_core::fit::{Curve, Derived, Model, Observed, SmoothModel};
use warpswarm_core::objective::SlicePoint;

use super::device::Target;
use super::settings::FitSettings;
use super::solve;
use super::work::{Numbers, Sheet, Work, names};
use crate::error::{Error, Result};
use crate::machine::kernels::Kernels;
use crate::objective::bounds::Bounds;
use crate::objective::data::{Data, LaidOut};
use crate::settings::precise::Precise;

/// A user-defined model with its observations: see [`fit`](crate::fit()).
///
/// ```
/// use warpswarm::fit::{FitSettings, FittedModel, Model, Observed};
/// use warpswarm::{Bounds, Data, Point, Real, fit};
/// /// A constant, the same in every row.
/// #[derive(Clone, Copy)]
/// struct Constant;
/// impl<R: Real> Model<R, 1> for Constant {
///     fn predict<P: Point<R>>(&self, x: &P, _row: usize) -> R {
///         x.get(0)
///     }
/// }
/// let mut data = Data::<f64>::new();
/// let observed = Observed::plain(data.table(&[1.0, 2.0, 6.0])?);
/// let model = FittedModel::<_, _, 1>::new(Constant, observed, data);
/// let fits = fit(&model, &Bounds::uniform(1, 0.0, 10.0)?, &FitSettings::default())?;
/// // The mean, and its standard error.
/// let fit = fits.get(0).expect("one");
/// assert!((fit.parameters()[0] - 3.0).abs() < 1e-9 && (fit.errors()[0] - 1.5275).abs() < 1e-4);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FittedModel<R, M, const N: usize> {
    model: M,
    observed: Observed,
    data: Arc<LaidOut<R>>,
    fits: usize,
    /// The name and the package of its kernels.
    kernels: Option<(&'static str, Kernels)>,
}

impl<R: Float, M: Copy, const N: usize> FittedModel<R, M, N> {
    /// A model with `N` parameters and its observations. The tables of both belong to `data`. The number of fits is
    /// that of the runs of `data`.
    pub fn new(model: M, observed: Observed, data: Data<R>) -> Self {
        let data = data.laid_out();
        let fits = data.runs().unwrap_or(1) as usize;
        FittedModel { model, observed, data: Arc::new(data), fits, kernels: None }
    }

    /// This model with kernels for GPUs: those that `export_model! { decay, "Decay", Decay, 3 }` has exported under
    /// this name, in a crate that is compiled for GPUs. For the emulator, pass `decay::all` to
    /// `Kernels::with_emulated`.
    pub fn with_kernels(self, name: &'static str, kernels: Kernels) -> Self {
        FittedModel { kernels: Some((name, kernels)), ..self }
    }
}

/// A model evaluated row by row.
struct OfModel<R, M, const N: usize> {
    model: M,
    data: Arc<LaidOut<R>>,
}

impl<R: Precise, M: SmoothModel<R, N>, const N: usize> Sheet<R> for OfModel<R, M, N> {
    fn values(&self, fit: u32, x: &[R], first: usize, values: &mut [R]) {
        let point = WithData { point: SlicePoint(x), data: self.data.of(fit) };
        for (k, value) in values.iter_mut().enumerate() {
            *value = Model::<R, N>::predict(&self.model, &point, first + k);
        }
    }

    fn slopes(&self, fit: u32, x: &[R], first: usize, into: &mut [R]) {
        let point = WithData { point: SlicePoint(x), data: self.data.of(fit) };
        let count = into.len() / (1 + N);
        for k in 0..count {
            let (mean, row) = Derived(self.model).row(&point, first + k);
            into[k] = mean;
            for (i, partial) in row.into_iter().enumerate() {
                into[(1 + i) * count + k] = partial;
            }
        }
    }
}

/// What [`fit`](crate::fit()) can fit: a [`FittedModel`], or a [`HostModel`](super::HostModel).
///
/// ```
/// use warpswarm::fit::{FitSettings, Fittable, HostModel};
/// use warpswarm::{Bounds, Result, fit};
/// /// How far a model with two parameters is from its data.
/// fn misfit(model: &impl Fittable<f64>) -> Result<f64> {
///     let fits = fit(model, &Bounds::uniform(2, -9.0, 9.0)?, &FitSettings::default())?;
///     Ok(fits.get(0).expect("one").chi_squared())
/// }
/// let line = |x: &[f64], y: &mut [f64]| (0..3).for_each(|t| y[t] = x[0] + x[1] * t as f64);
/// assert!(misfit(&HostModel::new(vec![1.0, 3.0, 5.0], line))? < 1e-20);
/// # Ok::<(), warpswarm::Error>(())
/// ```
pub trait Fittable<R> {
    #[doc(hidden)]
    fn wanted<'a>(&self, bounds: &Bounds, settings: &'a FitSettings) -> Result<Wanted<'a, R>>;
}

/// Everything that fits need.
#[doc(hidden)]
pub struct Wanted<'a, R>(pub(super) Work<'a, R>);

impl<R> fmt::Debug for Wanted<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wanted")
    }
}

impl<R: Precise, M: SmoothModel<R, N>, const N: usize> Fittable<R> for FittedModel<R, M, N> {
    fn wanted<'a>(&self, bounds: &Bounds, settings: &'a FitSettings) -> Result<Wanted<'a, R>> {
        if bounds.dimensions() != N {
            let (value, allowed) =
                (bounds.dimensions().to_string(), format!("{N}, the model's parameters"));
            return Err(Error::Setting { field: "bounds", value, allowed });
        }
        let values = self.numbers(self.observed.values)?;
        let sigma = Some(self.observed.sigma).filter(|sigma| !sigma.is_empty());
        let sigma = sigma.map(|sigma| self.numbers(sigma)).transpose()?;
        let sheet = Arc::new(OfModel::<R, M, N> { model: self.model, data: self.data.clone() });
        let mut work = Work::new(names(bounds), sheet, self.fits, self.observed.rows());
        work.solve = solve::of_size::<R, N>;
        work.values = values;
        work.sigma = sigma;
        work.scatter = self.observed.scatter;
        work.within(bounds, settings)?;
        work.no_device = "cpu, where a model has no kernels: see FittedModel::with_kernels";
        if !work.of_rows.is_empty() {
            // Rows are excluded by their standard deviations, which are not among the model's own data.
            work.no_device = "cpu, where fits of one's own models have different numbers of rows";
        } else if let Some((name, kernels)) = self.kernels {
            work.on_device = Some(Box::new(Target::<R, Derived<M>, N> {
                name: format!("{name}_{}", R::NAME),
                combine: format!("combine_{name}_{}", R::NAME),
                own: Some(kernels),
                program: None,
                model: Derived(self.model),
                observed: self.observed,
                data: self.data.clone(),
            }));
        }
        Ok(Wanted(work))
    }
}

impl<R: Precise, M, const N: usize> FittedModel<R, M, N> {
    /// The numbers of a table, of all fits or of each.
    fn numbers(&self, table: Table) -> Result<Numbers<R>> {
        let data: DataSlices<'_, R> = self.data.of(0);
        if !data.has(table) || table.len() != self.observed.rows() {
            let value = table.len().to_string();
            let allowed = format!("{} numbers that are in the data", self.observed.rows());
            return Err(Error::Setting { field: "observed", value, allowed });
        }
        Ok(Numbers::of_table(&self.data, table))
    }
}
