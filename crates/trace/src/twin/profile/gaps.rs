//! Gaps between arrivals as a cascade: the time that a number of requests takes is split between their
//! two halves, and so on down to single gaps. How it is split depends on how many they are and how long
//! their mean gap is. A cascade keeps bursts on all scales of time (Riedi et al., "A multifractal wavelet
//! model with application to network traffic", IEEE Trans. Inf. Theory 45(3), 1999), and its sums are
//! exact.

use crate::generate::rng::Rng;

/// Edges between the bins of a split, and the same below 0: the logarithm, to base 2, of the first
/// half's time over the second's.
const UPPER_EDGES: [f64; 11] = [0.25, 0.75, 1.25, 2.0, 3.0, 4.5, 6.5, 9.0, 12.0, 16.0, 20.0];
const EDGES: [f64; 2 * UPPER_EDGES.len()] = {
    let mut edges = [0.0; 2 * UPPER_EDGES.len()];
    let mut at = 0;
    while at < UPPER_EDGES.len() {
        edges[UPPER_EDGES.len() - 1 - at] = -UPPER_EDGES[at];
        edges[UPPER_EDGES.len() + at] = UPPER_EDGES[at];
        at += 1;
    }
    edges
};
/// Bins of a split.
const BINS: usize = EDGES.len() + 1;
/// Shares that are drawn from one bin.
const STEPS: usize = 32;
/// Splits are told apart by the power of two of the gaps, up to this one,
const LEVELS: usize = 12;
/// and by the power of four, plus one, of the mean gap in microseconds; 0 for less than one.
const STEPS_OF_FOUR: usize = 20;

/// Whether a row of a profile's splits can be followed.
pub(super) fn is_sound(row: &[u32]) -> bool {
    row.len().is_multiple_of(2)
        && row.len() >= 4
        && (row[0] as usize) < LEVELS
        && (row[1] as usize) < STEPS_OF_FOUR
        && row[2..].chunks_exact(2).all(|pair| (pair[0] as usize) < BINS && pair[1] > 0)
}

fn context(gaps: usize, span_us: f64) -> (usize, usize) {
    // The exponent of a number is the power of two below it.
    let exponent = ((span_us / gaps as f64).to_bits() >> 52) as usize;
    let step = (exponent + 2).saturating_sub(1023) / 2;
    ((gaps.ilog2() as usize).min(LEVELS - 1), step.min(STEPS_OF_FOUR - 1))
}

/// The bin of a split into these times.
fn bin_of(first_us: f64, second_us: f64) -> usize {
    let ratio = libm::log2(first_us / second_us);
    EDGES.iter().position(|&edge| ratio < edge).unwrap_or(BINS - 1)
}

/// Counts how the time of gaps is split.
#[derive(Default)]
pub(in crate::twin) struct SplitMeter(Vec<[u32; BINS]>);

impl SplitMeter {
    /// Counts the splits of these gaps; their sum.
    pub fn add(&mut self, gaps_us: &[f64]) -> f64 {
        self.0.resize(LEVELS * STEPS_OF_FOUR, [0; BINS]);
        self.split(gaps_us)
    }

    fn split(&mut self, gaps_us: &[f64]) -> f64 {
        if let [] | [_] = gaps_us {
            return gaps_us.first().copied().unwrap_or(0.0);
        }
        let (first, second) = gaps_us.split_at(gaps_us.len() / 2);
        let (first_us, second_us) = (self.split(first), self.split(second));
        if first_us + second_us > 0.0 {
            let (level, step_of_four) = context(gaps_us.len(), first_us + second_us);
            self.0[level * STEPS_OF_FOUR + step_of_four][bin_of(first_us, second_us)] += 1;
        }
        first_us + second_us
    }

    /// Rows of level, step_of_four, and pairs of a bin and its count.
    pub fn finish(self) -> Vec<Vec<u32>> {
        let used = self.0.iter().enumerate().filter(|(_, bins)| bins.iter().sum::<u32>() > 0);
        let row = |(at, bins): (usize, &[u32; BINS])| {
            let pairs = bins.iter().enumerate().filter(|(_, count)| **count > 0);
            let pairs = pairs.flat_map(|(bin, &count)| [bin as u32, count]);
            [(at / STEPS_OF_FOUR) as u32, (at % STEPS_OF_FOUR) as u32]
                .into_iter()
                .chain(pairs)
                .collect()
        };
        used.map(row).collect()
    }
}

/// Draws gaps.
pub(super) struct Cascade {
    /// Sums of the weights of the bins by level and step_of_four, in steps of 2^-32.
    upto: Vec<[u32; BINS]>,
    /// The first half's share by bin and step.
    shares: Vec<f64>,
}

impl Cascade {
    pub fn new(splits: &[Vec<u32>]) -> Self {
        let mut known: Vec<Option<[u32; BINS]>> = vec![None; LEVELS * STEPS_OF_FOUR];
        for row in splits {
            let mut weights = [0.0; BINS];
            for pair in row[2..].chunks_exact(2) {
                weights[pair[0] as usize] = f64::from(pair[1]);
            }
            known[row[0] as usize * STEPS_OF_FOUR + row[1] as usize] = Some(running(&weights));
        }
        // What was not seen is split as the nearest that was.
        let even = running(&std::array::from_fn(|bin| f64::from(u8::from(bin == BINS / 2))));
        let near = |at: usize| {
            let (level, step_of_four) = (at / STEPS_OF_FOUR, at % STEPS_OF_FOUR);
            let far = |other: &usize| {
                (other / STEPS_OF_FOUR).abs_diff(level)
                    + 2 * (other % STEPS_OF_FOUR).abs_diff(step_of_four)
            };
            let seen = (0..known.len()).filter(|&other| known[other].is_some());
            seen.min_by_key(far).and_then(|other| known[other]).unwrap_or(even)
        };
        let upto = (0..known.len()).map(near).collect();
        Self { upto, shares: shares() }
    }

    /// Splits `span_us` into gaps.
    pub fn fill(&self, gaps_us: &mut [f64], span_us: f64, rng: &mut Rng) {
        match gaps_us {
            [] => {}
            [gap_us] => *gap_us = span_us,
            _ if span_us <= 0.0 => gaps_us.fill(0.0),
            _ => {
                let (level, step_of_four) = context(gaps_us.len(), span_us);
                let bits = rng.bits();
                let (draw, step) = ((bits >> 32) as u32, bits as usize % STEPS);
                let row = &self.upto[level * STEPS_OF_FOUR + step_of_four];
                let bin = row.iter().position(|&upto| draw < upto).unwrap_or(BINS - 1);
                let first_us = span_us * self.shares[bin * STEPS + step];
                let (first, second) = gaps_us.split_at_mut(gaps_us.len() / 2);
                self.fill(first, first_us, rng);
                self.fill(second, span_us - first_us, rng);
            }
        }
    }
}

fn running(weights: &[f64; BINS]) -> [u32; BINS] {
    let sum: f64 = weights.iter().sum();
    let mut upto = 0.0;
    let mut row = [u32::MAX; BINS];
    for (row, weight) in row.iter_mut().zip(weights) {
        upto += weight / sum;
        *row = (upto * f64::from(u32::MAX)) as u32;
    }
    // A rounded sum must not open a bin that has no weight.
    let last = weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(BINS - 1);
    row[last..].fill(u32::MAX);
    row
}

/// Shares of the first half: evenly over the logarithm within a bin; 0 and 1 in the outermost.
fn shares() -> Vec<f64> {
    let share = |bin: usize, step: usize| {
        let place = (step as f64 + 0.5) / STEPS as f64;
        match bin {
            0 => 0.0,
            bin if bin == BINS - 1 => 1.0,
            _ => {
                let (low, high) = (EDGES[bin - 1], EDGES[bin]);
                1.0 / (1.0 + libm::exp2(-(low + place * (high - low))))
            }
        }
    };
    (0..BINS).flat_map(|bin| (0..STEPS).map(move |step| share(bin, step))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_of_a_cascade_add_up_and_are_split_as_they_were() {
        let mut rng = Rng::new(1, "test");
        let burst = |n: usize| if n.is_multiple_of(16) { 1e5 } else { 20.0 };
        let gaps: Vec<f64> = (0..4096).map(|n| burst(n) * (0.5 + rng.unit())).collect();
        let mut meter = SplitMeter::default();
        let span_us = gaps.chunks(256).map(|chunk| meter.add(chunk)).sum::<f64>();
        let splits = meter.finish();
        let cascade = Cascade::new(&splits);
        let mut drawn = vec![0.0; 4096];
        for chunk in drawn.chunks_mut(256) {
            cascade.fill(chunk, span_us / 16.0, &mut rng);
        }
        let sum: f64 = drawn.iter().sum();
        assert!((sum / span_us - 1.0).abs() < 1e-9, "{sum} of {span_us}");
        let long = |gaps: &[f64]| gaps.iter().filter(|&&gap| gap > 1e4).count() as f64;
        assert!((long(&drawn) / long(&gaps) - 1.0).abs() < 0.15, "{} long gaps", long(&drawn));
    }
}
