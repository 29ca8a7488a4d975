//! Constraints: the augmented Lagrangian of Powell, Hestenes and Rockafellar.

use super::Smooth;
use super::keeper::Keeper;
use super::merit::{Merit, clear, clear_fixed};
use super::store::{Part, Store, largest, sum};
use crate::real::Float;

/// The data of each constraint, and the derivatives of all.
#[derive(Clone, Copy)]
pub(super) struct Rows<S> {
    /// The values at the point evaluated last, without scaling.
    pub(super) values: Part<S>,
    /// The scales: factors with which the largest slope of each was 1 where the search began.
    pub(super) scales: Part<S>,
    /// The multipliers, for the scaled constraints and the scaled objective.
    pub(super) multipliers: Part<S>,
    /// The derivatives of the scaled constraints, row by row, in coordinates scaled by their ranges.
    pub(super) jacobian: Part<S>,
    /// The derivatives of the scaled objective.
    pub(super) slopes: Part<S>,
}

impl<S: Copy> Rows<S> {
    /// Their length, in numbers.
    pub(super) const fn numbers(dimensions: usize, constraints: usize) -> usize {
        (constraints + 1) * dimensions + 3 * constraints
    }

    /// The parts of `room`.
    #[inline]
    pub(super) fn new(dimensions: usize, constraints: usize, room: &mut Part<S>) -> Self {
        Rows {
            values: room.take(constraints),
            scales: room.take(constraints),
            multipliers: room.take(constraints),
            jacobian: room.take(constraints * dimensions),
            slopes: room.take(dimensions),
        }
    }
}

/// The merit s f(x) + sum of (max(0, l_i + r c_i)^2 - l_i^2) / (2 r), with c_i the scaled constraint, l_i its
/// multiplier, r the penalty, and s the objective's scale.
pub(super) struct Augmented<'k, 'l, R, L, S> {
    pub(super) keeper: &'k mut Keeper<'l, R, L, S>,
    pub(super) rows: Rows<S>,
    pub(super) penalty: R,
    pub(super) scale: R,
}

impl<R: Float, L: Smooth<R>, S: Store<R>> Augmented<'_, '_, R, L, S> {
    /// The number of constraints.
    #[inline(always)]
    pub(super) fn constraints(&self) -> usize {
        self.keeper.landscape().constraints()
    }

    /// Scaled constraint `i` at the point evaluated last.
    #[inline(always)]
    pub(super) fn constraint(&self, i: usize) -> R {
        self.rows.values.get(i) * self.rows.scales.get(i)
    }

    /// l_i + r c_i, or zero: the multiplier of constraint `i` at the point evaluated last.
    #[inline(always)]
    pub(super) fn weight(&self, i: usize) -> R {
        let weight = self.rows.multipliers.get(i) + self.penalty * self.constraint(i);
        if weight > R::ZERO { weight } else { R::ZERO }
    }

    /// Computes all derivatives at `x`, of scaled functions in scaled coordinates, zero for coordinates that do not
    /// move. Returns whether they are finite.
    #[inline(never)]
    #[cfg_attr(target_arch = "nvptx64", optimize(size))]
    pub(super) fn differentiate(&mut self, x: impl Store<R>) -> bool {
        let (n, m) = (self.dimensions(), self.constraints());
        let Rows { jacobian, slopes, .. } = self.rows;
        clear(n, slopes);
        clear(n * m, jacobian);
        self.keeper.partials(x, |row, i, partial| {
            if row == 0 && i < n {
                slopes.set(i, partial);
            } else if row <= m && i < n {
                jacobian.set((row - 1) * n + i, partial);
            }
        });
        for i in 0..n {
            let reach = self.reach(i);
            let scaled =
                |slope: R, scale: R| if reach > R::ZERO { slope * reach * scale } else { R::ZERO };
            slopes.set(i, scaled(slopes.get(i), self.scale));
            for k in 0..m {
                let place = k * n + i;
                jacobian.set(place, scaled(jacobian.get(place), self.rows.scales.get(k)));
            }
        }
        largest(n, |i| slopes.get(i).abs()).is_finite()
            && largest(n * m, |i| jacobian.get(i).abs()).is_finite()
    }

    /// Chooses the scales from the slopes at `x`. Returns whether all of them are finite.
    #[inline]
    pub(super) fn choose_scales(&mut self, x: impl Store<R>) -> bool {
        let (n, m) = (self.dimensions(), self.constraints());
        self.scale = R::ONE;
        for k in 0..m {
            self.rows.scales.set(k, R::ONE);
        }
        let finite = self.differentiate(x);
        let Rows { jacobian, slopes, scales, .. } = self.rows;
        // A slope near zero says nothing about the constraint elsewhere.
        let most = R::from_f64(1e20);
        let invert = |size: R| if size > R::ZERO { (R::ONE / size).smaller(most) } else { R::ONE };
        // Near the bottom of a valley, slopes of the size of rounding errors are no measure.
        let least = R::HALF_EPSILON.sqrt() * self.keeper.last.abs();
        let steepest = largest(n, |i| slopes.get(i).abs());
        self.scale = invert(if steepest < least { least } else { steepest });
        for i in 0..n {
            slopes.set(i, slopes.get(i) * self.scale);
        }
        for k in 0..m {
            let row = jacobian.from(k * n);
            let scale = invert(largest(n, |i| row.get(i).abs()));
            scales.set(k, scale);
            for i in 0..n {
                row.set(i, row.get(i) * scale);
            }
        }
        finite
    }

    /// Whether coordinate `i` moves and is strictly between its bounds.
    #[inline(always)]
    pub(super) fn is_inside(&self, x: impl Store<R>, i: usize) -> bool {
        let (lower, upper) = self.bounds(i);
        self.reach(i) > R::ZERO && x.get(i) > lower && x.get(i) < upper
    }

    /// The scalar product of two rows of the Jacobian, or of one with the objective's slopes, over coordinates for
    /// which `counts` is true.
    #[inline(never)]
    #[cfg_attr(target_arch = "nvptx64", optimize(size))]
    pub(super) fn product(
        &self,
        k: usize,
        with: Option<usize>,
        counts: impl Fn(usize) -> bool,
    ) -> R {
        let n = self.dimensions();
        let row = self.rows.jacobian.from(k * n);
        let other = with.map_or(self.rows.slopes, |k| self.rows.jacobian.from(k * n));
        sum(n, |i| if counts(i) { row.get(i) * other.get(i) } else { R::ZERO })
    }
}

impl<R: Float, L: Smooth<R>, S: Store<R>> Merit<R> for Augmented<'_, '_, R, L, S> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.keeper.landscape().dimensions()
    }
    #[inline(always)]
    fn bounds(&self, i: usize) -> (R, R) {
        self.keeper.landscape().bounds(i)
    }
    #[inline(always)]
    fn reach(&self, i: usize) -> R {
        if self.keeper.moves(i) { self.keeper.width(i) } else { R::ZERO }
    }
    #[inline]
    fn again(&self) -> R {
        let penalties = sum(self.constraints(), |i| {
            let (multiplier, c) = (self.rows.multipliers.get(i), self.constraint(i));
            let inactive = multiplier + self.penalty * c <= R::ZERO;
            if inactive {
                R::ZERO - multiplier * multiplier / (R::TWO * self.penalty)
            } else {
                c * (multiplier + R::HALF * self.penalty * c)
            }
        });
        self.scale * self.keeper.last + penalties
    }
    #[inline(never)]
    #[cfg_attr(target_arch = "nvptx64", optimize(size))]
    fn value(&mut self, x: impl Store<R>) -> R {
        let values = self.rows.values;
        let m = self.constraints();
        for i in 0..m {
            values.set(i, R::NAN);
        }
        self.keeper.evaluate(x, |i, value| {
            if i < m {
                values.set(i, value)
            }
        });
        self.again()
    }
    #[inline(never)]
    #[cfg_attr(target_arch = "nvptx64", optimize(size))]
    fn gradient(&mut self, x: impl Store<R>, gradient: impl Store<R>) {
        let (n, m) = (self.dimensions(), self.constraints());
        clear(n, gradient);
        let weights = (self.rows, self.penalty, self.scale);
        self.keeper.partials(x, |row, i, partial| {
            let (rows, penalty, scale) = weights;
            let mut factor = scale;
            if row > 0 {
                let own = rows.scales.get(row - 1);
                let weight =
                    rows.multipliers.get(row - 1) + penalty * rows.values.get(row - 1) * own;
                factor = if weight > R::ZERO { weight * own } else { R::ZERO };
            }
            if factor > R::ZERO && row <= m && i < n {
                gradient.set(i, gradient.get(i) + factor * partial);
            }
        });
        clear_fixed(self, gradient);
    }
    #[inline(always)]
    fn spent(&self) -> bool {
        self.keeper.spent()
    }
}
