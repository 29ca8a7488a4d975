//! Data that a program has in memory.

use super::file::Given;
use super::problem::ProblemFile;
use crate::error::{Error, Result};

/// Numbers with a name, for [`ProblemFile::parse_with_data`].
///
/// ```
/// use warpswarm::problem_file::{NamedNumbers, ProblemFile};
/// let text = "minimise = \"sum(j, A[2, j] * x[j])\"\nvariables.x = { count = 2, lower = 0, upper = 9 }";
/// let matrix = NamedNumbers { name: "A", numbers: &[1.0, 2.0, 3.0, 4.0], columns: Some(2) };
/// let problem = ProblemFile::parse_with_data(text, "product", &[matrix])?;
/// assert_eq!(problem.evaluate(&[1.0, 1.0])?.fitness.value, 7.0);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedNumbers<'a> {
    /// What expressions call them.
    pub name: &'a str,
    /// The numbers; of a matrix row after row.
    pub numbers: &'a [f64],
    /// Columns of a matrix, at least 1; none where they are a list.
    pub columns: Option<usize>,
}

impl NamedNumbers<'_> {
    /// As a file would give them.
    fn given(&self) -> Result<(String, Given)> {
        let all = self.numbers;
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
    /// Reads what a file could hold, with further constants that are many numbers: measurements that a program has in
    /// memory. They come before the file's own `[constants]`.
    ///
    /// ```
    /// use warpswarm::problem_file::{NamedNumbers, ProblemFile};
    /// let text = "minimise = \"sum(i, (y[i] - a * t[i])^2)\"\nvariables.a = { lower = 0, upper = 9 }";
    /// let numbers = |name, numbers| NamedNumbers { name, numbers, columns: None };
    /// let data = [numbers("t", &[1.0, 2.0]), numbers("y", &[3.0, 6.0])];
    /// let slope = ProblemFile::parse_with_data(text, "slope", &data)?;
    /// assert_eq!((slope.name(), slope.evaluate(&[3.0])?.fitness.value), ("slope", 0.0));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`parse`](ProblemFile::parse); where a name is none or is taken, there are no numbers or one is not finite, or they are
    /// no multiple of the columns.
    pub fn parse_with_data(text: &str, name: &str, data: &[NamedNumbers<'_>]) -> Result<Self> {
        let constants: Vec<_> = data.iter().map(NamedNumbers::given).collect::<Result<_>>()?;
        ProblemFile::parse_with(text, name, &constants)
    }
}
