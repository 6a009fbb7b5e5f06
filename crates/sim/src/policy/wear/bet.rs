//! Static wear levelling by a block erasing table (Chang, Hsieh and Kuo, IEEE Transactions on Computers
//! 59(1), 2010): a bit for each set of blocks says whether any of it was erased lately. Once erases keep to
//! few sets, data that stays is moved out of one that has been spared.

use std::ops::Range;

/// The table of a domain of garbage collection.
#[derive(Debug, Clone)]
pub struct Bet {
    blocks: u32,
    /// Blocks that share a bit.
    set_blocks: u32,
    /// Erases for each set that was erased, from which on they are uneven.
    threshold: u64,
    was_erased: Vec<bool>,
    /// Sets whose bit is set.
    erased_sets: u64,
    /// Erases since the table was cleared.
    erases: u64,
    /// The set at which the search for a spared one goes on.
    next: usize,
}

impl Bet {
    /// The table of so many blocks.
    pub fn new(blocks: u32, set_blocks: u32, threshold: u64) -> Self {
        Self {
            blocks,
            set_blocks,
            threshold,
            was_erased: vec![false; blocks.div_ceil(set_blocks) as usize],
            erased_sets: 0,
            erases: 0,
            next: 0,
        }
    }

    /// A block was erased, by its place among those of the domain.
    pub fn erased(&mut self, place: u32) {
        self.erases += 1;
        self.mark((place / self.set_blocks) as usize);
    }

    /// The places of the blocks whose data is to be moved, so that they take their share; `None` while erases
    /// are even enough. A table with every bit set is cleared.
    pub fn spared(&mut self) -> Option<Range<u32>> {
        if self.erased_sets == 0 || self.erases < self.threshold * self.erased_sets {
            return None;
        }
        if self.erased_sets == self.was_erased.len() as u64 {
            self.was_erased.fill(false);
            (self.erased_sets, self.erases) = (0, 0);
            return None;
        }
        while self.was_erased[self.next] {
            self.next = (self.next + 1) % self.was_erased.len();
        }
        let first = self.next as u32 * self.set_blocks;
        self.mark(self.next);
        Some(first..(first + self.set_blocks).min(self.blocks))
    }

    fn mark(&mut self, set: usize) {
        self.erased_sets += u64::from(!self.was_erased[set]);
        self.was_erased[set] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::Bet;

    /// Seven blocks in sets of two, of which the last has one.
    fn table(threshold: u64) -> Bet {
        Bet::new(7, 2, threshold)
    }

    #[test]
    fn the_threshold_decides() {
        let mut table = table(3);
        assert_eq!(table.spared(), None, "nothing was erased");
        (0..2).for_each(|_| table.erased(1));
        assert_eq!(table.spared(), None);
        table.erased(0);
        // Three erases of one set; the set that is spared counts as erased from here on.
        assert_eq!(table.spared(), Some(2..4));
        assert_eq!(table.spared(), None);
        (0..3).for_each(|_| table.erased(0));
        assert_eq!(table.spared(), Some(4..6));
    }

    #[test]
    fn a_full_table_is_cleared_and_the_search_goes_round() {
        let mut table = table(1);
        table.erased(3);
        assert_eq!(table.spared(), Some(0..2));
        (0..9).for_each(|_| table.erased(3));
        assert_eq!([table.spared(), table.spared()], [Some(4..6), Some(6..7)]);
        assert_eq!(table.spared(), None, "every set was erased");
        assert_eq!(table.spared(), None, "the table is empty");
        table.erased(6);
        assert_eq!(table.spared(), Some(0..2), "on from the last one");
    }

    #[test]
    fn a_table_that_was_cleared_counts_erases_anew() {
        let mut table = table(3);
        (0..4).for_each(|set| (0..3).for_each(|_| table.erased(2 * set)));
        assert_eq!(table.spared(), None, "every set was erased, and the table is cleared");
        (0..2).for_each(|_| table.erased(0));
        assert_eq!(table.spared(), None, "two erases since");
        table.erased(1);
        assert_eq!(table.spared(), Some(2..4));
    }
}
