//! Variables with names and scales, and an objective of such variables.
//!
//! Individuals move in a space where every variable is linear: they store the logarithm of a logarithmic variable, and
//! a real number that is rounded to an integer variable. [`Scaled`] passes the variables themselves to the objective;
//! [`natural`] converts them, on CPU and GPU alike.

use crate::data::Table;
use crate::expression::Least;
use crate::objective::{Objective, Point};
use crate::real::Real;
use crate::sum::Operator;

/// A variable of a search: its name, its bounds, and its scale.
///
/// ```
/// use warpswarm_core::Variable;
/// /// What a model is fitted by.
/// pub const VARIABLES: [Variable; 3] = [
///     Variable::linear("height", 0.0, 10.0),
///     Variable::log("lifetime", 1e-6, 1e-3),
///     Variable::integer("modes", 1.0, 5.0),
/// ];
/// assert_eq!(VARIABLES[1].upper, 1e-3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variable {
    /// The name of the variable.
    pub name: &'static str,
    /// The smallest value.
    pub lower: f64,
    /// The largest value.
    pub upper: f64,
    /// How the variable is distributed between its bounds.
    pub scale: Scale,
}

impl Variable {
    /// A variable on a linear scale.
    pub const fn linear(name: &'static str, lower: f64, upper: f64) -> Self {
        Variable { name, lower, upper, scale: Scale::Linear }
    }

    /// A positive variable on a logarithmic scale, for unknown orders of magnitude.
    pub const fn log(name: &'static str, lower: f64, upper: f64) -> Self {
        Variable { name, lower, upper, scale: Scale::Log }
    }

    /// An integer variable.
    pub const fn integer(name: &'static str, lower: f64, upper: f64) -> Self {
        Variable { name, lower, upper, scale: Scale::Integer }
    }

    /// A variable with a fixed value, which is not searched.
    pub const fn fixed(name: &'static str, value: f64) -> Self {
        Variable::linear(name, value, value)
    }
}

/// How a variable is distributed between its bounds.
///
/// ```
/// use warpswarm_core::variable::{Scale, Variable};
/// let variables = [Variable::linear("a", 0.0, 1.0), Variable::log("b", 0.1, 1.0), Variable::integer("c", 0.0, 9.0)];
/// assert_eq!(variables.map(|variable| variable.scale), [Scale::Linear, Scale::Log, Scale::Integer]);
/// assert_eq!(Variable::fixed("d", 0.5).scale, Scale::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// The value is uniform.
    #[default]
    Linear,
    /// The logarithm is uniform; both bounds are positive.
    Log,
    /// Integers; all are equally likely.
    Integer,
}

impl Scale {
    /// The scale as a number in the data of [`Scaled`].
    ///
    /// ```
    /// use warpswarm_core::variable::Scale;
    /// let codes = [Scale::Linear, Scale::Log, Scale::Integer].map(Scale::code::<f32>);
    /// assert_eq!(codes, [0.0, 1.0, 2.0]);
    /// ```
    pub fn code<R: Real>(self) -> R {
        match self {
            Scale::Linear => R::ZERO,
            Scale::Log => R::ONE,
            Scale::Integer => R::TWO,
        }
    }
}

/// The variable's value for a coordinate `x` of an individual, whose scale has this [`code`](Scale::code).
///
/// ```
/// use warpswarm_core::variable::{Scale, natural};
/// assert_eq!(natural(Scale::Log.code(), 0.0_f64), 1.0);
/// assert_eq!([2.4, 2.5, -0.4].map(|x| natural(Scale::Integer.code(), x)), [2.0_f64, 3.0, 0.0]);
/// ```
#[inline(always)]
pub fn natural<R: Real>(code: R, x: R) -> R {
    if code == R::ONE {
        x.exp()
    } else if code == R::TWO {
        (x + R::HALF).floor()
    } else {
        x
    }
}

/// The equivalent of a number between a lower and an upper bound, for a periodic coordinate such as an angle.
///
/// ```
/// use warpswarm_core::variable::place;
/// assert_eq!([-90.0, 45.0, 360.0, 540.0].map(|x| place(x, (0.0_f64, 360.0), 360.0)), [270.0, 45.0, 360.0, 180.0]);
/// ```
#[inline(always)]
pub fn place<R: Real>(x: R, (lower, upper): (R, R), range: R) -> R {
    if x >= lower && x <= upper {
        return x;
    }
    let turns = (x - lower) / range;
    Least::combine(lower + (turns - turns.floor()) * range, upper)
}

/// How many numbers describe for a coordinate how it is [`shown`].
pub const SHOWN: usize = 4;

/// The variable's value for a coordinate `x` of an individual. The four numbers are the [`code`](Scale::code) of its
/// scale, or 3 if it is periodic, and then its bounds and their distance.
///
/// ```
/// use warpswarm_core::variable::{Scale, shown};
/// assert_eq!(shown([3.0, 0.0, 360.0, 360.0], -90.0_f64), 270.0);
/// assert_eq!(shown([Scale::Integer.code(), 0.0, 0.0, 0.0], 2.5_f32), 3.0);
/// ```
#[inline(always)]
pub fn shown<R: Real>([code, lower, upper, range]: [R; SHOWN], x: R) -> R {
    if code == R::from_u32(3) { place(x, (lower, upper), range) } else { natural(code, x) }
}

/// An objective of variables with scales, which may be maximised.
///
/// ```
/// use warpswarm_core::data::{DataSlices, Table, WithData};
/// use warpswarm_core::variable::{Scale, Scaled};
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Sphere};
/// // To be maximised, over an integer and a plain number.
/// let view = [-1.0_f64, Scale::Integer.code(), Scale::Linear.code()];
/// let scaled = Scaled { objective: Sphere, view: Table::new(0, 3, 1, false) };
/// let data = DataSlices { all: &view, of_run: &[] };
/// assert_eq!(scaled.value(&WithData { point: SlicePoint(&[2.9, 0.5]), data }), -9.25);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Scaled<O> {
    /// The objective, a function of the variables' values.
    pub objective: O,
    /// First the factor of the value, 1 or -1, then the [`code`](Scale::code) of each coordinate's scale.
    pub view: Table,
}

impl<R: Real, O: Objective<R>> Objective<R> for Scaled<O> {
    const CONSTRAINED: bool = O::CONSTRAINED;
    const GATHERS: bool = O::GATHERS;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.data(self.view, 0) * self.objective.value(&ScaledPoint { point: x, view: self.view })
    }

    #[inline(always)]
    fn violation<P: Point<R>>(&self, x: &P) -> R {
        self.objective.violation(&ScaledPoint { point: x, view: self.view })
    }

    #[inline(always)]
    fn each_constraint<P: Point<R>>(&self, x: &P, each: impl FnMut(R)) {
        self.objective.each_constraint(&ScaledPoint { point: x, view: self.view }, each);
    }
}

/// A point whose coordinates are converted to the variables' values.
#[derive(Clone, Copy, Debug)]
struct ScaledPoint<'a, P> {
    point: &'a P,
    view: Table,
}

impl<P> ScaledPoint<'_, P> {
    #[inline(always)]
    fn natural<R: Real>(&self, i: usize, x: R) -> R
    where
        P: Point<R>,
    {
        natural(self.point.data(self.view, 1 + i), x)
    }
}

impl<R: Real, P: Point<R>> Point<R> for ScaledPoint<'_, P> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.point.dimensions()
    }
    #[inline(always)]
    fn get(&self, i: usize) -> R {
        self.natural(i, self.point.get(i))
    }
    #[inline(always)]
    fn data(&self, table: Table, i: usize) -> R {
        self.point.data(table, i)
    }
    #[inline(always)]
    fn fold<O: Operator<R>>(&self, term: impl Fn(usize, R) -> R) -> R {
        self.point.fold::<O>(|i, x| term(i, self.natural(i, x)))
    }
    #[inline(always)]
    fn fold_terms<O: Operator<R>>(&self, n: usize, term: impl Fn(usize) -> R) -> R {
        self.point.fold_terms::<O>(n, term)
    }
    #[inline(always)]
    fn fold_rows<O: Operator<R>, const N: usize>(
        &self,
        tables: [Table; N],
        term: impl Fn([R; N]) -> R,
    ) -> R {
        self.point.fold_rows::<O, N>(tables, term)
    }
    #[inline(always)]
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R {
        self.point.sum_of_prefixes(|i, x| element(i, self.natural(i, x)), term)
    }
}

/// How far coordinate `i` is above coordinate `j`; zero if it is not. As (part of) a violation it requires
/// x_i <= x_j, which makes interchangeable variables distinct.
///
/// ```
/// use warpswarm_core::objective::SlicePoint;
/// use warpswarm_core::variable::above;
/// assert_eq!(above(&SlicePoint(&[3.0_f64, 1.0]), 0, 1), 2.0);
/// assert_eq!(above(&SlicePoint(&[1.0_f64, 3.0]), 0, 1), 0.0);
/// ```
#[inline(always)]
pub fn above<R: Real, P: Point<R>>(x: &P, i: usize, j: usize) -> R {
    (x.get(i) - x.get(j)).larger(R::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataSlices, WithData};
    use crate::objective::SlicePoint;
    use crate::order::Fitness;
    use crate::sum::{Product, Sum};

    /// Returns the point that it sees, as the sum of x_i 10^i.
    #[derive(Clone, Copy)]
    struct Seen;
    impl<R: Real> Objective<R> for Seen {
        const CONSTRAINED: bool = true;
        fn value<P: Point<R>>(&self, x: &P) -> R {
            x.get(0) + R::from_u32(10) * x.get(1) + R::from_u32(100) * x.get(2)
        }
        fn violation<P: Point<R>>(&self, x: &P) -> R {
            above(x, 0, 1)
        }
    }

    #[test]
    fn an_objective_sees_what_is_meant() {
        let scales = [Scale::Linear, Scale::Log, Scale::Integer].map(Scale::code);
        let all = [-1.0, scales[0], scales[1], scales[2]];
        let data = DataSlices { all: &all, of_run: &[] };
        let scaled = Scaled { objective: Seen, view: Table::new(0, 4, 1, false) };
        let at = |x: [f64; 3]| scaled.evaluate(&WithData { point: SlicePoint(&x), data });
        // 0.5, exp(0), 3 of 2.5 and 2 of 2.49, times -1.
        let fitness = |value| Fitness { violation: 0.0, value };
        assert_eq!(at([0.5, 0.0, 2.5]), fitness(-310.5));
        assert_eq!(at([0.5, 0.0, 2.49]), fitness(-210.5));
        assert_eq!(at([4.0, 0.0, 2.0]), Fitness { violation: 3.0, value: -214.0 });
    }

    #[test]
    fn folds_see_it_too() {
        let all = [1.0, 1.0, 2.0];
        let x = [0.0_f64, 6.7];
        let point = WithData { point: SlicePoint(&x), data: DataSlices { all: &all, of_run: &[] } };
        let seen = ScaledPoint { point: &point, view: Table::new(0, 3, 1, false) };
        assert_eq!(seen.fold::<Sum>(|_, x| x), 8.0);
        assert_eq!(seen.fold::<Product>(|i, x| x + i as f64), 8.0);
        assert_eq!(seen.sum_of_prefixes(|_, x| x, |_, s| s), 9.0);
        assert_eq!(seen.fold_terms::<Sum>(2, |i| i as f64), 1.0);
        assert_eq!((seen.dimensions(), seen.get(1)), (2, 7.0));
    }
}
