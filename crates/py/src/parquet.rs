//! Tables as Parquet, in row groups of a million, Snappy-compressed. Columns are required, but for
//! those whose values may be absent.

use crate::columns::{Cells, NamedColumn};
use bytes::Bytes;
use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::ops::Range;
use std::sync::Arc;

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
    let (physical, converted, repetition) = match column.values {
        Cells::U64(_) => (Physical::INT64, ConvertedType::UINT_64, Repetition::REQUIRED),
        Cells::F64(_) => (Physical::DOUBLE, ConvertedType::NONE, Repetition::REQUIRED),
        Cells::Known(_) => (Physical::DOUBLE, ConvertedType::NONE, Repetition::OPTIONAL),
        Cells::Text(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8, Repetition::OPTIONAL),
    };
    let builder = Type::primitive_type_builder(&column.name, physical)
        .with_repetition(repetition)
        .with_converted_type(converted);
    Ok(Arc::new(builder.build()?))
}

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &Cells,
    rows: Range<usize>,
) -> Result<()> {
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    match values {
        Cells::U64(values) => {
            // Parquet stores unsigned numbers in the signed type of the same width.
            let signed: Vec<i64> = values[rows].iter().map(|value| value.cast_signed()).collect();
            writer.typed::<Int64Type>().write_batch(&signed, None, None)?;
        }
        Cells::F64(values) => {
            writer.typed::<DoubleType>().write_batch(&values[rows], None, None)?;
        }
        Cells::Known(values) => {
            let (known, levels) = present(&values[rows], |value| *value);
            writer.typed::<DoubleType>().write_batch(&known, Some(&levels), None)?;
        }
        Cells::Text(values) => {
            let (known, levels) = present(&values[rows], |text| ByteArray::from(text.as_str()));
            writer.typed::<ByteArrayType>().write_batch(&known, Some(&levels), None)?;
        }
    }
    writer.close()
}

/// The values that are there, and for each place whether one is: 1, or 0.
fn present<T, P>(values: &[Option<T>], store: impl Fn(&T) -> P) -> (Vec<P>, Vec<i16>) {
    let known = values.iter().flatten().map(store).collect();
    (known, values.iter().map(|value| i16::from(value.is_some())).collect())
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
) -> Result<Cells> {
    let column = schema.column(index);
    let is_optional = column.max_def_level() > 0;
    match (column.physical_type(), is_optional) {
        (Physical::INT64, false) => {
            let (signed, _) = read_values::<Int64Type>(file, index)?;
            Ok(Cells::U64(signed.into_iter().map(i64::cast_unsigned).collect()))
        }
        (Physical::DOUBLE, false) => Ok(Cells::F64(read_values::<DoubleType>(file, index)?.0)),
        (Physical::DOUBLE, true) => {
            let (known, levels) = read_values::<DoubleType>(file, index)?;
            Ok(Cells::Known(placed(known, &levels)))
        }
        (Physical::BYTE_ARRAY, true) => {
            let (known, levels) = read_values::<ByteArrayType>(file, index)?;
            let texts = known.iter().map(|text| Ok(text.as_utf8()?.to_owned()));
            Ok(Cells::Text(placed(texts.collect::<Result<_>>()?, &levels)))
        }
        (other, _) => Err(ParquetError::General(format!("a column of type {other}"))),
    }
}

/// Values in the places that have one.
fn placed<T>(known: Vec<T>, levels: &[i16]) -> Vec<Option<T>> {
    let mut known = known.into_iter();
    levels.iter().map(|level| (*level > 0).then(|| known.next()).flatten()).collect()
}

/// The values of a column whose physical type is that of `T`, and which of its places have one; the
/// places are empty where all must.
fn read_values<T: DataType>(
    file: &SerializedFileReader<Bytes>,
    index: usize,
) -> Result<(Vec<T::T>, Vec<i16>)> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for group in 0..file.num_row_groups() {
        let mut reader =
            get_typed_column_reader::<T>(file.get_row_group(group)?.get_column_reader(index)?);
        while reader.read_records(ROWS_PER_GROUP, Some(&mut levels), None, &mut values)?.0 > 0 {}
    }
    Ok((values, levels))
}
