//! The whole matrix of second derivatives, approximated by BFGS, for few dimensions.

use super::cholesky::{factor, half, row, solve};
use super::store::{Part, Store, largest, sum};
use crate::real::Float;

/// The matrix B, in coordinates scaled by their ranges, with room for a factor and three vectors.
pub(super) struct Dense<S> {
    matrix: Part<S>,
    factor: Part<S>,
    product: Part<S>,
    step: Part<S>,
    change: Part<S>,
    dimensions: usize,
    count: u32,
}

impl<S: Copy> Dense<S> {
    /// Its length, in numbers.
    pub(super) const fn numbers(dimensions: usize) -> usize {
        2 * half(dimensions) + 3 * dimensions
    }

    /// An empty approximation, as parts of `room`.
    #[inline]
    pub(super) fn new(dimensions: usize, room: &mut Part<S>) -> Self {
        Dense {
            matrix: room.take(half(dimensions)),
            factor: room.take(half(dimensions)),
            product: room.take(dimensions),
            step: room.take(dimensions),
            change: room.take(dimensions),
            dimensions,
            count: 0,
        }
    }

    /// Discards everything.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Whether it is empty.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Element (i, j) of B.
    #[inline(always)]
    fn entry<R: Float>(&self, i: usize, j: usize) -> R
    where
        S: Store<R>,
    {
        self.matrix.get(if i >= j { row(i) + j } else { row(j) + i })
    }

    /// Updates B from a step s along which the gradient changes by y, both scaled by the ranges:
    ///
    /// B + y y^T / s^T y - B s s^T B / s^T B s
    ///
    /// and before the first step B = y^T y / s^T y. There is no update if s^T y is not positive. Points and gradients
    /// are those before and after the step; ranges of coordinates that do not move are zero.
    #[inline(never)]
    #[cfg_attr(target_arch = "nvptx64", optimize(size))]
    pub(super) fn push<R: Float>(
        &mut self,
        x: [Part<S>; 2],
        gradient: [Part<S>; 2],
        ranges: Part<S>,
    ) where
        S: Store<R>,
    {
        let n = self.dimensions;
        for i in 0..n {
            let range = ranges.get(i);
            let step = (x[1].get(i) - x[0].get(i)) / range;
            self.step.set(i, if range > R::ZERO { step } else { R::ZERO });
            self.change.set(i, (gradient[1].get(i) - gradient[0].get(i)) * range);
        }
        let (step, change) = (|i| self.step.get(i), |i| self.change.get(i));
        let along = sum(n, |i| step(i) * change(i));
        let size = sum(n, |i| change(i) * change(i));
        let length = sum(n, |i| step(i) * step(i));
        let least = R::from_f64(16.0) * R::HALF_EPSILON * (size * length).sqrt();
        if !(along > least && along.is_finite() && size.is_finite()) {
            return;
        }
        if self.count == 0 {
            for i in 0..n {
                for j in 0..i {
                    self.matrix.set(row(i) + j, R::ZERO);
                }
                self.matrix.set(row(i) + i, size / along);
            }
        }
        self.count += 1;
        for i in 0..n {
            self.product.set(i, sum(n, |j| self.entry(i, j) * step(j)));
        }
        let bent = sum(n, |i| step(i) * self.product.get(i));
        for i in 0..n {
            for j in 0..=i {
                let more = change(i) * change(j) / along;
                let less = self.product.get(i) * self.product.get(j) / bent;
                self.matrix.set(row(i) + j, self.matrix.get(row(i) + j) + (more - less));
            }
        }
    }

    /// Replaces the gradient in `vector` by the quasi-Newton step over the coordinates whose `reach` is above zero: the
    /// solution of B p = g with only the rows and columns of those coordinates. If B is empty or not positive definite,
    /// the step is along the gradient, and `first` is the largest fraction of the reach by which a coordinate moves.
    #[inline(never)]
    #[cfg_attr(target_arch = "nvptx64", optimize(size))]
    pub(super) fn apply<R: Float>(&mut self, vector: Part<S>, reach: Part<S>, first: R)
    where
        S: Store<R>,
    {
        let n = self.dimensions;
        let held = |i: usize| reach.get(i) == R::ZERO;
        for i in 0..n {
            vector.set(i, reach.get(i) * vector.get(i));
        }
        let mut scale = R::ONE;
        if self.count > 0 {
            for i in 0..n {
                for j in 0..i {
                    let entry = if held(i) || held(j) { R::ZERO } else { self.entry(i, j) };
                    self.factor.set(row(i) + j, entry);
                }
                self.factor.set(row(i) + i, if held(i) { R::ONE } else { self.entry(i, i) });
            }
            if factor(n, self.factor) {
                solve(n, self.factor, vector);
            } else {
                self.count = 0;
            }
        }
        if self.count == 0 {
            let most = largest(n, |i| vector.get(i).abs());
            scale = if most > R::ZERO { first / most } else { R::ONE };
        }
        for i in 0..n {
            vector.set(i, scale * reach.get(i) * vector.get(i));
        }
    }
}
