//! The function that a descent minimises.

use super::Smooth;
use super::keeper::Keeper;
use super::store::Store;
use crate::real::Float;

/// A function of the coordinates with a gradient, between bounds.
pub(super) trait Merit<R: Float> {
    /// The number of coordinates.
    fn dimensions(&self) -> usize;
    /// The bounds of coordinate `i`.
    fn bounds(&self, i: usize) -> (R, R);
    /// The distance between the bounds, or 1; zero for coordinates that cannot move.
    fn reach(&self, i: usize) -> R;
    /// The value at the point evaluated last.
    fn again(&self) -> R;
    /// Evaluates `x`.
    fn value(&mut self, x: impl Store<R>) -> R;
    /// The gradient at `x`, the point that was evaluated last; zero for coordinates that cannot move.
    fn gradient(&mut self, x: impl Store<R>, gradient: impl Store<R>);
    /// Whether no evaluation is left.
    fn spent(&self) -> bool;
}

/// The objective itself.
pub(super) struct Objective<'k, 'l, R, L, S>(pub(super) &'k mut Keeper<'l, R, L, S>);

impl<R: Float, L: Smooth<R>, S: Store<R>> Merit<R> for Objective<'_, '_, R, L, S> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.0.landscape().dimensions()
    }
    #[inline(always)]
    fn bounds(&self, i: usize) -> (R, R) {
        self.0.landscape().bounds(i)
    }
    #[inline(always)]
    fn reach(&self, i: usize) -> R {
        if self.0.moves(i) { self.0.width(i) } else { R::ZERO }
    }
    #[inline(always)]
    fn again(&self) -> R {
        self.0.last
    }
    #[inline(never)]
    #[cfg_attr(target_arch = "nvptx64", optimize(size))]
    fn value(&mut self, x: impl Store<R>) -> R {
        self.0.evaluate(x, |_, _| ()).value
    }
    #[inline(never)]
    #[cfg_attr(target_arch = "nvptx64", optimize(size))]
    fn gradient(&mut self, x: impl Store<R>, gradient: impl Store<R>) {
        let n = self.dimensions();
        clear(n, gradient);
        self.0.partials(x, |row, i, partial| {
            if row == 0 && i < n {
                gradient.set(i, partial);
            }
        });
        clear_fixed(self, gradient);
    }
    #[inline(always)]
    fn spent(&self) -> bool {
        self.0.spent()
    }
}

/// Sets n numbers to zero.
#[inline(always)]
pub(super) fn clear<R: Float>(n: usize, numbers: impl Store<R>) {
    for i in 0..n {
        numbers.set(i, R::ZERO);
    }
}

/// Sets the gradient to zero at the coordinates that cannot move.
#[inline(always)]
pub(super) fn clear_fixed<R: Float, M: Merit<R>>(merit: &M, gradient: impl Store<R>) {
    for i in 0..merit.dimensions() {
        if merit.reach(i) == R::ZERO {
            gradient.set(i, R::ZERO);
        }
    }
}

/// Writes `x + step * direction`, clamped to the bounds, to `to`. Returns the largest fraction of its range by which a
/// coordinate moves, zero if that is the same point.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
pub(super) fn walk<R: Float, M: Merit<R>, S: Store<R>>(
    merit: &M,
    step: R,
    (x, direction, to): (S, S, S),
) -> R {
    let mut far = R::ZERO;
    for i in 0..merit.dimensions() {
        let (from, reach) = (x.get(i), merit.reach(i));
        let mut next = from;
        if reach > R::ZERO {
            let (lower, upper) = merit.bounds(i);
            next = (from + step * direction.get(i)).clamp_to(lower, upper);
            far = ((next - from).abs() / reach).larger(far);
        }
        to.set(i, next);
    }
    far
}

/// The sum of `gradient_i * direction_i` over the coordinates that can follow the direction from `x`, so without those
/// at a bound that it pushes outwards: the slope along the projected path.
#[inline]
pub(super) fn slope<R: Float, M: Merit<R>, S: Store<R>>(
    merit: &M,
    (x, direction, gradient): (S, S, S),
) -> R {
    let mut total = R::ZERO;
    for i in 0..merit.dimensions() {
        let along = direction.get(i);
        if merit.reach(i) > R::ZERO && along != R::ZERO && !leaves(merit.bounds(i), x.get(i), along)
        {
            total += gradient.get(i) * along;
        }
    }
    total
}

/// Whether a coordinate at `x` is at a bound that it would cross in the direction of `along`'s sign.
#[inline(always)]
pub(super) fn leaves<R: Float>((lower, upper): (R, R), x: R, along: R) -> bool {
    (x <= lower && along < R::ZERO) || (x >= upper && along > R::ZERO)
}
