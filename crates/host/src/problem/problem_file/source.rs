//! Serialisation of problems: everything that they are created from.

use super::file::Given;
use super::named_numbers::OfRuns;
use super::problem::ProblemFile;
use super::reader::{DataFrom, NO_PLACE, Reader};
use crate::error::{Error, Result};
use crate::serial::Number;

/// Everything that a problem is created from: the serialised form of a [`ProblemFile`].
#[derive(Debug, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    name: String,
    text: String,
    /// Constants that are not in the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    constants: Vec<(String, Given)>,
    /// The per-run numbers among these constants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    of_runs: Vec<OfRuns>,
    /// Data from files: `[column][row]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    data: Vec<Vec<f64>>,
    /// `[point][coordinate]`; empty if no starting points were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    start: Vec<Vec<Number<f64>>>,
}

impl From<ProblemFile> for Source {
    fn from(problem: ProblemFile) -> Self {
        let numbers = &problem.names.data;
        let of = |&(first, len): &(u32, u32)| numbers[first as usize..][..len as usize].to_vec();
        let data = problem.from_files.iter().map(of).collect();
        let point = |point: Vec<f64>| point.into_iter().map(Number).collect();
        let start = problem.given.into_iter().map(point).collect();
        let constants = problem.added.to_vec();
        let of_runs = problem.of_runs.to_vec();
        Source { name: problem.name, text: problem.text, constants, of_runs, data, start }
    }
}

impl TryFrom<Source> for ProblemFile {
    type Error = Error;

    fn try_from(source: Source) -> Result<Self> {
        let data = DataFrom::Here(&source.data);
        let Source { name, constants, of_runs, .. } = &source;
        let reader =
            Reader { file: "the problem", data, name, constants, of_runs, place: NO_PLACE };
        let problem = reader.read(&source.text)?;
        let point = |point: &Vec<Number<f64>>| -> Vec<f64> { point.iter().map(|x| x.0).collect() };
        let start: Vec<_> = source.start.iter().map(point).collect();
        if start.is_empty() { Ok(problem) } else { problem.beginning_at(&start) }
    }
}
