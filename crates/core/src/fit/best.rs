//! What a search for the start of a fit has found so far: the best point, and how many minima there are.

use super::accumulate::Accumulator;
use super::lm::{Solver, Status};
use super::search::Search;
use crate::real::Float;

/// Two costs belong to different minima if they differ by more than this part.
const APART: f64 = 1e-2;

/// Two points belong to the same minimum if the cost between them grows, by curvature, by at most this part.
const NEAR: f64 = 1e-6;

/// A search in which no start has found a minimum ends after this many starts on plateaus.
const PLATEAUS: u32 = 28;

/// The most minima of least cost whose points are stored.
const POINTS: usize = 8;

/// The most minima whose costs are stored.
const KEPT: usize = 16;

/// The state of a search: see [`Search::best`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best<R, const N: usize> {
    /// The point of least cost.
    pub point: [R; N],
    /// The number of starts so far.
    pub starts: u32,
    /// Starts that ended on a plateau.
    plateaus: u32,
    /// The points of the minima of least cost.
    points: [[R; N]; POINTS],
    /// How many of them are known.
    known: u32,
    /// The least cost in those other than the best one; NaN if there is none.
    twin: R,
    minima: Minima<R>,
}

impl<R: Float, const N: usize> Best<R, N> {
    /// The state before the first start, for observations with this sum of weighted squares.
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

    /// Whether a start has ended: because its fit has ended with this status, or because its next step leads to a known
    /// minimum.
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

    /// Whether the next point of a fit is expected to be a known minimum of least cost: by its predicted cost, and by the
    /// curvature between the two points.
    #[inline(always)]
    fn is_next<A: Accumulator<R, N>>(&self, solver: &Solver<R, A, N>) -> bool {
        let near = R::from_f64(NEAR) * self.minima.least + self.minima.nothing;
        self.is_as_good(solver.expected()) && self.is_near(solver, solver.point(), near)
    }

    /// Whether a cost is the least one so far, to 1 %.
    #[inline(always)]
    fn is_as_good(&self, cost: R) -> bool {
        let least = self.minima.least;
        (cost - least).abs() <= R::from_f64(APART) * least + self.minima.nothing
    }

    /// Whether the cost grows by at most `most`, by curvature, from a point of a fit to a known minimum.
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

    /// Stores the point of a minimum of least cost. `cost` is the larger one of its cost and of the least cost before.
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

    /// Whether the search is over.
    #[inline(always)]
    pub fn is_enough(&self, search: &Search<R, N>) -> bool {
        let is_plateau = self.minima.different == 0 && self.plateaus >= PLATEAUS;
        self.starts >= search.starts || is_plateau || self.minima.are_all()
    }

    /// The cost of the second best minimum, which may equal that of the best one; NaN if there was none.
    #[inline(always)]
    pub fn other(&self) -> R {
        if self.twin.is_nan() { self.minima.other() } else { self.twin }
    }
}

/// The costs of the different minima in which starts have ended.
///
/// ```
/// use warpswarm_core::fit::Minima;
/// let mut minima = Minima::new(100.0_f64);
/// let better: Vec<bool> =
///     [5.0, f64::NAN, 3.0, 3.000_01].into_iter().map(|cost| minima.add(cost, true)).collect();
/// assert_eq!(better, [true, false, true, false]);
/// // Not a minimum: its fit was stopped.
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
    /// The least cost found, in a minimum or not; NaN at first.
    least: R,
    /// The costs of the different minima, in the order of discovery.
    costs: [R; KEPT],
    /// The number of different minima.
    different: u32,
    /// Starts that ended in a minimum.
    found: u32,
    /// Costs that differ by at most this count as equal.
    nothing: R,
}

impl<R: Float> Minima<R> {
    /// No minima yet, for observations with this sum of weighted squares.
    #[inline(always)]
    pub fn new(size: R) -> Self {
        let nothing = R::from_f64(1e-9) * size;
        let nothing = if nothing.is_finite() { nothing } else { R::ZERO };
        Minima { least: R::NAN, costs: [R::NAN; KEPT], different: 0, found: 0, nothing }
    }

    /// Whether one cost exceeds another by so much that they belong to different minima.
    #[inline(always)]
    fn is_apart(&self, more: R, less: R) -> bool {
        more - less > R::from_f64(APART) * less + self.nothing
    }

    /// Records the cost at which a start has ended. Returns whether it is the least so far.
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

    /// Counts one more minimum, which may have the cost of another. Its cost is stored if there is room.
    #[inline(always)]
    fn add_another(&mut self, cost: R) {
        for k in 0..KEPT {
            self.costs[k] = if k as u32 == self.different { cost } else { self.costs[k] };
        }
        self.different = (self.different + 1).min(KEPT as u32);
    }

    /// The number of different minima, at most 16.
    pub fn different(&self) -> u32 {
        self.different
    }

    /// Whether no further minima are to be expected.
    #[inline(always)]
    pub fn are_all(&self) -> bool {
        let (w, n) = (self.different, self.found);
        w > 0 && n > w + 2 && 2 * w * (n - 1) <= (2 * w + 1) * (n - w - 2)
    }

    /// The least cost in another minimum than the best one; NaN if there is none.
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
