//! Tables for Python: by column, through the Arrow C stream interface, and as Parquet.

use crate::parquet;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyMemoryError, PyValueError};
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

/// A table of equally long columns. Reads into pandas, polars, pyarrow and DuckDB through the
/// Arrow PyCapsule interface.
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
        let file = file.map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &file))
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
