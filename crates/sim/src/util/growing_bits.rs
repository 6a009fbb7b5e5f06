//! Bits of numbers, as many as the highest one that was set needs.

/// A set of numbers.
#[derive(Debug, Clone, Default)]
pub struct GrowingBits(Vec<u64>);

impl GrowingBits {
    fn at(number: u64) -> (usize, u64) {
        ((number / 64) as usize, 1 << (number % 64))
    }

    /// Whether the number is in the set.
    #[inline]
    pub fn contains(&self, number: u64) -> bool {
        let (word, bit) = Self::at(number);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Puts a number into the set.
    #[inline]
    pub fn insert(&mut self, number: u64) {
        let (word, bit) = Self::at(number);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
    }

    /// Takes a number out of the set, which must have held it at some time.
    #[inline]
    pub fn remove(&mut self, number: u64) {
        let (word, bit) = Self::at(number);
        self.0[word] &= !bit;
    }
}
