//! Error rates of pages, by a table of the cell laboratory.

use super::{Chip, Line, Table, number};
use crate::error::Error;
use crate::schema::References;

const KIND: &str = "# wordline cell table: rber, version 1";
const COLUMNS: &str = "mode,pec,age_h,temperature_c,page,rber_default,rber_optimal";
const REPROGRAM_KIND: &str = "# wordline cell table: reprogram, version 1";
const REPROGRAM_COLUMNS: &str =
    "mode,reprograms,pec,age_h,temperature_c,page,rber_default,rber_optimal";
/// Bits of a KiB.
pub const BITS_PER_KIB: f64 = 8192.0;
/// Bits of a cell at most, each a type of page.
const PAGE_TYPES: usize = 8;
/// Time from which errors grow with its logarithm: the table's first age.
const KNEE_H: f64 = 24.0;

/// Errors per KiB of pages that are read by the same kind of references.
#[derive(Debug, Clone)]
pub struct ErrorRates {
    /// P/E cycles of the table.
    pecs: Vec<f64>,
    /// Logarithms of errors by that of the age; first by page type, then by P/E cycles.
    by_page: Vec<Vec<Line>>,
}

/// The error rate of a page type, as a row of a table has it.
#[derive(Debug, Clone, Copy)]
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
    /// Page type.
    pub page: usize,
    /// Wrong bits as a share of all: by default references, and by the best ones.
    pub by_references: [f64; 2],
}

/// The error rates of a chip, of all modes in which its cells are programmed.
pub(crate) struct RateTable<'a> {
    table: Table<'a>,
    /// Its rows.
    pub rows: Vec<Rate<'a>>,
}

impl<'a> RateTable<'a> {
    /// Reads rber.csv of a chip, which is called `name` in messages.
    ///
    /// # Errors
    /// Another kind of table, or a row that is none.
    pub fn parse(name: &'a str, text: &'a str) -> Result<Self, Error> {
        Self::read(name, text, (KIND, COLUMNS), 0)
    }

    /// Reads reprogram.csv of a chip: pages whose cells were programmed again.
    ///
    /// # Errors
    /// As [`RateTable::parse`].
    pub fn of_reprograms(name: &'a str, text: &'a str) -> Result<Self, Error> {
        Self::read(name, text, (REPROGRAM_KIND, REPROGRAM_COLUMNS), 1)
    }

    /// Tables differ in the columns between the mode and the P/E cycles: `before`.
    fn read(
        name: &'a str,
        text: &'a str,
        columns: (&str, &str),
        before: usize,
    ) -> Result<Self, Error> {
        let (table, _) = Table::open((name, "wordline lab tables"), text, columns)?;
        let row = |fields: &[&'a str]| {
            let whole = |at: usize| fields.get(at)?.parse().ok();
            let number = |at| number(fields, before + at);
            Some(Rate {
                mode: fields[0],
                reprograms: if before == 0 { 0 } else { whole(1)? },
                pec: number(1)?,
                age_h: number(2)?,
                temperature_c: number(3)?,
                page: whole(before + 4).filter(|&page| page < PAGE_TYPES)?,
                by_references: [number(5)?, number(6)?],
            })
        };
        let rows = table.rows("a mode, whole numbers and rates", row)?;
        Ok(Self { table, rows })
    }

    /// That the table is wrong.
    pub fn wrong(&self, what: &str) -> Error {
        self.table.wrong(what)
    }

    /// The modes.
    pub fn modes(&self) -> impl Iterator<Item = &'a str> {
        self.rows.chunk_by(|a, b| a.mode == b.mode).map(|rows| rows[0].mode)
    }

    /// Those of a mode at a temperature.
    ///
    /// # Errors
    /// The table has none of them.
    pub fn of(
        &self,
        mode: &str,
        temperature_c: f64,
        references: References,
    ) -> Result<ErrorRates, Error> {
        let fits = |row: &&Rate<'_>| {
            row.mode == mode && (row.age_h == 0.0 || row.temperature_c == temperature_c)
        };
        let rows: Vec<&Rate<'_>> = self.rows.iter().filter(fits).collect();
        let mut pecs: Vec<f64> = rows.iter().map(|row| row.pec).collect();
        pecs.dedup();
        let pages = rows.iter().map(|row| row.page + 1).max().unwrap_or(0);
        let errors = |row: &Rate<'_>| row.by_references[references as usize] * BITS_PER_KIB;
        let line = |page: usize, pec: f64| {
            let of = rows.iter().filter(|row| (row.pec, row.page) == (pec, page));
            Line::new(of.map(|row| (age_scale(row.age_h), libm::log(errors(row)))).collect())
        };
        let of_page = |page| pecs.iter().map(|&pec| line(page, pec)).collect();
        let by_page: Vec<Vec<Line>> = (0..pages).map(of_page).collect();
        if pages == 0 || by_page[0][0].points().len() < 2 {
            return Err(self.table.lacks(
                &format!("no error rates of {mode} at {temperature_c} °C"),
                "set drive.reads.temperature_c to one of its table, or drive.reads.model to \"none\"",
            ));
        }
        Ok(ErrorRates { pecs, by_page })
    }
}

impl ErrorRates {
    /// Those of cells of `mode` of a chip at a temperature, by default references.
    ///
    /// # Errors
    /// The chip's table has no such cells, or not this temperature.
    pub fn of(chip: Chip, mode: &str, temperature_c: f64) -> Result<Self, Error> {
        let name = format!("rber.csv of {chip}");
        RateTable::parse(&name, chip.error_rates())?.of(mode, temperature_c, References::Default)
    }

    /// Probability of a bit to be read wrongly: of a page by its type, P/E cycles and age.
    pub fn rber(&self, page: usize, pec: f64, age_h: f64) -> f64 {
        libm::exp(self.log_errors(page, pec, age_h)) / BITS_PER_KIB
    }

    /// Logarithm of the errors per KiB.
    pub(super) fn log_errors(&self, page: usize, pec: f64, age_h: f64) -> f64 {
        let lines = &self.by_page[page.min(self.by_page.len() - 1)];
        let age = age_scale(age_h);
        let last = self.pecs.len() - 1;
        let after = self.pecs.partition_point(|&at| at < pec).clamp(1.min(last), last);
        if after == 0 {
            return lines[0].at(age);
        }
        let (low, high) = (lines[after - 1].at(age), lines[after].at(age));
        let (from, to) = (self.pecs[after - 1], self.pecs[after]);
        low + (high - low) * (pec.max(from) - from) / (to - from)
    }
}

fn age_scale(age_h: f64) -> f64 {
    libm::log(1.0 + age_h / KNEE_H)
}

/// Reads any text as rber.csv.
#[cfg(feature = "fuzzing")]
pub(super) fn read_table(text: &str) {
    drop(RateTable::of_reprograms("reprogram.csv", text));
    let Ok(table) = RateTable::parse("rber.csv", text) else { return };
    for &references in References::ALL {
        if let Ok(rates) = table.of("tlc", 40.0, references) {
            for page in 0..PAGE_TYPES {
                rates.log_errors(page, 1e3, 1e3);
            }
        }
    }
}
