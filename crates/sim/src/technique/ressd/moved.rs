//! What the code has to correct of pages that are moved away, before they are programmed elsewhere
//! (Section 4.3), by the tables of the cell laboratory.

use super::errors::{AGES_H, ErrorRates};
use super::word_line::Status;
use crate::reliability::BITS_PER_KIB;
use serde_json::{Value, json};
use wordline_stats::binomial_tail;

/// Errors of the pages moved so far, at the table's ages.
#[derive(Debug)]
pub(super) struct Moved {
    /// Errors per KiB that the code corrects; 0: nothing is reckoned.
    ecc_bits: u32,
    /// KiB of a page, each a word of the code.
    words: f64,
    pages: u64,
    errors: [f64; AGES_H.len()],
    worst: [f64; AGES_H.len()],
    lost: [f64; AGES_H.len()],
}

impl Moved {
    /// No page yet of `page_bytes`.
    pub fn new(ecc_bits: u32, page_bytes: f64) -> Self {
        let none = [0.0; AGES_H.len()];
        let words = (page_bytes * 8.0 / BITS_PER_KIB).max(1.0);
        Self { ecc_bits, words, pages: 0, errors: none, worst: none, lost: none }
    }

    /// A tally without a page.
    pub fn anew(&self) -> Self {
        Self::new(self.ecc_bits, self.words * BITS_PER_KIB / 8.0)
    }

    /// Whether the code is reckoned with.
    pub fn is_reckoned(&self) -> bool {
        self.ecc_bits > 0
    }

    /// A page of a word line of this status is moved, after so many P/E cycles.
    pub fn add(&mut self, rates: &ErrorRates, status: Status, page: u32, pec: f64) {
        debug_assert!(
            status.holds_two_bits(),
            "a page that is moved away lies in such a word line"
        );
        self.pages += 1;
        for age in 0..AGES_H.len() {
            let errors = rates.per_kib(age, status.rp_count(), page, pec);
            self.errors[age] += errors;
            self.worst[age] = self.worst[age].max(errors);
            let of_word = binomial_tail(BITS_PER_KIB as u32, errors / BITS_PER_KIB, self.ecc_bits);
            self.lost[age] += -libm::expm1(self.words * libm::log1p(-of_word));
        }
    }

    /// Errors per KiB of a page on average and of the worst, and how many pages the code is to be
    /// expected to lose: of data read at once, and of data a year old.
    pub fn report(&self) -> Value {
        let of_age = |age: usize| {
            json!({
                "per_kib": (self.pages > 0).then(|| self.errors[age] / self.pages as f64),
                "worst_per_kib": (self.pages > 0).then_some(self.worst[age]),
                "lost": self.lost[age],
            })
        };
        json!({ "pages": self.pages, "at_once": of_age(0), "after_a_year": of_age(1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(ecc_bits: u32, pec: f64, moves: u32) -> Value {
        let rates = ErrorRates::new().unwrap_or_else(|error| panic!("{error}"));
        let mut moved = Moved::new(ecc_bits, 16384.0);
        let twice = Status::of_writes([1, 1]);
        (0..moves).for_each(|_| moved.add(&rates, twice, 1, pec));
        moved.report()
    }

    #[test]
    fn a_page_is_lost_when_one_of_its_words_is() {
        let told = after(20, 750.0, 1);
        let errors = told["after_a_year"]["worst_per_kib"].as_f64().unwrap_or(f64::NAN);
        assert_eq!(told["after_a_year"]["per_kib"], told["after_a_year"]["worst_per_kib"]);
        let word = binomial_tail(8192, errors / 8192.0, 20);
        let page = 1.0 - (1.0 - word).powi(16);
        let lost = told["after_a_year"]["lost"].as_f64().unwrap_or(f64::NAN);
        assert!((lost / page - 1.0).abs() < 1e-6 && lost > 8.0 * word, "{lost} {page}");
    }

    #[test]
    fn more_wear_and_time_lose_more_and_a_stronger_code_fewer() {
        let lost = |ecc_bits, pec, age: &str| after(ecc_bits, pec, 4)[age]["lost"].as_f64();
        assert!(lost(20, 1500.0, "after_a_year") > lost(20, 1500.0, "at_once"));
        assert!(lost(20, 1500.0, "after_a_year") > lost(20, 750.0, "after_a_year"));
        assert!(lost(20, 1500.0, "after_a_year") > lost(80, 1500.0, "after_a_year"));
        let four = lost(20, 1500.0, "after_a_year").unwrap_or(f64::NAN);
        let one = after(20, 1500.0, 1)["after_a_year"]["lost"].as_f64().unwrap_or(f64::NAN);
        assert!((four / one - 4.0).abs() < 1e-9);
    }

    #[test]
    fn of_no_page_nothing_is_told() {
        let told = after(80, 0.0, 0);
        assert!(told["at_once"]["per_kib"].is_null() && told["at_once"]["lost"] == 0.0);
    }
}
