//! What can be minimised: objectives that run on every backend, and closures that the host evaluates.

use std::fmt;
use std::hint::black_box;
use std::sync::Arc;

use warpswarm_core::data::WithData;
use warpswarm_core::dual::Differentiable;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::order::Fitness;
use warpswarm_core::variable::{Scaled, natural};
use warpswarm_core::{Float, Objective};
use warpswarm_cpu_ref::vectors::{self, Run};

use super::bounds::Scales;
use super::closure::OfPoint;
use super::data::LaidOut;
use super::evaluator::{Evaluator, Portable};
use super::own::OwnObjective;
use super::slopes::{OfObjective, Slopes};
use super::target::{Target, built_in};
use crate::machine::Parameter;
use crate::machine::kernels::Kernels;

/// What can be minimised: any [`Objective`], an objective with its own GPU kernels ([`OwnObjective`]), or a
/// [`HostObjective`](crate::HostObjective).
///
/// ```
/// use warpswarm::{Algorithm, Bounds, AnyObjective, HostObjective, Result, Settings, Stop, minimise, problems::Sphere};
/// /// How near to zero a few iterations come.
/// fn reached(goal: &impl AnyObjective<f64>) -> Result<f64> {
///     let bounds = Bounds::uniform(2, -1.0, 1.0)?;
///     let (stop, polish) = (Stop::iterations(10), Some(false));
///     let settings = Settings { individuals: 16, stop, polish, ..Settings::default() };
///     Ok(minimise(goal, &bounds, &Algorithm::default(), &settings)?.best().value)
/// }
/// let closure = HostObjective::new(|x: &[f64]| x[0] * x[0] + x[1] * x[1]);
/// assert_eq!(reached(&Sphere)?, reached(&closure)?);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    note = "an objective is written for every number, `impl<R: Real> Objective<R> for ...`: so that its derivatives can be computed, too"
)]
pub trait AnyObjective<R: Float> {
    #[doc(hidden)]
    fn prepared(&self, scales: &Scales<R>) -> Prepared<R>;

    #[doc(hidden)]
    fn known(&self, scales: &Scales<R>) -> Known<R> {
        let _ = scales;
        Known(None)
    }
}

/// A goal in the form that backends use.
#[doc(hidden)]
pub struct Prepared<R>(pub(crate) Evaluator<R>);

/// The constraints and derivatives of a goal, if they are known; `None` for a closure.
#[doc(hidden)]
pub struct Known<R>(pub(crate) Option<Arc<dyn Slopes<R>>>);

impl<R> fmt::Debug for Known<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Known")
    }
}

impl<R> fmt::Debug for Prepared<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prepared")
    }
}

impl<R: Float, O: Differentiable<R>> AnyObjective<R> for O {
    fn prepared(&self, scales: &Scales<R>) -> Prepared<R> {
        let evaluate: Arc<OfPoint<R>> = Arc::new(at_points(*self));
        let (constrained, data) = (<O as Objective<R>>::CONSTRAINED, Arc::default());
        let (evaluate, target) = match scales.are_plain() {
            true => (evaluate, built_in::<R>(self)),
            // A built-in problem's kernels do not know scales.
            false => (at_natural_values(scales, evaluate), None),
        };
        Prepared(Evaluator::Portable(Portable { evaluate, constrained, target, data }))
    }

    fn known(&self, scales: &Scales<R>) -> Known<R> {
        OwnObjective::new("", *self).known(scales)
    }
}

impl<R: Float, O: Differentiable<R>> AnyObjective<R> for OwnObjective<R, O> {
    fn prepared(&self, scales: &Scales<R>) -> Prepared<R> {
        if scales.are_plain() {
            return portable(self.name.into(), self.objective, self.kernels, self.data.clone());
        }
        let (scaled, data) = self.scaled(scales);
        portable(format!("{}_scaled", self.name), scaled, self.kernels, data)
    }

    fn known(&self, scales: &Scales<R>) -> Known<R> {
        // The scales are applied in any case, so that each objective is compiled once; the bits are the same.
        let (objective, data) = self.scaled(scales);
        let kernels = self.kernels.map(|kernels| (self.name, kernels));
        Known(Some(Arc::new(OfObjective { objective, data, kernels })))
    }
}

impl<R: Float, O: Copy> OwnObjective<R, O> {
    /// The objective as a function of the individuals' coordinates, with its data and the numbers of the scales.
    fn scaled(&self, scales: &Scales<R>) -> (Scaled<O>, Arc<LaidOut<R>>) {
        let (view, numbers) = scales.table(self.data.all.len());
        (Scaled { objective: self.objective, view }, Arc::new(self.data.with(&numbers)))
    }
}

/// The fitness of an objective at a point.
pub(crate) fn fitness<R: Float>(objective: impl Objective<R>, x: &[R]) -> Fitness<R> {
    let evaluate: &OfPoint<R> = &at_points(objective);
    // Hides the function from the compiler, which would otherwise compile the objective a second time here.
    black_box(evaluate)(0, x)
}

/// What searches call to evaluate an objective without data.
fn at_points<R: Float>(
    objective: impl Objective<R>,
) -> impl Fn(u32, &[R]) -> Fitness<R> + Send + Sync + 'static {
    move |_, x| vectors::evaluate(&objective, SlicePoint(x))
}

/// Points of up to this many coordinates are converted on the stack.
const FEW: usize = 64;

/// The objective at the natural values of scaled points. The bits are those of [`Scaled`], which would compile the
/// objective once more.
fn at_natural_values<R: Float>(scales: &Scales<R>, plain: Arc<OfPoint<R>>) -> Arc<OfPoint<R>> {
    let (_, numbers) = scales.table(0);
    Arc::new(move |run, x: &[R]| {
        let (mut few, mut many) = ([R::ZERO; FEW], Vec::new());
        let natural = match few.get_mut(..x.len()) {
            Some(few) => few,
            None => {
                many.resize(x.len(), R::ZERO);
                &mut many[..]
            }
        };
        vectors::run(Natural { codes: &numbers[1..], x, natural });
        let Fitness { violation, value } = plain(run, natural);
        Fitness { violation, value: numbers[0] * value }.canonical()
    })
}

/// A scaled point, to be converted to natural values.
struct Natural<'a, R> {
    codes: &'a [R],
    x: &'a [R],
    natural: &'a mut [R],
}

impl<R: Float> Run for Natural<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for ((into, &x), &code) in self.natural.iter_mut().zip(self.x).zip(self.codes) {
            *into = natural(code, x);
        }
    }
}

/// An objective with its data, and with its kernels of this name if it has any.
fn portable<R: Float, O: Differentiable<R>>(
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
            constrained: <O as Objective<R>>::CONSTRAINED,
            gathers: <O as Objective<R>>::GATHERS,
        }),
        // A built-in problem that takes data.
        None => built_in::<R>(&objective),
    };
    let seen = data.clone();
    let evaluate = Arc::new(move |run, x: &[R]| {
        let point = WithData { point: SlicePoint(x), data: seen.of(run) };
        vectors::evaluate(&objective, point)
    });
    let constrained = <O as Objective<R>>::CONSTRAINED;
    Prepared(Evaluator::Portable(Portable { evaluate, constrained, target, data }))
}
