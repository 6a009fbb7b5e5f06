//! The probability that a codeword is lost as a function of the bit error rate: what a simulator
//! reads instead of running codes.

use super::bch::Bch;
use super::trials::Outcomes;
use crate::monte_carlo::Tally;

/// The stored measurements of the LDPC codes, by `examples/ldpc_waterfall`.
const WATERFALL: &str = include_str!("../../data/ldpc/waterfall.csv");

/// Bit error rates of the table of a BCH code: this many in a factor of ten.
const PER_DECADE: i32 = 50;
const DECADES: i32 = 6;

/// A measured point of a stored LDPC code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Block rows of the code.
    pub rows: usize,
    /// Sensings; 1 for hard decisions.
    pub reads: usize,
    /// Bit error rate of one sensing.
    pub rber: f64,
    /// Seed of the trials.
    pub seed: u64,
    /// Codewords, and how many were lost.
    pub tally: Tally,
    /// How many of these were turned into other codewords.
    pub miscorrected: u64,
    /// Rounds of the decoder for a word that it decoded; none where there was no such word.
    pub mean_rounds: Option<f64>,
}

/// Points of (bit error rate, probability that a codeword is lost), both ascending.
///
/// Between points both logarithms are interpolated linearly. Below the first point the table gives
/// that point's probability, which is too large, rather than one that nobody computed or measured;
/// above the last it gives 1.
#[derive(Debug, Clone, PartialEq)]
pub struct EccTable {
    points: Vec<(f64, f64)>,
}

impl EccTable {
    /// The closed form of a BCH code, from the bit error rate 1e-6 to 1; probabilities of less than
    /// 1e-300 are left out.
    pub fn bch(code: &Bch) -> Self {
        let rber = |step| libm::pow(10.0, f64::from(step) / f64::from(PER_DECADE));
        let points = (-DECADES * PER_DECADE..=0)
            .map(|step| (rber(step), code.failure_probability(rber(step))))
            .filter(|&(_, probability)| probability > 1e-300);
        Self { points: points.collect() }
    }

    /// What was measured of the stored LDPC code with `rows` block rows from `reads` sensings;
    /// `None` where that was not done.
    pub fn ldpc(rows: usize, reads: usize) -> Option<Self> {
        Self::of(measured().filter(|point| (point.rows, point.reads) == (rows, reads)))
    }

    /// From measurements of one curve. A point at which no codeword was lost says only that few are:
    /// it is left out, and the next one's probability holds there.
    fn of(measured: impl Iterator<Item = Measured>) -> Option<Self> {
        let mut points: Vec<(f64, f64)> = measured
            .filter(|point| point.tally.failures > 0)
            .filter_map(|point| Some((point.rber, point.tally.rate()?)))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        (!points.is_empty()).then_some(Self { points })
    }

    /// Bit error rate and probability of every point.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The probability that a codeword is lost at the bit error rate `rber`.
    pub fn failure_probability(&self, rber: f64) -> f64 {
        let above = self.points.partition_point(|&(point, _)| point < rber);
        let Some(&(high_rber, high)) = self.points.get(above) else { return 1.0 };
        let Some(&(low_rber, low)) = above.checked_sub(1).and_then(|at| self.points.get(at)) else {
            return high;
        };
        let share = libm::log(rber / low_rber) / libm::log(high_rber / low_rber);
        low * libm::pow(high / low, share)
    }

    /// The largest bit error rate at which no more than `probability` of the codewords are lost;
    /// `None` where the table does not reach down to it.
    pub fn rber_at(&self, probability: f64) -> Option<f64> {
        let above = self.points.partition_point(|&(_, point)| point <= probability);
        let (low_rber, low) = *self.points.get(above.checked_sub(1)?)?;
        let Some(&(high_rber, high)) = self.points.get(above) else { return Some(low_rber) };
        let share = libm::log(probability / low) / libm::log(high / low);
        Some(low_rber * libm::pow(high_rber / low_rber, share))
    }
}

/// The stored measurements, curve by curve, from high error rates to low ones.
pub fn measured() -> impl Iterator<Item = Measured> {
    let lines = WATERFALL.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.filter_map(point)
}

fn point(line: &str) -> Option<Measured> {
    let mut fields = line.split(',');
    let mut next = || fields.next();
    let (rows, reads) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let (rber, seed) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let (trials, refused): (u64, u64) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let miscorrected = next()?.parse().ok()?;
    let mean_rounds = next()?.parse().ok();
    let tally = Tally { trials, failures: refused + miscorrected };
    Some(Measured { rows, reads, rber, seed, tally, miscorrected, mean_rounds })
}

impl Measured {
    /// Whether `outcomes`, of other trials, agree: whether the intervals that hold the probability
    /// with `confidence` have a value in common.
    pub fn agrees(&self, outcomes: &Outcomes, confidence: f64) -> bool {
        let (low, high) = self.tally.interval(confidence);
        let (other_low, other_high) = outcomes.tally().interval(confidence);
        low <= other_high && other_low <= high
    }
}

#[cfg(test)]
mod tests {
    use super::super::ldpc::Ldpc;
    use super::super::trials::Reader;
    use super::*;
    use crate::monte_carlo::Stop;
    use std::ops::ControlFlow;

    #[test]
    fn points_without_a_lost_codeword_turn_into_no_rate() {
        let at = |rber, failures| Measured {
            rows: 10,
            reads: 1,
            rber,
            seed: 1,
            tally: Tally { trials: 1000, failures },
            miscorrected: 0,
            mean_rounds: None,
        };
        let table = EccTable::of([at(1e-3, 0), at(2e-3, 10), at(4e-3, 500)].into_iter()).unwrap();
        assert_eq!(table.failure_probability(1.5e-3), 0.01);
        assert!((table.failure_probability(3e-3) / 0.01 - 9.859).abs() < 0.01);
        assert_eq!(EccTable::of([at(1e-3, 0)].into_iter()), None);
    }

    #[test]
    fn every_line_of_the_stored_measurements_is_read() {
        let lines = WATERFALL.lines().filter(|line| !line.starts_with('#')).count() - 1;
        assert_eq!(measured().count(), lines);
        for rows in Ldpc::stored() {
            let tables = [1, 3, 7].map(|reads| EccTable::ldpc(rows, reads).unwrap());
            for table in &tables {
                assert!(table.points.is_sorted_by(|a, b| a.0 < b.0), "{rows}");
                assert!(table.points[0].1 < 4e-4, "{rows} rows: no waterfall");
            }
            let reach = tables.map(|table| table.rber_at(0.1).unwrap());
            assert!(reach.is_sorted(), "{rows} rows: more sensings, {reach:?}");
        }
        assert_eq!(EccTable::ldpc(14, 5), None);
    }

    /// A point of each waterfall again, with another seed.
    #[test]
    fn the_stored_measurements_are_those_of_this_decoder() {
        for rows in Ldpc::stored() {
            for reads in [1, 3, 7] {
                let inside = |point: &Measured| {
                    let rate = point.tally.rate().unwrap_or(0.0);
                    (point.rows, point.reads) == (rows, reads) && (0.2..0.7).contains(&rate)
                };
                let stored = measured().find(inside).unwrap();
                let code = Box::new(Ldpc::load(rows).unwrap());
                let reader =
                    if reads == 1 { Reader::Hard(code) } else { Reader::Soft(code, reads) };
                let mut outcomes = Outcomes::default();
                let stop = Stop { trials: 128, failures: u64::MAX };
                let go_on = &mut |_: &Outcomes| ControlFlow::Continue(());
                reader.measure(stored.rber, 77, &mut outcomes, stop, go_on).unwrap();
                assert!(stored.agrees(&outcomes, 0.99), "{stored:?} {outcomes:?}");
            }
        }
    }

    /// The first trials of a stored point are the same on every machine.
    #[test]
    fn stored_seeds_replay() {
        let stored = measured().find(|point| point.tally.trials == 256).unwrap();
        let code = Box::new(Ldpc::load(stored.rows).unwrap());
        let mut outcomes = Outcomes::default();
        let stop = Stop { trials: 256, failures: u64::MAX };
        let go_on = &mut |_: &Outcomes| ControlFlow::Continue(());
        Reader::Hard(code).measure(stored.rber, stored.seed, &mut outcomes, stop, go_on).unwrap();
        assert_eq!(outcomes.tally(), stored.tally);
    }

    #[test]
    fn tables_interpolate_and_never_promise_what_was_not_computed() {
        let code = Bch::new(1024, 40).unwrap();
        let table = EccTable::bch(&code);
        for rber in [1.3e-3, 2.57e-3, 4.11e-3] {
            let (table, exact) = (table.failure_probability(rber), code.failure_probability(rber));
            assert!((table.ln() / exact.ln() - 1.0).abs() < 0.01, "{rber}: {table}, not {exact}");
        }
        let (first, last) = (table.points()[0], table.points()[table.points().len() - 1]);
        assert_eq!(table.failure_probability(first.0 / 10.0), first.1);
        assert_eq!(table.failure_probability(last.0 * 2.0), 1.0);
        let rber = table.rber_at(1e-15).unwrap();
        assert!((code.failure_probability(rber).log10() + 15.0).abs() < 0.1);
        assert_eq!(table.rber_at(0.0), None);
    }

    /// Half-way between points of the table that the simulator reads, where it is off most.
    #[test]
    fn tables_of_bch_are_within_two_percent_between_their_points() {
        let code = Bch::new(1024, 72).unwrap();
        let table = EccTable::bch(&code);
        let off = table.points().windows(2).filter(|pair| pair[0].1 > 1e-30).map(|pair| {
            let rber = (pair[0].0 * pair[1].0).sqrt();
            (table.failure_probability(rber) / code.failure_probability(rber) - 1.0).abs()
        });
        let worst = off.fold(0.0, f64::max);
        assert!((0.01..0.02).contains(&worst), "{worst}");
    }
}
