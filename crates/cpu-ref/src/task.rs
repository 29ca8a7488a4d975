//! The objective, its bounds, and when a run stops.

use warpswarm_core::Float;
use warpswarm_core::Objective;
use warpswarm_core::launch::StopRule;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::order::Fitness;

use crate::threads::Halt;

/// The search region: a lower and an upper bound for each coordinate.
///
/// Both slices have the same length, the number of dimensions, at least 1. Every lower bound is at most its upper
/// bound, and `upper - lower` is finite. Callers must have checked this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds<'a, R> {
    /// The lower bounds, `[coordinate]`.
    pub lower: &'a [R],
    /// The upper bounds, `[coordinate]`.
    pub upper: &'a [R],
}

impl<R: Float> Bounds<'_, R> {
    /// The number of coordinates.
    #[inline(always)]
    pub fn dimensions(&self) -> usize {
        self.lower.len()
    }

    /// Lower and upper bound of coordinate `i`.
    #[inline(always)]
    pub fn of(&self, i: usize) -> (R, R) {
        (self.lower[i], self.upper[i])
    }

    /// Copies of both rows, for two dimensions.
    #[inline(always)]
    pub(crate) fn pair(&self) -> ([R; 2], [R; 2]) {
        ([self.lower[0], self.lower[1]], [self.upper[0], self.upper[1]])
    }
}

/// The initial points of the first individuals of a run, `[individual][coordinate]`. A coordinate that is NaN is drawn,
/// and so are those of all other individuals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Start<'a, R>(pub &'a [R]);

impl<R: Float> Start<'_, R> {
    /// Coordinate `i` of `dimensions` of an individual's initial point; NaN if it is not given.
    pub fn of(&self, individual: u32, i: usize, dimensions: usize) -> R {
        self.0.get(individual as usize * dimensions + i).copied().unwrap_or(R::NAN)
    }
}

/// A function that evaluates points: a [`StaticObjective`], or one [behind a pointer](DynObjective).
pub trait Evaluate<R>: Copy + Sync {
    /// See [`Objective::CONSTRAINED`].
    const CONSTRAINED: bool;

    /// The fitness at a point, in the form of results.
    fn evaluate(&self, x: &[R]) -> Fitness<R>;
}

/// An objective of a known type, for which loops are compiled separately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticObjective<O>(pub O);

impl<R: Float, O: Objective<R>> Evaluate<R> for StaticObjective<O> {
    const CONSTRAINED: bool = O::CONSTRAINED;

    #[inline(always)]
    fn evaluate(&self, x: &[R]) -> Fitness<R> {
        self.0.evaluate(&SlicePoint(x))
    }
}

/// An objective behind a pointer, so that loops are compiled once and not for every objective.
#[derive(Clone, Copy)]
pub struct DynObjective<'a, R, const CONSTRAINED: bool>(
    pub &'a (dyn Fn(&[R]) -> Fitness<R> + Sync),
);

impl<R, const CONSTRAINED: bool> std::fmt::Debug for DynObjective<'_, R, CONSTRAINED> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DynObjective")
    }
}

impl<R: Float, const CONSTRAINED: bool> Evaluate<R> for DynObjective<'_, R, CONSTRAINED> {
    const CONSTRAINED: bool = CONSTRAINED;

    #[inline(always)]
    fn evaluate(&self, x: &[R]) -> Fitness<R> {
        (self.0)(x)
    }
}

/// The task of a run, for every algorithm; it does not change during the run.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a, R, O> {
    /// The objective to minimise.
    pub objective: O,
    /// The bounds.
    pub bounds: Bounds<'a, R>,
    /// The initial points of the first individuals.
    pub start: Start<'a, R>,
    /// When the run stops; [`StopRule::NEVER`] for never.
    pub stop: StopRule<R>,
    /// When a pass over the individuals is aborted.
    pub halt: Halt<'a>,
}

impl<R: Float, O> Task<'_, R, O> {
    /// The number of coordinates.
    #[inline(always)]
    pub fn dimensions(&self) -> usize {
        self.bounds.dimensions()
    }
}
