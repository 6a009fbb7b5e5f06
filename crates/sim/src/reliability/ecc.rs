//! What a code makes of bit errors: whether a page that was sensed can be read.

use super::{Table, number};
use crate::error::Error;
use crate::schema::Code;

const BCH: &str = include_str!("../../../../presets/codes/bch-72.csv");
const LDPC: &str = include_str!("../../../../presets/codes/ldpc-14.csv");
/// How the tables begin that `wordline code --table` writes, and their columns.
const KIND: &str = "# wordline code table: failure, version 1, code ";
const COLUMNS: &str = "rber,failure";
/// Data in a word of an LDPC code, whose name does not say it, in bytes.
const LDPC_BYTES: f64 = 4096.0;

/// What of a page's errors is too much.
#[derive(Debug, Clone)]
pub(super) enum Ecc {
    /// More errors than so many per KiB.
    Bound(f64),
    /// By chance, each word of the page by itself.
    Code(FailureTable),
}

impl Ecc {
    /// The code for pages of `page_bytes`; `bits_per_kib` is the bound.
    ///
    /// # Errors
    /// A table that `wordline code` did not write.
    pub fn of(code: Code, bits_per_kib: f64, page_bytes: f64) -> Result<Self, Error> {
        match code {
            Code::Bound => Ok(Self::Bound(bits_per_kib)),
            Code::Bch72 => FailureTable::parse(BCH, page_bytes).map(Self::Code),
            Code::Ldpc14 => FailureTable::parse(LDPC, page_bytes).map(Self::Code),
        }
    }

    /// The chance that a page with so many errors in each of its bits cannot be read.
    pub fn loss(&self, rber: f64) -> f64 {
        match self {
            Self::Bound(bits_per_kib) => f64::from(u8::from(rber * 8192.0 > *bits_per_kib)),
            Self::Code(table) => table.loss(rber),
        }
    }
}

/// The share of a code's words that are lost, by bit error rate.
#[derive(Debug, Clone)]
pub(super) struct FailureTable {
    /// Logarithms of bit error rates, rising, and of failure rates.
    points: Vec<(f64, f64)>,
    /// Words in a page.
    words: f64,
}

impl FailureTable {
    fn parse(text: &str, page_bytes: f64) -> Result<Self, Error> {
        let by = ("the table of a code", "wordline code");
        let (table, name) = Table::open(by, text, (KIND, COLUMNS))?;
        let is_positive = |&(rber, failure): &(f64, f64)| rber > 0.0 && failure > 0.0;
        let point =
            |fields: &[&str]| Some((number(fields, 0)?, number(fields, 1)?)).filter(is_positive);
        let points = table.rows("two numbers above 0", point)?;
        if points.is_empty() || !points.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(table.wrong("has no points, or none that rise"));
        }
        let data = name.split('/').find_map(|part| part.strip_prefix("data="));
        let word_bytes = data.and_then(|bytes| bytes.parse().ok()).unwrap_or(LDPC_BYTES);
        let logarithms = |(rber, failure): (f64, f64)| (libm::log(rber), libm::log(failure));
        Ok(Self {
            points: points.into_iter().map(logarithms).collect(),
            words: (page_bytes / word_bytes).max(1.0),
        })
    }

    /// The chance that a page is lost: below the first point the words are as good as there, above
    /// the last none can be read.
    fn loss(&self, rber: f64) -> f64 {
        let at = libm::log(rber.max(f64::MIN_POSITIVE));
        let above = self.points.partition_point(|point| point.0 < at);
        let Some(&high) = self.points.get(above) else { return 1.0 };
        let low = self.points[above.saturating_sub(1)];
        let share = if high.0 > low.0 { (at - low.0) / (high.0 - low.0) } else { 0.0 };
        let failure = libm::exp(low.1 + (high.1 - low.1) * share).min(1.0);
        -libm::expm1(self.words * libm::log1p(-failure))
    }
}

/// Reads any text as the table of a code.
#[cfg(feature = "fuzzing")]
pub(super) fn read_table(text: &str) {
    if let Ok(table) = FailureTable::parse(text, 16384.0) {
        for rber in [0.0, 1e-3, 1.0] {
            let loss = table.loss(rber);
            assert!((0.0..=1.0).contains(&loss), "{loss}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(code: Code, page_bytes: f64) -> FailureTable {
        match Ecc::of(code, 0.0, page_bytes) {
            Ok(Ecc::Code(table)) => table,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn chances_are_those_of_the_table() {
        // Lines of ldpc-14.csv: 0.007188,0.0419922 and 0.007488,0.0976562.
        let one = table(Code::Ldpc14, 4096.0);
        assert!((one.loss(0.007188) / 0.041_992_2 - 1.0).abs() < 1e-9);
        let between = one.loss((0.007188f64 * 0.007488).sqrt());
        assert!((between / (0.041_992_2f64 * 0.097_656_2).sqrt() - 1.0).abs() < 1e-9);
        assert_eq!(one.loss(0.02), 1.0);
        assert!(one.loss(0.0) == one.loss(0.001) && one.loss(0.001) < 1e-4);
        // Four words of which none may be lost.
        let four = table(Code::Ldpc14, 16384.0).loss(0.007188);
        assert!((four - (1.0 - (1.0f64 - 0.041_992_2).powi(4))).abs() < 1e-9);
        // 1 KiB of data, about 72 wrong bits: lost as often as not.
        assert!((0.2..0.8).contains(&table(Code::Bch72, 1024.0).loss(72.0 / 9200.0)));
    }

    #[test]
    fn a_bound_is_met_or_not() {
        let bound = Ecc::of(Code::Bound, 72.0, 4096.0).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((bound.loss(72.0 / 8192.0), bound.loss(72.1 / 8192.0)), (0.0, 1.0));
    }

    #[test]
    fn other_tables_are_refused() {
        let head = format!("{KIND}x\n{COLUMNS}\n");
        for text in ["", "rber,failure\n", &head, &format!("{head}1e-3\n"), &format!("{head}0,1\n")]
        {
            let error = FailureTable::parse(text, 4096.0).expect_err(text).to_string();
            assert!(error.contains("the table of a code"), "{error}");
        }
        let falls = format!("{head}2e-3,1e-3\n1e-3,1e-3\n");
        assert!(FailureTable::parse(&falls, 4096.0).is_err());
    }
}
