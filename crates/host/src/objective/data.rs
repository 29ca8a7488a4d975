//! Data of objectives: collected here, and copied once to the devices.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use warpswarm_core::Float;
use warpswarm_core::data::{DataSlices, Table};

use crate::error::{Error, Result};

/// The tables of an objective.
///
/// Each method returns a [`Table`], which the objective stores and with which it reads the numbers from its point
/// ([`Point::data`](crate::Point::data)). A table is shared by all runs, or each run has its own: then one batch fits
/// many data sets. A `Vec` is moved, a slice is copied.
///
/// ```
/// use warpswarm::{Bounds, Data, Objective, OwnObjective, Point, Real, Settings, Stop, Table, minimise};
///
/// /// The line through the origin that is nearest to some points.
/// #[repr(C)]
/// #[derive(Clone, Copy)]
/// struct Slope {
///     times: Table,
///     values: Table,
/// }
///
/// impl<R: Real> Objective<R> for Slope {
///     fn value<P: Point<R>>(&self, x: &P) -> R {
///         x.sum_terms(self.times.len(), |i| {
///             let error = x.get(0) * x.data(self.times, i) - x.data(self.values, i);
///             error * error
///         })
///     }
/// }
///
/// let mut data = Data::<f64>::new();
/// let times = data.table(&[1.0, 2.0, 3.0])?;
/// // Two runs, each with values of its own.
/// let values = data.table_of_runs(&[2.0, 4.0, 6.0, -1.0, -2.0, -3.0], 2)?;
/// let slope = OwnObjective::new("Slope", Slope { times, values }).with_data(data);
/// let bounds = Bounds::uniform(1, -9.0, 9.0)?;
/// let settings = Settings { runs: 2, individuals: 16, stop: Stop::iterations(200), ..Settings::default() };
/// let report = minimise(&slope, &bounds, &warpswarm::Algorithm::default(), &settings)?;
/// assert!((report.runs[0].best.position[0] - 2.0).abs() < 1e-6);
/// assert!((report.runs[1].best.position[0] + 1.0).abs() < 1e-6);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data<R> {
    all: Vec<R>,
    /// Per-run tables, each with the count of numbers per run.
    of_runs: Vec<(usize, Vec<R>)>,
    runs: Option<u64>,
}

impl<R: Float> Data<R> {
    /// No tables.
    pub fn new() -> Self {
        Data { all: Vec::new(), of_runs: Vec::new(), runs: None }
    }

    /// A table with one column that all runs share.
    ///
    /// ```
    /// let mut data = warpswarm::Data::<f32>::new();
    /// let times = data.table(&[0.0, 0.5, 1.0])?;
    /// assert_eq!((times.len(), times.is_of_run()), (3, false));
    /// let error = data.table(&[1.0, f32::NAN]).unwrap_err();
    /// assert!(error.to_string().starts_with("a table has NaN in row 1, column 0 of 2 x 1 numbers"));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a number is NaN, or there are 2^32 numbers or more.
    pub fn table<'a>(&mut self, numbers: impl Into<Cow<'a, [R]>>) -> Result<Table> {
        self.matrix(numbers, 1)
    }

    /// A table with rows of `columns` numbers that all runs share, `[row][column]`.
    ///
    /// ```
    /// let mut data = warpswarm::Data::<f64>::new();
    /// let rotation = data.matrix(&[0.0, -1.0, 1.0, 0.0, 0.0, 0.0], 2)?;
    /// assert_eq!((rotation.rows(), rotation.columns()), (3, 2));
    /// assert!(data.matrix(&[1.0, 2.0, 3.0], 2).is_err());
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`table`](Data::table), and if the numbers do not fill whole rows.
    pub fn matrix<'a>(
        &mut self,
        numbers: impl Into<Cow<'a, [R]>>,
        columns: usize,
    ) -> Result<Table> {
        let numbers = numbers.into();
        divides(numbers.len(), columns, "columns")?;
        no_nan(&numbers, columns)?;
        let start = self.all.len();
        let len = numbers.len();
        if start == 0 {
            self.all = numbers.into_owned();
        } else {
            self.all.extend_from_slice(&numbers);
        }
        place(start, len, columns, false)
    }

    /// A table with one column for each of `runs` runs, `[run][number]`.
    ///
    /// ```
    /// let mut data = warpswarm::Data::<f64>::new();
    /// // Of the first run 1, 2, 3, of the second 4, 5, 6.
    /// let values = data.table_of_runs(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2)?;
    /// assert_eq!((values.len(), values.is_of_run()), (3, true));
    /// // All tables are of as many runs.
    /// assert!(data.table_of_runs(&[1.0, 2.0, 3.0], 3).is_err());
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`table`](Data::table), and if the numbers cannot be divided equally among the runs, or another table has a
    /// different number of runs.
    pub fn table_of_runs<'a>(
        &mut self,
        numbers: impl Into<Cow<'a, [R]>>,
        runs: u64,
    ) -> Result<Table> {
        self.matrix_of_runs(numbers, runs, 1)
    }

    /// A table for each of `runs` runs, with rows of `columns` numbers, `[run][row][column]`.
    ///
    /// ```
    /// let mut data = warpswarm::Data::<f32>::new();
    /// // For each of four runs three rows of two columns.
    /// let places = data.matrix_of_runs(&[0.5; 24], 4, 2)?;
    /// assert_eq!((places.rows(), places.columns(), places.is_of_run()), (3, 2, true));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`table_of_runs`](Data::table_of_runs), and if the numbers do not fill whole rows.
    pub fn matrix_of_runs<'a>(
        &mut self,
        numbers: impl Into<Cow<'a, [R]>>,
        runs: u64,
        columns: usize,
    ) -> Result<Table> {
        let numbers = numbers.into();
        divides(numbers.len(), runs as usize, "runs")?;
        let len = numbers.len() / runs as usize;
        divides(len, columns, "columns")?;
        no_nan(&numbers, columns)?;
        if let Some(other) = self.runs.filter(|&other| other != runs) {
            return Err(Error::Runs { what: "data", given: runs, runs: other });
        }
        self.runs = Some(runs);
        let start = self.of_runs.iter().map(|(len, _)| len).sum();
        self.of_runs.push((len, numbers.into_owned()));
        place(start, len, columns, true)
    }

    /// The memory layout of the data: what all runs share, then what each run has.
    pub(crate) fn laid_out(mut self) -> LaidOut<R> {
        let of_run = self.of_runs.iter().map(|(len, _)| len).sum();
        let runs = self.runs.unwrap_or(0);
        if self.of_runs.len() == 1 {
            // A single table has this layout already.
            let of_runs = Arc::new(self.of_runs.remove(0).1);
            return LaidOut { all: Arc::new(self.all), of_runs, of_run, runs: self.runs };
        }
        let mut of_runs = Vec::with_capacity(of_run * runs as usize);
        for run in 0..runs as usize {
            for (len, numbers) in &self.of_runs {
                of_runs.extend_from_slice(&numbers[run * len..][..*len]);
            }
        }
        LaidOut { all: Arc::new(self.all), of_runs: Arc::new(of_runs), of_run, runs: self.runs }
    }
}

/// Data in their memory layout.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct LaidOut<R> {
    pub(crate) all: Arc<Vec<R>>,
    /// `[run][number]`
    pub(crate) of_runs: Arc<Vec<R>>,
    /// The count of numbers of each run.
    pub(crate) of_run: usize,
    /// The number of runs that the data are for, if it is fixed.
    runs: Option<u64>,
}

impl<R: Float> LaidOut<R> {
    /// The count of numbers that an evaluation can read.
    pub(crate) fn len_of_run(&self) -> usize {
        self.all.len() + self.of_run
    }

    /// The number of runs that the data are for, if it is fixed.
    pub(crate) fn runs(&self) -> Option<u64> {
        self.runs
    }

    /// Checks that the data are for this number of runs.
    pub(crate) fn check_runs(&self, runs: u64) -> Result<()> {
        match self.runs {
            Some(given) if given != runs => Err(Error::Runs { what: "data", given, runs }),
            _ => Ok(()),
        }
    }

    /// These data with more numbers after those that all runs share.
    pub(crate) fn with(&self, numbers: &[R]) -> Self {
        LaidOut {
            all: Arc::new([&self.all, numbers].concat()),
            of_runs: self.of_runs.clone(),
            of_run: self.of_run,
            runs: self.runs,
        }
    }

    /// These data with `of_run` numbers for each of `runs` runs, `[run][number]`. Without runs nothing changes.
    #[cfg(feature = "problem-files")]
    pub(crate) fn with_runs(self, of_runs: Arc<Vec<R>>, (of_run, runs): (usize, u64)) -> Self {
        if runs == 0 {
            return self;
        }
        LaidOut { of_runs, of_run, runs: Some(runs), ..self }
    }

    /// The data of some runs of the batch, laid out as for a batch of these runs.
    pub(crate) fn of_part(&self, runs: Range<u32>) -> Self {
        let of_runs = match self.of_run {
            len if runs.start == 0 && runs.end as usize * len == self.of_runs.len() => {
                self.of_runs.clone()
            }
            len => {
                let Range { start, end } = runs.clone();
                Arc::new(self.of_runs[start as usize * len..end as usize * len].to_vec())
            }
        };
        let runs = self.runs.map(|_| u64::from(runs.end - runs.start));
        LaidOut { all: self.all.clone(), of_runs, of_run: self.of_run, runs }
    }

    /// The data of run `run` of the batch.
    pub(crate) fn of(&self, run: u32) -> DataSlices<'_, R> {
        let of_run = self.of_runs.get(run as usize * self.of_run..).unwrap_or_default();
        DataSlices { all: &self.all, of_run: &of_run[..self.of_run.min(of_run.len())] }
    }
}

/// From this count of numbers on, the check uses all threads.
const MANY: usize = 1 << 20;

fn divides(len: usize, groups: usize, what: &'static str) -> Result<()> {
    if groups == 0 || !len.is_multiple_of(groups) {
        return Err(Error::DataLength { len, groups, what });
    }
    Ok(())
}

fn no_nan<R: Float>(numbers: &[R], columns: usize) -> Result<()> {
    // Pieces are checked without an early exit, which vectorises: hardly any number is NaN.
    const PIECE: usize = 4096;
    let has_nan = |piece: &[R]| piece.iter().fold(false, |nan, number| nan | number.is_nan());
    let piece = if numbers.len() < MANY {
        numbers.chunks(PIECE).position(has_nan)
    } else {
        numbers.par_chunks(PIECE).position_first(has_nan)
    };
    let Some(piece) = piece else { return Ok(()) };
    let within = numbers[piece * PIECE..].iter().position(|number| number.is_nan());
    let index = piece * PIECE + within.unwrap_or(0);
    let (row, column, rows) = (index / columns, index % columns, numbers.len() / columns);
    let found =
        format!("NaN in row {row}, column {column} of {rows} x {columns} numbers, counted from 0");
    Err(Error::Table { found, allowed: "numbers" })
}

fn place(start: usize, len: usize, columns: usize, of_run: bool) -> Result<Table> {
    let too_many = || Error::DataSize { numbers: start as u64 + len as u64 };
    u32::try_from(start + len).map_err(|_| too_many())?;
    Ok(Table::new(start as u32, len as u32, columns as u32, of_run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_runs_lie_run_by_run() {
        let mut data = Data::new();
        let a = data.table(&[1.0, 2.0]).unwrap();
        let b = data.matrix_of_runs(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 2, 2).unwrap();
        let c = data.table_of_runs(&[10.0, 20.0], 2).unwrap();
        assert_eq!(a, Table::new(0, 2, 1, false));
        assert_eq!((b, c), (Table::new(0, 4, 2, true), Table::new(4, 1, 1, true)));
        let laid = data.laid_out();
        assert_eq!(*laid.of_runs, [1.0, 2.0, 3.0, 4.0, 10.0, 5.0, 6.0, 7.0, 8.0, 20.0]);
        assert_eq!(laid.of(1).of_run, [5.0, 6.0, 7.0, 8.0, 20.0]);
        assert_eq!(laid.of(0).all, [1.0, 2.0]);
        assert!(laid.of(2).of_run.is_empty());
        let part = laid.of_part(1..2);
        assert_eq!((part.of(0).of_run, part.check_runs(1)), (laid.of(1).of_run, Ok(())));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mut data = Data::<f32>::new();
        let error = |result: Result<Table>| result.unwrap_err().to_string();
        assert_eq!(
            error(data.matrix(&[1.0; 5], 2)),
            "5 numbers of data do not fill 2 columns; allowed: a multiple of 2"
        );
        assert_eq!(
            error(data.table_of_runs(&[1.0; 5], 3)),
            "5 numbers of data do not fill 3 runs; allowed: a multiple of 3"
        );
        assert_eq!(
            error(data.matrix(&[1.0, 2.0, 3.0, f32::NAN, 5.0, 6.0], 2)),
            "a table has NaN in row 1, column 1 of 3 x 2 numbers, counted from 0; allowed: numbers"
        );
        data.table_of_runs(&[1.0; 6], 3).unwrap();
        assert_eq!(
            error(data.table_of_runs(&[1.0; 6], 2)),
            "data of 2 runs for 3 runs; allowed: as many as there are runs"
        );
    }
}
