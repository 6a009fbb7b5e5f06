//! The life of a block: which round it is in, and which page comes next (Sections 3.2 and 4, Figure 6).

use super::order::Order;
use crate::drive::{Content, Step, ValidBits};
use crate::ids::BlockId;
use crate::nand::PROGRAM;

/// Pages of a word line.
pub const BITS: u32 = 2;

/// Where a block stands between two erases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stage {
    /// Erased, or filled as on the conventional drive: not a block of the technique's.
    #[default]
    Other,
    /// The first round: low pages.
    First,
    /// Every low page was written, no high page; it waits for its second round.
    PartiallyUsed,
    /// The second round: low pages again where nothing on them is valid, and the high pages.
    Second,
    /// The second round is over.
    Reused,
    /// Hot data page by page: its block is past the part of its life that is safe to reuse, or no more may wait.
    Regular,
    /// Cold data page by page, where the technique says which.
    Cold,
    /// A partially used block that was given up to garbage collection.
    Surrendered,
}

/// A block.
#[derive(Debug, Clone, Copy, Default)]
pub struct Record {
    /// Where it stands.
    pub stage: Stage,
    /// True once its round has come to the page with the list.
    pub has_list: bool,
    /// Steps of the round that have been announced.
    announced: u32,
}

impl Record {
    /// A block whose round begins.
    pub fn begin(stage: Stage) -> Self {
        Self { stage, has_list: false, announced: 0 }
    }

    /// Low pages that were passed over since the block was as in `before`.
    pub fn left_out_since(self, before: Self) -> u32 {
        self.announced.saturating_sub(before.announced).saturating_sub(1)
    }
}

/// Rows of the technique's own programs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rows {
    /// The first program of a low page whose high page stays erased.
    pub low: u8,
    /// A low page again.
    pub low_again: u8,
    /// A high page, after its low page was programmed alone.
    pub high: u8,
    /// A read of an encoded page.
    pub encoded_read: u8,
}

/// The blocks as the technique divides them.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Units of a page.
    pub units_per_page: u32,
    /// Units that the second write of a low page carries.
    pub units_again: u32,
    /// Word lines of a block.
    pub word_lines: u32,
    /// The order of the second round.
    pub order: Order,
    /// Pages at the end of a round that hold the list of the block's logical pages: one or none.
    pub lists: u32,
    /// The rows.
    pub rows: Rows,
}

impl Layout {
    /// Where a page begins.
    fn place(self, page: u32) -> u32 {
        page * self.units_per_page
    }

    /// True for a place on a low page.
    pub fn is_low(self, place: u32) -> bool {
        (place / self.units_per_page).is_multiple_of(BITS)
    }

    /// Units that a second round can certainly place.
    pub fn units_of_high_pages(self) -> u32 {
        (self.word_lines - self.lists) * self.units_per_page
    }

    /// Units of a block on which data can stand.
    pub fn units_of_data(self) -> u32 {
        (BITS * self.word_lines - self.lists) * self.units_per_page
    }

    /// Where the list is that a first round ends with, and that of any other.
    pub fn list_places(self) -> [u32; 2] {
        [BITS, 1].map(|from_end| self.place(BITS * self.word_lines - from_end))
    }

    /// What a page holds with so many further ones of its round after it.
    fn content(self, later: u32) -> Content {
        if later < self.lists { Content::Notes } else { Content::Data }
    }

    /// The page at a place of the second round, and the high pages before it.
    fn second_page(self, at: u32) -> (u32, u32) {
        let last = BITS * self.word_lines - 1;
        match self.order {
            Order::Pairwise => (at, at / 2),
            Order::Numbered if at == 0 => (0, 0),
            Order::Numbered if at == last => (last, self.word_lines - 1),
            // Low page n at 2 n - 1, the high page before it at 2 n.
            Order::Numbered if at % 2 == 1 => (at + 1, at / 2),
            Order::Numbered => (at - 1, at / 2 - 1),
        }
    }

    /// The next step of a block's round; `None`: the round is over, and the block in the stage that
    /// follows.
    pub fn step(self, record: &mut Record, block: BlockId, valid: &ValidBits) -> Option<Step> {
        let step = match record.stage {
            Stage::First => self.first_step(record),
            Stage::Second => self.second_step(record, block, valid),
            Stage::Regular | Stage::Cold => self.regular_step(record),
            Stage::Other | Stage::PartiallyUsed | Stage::Reused | Stage::Surrendered => {
                panic!("block {block} is {:?}: no round is under way", record.stage)
            }
        };
        record.has_list |= step.is_some_and(|step| step.content == Content::Notes);
        if step.is_none() {
            record.stage = match record.stage {
                Stage::First => Stage::PartiallyUsed,
                Stage::Second => Stage::Reused,
                _ => Stage::Other,
            };
        }
        step
    }

    fn first_step(self, record: &mut Record) -> Option<Step> {
        let Layout { units_per_page: units, word_lines, rows, .. } = self;
        let line = record.announced;
        record.announced += 1;
        let later = word_lines.checked_sub(line + 1)?;
        Some(Step {
            from: self.place(BITS * line),
            units,
            later: later.saturating_sub(self.lists) * units,
            row: rows.low,
            content: self.content(later),
        })
    }

    fn regular_step(self, record: &mut Record) -> Option<Step> {
        let (units, pages) = (self.units_per_page, BITS * self.word_lines);
        let page = record.announced;
        record.announced += 1;
        let later = pages.checked_sub(page + 1)?;
        Some(Step {
            from: self.place(page),
            units,
            later: later.saturating_sub(self.lists) * units,
            row: PROGRAM,
            content: self.content(later),
        })
    }

    /// A low page is written again if none of its units is valid; otherwise it is left as it is.
    fn second_step(self, record: &mut Record, block: BlockId, valid: &ValidBits) -> Option<Step> {
        let units = self.units_per_page;
        while record.announced < BITS * self.word_lines {
            let (page, highs) = self.second_page(record.announced);
            record.announced += 1;
            let from = self.place(page);
            if page % BITS == 1 {
                let later = self.word_lines - 1 - highs;
                return Some(Step {
                    from,
                    units,
                    later: later.saturating_sub(self.lists) * units,
                    row: self.rows.high,
                    content: self.content(later),
                });
            }
            if valid.next(block, from).is_none_or(|place| place >= from + units) {
                return Some(Step {
                    from,
                    units: self.units_again,
                    later: (self.word_lines - highs - self.lists) * units,
                    row: self.rows.low_again,
                    content: Content::Coded,
                });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, Order, Record, Rows, Stage};
    use crate::drive::{Content, Step, ValidBits};
    use crate::ids::BlockId;
    use crate::nand::PROGRAM;

    const ROWS: Rows = Rows { low: 10, low_again: 11, high: 12, encoded_read: 13 };

    fn layout(order: Order) -> Layout {
        Layout { units_per_page: 2, units_again: 1, word_lines: 3, order, lists: 0, rows: ROWS }
    }

    fn steps(layout: Layout, stage: Stage, valid: &ValidBits) -> (Vec<Step>, Stage) {
        let mut record = Record::begin(stage);
        let steps = std::iter::from_fn(|| layout.step(&mut record, BlockId(0), valid)).collect();
        (steps, record.stage)
    }

    fn pages(steps: &[Step]) -> Vec<u32> {
        steps.iter().map(|step| step.from / 2).collect()
    }

    /// What may certainly still be placed is never more than what then is.
    fn check_later(steps: &[Step]) {
        for at in 0..steps.len() {
            let after = steps[at + 1..].iter().filter(|step| step.content != Content::Notes);
            let placed: u32 = after.map(|step| step.units).sum();
            assert!(steps[at].later <= placed, "{:?}", steps[at]);
        }
        assert_eq!(steps.last().expect("there is a step").later, 0);
    }

    #[test]
    fn the_first_round_takes_the_low_pages() {
        let (steps, then) = steps(layout(Order::Pairwise), Stage::First, &ValidBits::new(1, 12));
        assert_eq!((pages(&steps), then), (vec![0, 2, 4], Stage::PartiallyUsed));
        assert!(steps.iter().all(|step| (step.units, step.row) == (2, ROWS.low)));
        check_later(&steps);
    }

    #[test]
    fn the_second_round_takes_half_of_a_low_page_and_the_high_pages() {
        let nothing = ValidBits::new(1, 12);
        for (order, expected) in
            [(Order::Pairwise, vec![0, 1, 2, 3, 4, 5]), (Order::Numbered, vec![0, 2, 1, 4, 3, 5])]
        {
            let (steps, then) = steps(layout(order), Stage::Second, &nothing);
            assert_eq!((pages(&steps), then), (expected, Stage::Reused));
            for step in &steps {
                let is_low = layout(order).is_low(step.from);
                let expected = if is_low { (1, ROWS.low_again) } else { (2, ROWS.high) };
                assert_eq!((step.units, step.row), expected);
            }
            check_later(&steps);
        }
    }

    #[test]
    fn a_low_page_is_left_as_it_is_while_one_unit_of_it_is_valid() {
        for order in [Order::Pairwise, Order::Numbered] {
            for (place, left_out) in [(0, 0), (1, 0), (4, 2), (5, 2), (8, 4), (9, 4)] {
                let mut valid = ValidBits::new(1, 12);
                valid.set(BlockId(0), place);
                let (steps, _) = steps(layout(order), Stage::Second, &valid);
                assert_eq!(steps.len(), 5);
                assert!(!pages(&steps).contains(&left_out), "{place}: {steps:?}");
                check_later(&steps);
            }
        }
    }

    #[test]
    fn a_list_is_the_last_page_of_each_round() {
        let nothing = ValidBits::new(1, 12);
        for order in [Order::Pairwise, Order::Numbered] {
            let layout = Layout { lists: 1, ..layout(order) };
            assert_eq!((layout.units_of_high_pages(), layout.units_of_data()), (4, 10));
            for (stage, last, data) in
                [(Stage::First, 4, 4), (Stage::Second, 5, 7), (Stage::Regular, 5, 10)]
            {
                let (steps, _) = steps(layout, stage, &nothing);
                let lists = steps.iter().filter(|step| step.content == Content::Notes);
                assert_eq!(pages(&lists.copied().collect::<Vec<_>>()), [last], "{stage:?}");
                assert_eq!(pages(&steps).last(), Some(&last));
                let places = layout.list_places().map(|place| place / 2);
                assert!(places.contains(&last));
                let of_data = steps.iter().filter(|step| step.content != Content::Notes);
                assert_eq!(of_data.map(|step| step.units).sum::<u32>(), data, "{stage:?}");
                check_later(&steps);
            }
        }
    }

    #[test]
    fn a_regular_block_takes_every_page_in_its_turn() {
        let (steps, then) = steps(layout(Order::Numbered), Stage::Regular, &ValidBits::new(1, 12));
        assert_eq!((pages(&steps), then), (vec![0, 1, 2, 3, 4, 5], Stage::Other));
        assert!(steps.iter().all(|step| (step.units, step.row) == (2, PROGRAM)));
        check_later(&steps);
    }
}
