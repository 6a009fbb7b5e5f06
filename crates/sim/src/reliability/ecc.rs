//! What a code makes of bit errors: whether a page that was sensed can be read.

use super::{BITS_PER_KIB, Table, number};
use crate::error::{Error, infeasible};
use crate::schema::{Code, ReadsConfig, SoftDecoding};

const BCH: &str = include_str!("../../../../presets/codes/bch-72.csv");
const LDPC: &str = include_str!("../../../../presets/codes/ldpc-14.csv");
/// By three sensings of each reference, and by seven.
const SOFT_LDPC: [&str; 2] = [
    include_str!("../../../../presets/codes/ldpc-14-2-bit.csv"),
    include_str!("../../../../presets/codes/ldpc-14-3-bit.csv"),
];
/// How the tables begin that `wordline code --table` writes, and their columns.
const KIND: &str = "# wordline code table: failure, version 1, code ";
const COLUMNS: &str = "rber,failure";
/// Data in a word of an LDPC code, whose name does not say it, in bytes.
const LDPC_BYTES: f64 = 4096.0;

/// What of a page's errors is too much, by hard decisions and by soft ones.
#[derive(Debug, Clone)]
pub(super) struct Ecc {
    hard: Limit,
    /// By how many bits tell of each how doubtful it is: two, then three.
    soft: Vec<FailureTable>,
}

/// What is too much.
#[derive(Debug, Clone)]
enum Limit {
    /// More errors than so many per KiB.
    Bound(f64),
    /// By chance, each word of the page by itself.
    Code(FailureTable),
}

impl Ecc {
    /// The code for pages of `page_bytes`.
    ///
    /// # Errors
    /// A table that `wordline code` did not write; soft decoding of a code that was not measured so.
    pub fn of(reads: &ReadsConfig, page_bytes: f64) -> Result<Self, Error> {
        let table = |text: &str| FailureTable::parse(text, page_bytes);
        let hard = match reads.code {
            Code::Bound => Limit::Bound(reads.ecc_bits),
            Code::Bch72 => Limit::Code(table(BCH)?),
            Code::Ldpc14 => Limit::Code(table(LDPC)?),
        };
        let levels = match reads.soft_decoding {
            SoftDecoding::None => 0,
            SoftDecoding::TwoBits => 1,
            SoftDecoding::ThreeBits => 2,
        };
        if levels > 0 && reads.code != Code::Ldpc14 {
            return Err(infeasible(
                format!(
                    "drive.reads.soft_decoding = \"{}\", but drive.reads.code = \"{}\" is decoded by hard decisions alone",
                    reads.soft_decoding, reads.code
                ),
                "set drive.reads.code to \"ldpc-14\", or drive.reads.soft_decoding to \"none\"",
            ));
        }
        let soft = SOFT_LDPC[..levels].iter().map(|text| table(text)).collect::<Result<_, _>>()?;
        Ok(Self { hard, soft })
    }

    /// Whether a page with so many errors in each KiB cannot be read; `draw` is a number from 0 to below 1.
    #[inline]
    pub fn is_lost(&self, errors: f64, draw: impl FnOnce() -> f64) -> bool {
        match &self.hard {
            Limit::Bound(bits_per_kib) => errors > *bits_per_kib,
            Limit::Code(table) => table.is_lost(errors / BITS_PER_KIB, draw),
        }
    }

    /// How often a page is decoded softly at most.
    pub fn soft_levels(&self) -> usize {
        self.soft.len()
    }

    /// Whether soft decoding at a level, the first being 0, cannot read the page either.
    pub fn is_lost_softly(&self, level: usize, errors: f64, draw: impl FnOnce() -> f64) -> bool {
        self.soft[level].is_lost(errors / BITS_PER_KIB, draw)
    }
}

/// The share of a code's words that are lost, by bit error rate.
#[derive(Debug, Clone)]
pub(super) struct FailureTable {
    /// Rising bit error rates.
    points: Vec<Point>,
    /// Words in a page.
    words: f64,
}

/// A bit error rate, and the words that are lost by it.
#[derive(Debug, Clone, Copy)]
struct Point {
    rber: f64,
    log_rber: f64,
    log_failure: f64,
    /// The chance that a page is lost.
    loss: f64,
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
        let words = (page_bytes / word_bytes).max(1.0);
        let point = |(rber, failure): (f64, f64)| {
            let (log_rber, log_failure) = (libm::log(rber), libm::log(failure));
            Point { rber, log_rber, log_failure, loss: loss_of(words, log_failure) }
        };
        Ok(Self { points: points.into_iter().map(point).collect(), words })
    }

    /// The points around a rate, which are the same one below the first; `None` above the last.
    #[inline]
    fn around(&self, rber: f64) -> Option<[Point; 2]> {
        if rber <= self.points[0].rber {
            return Some([self.points[0]; 2]);
        }
        let above = self.points.partition_point(|point| point.rber < rber);
        Some([self.points[above - 1], *self.points.get(above)?])
    }

    /// Whether a page is lost: by the chances at the points around its rate where these decide.
    #[inline]
    fn is_lost(&self, rber: f64, draw: impl FnOnce() -> f64) -> bool {
        let Some([low, high]) = self.around(rber) else { return true };
        let draw = draw();
        match (draw < low.loss.min(high.loss), draw < low.loss.max(high.loss)) {
            (false, true) => draw < self.loss(rber),
            (is_lost, _) => is_lost,
        }
    }

    /// The chance that a page is lost: below the first point the words are as good as there, above
    /// the last none can be read.
    fn loss(&self, rber: f64) -> f64 {
        let Some([low, high]) = self.around(rber) else { return 1.0 };
        if low.rber == high.rber {
            return low.loss;
        }
        let share = (libm::log(rber) - low.log_rber) / (high.log_rber - low.log_rber);
        loss_of(self.words, low.log_failure + (high.log_failure - low.log_failure) * share)
    }
}

/// The chance that one of so many words is lost.
fn loss_of(words: f64, log_failure: f64) -> f64 {
    -libm::expm1(words * libm::log1p(-libm::exp(log_failure).min(1.0)))
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
        match of(code, page_bytes).hard {
            Limit::Code(table) => table,
            other => panic!("{other:?}"),
        }
    }

    fn of(code: Code, page_bytes: f64) -> Ecc {
        let reads = ReadsConfig { code, ..ReadsConfig::default() };
        Ecc::of(&reads, page_bytes).unwrap_or_else(|error| panic!("{error}"))
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
    fn draws_decide_as_the_chance_says() {
        let table = table(Code::Ldpc14, 16384.0);
        for n in 0..2000 {
            let rber = 5e-3 + f64::from(n) * 5e-6;
            let chance = table.loss(rber);
            for draw in [chance * 0.999, chance.min(0.999), (chance * 1.001).min(0.999), 0.5] {
                assert_eq!(table.is_lost(rber, || draw), draw < chance, "{rber} {draw}");
            }
        }
    }

    #[test]
    fn a_bound_is_met_or_not() {
        let bound = of(Code::Bound, 4096.0);
        assert_eq!([72.0, 72.1].map(|errors| bound.is_lost(errors, || 0.5)), [false, true]);
    }

    #[test]
    fn more_sensings_correct_more() {
        let soft_decoding = SoftDecoding::ThreeBits;
        let reads = ReadsConfig { code: Code::Ldpc14, soft_decoding, ..ReadsConfig::default() };
        let ecc = Ecc::of(&reads, 4096.0).unwrap_or_else(|error| panic!("{error}"));
        // What a line of each table says, where those before it lose every word.
        let hard = table(Code::Ldpc14, 4096.0);
        let [one, two, three] = [0.013, 0.0165, 0.022]
            .map(|at| [hard.loss(at), ecc.soft[0].loss(at), ecc.soft[1].loss(at)]);
        assert!(one[0] == 1.0 && one[1] < 1e-3, "{one:?}");
        assert!(two[1] > 0.1 && two[2] < 1e-2, "{two:?}");
        assert_eq!(three, [1.0; 3]);
        let bch = ReadsConfig { code: Code::Bch72, ..reads };
        assert!(Ecc::of(&bch, 4096.0).unwrap_err().to_string().contains("drive.reads.code"));
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
