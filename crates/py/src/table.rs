//! Tables for Python: by column, through the Arrow C stream interface, and as Parquet.

use crate::failure::Failure;
use crate::parquet;
use ::parquet::errors::ParquetError;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use std::sync::Arc;
use wordline_sim::metrics::{Columns, Values};

/// A column with a name of its own, for tables that were read from files.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedColumn {
    /// The name.
    pub name: String,
    /// The values.
    pub values: Values,
}

impl NamedColumn {
    /// True where both hold the same, bit by bit: what is no number equals itself.
    fn is(&self, other: &Self) -> bool {
        self.name == other.name
            && match (&self.values, &other.values) {
                (Values::F64(ours), Values::F64(theirs)) => {
                    let bits =
                        |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                    bits(ours) == bits(theirs)
                }
                (ours, theirs) => ours == theirs,
            }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::U64(values) => values.len(),
            Values::F64(values) => values.len(),
        }
    }

    fn field(&self) -> Field {
        let kind = match self.values {
            Values::U64(_) => DataType::UInt64,
            Values::F64(_) => DataType::Float64,
        };
        Field::new(&self.name, kind, false)
    }

    fn array(&self) -> ArrayRef {
        match &self.values {
            Values::U64(values) => Arc::new(UInt64Array::from(values.clone())),
            Values::F64(values) => Arc::new(Float64Array::from(values.clone())),
        }
    }
}

/// A table of equally long columns. Reads into polars, pyarrow, DuckDB and pandas 3 through the
/// Arrow PyCapsule interface; `dict(table)` holds its columns as lists.
#[pyclass(frozen, module = "wordline._native")]
pub struct Table(Vec<NamedColumn>);

impl From<Columns> for Table {
    fn from(columns: Columns) -> Self {
        let named = |c: wordline_sim::metrics::Column| NamedColumn {
            name: c.name.to_owned(),
            values: c.values,
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
            Some(Values::U64(values)) => values.into_pyobject(py),
            Some(Values::F64(values)) => values.into_pyobject(py),
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
        let fields: Vec<Field> = self.0.iter().map(NamedColumn::field).collect();
        let schema = Arc::new(Schema::new(fields));
        let arrays = self.0.iter().map(NamedColumn::array).collect();
        let batch = (!self.0.is_empty()).then(|| RecordBatch::try_new(schema.clone(), arrays));
        let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batch, schema)));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
