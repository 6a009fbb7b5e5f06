//! The bit errors to expect of reprogrammed pages, from the tables of the cell laboratory.

use super::word_line::{MOST_REPROGRAMS, PAGES, WordLines};
use crate::drive::DriveState;
use crate::error::Error;
use crate::reliability::{BITS_PER_KIB, RateTable};
use crate::schema::References;
use serde_json::{Value, json};

/// The chip whose cells were measured, and its table: super layers of two layers.
const CHIP: &str = "ressd-tlc";
const TABLE: &str = include_str!("../../../../../presets/cells/tables/ressd-tlc/reprogram.csv");

/// Ages for which errors are told, in hours: read at once, and after a year.
pub(super) const AGES_H: [f64; 2] = [0.0, 8760.0];
const TEMPERATURE_C: f64 = 40.0;
/// What the table calls word lines of two bits, and messages the table.
const MODE: &str = "two_bits";
const NAME: &str = "reprogram.csv of ressd-tlc";
/// Rates by the best references, among those of a row.
const BEST: usize = References::Best as usize;

/// Error rates by the reprograms of a word line and its page, at one age: `(P/E cycles, rate)`.
type Curves = [[Vec<(f64, f64)>; PAGES as usize]; MOST_REPROGRAMS as usize + 1];

/// Error rates at the ages, with the voltages at which reads make the fewest errors.
#[derive(Debug)]
pub(super) struct ErrorRates {
    curves: [Curves; AGES_H.len()],
}

impl ErrorRates {
    /// Those of the table that is built in.
    ///
    /// # Errors
    /// A table that lacks something.
    pub fn new() -> Result<Self, Error> {
        Self::parse(TABLE)
    }

    fn parse(text: &str) -> Result<Self, Error> {
        let mut rates = Self { curves: Default::default() };
        let table = RateTable::parse(NAME, text)?;
        for row in table.rows.iter().filter(|row| row.mode == MODE) {
            let at = AGES_H.iter().position(|&age| age == row.age_h);
            if let Some(at) = at.filter(|_| row.temperature_c == TEMPERATURE_C || row.age_h == 0.0)
            {
                let of_page = rates.curves[at].get_mut(row.reprograms);
                let curve = of_page.and_then(|pages| pages.get_mut(row.page));
                let missing = || table.wrong("has a page that no word line of two bits has");
                curve.ok_or_else(missing)?.push((row.pec, row.by_references[BEST]));
            }
        }
        let curves = rates.curves.iter().flatten().flatten();
        for curve in curves {
            if curve.is_empty() || curve.iter().any(|point| point.1.is_nan() || point.1 <= 0.0) {
                return Err(table.wrong("a rate is missing, or not above 0"));
            }
        }
        Ok(rates)
    }

    /// Errors of a KiB, interpolated between the logarithms of the rates; beyond the table's P/E cycles
    /// the last rate.
    pub fn per_kib(&self, age: usize, reprograms: u8, page: u32, pec: f64) -> f64 {
        let curve = &self.curves[age][reprograms as usize][page as usize];
        let above = curve.partition_point(|point| point.0 < pec).min(curve.len() - 1);
        let (high, low) = (curve[above], curve[above.saturating_sub(1)]);
        let share = if high.0 > low.0 { ((pec - low.0) / (high.0 - low.0)).min(1.0) } else { 1.0 };
        let (from, to) = (libm::log(low.1), libm::log(high.1));
        BITS_PER_KIB * libm::exp(from + (to - from) * share)
    }

    /// What is to be expected of the valid pages of word lines of two bits: errors per KiB, of a
    /// page on average and of the worst.
    pub fn report(&self, state: &DriveState, lines: &WordLines) -> Value {
        let (mut pages, mut sums, mut worst) = (0u64, [0.0; AGES_H.len()], 0.0f64);
        for (line, status) in (0..).zip(lines.all()).filter(|(_, status)| status.validity() != 0) {
            let (block, _) = state.geometry.locate(lines.first_page(line));
            let pec = f64::from(state.blocks[block].erases);
            for page in (0..PAGES).filter(|page| status.validity() & (1 << page) != 0) {
                pages += 1;
                for (age, sum) in sums.iter_mut().enumerate() {
                    let errors = self.per_kib(age, status.rp_count(), page, pec);
                    *sum += errors;
                    worst = worst.max(errors);
                }
            }
        }
        let mean = |sum: f64| (pages > 0).then(|| sum / pages as f64);
        json!({
            "cells": CHIP,
            "pages": pages,
            "per_kib": mean(sums[0]),
            "per_kib_after_a_year": mean(sums[1]),
            "worst_per_kib_after_a_year": (pages > 0).then_some(worst),
        })
    }
}

/// Reads any text as reprogram.csv.
#[cfg(feature = "fuzzing")]
pub fn read_table(text: &str) {
    if let Ok(rates) = ErrorRates::parse(text) {
        for age in 0..AGES_H.len() {
            assert!(rates.per_kib(age, MOST_REPROGRAMS, 0, 1e3) >= 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last number of the table's line that begins with `key`.
    fn held(key: &str) -> &'static str {
        let line = TABLE.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.rsplit(',').next()).unwrap_or_else(|| panic!("no {key}"))
    }

    #[test]
    fn rates_are_the_tables_and_lie_between_them() {
        let rates = ErrorRates::new().unwrap_or_else(|error| panic!("{error}"));
        let at = |pec| rates.per_kib(1, 2, 1, pec) / BITS_PER_KIB;
        let [low, high] = ["two_bits,2,750,8760,40,1,", "two_bits,2,1125,8760,40,1,"]
            .map(|key| held(key).parse::<f64>().unwrap_or(f64::NAN));
        assert!((at(750.0) / low - 1.0).abs() < 1e-12);
        assert!((at(1125.0) / high - 1.0).abs() < 1e-12);
        let between = (low * high).sqrt();
        assert!((at(937.5) / between - 1.0).abs() < 1e-9);
        assert_eq!(at(1e6), at(3000.0));
        assert!(at(0.0) < at(1.0));
        // A year costs more errors than none, whatever the page.
        for (reprograms, page) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            let of = |age| rates.per_kib(age, reprograms, page, 750.0);
            assert!(of(0) < of(1));
        }
    }

    #[test]
    fn tables_that_lack_something_are_refused() {
        let head: String = TABLE.lines().take(2).flat_map(|line| [line, "\n"]).collect();
        for rows in ["", "two_bits,0,0\n", "two_bits,5,0,0,40,0,1e-3,1e-3\n"] {
            let error = ErrorRates::parse(&format!("{head}{rows}")).expect_err(rows).to_string();
            assert!(error.contains("reprogram.csv of ressd-tlc"), "{error}");
        }
        let zero = TABLE.replace(held("two_bits,0,0,0,40,0,"), "0");
        assert!(ErrorRates::parse(&zero).expect_err("zero").to_string().contains("not above 0"));
    }
}
