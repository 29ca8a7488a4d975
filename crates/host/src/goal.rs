//! What can be minimised: objectives that run anywhere, and closures that the host evaluates.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use warpswarm_core::data::WithData;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::order::Fitness;
use warpswarm_core::variable::Scaled;
use warpswarm_core::{Float, Objective, Point};
use warpswarm_cpu_ref::vectors::{Run, Vectors};

use crate::backend::machine::Parameter;
use crate::backend::{Asked, Evaluator, Portable, Target};
use crate::bounds::Scales;
use crate::data::LaidOut;
use crate::on_device::{DevicePoints, DeviceValues};
use crate::own::{Kernels, OwnObjective};
use crate::problems::built_in;

/// What can be minimised: any [`Objective`], one with GPU kernels of its own ([`OwnObjective`]), or a
/// [`HostObjective`].
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Goal, HostObjective, Result, Settings, Stop, minimise, problems::Sphere};
/// /// How near to zero a few iterations come.
/// fn reached(goal: &impl Goal<f64>) -> Result<f64> {
///     let bounds = Bounds::uniform(2, -1.0, 1.0)?;
///     let settings = Settings { individuals: 16, stop: Stop::iterations(10), ..Settings::default() };
///     Ok(minimise(goal, &bounds, &Algorithm::default(), &settings)?.best().value)
/// }
/// let closure = HostObjective::new(|x: &[f64]| x[0] * x[0] + x[1] * x[1]);
/// assert_eq!(reached(&Sphere)?, reached(&closure)?);
/// # Ok::<(), warpswarm::Error>(())
/// ```
pub trait Goal<R: Float> {
    #[doc(hidden)]
    fn prepared(&self, scales: &Scales<R>) -> Prepared<R>;
}

/// A goal as backends know it.
#[doc(hidden)]
pub struct Prepared<R>(pub(crate) Evaluator<R>);

impl<R> fmt::Debug for Prepared<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prepared")
    }
}

impl<R: Float, O: Objective<R>> Goal<R> for O {
    fn prepared(&self, scales: &Scales<R>) -> Prepared<R> {
        if scales.are_plain() {
            let objective = *self;
            let vectors = Vectors::new();
            let evaluate = Box::new(move |_, x: &[R]| evaluate(vectors, &objective, SlicePoint(x)));
            let (constrained, target, data) = (O::CONSTRAINED, built_in::<R>(self), Arc::default());
            return Prepared(Evaluator::Portable(Portable { evaluate, constrained, target, data }));
        }
        // A built-in problem's kernels do not know scales.
        OwnObjective::new("", *self).prepared(scales)
    }
}

impl<R: Float, O: Objective<R>> Goal<R> for OwnObjective<R, O> {
    fn prepared(&self, scales: &Scales<R>) -> Prepared<R> {
        if scales.are_plain() {
            return portable(self.name.into(), self.objective, self.kernels, self.data.clone());
        }
        let (view, numbers) = scales.table(self.data.all.len());
        let scaled = Scaled { objective: self.objective, view };
        let data = Arc::new(self.data.with(&numbers));
        portable(format!("{}_scaled", self.name), scaled, self.kernels, data)
    }
}

/// An objective with its data, and with kernels of that name if it has some.
fn portable<R: Float, O: Objective<R>>(
    name: String,
    objective: O,
    kernels: Option<Kernels>,
    data: Arc<LaidOut<R>>,
) -> Prepared<R> {
    let target = match kernels {
        Some(kernels) => Some(Target {
            name,
            objective: Parameter::of(objective),
            own: Some(kernels),
            program: None,
            problem: None,
            constrained: O::CONSTRAINED,
            gathers: O::GATHERS,
        }),
        // A built-in problem that takes data.
        None => built_in::<R>(&objective),
    };
    let seen = data.clone();
    let vectors = Vectors::new();
    let evaluate = Box::new(move |run, x: &[R]| {
        let point = WithData { point: SlicePoint(x), data: seen.of(run) };
        evaluate(vectors, &objective, point)
    });
    let constrained = O::CONSTRAINED;
    Prepared(Evaluator::Portable(Portable { evaluate, constrained, target, data }))
}

/// The fitness at a point, computed with those vectors.
fn evaluate<R: Float>(
    vectors: Vectors,
    objective: &impl Objective<R>,
    point: impl Point<R>,
) -> Fitness<R> {
    vectors.run(Evaluation { objective, point, real: PhantomData })
}

/// An objective at a point.
struct Evaluation<'a, R, O, P> {
    objective: &'a O,
    point: P,
    real: PhantomData<R>,
}

impl<R: Float, O: Objective<R>, P: Point<R>> Run for Evaluation<'_, R, O, P> {
    type Output = Fitness<R>;

    #[inline(always)]
    fn call(self) -> Fitness<R> {
        self.objective.evaluate(&self.point)
    }
}

impl<R: Float> Goal<R> for HostObjective<R> {
    fn prepared(&self, scales: &Scales<R>) -> Prepared<R> {
        if scales.are_plain() {
            return Prepared(Evaluator::Host(self.clone()));
        }
        let scales = scales.clone();
        let kind = match self.kind.clone() {
            // Points lie on the device as they are meant.
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
        Prepared(Evaluator::Host(HostObjective { kind }))
    }
}

/// An objective that is a closure on the host: over a point, called from several threads at once, or over all
/// points of an iteration.
///
/// It runs wherever a function does, on the CPU alone or between two launches on a GPU, where the individuals
/// move ([`Schedule::Hosted`](crate::Schedule::Hosted)); the numbers are those of an [`Objective`] of the same
/// values. If it panics, the step in which it does fails with [`Error::Objective`](crate::Error::Objective), and the
/// runs are where they were before that iteration.
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
}

/// The fitness at a point of a run, by its place in the batch.
pub(crate) type OfPoint<R> = dyn Fn(u32, &[R]) -> Fitness<R> + Send + Sync;
/// The fitness at each of many points.
type OfPopulation<R> = dyn Fn(&Points<'_, R>) -> Vec<Fitness<R>> + Send + Sync;

/// Addresses of values at each of many points on a device.
type OfDevice = dyn Fn(&DevicePoints) -> DeviceValues + Send + Sync;

/// What is called.
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
        HostObjective { kind: self.kind.clone() }
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
    /// The value at a point; NaN and +inf are allowed and rank last.
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

    /// Value and total constraint violation at a point; the violation is zero where the point is feasible, and one below
    /// zero counts as zero.
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
        HostObjective { kind: Kind::Point(Arc::new(move |_, x: &[R]| fitness(x))) }
    }

    /// The same at a point of a run, by its place in the batch, from 0: where each run has data of its own.
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
        HostObjective { kind: Kind::Point(Arc::new(fitness)) }
    }

    /// Value and violation at each of many points, in their order: those that all runs of the batch evaluate in
    /// an iteration, called on one thread. Where it gives fewer or more than there are points, the step fails with
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
        HostObjective { kind: Kind::Population(Arc::new(fitness)) }
    }

    /// The same by other kernels on the GPU on which the individuals move, such as those of an array library: the closure enqueues
    /// work and says where the values will be. Nothing is copied through the host, which does not wait either, unless runs may
    /// stop by themselves. It needs [`Backend::Gpu`](crate::Backend::Gpu) or `Auto`, and an algorithm other than `auto` and
    /// `cma-es`. Values are addresses, which no other language checks: what is no array of the same device, or a shorter one, is
    /// refused by the driver.
    pub fn on_device(
        values: impl Fn(&DevicePoints) -> DeviceValues + Send + Sync + 'static,
    ) -> Self {
        HostObjective { kind: Kind::Device(Arc::new(values)) }
    }

    /// Whether it is evaluated on a device.
    pub(crate) fn is_on_device(&self) -> bool {
        matches!(self.kind, Kind::Device(_))
    }
}

impl<R: Float> From<Portable<R>> for HostObjective<R> {
    fn from(objective: Portable<R>) -> Self {
        HostObjective { kind: Kind::Point(objective.evaluate.into()) }
    }
}

/// Points that are to be evaluated: a matrix with a point a row.
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.asked.runs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Coordinates of each.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Point `i`, `[coordinate]`.
    ///
    /// # Panics
    ///
    /// Where there are no more than `i`.
    pub fn point(&self, i: usize) -> &'a [R] {
        &self.asked.points[i * self.dimensions..][..self.dimensions]
    }

    /// The number of the run that asks for point `i`.
    ///
    /// # Panics
    ///
    /// Where there are no more than `i`.
    pub fn run(&self, i: usize) -> u64 {
        self.first_run + u64::from(self.asked.runs[i])
    }

    /// One point after the other, `[coordinate]`.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [R]> {
        self.asked.points.chunks_exact(self.dimensions)
    }

    /// All coordinates, `[point][coordinate]`.
    pub fn as_slice(&self) -> &'a [R] {
        &self.asked.points
    }
}
