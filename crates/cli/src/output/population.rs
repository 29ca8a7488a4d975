//! Populations as CSV.

use std::io::{self, Write};

use warpswarm::problem_file::DiscreteValue;
use warpswarm::{Population, Precise};

use crate::problem::Problem;
use crate::shown;

/// The names of the columns.
pub(crate) fn write_header(dimensions: usize, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "run,iteration,individual,value,violation")?;
    (1..=dimensions).try_for_each(|i| write!(out, ",x{i}"))?;
    writeln!(out)
}

/// A row an individual, with what coordinates stand for. Numbers read back to the same bits.
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

/// A name as a cell.
fn quoted(name: &str) -> String {
    let cell = shown::cell(name);
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

/// The number of coordinate `i` that a cell stands for, where it is one of some names or values.
pub(crate) fn read(problem: &Problem, i: usize, cell: &str) -> Option<f64> {
    // No name begins with this sign, but what a spreadsheet would take for a formula.
    let text = cell.strip_prefix('\'').unwrap_or(cell);
    problem.coordinate_of(i, text).ok()
}
