//! Data that a program passes in memory.

use std::sync::Arc;

use super::file::Given;
use super::problem::ProblemFile;
use crate::error::{Error, Result};

/// Numbers with a name, for [`ProblemFile::parse_with_data`].
///
/// ```
/// use warpswarm::problem_file::{NamedNumbers, ProblemFile};
/// let text = "minimise = \"sum(j, A[2, j] * x[j])\"\nvariables.x = { count = 2, lower = 0, upper = 9 }";
/// let matrix = NamedNumbers { name: "A", numbers: &[1.0, 2.0, 3.0, 4.0], columns: Some(2), of_runs: None };
/// let problem = ProblemFile::parse_with_data(text, "product", &[matrix])?;
/// assert_eq!(problem.evaluate(&[1.0, 1.0])?.fitness.value, 7.0);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedNumbers<'a> {
    /// Their name in expressions.
    pub name: &'a str,
    /// The numbers; a matrix is stored row by row.
    pub numbers: &'a [f64],
    /// The number of columns of a matrix, at least 1; `None` for a list.
    pub columns: Option<usize>,
    /// The number of runs that each have their own numbers, stored one run after the other; a batch then has this many
    /// runs. A list of one number per run is used without an index, as `k`. `None` if all runs share the numbers.
    pub of_runs: Option<u64>,
}

/// Numbers that differ between runs.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfRuns {
    pub(super) name: String,
    pub(super) runs: usize,
    /// `[run][number]`
    pub(super) numbers: Arc<Vec<f64>>,
}

impl NamedNumbers<'_> {
    /// The per-run numbers, if each run has its own.
    fn of_runs(&self, problem: &str) -> Result<Option<OfRuns>> {
        let Some(runs) = self.of_runs.map(|runs| runs as usize) else { return Ok(None) };
        let said = |message| Error::ProblemFile { file: problem.into(), message };
        if runs == 0 || !self.numbers.len().is_multiple_of(runs) {
            let message = format!(
                "`{}` has {} numbers for {runs} runs; allowed: as many for each",
                self.name,
                self.numbers.len()
            );
            return Err(said(message));
        }
        if let Some(number) = self.numbers.iter().find(|number| !number.is_finite()) {
            let message = format!("`{}` has {number}; allowed: finite numbers", self.name);
            return Err(said(message));
        }
        Ok(Some(OfRuns { name: self.name.into(), runs, numbers: Arc::new(self.numbers.to_vec()) }))
    }

    /// The numbers in the form of a file's constant; for per-run numbers those of the first run.
    fn given(&self) -> Result<(String, Given)> {
        let of_run = self.numbers.len() / self.of_runs.map_or(1, |runs| runs.max(1) as usize);
        let all = &self.numbers[..of_run];
        let given = match self.columns {
            None => Given::list(all.iter().copied()),
            Some(columns) if columns > 0 && all.len().is_multiple_of(columns) => Given::List(
                all.chunks(columns).map(|row| Given::list(row.iter().copied())).collect(),
            ),
            Some(columns) => {
                return Err(Error::Setting {
                    field: "columns",
                    value: columns.to_string(),
                    allowed: format!("a divisor of {}, the numbers of `{}`", all.len(), self.name),
                });
            }
        };
        Ok((self.name.into(), given))
    }
}

impl ProblemFile {
    /// Reads a problem from text, with further constants that are lists or matrices: measurements that a program has in
    /// memory. They are defined before the text's own `[constants]`.
    ///
    /// ```
    /// use warpswarm::problem_file::{NamedNumbers, ProblemFile};
    /// let text = "minimise = \"sum(i, (y[i] - a * t[i])^2)\"\nvariables.a = { lower = 0, upper = 9 }";
    /// let numbers = |name, numbers| NamedNumbers { name, numbers, columns: None, of_runs: None };
    /// let data = [numbers("t", &[1.0, 2.0]), numbers("y", &[3.0, 6.0])];
    /// let slope = ProblemFile::parse_with_data(text, "slope", &data)?;
    /// assert_eq!((slope.name(), slope.evaluate(&[3.0])?.fitness.value), ("slope", 0.0));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// Per-run numbers make a batch of fits:
    ///
    /// ```
    /// use warpswarm::problem_file::{NamedNumbers, ProblemFile};
    /// use warpswarm::{Algorithm, Settings, Stop};
    /// let text = "minimise = \"sum(i, (y[i] - a * t[i])^2)\"\nvariables.a = { lower = 0, upper = 9 }";
    /// let shared = NamedNumbers { name: "t", numbers: &[1.0, 2.0], columns: None, of_runs: None };
    /// let own = NamedNumbers { name: "y", numbers: &[3.0, 6.0, 4.0, 8.0], columns: None, of_runs: Some(2) };
    /// let slopes = ProblemFile::parse_with_data(text, "slopes", &[shared, own])?;
    /// assert_eq!((slopes.runs(), slopes.evaluate_in_run(1, &[4.0])?.fitness.value), (Some(2), 0.0));
    /// let settings = Settings { runs: 2, individuals: 8, stop: Stop::iterations(200), ..Settings::default() };
    /// let report = slopes.optimiser::<f64>(&Algorithm::default(), &settings)?.run()?;
    /// assert!((report.runs[1].best.position[0] - 4.0).abs() < 1e-6);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`parse`](ProblemFile::parse), and if a name is not valid or is taken, if there are no numbers or one is not
    /// finite, or if their count is not a multiple of the columns.
    pub fn parse_with_data(text: &str, name: &str, data: &[NamedNumbers<'_>]) -> Result<Self> {
        let mut of_runs: Vec<OfRuns> = Vec::new();
        for numbers in data {
            of_runs.extend(numbers.of_runs(name)?);
        }
        if let Some([one, other]) =
            of_runs.array_windows().find(|[one, other]| one.runs != other.runs)
        {
            let message = format!(
                "`{}` is of {} runs and `{}` of {}; allowed: of as many",
                one.name, one.runs, other.name, other.runs
            );
            return Err(Error::ProblemFile { file: name.into(), message });
        }
        let constants: Vec<_> = data.iter().map(NamedNumbers::given).collect::<Result<_>>()?;
        ProblemFile::parse_with(text, name, &constants, &of_runs)
    }
}
