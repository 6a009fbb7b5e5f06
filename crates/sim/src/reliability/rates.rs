//! Error rates of pages, interpolated between the points of a table.

use super::rate_table::{Rate, RateTable};
use super::{Chip, Line};
use crate::error::Error;
use crate::schema::References;

/// Bits of a KiB.
pub const BITS_PER_KIB: f64 = 8192.0;
/// Time from which errors grow with its logarithm: the first age of the laboratory's tables.
const KNEE_H: f64 = 24.0;
/// The least rate that is told apart from none.
const LEAST: f64 = 1e-300;

/// What the error rate of a page depends on, besides its type and the step of a retry.
#[derive(Debug, Clone, Copy, Default)]
pub struct Condition {
    /// P/E cycles.
    pub pec: f64,
    /// Time since it was programmed.
    pub age_h: f64,
    /// Reads of its block since the erase.
    pub reads: f64,
    /// Layer of its word line.
    pub layer: f64,
}

/// Errors per KiB of pages that are read by the same kind of references.
#[derive(Debug, Clone)]
pub struct ErrorRates {
    /// First by page type, then by the step of a retry.
    pub(super) by_page: Vec<Vec<Grid>>,
    /// The last P/E cycles, age and reads of the table.
    pub(super) bounds: [f64; 3],
}

/// Logarithms of errors per KiB between points of which each quantity has any number.
#[derive(Debug, Clone)]
pub(super) enum Grid {
    /// By the logarithm of the age.
    Ages(Line),
    /// By another quantity: its points in rising order, and what holds at each.
    Along(Quantity, Vec<(f64, Grid)>),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Quantity {
    Layer,
    Reads,
    Pec,
}

impl Quantity {
    /// In the order in which a table is taken apart; ages come last.
    const ALL: [Self; 3] = [Self::Layer, Self::Reads, Self::Pec];

    fn of_row(self, row: &Rate<'_>) -> f64 {
        match self {
            Self::Layer => row.layer,
            Self::Reads => row.reads,
            Self::Pec => row.pec,
        }
    }

    fn of(self, condition: &Condition) -> f64 {
        match self {
            Self::Layer => condition.layer,
            Self::Reads => condition.reads,
            Self::Pec => condition.pec,
        }
    }
}

impl Grid {
    /// The grid of rows of one page type and one step; the lines of two rows of the same pages where there are such.
    pub fn of(rows: &[Rate<'_>], references: References) -> Result<Self, [usize; 2]> {
        Self::along(&Quantity::ALL, rows, references)
    }

    fn along(
        quantities: &[Quantity],
        rows: &[Rate<'_>],
        references: References,
    ) -> Result<Self, [usize; 2]> {
        let Some((&first, rest)) = quantities.split_first() else {
            return ages(rows, references).map(Self::Ages);
        };
        let mut sorted = rows.to_vec();
        sorted.sort_by(|a, b| first.of_row(a).total_cmp(&first.of_row(b)));
        let parts = sorted.chunk_by(|a, b| first.of_row(a) == first.of_row(b));
        let mut points = Vec::new();
        for part in parts {
            points.push((first.of_row(&part[0]), Self::along(rest, part, references)?));
        }
        Ok(match points.len() {
            1 => points.remove(0).1,
            _ => Self::Along(first, points),
        })
    }

    /// The value at a condition, of which `age` is the place on the lines of ages: that of the first point before it; the last
    /// two points go on.
    pub fn at(&self, condition: &Condition, age: f64) -> f64 {
        match self {
            Self::Ages(line) => line.at(age),
            Self::Along(quantity, points) => {
                let at = quantity.of(condition);
                let after = points.partition_point(|point| point.0 < at).clamp(1, points.len() - 1);
                let ((from, below), (to, above)) = (&points[after - 1], &points[after]);
                let (low, high) = (below.at(condition, age), above.at(condition, age));
                low + (high - low) * (at.max(*from) - from) / (to - from)
            }
        }
    }
}

/// The line of rows that differ in age alone.
fn ages(rows: &[Rate<'_>], references: References) -> Result<Line, [usize; 2]> {
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| a.age_h.total_cmp(&b.age_h));
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0].age_h == pair[1].age_h) {
        return Err([twice[0].line, twice[1].line]);
    }
    let errors = |row: &Rate<'_>| row.by_references[references as usize].max(LEAST) * BITS_PER_KIB;
    let points = sorted.iter().map(|row| (age_scale(row.age_h), libm::log(errors(row))));
    Ok(Line::new(points.collect()))
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
        let condition = Condition { pec, age_h, ..Condition::default() };
        libm::exp(self.log_errors(page, 0, &condition)) / BITS_PER_KIB
    }

    /// Steps of the retry table; 1: the rates do not say what retries find.
    pub(super) fn steps(&self) -> usize {
        self.by_page[0].len()
    }

    /// True beyond the last P/E cycles, age or reads of the table.
    pub(super) fn is_beyond(&self, condition: &Condition) -> bool {
        let Condition { pec, age_h, reads, .. } = *condition;
        self.bounds.iter().zip([pec, age_h, reads]).any(|(bound, at)| at > *bound)
    }

    /// Logarithm of the errors per KiB that a step of the retry table finds.
    pub(super) fn log_errors(&self, page: usize, step: usize, condition: &Condition) -> f64 {
        let steps = &self.by_page[page.min(self.by_page.len() - 1)];
        steps[step.min(steps.len() - 1)].at(condition, age_scale(condition.age_h))
    }
}

impl RateTable<'_> {
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

fn age_scale(age_h: f64) -> f64 {
    libm::log(1.0 + age_h / KNEE_H)
}

/// Reads any text as a table of error rates.
#[cfg(feature = "fuzzing")]
pub(super) fn read_table(text: &str) {
    let Ok(table) = RateTable::parse("rber.csv", text) else { return };
    for &references in References::ALL {
        if let Ok(rates) = table.of("tlc", 40.0, references) {
            let condition = Condition { pec: 1e3, age_h: 1e3, reads: 1e3, layer: 1.0 };
            for (page, step) in (0..8).flat_map(|page| (0..rates.steps()).map(move |at| (page, at)))
            {
                rates.log_errors(page, step, &condition);
            }
        }
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
