//! One bit per unit: is its data valid? Blocks begin at word boundaries, so that a block's bits are
//! whole words.

use crate::ids::{BlockId, Id};
use crate::util::large_vec;

/// How far a walk over the valid units of a block has come.
#[derive(Debug, Clone, Copy, Default)]
pub struct Walk {
    /// Words that it has come to.
    words: u32,
    /// What is left of the last of them.
    bits: u64,
}

/// Valid bits, block by block.
#[derive(Debug, Clone)]
pub struct ValidBits {
    words: Vec<u64>,
    words_per_block: usize,
}

impl ValidBits {
    /// All bits clear.
    pub fn new(blocks: u32, units_per_block: u32) -> Self {
        let words_per_block = units_per_block.div_ceil(64) as usize;
        Self { words: large_vec(0, words_per_block * blocks as usize), words_per_block }
    }

    #[inline]
    fn at(&self, block: BlockId, place: u32) -> (usize, u64) {
        (block.index() * self.words_per_block + place as usize / 64, 1 << (place % 64))
    }

    /// Marks a unit valid.
    #[inline]
    pub fn set(&mut self, block: BlockId, place: u32) {
        let (word, bit) = self.at(block, place);
        debug_assert_eq!(self.words[word] & bit, 0, "unit {place} of block {block} is in use");
        self.words[word] |= bit;
    }

    /// Marks the units of a block valid whose bits are set in `chosen`; how many these are.
    pub fn set_all(&mut self, block: BlockId, chosen: &[u64]) -> u32 {
        let base = block.index() * self.words_per_block;
        let words = &mut self.words[base..base + self.words_per_block];
        let mut count = 0;
        for (word, &bits) in words.iter_mut().zip(chosen) {
            debug_assert_eq!(*word & bits, 0, "a unit of block {block} is in use");
            *word |= bits;
            count += bits.count_ones();
        }
        count
    }

    /// Marks a unit invalid.
    #[inline]
    pub fn clear(&mut self, block: BlockId, place: u32) {
        let (word, bit) = self.at(block, place);
        debug_assert_ne!(self.words[word] & bit, 0, "unit {place} of block {block} is not valid");
        self.words[word] &= !bit;
    }

    /// Clears the bits of a block.
    pub fn clear_block(&mut self, block: BlockId) {
        let (first, _) = self.at(block, 0);
        self.words[first..first + self.words_per_block].fill(0);
    }

    /// True for a valid unit.
    #[inline]
    pub fn get(&self, block: BlockId, place: u32) -> bool {
        let (word, bit) = self.at(block, place);
        self.words[word] & bit != 0
    }

    /// The first valid unit of `block` at `from` or after.
    #[inline]
    pub fn next(&self, block: BlockId, from: u32) -> Option<u32> {
        let base = block.index() * self.words_per_block;
        let mut word = from as usize / 64;
        let mut bits =
            *self.words[base..base + self.words_per_block].get(word)? >> (from % 64) << (from % 64);
        while bits == 0 {
            word += 1;
            if word == self.words_per_block {
                return None;
            }
            bits = self.words[base + word];
        }
        Some(word as u32 * 64 + bits.trailing_zeros())
    }

    /// The next unit of a walk over `block`: each that was valid when the walk came to its word.
    #[inline(always)]
    pub fn step(&self, block: BlockId, walk: &mut Walk) -> Option<u32> {
        while walk.bits == 0 {
            walk.bits = *self.words(block).get(walk.words as usize)?;
            walk.words += 1;
        }
        let place = (walk.words - 1) * 64 + walk.bits.trailing_zeros();
        walk.bits &= walk.bits - 1;
        Some(place)
    }

    /// The bits of `block`, 64 units in a word.
    pub fn words(&self, block: BlockId) -> &[u64] {
        let base = block.index() * self.words_per_block;
        &self.words[base..base + self.words_per_block]
    }

    /// Those of all blocks.
    pub fn all_words(&self) -> &[u64] {
        &self.words
    }

    /// The first valid unit of `block` at `from` or after, which is valid no longer.
    #[inline]
    pub fn take(&mut self, block: BlockId, from: u32) -> Option<u32> {
        let base = block.index() * self.words_per_block;
        let words = &mut self.words[base..base + self.words_per_block];
        let first = from as usize / 64;
        let mut below = u64::MAX << (from % 64);
        for (word, at) in words.get_mut(first..)?.iter_mut().zip(first as u32..) {
            let bits = *word & below;
            if bits != 0 {
                *word &= !(bits & bits.wrapping_neg());
                return Some(at * 64 + bits.trailing_zeros());
            }
            below = u64::MAX;
        }
        None
    }

    /// Marks `count` units from a place on valid.
    pub fn set_from(&mut self, block: BlockId, from: u32, count: u32) {
        (from..from + count).for_each(|place| self.set(block, place));
    }

    /// The valid units of `block`, in order.
    pub fn places(&self, block: BlockId) -> impl Iterator<Item = u32> + '_ {
        let words = self.words(block).iter().zip((0..).step_by(64));
        words.flat_map(|(&word, first)| {
            let mut bits = word;
            std::iter::from_fn(move || {
                let place = (bits != 0).then(|| first + bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
                place
            })
        })
    }

    /// Valid units of `block`.
    pub fn count(&self, block: BlockId) -> u32 {
        self.words(block).iter().map(|word| word.count_ones()).sum()
    }

    /// Memory that the bits take.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }

    /// The words, for prefetching: those of a unit.
    #[inline]
    pub fn prefetch(&self, block: BlockId, place: u32) {
        let (word, _) = self.at(block, place);
        crate::util::prefetch(&self.words, word);
    }
}

#[cfg(test)]
mod tests {
    use super::{ValidBits, Walk};
    use crate::ids::BlockId;

    #[test]
    fn walks_the_valid_units_of_a_block() {
        let mut bits = ValidBits::new(3, 130);
        for place in [0, 63, 64, 129] {
            bits.set(BlockId(1), place);
        }
        bits.set(BlockId(0), 129);
        bits.set(BlockId(2), 0);
        let mut seen = Vec::new();
        let mut from = 0;
        while let Some(place) = bits.next(BlockId(1), from) {
            seen.push(place);
            from = place + 1;
        }
        assert_eq!(seen, [0, 63, 64, 129]);
        let mut walk = Walk::default();
        let walked: Vec<_> = (0..6).map(|_| bits.step(BlockId(1), &mut walk)).collect();
        assert_eq!(walked, [Some(0), Some(63), Some(64), Some(129), None, None]);
        assert_eq!(bits.count(BlockId(1)), 4);
        assert_eq!(bits.next(BlockId(1), 200), None);
        bits.clear(BlockId(1), 64);
        assert!(!bits.get(BlockId(1), 64));
        bits.set_from(BlockId(2), 62, 3);
        let taken = [0, 1, 63, 64, 65].map(|from| bits.take(BlockId(2), from));
        assert_eq!(taken, [Some(0), Some(62), Some(63), Some(64), None]);
        assert_eq!((bits.count(BlockId(2)), bits.take(BlockId(2), 200)), (0, None));
    }
}
