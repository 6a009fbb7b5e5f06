//! Tables as Parquet: every column required, in row groups of a million, Snappy-compressed.

use crate::table::NamedColumn;
use bytes::Bytes;
use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::ops::Range;
use std::sync::Arc;
use wordline_sim::metrics::Values;

const ROWS_PER_GROUP: usize = 1 << 20;

/// The bytes of a Parquet file that holds `table`.
pub fn encode(table: &[NamedColumn]) -> Result<Vec<u8>> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema(table)?, Arc::new(properties))?;
    let rows = table.first().map_or(0, NamedColumn::len);
    for start in (0..rows).step_by(ROWS_PER_GROUP) {
        let range = start..rows.min(start + ROWS_PER_GROUP);
        let mut group = writer.next_row_group()?;
        for column in table {
            write_column(&mut group, &column.values, range.clone())?;
        }
        group.close()?;
    }
    writer.into_inner()
}

fn schema(table: &[NamedColumn]) -> Result<TypePtr> {
    let fields = table.iter().map(field).collect::<Result<_>>()?;
    Ok(Arc::new(Type::group_type_builder("table").with_fields(fields).build()?))
}

fn field(column: &NamedColumn) -> Result<TypePtr> {
    let (physical, converted) = match column.values {
        Values::U64(_) => (Physical::INT64, ConvertedType::UINT_64),
        Values::F64(_) => (Physical::DOUBLE, ConvertedType::NONE),
    };
    let builder = Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::REQUIRED)
        .with_converted_type(converted);
    Ok(Arc::new(builder.build()?))
}

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &Values,
    rows: Range<usize>,
) -> Result<()> {
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    match values {
        Values::U64(values) => {
            // Parquet stores unsigned numbers in the signed type of the same width.
            let signed: Vec<i64> = values[rows].iter().map(|value| value.cast_signed()).collect();
            writer.typed::<Int64Type>().write_batch(&signed, None, None)?;
        }
        Values::F64(values) => {
            writer.typed::<DoubleType>().write_batch(&values[rows], None, None)?;
        }
    }
    writer.close()
}

/// The table in a Parquet file that [`encode`] wrote; no bytes are no columns.
pub fn decode(file: Vec<u8>) -> Result<Vec<NamedColumn>> {
    if file.is_empty() {
        return Ok(Vec::new());
    }
    let reader = SerializedFileReader::new(Bytes::from(file))?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let names = schema.columns().iter().map(|column| column.name().to_owned());
    let column =
        |(index, name)| Ok(NamedColumn { name, values: read_column(&reader, &schema, index)? });
    names.enumerate().map(column).collect()
}

fn read_column(
    file: &SerializedFileReader<Bytes>,
    schema: &SchemaDescriptor,
    index: usize,
) -> Result<Values> {
    match schema.column(index).physical_type() {
        Physical::INT64 => {
            let signed = read_values::<Int64Type>(file, index)?;
            Ok(Values::U64(signed.into_iter().map(i64::cast_unsigned).collect()))
        }
        Physical::DOUBLE => Ok(Values::F64(read_values::<DoubleType>(file, index)?)),
        other => Err(ParquetError::General(format!("a column of type {other}"))),
    }
}

/// The values of a column whose physical type is that of `T`.
fn read_values<T: DataType>(file: &SerializedFileReader<Bytes>, index: usize) -> Result<Vec<T::T>> {
    let mut values = Vec::new();
    for group in 0..file.num_row_groups() {
        let mut reader =
            get_typed_column_reader::<T>(file.get_row_group(group)?.get_column_reader(index)?);
        while reader.read_records(ROWS_PER_GROUP, None, None, &mut values)?.0 > 0 {}
    }
    Ok(values)
}
