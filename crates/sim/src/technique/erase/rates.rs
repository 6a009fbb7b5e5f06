//! Error rates of pages, by a table of the cell laboratory.

use super::cells::Chip;
use super::curves::Line;
use crate::declare::choice;
use crate::error::Error;
use crate::nand::infeasible;

const KIND: &str = "# wordline cell table: rber, version 1";
const COLUMNS: &str = "mode,pec,age_h,temperature_c,page,rber_default,rber_optimal";
pub(super) const BITS_PER_KIB: f64 = 8192.0;
/// Bits of a cell at most, each a type of page.
const PAGE_TYPES: usize = 8;
/// Time from which errors grow with its logarithm: the table's first age.
const KNEE_H: f64 = 24.0;

choice! {
    /// The voltages that pages are read by.
    pub enum References {
        Default = "default",
        Best = "best",
    }
}

/// Errors per KiB of pages that are read by the same kind of references.
#[derive(Debug, Clone)]
pub struct ErrorRates {
    /// P/E cycles of the table.
    pecs: Vec<f64>,
    /// Logarithms of errors by that of the age; first by page type, then by P/E cycles.
    by_page: Vec<Vec<Line>>,
}

/// A row of the table: P/E cycles, age in hours, page type, error rate.
type Rate = (f64, f64, usize, f64);

impl ErrorRates {
    /// Those of cells of `mode` of a chip at a temperature, by default references.
    ///
    /// # Errors
    /// The chip's table has no such cells, or not this temperature.
    pub fn of(chip: Chip, mode: &str, temperature_c: f64) -> Result<Self, Error> {
        Self::parse(chip.error_rates(), mode, temperature_c, References::Default)
    }

    /// Probability of a bit to be read wrongly: of a page by its type, P/E cycles and age.
    pub fn rber(&self, page: usize, pec: f64, age_h: f64) -> f64 {
        libm::exp(self.log_errors(page, pec, age_h)) / BITS_PER_KIB
    }

    /// Those of a mode at a temperature, from a table.
    ///
    /// # Errors
    /// The table has none of them.
    pub(super) fn parse(
        text: &str,
        mode: &str,
        temperature_c: f64,
        references: References,
    ) -> Result<Self, Error> {
        let mut lines = text.lines();
        let kind = lines.next().unwrap_or_default();
        if !kind.starts_with(KIND) || lines.next() != Some(COLUMNS) {
            return Err(infeasible(
                format!("rber.csv does not begin with `{KIND}` and `{COLUMNS}`"),
                "write it with `wordline lab tables`",
            ));
        }
        let of_line = |line| rate(line, mode, temperature_c, references);
        let rows: Vec<Rate> = lines.filter_map(of_line).collect();
        let mut pecs: Vec<f64> = rows.iter().map(|row| row.0).collect();
        pecs.dedup();
        let pages = rows.iter().map(|row| row.2 + 1).max().unwrap_or(0);
        let line = |page: usize, pec: f64| {
            let of = rows.iter().filter(|row| (row.0, row.2) == (pec, page));
            Line::new(of.map(|row| (age_scale(row.1), libm::log(row.3 * BITS_PER_KIB))).collect())
        };
        let of_page = |page| pecs.iter().map(|&pec| line(page, pec)).collect();
        let by_page: Vec<Vec<Line>> = (0..pages).map(of_page).collect();
        if pages == 0 || by_page[0][0].points().len() < 2 {
            return Err(infeasible(
                format!("the chip has no error rates of {mode} at {temperature_c} °C"),
                "choose a temperature_c of its table, or set retries = false",
            ));
        }
        Ok(Self { pecs, by_page })
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

/// A row of this mode that is fresh or aged at this temperature.
fn rate(line: &str, mode: &str, temperature_c: f64, references: References) -> Option<Rate> {
    let fields: Vec<&str> = line.split(',').collect();
    let number = |index: usize| fields.get(index)?.parse::<f64>().ok();
    let (pec, age_h, of_c) = (number(1)?, number(2)?, number(3)?);
    let fits = fields[0] == mode && (age_h == 0.0 || of_c == temperature_c);
    let page = fields.get(4)?.parse().ok().filter(|&page| page < PAGE_TYPES)?;
    let rate = number(match references {
        References::Default => 5,
        References::Best => 6,
    })?;
    fits.then_some((pec, age_h, page, rate))
}

/// Reads any text as rber.csv.
#[cfg(feature = "fuzzing")]
pub(super) fn read_table(text: &str) {
    for &references in References::ALL {
        if let Ok(rates) = ErrorRates::parse(text, "tlc", 40.0, references) {
            for page in 0..PAGE_TYPES {
                rates.log_errors(page, 1e3, 1e3);
            }
        }
    }
}
