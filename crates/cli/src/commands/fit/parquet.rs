//! The table of all fits as Parquet, with the columns of `fits.csv`.

use std::io::Write;
use std::sync::Arc;

use ::parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::Type;
use serde::Serialize;
use warpswarm::Precise;

use super::done::Done;
use super::records::Column;
use crate::failure::Failure;

impl<R: Precise + Serialize> Done<'_, R> {
    /// Writes the table. All numbers are written as doubles, which preserves their bits.
    pub(super) fn parquet(&self, out: impl Write + Send) -> Result<(), Failure> {
        write(&self.columns(), out)
            .map_err(|error| Failure::Running(format!("cannot write the fits as Parquet: {error}")))
    }
}

fn write<R: Precise>(
    columns: &[(String, Column<R>)],
    out: impl Write + Send,
) -> Result<(), ParquetError> {
    let field = |(name, column): &(String, Column<R>)| {
        let (physical, converted, repetition) = match column {
            Column::Text(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8, Repetition::REQUIRED),
            Column::Whole(_) => (Physical::INT64, ConvertedType::UINT_64, Repetition::REQUIRED),
            Column::Numbers(_) => (Physical::DOUBLE, ConvertedType::NONE, Repetition::OPTIONAL),
        };
        let field = Type::primitive_type_builder(name, physical);
        field.with_converted_type(converted).with_repetition(repetition).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("fits").with_fields(fields).build()?);
    let properties = WriterProperties::builder().set_compression(Compression::UNCOMPRESSED).build();
    let mut writer = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, column) in columns {
        let Some(mut into) = group.next_column()? else { break };
        match column {
            Column::Text(all) => {
                let all: Vec<ByteArray> = all.iter().map(|text| text.as_str().into()).collect();
                into.typed::<ByteArrayType>().write_batch(&all, None, None)?;
            }
            Column::Whole(all) => {
                // The same 64 bits; the schema declares them as unsigned.
                let all: Vec<i64> = all.iter().map(|&number| number as i64).collect();
                into.typed::<Int64Type>().write_batch(&all, None, None)?;
            }
            Column::Numbers(all) => {
                let levels: Vec<i16> =
                    all.iter().map(|number| i16::from(number.is_some())).collect();
                let there: Vec<f64> = all.iter().flatten().map(|number| number.to_f64()).collect();
                into.typed::<DoubleType>().write_batch(&there, Some(&levels), None)?;
            }
        }
        into.close()?;
    }
    group.close()?;
    writer.close().map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;

    #[test]
    fn what_is_written_is_read() {
        let columns = [
            ("group".to_string(), Column::Text(vec!["a".into(), "b".into()])),
            ("x[1]".to_string(), Column::Numbers(vec![Some(0.5_f32), None])),
            ("rows".to_string(), Column::Whole(vec![3, u64::MAX])),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fits.parquet");
        write(&columns, std::fs::File::create(&path).unwrap()).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let read: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(read.len(), 2);
        assert_eq!(read[1].get_string(0).unwrap(), "b");
        assert_eq!(read[0].get_double(1).unwrap(), 0.5);
        assert!(read[1].get_double(1).is_err());
        assert_eq!(read[1].get_ulong(2).unwrap(), u64::MAX);
    }
}
