//! Tables of error rates: those of the cell laboratory, and a user's own.

use super::rates::{ErrorRates, Grid};
use super::{Table, number};
use crate::error::Error;
use crate::schema::References;

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
    table: Table<'a>,
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

    /// That the table is wrong.
    pub fn wrong(&self, what: &str) -> Error {
        self.table.wrong(what)
    }

    /// True where the rates depend on a quantity.
    pub fn has(&self, column: &str) -> bool {
        OF.iter().position(|of| *of == column).is_some_and(|at| self.places[at].is_some())
    }

    /// The modes; none of a table that does not depend on them.
    pub fn modes(&self) -> impl Iterator<Item = &'a str> {
        let modes = self.rows.chunk_by(|a, b| a.mode == b.mode).map(|rows| rows[0].mode);
        modes.filter(|mode| !mode.is_empty())
    }

    /// Those of a mode at a temperature.
    ///
    /// # Errors
    /// The table has none of them, or two for the same.
    pub fn of(
        &self,
        mode: &str,
        temperature_c: f64,
        references: References,
    ) -> Result<ErrorRates, Error> {
        let is_any_mode = !self.has("mode");
        let is_any_temperature = !self.has("temperature_c");
        let of_mode = |row: &&Rate<'_>| is_any_mode || row.mode == mode;
        let is_aged = |row: &Rate<'_>| row.age_h > 0.0;
        let all: Vec<Rate<'_>> = self.rows.iter().filter(of_mode).copied().collect();
        // Data that has not aged knows no temperature.
        let is_fresh = |row: &Rate<'_>| self.has("age_h") && !is_aged(row);
        let is_here = |row: &Rate<'_>| row.temperature_c == temperature_c;
        let has_fresh = all.iter().any(|row| is_fresh(row) && is_here(row));
        let fits =
            |row: &&Rate<'_>| is_any_temperature || is_here(row) || is_fresh(row) && !has_fresh;
        let rows: Vec<Rate<'_>> = all.iter().filter(fits).copied().collect();
        if rows.is_empty() || all.iter().any(is_aged) && !rows.iter().any(is_aged) {
            return Err(self.table.lacks(
                &format!("no error rates of {mode} at {temperature_c} °C"),
                "set drive.reads.temperature_c to one of its table, or drive.reads.model to \"none\"",
            ));
        }
        let pages = rows.iter().map(|row| row.page + 1).max().unwrap_or(1);
        let steps = rows.iter().map(|row| row.retry + 1).max().unwrap_or(1);
        let grid = |page: usize, retry: usize| {
            let is_of = |row: &&Rate<'_>| (row.page, row.retry) == (page, retry);
            let of: Vec<Rate<'_>> = rows.iter().filter(is_of).copied().collect();
            if of.is_empty() {
                return Err(
                    self.wrong(&format!("no row of mode {mode}, page {page}, retry {retry}"))
                );
            }
            Grid::of(&of, references).map_err(|[one, other]| {
                self.wrong(&format!("lines {one} and {other} are of the same pages"))
            })
        };
        let of_page = |page| (0..steps).map(|retry| grid(page, retry)).collect();
        let by_page = (0..pages).map(of_page).collect::<Result<_, Error>>()?;
        let most = |of: fn(&Rate<'_>) -> f64| rows.iter().map(of).fold(0.0, f64::max);
        let bound = |column, of| if self.has(column) { most(of) } else { f64::INFINITY };
        Ok(ErrorRates {
            by_page,
            bounds: [
                bound("pec", |row| row.pec),
                bound("age_h", |row| row.age_h),
                bound("reads", |row| row.reads),
            ],
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(text: &str) -> Result<ErrorRates, Error> {
        RateTable::parse("own.csv", text)?.of("tlc", 40.0, References::Default)
    }

    #[test]
    fn what_a_table_has_no_column_for_does_not_matter() {
        let only = rates("rber\n1e-3\n").unwrap();
        for (page, pec, age_h) in [(0, 0.0, 0.0), (2, 5000.0, 1e4)] {
            assert!((only.rber(page, pec, age_h) / 1e-3 - 1.0).abs() < 1e-12);
        }
        let aged = rates("# mine\nage_h, rber\n24,2e-3\n0,1e-3\n").unwrap();
        assert!((aged.rber(1, 9.0, 24.0) / 2e-3 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn messages_name_the_table_the_line_and_the_column() {
        for (text, wanted) in [
            ("", "own.csv: column \"\" is unknown"),
            ("pec,rber,wear\n", "column \"wear\" is unknown"),
            ("pec,pec,rber\n", "column \"pec\" is unknown, or there twice"),
            ("pec\n0\n", "no column rber"),
            ("pec,rber\n0,1e-3\n1\n", "own.csv, line 3: 1 fields under 2 columns: 1"),
            ("# a\n\npec,rber\n0,2\n", "own.csv, line 4: a rate is no number between 0 and 1"),
            ("retry,rber\n-1,0.1\n", "line 2: retry is no whole number from 0 to 255"),
            ("pec,rber\n0,1e-3\n0,2e-3\n", "lines 2 and 3 are of the same pages"),
            ("retry,rber\n0,1e-3\n2,2e-3\n", "no row of mode tlc, page 0, retry 1"),
            ("mode,rber\nslc,1e-3\n", "no error rates of tlc at 40"),
            ("temperature_c,age_h,rber\n30,0,1e-3\n30,9,1e-3\n", "no error rates of tlc at 40"),
        ] {
            let error = rates(text).expect_err(text).to_string();
            assert!(error.contains(wanted), "{text:?}: {error}");
        }
    }
}
