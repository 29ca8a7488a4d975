//! Models of data, and their residuals.

use super::accumulate::{Accumulator, Term};
use super::lm::{Settings, Solver, Status, fit};
use super::loss::{Loss, poisson};
use super::parameters::Bounds;
use crate::data::{Data, Table, WithData};
use crate::dual::{Dual, DualPoint};
use crate::objective::{Objective, Point, SlicePoint};
use crate::real::{Float, Real};

/// A model with `N` parameters, which predicts each row of data.
///
/// Its parameters are the coordinates of a point, and its data are [`Table`]s. A model that is generic over [`Real`]
/// gets its derivatives by dual numbers; you need not write them.
///
/// ```
/// use warpswarm_core::data::{DataSlices, Table};
/// use warpswarm_core::fit::{Bounds, Model, Normal, Observed, Settings, fit_model};
/// use warpswarm_core::{Point, Real};
///
/// /// height exp(-t / lifetime)
/// #[derive(Clone, Copy)]
/// struct Decay {
///     times: Table,
/// }
///
/// impl<R: Real> Model<R, 2> for Decay {
///     fn predict<P: Point<R>>(&self, x: &P, row: usize) -> R {
///         let [height, lifetime] = [0, 1].map(|i| x.get(i));
///         height * (-x.data(self.times, row) / lifetime).exp()
///     }
/// }
///
/// // Four times, and what was measured there.
/// let numbers = [0.0, 1.0, 2.0, 3.0, 8.0, 4.852_245, 2.943_036, 1.785_041];
/// let data = DataSlices { all: &numbers, of_run: &[] };
/// let decay = Decay { times: Table::new(0, 4, 1, false) };
/// let observed = Observed::plain(Table::new(4, 4, 1, false));
/// let (start, bounds, settings) = ([5.0, 1.0], Bounds::unbounded(), Settings::new(2));
/// let (status, solver) =
///     fit_model::<f64, Normal<f64, 2>, _, _, 2>(&decay, &observed, data, start, &bounds, &settings);
/// assert!(status.converged());
/// let [height, lifetime] = *solver.best();
/// assert!((height - 8.0).abs() < 1e-5 && (lifetime - 2.0).abs() < 1e-5);
/// ```
pub trait Model<R: Real, const N: usize>: Copy + Send + Sync + 'static {
    /// The prediction for a row, at a point with `N` coordinates.
    fn predict<P: Point<R>>(&self, x: &P, row: usize) -> R;
}

/// A model whose derivatives can be computed: any that is generic over [`Real`].
///
/// ```
/// use warpswarm_core::fit::{Model, SmoothModel};
/// use warpswarm_core::{Point, Real};
/// #[derive(Clone, Copy)]
/// struct Constant;
/// impl<R: Real> Model<R, 1> for Constant {
///     fn predict<P: Point<R>>(&self, x: &P, _row: usize) -> R {
///         x.get(0)
///     }
/// }
/// fn for_all_that_are<M: SmoothModel<f64, 1>>(_: M) {}
/// for_all_that_are(Constant);
/// ```
pub trait SmoothModel<R: Real, const N: usize>: Model<R, N> + Model<Dual<R, N>, N> {}

impl<R: Real, const N: usize, M: Model<R, N> + Model<Dual<R, N>, N>> SmoothModel<R, N> for M {}

/// What a fit needs from a model: the prediction for a row, with its derivatives by `N` parameters.
///
/// [`Derived`] implements it for every [`SmoothModel`], and [`Expression`](crate::expression::Expression) implements it
/// itself.
pub trait Curve<R: Float, const N: usize>: Copy + Send + Sync + 'static {
    /// Computes what all rows share, before rows at a point are requested.
    fn begin<P: Point<R> + Copy>(&self, x: &P);

    /// The prediction for a row, and its partial derivatives.
    fn row<P: Point<R> + Copy>(&self, x: &P, row: usize) -> (R, [R; N]);
}

/// A model with derivatives by dual numbers.
///
/// ```
/// use warpswarm_core::fit::{Curve, Derived, Model};
/// use warpswarm_core::objective::SlicePoint;
/// use warpswarm_core::{Point, Real};
/// #[derive(Clone, Copy)]
/// struct Line;
/// impl<R: Real> Model<R, 2> for Line {
///     fn predict<P: Point<R>>(&self, x: &P, row: usize) -> R {
///         x.get(0) + x.get(1) * R::from_u32(row as u32)
///     }
/// }
/// let at: (f64, [f64; 2]) = Derived(Line).row(&SlicePoint(&[1.0, 2.0]), 3);
/// assert_eq!(at, (7.0, [1.0, 3.0]));
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derived<M>(pub M);

impl<R: Float, M: SmoothModel<R, N>, const N: usize> Curve<R, N> for Derived<M> {
    #[inline(always)]
    fn begin<P: Point<R> + Copy>(&self, _: &P) {}

    #[inline(always)]
    fn row<P: Point<R> + Copy>(&self, x: &P, row: usize) -> (R, [R; N]) {
        let predicted: Dual<R, N> = self.0.predict(&DualPoint { point: *x, first: 0 }, row);
        (predicted.value, predicted.partials)
    }
}

/// The distribution of observations around the model's predictions.
///
/// ```
/// use warpswarm_core::fit::{Loss, Scatter};
/// assert_eq!(Scatter::default(), Scatter::Residuals { loss: Loss::Linear, scale: 1.0 });
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scatter {
    /// By residuals, whose cost is a loss: squares, or a loss that gives outliers less weight.
    Residuals {
        /// How the cost grows with a residual.
        loss: Loss,
        /// The residual from which on the cost grows more slowly, in standard deviations: above 0.
        scale: f64,
    },
    /// By the Poisson distribution, for counts: maximum likelihood.
    Counts,
}

impl Default for Scatter {
    fn default() -> Self {
        Scatter::Residuals { loss: Loss::Linear, scale: 1.0 }
    }
}

impl Scatter {
    /// A row's term of chi-squared, for the prediction `mean`, the observation and its weight, 1 / sigma^2.
    #[inline(always)]
    pub fn term<R: Float>(self, mean: R, value: R, weight: R) -> Term<R> {
        match self {
            Scatter::Residuals { loss, scale } => {
                loss.term(mean - value, weight, R::from_f64(scale))
            }
            Scatter::Counts => poisson(mean, value),
        }
    }
}

/// The observations, one for each row.
///
/// ```
/// use warpswarm_core::data::Table;
/// use warpswarm_core::fit::{Observed, Scatter};
/// let plain = Observed::plain(Table::new(0, 10, 1, true));
/// let counts = Observed { scatter: Scatter::Counts, ..plain };
/// assert_eq!((counts.rows(), counts.sigma.len()), (10, 0));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// The observations.
    pub values: Table,
    /// The standard deviation of each, above 0; empty if all are equal, and then taken as 1. Counts have none.
    pub sigma: Table,
    /// The distribution around the predictions.
    pub scatter: Scatter,
}

impl Observed {
    /// Observations of equal weight, fitted by least squares.
    pub fn plain(values: Table) -> Self {
        Observed { values, sigma: Table::default(), scatter: Scatter::default() }
    }

    /// The number of rows.
    #[inline(always)]
    pub const fn rows(&self) -> usize {
        self.values.len()
    }

    /// The term of row `row` in chi-squared, for the prediction `mean`; the point `x` provides the data.
    #[inline(always)]
    pub fn term<R: Float>(&self, x: &impl Point<R>, row: usize, mean: R) -> Term<R> {
        self.scatter.term(mean, x.data(self.values, row), self.weight(x, row))
    }

    /// A row's observation squared, times its weight.
    #[inline(always)]
    pub fn square<R: Float>(&self, x: &impl Point<R>, row: usize) -> R {
        Term::squared(x.data(self.values, row), self.weight(x, row)).cost
    }

    /// Only the cost, for any number type: [`Term::cost`].
    #[inline(always)]
    fn cost<R: Real>(&self, x: &impl Point<R>, row: usize, mean: R) -> R {
        let value = x.data(self.values, row);
        match self.scatter {
            Scatter::Residuals { loss, scale } => {
                loss.cost(mean - value, self.weight(x, row), R::from_f64(scale))
            }
            Scatter::Counts => super::loss::poisson_cost(mean, value),
        }
    }

    /// 1 / sigma^2 of a row.
    #[inline(always)]
    fn weight<R: Real>(&self, x: &impl Point<R>, row: usize) -> R {
        if self.sigma.is_empty() {
            return R::ONE;
        }
        let sigma = x.data(self.sigma, row);
        R::ONE / (sigma * sigma)
    }
}

/// Chi-squared of a model as an objective, for a global search within bounds.
///
/// Its sum has the order of [`sum`](crate::sum), which differs from that of a fit: both agree up to rounding.
///
/// ```
/// use warpswarm_core::data::{DataSlices, Table, WithData};
/// use warpswarm_core::fit::{Misfit, Model, Observed};
/// use warpswarm_core::objective::SlicePoint;
/// use warpswarm_core::{Objective, Point, Real};
/// #[derive(Clone, Copy)]
/// struct Constant;
/// impl<R: Real> Model<R, 1> for Constant {
///     fn predict<P: Point<R>>(&self, x: &P, _row: usize) -> R {
///         x.get(0)
///     }
/// }
/// let data = DataSlices { all: &[1.0, 2.0, 6.0_f64], of_run: &[] };
/// let misfit = Misfit::<_, 1> { model: Constant, observed: Observed::plain(Table::new(0, 3, 1, false)) };
/// assert_eq!(misfit.value(&WithData { point: SlicePoint(&[3.0]), data }), 4.0 + 1.0 + 9.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misfit<M, const N: usize> {
    /// The model.
    pub model: M,
    /// The observations.
    pub observed: Observed,
}

impl<R: Real, M: Model<R, N>, const N: usize> Objective<R> for Misfit<M, N> {
    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.sum_terms(self.observed.rows(), |row| {
            self.observed.cost(x, row, self.model.predict(x, row))
        })
    }
}

/// Fits a model to the observations of a run on one thread: [`fit`] with derivatives by dual numbers.
#[inline(always)]
pub fn fit_model<R, A, M, D, const N: usize>(
    model: &M,
    observed: &Observed,
    data: D,
    start: [R; N],
    bounds: &Bounds<R, N>,
    settings: &Settings<R>,
) -> (Status, Solver<R, A, N>)
where
    R: Float,
    A: Accumulator<R, N>,
    M: SmoothModel<R, N>,
    D: Data<R>,
{
    fit(start, bounds, settings, observed.rows(), |p, row| {
        let point = WithData { point: SlicePoint(p), data };
        let (mean, partials) = Derived(*model).row(&point, row);
        (observed.term(&point, row, mean), partials)
    })
}
