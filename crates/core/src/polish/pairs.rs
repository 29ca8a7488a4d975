//! The memory of limited-memory BFGS: the last steps, and the change of the gradient along them.

use super::store::{Part, Store, sum};
use crate::real::Float;

/// The number of pairs.
pub(super) const PAIRS: usize = 8;

/// The pairs (s, y) in a ring buffer, newest first from `newest` backwards.
pub(super) struct Pairs<S> {
    steps: Part<S>,
    changes: Part<S>,
    factors: Part<S>,
    curvatures: Part<S>,
    dimensions: usize,
    newest: usize,
    count: usize,
}

impl<S: Copy> Pairs<S> {
    /// Their length, in numbers.
    pub(super) const fn numbers(dimensions: usize) -> usize {
        2 * PAIRS * (dimensions + 1)
    }

    /// No pairs, as parts of `room`.
    #[inline]
    pub(super) fn new(dimensions: usize, room: &mut Part<S>) -> Self {
        Pairs {
            steps: room.take(PAIRS * dimensions),
            changes: room.take(PAIRS * dimensions),
            factors: room.take(PAIRS),
            curvatures: room.take(PAIRS),
            dimensions,
            newest: 0,
            count: 0,
        }
    }

    /// Discards all.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Whether there are none.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The place of the pair of this age; 0 is the newest.
    #[inline(always)]
    fn place(&self, age: usize) -> usize {
        (self.newest + PAIRS - age) % PAIRS
    }

    /// Stores a step (point before, after) and the change of the gradient (before, after), in place of the oldest pair.
    #[inline(never)]
    #[cfg_attr(target_arch = "nvptx64", optimize(size))]
    pub(super) fn push<R: Float>(&mut self, x: [Part<S>; 2], gradient: [Part<S>; 2])
    where
        S: Store<R>,
    {
        self.newest = (self.newest + 1) % PAIRS;
        self.count = (self.count + 1).min(PAIRS);
        let first = self.newest * self.dimensions;
        for i in 0..self.dimensions {
            // A fixed coordinate may have any value, even NaN.
            let step = x[1].get(i) - x[0].get(i);
            self.steps.set(first + i, if step.is_nan() { R::ZERO } else { step });
            self.changes.set(first + i, gradient[1].get(i) - gradient[0].get(i));
        }
    }

    /// Replaces the gradient in `vector` by the quasi-Newton step H g over the coordinates whose `reach` is above zero:
    /// Nocedal's two loops (1980), with all products over only those coordinates, and reach^2 times a factor in place
    /// of the identity. Pairs without positive curvature there are left out. If none is left, `first` is the largest
    /// fraction of the reach by which a coordinate moves.
    #[inline(never)]
    #[cfg_attr(target_arch = "nvptx64", optimize(size))]
    pub(super) fn apply<R: Float>(&self, vector: Part<S>, reach: Part<S>, first: R)
    where
        S: Store<R>,
    {
        let n = self.dimensions;
        let mut scale = R::ZERO;
        for age in 0..self.count {
            let k = self.place(age);
            let (step, change) = (self.steps.from(k * n), self.changes.from(k * n));
            let (curvature, size) = curvature(n, step, change, reach);
            self.curvatures.set(k, curvature);
            if curvature > R::ZERO {
                if scale == R::ZERO {
                    scale = curvature / size;
                }
                let factor = sum(n, |i| step.get(i) * vector.get(i)) / curvature;
                self.factors.set(k, factor);
                add(n, R::ZERO - factor, change, (reach, vector));
            }
        }
        if scale == R::ZERO {
            let most = super::store::largest(n, |i| (reach.get(i) * vector.get(i)).abs());
            scale = if most > R::ZERO { first / most } else { R::ONE };
        }
        for i in 0..n {
            let reach = reach.get(i);
            vector.set(i, scale * (reach * reach) * vector.get(i));
        }
        for age in (0..self.count).rev() {
            let k = self.place(age);
            let curvature = self.curvatures.get(k);
            if curvature > R::ZERO {
                let (step, change) = (self.steps.from(k * n), self.changes.from(k * n));
                let against = sum(n, |i| change.get(i) * vector.get(i)) / curvature;
                add(n, self.factors.get(k) - against, step, (reach, vector));
            }
        }
    }
}

/// s y over the coordinates with a reach, or zero if it is lost in rounding; and the sum of (reach y)^2.
#[inline]
fn curvature<R: Float, S: Store<R>>(n: usize, step: S, change: S, reach: S) -> (R, R) {
    let (mut along, mut size, mut length) = (R::ZERO, R::ZERO, R::ZERO);
    for i in 0..n {
        let reach = reach.get(i);
        if reach > R::ZERO {
            let (s, y) = (step.get(i), change.get(i));
            along += s * y;
            size += (reach * y) * (reach * y);
            length += (s / reach) * (s / reach);
        }
    }
    let least = R::from_f64(16.0) * R::HALF_EPSILON * (size * length).sqrt();
    let counts = along > least && along.is_finite() && size.is_finite();
    (if counts { along } else { R::ZERO }, size)
}

/// Adds `factor` times `from` to `to` at the coordinates with a reach.
#[inline(always)]
fn add<R: Float, S: Store<R>>(n: usize, factor: R, from: S, (reach, to): (S, S)) {
    for i in 0..n {
        if reach.get(i) > R::ZERO {
            to.set(i, to.get(i) + factor * from.get(i));
        }
    }
}
