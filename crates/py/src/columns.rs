//! The columns of which tables are made.

use wordline_sim::metrics::Values;

/// The values of a column of a table for Python.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Whole numbers.
    U64(Vec<u64>),
    /// Numbers.
    F64(Vec<f64>),
    /// Numbers, some of which may be absent.
    Known(Vec<Option<f64>>),
    /// Texts, some of which may be absent.
    Text(Vec<Option<String>>),
}

impl From<Values> for Cells {
    fn from(values: Values) -> Self {
        match values {
            Values::U64(values) => Self::U64(values),
            Values::F64(values) => Self::F64(values),
        }
    }
}

/// A column with a name of its own, for tables that were read from files or made by Python.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedColumn {
    /// The name.
    pub name: String,
    /// The values.
    pub values: Cells,
}

impl NamedColumn {
    /// Whether both hold the same, bit by bit: what is no number equals itself.
    pub fn is(&self, other: &Self) -> bool {
        self.name == other.name
            && match (&self.values, &other.values) {
                (Cells::F64(ours), Cells::F64(theirs)) => {
                    ours.iter().map(|v| v.to_bits()).eq(theirs.iter().map(|v| v.to_bits()))
                }
                (Cells::Known(ours), Cells::Known(theirs)) => {
                    let bits = |value: &Option<f64>| value.map(f64::to_bits);
                    ours.iter().map(bits).eq(theirs.iter().map(bits))
                }
                (ours, theirs) => ours == theirs,
            }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        match &self.values {
            Cells::U64(values) => values.len(),
            Cells::F64(values) => values.len(),
            Cells::Known(values) => values.len(),
            Cells::Text(values) => values.len(),
        }
    }
}
