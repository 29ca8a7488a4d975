//! Populations as CSV.

use std::io::{self, Write};

use warpswarm::{Population, Precise};

/// The names of the columns.
pub(crate) fn write_header(dimensions: usize, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "run,iteration,individual,value,violation")?;
    (1..=dimensions).try_for_each(|i| write!(out, ",x{i}"))?;
    writeln!(out)
}

/// A row an individual. Numbers read back to the same bits.
pub(crate) fn write<R: Precise>(population: &Population<R>, out: &mut dyn Write) -> io::Result<()> {
    let Population { run, iterations, positions, fitness, .. } = population;
    let dimensions = positions.len() / fitness.len();
    for (i, (fitness, x)) in fitness.iter().zip(positions.chunks(dimensions)).enumerate() {
        write!(out, "{run},{iterations},{i},{:?},{:?}", fitness.value, fitness.violation)?;
        x.iter().try_for_each(|x| write!(out, ",{x:?}"))?;
        writeln!(out)?;
    }
    Ok(())
}
