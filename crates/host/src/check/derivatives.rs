//! Checks exact derivatives against finite differences.

use std::fmt;

use warpswarm_core::Float;
use warpswarm_core::order::Fitness;
use warpswarm_core::variable::Scale;
use warpswarm_cpu_ref::Swarm;

use super::differences::{Difference, LARGEST, Level, SHRINK};
use super::point;
use crate::engine::{Job, PointsOfRuns, caught};
use crate::error::Result;
use crate::objective::bounds::Scales;
use crate::objective::slopes::{OwnKernels, Slopes};
use crate::run::optimiser::Optimiser;
use crate::run::polish::Polisher;
use crate::settings::Settings;
use crate::settings::choices::Backend;

/// The number of points at which derivatives are compared.
const POINTS: usize = 16;
/// The largest number of coordinates that are compared at a point.
const COORDINATES: usize = 32;
/// The largest number of individuals per run at which CPU and device are compared.
const ON_DEVICE: usize = 256;
/// The largest step of the second comparison, for a derivative that seems wrong.
const LOOK_AGAIN: f64 = 0.77 * LARGEST;

impl<R: Float> Optimiser<R> {
    /// Compares exact derivatives of the objective with finite differences, near the first individuals of each run. It
    /// needs [`Settings::polish`], requested or by default, because the local search knows the derivatives. If the runs
    /// are on a device, and the objective was exported with kernels for derivatives (see
    /// [`OwnObjective`](crate::OwnObjective)), their bits are compared with the CPU's.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Optimiser, Settings, problems::Rosenbrock};
    /// let settings = Settings { individuals: 16, polish: Some(true), ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -2.0, 2.0)?;
    /// let mut optimiser = Optimiser::<f64>::new(&Rosenbrock, &bounds, &Algorithm::default(), &settings)?;
    /// let derivatives = optimiser.derivatives()?;
    /// assert_eq!((derivatives.compared, derivatives.wrong), (32, 0));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the backend fails, or a closure panics.
    pub fn derivatives(&mut self) -> Result<Derivatives<R>> {
        let (swarms, backend) = (self.state()?, self.backend());
        match &self.polisher {
            Some(polisher) => Derivatives::compare(polisher, &self.job, &swarms, backend),
            None => Ok(Derivatives::NONE),
        }
    }
}

/// A comparison of the exact derivatives of an objective and its constraints with finite differences.
///
/// ```
/// use warpswarm::{Bounds, HostObjective, Settings, check};
/// let bounds = Bounds::uniform(2, -1.0, 3.0)?;
/// // The second one should be 3 x1.
/// let slip = HostObjective::new(|x: &[f64]| x[0] * x[0] + 3.0 * x[0] * x[1]).with_gradient(|x, slopes| {
///     slopes.copy_from_slice(&[2.0 * x[0] + 3.0 * x[1], 2.0 * x[0]]);
/// });
/// let derivatives = check(&slip, &bounds, &Settings::default())?.derivatives;
/// let first = derivatives.first_wrong.as_ref().expect("one that differs");
/// assert_eq!((first.coordinate, first.constraint), (1, None));
/// assert!((1.5 * first.exact - first.numerical).abs() < 1e-6);
/// println!("{derivatives}");
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Derivatives<R> {
    /// The number of derivatives compared; 0 if none are known.
    pub compared: u64,
    /// The number of these that differ by more than the errors of both. A derivative is not judged at a kink or a jump,
    /// where the derivatives from the left and from the right differ, or if the differences do not converge.
    pub wrong: u64,
    /// The first wrong derivative.
    pub first_wrong: Option<WrongDerivative<R>>,
    /// The number of values and derivatives that a device has also computed, with an exported kernel.
    pub on_device: u64,
    /// The first of these with different bits than on the CPU.
    pub difference: Option<DerivativeDifference<R>>,
}

/// A value or a derivative that differs between CPU and device.
///
/// ```
/// use warpswarm::DerivativeDifference;
/// let (cpu, device) = (0.25_f32, 0.250_000_03);
/// let difference = DerivativeDifference { point: vec![1.5], coordinate: Some(0), cpu, device };
/// let text = "the derivative by x1 is 0.25 on the CPU, 0.25000003 on the device, at (1.5)";
/// assert_eq!(difference.to_string(), text);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DerivativeDifference<R> {
    /// The point, `[coordinate]`.
    pub point: Vec<R>,
    /// The coordinate, from 0; `None` for the value.
    pub coordinate: Option<usize>,
    /// The result of the CPU.
    pub cpu: R,
    /// The result of the device.
    pub device: R,
}

impl<R: Float> fmt::Display for DerivativeDifference<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DerivativeDifference { cpu, device, .. } = self;
        match self.coordinate {
            Some(i) => write!(f, "the derivative by x{}", i + 1)?,
            None => write!(f, "the value")?,
        }
        write!(f, " is {cpu} on the CPU, {device} on the device, at ")?;
        super::show(f, &self.point)
    }
}

/// An exact derivative that is not the derivative of the objective.
///
/// ```
/// use warpswarm::WrongDerivative;
/// let wrong = WrongDerivative {
///     point: vec![1.0, 2.0],
///     coordinate: 1,
///     by: "x2".into(),
///     constraint: None,
///     of: "the value".into(),
///     exact: 0.0,
///     numerical: 4.0,
/// };
/// let text = "the derivative of the value by x2 is 0, by differences 4, at (1, 2)";
/// assert_eq!(wrong.to_string(), text);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WrongDerivative<R> {
    /// The point, `[coordinate]`.
    pub point: Vec<R>,
    /// The coordinate, from 0.
    pub coordinate: usize,
    /// The name of the coordinate; `x1` and so on if it has none.
    pub by: String,
    /// The constraint, from 0; `None` for the objective's value.
    pub constraint: Option<usize>,
    /// The name of the constraint or of the value.
    pub of: String,
    /// The derivative by the rules of calculus, or by the objective's own gradient.
    pub exact: R,
    /// The derivative by finite differences.
    pub numerical: R,
}

impl<R: Float> fmt::Display for WrongDerivative<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrongDerivative { of, by, exact, numerical, .. } = self;
        write!(f, "the derivative of {of} by {by} is {exact}, by differences {numerical}, at ")?;
        super::show(f, &self.point)
    }
}

impl<R: Float> fmt::Display for Derivatives<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Derivatives { compared, wrong, on_device, .. } = self;
        match &self.first_wrong {
            None => write!(f, "{compared} derivatives agree with differences")?,
            Some(first) => write!(f, "{wrong} of {compared} derivatives are wrong: {first}")?,
        }
        match &self.difference {
            None if *on_device == 0 => Ok(()),
            None => write!(
                f,
                "\n{on_device} values and derivatives have the same bits on CPU and device"
            ),
            Some(difference) => write!(f, "\nCPU and device differ: {difference}"),
        }
    }
}

impl<R> Derivatives<R> {
    /// No derivatives.
    pub const NONE: Self =
        Derivatives { compared: 0, wrong: 0, first_wrong: None, on_device: 0, difference: None };

    /// Whether no derivative is wrong or differs on the device.
    pub fn are_fine(&self) -> bool {
        self.wrong == 0 && self.difference.is_none()
    }
}

impl<R: Float> Derivatives<R> {
    /// Compares derivatives at the first individuals of each run with finite differences, and with those of the backend
    /// if it is a device.
    pub(crate) fn compare(
        polisher: &Polisher<R>,
        job: &Job<R>,
        swarms: &[Swarm<R>],
        backend: Backend,
    ) -> Result<Self> {
        let mut all = Self::NONE;
        let Some(slopes) = polisher.slopes() else { return Ok(all) };
        for number in 0..POINTS {
            let (run, i) = (number % swarms.len(), number / swarms.len());
            let Some(swarm) = swarms.get(run).filter(|swarm| i < swarm.individuals()) else {
                continue;
            };
            let x = point(swarm, i).to_vec();
            let place = Place { polisher, slopes, job, run: run as u32 };
            caught(|| place.compare(x, number, &mut all))?;
        }
        let settings = Settings { backend, ..polisher.settings().clone() };
        if let Some(kernel) = slopes.kernels() {
            all.compare_bits((polisher, slopes, &kernel), job, swarms, &settings)?;
        }
        Ok(all)
    }

    /// Compares the bits of CPU and device at the first individuals.
    fn compare_bits(
        &mut self,
        (polisher, slopes, kernel): (&Polisher<R>, &dyn Slopes<R>, &OwnKernels<'_, R>),
        job: &Job<R>,
        swarms: &[Swarm<R>],
        settings: &Settings,
    ) -> Result<()> {
        let (dimensions, runs) = (job.dimensions, swarms.len());
        let of_run = swarms.iter().map(Swarm::individuals).fold(ON_DEVICE, usize::min);
        let rows = |swarm| (0..of_run).flat_map(move |i| point(swarm, i));
        let all: Vec<R> = swarms.iter().flat_map(rows).copied().collect();
        let points = PointsOfRuns { all: &all, dimensions, runs };
        let Some(found) = kernel.gradients(points, settings)? else { return Ok(()) };
        for (number, x) in all.chunks_exact(dimensions).enumerate() {
            let run = (number / of_run) as u32;
            let mut slopes_here = vec![R::ZERO; dimensions];
            // The derivatives of the value come last.
            slopes.partials(run, x, &mut |_, i, slope| slopes_here[i] = slope);
            let device = &found.slopes[number * dimensions..][..dimensions];
            let slopes = (0..).map(Some).zip(slopes_here.iter().zip(device));
            let value = (None, (&polisher.value(run, x), &found.values[number]));
            for (coordinate, (&cpu, &device)) in std::iter::once(value).chain(slopes) {
                self.on_device += 1;
                let cpu = Fitness { violation: R::ZERO, value: cpu }.canonical().value;
                if cpu.to_bits64() != device.to_bits64() {
                    self.difference.get_or_insert_with(|| {
                        let point = job.scales.natural(x);
                        let shown = |slope| shown(&job.scales, &point, (coordinate, None), slope);
                        let (cpu, device) = (shown(cpu), shown(device));
                        DerivativeDifference { point, coordinate, cpu, device }
                    });
                }
            }
        }
        Ok(())
    }

    /// These results with names of coordinates and constraints, if there are any.
    pub(crate) fn named(
        mut self,
        coordinate: impl Fn(usize) -> Option<String>,
        constraint: impl Fn(usize) -> Option<String>,
    ) -> Self {
        if let Some(first) = &mut self.first_wrong {
            if let Some(name) = coordinate(first.coordinate) {
                first.by = name;
            }
            if let Some(name) = first.constraint.and_then(constraint) {
                first.of = format!("the constraint `{name}`");
            }
        }
        self
    }
}

/// A derivative by a coordinate, or a value, of a constraint or the objective, in the users' units: the individuals'
/// coordinate may be a logarithm, and their value the negative.
fn shown<R: Float>(
    scales: &Scales<R>,
    natural: &[R],
    (by, constraint): (Option<usize>, Option<usize>),
    slope: R,
) -> R {
    let is_log = |&i: &usize| scales.codes().get(i) == Some(&Scale::Log.code());
    let slope = by.filter(is_log).map_or(slope, |i| slope / natural[i]);
    if constraint.is_some() { slope } else { scales.sign(slope) }
}

/// A run in which derivatives are checked.
struct Place<'a, R: Float> {
    polisher: &'a Polisher<R>,
    slopes: &'a dyn Slopes<R>,
    job: &'a Job<R>,
    run: u32,
}

impl<R: Float> Place<'_, R> {
    /// Compares derivatives at a point, which is first moved inward so that differences stay within the bounds.
    fn compare(&self, mut x: Vec<R>, number: usize, all: &mut Derivatives<R>) {
        let bounds = self.job.bounds_of(self.run);
        let scales = &self.job.scales;
        let range = |i: usize| bounds.upper[i].to_f64() - bounds.lower[i].to_f64();
        for (i, x) in x.iter_mut().enumerate() {
            let margin = R::from_f64(range(i) * LARGEST);
            *x = x.clamp_to(bounds.lower[i] + margin, bounds.upper[i] - margin);
        }
        let here = self.rows(&x);
        let mut exact = vec![vec![R::ZERO; x.len()]; here.len()];
        self.slopes.partials(self.run, &x, &mut |row, i, slope| exact[row][i] = slope);
        let largest: Vec<f64> = exact
            .iter()
            .map(|row| row.iter().enumerate().map(|(i, slope)| slope.to_f64().abs() * range(i)))
            .map(|of_ranges| of_ranges.filter(|x| x.is_finite()).fold(0.0, f64::max))
            .collect();
        let step = x.len().div_ceil(COORDINATES);
        for i in (number % step..x.len()).step_by(step) {
            let whole = scales.codes().get(i) == Some(&Scale::Integer.code());
            if whole || range(i) <= 0.0 {
                continue;
            }
            let first = self.differences(&x, &here, (i, range(i) * LARGEST));
            all.compared += here.len() as u64;
            let mut again = None;
            for (row, &difference) in first.iter().enumerate() {
                let small = R::HALF_EPSILON.to_f64().sqrt() * largest[row] / range(i);
                let is_wrong = |of: Difference| of.excludes::<R>(exact[row][i].to_f64(), small);
                if !is_wrong(difference) {
                    continue;
                }
                // Differences of a rough function may agree by chance once; they are unlikely to agree twice.
                let again = again
                    .get_or_insert_with(|| self.differences(&x, &here, (i, range(i) * LOOK_AGAIN)));
                let apart = (again[row].slope - difference.slope).abs();
                if !is_wrong(again[row]) || apart > again[row].error + difference.error {
                    continue;
                }
                all.wrong += 1;
                all.first_wrong.get_or_insert_with(|| {
                    let constraint = (row + 1 < here.len()).then_some(row);
                    let point = scales.natural(&x);
                    let shown = |slope| shown(scales, &point, (Some(i), constraint), slope);
                    let (exact, numerical) =
                        (shown(exact[row][i]), shown(R::from_f64(difference.slope)));
                    WrongDerivative {
                        point,
                        coordinate: i,
                        by: format!("x{}", i + 1),
                        constraint,
                        of: constraint
                            .map_or("the value".into(), |k| format!("constraint {}", k + 1)),
                        exact,
                        numerical,
                    }
                });
            }
        }
    }

    /// The constraints, followed by the value.
    fn rows(&self, x: &[R]) -> Vec<f64> {
        let mut rows = Vec::new();
        self.slopes.constraints(self.run, x, &mut |value| rows.push(value.to_f64()));
        rows.push(self.polisher.value(self.run, x).to_f64());
        rows
    }

    /// The finite differences of each row by coordinate `i`, starting with the largest step.
    fn differences(&self, x: &[R], here: &[f64], (i, largest): (usize, f64)) -> Vec<Difference> {
        let mut near = x.to_vec();
        let mut levels: Vec<Vec<Level>> = vec![Vec::new(); here.len()];
        let smallest = largest * R::HALF_EPSILON.to_f64().sqrt() / LARGEST;
        let mut step = largest;
        while step >= smallest {
            let [above, below] = [step, -step].map(|step| {
                near[i] = x[i] + R::from_f64(step);
                (near[i].to_f64() - x[i].to_f64(), self.rows(&near))
            });
            near[i] = x[i];
            for (row, levels) in levels.iter_mut().enumerate() {
                levels.push(Level {
                    here: here[row],
                    above: (above.0, above.1[row]),
                    below: (below.0, below.1[row]),
                });
            }
            step *= SHRINK;
        }
        let rounding = (2.0 * R::HALF_EPSILON.to_f64(), x[i].to_f64().abs());
        levels.iter().map(|levels| Difference::of(levels, rounding)).collect()
    }
}
