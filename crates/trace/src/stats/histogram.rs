//! Counts of values in buckets whose width grows with the value.

/// Buckets in each octave; values below twice this have a bucket each.
const PER_OCTAVE: u64 = 1 << PER_OCTAVE_LOG2;
const PER_OCTAVE_LOG2: u32 = 7;

/// A histogram of whole numbers. A value is known by the lower end of its bucket, which lies less
/// than a 128th below it, and is the value itself where that has eight significant bits or fewer:
/// any multiple of a sector up to 128 KiB, for instance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Histogram {
    counts: Vec<u64>,
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
}

impl Histogram {
    /// Counts `value`.
    #[inline]
    pub fn add(&mut self, value: u64) {
        let index = index_of(value);
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += u128::from(value);
    }

    /// Counts what `other` counted.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(ours, theirs)| *ours += theirs);
        self.min = if self.count == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
    }

    /// Values counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The least; 0 of none.
    pub fn min(&self) -> u64 {
        self.min
    }

    /// The greatest; 0 of none.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Their mean; `None` of none.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The least value that at least the share `q` of all values does not exceed, but for the
    /// width of a bucket; `None` of none.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let rank = ((self.count as f64 * q).ceil() as u64).clamp(1, self.count.max(1));
        let mut below = 0;
        let index = self.counts.iter().position(|&count| {
            below += count;
            below >= rank
        })?;
        Some(lowest_of(index).max(self.min))
    }

    /// Counts per octave: `(low, count)` for the values in `low..2 × low`, and those of 0; every
    /// octave from the first with a value to the last.
    pub fn octaves(&self) -> Vec<(u64, u64)> {
        let mut octaves: Vec<(u64, u64)> = Vec::new();
        for (index, &count) in self.counts.iter().enumerate() {
            let value = lowest_of(index);
            let low = if value == 0 { 0 } else { 1 << value.ilog2() };
            match octaves.last_mut() {
                Some(last) if last.0 == low => last.1 += count,
                None if count == 0 => {}
                _ => octaves.push((low, count)),
            }
        }
        octaves
    }
}

#[inline]
fn index_of(value: u64) -> usize {
    if value < 2 * PER_OCTAVE {
        return value as usize;
    }
    let shift = value.ilog2() - PER_OCTAVE_LOG2;
    (u64::from(shift) * PER_OCTAVE + (value >> shift)) as usize
}

fn lowest_of(index: usize) -> u64 {
    let index = index as u64;
    if index < 2 * PER_OCTAVE {
        return index;
    }
    let shift = index / PER_OCTAVE - 1;
    (index - shift * PER_OCTAVE) << shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_has_no_mean_and_no_quantile() {
        let none = Histogram::default();
        assert_eq!((none.mean(), none.quantile(0.5), none.octaves()), (None, None, vec![]));
    }

    #[test]
    fn multiples_of_a_sector_are_known_exactly() {
        for sectors in 1..=256 {
            assert_eq!(lowest_of(index_of(sectors * 512)), sectors * 512);
        }
        assert_eq!(index_of(u64::MAX), 7423, "the largest table is 58 KiB");
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_values(
            mut values in proptest::collection::vec(0u64..1 << 50, 1..60),
            q in 0.0..=1.0f64,
            cut in 0usize..60,
        ) {
            let cut = cut.min(values.len());
            let (mut first, mut second) = (Histogram::default(), Histogram::default());
            values[..cut].iter().for_each(|&value| first.add(value));
            values[cut..].iter().for_each(|&value| second.add(value));
            first.merge(&second);
            values.sort_unstable();
            let rank = ((values.len() as f64 * q).ceil() as usize).max(1);
            let (exact, found) = (values[rank - 1], first.quantile(q).expect("a value"));
            prop_assert!(found <= exact && exact - found <= exact / 128, "{found} for {exact}");
            prop_assert_eq!(first.sum(), values.iter().map(|&value| u128::from(value)).sum::<u128>());
            prop_assert_eq!((first.min(), first.max()), (values[0], values[values.len() - 1]));
            let total: u64 = first.octaves().iter().map(|&(_, count)| count).sum();
            prop_assert_eq!(total, values.len() as u64);
            for (low, count) in first.octaves() {
                let inside = |value: &&u64| **value >= low && (low == 0) == (**value == 0)
                    && **value <= low.saturating_mul(2).saturating_sub(1).max(low);
                prop_assert_eq!(values.iter().filter(inside).count() as u64, count);
            }
        }
    }
}
