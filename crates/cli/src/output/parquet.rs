//! The trace of the runs as Parquet, with the columns of `trace.csv`.

use std::io::Write;
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::data_type::{DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;
use warpswarm::{Precise, Report};

use super::trace::{Row, rows};
use crate::failure::Failure;

/// The best value and the violation are written as doubles in both precisions, which preserves all bits.
const SCHEMA: &str = "message trace {
    REQUIRED INT64 run (UINT_64);
    REQUIRED INT64 iteration (UINT_64);
    REQUIRED INT64 evaluations (UINT_64);
    REQUIRED DOUBLE seconds;
    REQUIRED DOUBLE best;
    REQUIRED DOUBLE violation;
    OPTIONAL DOUBLE mean;
    OPTIONAL DOUBLE spread;
}";

/// Writes the rows.
pub(crate) fn write<R: Precise>(report: &Report<R>, out: impl Write + Send) -> Result<(), Failure> {
    let rows: Vec<Row<R>> = rows(report).collect();
    columns(&rows, out)
        .map_err(|error| Failure::Running(format!("cannot write the trace as Parquet: {error}")))
}

fn columns<R: Precise>(rows: &[Row<R>], out: impl Write + Send) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder().set_compression(Compression::UNCOMPRESSED).build();
    let mut writer = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    let mut place = 0;
    while let Some(mut column) = group.next_column()? {
        match place {
            0 => whole(&mut column, rows.iter().map(|row| row.run))?,
            1 => whole(&mut column, rows.iter().map(|row| row.iteration))?,
            2 => whole(&mut column, rows.iter().map(|row| row.evaluations))?,
            3 => numbers(&mut column, rows.iter().map(|row| Some(row.seconds)))?,
            4 => numbers(&mut column, rows.iter().map(|row| Some(row.best.to_f64())))?,
            5 => numbers(&mut column, rows.iter().map(|row| Some(row.violation.to_f64())))?,
            6 => numbers(&mut column, rows.iter().map(|row| row.mean))?,
            _ => numbers(&mut column, rows.iter().map(|row| row.spread))?,
        }
        column.close()?;
        place += 1;
    }
    group.close()?;
    writer.close().map(|_| ())
}

fn whole(
    column: &mut SerializedColumnWriter<'_>,
    values: impl Iterator<Item = u64>,
) -> Result<(), ParquetError> {
    // The same 64 bits; the schema declares them as unsigned.
    let values: Vec<i64> = values.map(|value| value as i64).collect();
    column.typed::<Int64Type>().write_batch(&values, None, None).map(|_| ())
}

/// Writes a column of numbers. The levels mark missing values; a required column ignores them.
fn numbers(
    column: &mut SerializedColumnWriter<'_>,
    values: impl Iterator<Item = Option<f64>>,
) -> Result<(), ParquetError> {
    let (mut there, mut levels) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        there.extend(value);
    }
    column.typed::<DoubleType>().write_batch(&there, Some(&levels), None).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;

    #[test]
    fn what_is_written_is_read() {
        let row = |run, mean| Row {
            run,
            iteration: 2,
            evaluations: u64::MAX,
            seconds: 0.5,
            best: -0.1_f32,
            violation: f32::INFINITY,
            mean,
            spread: Some(0.25),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.parquet");
        let file = std::fs::File::create(&path).unwrap();
        columns(&[row(0, None), row(1, Some(0.75))], file).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let read: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(read.len(), 2);
        assert_eq!(read[1].get_ulong(0).unwrap(), 1);
        assert_eq!(read[1].get_ulong(2).unwrap(), u64::MAX);
        assert_eq!(read[1].get_double(4).unwrap(), f64::from(-0.1_f32));
        assert_eq!(read[1].get_double(5).unwrap(), f64::INFINITY);
        assert_eq!(read[1].get_double(6).unwrap(), 0.75);
        assert!(read[0].get_double(6).is_err());
        assert_eq!(read[0].get_double(7).unwrap(), 0.25);
    }
}
