//! Error rates of pages, interpolated between the points of a table.

use super::Chip;
use super::grid::{BITS_PER_KIB, Condition, Grid, Place, Unfit};
use super::rate_table::{Rate, RateTable};
use crate::error::Error;
use crate::schema::References;

/// Errors per KiB of pages that are read by the same kind of references.
#[derive(Debug, Clone)]
pub struct ErrorRates {
    grid: Grid,
    /// The last P/E cycles, age and reads of the table.
    bounds: [f64; 3],
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
        let place = self.place(&Condition { pec, age_h, ..Condition::default() });
        self.errors(page, 0, &place) / BITS_PER_KIB
    }

    /// Steps of the retry table; 1: the rates do not say what retries find.
    pub(super) fn steps(&self) -> usize {
        self.grid.steps
    }

    /// Whether they depend on the layer.
    pub(super) fn has_layers(&self) -> bool {
        self.grid.has_layers()
    }

    /// Whether they depend on reads.
    pub(super) fn has_reads(&self) -> bool {
        self.grid.has_reads()
    }

    /// True beyond the last P/E cycles, age or reads of the table.
    #[inline(always)]
    pub(super) fn is_beyond(&self, condition: &Condition) -> bool {
        let [pec, age_h, reads] = self.bounds;
        condition.pec > pec || condition.age_h > age_h || condition.reads > reads
    }

    /// True beyond the last age of the table.
    #[inline(always)]
    pub(super) fn is_older(&self, age_h: f64) -> bool {
        age_h > self.bounds[1]
    }

    /// Where P/E cycles lie in the table.
    pub(super) fn place_of_pec(&self, pec: f64) -> (u32, f64) {
        self.grid.place_of_pec(pec)
    }

    /// Errors per KiB that the first step finds by P/E cycles and age, where nothing else matters.
    #[inline(always)]
    pub(super) fn errors_within(&self, page: usize, pec: (u32, f64), age_h: f64) -> f64 {
        self.grid.errors_within(page, pec, age_h)
    }

    /// Where a condition lies in the table.
    #[inline(always)]
    pub(super) fn place(&self, condition: &Condition) -> Place {
        self.grid.place(condition)
    }

    /// Errors per KiB that a step of the retry table finds.
    #[inline(always)]
    pub(super) fn errors(&self, page: usize, step: usize, place: &Place) -> f64 {
        self.grid.errors(page, step, place)
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
        let grid = Grid::of(&rows, references).map_err(|unfit| match unfit {
            Unfit::Twice(one, other) => {
                self.wrong(&format!("lines {one} and {other} are of the same pages"))
            }
            Unfit::Missing(page, retry) => {
                self.wrong(&format!("no row of mode {mode}, page {page}, retry {retry}"))
            }
            Unfit::TooMany(points) => self.table.lacks(
                &format!("its columns have different values at {points} points together"),
                "give pages, retries and layers the same ages, reads and P/E cycles",
            ),
        })?;
        let most = |of: fn(&Rate<'_>) -> f64| rows.iter().map(of).fold(0.0, f64::max);
        let bound = |column, of| if self.has(column) { most(of) } else { f64::INFINITY };
        Ok(ErrorRates {
            grid,
            bounds: [
                bound("pec", |row| row.pec),
                bound("age_h", |row| row.age_h),
                bound("reads", |row| row.reads),
            ],
        })
    }
}

/// Reads any text as a table of error rates.
#[cfg(feature = "fuzzing")]
pub(super) fn read_table(text: &str) {
    let Ok(table) = RateTable::parse("rber.csv", text) else { return };
    for &references in References::ALL {
        if let Ok(rates) = table.of("tlc", 40.0, references) {
            let condition = Condition { pec: 1e3, age_h: 1e3, reads: 1e3, layer: 1.0 };
            let place = rates.place(&condition);
            for (page, step) in (0..8).flat_map(|page| (0..rates.steps()).map(move |at| (page, at)))
            {
                rates.errors(page, step, &place);
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

    /// What holds at a point for one page type is found on the line between points for another.
    #[test]
    fn page_types_may_have_points_of_their_own() {
        let text =
            "page,pec,reads,rber\n0,0,0,1e-3\n0,100,0,4e-3\n1,0,0,1e-3\n1,50,0,1e-3\n1,50,9,4e-3\n";
        let rates = rates(text).unwrap();
        let at = |page, pec, reads| {
            let place = rates.place(&Condition { pec, reads, ..Condition::default() });
            rates.errors(page, 0, &place) / BITS_PER_KIB
        };
        // Of the first one by P/E cycles alone, of the second one with 9 reads at 50 alone.
        for (page, pec, reads, rate) in [
            (0, 0.0, 0.0, 1e-3),
            (0, 50.0, 9.0, 2e-3),
            (0, 150.0, 3.0, 8e-3),
            (1, 25.0, 0.0, 1e-3),
            (1, 7.0, 9.0, 4e-3),
            (1, 50.0, 4.5, 2e-3),
        ] {
            let found = at(page, pec, reads);
            assert!((found / rate - 1.0).abs() < 1e-12, "{page} {pec} {reads}: {found}");
        }
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
