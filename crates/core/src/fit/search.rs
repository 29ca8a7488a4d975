//! Where fits begin that have no starting values: points drawn between bounds, of which the best are fitted.

use super::accumulate::Accumulator;
use super::lm::{Next, Settings, Solver, Status};
use super::parameters::{Bounds, Parameters};
use crate::random::{Purpose, RunKey, Stream};
use crate::real::Float;

/// The most rows that a search looks at, about; of more, evenly spread pieces are taken.
pub const SEARCHED_ROWS: usize = 1024;

/// Rows that are looked at side by side.
pub const PIECE: usize = 32;

/// The part of the cost by which two minima must differ to be two.
const APART: f64 = 1e-2;

/// A search for the global minimum, many starts for each fit.
///
/// Start s of a fit draws `samples` points and takes the one of least cost to a fit of at most
/// [`evaluations`](Self::evaluations). Starts know nothing of each other, so they may be done anywhere and in any
/// order. The best of them is where the fit proper begins: [`Candidates`].
///
/// **Method.** Multistart with local searches from the best of a sample (A. H. G. Rinnooy Kan, G. T. Timmer,
/// Stochastic global optimization methods part I, Mathematical Programming 39, 1987), without the clustering.
///
/// ```
/// use warpswarm_core::fit::{Parameters, Search};
/// // The second parameter's magnitude is unknown: it is drawn evenly in its logarithm.
/// let search = Search::between([0.0, 1e-3], [1.0, 1e3], Parameters::NONE.with(1), 42);
/// let [a, b] = search.sample(0, 3, 5);
/// assert!((0.0..=1.0).contains(&a) && (1e-3..=1e3).contains(&b));
/// assert_eq!(search.sample(0, 3, 5), [a, b]);
/// assert_ne!(search.sample(1, 3, 5), [a, b], "another fit");
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search<R, const N: usize> {
    /// The least value of each parameter, or its logarithm.
    low: [R; N],
    /// The distance to the greatest value.
    width: [R; N],
    /// The parameters that are drawn evenly in their logarithms.
    logarithmic: Parameters,
    /// Starts of a fit, at least 1.
    pub starts: u32,
    /// Points that a start draws, at least 1.
    pub samples: u32,
    /// The most evaluations of a start's fit.
    pub evaluations: u32,
    /// What the draws depend on.
    pub seed: u64,
}

impl<R: Float, const N: usize> Search<R, N> {
    /// A search between finite values, those of `logarithmic` parameters above 0, with the usual number of starts.
    #[inline(always)]
    pub fn between(lower: [R; N], upper: [R; N], logarithmic: Parameters, seed: u64) -> Self {
        let (mut low, mut width) = (lower, [R::ZERO; N]);
        for i in 0..N {
            let is_logarithmic = logarithmic.contains(i);
            low[i] = if is_logarithmic { lower[i].ln() } else { lower[i] };
            let high = if is_logarithmic { upper[i].ln() } else { upper[i] };
            width[i] = high - low[i];
        }
        let n = N as u32;
        let (starts, samples, evaluations) = (8 * n.clamp(1, 8), 16, 20 + 10 * n);
        Search { low, width, logarithmic, starts, samples, evaluations, seed }
    }

    /// The point of a number that a start of a fit draws.
    #[inline(always)]
    pub fn sample(&self, fit: u64, start: u32, number: u32) -> [R; N] {
        let key = RunKey::new(self.seed, fit);
        let stream = Stream::new(key, Purpose::Choice, u64::from(number), start);
        let mut point = [R::ZERO; N];
        for i in 0..N {
            let [draw, _] = stream.draws_of::<R>(i as u32);
            let place = draw.open().fused(self.width[i], self.low[i]);
            point[i] = if self.logarithmic.contains(i) { place.exp() } else { place };
        }
        point
    }

    /// What start `start` of a fit comes to. The cost is NaN where none of its points has a finite one.
    ///
    /// `cost` gives chi-squared at a point, `sums` the sums there with derivatives; over all rows, or over some.
    ///
    /// ```
    /// use warpswarm_core::fit::{Bounds, Normal, Parameters, Search, Settings, Term, sum_rows};
    /// // sin(w t), seen at five times: many minima.
    /// let seen = [0.0, 1.0, 2.0, 3.0, 4.0].map(|t: f64| (t, (2.5 * t).sin()));
    /// let search = Search::between([0.0], [3.0], Parameters::NONE, 7);
    /// let bounds = Bounds::new([0.0], [3.0]).unwrap();
    /// let cost = |[w]: &[f64; 1]| seen.iter().map(|(t, y)| ((w * t).sin() - y).powi(2)).sum();
    /// let sums = |[w]: &[f64; 1]| -> Normal<f64, 1> {
    ///     sum_rows(5, &|k| {
    ///         let (t, y) = seen[k];
    ///         (Term::squared((w * t).sin() - y, 1.0), [t * (w * t).cos()])
    ///     })
    /// };
    /// let starts = (0..search.starts).map(|s| search.explore(0, s, &bounds, &Settings::new(1), cost, sums));
    /// let best = starts.min_by(|one, other| one.cost.total_cmp(&other.cost)).unwrap();
    /// assert!(best.is_minimum && (best.point[0] - 2.5).abs() < 1e-4);
    /// ```
    #[inline(always)]
    pub fn explore<A: Accumulator<R, N>>(
        &self,
        fit: u64,
        start: u32,
        bounds: &Bounds<R, N>,
        settings: &Settings<R>,
        cost: impl FnMut(&[R; N]) -> R,
        mut sums: impl FnMut(&[R; N]) -> A,
    ) -> Explored<R, N> {
        let settings = self.loose(settings);
        let best = self.best_drawn(fit, start, bounds, cost);
        let mut solver = Solver::<R, A, N>::new(best, bounds);
        loop {
            let here = sums(solver.point());
            if let Next::Done(status) = solver.advance(&settings, bounds, &here) {
                return Explored::of(status, &solver);
            }
        }
    }

    /// The best of the points that a start of a fit draws: where its own fit begins.
    #[inline(always)]
    pub fn best_drawn(
        &self,
        fit: u64,
        start: u32,
        bounds: &Bounds<R, N>,
        mut cost: impl FnMut(&[R; N]) -> R,
    ) -> [R; N] {
        let (mut best, mut least) = ([R::ZERO; N], R::NAN);
        let mut number = 0;
        while number < self.samples {
            let point = bounds.clamp(self.sample(fit, start, number));
            // One call, and so one copy of it in a kernel.
            let found = cost(&point);
            // What is not finite is worse than anything that is.
            if found < least || !least.is_finite() {
                (best, least) = (point, found);
            }
            number += 1;
        }
        best
    }

    /// When a start's fit stops.
    #[inline(always)]
    pub fn loose(&self, settings: &Settings<R>) -> Settings<R> {
        let loose = R::from_f64(1e-4);
        Settings {
            ftol: settings.ftol.larger(loose),
            xtol: settings.xtol.larger(loose),
            evaluations: self.evaluations,
            ..*settings
        }
    }
}

/// The rows that a search looks at: all, or evenly spread pieces of [`PIECE`] of them.
///
/// ```
/// use warpswarm_core::fit::Look;
/// assert_eq!(Look::at(500), Look { rows: 500, stride: 1 });
/// // Every fourth piece.
/// let look = Look::at(4096);
/// assert_eq!(look, Look { rows: 1024, stride: 4 });
/// assert_eq!((look.row(31), look.row(32), look.row(1023)), (31, 128, 31 * 128 + 31));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// How many they are.
    pub rows: u32,
    /// Every so-manieth piece is taken.
    pub stride: u32,
}

impl Look {
    /// Of so many rows.
    pub const fn at(rows: usize) -> Self {
        if rows < 2 * SEARCHED_ROWS {
            return Look { rows: rows as u32, stride: 1 };
        }
        let stride = rows / SEARCHED_ROWS;
        let pieces = rows / (PIECE * stride);
        Look { rows: (pieces * PIECE) as u32, stride: stride as u32 }
    }

    /// The row that is looked at as number `k`.
    #[inline(always)]
    pub const fn row(&self, k: usize) -> usize {
        k / PIECE * PIECE * self.stride as usize + k % PIECE
    }
}

/// What a start has come to: see [`Search::explore`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explored<R, const N: usize> {
    /// Chi-squared at the point, of the rows that were looked at; NaN where it is not finite.
    pub cost: R,
    /// Where its fit has ended.
    pub point: [R; N],
    /// Whether that is a minimum, as far as a short fit can say.
    pub is_minimum: bool,
}

impl<R: Float, const N: usize> Explored<R, N> {
    /// What a start's fit that has stopped has come to.
    #[inline(always)]
    pub fn of<A: Accumulator<R, N>>(status: Status, solver: &Solver<R, A, N>) -> Self {
        let found = solver.sums().chi_squared();
        let cost = if found.is_finite() { found } else { R::NAN };
        Explored { cost, point: *solver.best(), is_minimum: status.converged() }
    }
}

/// The starts of a fit, one after the other: the best, and the best of those that are in another minimum.
///
/// ```
/// use warpswarm_core::fit::Candidates;
/// let mut starts = Candidates::<f64>::NONE;
/// for (number, cost) in [(0, 5.0), (1, f64::NAN), (2, 3.0), (3, 3.000_01)] {
///     starts.add(number, cost, true);
/// }
/// // Not a minimum: it was stopped on its way.
/// starts.add(4, 4.0, false);
/// assert_eq!((starts.best, starts.cost, starts.other), (2, 3.0, 5.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidates<R> {
    /// The number of the best one; 0 where none has a finite cost.
    pub best: u32,
    /// Its cost; NaN where there is none.
    pub cost: R,
    /// The least cost of a minimum that is larger by more than a hundredth; NaN where there is none.
    pub other: R,
    /// Whether the best one is a minimum.
    is_minimum: bool,
}

impl<R: Float> Candidates<R> {
    /// None yet.
    pub const NONE: Self = Candidates { best: 0, cost: R::NAN, other: R::NAN, is_minimum: false };

    /// Takes in the start of a number, which comes after those before it.
    #[inline(always)]
    pub fn add(&mut self, number: u32, cost: R, is_minimum: bool) {
        let apart = |less: R, more: R| more > less * (R::ONE + R::from_f64(APART));
        let is_first = self.cost.is_nan();
        if !cost.is_nan() && (is_first || cost < self.cost) {
            if self.is_minimum && apart(cost, self.cost) {
                self.other = self.cost;
            }
            *self = Candidates { best: number, cost, is_minimum, ..*self };
        } else if is_minimum && apart(self.cost, cost) && (self.other.is_nan() || cost < self.other)
        {
            self.other = cost;
        }
    }
}
