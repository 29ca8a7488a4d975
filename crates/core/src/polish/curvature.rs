//! The approximation of second derivatives: a matrix for few dimensions, the last steps for many.

use super::dense::Dense;
use super::pairs::Pairs;
use super::store::{Part, Store};
use crate::real::Float;

/// The whole matrix is stored up to this number of dimensions.
///
/// With the last eight steps alone, an ellipsoid of ten dimensions and condition 10^6 takes 2,028 evaluations, and 112
/// with the matrix; Rosenbrock's function in thirty dimensions 100 and 92. A step in thirty dimensions takes the CPU 18
/// microseconds with the matrix, and 4 without.
pub(super) const FEW: usize = 32;

/// One of the two approximations.
pub(super) enum Curvature<S> {
    Dense(Dense<S>),
    Pairs(Pairs<S>),
}

impl<S: Copy> Curvature<S> {
    /// Its length, in numbers.
    pub(super) const fn numbers(dimensions: usize) -> usize {
        if dimensions <= FEW {
            Dense::<S>::numbers(dimensions)
        } else {
            Pairs::<S>::numbers(dimensions)
        }
    }

    /// An empty approximation, as parts of `room`.
    #[inline]
    pub(super) fn new(dimensions: usize, room: &mut Part<S>) -> Self {
        if dimensions <= FEW {
            Curvature::Dense(Dense::new(dimensions, room))
        } else {
            Curvature::Pairs(Pairs::new(dimensions, room))
        }
    }

    /// Discards everything.
    #[inline]
    pub(super) fn clear(&mut self) {
        match self {
            Curvature::Dense(dense) => dense.clear(),
            Curvature::Pairs(pairs) => pairs.clear(),
        }
    }

    /// Whether it is empty.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Curvature::Dense(dense) => dense.is_empty(),
            Curvature::Pairs(pairs) => pairs.is_empty(),
        }
    }

    /// Updates it from a step: the point and the gradient before and after, and the ranges, zero for coordinates that
    /// do not move.
    #[inline]
    pub(super) fn push<R: Float>(
        &mut self,
        x: [Part<S>; 2],
        gradient: [Part<S>; 2],
        ranges: Part<S>,
    ) where
        S: Store<R>,
    {
        match self {
            Curvature::Pairs(pairs) => pairs.push(x, gradient),
            Curvature::Dense(dense) => dense.push(x, gradient, ranges),
        }
    }

    /// Replaces the gradient in `vector`, zero where `reach` is, by a quasi-Newton step over the coordinates whose
    /// reach is above zero. While it is empty, the step is along the gradient, and moves a coordinate by at most
    /// `first` times its reach.
    #[inline]
    pub(super) fn apply<R: Float>(&mut self, vector: Part<S>, reach: Part<S>, first: R)
    where
        S: Store<R>,
    {
        match self {
            Curvature::Dense(dense) => dense.apply(vector, reach, first),
            Curvature::Pairs(pairs) => pairs.apply(vector, reach, first),
        }
    }
}
