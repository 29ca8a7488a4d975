//! Data of objectives: tables of numbers, identified by their place among all data.
//!
//! An objective holds a [`Table`], which is a place and not an address. So the same bytes work on the host and on a
//! device, and a table of the runs refers to different numbers in each run. The caller of the objective provides the
//! numbers ([`Point::data`]).

use crate::objective::Point;
use crate::real::Real;
use crate::sum::Operator;

/// A table of numbers, of one or two dimensions.
///
/// ```
/// use warpswarm_core::Table;
/// // Six numbers from place 10 on, in rows of three.
/// let table = Table::new(10, 6, 3, false);
/// assert_eq!((table.rows(), table.columns(), table.end()), (2, 3, 16));
/// assert_eq!((table.place(5), table.place(6)), (Some(15), None));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Table {
    start: u32,
    len: u32,
    columns: u32,
    of_run: u32,
}

impl Table {
    /// The `len` numbers from place `start` on, of the shared data or of each run's data, in rows of `columns` numbers.
    pub const fn new(start: u32, len: u32, columns: u32, of_run: bool) -> Self {
        Table { start, len, columns, of_run: of_run as u32 }
    }

    /// The number of numbers in the table.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether the table is empty.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of columns: of numbers in a row.
    #[inline(always)]
    pub const fn columns(&self) -> usize {
        self.columns as usize
    }

    /// The number of rows.
    #[inline(always)]
    pub const fn rows(&self) -> usize {
        // Never zero if there are rows; the comparison shows this to the compiler, which leaves out a check.
        (if self.columns > 1 { self.len / self.columns } else { self.len }) as usize
    }

    /// Whether each run has its own table.
    #[inline(always)]
    pub const fn is_of_run(&self) -> bool {
        self.of_run != 0
    }

    /// The place of the first number among the data.
    #[inline(always)]
    pub const fn start(&self) -> usize {
        self.start as usize
    }

    /// The place after the last number.
    #[inline(always)]
    pub const fn end(&self) -> usize {
        self.start as usize + self.len as usize
    }

    /// The place of number `i` among the data; `None` if `i` is not below the length.
    #[inline(always)]
    pub const fn place(&self, i: usize) -> Option<usize> {
        if i < self.len as usize { Some(self.start as usize + i) } else { None }
    }
}

/// The numbers of tables, for one run.
///
/// ```
/// use warpswarm_core::data::{Data, DataSlices, Table};
/// let data = DataSlices { all: &[0.5_f32, 1.5, 2.5], of_run: &[] };
/// let all = Table::new(0, 3, 1, false);
/// assert_eq!(data.number(all, 2), 2.5);
/// assert!(data.number(all, 3).is_nan());
/// // There is nothing that this run has for itself.
/// assert!(data.has(all) && !data.has(Table::new(0, 3, 1, true)));
/// ```
pub trait Data<R: Real>: Copy {
    /// Number `i` of a table; NaN if there is no such number.
    fn number(&self, table: Table, i: usize) -> R;
    /// Whether the data contain all numbers of a table.
    fn has(&self, table: Table) -> bool;
    /// The location of a table's numbers.
    type Column: Copy;
    /// The location of the numbers of a table that the data [contain](Data::has).
    fn column(&self, table: Table) -> Self::Column;
    /// Number `i`, below its length, of a table that the data [contain](Data::has).
    fn at(&self, column: Self::Column, i: usize) -> R;
}

/// Data in slices, used on the CPU.
///
/// ```
/// use warpswarm_core::data::{Data, DataSlices, Table};
/// // The same table, as two runs see it.
/// let table = Table::new(1, 2, 1, true);
/// let seen = |of_run| DataSlices { all: &[], of_run }.number(table, 1);
/// assert_eq!((seen(&[1.0_f64, 2.0, 3.0]), seen(&[4.0, 5.0, 6.0])), (3.0, 6.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DataSlices<'a, R> {
    /// The numbers that all runs share.
    pub all: &'a [R],
    /// The numbers of this run.
    pub of_run: &'a [R],
}

impl<'a, R> DataSlices<'a, R> {
    /// The slice to which a table refers.
    #[inline(always)]
    fn of(&self, table: Table) -> &'a [R] {
        if table.is_of_run() { self.of_run } else { self.all }
    }
}

impl<'a, R: Real> Data<R> for DataSlices<'a, R> {
    #[inline(always)]
    fn number(&self, table: Table, i: usize) -> R {
        let numbers = self.of(table);
        table.place(i).and_then(|place| numbers.get(place)).copied().unwrap_or(R::NAN)
    }
    #[inline(always)]
    fn has(&self, table: Table) -> bool {
        table.end() <= self.of(table).len()
    }
    type Column = &'a [R];
    #[inline(always)]
    fn column(&self, table: Table) -> &'a [R] {
        self.of(table).get(table.start as usize..table.end()).unwrap_or_default()
    }
    #[inline(always)]
    fn at(&self, column: &'a [R], i: usize) -> R {
        column[i]
    }
}

/// A point together with data.
///
/// ```
/// use warpswarm_core::data::{DataSlices, Table, WithData};
/// use warpswarm_core::{Point, objective::SlicePoint};
/// let point = SlicePoint(&[2.0_f64]);
/// let x = WithData { point, data: DataSlices { all: &[1.0, 2.0, 3.0], of_run: &[] } };
/// let table = Table::new(0, 3, 1, false);
/// assert_eq!(x.sum_rows([table], |[t]| x.get(0) * t), 12.0);
/// // Without the data there is none.
/// assert!(point.data(table, 0).is_nan());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WithData<P, D> {
    /// The point.
    pub point: P,
    /// The data.
    pub data: D,
}

impl<R: Real, P: Point<R>, D: Data<R>> Point<R> for WithData<P, D> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.point.dimensions()
    }
    #[inline(always)]
    fn get(&self, i: usize) -> R {
        self.point.get(i)
    }
    #[inline(always)]
    fn data(&self, table: Table, i: usize) -> R {
        self.data.number(table, i)
    }
    #[inline(always)]
    fn fold<O: Operator<R>>(&self, term: impl Fn(usize, R) -> R) -> R {
        self.point.fold::<O>(term)
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
        let n = tables.first().map_or(0, Table::len);
        if tables.iter().any(|table| table.len() != n || !self.data.has(*table)) {
            return R::NAN;
        }
        let columns = tables.map(|table| self.data.column(table));
        self.point.fold_terms::<O>(n, |i| term(columns.map(|column| self.data.at(column, i))))
    }
    #[inline(always)]
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R {
        self.point.sum_of_prefixes(element, term)
    }
    #[inline(always)]
    fn fold_others<T: Real, O: Operator<T>>(&self, n: usize, term: impl Fn(usize) -> T) -> T {
        self.point.fold_others::<T, O>(n, term)
    }
    #[inline(always)]
    fn sum_of_other_prefixes<T: Real>(
        &self,
        n: usize,
        element: impl Fn(usize) -> T,
        term: impl Fn(usize, T) -> T,
    ) -> T {
        self.point.sum_of_other_prefixes(n, element, term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::SlicePoint;

    #[test]
    fn tables_are_places_in_the_data() {
        let data = DataSlices { all: &[1.0, 2.0, 3.0], of_run: &[4.0, 5.0, 6.0, 7.0] };
        let x = WithData { point: SlicePoint(&[9.0]), data };
        let (shared, own) = (Table::new(1, 2, 1, false), Table::new(0, 4, 2, true));
        assert_eq!([x.data(shared, 0), x.data(shared, 1)], [2.0, 3.0]);
        assert_eq!([x.cell(own, 0, 1), x.cell(own, 1, 0)], [5.0, 6.0]);
        assert_eq!((own.rows(), own.columns(), own.len()), (2, 2, 4));
        assert_eq!((shared.rows(), shared.columns()), (2, 1));
        assert_eq!(x.sum_terms(2, |i| x.data(shared, i)), 5.0);
        let other = Table::new(1, 2, 1, true);
        assert_eq!(x.sum_rows([shared, other], |[a, b]| a * b), 2.0 * 5.0 + 3.0 * 6.0);
        assert_eq!(x.point.sum_rows([], |[]| 1.0), 0.0);
        assert_eq!(x.get(0), 9.0);
    }

    #[test]
    fn what_is_not_there_is_no_number() {
        let data = DataSlices { all: &[1.0], of_run: &[] };
        let x = WithData { point: SlicePoint(&[0.0]), data };
        assert!(x.data(Table::new(0, 1, 1, false), 1).is_nan());
        assert!(x.data(Table::new(0, 9, 1, false), 3).is_nan());
        assert!(x.data(Table::new(0, 1, 1, true), 0).is_nan());
        assert!(x.cell(Table::new(0, 1, 1, false), 0, 1).is_nan());
        assert!(SlicePoint(&[0.0]).data(Table::new(0, 1, 1, false), 0).is_nan());
        let rows = |tables| x.sum_rows(tables, |[a, b]: [f64; 2]| a + b);
        let (short, long) = (Table::new(0, 1, 1, false), Table::new(0, 2, 1, false));
        assert_eq!(rows([short, short]), 2.0);
        assert!(rows([short, long]).is_nan() && rows([long, long]).is_nan());
        assert!(SlicePoint(&[0.0]).sum_rows([short], |[a]| a).is_nan());
        assert!(Table::default().is_empty());
    }
}
