//! Interpolation in tables of measured values: straight lines between them, and the nearest edge outside.
//!
//! ```
//! use warpswarm_core::data::{DataSlices, Table, WithData};
//! use warpswarm_core::interpolation::{Curve, Surface};
//! use warpswarm_core::objective::SlicePoint;
//! // Three places and their values; then two places of another axis, and a row of values for each of the three.
//! let all = &[0.0, 1.0, 3.0, 5.0, 7.0, 3.0, 10.0, 20.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
//! let x = WithData { point: SlicePoint(&[0.0_f64]), data: DataSlices { all, of_run: &[] } };
//! let table = |start, len, columns| Table::new(start, len, columns, false);
//! let curve = Curve::new(table(0, 3, 1), table(3, 3, 1));
//! assert_eq!([-1.0, 0.5, 1.0, 2.0, 9.0].map(|at| curve.at(&x, at)), [5.0, 6.0, 7.0, 5.0, 3.0]);
//! let surface = Surface::new(table(0, 3, 1), table(6, 2, 1), table(8, 6, 2));
//! assert_eq!(surface.at(&x, 2.0, 15.0), (3.0 + 4.0 + 5.0 + 6.0) / 4.0);
//! assert_eq!(surface.at(&x, 9.0, 0.0), 5.0);
//! ```

use crate::data::Table;
use crate::objective::Point;
use crate::real::Real;

/// A quantity that was measured at ascending places.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    places: Table,
    values: Table,
}

impl Curve {
    /// A curve through values at two or more ascending places.
    pub const fn new(places: Table, values: Table) -> Self {
        Curve { places, values }
    }

    /// The value at a place; outside of the table that of the nearest end. `x` is the point of the objective, which
    /// has the data. NaN at NaN.
    #[inline(always)]
    pub fn at<R: Real, P: Point<R>>(&self, x: &P, place: R) -> R {
        let (i, part) = find(x, self.places, place);
        between(x.data(self.values, i), x.data(self.values, i + 1), part)
    }
}

/// A quantity that was measured at all pairs of places of two ascending axes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    first: Table,
    second: Table,
    values: Table,
}

impl Surface {
    /// A surface through values with a row for each place of the first axis, and a column for each of the second. Each
    /// axis has two or more ascending places.
    pub const fn new(first: Table, second: Table, values: Table) -> Self {
        Surface { first, second, values }
    }

    /// The value at a pair of places, linear in each of them; outside of the table that of the nearest edge. `x` is the
    /// point of the objective, which has the data. NaN at NaN.
    #[inline(always)]
    pub fn at<R: Real, P: Point<R>>(&self, x: &P, first: R, second: R) -> R {
        let (i, row_part) = find(x, self.first, first);
        let (j, column_part) = find(x, self.second, second);
        let row =
            |i| between(x.cell(self.values, i, j), x.cell(self.values, i, j + 1), column_part);
        between(row(i), row(i + 1), row_part)
    }
}

/// The last of the ascending places at or before a number, without the very last one, and how far the number is from it
/// towards the next one: from 0 to 1, or NaN.
#[inline(always)]
fn find<R: Real, P: Point<R>>(x: &P, places: Table, number: R) -> (usize, R) {
    let (mut low, mut high) = (0, places.len().saturating_sub(1));
    while high > low + 1 {
        let middle = low + (high - low) / 2;
        if number >= x.data(places, middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let (left, right) = (x.data(places, low), x.data(places, low + 1));
    let part = (number - left) / (right - left);
    let part = if part <= R::ZERO {
        R::ZERO
    } else if part >= R::ONE {
        R::ONE
    } else {
        part
    };
    (low, part)
}

/// The number at a part of the way from one number to another, exact at both ends.
#[inline(always)]
fn between<R: Real>(from: R, to: R, part: R) -> R {
    from * (R::ONE - part) + to * part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataSlices, WithData};
    use crate::dual::gradient;
    use crate::objective::{Objective, SlicePoint};

    /// Places and values of a curve with uneven steps.
    const CURVE: [f64; 10] = [-2.0, 0.0, 0.5, 4.0, 7.0, 1.0, 9.0, -3.0, 4.0, 4.0];

    fn curve() -> Curve {
        Curve::new(Table::new(0, 5, 1, false), Table::new(5, 5, 1, false))
    }

    #[test]
    fn every_piece_of_a_curve_is_a_line() {
        let data = DataSlices { all: &CURVE, of_run: &[] };
        let x = WithData { point: SlicePoint(&[0.0]), data };
        for k in 0..5 {
            assert_eq!(curve().at(&x, CURVE[k]), CURVE[5 + k], "a measured value is exact");
        }
        for (at, right) in
            [(-1.0, 5.0), (0.25, 3.0), (2.25, 0.5), (6.5, 4.0), (-9.0, 1.0), (8.0, 4.0)]
        {
            assert_eq!(curve().at(&x, at), right, "at {at}");
        }
        assert!(curve().at(&x, f64::NAN).is_nan());
        assert!(Curve::default().at(&x, 1.0).is_nan(), "a table without numbers");
    }

    #[test]
    fn derivatives_are_the_slopes_of_the_pieces() {
        #[derive(Clone, Copy)]
        struct Height(Curve);
        impl<R: Real> Objective<R> for Height {
            fn value<P: Point<R>>(&self, x: &P) -> R {
                self.0.at(x, x.get(0) * x.get(0))
            }
        }
        let data = DataSlices { all: &CURVE, of_run: &[] };
        for (at, slope) in [(0.5, 1.0 * (-12.0 / 0.5)), (1.5, 3.0 * 2.0), (3.0, 0.0)] {
            let mut found = [0.0];
            gradient(&Height(curve()), &WithData { point: SlicePoint(&[at]), data }, &mut found);
            assert_eq!(found, [slope], "at {at}");
        }
    }
}
