//! Populations as CSV.

use std::io::{self, Write};

use warpswarm::problem_file::DiscreteValue;
use warpswarm::{Population, Precise};

use crate::problem::Problem;
use crate::shown;

/// Writes the names of the columns.
pub(crate) fn write_header(dimensions: usize, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "run,iteration,individual,value,violation")?;
    (1..=dimensions).try_for_each(|i| write!(out, ",x{i}"))?;
    writeln!(out)
}

/// Writes one row per individual. Discrete coordinates are written as their names or values; reading the numbers
/// restores the same bits.
pub(crate) fn write<R: Precise>(
    population: &Population<R>,
    problem: &Problem,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Population { run, iterations, positions, fitness, .. } = population;
    let dimensions = positions.len() / fitness.len();
    for (i, (fitness, x)) in fitness.iter().zip(positions.chunks(dimensions)).enumerate() {
        write!(out, "{run},{iterations},{i},{:?},{:?}", fitness.value, fitness.violation)?;
        for (i, &x) in x.iter().enumerate() {
            match problem.discrete_value(i, x) {
                Some(DiscreteValue::Name(name)) => write!(out, ",{}", quoted(name))?,
                Some(DiscreteValue::Value(value)) => write!(out, ",{value:?}")?,
                None => write!(out, ",{x:?}")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A name as a cell of a CSV file.
fn quoted(name: &str) -> String {
    let cell = shown::cell(name);
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

/// Parses a cell as coordinate `i`. For a discrete coordinate the cell contains its name or value.
pub(crate) fn read(problem: &Problem, i: usize, cell: &str) -> Option<f64> {
    // A leading apostrophe is never part of a name: it is added to text that a spreadsheet would read as a formula.
    let text = cell.strip_prefix('\'').unwrap_or(cell);
    problem.coordinate_of(i, text).ok()
}
