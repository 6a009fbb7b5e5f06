//! Tables of error rates: those of the cell laboratory, and a user's own.

use super::{Table, number};
use crate::error::Error;

/// Bits of a cell at most, each a type of page.
const PAGE_TYPES: usize = 8;
/// Steps of a retry table at most.
const STEPS_MAX: usize = 256;
/// The columns that say of which pages a row speaks; a table that lacks one does not depend on it.
const OF: [&str; 9] =
    ["mode", "reprograms", "pec", "age_h", "temperature_c", "reads", "page", "layer", "retry"];
/// The columns of rates: one, or by default references and by the best ones.
const RATES: [&str; 3] = ["rber", "rber_default", "rber_optimal"];

/// The error rate of some pages, as a row of a table has it. What the table has no column for is 0, or empty.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rate<'a> {
    /// How the cells were programmed.
    pub mode: &'a str,
    /// Times that they were programmed again.
    pub reprograms: usize,
    /// P/E cycles.
    pub pec: f64,
    /// Time since.
    pub age_h: f64,
    /// The temperature meanwhile.
    pub temperature_c: f64,
    /// Reads of the block since its erase.
    pub reads: f64,
    /// Page type.
    pub page: usize,
    /// Layer of the word line, from 0 on.
    pub layer: f64,
    /// Step of the retry table, from 0 on.
    pub retry: usize,
    /// Wrong bits as a share of all: by default references, and by the best ones.
    pub by_references: [f64; 2],
    /// Where it stands.
    pub(super) line: usize,
}

/// Error rates, of all modes in which cells are programmed.
pub(crate) struct RateTable<'a> {
    pub(super) table: Table<'a>,
    /// Where each column of [`OF`] stands, if it does.
    places: [Option<usize>; OF.len()],
    /// Its rows.
    pub rows: Vec<Rate<'a>>,
}

impl<'a> RateTable<'a> {
    /// Reads a table, which is called `name` in messages: lines of comments, one of columns in any order, then rows.
    ///
    /// # Errors
    /// A column that there is none of, none of rates, or a row that does not fit them.
    pub fn parse(name: &'a str, text: &'a str) -> Result<Self, Error> {
        const WRITER: &str = "wordline lab tables";
        let (table, columns) = Table::open_any((name, WRITER), text);
        let columns: Vec<&str> = columns.split(',').map(str::trim).collect();
        let place = |name: &str| columns.iter().position(|column| *column == name);
        for (at, column) in columns.iter().enumerate() {
            let is_known = OF.contains(column) || RATES.contains(column);
            if !is_known || place(column) != Some(at) {
                let what =
                    format!("column \"{}\" is unknown, or there twice", column.escape_debug());
                return Err(table.wrong_columns(&what, &[&OF[..], &RATES[..]].concat().join(", ")));
            }
        }
        let places = OF.map(place);
        let rates = match (place(RATES[0]), place(RATES[1]).zip(place(RATES[2]))) {
            (Some(only), None) => [only; 2],
            (None, Some((default, best))) => [default, best],
            _ => {
                return Err(
                    table.wrong_columns("no column rber", "rber, or rber_default and rber_optimal")
                );
            }
        };
        let rows = table.rows_with_lines(|fields, line| {
            let row = Row { fields, places, count: columns.len() };
            row.rate(rates).map(|rate| Rate { line, ..rate })
        })?;
        Ok(Self { table, places, rows })
    }

    /// An error: the table is wrong.
    pub fn wrong(&self, what: &str) -> Error {
        self.table.wrong(what)
    }

    /// Whether the rates depend on a quantity.
    pub fn has(&self, column: &str) -> bool {
        OF.iter().position(|of| *of == column).is_some_and(|at| self.places[at].is_some())
    }

    /// The modes; none of a table that does not depend on them.
    pub fn modes(&self) -> impl Iterator<Item = &'a str> {
        let modes = self.rows.chunk_by(|a, b| a.mode == b.mode).map(|rows| rows[0].mode);
        modes.filter(|mode| !mode.is_empty())
    }
}

/// The fields of a row.
struct Row<'r, 'a> {
    fields: &'r [&'a str],
    places: [Option<usize>; OF.len()],
    /// How many the columns are.
    count: usize,
}

impl<'a> Row<'_, 'a> {
    /// Its rate, or what is wrong with it.
    fn rate(&self, rates: [usize; 2]) -> Result<Rate<'a>, String> {
        if self.fields.len() != self.count {
            return Err(format!("{} fields under {} columns", self.fields.len(), self.count));
        }
        let rber = |at: usize| {
            let rate = number(self.fields, rates[at]).filter(|rate| (0.0..=1.0).contains(rate));
            rate.ok_or_else(|| "a rate is no number between 0 and 1".to_owned())
        };
        Ok(Rate {
            mode: self.places[0].map_or("", |at| self.fields[at]),
            reprograms: self.whole(1, PAGE_TYPES)?,
            pec: self.number(2)?,
            age_h: self.number(3)?,
            temperature_c: self.number(4)?,
            reads: self.number(5)?,
            page: self.whole(6, PAGE_TYPES)?,
            layer: self.number(7)?,
            retry: self.whole(8, STEPS_MAX)?,
            by_references: [rber(0)?, rber(1)?],
            line: 0,
        })
    }

    fn number(&self, of: usize) -> Result<f64, String> {
        let Some(at) = self.places[of] else { return Ok(0.0) };
        let is_right = |number: &f64| *number >= 0.0 || OF[of] == "temperature_c";
        let number = number(self.fields, at).filter(is_right);
        number.ok_or_else(|| format!("{} is no number from 0 on", OF[of]))
    }

    fn whole(&self, of: usize, end: usize) -> Result<usize, String> {
        let Some(at) = self.places[of] else { return Ok(0) };
        let number = self.fields[at].parse().ok().filter(|&number| number < end);
        number.ok_or_else(|| format!("{} is no whole number from 0 to {}", OF[of], end - 1))
    }
}
