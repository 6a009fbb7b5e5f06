//! Tables for Python: by column, through the Arrow C stream interface, and as Parquet.

use crate::columns::{Cells, NamedColumn};
use crate::failure::Failure;
use crate::parquet;
use ::parquet::errors::ParquetError;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use std::sync::Arc;
use wordline_sim::metrics::Columns;

/// What a column is to Arrow.
fn field(column: &NamedColumn) -> Field {
    let (kind, may_be_absent) = match column.values {
        Cells::U64(_) => (DataType::UInt64, false),
        Cells::F64(_) => (DataType::Float64, false),
        Cells::Known(_) => (DataType::Float64, true),
        Cells::Text(_) => (DataType::Utf8, true),
    };
    Field::new(&column.name, kind, may_be_absent)
}

/// The values of a column as Arrow has them.
fn array(column: &NamedColumn) -> ArrayRef {
    match &column.values {
        Cells::U64(values) => Arc::new(UInt64Array::from(values.clone())),
        Cells::F64(values) => Arc::new(Float64Array::from(values.clone())),
        Cells::Known(values) => Arc::new(Float64Array::from(values.clone())),
        Cells::Text(values) => Arc::new(StringArray::from(values.clone())),
    }
}

/// The values of a column as Python gives them, by the name of their kind.
fn cells(kind: &str, values: &Bound<'_, PyAny>) -> PyResult<Cells> {
    match kind {
        "whole" => Ok(Cells::U64(values.extract()?)),
        "number" => Ok(Cells::Known(values.extract()?)),
        "text" => Ok(Cells::Text(values.extract()?)),
        other => Err(PyValueError::new_err(format!("no kind of column: `{other}`"))),
    }
}

/// A table of equally long columns. Reads into polars, pyarrow, DuckDB and pandas 3 through the
/// Arrow PyCapsule interface; `dict(table)` holds its columns as lists.
#[pyclass(frozen, module = "wordline._native")]
pub struct Table(Vec<NamedColumn>);

impl From<Columns> for Table {
    fn from(columns: Columns) -> Self {
        let named = |c: wordline_sim::metrics::Column| NamedColumn {
            name: c.name.into_owned(),
            values: c.values.into(),
        };
        Self(columns.0.into_iter().map(named).collect())
    }
}

impl From<Vec<NamedColumn>> for Table {
    fn from(columns: Vec<NamedColumn>) -> Self {
        Self(columns)
    }
}

#[pymethods]
impl Table {
    /// Reads a table that [`Self::parquet`] wrote; no bytes are a table without columns.
    #[staticmethod]
    fn from_parquet(py: Python<'_>, data: Vec<u8>) -> PyResult<Self> {
        let table = py.detach(|| parquet::decode(data));
        table.map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// A table of columns, each a name, the kind of its values (`whole`, `number`, `text`), and a
    /// list of them. Numbers and texts may be `None`.
    #[staticmethod]
    fn from_columns(columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let column = |(name, kind, values): (String, String, Bound<'_, PyAny>)| {
            Ok(NamedColumn { values: cells(&kind, &values)?, name })
        };
        let columns = columns.into_iter().map(column).collect::<PyResult<Vec<_>>>()?;
        let rows = columns.first().map_or(0, NamedColumn::len);
        match columns.iter().find(|column| column.len() != rows) {
            Some(column) => Err(PyValueError::new_err(format!(
                "column `{}` has {} rows, not {rows}",
                column.name,
                column.len()
            ))),
            None => Ok(Self(columns)),
        }
    }

    /// The columns' names, in order.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.0.iter().map(|column| column.name.as_str()).collect()
    }

    /// The columns' names, in order: with it `dict(table)` holds every column as a list.
    fn keys(&self) -> Vec<&str> {
        self.names()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let (ours, theirs) = (&self.0, &other.get().0);
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| a.is(b))
        })
    }

    fn __repr__(&self) -> String {
        format!("Table({} rows: {})", self.__len__(), self.names().join(", "))
    }

    fn __deepcopy__<'py>(this: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        this
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_parquet")?, (self.parquet(py)?,)))
    }

    /// Rows.
    fn __len__(&self) -> usize {
        self.0.first().map_or(0, NamedColumn::len)
    }

    /// The values of a column, as a list.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let column = self.0.iter().find(|column| column.name == name);
        match column.map(|column| &column.values) {
            Some(Cells::U64(values)) => values.into_pyobject(py),
            Some(Cells::F64(values)) => values.into_pyobject(py),
            Some(Cells::Known(values)) => values.into_pyobject(py),
            Some(Cells::Text(values)) => values.into_pyobject(py),
            None => {
                let what = format!("no column `{name}`; columns: {}", self.names().join(", "));
                Err(PyKeyError::new_err(what))
            }
        }
    }

    /// The table as a Parquet file.
    fn parquet<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let file = py.detach(|| parquet::encode(&self.0));
        let failed = |error: ParquetError| Failure::Run {
            what: format!("the table cannot be written as Parquet: {error}"),
            help: String::new(),
        };
        Ok(PyBytes::new(py, &file.map_err(failed)?))
    }

    /// The table as an Arrow stream. The schema asked for is a wish, which is not granted.
    #[pyo3(signature = (requested_schema=None))]
    #[allow(unused_variables)]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let fields: Vec<Field> = self.0.iter().map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        let arrays = self.0.iter().map(array).collect();
        let batch = (!self.0.is_empty()).then(|| RecordBatch::try_new(schema.clone(), arrays));
        let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batch, schema)));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
