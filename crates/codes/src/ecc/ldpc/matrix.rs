//! Base matrices of quasi-cyclic codes, and their text form.
//!
//! A line for each block column lists `row:shift` of its circulants: check z of the row has bit
//! (z + shift) mod 256 of the column. `#` begins a comment. The first lines say `circulant 256` and
//! `rows R`. The last R columns are the parity, in the form that IEEE 802.16e made usual: the first
//! of them has circulants in the first row, a middle one and the last, the outer two with the same
//! shift and the middle one with none; column i of the others has the identity in rows i and i + 1.

use super::block::SIZE;
use std::fmt;
use thiserror::Error;

/// A circulant: a rotated identity matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circulant {
    /// Block row.
    pub row: usize,
    /// How far it is rotated.
    pub shift: u8,
}

/// A parity-check matrix of circulants that allows encoding in linear time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseMatrix {
    rows: usize,
    columns: Vec<Vec<Circulant>>,
}

/// Text that is no base matrix.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct MatrixError {
    /// Counted from 1; the last line where something is missing.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

/// Rows from which the parity columns need no row twice, and up to which a decoder is sensible.
const ROWS: std::ops::RangeInclusive<usize> = 4..=64;
const MOST_COLUMNS: usize = 1024;

impl BaseMatrix {
    /// Data columns followed by the parity columns for them; `outer_shift` is that of the first
    /// parity column's outer circulants.
    ///
    /// # Panics
    /// When `rows` is not in 4 to 64.
    pub fn with_parity(rows: usize, mut data: Vec<Vec<Circulant>>, outer_shift: u8) -> Self {
        data.extend(parity_columns(rows, outer_shift));
        Self { rows, columns: data }
    }

    /// Block rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Circulants by block column: data, then as many parity columns as there are rows.
    pub fn columns(&self) -> &[Vec<Circulant>] {
        &self.columns
    }

    /// Block columns of data.
    pub fn data_columns(&self) -> usize {
        self.columns.len() - self.rows
    }

    /// The row of the middle circulant of the first parity column.
    pub fn middle_row(&self) -> usize {
        self.rows / 2
    }

    /// The shift of the outer circulants of the first parity column.
    pub fn outer_shift(&self) -> u8 {
        self.columns[self.data_columns()][0].shift
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// The line that is wrong, and why.
    pub fn parse(text: &str) -> Result<Self, MatrixError> {
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line.split('#').next().unwrap_or_default().trim()))
            .filter(|(_, line)| !line.is_empty());
        let mut last = text.lines().count();
        header(&mut lines, "circulant", SIZE..=SIZE, last)?;
        let rows = header(&mut lines, "rows", ROWS, last)?;
        let mut columns = Vec::new();
        for (line, content) in lines {
            last = line;
            if columns.len() == MOST_COLUMNS {
                return Err(wrong(line, format!("more than {MOST_COLUMNS} columns")));
            }
            columns.push(column(line, content, rows)?);
        }
        check_parity(rows, &columns, last)?;
        Ok(Self { rows, columns })
    }

    /// Pairs of block columns with a cycle of length 4 through their circulants: none, where the
    /// girth is at least 6.
    pub fn four_cycles(&self) -> usize {
        let mut found = 0;
        for (index, column) in self.columns.iter().enumerate() {
            for other in &self.columns[..index] {
                let differences: Vec<u8> = column
                    .iter()
                    .filter_map(|a| {
                        let b = other.iter().find(|b| b.row == a.row)?;
                        Some(a.shift.wrapping_sub(b.shift))
                    })
                    .collect();
                let twice = |&(i, d): &(usize, &u8)| differences[..i].contains(d);
                found += differences.iter().enumerate().filter(twice).count();
            }
        }
        found
    }
}

fn parity_columns(rows: usize, outer_shift: u8) -> impl Iterator<Item = Vec<Circulant>> {
    assert!(ROWS.contains(&rows), "{rows} rows");
    let circulant = |row, shift| Circulant { row, shift };
    let first =
        vec![circulant(0, outer_shift), circulant(rows / 2, 0), circulant(rows - 1, outer_shift)];
    let others = (0..rows - 1).map(move |row| vec![circulant(row, 0), circulant(row + 1, 0)]);
    std::iter::once(first).chain(others)
}

fn wrong(line: usize, what: String) -> MatrixError {
    MatrixError { line, what }
}

fn header<'a>(
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
    name: &str,
    range: std::ops::RangeInclusive<usize>,
    last: usize,
) -> Result<usize, MatrixError> {
    let (line, content) = lines.next().unwrap_or((last, ""));
    let value = content.strip_prefix(name).and_then(|rest| rest.trim().parse().ok());
    value.filter(|value| range.contains(value)).ok_or_else(|| {
        let (low, high) = (range.start(), range.end());
        let bounds = if low == high { format!("{low}") } else { format!("{low} to {high}") };
        wrong(line, format!("expected `{name}` and a number ({bounds}), not `{content}`"))
    })
}

fn column(line: usize, content: &str, rows: usize) -> Result<Vec<Circulant>, MatrixError> {
    let mut column: Vec<Circulant> = Vec::new();
    for entry in content.split_whitespace() {
        let circulant = entry.split_once(':').and_then(|(row, shift)| {
            Some(Circulant { row: row.parse().ok()?, shift: shift.parse().ok()? })
        });
        let circulant = circulant.filter(|circulant| circulant.row < rows).ok_or_else(|| {
            wrong(line, format!("expected `row:shift` with a row below {rows}, not `{entry}`"))
        })?;
        if column.iter().any(|other| other.row >= circulant.row) {
            return Err(wrong(line, "rows must ascend, each at most once".into()));
        }
        column.push(circulant);
    }
    Ok(column)
}

fn check_parity(rows: usize, columns: &[Vec<Circulant>], last: usize) -> Result<(), MatrixError> {
    let parity = columns.len().checked_sub(rows).filter(|&data| data > 0);
    let Some(parity) = parity.map(|data| &columns[data..]) else {
        let what = format!("{} columns are too few for {rows} rows of parity", columns.len());
        return Err(wrong(last, what));
    };
    let outer_shift = parity[0].first().map_or(0, |circulant| circulant.shift);
    for (index, wanted) in parity_columns(rows, outer_shift).enumerate() {
        if parity[index] != wanted {
            let wanted = Column(&wanted);
            let what = format!("parity column {index} of {rows} must be `{wanted}`");
            return Err(wrong(last, what));
        }
    }
    Ok(())
}

struct Column<'a>(&'a [Circulant]);

impl fmt::Display for Column<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Circulant { row, shift }) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{row}:{shift}")?;
        }
        Ok(())
    }
}

impl fmt::Display for BaseMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "circulant {SIZE}\nrows {}", self.rows)?;
        self.columns.iter().try_for_each(|column| writeln!(f, "{}", Column(column)))
    }
}
