//! Drawing from weights.

use crate::generate::rng::Rng;

/// Weights by index.
#[derive(Debug)]
pub(super) struct Table {
    /// Sums of the weights, and the index of each that has one.
    upto: Vec<(f64, u32)>,
}

impl Table {
    pub fn new(weights: &[f64]) -> Self {
        let mut sum = 0.0;
        let with = weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        let upto = with.map(|(index, weight)| {
            sum += weight;
            (sum, index as u32)
        });
        Self { upto: upto.collect() }
    }

    pub fn of_counts(counts: &[u32]) -> Self {
        Self::new(&counts.iter().map(|&count| f64::from(count)).collect::<Vec<_>>())
    }

    /// An index; `None` where nothing has weight.
    #[inline]
    pub fn index(&self, rng: &mut Rng) -> Option<usize> {
        let &(sum, last) = self.upto.last()?;
        if self.upto.len() == 1 {
            return Some(last as usize);
        }
        let draw = rng.unit() * sum;
        let at = self.upto.partition_point(|&(upto, _)| upto <= draw);
        Some(self.upto.get(at).map_or(last, |&(_, index)| index) as usize)
    }

    /// A whole number of the octave that is drawn: 0, 1, 2 to 3, 4 to 7 ...
    #[inline]
    pub fn octave(&self, rng: &mut Rng) -> u64 {
        match self.index(rng) {
            None | Some(0) => 0,
            Some(octave) => {
                let low = 1u64 << (octave - 1);
                low + rng.below(low)
            }
        }
    }
}
