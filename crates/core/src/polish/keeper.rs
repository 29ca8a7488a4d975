//! Evaluates, counts, and stores the best point.

use super::store::{Store, copy};
use super::{Landscape, Report, Smooth, Status};
use crate::order::Fitness;
use crate::real::Float;

/// Wraps the landscape of a search: the best of all evaluated points, including the start, is in `best_point`, and no
/// more evaluations are made than allowed.
pub(super) struct Keeper<'a, R, L, S> {
    landscape: &'a mut L,
    best_point: S,
    pub(super) best: Fitness<R>,
    /// The objective's value at the point evaluated last.
    pub(super) last: R,
    allowed: u32,
    /// How many of the allowed evaluations are reserved for later.
    pub(super) reserve: u32,
    pub(super) evaluations: u32,
    pub(super) gradients: u32,
}

impl<'a, R: Float, L: Landscape<R>, S: Store<R>> Keeper<'a, R, L, S> {
    /// Takes the start from `best_point`, clamps it to its bounds, and evaluates it; `each` gets the constraints'
    /// values.
    #[inline]
    pub(super) fn new(
        landscape: &'a mut L,
        best_point: S,
        allowed: u32,
        each: impl FnMut(usize, R),
    ) -> Self {
        for i in 0..landscape.dimensions() {
            if !landscape.is_fixed(i) {
                let (lower, upper) = landscape.bounds(i);
                best_point.set(i, best_point.get(i).clamp_to(lower, upper));
            }
        }
        let best = landscape.evaluate(best_point, each).canonical();
        let (evaluations, gradients) = (1, 0);
        let last = best.value;
        Keeper { landscape, best_point, best, last, allowed, reserve: 0, evaluations, gradients }
    }

    /// The landscape.
    #[inline(always)]
    pub(super) fn landscape(&self) -> &L {
        self.landscape
    }

    /// Whether no evaluation is left, except for those in reserve, or no time.
    #[inline(always)]
    pub(super) fn spent(&self) -> bool {
        self.evaluations >= self.allowed.saturating_sub(self.reserve) || self.landscape.is_over()
    }

    /// The fitness at `x`, and the constraints' values for `each`; [`Fitness::WORST`] if no evaluation is left.
    #[inline]
    pub(super) fn evaluate(&mut self, x: impl Store<R>, each: impl FnMut(usize, R)) -> Fitness<R> {
        if self.spent() {
            self.last = R::NAN;
            return Fitness::WORST;
        }
        self.evaluations += 1;
        let fitness = self.landscape.evaluate(x, each).canonical();
        self.last = fitness.value;
        if fitness.beats(self.best) {
            self.best = fitness;
            copy(self.landscape.dimensions(), x, self.best_point);
        }
        fitness
    }

    /// The report of a search, from the fitness of its start, why it ended, and its number of steps.
    #[inline]
    pub(super) fn report(&self, start: Fitness<R>, (status, steps): (Status, u32)) -> Report<R> {
        let Keeper { best, evaluations, gradients, .. } = *self;
        Report { start, best, steps, evaluations, gradients, status }
    }

    /// Whether coordinate `i` can move.
    #[inline(always)]
    pub(super) fn moves(&self, i: usize) -> bool {
        let (lower, upper) = self.landscape.bounds(i);
        lower < upper && !self.landscape.is_fixed(i)
    }

    /// The distance between the bounds of coordinate `i`; 1 if it is not finite.
    #[inline(always)]
    pub(super) fn width(&self, i: usize) -> R {
        let (lower, upper) = self.landscape.bounds(i);
        let width = upper - lower;
        if width.is_finite() { width } else { R::ONE }
    }
}

impl<R: Float, L: Smooth<R>, S: Store<R>> Keeper<'_, R, L, S> {
    /// The partial derivatives at `x`: see [`Smooth::partials`].
    #[inline]
    pub(super) fn partials(&mut self, x: impl Store<R>, each: impl FnMut(usize, usize, R)) {
        self.gradients += 1;
        self.landscape.partials(x, each);
    }
}
