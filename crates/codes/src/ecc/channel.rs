//! What a read adds to a codeword: wrong bits, and with several sensings how doubtful each is.

use crate::bits::{random_word, stream};
use thiserror::Error;
use wordline_stats::{normal_cdf, normal_quantile};

/// What the surest bits are believed; the others in proportion.
const SUREST: f64 = 24.0;

/// Places where independent bits are wrong, each with the same probability, in ascending order.
#[derive(Debug, Clone)]
pub struct WrongBits {
    seed: u64,
    drawn: u64,
    length: usize,
    next: f64,
    /// 1 / ln(1 − rber).
    scale: f64,
}

impl WrongBits {
    /// Of `length` bits, with the probability `rber`, above 0 and below 1.
    pub fn new(length: usize, rber: f64, seed: u64) -> Self {
        Self { seed, drawn: 0, length, next: -1.0, scale: 1.0 / libm::log1p(-rber) }
    }
}

impl Iterator for WrongBits {
    type Item = usize;

    /// The gap to the next is geometrically distributed.
    fn next(&mut self) -> Option<usize> {
        let uniform = unit(random_word(self.seed, self.drawn));
        self.drawn += 1;
        self.next += 1.0 + libm::floor(libm::log(uniform) * self.scale);
        (self.next < self.length as f64).then_some(self.next as usize)
    }
}

/// A uniform number in (0, 1].
fn unit(word: u64) -> f64 {
    ((word >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// Several sensings of a page around the threshold between two states whose voltages spread
/// normally and alike. They part the voltages into zones; the distance between sensings is what
/// tells most about the bit (Wang et al., IEEE J. Sel. Areas Commun. 32, 2014).
#[derive(Debug, Clone, PartialEq)]
pub struct Sensing {
    /// For a bit 0: the probability of a zone or one above it; the highest zone first.
    cumulated: Vec<f64>,
    /// What a bit found in the zone is believed.
    beliefs: Vec<i8>,
    /// For a bit 0 and a bit 1: what it is believed by the first eight binary places of its
    /// uniform number; [`UNCLEAR`] where further ones decide the zone.
    by_byte: [[i8; 256]; 2],
}

/// No belief, for those lie within ± [`SUREST`].
const UNCLEAR: i8 = i8::MIN;

/// Sensings that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum SensingError {
    /// Not one around the threshold and as many on either side.
    #[error("the sensings must be an odd number up to 15, not {0}")]
    Reads(usize),
    /// Not between 0 and 1/2.
    #[error("the bit error rate must lie between 0 and 0.5, not at {0}")]
    Rber(f64),
}

/// Refuses a number of sensings that cannot be.
///
/// # Errors
/// [`SensingError::Reads`].
pub fn check_reads(reads: usize) -> Result<(), SensingError> {
    if reads.is_multiple_of(2) || reads > 15 { Err(SensingError::Reads(reads)) } else { Ok(()) }
}

impl Sensing {
    /// `reads` sensings, an odd number, of states that one sensing mistakes for each other with
    /// the probability `rber`.
    ///
    /// # Errors
    /// When there is no such channel.
    pub fn new(reads: usize, rber: f64) -> Result<Self, SensingError> {
        check_reads(reads)?;
        if !(rber > 0.0 && rber < 0.5) {
            return Err(SensingError::Rber(rber));
        }
        let distance = -normal_quantile(rber); // of the states from the threshold, in deviations
        let spacing = (1..=200).map(|step| f64::from(step) * 0.01 * distance.max(1.0));
        let zones = |spacing: f64| zones(reads, spacing, distance);
        let best = spacing.map(zones).max_by(|a, b| information(a).total_cmp(&information(b)));
        let zones = best.unwrap_or_default();
        let ratios: Vec<f64> = zones.iter().map(|(zero, one)| libm::log(zero / one)).collect();
        let largest = ratios.iter().fold(0.0, |largest: f64, ratio| largest.max(ratio.abs()));
        let belief = |ratio: &f64| libm::round(ratio / largest * SUREST) as i8;
        let beliefs = ratios.iter().map(belief).collect();
        let mut sum = 0.0;
        let cumulated = zones.iter().map(|(zero, _)| {
            sum += zero;
            sum
        });
        let mut sensing =
            Self { cumulated: cumulated.collect(), beliefs, by_byte: [[UNCLEAR; 256]; 2] };
        for byte in 0..=255 {
            for bit in [false, true] {
                // Zones are intervals: what holds at both ends does between.
                let ends = [0.0, 1.0].map(|end| sensing.belief(bit, within(byte, end)));
                if ends[0] == ends[1] {
                    sensing.by_byte[usize::from(bit)][usize::from(byte)] = ends[0];
                }
            }
        }
        Ok(sensing)
    }

    /// Draws what is believed of each bit of `word`, the lowest of a byte first, into `beliefs`.
    pub fn read(&self, word: &[u8], seed: u64, beliefs: &mut Vec<i8>) {
        let further = stream(seed, 1);
        beliefs.clear();
        beliefs.extend(word.iter().enumerate().flat_map(|(index, &sent)| {
            let drawn = random_word(seed, index as u64).to_le_bytes();
            std::array::from_fn::<i8, 8, _>(|at| {
                let bit = sent >> at & 1;
                match self.by_byte[usize::from(bit)][usize::from(drawn[at])] {
                    UNCLEAR => {
                        let more = unit(random_word(further, (index * 8 + at) as u64));
                        self.belief(bit == 1, within(drawn[at], more))
                    }
                    belief => belief,
                }
            })
        }));
    }

    /// What is believed of a bit that is `bit`, by a uniform number in (0, 1].
    fn belief(&self, bit: bool, uniform: f64) -> i8 {
        let zone = self.cumulated.iter().position(|&sum| uniform <= sum);
        let zone = zone.unwrap_or(self.beliefs.len() - 1);
        // A bit 1 meets the zones in reverse.
        if bit { self.beliefs[self.beliefs.len() - 1 - zone] } else { self.beliefs[zone] }
    }
}

/// The number whose first eight binary places are `byte`, followed by those of `rest`.
fn within(byte: u8, rest: f64) -> f64 {
    (f64::from(byte) + rest) / 256.0
}

/// The probabilities of each zone for a bit 0 and a bit 1; the zone where 0 is surest comes first.
fn zones(reads: usize, spacing: f64, distance: f64) -> Vec<(f64, f64)> {
    let half = (reads / 2) as f64;
    let mut above = (0.0, 0.0);
    let mut zones: Vec<(f64, f64)> = (0..reads)
        .map(|read| {
            let threshold = (half - read as f64) * spacing;
            let tails = (normal_cdf(distance - threshold), normal_cdf(-distance - threshold));
            let zone = (tails.0 - above.0, tails.1 - above.1);
            above = tails;
            zone
        })
        .collect();
    // By symmetry the lowest zone, whose difference from 1 would lose its digits.
    let (zero, one) = zones[0];
    zones.push((one, zero));
    zones
}

/// The mutual information of a uniform bit and its zone, less a constant: minus the conditional
/// entropy, in nats.
fn information(zones: &[(f64, f64)]) -> f64 {
    let term = |a: f64, b: f64| if a > 0.0 { a * libm::log(a / (a + b)) } else { 0.0 };
    zones.iter().map(|&(zero, one)| term(zero, one) + term(one, zero)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_wrong_independently_and_as_often_as_said() {
        let (length, rber, words) = (5_000, 0.01, 2_000);
        let mut counts = vec![0u32; length];
        let mut pairs = 0;
        for seed in 0..words {
            let mut last = usize::MAX;
            for place in WrongBits::new(length, rber, seed) {
                pairs += u32::from(last == place.wrapping_sub(1));
                counts[place] += 1;
                last = place;
            }
        }
        let all: u32 = counts.iter().sum();
        let expected = length as f64 * rber * words as f64;
        assert!((f64::from(all) - expected).abs() < 4.0 * expected.sqrt(), "{all} {expected}");
        let expected = expected * rber;
        assert!((f64::from(pairs) - expected).abs() < 4.0 * expected.sqrt(), "{pairs} {expected}");
        assert!(counts.iter().all(|&count| count < 60), "a place that is wrong too often");
    }

    #[test]
    fn one_sensing_is_a_hard_decision() {
        let sensing = Sensing::new(1, 0.01).unwrap();
        assert_eq!(sensing.beliefs, [24, -24]);
        assert!((sensing.cumulated[0] - 0.99).abs() < 1e-12);
    }

    #[test]
    fn beliefs_are_drawn_as_often_as_their_zones_are_met() {
        let word = vec![0b0110_0101; 100_000];
        for (reads, rber) in [(1, 0.013), (3, 0.02), (7, 1e-3)] {
            let sensing = Sensing::new(reads, rber).unwrap();
            let mut beliefs = Vec::new();
            sensing.read(&word, 5, &mut beliefs);
            assert_eq!(beliefs.len(), 8 * word.len());
            // The belief of a bit 1 is turned round, so that all bits count alike.
            let turned: Vec<i8> = beliefs
                .iter()
                .enumerate()
                .map(
                    |(at, &belief)| if 0b0110_0101 >> (at % 8) & 1 == 1 { -belief } else { belief },
                )
                .collect();
            let mut above = 0.0;
            for (&sum, &belief) in sensing.cumulated.iter().zip(&sensing.beliefs) {
                let expected = (sum - above) * turned.len() as f64;
                above = sum;
                let met = turned.iter().filter(|&&drawn| drawn == belief).count() as f64;
                let off = (met - expected).abs();
                assert!(off < 4.0 * expected.sqrt() + 1.0, "{reads} {belief}: {met}, {expected}");
            }
        }
    }

    #[test]
    fn more_sensings_tell_more_and_keep_the_error_rate() {
        for rber in [1e-3, 1e-2, 5e-2] {
            let mut last = f64::MIN;
            for reads in [1, 3, 5, 7, 15] {
                let sensing = Sensing::new(reads, rber).unwrap();
                let half = sensing.beliefs.len() / 2;
                assert!((1.0 - sensing.cumulated[half - 1] - rber).abs() < 1e-9);
                assert!(sensing.beliefs.is_sorted_by(|a, b| a >= b), "{sensing:?}");
                let mut above = 0.0;
                let mut shares = sensing.cumulated.iter().map(|sum| {
                    let share = sum - above;
                    above = *sum;
                    share
                });
                let shares: Vec<f64> = shares.by_ref().collect();
                let zones: Vec<(f64, f64)> =
                    shares.iter().copied().zip(shares.iter().rev().copied()).collect();
                let now = information(&zones);
                assert!(now > last, "{reads} sensings at {rber}: {now}, not above {last}");
                last = now;
            }
        }
    }

    #[test]
    fn what_cannot_be_sensed_is_refused() {
        assert_eq!(Sensing::new(2, 0.01), Err(SensingError::Reads(2)));
        assert_eq!(Sensing::new(17, 0.01), Err(SensingError::Reads(17)));
        assert!(Sensing::new(3, 0.0).is_err() && Sensing::new(3, f64::NAN).is_err());
    }
}
