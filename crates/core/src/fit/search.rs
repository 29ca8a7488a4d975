//! Where fits begin that have no starting values: points drawn between bounds, of which the best are fitted.

use super::accumulate::Accumulator;
use super::lm::{Settings, Solver, Status};
use super::parameters::{Bounds, Parameters};
use crate::random::{Purpose, RunKey, Stream};
use crate::real::Float;

/// The most rows that a search looks at, about; of more, evenly spread pieces are taken.
pub const SEARCHED_ROWS: usize = 1024;

/// Rows that are looked at side by side.
pub const PIECE: usize = 32;

/// The part of the cost by which two minima must differ to be two.
const APART: f64 = 1e-2;

/// The part of the cost by which it may grow, by curvature, from one point to another that is taken for the same.
const NEAR: f64 = 1e-6;

/// A parameter has no influence at a point if the cost would change by no more than this part, by curvature, over the
/// parameter's whole range.
const NO_INFLUENCE: f64 = 1e-3;

/// Starts that end where a parameter has no influence, of which as many as this and no minimum end the search.
const PLATEAUS: u32 = 28;

/// Minima as good as the best one, with it, that are remembered.
const POINTS: usize = 8;

/// The tolerance of starts' fits.
const LOOSE: f64 = 1e-4;

/// A search for the global minimum, from many starts.
///
/// A start draws [`samples`](Self::samples) points and takes the one of least cost to a fit of at most
/// [`evaluations`](Self::evaluations). Starts follow each other until the number of different minima says that there are no
/// others to be expected, or up to [`starts`](Self::starts). The best of them is where the fit proper begins.
///
/// **Stopping.** With w different minima after n starts that ended in one, a Bayesian estimate of how many there are is
/// w (n - 1) / (n - w - 2); the search stops when that is at most w + 1/2. Of one minimum that takes 7 starts, of
/// two 16, of three 29, of five 67. Minima are different where their costs are, by a hundredth, or, as good as the best one,
/// where their points are.
///
/// **Plateaus.** A model can lose the influence of a parameter: exp(-t / b) is 0 for every small b. A fit that a long step
/// has taken there cannot leave, so such an end is no minimum and does not count. If all ends are such, the search stops
/// after 28.
///
/// **Twins.** Two minima of equal cost at different points, such as a frequency and its alias, are both valid answers, and a
/// periodic model has many poor minima of nearly the same cost. So a start that ends in a minimum as good as the best one is in
/// another if curvature says that the cost between the two more than doubles. Eight such points are remembered.
/// [`Best::other`] gives the cost of the second one.
///
/// **What is known.** A start whose next step goes to the best minimum so far ends there and counts as one more that ended in
/// it: where the cost that is expected is that minimum's, to a hundredth, and curvature says that the cost between the
/// two points differs by no more than a millionth. Of a sample's points only as many rows are looked at as show
/// that it is not the best.
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
    /// The least value of each parameter, or its logarithm.
    low: [R; N],
    /// The distance to the greatest value.
    width: [R; N],
    /// The parameters that are drawn evenly in their logarithms.
    logarithmic: Parameters,
    /// The most starts of a fit, at least 1.
    pub starts: u32,
    /// Points that a start draws, at least 1.
    pub samples: u32,
    /// The most evaluations of a start's fit.
    pub evaluations: u32,
    /// What the draws depend on.
    pub seed: u64,
}

impl<R: Float, const N: usize> Search<R, N> {
    /// A search between finite values, those of `logarithmic` parameters above 0, with the usual numbers of starts and samples.
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

    /// The best minimum of a fit that is found.
    ///
    /// `cost` gives chi-squared at a point, or any part of it that is more than the limit that it is given; `sums` the sums
    /// there with derivatives; over all rows, or over some. `size` is that
    /// of the observations, the sum of their weighted squares: costs below a billionth of it are all the same.
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

    /// Whether some parameter has no influence where a fit has ended, for observations of which this cost is `nothing`.
    #[inline(always)]
    fn is_plateau<A: Accumulator<R, N>>(&self, solver: &Solver<R, A, N>, nothing: R) -> bool {
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

    /// The best of the points that a start of a fit draws: where its own fit begins. `cost` gives the cost at a point, or any
    /// part of it that is more than that of the best point so far.
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
            // One call, and so one copy of it in a kernel.
            let found = cost(&point, least);
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
        let loose = R::from_f64(LOOSE);
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
    /// How many they are.
    pub rows: u32,
    /// Every so-manieth piece is taken.
    pub stride: u32,
}

impl Subsample {
    /// Of so many rows.
    pub const fn at(rows: usize) -> Self {
        if rows < 2 * SEARCHED_ROWS {
            return Subsample { rows: rows as u32, stride: 1 };
        }
        let stride = rows / SEARCHED_ROWS;
        let pieces = rows / (PIECE * stride);
        Subsample { rows: (pieces * PIECE) as u32, stride: stride as u32 }
    }

    /// The row that is looked at as number `k`.
    #[inline(always)]
    pub const fn row(&self, k: usize) -> usize {
        k / PIECE * PIECE * self.stride as usize + k % PIECE
    }
}

/// What a search has found so far: see [`Search::best`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best<R, const N: usize> {
    /// The point of least cost.
    pub point: [R; N],
    /// How many starts there were.
    pub starts: u32,
    /// Starts that ended where a parameter has no influence.
    plateaus: u32,
    /// Where the minima are that are as good as the best one, with that one.
    points: [[R; N]; POINTS],
    /// How many of these are known.
    known: u32,
    /// The least cost in those that are not the best one; NaN where there is none.
    twin: R,
    minima: Minima<R>,
}

impl<R: Float, const N: usize> Best<R, N> {
    /// Nothing yet, for observations whose weighted squares have this sum.
    #[inline(always)]
    pub fn new(size: R) -> Self {
        Best {
            point: [R::ZERO; N],
            starts: 0,
            plateaus: 0,
            points: [[R::ZERO; N]; POINTS],
            known: 0,
            twin: R::NAN,
            minima: Minima::new(size),
        }
    }

    /// Whether a start has ended: its fit has ended with this status, or its next step leads to the best minimum so far, as
    /// which it then counts.
    #[inline(always)]
    pub fn has_ended<A: Accumulator<R, N>>(
        &mut self,
        search: &Search<R, N>,
        solver: &Solver<R, A, N>,
        status: Option<Status>,
    ) -> bool {
        if let Some(status) = status {
            let cost = solver.sums().chi_squared();
            let cost = if cost.is_finite() { cost } else { R::NAN };
            let is_plateau = search.is_plateau(solver, self.minima.nothing);
            self.plateaus += is_plateau as u32;
            let is_minimum = status.converged() && !is_plateau;
            let (least, nothing) = (self.minima.least, self.minima.nothing);
            let far = least + R::from_f64(1e3) * nothing;
            let is_known = self.is_as_good(cost) && self.is_near(solver, solver.best(), far);
            let is_best = self.minima.add(cost, is_minimum);
            if is_best && self.minima.is_apart(least, cost) {
                (self.known, self.twin) = (0, R::NAN);
            }
            if is_minimum && !is_known && self.is_as_good(cost) {
                self.remember(solver.best(), cost.larger(least));
            }
            if is_best || self.starts == 0 {
                self.point = *solver.best();
            }
        } else if self.is_next(solver) {
            self.minima.found += 1;
        } else {
            return false;
        }
        self.starts += 1;
        true
    }

    /// Whether the next point of a start's fit is a minimum as good as the best one that is known: both that it has this
    /// cost and that it is not apart from the minimum are to be expected.
    #[inline(always)]
    fn is_next<A: Accumulator<R, N>>(&self, solver: &Solver<R, A, N>) -> bool {
        let near = R::from_f64(NEAR) * self.minima.least + self.minima.nothing;
        self.is_as_good(solver.expected()) && self.is_near(solver, solver.point(), near)
    }

    /// Whether a cost is the best one so far, to a hundredth.
    #[inline(always)]
    fn is_as_good(&self, cost: R) -> bool {
        let least = self.minima.least;
        (cost - least).abs() <= R::from_f64(APART) * least + self.minima.nothing
    }

    /// Whether the cost grows by no more than so much, by curvature, from a point of a fit to one that is known.
    #[inline(always)]
    fn is_near<A: Accumulator<R, N>>(
        &self,
        solver: &Solver<R, A, N>,
        from: &[R; N],
        most: R,
    ) -> bool {
        let mut is_near = false;
        let mut k = 0;
        while k < self.known as usize && k < POINTS {
            let mut apart = *from;
            for i in 0..N {
                apart[i] -= self.points[k][i];
            }
            is_near |= solver.sums().quadratic(&apart) <= most;
            k += 1;
        }
        is_near
    }

    /// Remembers a minimum as good as the best one, and the larger of both costs.
    #[inline(always)]
    fn remember(&mut self, point: &[R; N], cost: R) {
        let k = self.known as usize;
        if k < POINTS {
            self.points[k] = *point;
            self.known += 1;
            if k > 0 {
                self.minima.add_another(cost);
                self.twin = if self.twin < cost { self.twin } else { cost };
            }
        }
    }

    /// Whether the search ends.
    #[inline(always)]
    pub fn is_enough(&self, search: &Search<R, N>) -> bool {
        let is_plateau = self.minima.different == 0 && self.plateaus >= PLATEAUS;
        self.starts >= search.starts || is_plateau || self.minima.are_all()
    }

    /// The cost of the best minimum that is a different one, of equal cost or more; NaN where none was seen.
    #[inline(always)]
    pub fn other(&self) -> R {
        if self.twin.is_nan() { self.minima.other() } else { self.twin }
    }
}

/// Minima that are told from each other.
const KEPT: usize = 16;

/// The different minima that starts have ended in.
///
/// ```
/// use warpswarm_core::fit::Minima;
/// let mut minima = Minima::new(100.0_f64);
/// let better: Vec<bool> =
///     [5.0, f64::NAN, 3.0, 3.000_01].into_iter().map(|cost| minima.add(cost, true)).collect();
/// assert_eq!(better, [true, false, true, false]);
/// // Not a minimum: it was stopped on its way.
/// minima.add(4.0, false);
/// assert_eq!((minima.different(), minima.other(), minima.are_all()), (2, 5.0, false));
/// // One minimum, seven times.
/// let mut minima = Minima::new(100.0_f64);
/// (0..6).for_each(|_| { minima.add(1.0, true); });
/// assert!(!minima.are_all());
/// minima.add(1.0, true);
/// assert!(minima.are_all());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minima<R> {
    /// The least cost that was found, in a minimum or not; NaN at first.
    least: R,
    /// The costs of the different minima, in the order in which they were found.
    costs: [R; KEPT],
    /// How many those are.
    different: u32,
    /// Starts that ended in one.
    found: u32,
    /// Costs nearer to each other than this are the same.
    nothing: R,
}

impl<R: Float> Minima<R> {
    /// None yet, for observations whose weighted squares have this sum.
    #[inline(always)]
    pub fn new(size: R) -> Self {
        let nothing = R::from_f64(1e-9) * size;
        let nothing = if nothing.is_finite() { nothing } else { R::ZERO };
        Minima { least: R::NAN, costs: [R::NAN; KEPT], different: 0, found: 0, nothing }
    }

    /// Whether one cost is larger than another by so much that they belong to different minima.
    #[inline(always)]
    fn is_apart(&self, more: R, less: R) -> bool {
        more - less > R::from_f64(APART) * less + self.nothing
    }

    /// Takes in what a start has come to; whether it is the best so far.
    #[inline(always)]
    pub fn add(&mut self, cost: R, is_minimum: bool) -> bool {
        if cost.is_nan() {
            return false;
        }
        if is_minimum {
            self.found += 1;
            let mut is_known = false;
            for k in 0..KEPT {
                let known = self.costs[k];
                let (less, more) = if known < cost { (known, cost) } else { (cost, known) };
                is_known |= (k as u32) < self.different && !self.is_apart(more, less);
            }
            if !is_known {
                self.add_another(cost);
            }
        }
        let is_best = self.least.is_nan() || cost < self.least;
        self.least = if is_best { cost } else { self.least };
        is_best
    }

    /// Counts one more minimum, which may have the cost of another, and keeps the cost if there is room.
    #[inline(always)]
    fn add_another(&mut self, cost: R) {
        for k in 0..KEPT {
            self.costs[k] = if k as u32 == self.different { cost } else { self.costs[k] };
        }
        self.different = (self.different + 1).min(KEPT as u32);
    }

    /// How many different minima there are, up to 16.
    pub fn different(&self) -> u32 {
        self.different
    }

    /// Whether no other minima are to be expected.
    #[inline(always)]
    pub fn are_all(&self) -> bool {
        let (w, n) = (self.different, self.found);
        w > 0 && n > w + 2 && 2 * w * (n - 1) <= (2 * w + 1) * (n - w - 2)
    }

    /// The least cost of those that are not the best one; NaN where there is none.
    #[inline(always)]
    pub fn other(&self) -> R {
        let mut other = R::NAN;
        for k in 0..KEPT {
            let cost = self.costs[k];
            let is_there = (k as u32) < self.different && self.is_apart(cost, self.least);
            let is_less = other.is_nan() || cost < other;
            other = if is_there && is_less { cost } else { other };
        }
        other
    }
}
