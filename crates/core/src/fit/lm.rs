//! The solver: a state machine that requests sums over rows at one point after the other.

use super::accumulate::{Accumulator, Term, sum_rows};
use super::parameters::{Bounds, Parameters};
use super::region::{Region, Step, length};
use crate::real::Float;

/// When a fit stops.
///
/// ```
/// use warpswarm_core::fit::Settings;
/// let settings = Settings { evaluations: 50, ..Settings::<f32>::new(5) };
/// assert_eq!(Settings::<f64>::new(5).ftol, 8.0 * f64::EPSILON);
/// assert!(settings.ftol > 1e-7, "an f32 has not so many digits");
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings<R> {
    /// Stop when a step changes chi-squared, as predicted and actually, by no more than this fraction of it: [0, 1).
    /// Values below the number type's epsilon count as epsilon.
    pub ftol: R,
    /// Stop when the trust region is no larger than this fraction of the parameters, both scaled: [0, 1). Values below
    /// epsilon count as epsilon.
    pub xtol: R,
    /// Stop when no component of J^T W r of parameters that can move is larger than this: at least 0. Its unit is that
    /// of chi-squared over that of the parameter. Zero stops only where the gradient vanishes.
    pub gtol: R,
    /// The first radius of the trust region, as a multiple of the length of the scaled parameters, or of the residuals
    /// if all parameters are zero: above 0, usually 0.1 to 100.
    pub factor: R,
    /// The largest number of evaluations of all rows, at least 1.
    pub evaluations: u32,
    /// The largest number of dampings tried for one step, that is, of linear systems solved: 2 to 20.
    pub tries: u32,
}

impl<R: Float> Settings<R> {
    /// The defaults for this number of parameters: tolerances of 8 epsilon (1.8e-15; in `f32` 1e-6) for cost and step,
    /// none for the gradient, a factor of 1, and 100 (parameters + 1) evaluations.
    #[inline(always)]
    pub fn new(parameters: usize) -> Self {
        let tolerance = R::from_f64(16.0) * R::HALF_EPSILON;
        let evaluations = (parameters as u32).saturating_add(1).saturating_mul(100);
        let (ftol, xtol) = (tolerance, tolerance);
        Settings { ftol, xtol, gtol: R::ZERO, factor: R::ONE, evaluations, tries: 10 }
    }
}

/// Why a fit has stopped.
///
/// ```
/// use warpswarm_core::fit::Status;
/// assert!(Status::CostAndStep.converged() && !Status::NotFinite.converged());
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Converged: the projected gradient is within `gtol`.
    Gradient = 1,
    /// Converged: chi-squared changes by no more than the fraction `ftol`.
    Cost = 2,
    /// Converged: parameters change by no more than the fraction `xtol`, or by less than the precision.
    Step = 3,
    /// Converged: both cost and step.
    CostAndStep = 4,
    /// The limit of evaluations is reached.
    Evaluations = 5,
    /// At the first point chi-squared or its derivatives are not finite.
    NotFinite = 6,
}

impl Status {
    /// Whether a test of convergence has ended the fit.
    #[inline(always)]
    pub const fn converged(self) -> bool {
        !matches!(self, Status::Evaluations | Status::NotFinite)
    }
}

/// What a [`Solver`] needs next.
///
/// ```
/// use warpswarm_core::fit::{Accumulator, Bounds, Next, Normal, Settings, Solver, Status};
/// let bounds = Bounds::unbounded();
/// let mut solver = Solver::<f32, Normal<f32, 1>, 1>::new([3.0], &bounds);
/// let mut sums = Normal::empty();
/// sums.add(3.0 - 4.0, &[1.0], 1.0);
/// assert_eq!(solver.advance(&Settings::new(1), &bounds, &sums), Next::Evaluate([4.0]));
/// let mut sums = Normal::empty();
/// sums.add(4.0 - 4.0, &[1.0], 1.0);
/// assert_eq!(solver.advance(&Settings::new(1), &bounds, &sums), Next::Done(Status::Gradient));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next<R, const N: usize> {
    /// The sums over all rows at this point.
    Evaluate([R; N]),
    /// Nothing: the fit has stopped.
    Done(Status),
}

impl<R, const N: usize> Next<R, N> {
    /// How the fit has ended, if it has.
    #[inline(always)]
    pub fn status(&self) -> Option<Status> {
        match self {
            Next::Evaluate(_) => None,
            Next::Done(status) => Some(*status),
        }
    }
}

/// The state of one fit between two evaluations. Plain numbers, which can be stored anywhere.
///
/// ```
/// use warpswarm_core::fit::{Accumulator, Bounds, Next, Normal, Settings, Solver};
/// // y = a exp(-b t), without noise: a = 2, b = 0.5.
/// let observations = [0.0, 1.0, 2.0, 3.0].map(|t: f64| (t, 2.0 * (-0.5 * t).exp()));
/// let (settings, bounds) = (Settings::new(2), Bounds::unbounded());
/// let mut solver = Solver::<f64, Normal<f64, 2>, 2>::new([1.0, 1.0], &bounds);
/// let mut next = Next::Evaluate(*solver.point());
/// while let Next::Evaluate([a, b]) = next {
///     let mut sums = Normal::empty();
///     for (t, y) in observations {
///         let e = (-b * t).exp();
///         sums.add(a * e - y, &[e, -a * t * e], 1.0);
///     }
///     next = solver.advance(&settings, &bounds, &sums);
/// }
/// let [a, b] = *solver.best();
/// assert!((a - 2.0).abs() < 1e-9 && (b - 0.5).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solver<R, A, const N: usize> {
    best: [R; N],
    sums: A,
    trial: [R; N],
    step: Step<R, N>,
    /// The decrease of chi-squared that the quadratic model predicts for the step.
    predicted: R,
    region: Region<R, N>,
    evaluations: u32,
}

impl<R: Float, A: Accumulator<R, N>, const N: usize> Solver<R, A, N> {
    /// A fit that begins at the point within the bounds that is nearest to `start`.
    #[inline(always)]
    pub fn new(start: [R; N], bounds: &Bounds<R, N>) -> Self {
        let start = bounds.clamp(start);
        Solver {
            best: start,
            sums: A::empty(),
            trial: start,
            step: Step { change: [R::ZERO; N], damping: R::ZERO, cut: false },
            predicted: R::ZERO,
            region: Region { scale: [R::ONE; N], radius: R::ZERO, damping: R::ZERO },
            evaluations: 0,
        }
    }

    /// The point at which sums are needed next.
    #[inline(always)]
    pub fn point(&self) -> &[R; N] {
        &self.trial
    }
    /// The best point so far; the first one if none was better.
    #[inline(always)]
    pub fn best(&self) -> &[R; N] {
        &self.best
    }
    /// The sums at the best point.
    #[inline(always)]
    pub fn sums(&self) -> &A {
        &self.sums
    }
    /// The number of times that sums have been given.
    #[inline(always)]
    pub fn evaluations(&self) -> u32 {
        self.evaluations
    }
    /// The prediction of chi-squared at [`point`](Self::point), before its sums are known.
    #[inline(always)]
    pub fn expected(&self) -> R {
        self.sums.chi_squared() - self.predicted
    }
    /// The parameters at a bound beyond which chi-squared would decrease.
    #[inline(always)]
    pub fn at_bounds(&self, bounds: &Bounds<R, N>) -> Parameters {
        bounds.active(&self.best, &self.sums.gradient())
    }

    /// Takes the sums at [`point`](Self::point), and returns what is needed next. Pass the same settings and bounds in
    /// every call.
    #[inline(always)]
    pub fn advance(
        &mut self,
        settings: &Settings<R>,
        bounds: &Bounds<R, N>,
        sums: &A,
    ) -> Next<R, N> {
        let first = self.evaluations == 0;
        self.evaluations = self.evaluations.saturating_add(1);
        let stopped =
            if first { self.begin(settings, bounds, sums) } else { self.judge(settings, sums) };
        if let Some(status) = stopped {
            // If the gradient vanishes, that is reported, even if another test was met.
            let flat = status.converged() && self.is_flat(settings, bounds);
            return Next::Done(if flat { Status::Gradient } else { status });
        }
        if self.is_flat(settings, bounds) {
            return Next::Done(Status::Gradient);
        }
        if self.evaluations >= settings.evaluations {
            return Next::Done(Status::Evaluations);
        }
        self.propose(settings, bounds)
    }

    /// Whether the gradient's components for parameters that can move are within `gtol`.
    #[inline(always)]
    fn is_flat(&self, settings: &Settings<R>, bounds: &Bounds<R, N>) -> bool {
        let gradient = self.sums.gradient();
        let free = bounds.free().minus(bounds.active(&self.best, &gradient));
        let mut flat = true;
        for i in 0..N {
            flat &= !free.contains(i) || gradient[i].abs() <= settings.gtol;
        }
        flat
    }

    /// Takes the sums at the first point.
    #[inline(always)]
    fn begin(&mut self, settings: &Settings<R>, bounds: &Bounds<R, N>, sums: &A) -> Option<Status> {
        self.sums = *sums;
        let mut finite = sums.is_finite();
        for i in 0..N {
            finite &= self.best[i].is_finite();
        }
        if !finite {
            return Some(Status::NotFinite);
        }
        let norms = sums.squared_norms();
        for i in 0..N {
            let scale = if norms[i] > R::ZERO { norms[i] } else { R::ONE };
            // Fixed parameters have no length.
            self.region.scale[i] = if bounds.free().contains(i) { scale } else { R::ZERO };
        }
        // If all parameters are zero, use the size of the residuals, which has the same unit.
        let long = length(&self.region.scale, &self.best);
        let unit = if long > R::ZERO { long } else { sums.chi_squared().sqrt() };
        let radius = settings.factor * unit;
        self.region.radius =
            if radius > R::ZERO && radius.is_finite() { radius } else { settings.factor };
        None
    }

    /// Compares the trial point with the best one, accepts or rejects it, and adapts the trust region.
    #[inline(always)]
    fn judge(&mut self, settings: &Settings<R>, sums: &A) -> Option<Status> {
        let (old, new) = (self.sums.chi_squared(), sums.chi_squared());
        let finite = sums.is_finite();
        let actual = if finite { old - new } else { -R::INFINITY };
        let ratio = if self.predicted > R::ZERO { actual / self.predicted } else { R::ZERO };
        self.adapt(actual, ratio, !finite || new >= R::from_f64(100.0) * old);
        if ratio >= R::from_f64(1e-4) {
            self.best = self.trial;
            self.sums = *sums;
            let norms = sums.squared_norms();
            for i in 0..N {
                let scale = self.region.scale[i];
                self.region.scale[i] = if scale > R::ZERO { norms[i].larger(scale) } else { scale };
            }
        }

        let epsilon = R::TWO * R::HALF_EPSILON;
        let little = settings.ftol.larger(epsilon) * old;
        let cost = actual.abs() <= little && self.predicted <= little && ratio <= R::TWO;
        let short = settings.xtol.larger(epsilon) * length(&self.region.scale, &self.best);
        let step = self.region.radius <= short && short.is_finite();
        match (cost, step) {
            (true, true) => Some(Status::CostAndStep),
            (true, false) => Some(Status::Cost),
            (false, true) => Some(Status::Step),
            (false, false) => None,
        }
    }

    /// Computes the trust region's next radius, and the first damping to try: Moré's algorithm (7.1).
    #[inline(always)]
    fn adapt(&mut self, actual: R, ratio: R, far_worse: bool) {
        let (tenth, quarter) = (R::from_f64(0.1), R::from_f64(0.25));
        let region = &mut self.region;
        let long = length(&region.scale, &self.step.change);
        // A step that bounds have shortened says nothing about the radius.
        if self.evaluations == 2 && !self.step.cut {
            region.radius = region.radius.smaller(long);
        }
        region.damping = self.step.damping;
        if ratio > quarter {
            if region.damping == R::ZERO || ratio >= R::from_f64(0.75) {
                let wider = R::TWO * long;
                region.radius = if self.step.cut { wider.larger(region.radius) } else { wider };
                region.damping = R::HALF * region.damping;
            }
            return;
        }
        let gradient = self.sums.gradient();
        let mut slope = R::ZERO;
        for i in 0..N {
            slope += gradient[i] * self.step.change[i];
        }
        // The minimum of the parabola through both values and the slope.
        let parabola = R::HALF * slope / (slope + R::HALF * actual);
        let shrink = if far_worse {
            tenth
        } else if actual >= R::ZERO {
            R::HALF
        } else {
            parabola.smaller(R::HALF).larger(tenth)
        };
        region.radius = shrink * region.radius.smaller(R::from_f64(10.0) * long);
        region.damping = region.damping / shrink;
    }

    /// The next trial point.
    #[inline(always)]
    fn propose(&mut self, settings: &Settings<R>, bounds: &Bounds<R, N>) -> Next<R, N> {
        let (step, trial) = self.region.step(&self.sums, &self.best, bounds, settings.tries);
        let gradient = self.sums.gradient();
        let mut slope = R::ZERO;
        let mut moved = false;
        for i in 0..N {
            slope += gradient[i] * step.change[i];
            moved |= trial[i] != self.best[i];
        }
        self.predicted = -(R::TWO * slope + self.sums.quadratic(&step.change));
        (self.step, self.trial) = (step, trial);
        if moved { Next::Evaluate(trial) } else { Next::Done(Status::Step) }
    }
}

/// Fits a model to `rows` rows on one thread. `row(p, k)` returns the term of row k and the model's partial derivatives
/// there, for parameters p.
///
/// ```
/// use warpswarm_core::fit::{Bounds, Normal, Settings, Term, fit};
/// let y = [1.0, 3.1, 4.9, 7.0_f32];
/// let (start, bounds, settings) = ([0.0, 0.0], Bounds::unbounded(), Settings::new(2));
/// let (status, solver) = fit::<f32, Normal<f32, 2>, 2>(start, &bounds, &settings, 4, |[a, b], k| {
///     let t = k as f32;
///     (Term::squared(a + b * t - y[k], 1.0), [1.0, t])
/// });
/// assert!(status.converged());
/// assert!((solver.best()[1] - 1.98).abs() < 1e-5);
/// ```
#[inline(always)]
pub fn fit<R: Float, A: Accumulator<R, N>, const N: usize>(
    start: [R; N],
    bounds: &Bounds<R, N>,
    settings: &Settings<R>,
    rows: usize,
    row: impl Fn(&[R; N], usize) -> (Term<R>, [R; N]),
) -> (Status, Solver<R, A, N>) {
    let mut solver = Solver::new(start, bounds);
    loop {
        let at = *solver.point();
        let sums = sum_rows(rows, &|k| row(&at, k));
        if let Next::Done(status) = solver.advance(settings, bounds, &sums) {
            return (status, solver);
        }
    }
}
