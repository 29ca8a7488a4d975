//! The search for the start of a fit: points drawn between bounds, of which the best are fitted.

use super::accumulate::Accumulator;
use super::best::Best;
use super::lm::{Settings, Solver};
use super::parameters::{Bounds, Parameters};
use crate::random::{Purpose, RunKey, Stream};
use crate::real::Float;

/// A search evaluates about this many rows at most: of more rows, evenly spread pieces.
pub const SEARCHED_ROWS: usize = 1024;

/// Consecutive rows of a piece.
pub const PIECE: usize = 32;

/// A parameter has no influence at a point if the cost would change by at most this part, by curvature, over the whole
/// range of the parameter.
const NO_INFLUENCE: f64 = 1e-3;

/// The tolerance of the fits from the starts.
const LOOSE: f64 = 1e-4;

/// A search for the global minimum, by fits from many starts.
///
/// A start draws [`samples`](Self::samples) points, and fits the model from the best of them with at most
/// [`evaluations`](Self::evaluations) evaluations. The search stops when no other minima are to be expected, or after
/// [`starts`](Self::starts) starts. The final fit begins at the best point found.
///
/// **Stopping.** If n starts have ended in w different minima, a Bayesian estimate of the number of minima is
/// w (n - 1) / (n - w - 2). The search stops when that is at most w + 1/2: after 7 starts for one minimum, 16 for two,
/// 29 for three, 67 for five. Two minima are different if their costs differ by more than 1 %, or, if both have the
/// least cost, if their points differ.
///
/// **Plateaus.** A model can lose the influence of a parameter: exp(-t / b) is 0 for every small b. A fit that a long
/// step has taken there cannot leave. Such a point is no minimum and does not count. If all starts end on plateaus, the
/// search stops after 28.
///
/// **Twins.** Two minima of equal cost at different points, such as a frequency and its alias, are both valid answers,
/// and a periodic model has many poor minima of nearly the same cost. Points of least cost therefore belong to different
/// minima if curvature predicts that the cost more than doubles between them. Up to eight such points are stored.
/// [`Best::other`] returns the cost of the second one.
///
/// **Early ends.** A start ends as soon as its next step leads to a known minimum of least cost, and counts as one that
/// ended there: if the predicted cost is that of the minimum to 1 %, and curvature predicts that the cost between the
/// step's end and the minimum grows by at most a millionth. The cost of a drawn point is added up over the rows only
/// until it exceeds that of the best point of its start.
///
/// **Source.** Multistart with local searches from the best of a sample (A. H. G. Rinnooy Kan, G. T. Timmer, Stochastic
/// global optimization methods part I, Mathematical Programming 39, 1987), without the clustering; C. G. E. Boender,
/// A. H. G. Rinnooy Kan, Bayesian stopping rules for multistart global optimization methods, Mathematical Programming
/// 37, 1987.
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
    /// The lower bound of each parameter, or its logarithm.
    low: [R; N],
    /// The distance to the upper bound, or to its logarithm.
    width: [R; N],
    /// The parameters whose logarithms are drawn uniformly.
    logarithmic: Parameters,
    /// The most starts, at least 1.
    pub starts: u32,
    /// The number of points that a start draws, at least 1.
    pub samples: u32,
    /// The most evaluations of the fit from a start.
    pub evaluations: u32,
    /// The seed of the draws.
    pub seed: u64,
}

impl<R: Float, const N: usize> Search<R, N> {
    /// A search between finite bounds, above 0 for `logarithmic` parameters, with the default numbers of starts and
    /// samples.
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
        let (starts, samples, evaluations) = (64 * n.clamp(1, 8), 8, 20 + 10 * n);
        Search { low, width, logarithmic, starts, samples, evaluations, seed }
    }

    /// The point `number` that a start of a fit draws.
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

    /// The best minimum that a search for a fit finds.
    ///
    /// `cost` returns chi-squared at a point, or any partial sum that exceeds the limit passed to it; `sums` returns the
    /// sums with derivatives at a point. Both use all rows, or the same part of them. `size` is the sum of the weighted
    /// squares of the observations: costs below a billionth of it count as equal.
    ///
    /// ```
    /// use warpswarm_core::fit::{Bounds, Normal, Parameters, Search, Settings, Term, sum_rows};
    /// // sin(w t), seen at five times: many minima.
    /// let seen = [0.0, 1.0, 2.0, 3.0, 4.0].map(|t: f64| (t, (2.5 * t).sin()));
    /// let search = Search::between([0.0], [3.0], Parameters::NONE, 7);
    /// let bounds = Bounds::new([0.0], [3.0]).unwrap();
    /// let cost = |[w]: &[f64; 1], _| seen.iter().map(|(t, y)| ((w * t).sin() - y).powi(2)).sum();
    /// let sums = |&[w]: &[f64; 1]| -> Normal<f64, 1> {
    ///     sum_rows(5, &|k| {
    ///         let (t, y) = seen[k];
    ///         (Term::squared((w * t).sin() - y, 1.0), [t * (w * t).cos()])
    ///     })
    /// };
    /// let size = seen.iter().map(|(_, y)| y * y).sum();
    /// let found = search.best(0, &bounds, &Settings::new(1), size, cost, sums);
    /// assert!((found.point[0] - 2.5).abs() < 1e-4);
    /// ```
    pub fn best<A: Accumulator<R, N>>(
        &self,
        fit: u64,
        bounds: &Bounds<R, N>,
        settings: &Settings<R>,
        size: R,
        mut cost: impl FnMut(&[R; N], R) -> R,
        mut sums: impl FnMut(&[R; N]) -> A,
    ) -> Best<R, N> {
        let settings = self.loose(settings);
        let mut found = Best::new(size);
        loop {
            let drawn = self.best_drawn(fit, found.starts, bounds, &mut cost);
            let mut solver = Solver::<R, A, N>::new(drawn, bounds);
            loop {
                let here = sums(solver.point());
                let next = solver.advance(&settings, bounds, &here);
                if found.has_ended(self, &solver, next.status()) {
                    break;
                }
            }
            if found.is_enough(self) {
                return found;
            }
        }
    }

    /// Whether some parameter has no influence where a fit has ended. Costs up to `nothing` count as zero.
    #[inline(always)]
    pub(super) fn is_plateau<A: Accumulator<R, N>>(
        &self,
        solver: &Solver<R, A, N>,
        nothing: R,
    ) -> bool {
        let (sums, at) = (solver.sums(), solver.best());
        let (norms, cost) = (sums.squared_norms(), sums.chi_squared());
        let little = R::from_f64(NO_INFLUENCE) * cost + nothing;
        let mut is_plateau = false;
        for i in 0..N {
            let range =
                if self.logarithmic.contains(i) { self.width[i] * at[i] } else { self.width[i] };
            // Parameters that are not searched have no range.
            is_plateau |= range > R::ZERO && norms[i] * range * range <= little;
        }
        is_plateau
    }

    /// The best of the points that a start draws: where its fit begins. `cost` returns the cost at a point, or any partial
    /// sum that exceeds the cost of the best point so far.
    #[inline(always)]
    pub fn best_drawn(
        &self,
        fit: u64,
        start: u32,
        bounds: &Bounds<R, N>,
        mut cost: impl FnMut(&[R; N], R) -> R,
    ) -> [R; N] {
        let (mut best, mut least) = ([R::ZERO; N], R::NAN);
        let mut number = 0;
        while number < self.samples {
            let point = bounds.clamp(self.sample(fit, start, number));
            // A single call, so that a kernel contains one copy of `cost`.
            let found = cost(&point, least);
            // A cost that is not finite is worse than any finite one.
            if found < least || !least.is_finite() {
                (best, least) = (point, found);
            }
            number += 1;
        }
        best
    }

    /// The settings of the fits from the starts.
    #[inline(always)]
    pub fn loose(&self, settings: &Settings<R>) -> Settings<R> {
        let loose = R::from_f64(LOOSE);
        Settings {
            ftol: settings.ftol.larger(loose),
            xtol: settings.xtol.larger(loose),
            evaluations: self.evaluations,
            ..*settings
        }
    }
}

/// The rows that a search evaluates: all, or evenly spread pieces of [`PIECE`] rows.
///
/// ```
/// use warpswarm_core::fit::Subsample;
/// assert_eq!(Subsample::at(500), Subsample { rows: 500, stride: 1 });
/// // Every fourth piece.
/// let subsample = Subsample::at(4096);
/// assert_eq!(subsample, Subsample { rows: 1024, stride: 4 });
/// assert_eq!((subsample.row(31), subsample.row(32), subsample.row(1023)), (31, 128, 31 * 128 + 31));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subsample {
    /// The number of these rows.
    pub rows: u32,
    /// The distance from one piece to the next, in pieces.
    pub stride: u32,
}

impl Subsample {
    /// The subsample of so many rows.
    pub const fn at(rows: usize) -> Self {
        if rows < 2 * SEARCHED_ROWS {
            return Subsample { rows: rows as u32, stride: 1 };
        }
        let stride = rows / SEARCHED_ROWS;
        let pieces = rows / (PIECE * stride);
        Subsample { rows: (pieces * PIECE) as u32, stride: stride as u32 }
    }

    /// The row with index `k` in the subsample.
    #[inline(always)]
    pub const fn row(&self, k: usize) -> usize {
        k / PIECE * PIECE * self.stride as usize + k % PIECE
    }
}
