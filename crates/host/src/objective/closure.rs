//! Closures that the host evaluates, and the points at which it does.

use std::fmt;
use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::order::Fitness;

use super::any_objective::{AnyObjective, Prepared};
use super::bounds::Scales;
use super::evaluator::{Asked, Evaluator, Portable};
use super::on_device::{DevicePoints, DeviceValues};

impl<R: Float> AnyObjective<R> for HostObjective<R> {
    fn prepared(&self, scales: &Scales<R>) -> Prepared<R> {
        if scales.are_plain() {
            return Prepared(Evaluator::Host(self.clone()));
        }
        let scales = scales.clone();
        let gradient = self.gradient.clone().map(|gradient| -> Arc<OfGradient<R>> {
            let scales = scales.clone();
            Arc::new(move |run, x: &[R], slopes: &mut [R]| {
                let natural = scales.natural(x);
                gradient(run, &natural, slopes);
                scales.see_slopes(&natural, slopes);
            })
        });
        let kind = match self.kind.clone() {
            // Points on the device are converted there.
            Kind::Device(evaluate) => Kind::Device(evaluate),
            Kind::Point(evaluate) => Kind::Point(Arc::new(move |run, x: &[R]| {
                scales.fitness(evaluate(run, &scales.natural(x)))
            })),
            Kind::Population(evaluate) => {
                Kind::Population(Arc::new(move |points: &Points<'_, R>| {
                    let asked = points.asked.seen_through(&scales);
                    let told = evaluate(&Points { asked: &asked, ..*points });
                    told.into_iter().map(|fitness| scales.fitness(fitness)).collect()
                }))
            }
        };
        Prepared(Evaluator::Host(HostObjective { kind, gradient }))
    }
}

/// An objective that is a closure on the host. It evaluates one point, called from several threads at once, or all
/// points of an iteration.
///
/// It runs on the CPU alone, or between two launches on a GPU that moves the individuals
/// ([`Schedule::Hosted`](crate::Schedule::Hosted)). The results are those of an [`Objective`](crate::Objective) with
/// the same values. If the closure panics, the step fails with [`Error::Objective`](crate::Error::Objective), and the
/// runs keep their state from before that iteration.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, HostObjective, Settings, Stop, minimise};
/// let bounds = Bounds::uniform(2, -2.0, 2.0)?;
/// let valley = HostObjective::new(|x: &[f64]| (x[0] - 1.0).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2));
/// let settings = Settings { individuals: 32, stop: Stop::iterations(200), ..Settings::default() };
/// let report = minimise(&valley, &bounds, &Algorithm::default(), &settings)?;
/// assert!(report.best().value < 1e-6);
/// # Ok::<(), warpswarm::Error>(())
/// ```
pub struct HostObjective<R> {
    pub(crate) kind: Kind<R>,
    pub(crate) gradient: Option<Arc<OfGradient<R>>>,
}

/// The fitness at a point of a run, with the run's index in the batch.
pub(crate) type OfPoint<R> = dyn Fn(u32, &[R]) -> Fitness<R> + Send + Sync;
/// The fitness at each of many points.
type OfPopulation<R> = dyn Fn(&Points<'_, R>) -> Vec<Fitness<R>> + Send + Sync;

/// Writes the derivatives at a point of a run.
type OfGradient<R> = dyn Fn(u32, &[R], &mut [R]) + Send + Sync;

/// Addresses of the values at each of many points on a device.
type OfDevice = dyn Fn(&DevicePoints) -> DeviceValues + Send + Sync;

/// The kinds of closures.
pub(crate) enum Kind<R> {
    Point(Arc<OfPoint<R>>),
    Population(Arc<OfPopulation<R>>),
    Device(Arc<OfDevice>),
}

impl<R> Clone for Kind<R> {
    fn clone(&self) -> Self {
        match self {
            Kind::Point(evaluate) => Kind::Point(evaluate.clone()),
            Kind::Population(evaluate) => Kind::Population(evaluate.clone()),
            Kind::Device(evaluate) => Kind::Device(evaluate.clone()),
        }
    }
}

impl<R> Clone for HostObjective<R> {
    fn clone(&self) -> Self {
        HostObjective { kind: self.kind.clone(), gradient: self.gradient.clone() }
    }
}

impl<R> fmt::Debug for HostObjective<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Point(_) => "HostObjective of a point",
            Kind::Population(_) => "HostObjective of a population",
            Kind::Device(_) => "HostObjective on a device",
        })
    }
}

impl<R: Float> HostObjective<R> {
    /// An objective with a value at each point; NaN and +inf are allowed and rank last.
    ///
    /// ```
    /// use warpswarm::{Bounds, DeParams, HostObjective, Settings, Stop, minimise};
    /// // How far x^3 is from 2; there is no value below 1.
    /// let error = HostObjective::new(|x: &[f64]| if x[0] < 1.0 { f64::NAN } else { (x[0].powi(3) - 2.0).abs() });
    /// let settings = Settings { individuals: 16, stop: Stop::iterations(100), ..Settings::default() };
    /// let report = minimise(&error, &Bounds::uniform(1, 0.0, 3.0)?, &DeParams::default().into(), &settings)?;
    /// assert!((report.best().position[0] - 2.0_f64.cbrt()).abs() < 1e-6);
    /// assert!(report.runs[0].not_finite > 0);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn new(value: impl Fn(&[R]) -> R + Send + Sync + 'static) -> Self {
        Self::with_violation(move |x| Fitness { violation: R::ZERO, value: value(x) })
    }

    /// An objective with a value and a total constraint violation at each point. The violation is zero if the point is
    /// feasible; a negative one counts as zero.
    ///
    /// ```
    /// use warpswarm::{Bounds, DeParams, Fitness, HostObjective, Settings, Stop, minimise};
    /// // The least sum of two numbers whose product is at least 1.
    /// let sum = HostObjective::with_violation(|x: &[f64]| Fitness {
    ///     violation: (1.0 - x[0] * x[1]).max(0.0),
    ///     value: x[0] + x[1],
    /// });
    /// let settings = Settings { individuals: 32, stop: Stop::iterations(200), ..Settings::default() };
    /// let report = minimise(&sum, &Bounds::uniform(2, 0.0, 9.0)?, &DeParams::default().into(), &settings)?;
    /// let best = report.best();
    /// assert!(best.violation == 0.0 && (best.value - 2.0).abs() < 1e-6);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn with_violation(fitness: impl Fn(&[R]) -> Fitness<R> + Send + Sync + 'static) -> Self {
        Self::of_run(move |_, x| fitness(x))
    }

    /// As [`with_violation`](HostObjective::with_violation), with the run's index in the batch, from 0, as an argument:
    /// for runs with their own data.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Fitness, HostObjective, Settings, Stop, minimise};
    /// let places = [0.25, -0.75];
    /// let distance = HostObjective::of_run(move |run, x: &[f64]| Fitness {
    ///     violation: 0.0,
    ///     value: (x[0] - places[run as usize]).abs(),
    /// });
    /// let settings = Settings { individuals: 16, runs: 2, stop: Stop::iterations(100), ..Settings::default() };
    /// let report = minimise(&distance, &Bounds::uniform(1, -1.0, 1.0)?, &Algorithm::default(), &settings)?;
    /// for (run, place) in report.runs.iter().zip(places) {
    ///     assert!((run.best.position[0] - place).abs() < 1e-6);
    /// }
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn of_run(fitness: impl Fn(u32, &[R]) -> Fitness<R> + Send + Sync + 'static) -> Self {
        Kind::Point(Arc::new(fitness)).into()
    }

    /// An objective that evaluates many points in one call, in order: those that all runs of the batch evaluate in an
    /// iteration. It is called on one thread. If the number of results is not the number of points, the step fails with
    /// [`Error::Told`](crate::Error::Told).
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Fitness, HostObjective, Points, Settings, Stop, minimise};
    /// let sphere = HostObjective::of_population(|points: &Points<'_, f64>| {
    ///     assert_eq!((points.len(), points.dimensions()), (16, 2));
    ///     let value = |x: &[f64]| x.iter().map(|x| x * x).sum();
    ///     points.iter().map(|x| Fitness { violation: 0.0, value: value(x) }).collect()
    /// });
    /// let settings = Settings { individuals: 16, stop: Stop::iterations(30), ..Settings::default() };
    /// let report = minimise(&sphere, &Bounds::uniform(2, -1.0, 1.0)?, &Algorithm::default(), &settings)?;
    /// assert!(report.best().value < 1e-3);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn of_population(
        fitness: impl Fn(&Points<'_, R>) -> Vec<Fitness<R>> + Send + Sync + 'static,
    ) -> Self {
        Kind::Population(Arc::new(fitness)).into()
    }

    /// An objective that other kernels evaluate on the GPU on which the individuals move, such as those of an array
    /// library. The closure enqueues work and returns where the values will be. Nothing is copied through the host, and
    /// the host does not wait, unless runs may stop on their own.
    ///
    /// It needs [`Backend::Gpu`](crate::Backend::Gpu) or `Auto`, and an algorithm other than `auto` and `cma-es`.
    /// Values are plain addresses, which no type checks; the driver refuses an address that is not in an array of the
    /// same device, or in one that is too short.
    pub fn on_device(
        values: impl Fn(&DevicePoints) -> DeviceValues + Send + Sync + 'static,
    ) -> Self {
        Kind::Device(Arc::new(values)).into()
    }

    /// This objective with its gradient: a closure that writes the derivative of the value by each coordinate, at a
    /// point in the users' units. [Polishing](crate::Polish) uses the gradient instead of differences, and
    /// [`check`](fn@crate::check) compares it with differences.
    ///
    /// The derivatives are set to zero before each call.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, HostObjective, Settings, Stop, minimise};
    /// let valley = HostObjective::new(|x: &[f64]| (x[0] - 1.0).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2))
    ///     .with_gradient(|x, slopes| {
    ///         slopes[1] = 200.0 * (x[1] - x[0] * x[0]);
    ///         slopes[0] = 2.0 * (x[0] - 1.0) - 2.0 * x[0] * slopes[1];
    ///     });
    /// let bounds = Bounds::uniform(2, -2.0, 2.0)?;
    /// let settings = Settings { individuals: 16, stop: Stop::iterations(20), ..Settings::default() };
    /// let report = minimise(&valley, &bounds, &Algorithm::default(), &settings)?;
    /// assert!(report.best().value < 1e-20);
    /// assert_eq!(warpswarm::check(&valley, &bounds, &Settings::default())?.derivatives.wrong, 0);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn with_gradient(self, gradient: impl Fn(&[R], &mut [R]) + Send + Sync + 'static) -> Self {
        self.with_gradient_of_run(move |_, x, slopes| gradient(x, slopes))
    }

    /// As [`with_gradient`](HostObjective::with_gradient), with the run's index in the batch as an argument, as for
    /// [`of_run`](HostObjective::of_run).
    pub fn with_gradient_of_run(
        self,
        gradient: impl Fn(u32, &[R], &mut [R]) + Send + Sync + 'static,
    ) -> Self {
        HostObjective { gradient: Some(Arc::new(gradient)), ..self }
    }

    /// The canonical fitness at one point of a run, with the run's index in the batch. It is the worst fitness if the
    /// host cannot evaluate the point, as with objectives on a device.
    pub(crate) fn at(&self, run: u32, x: &[R]) -> Fitness<R> {
        let fitness = match &self.kind {
            Kind::Point(evaluate) => evaluate(run, x),
            Kind::Population(evaluate) => {
                let asked = Asked { points: x.to_vec(), runs: vec![run] };
                let told = evaluate(&Points::new(&asked, x.len(), 0));
                told.first().copied().unwrap_or(Fitness::WORST)
            }
            Kind::Device(_) => Fitness::WORST,
        };
        fitness.canonical()
    }

    /// Whether a device evaluates it.
    pub(crate) fn is_on_device(&self) -> bool {
        matches!(self.kind, Kind::Device(_))
    }
}

impl<R> From<Kind<R>> for HostObjective<R> {
    fn from(kind: Kind<R>) -> Self {
        HostObjective { kind, gradient: None }
    }
}

impl<R: Float> From<Portable<R>> for HostObjective<R> {
    fn from(objective: Portable<R>) -> Self {
        Kind::Point(objective.evaluate).into()
    }
}

/// The points to evaluate: a matrix with one point per row.
///
/// ```
/// use warpswarm::{Algorithm, AskTell, Bounds, Settings};
/// let settings = Settings { individuals: 10, ..Settings::default() };
/// let mut search = AskTell::<f32>::new(&Bounds::uniform(3, -1.0, 1.0)?, &Algorithm::default(), &settings)?;
/// let points = search.ask()?.expect("the first individuals");
/// assert_eq!((points.len(), points.dimensions(), points.run(9)), (10, 3, 0));
/// assert_eq!(points.point(4), &points.as_slice()[12..15]);
/// assert_eq!(points.iter().nth(4), Some(points.point(4)));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, R> {
    asked: &'a Asked<R>,
    dimensions: usize,
    first_run: u64,
}

impl<'a, R: Float> Points<'a, R> {
    pub(crate) fn new(asked: &'a Asked<R>, dimensions: usize, first_run: u64) -> Self {
        Points { asked, dimensions, first_run }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.asked.runs.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of coordinates of each point.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Point `i`, `[coordinate]`.
    ///
    /// # Panics
    ///
    /// If `i` is not less than the number of points.
    pub fn point(&self, i: usize) -> &'a [R] {
        &self.asked.points[i * self.dimensions..][..self.dimensions]
    }

    /// The number of the run that asks for point `i`.
    ///
    /// # Panics
    ///
    /// If `i` is not less than the number of points.
    pub fn run(&self, i: usize) -> u64 {
        self.first_run + u64::from(self.asked.runs[i])
    }

    /// The points in order, each `[coordinate]`.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [R]> {
        self.asked.points.chunks_exact(self.dimensions)
    }

    /// All coordinates, `[point][coordinate]`.
    pub fn as_slice(&self) -> &'a [R] {
        &self.asked.points
    }
}
