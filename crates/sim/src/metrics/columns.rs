//! Tables of equally long columns: time series and per-request records.

use std::borrow::Cow;

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Whole numbers.
    U64(Vec<u64>),
    /// Numbers.
    F64(Vec<f64>),
}

/// A named column; the name ends in the unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name.
    pub name: Cow<'static, str>,
    /// The values.
    pub values: Values,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Columns(pub Vec<Column>);
