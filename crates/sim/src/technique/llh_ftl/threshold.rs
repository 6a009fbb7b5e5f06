//! How many partially used blocks may wait for their second round: a number that follows what garbage
//! collection finds in its victims (Section 4: "Partially-use, use and reuse conditions").

use std::collections::VecDeque;

/// The bounds of a threshold, and how it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// It starts here.
    pub first: u32,
    /// It does not fall once it is here or lower.
    pub floor: u32,
    /// It does not rise once it is here or higher.
    pub ceiling: u32,
    /// Victims that a valid count is compared with.
    pub window: u32,
    /// Comparisons in a row, with the same outcome, that move it by a block.
    pub steps: u32,
}

/// The threshold of one scope.
#[derive(Debug, Clone)]
pub struct Threshold {
    bounds: Bounds,
    blocks: u32,
    /// Valid units of the last victims, before they were moved.
    victims: VecDeque<u32>,
    sum: u64,
    fewer: u32,
    more: u32,
    /// How often it rose, and fell.
    pub rises: u64,
    /// How often it fell.
    pub falls: u64,
}

impl Threshold {
    /// A threshold that has seen nothing.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            blocks: bounds.first,
            victims: VecDeque::with_capacity(bounds.window as usize),
            sum: 0,
            fewer: 0,
            more: 0,
            rises: 0,
            falls: 0,
        }
    }

    /// Partially used blocks that may wait.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// A victim, or what would be one, has so many valid units: fewer than the last victims had say
    /// that reuse gains, more that it costs too much room. Nothing follows before the window is full.
    pub fn compare(&mut self, valid: u32) {
        let Bounds { floor, ceiling, window, steps, .. } = self.bounds;
        if self.victims.len() < window as usize {
            return;
        }
        match (u64::from(valid) * u64::from(window)).cmp(&self.sum) {
            std::cmp::Ordering::Less => (self.fewer, self.more) = (self.fewer + 1, 0),
            std::cmp::Ordering::Greater => (self.fewer, self.more) = (0, self.more + 1),
            std::cmp::Ordering::Equal => {}
        }
        if self.fewer == steps {
            self.fewer = 0;
            if self.blocks < ceiling {
                self.blocks += 1;
                self.rises += 1;
            }
        }
        if self.more == steps {
            self.more = 0;
            if self.blocks > floor {
                self.blocks -= 1;
                self.falls += 1;
            }
        }
    }

    /// Garbage collection has chosen a victim with so many valid units.
    pub fn note(&mut self, valid: u32) {
        if self.victims.len() == self.bounds.window as usize {
            self.sum -= u64::from(self.victims.pop_front().unwrap_or(0));
        }
        self.victims.push_back(valid);
        self.sum += u64::from(valid);
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Threshold};

    fn threshold(first: u32) -> Threshold {
        let bounds = Bounds { first, floor: 5, ceiling: 8, window: 5, steps: 7 };
        let mut threshold = Threshold::new(bounds);
        (0..5).for_each(|_| threshold.note(10));
        threshold
    }

    fn compare(threshold: &mut Threshold, valid: u32, times: u32) {
        (0..times).for_each(|_| threshold.compare(valid));
    }

    #[test]
    fn the_seventh_comparison_moves_it_and_the_sixth_does_not() {
        for (valid, then) in [(9, 8), (11, 6)] {
            let mut threshold = threshold(7);
            compare(&mut threshold, valid, 6);
            assert_eq!(threshold.blocks(), 7);
            compare(&mut threshold, valid, 1);
            assert_eq!(threshold.blocks(), then);
        }
    }

    #[test]
    fn the_other_outcome_resets_the_count_and_an_equal_one_does_not() {
        let mut threshold = threshold(7);
        compare(&mut threshold, 9, 6);
        compare(&mut threshold, 11, 1);
        compare(&mut threshold, 9, 6);
        assert_eq!(threshold.blocks(), 7);
        compare(&mut threshold, 10, 1);
        compare(&mut threshold, 9, 1);
        assert_eq!(threshold.blocks(), 8);
    }

    #[test]
    fn it_stops_at_its_floor_and_at_its_ceiling() {
        let mut falling = threshold(6);
        compare(&mut falling, 11, 14);
        assert_eq!((falling.blocks(), falling.falls), (5, 1));
        let mut rising = threshold(7);
        compare(&mut rising, 9, 14);
        assert_eq!((rising.blocks(), rising.rises), (8, 1));
        // Where the spare space is small it may begin below the floor.
        let mut low = threshold(4);
        compare(&mut low, 11, 7);
        assert_eq!(low.blocks(), 4);
        compare(&mut low, 9, 7);
        assert_eq!(low.blocks(), 5);
    }

    #[test]
    fn it_compares_with_the_last_victims_once_there_are_enough() {
        let bounds = Bounds { first: 7, floor: 5, ceiling: 8, window: 5, steps: 1 };
        let mut threshold = Threshold::new(bounds);
        (0..4).for_each(|_| threshold.note(10));
        threshold.compare(0);
        assert_eq!(threshold.blocks(), 7);
        // 10, 10, 10, 10, 2: a mean of 8.4; then 10, 10, 10, 2, 2: of 6.8.
        threshold.note(2);
        threshold.compare(8);
        assert_eq!(threshold.blocks(), 8);
        threshold.note(2);
        threshold.compare(7);
        assert_eq!(threshold.blocks(), 7);
    }
}
