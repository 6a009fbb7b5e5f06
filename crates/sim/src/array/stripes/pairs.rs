//! Two pages of a stripe that are read together, or written: with one of data and the parity most stripes come to no more.
//! Nothing comes of the one that ends first until the other does, unless the host asks for more of the stripe before that:
//! where both ends are known ahead, they are a single event.

use super::Stripes;
use crate::array::contents::Contents;
use crate::array::core::{Core, Storage};
use crate::array::drive_set::DriveSet;
use crate::array::ends::{End, Pair};
use crate::array::events::{Event, PagesJob};
use crate::array::jobs::BlockJob;
use crate::ids::HeadId;

impl Stripes {
    /// Pages of a stripe are about to go to their drives, and it does not wait to be allowed to read: a pair, if these are
    /// two, and there is none already.
    #[inline(always)]
    pub(super) fn will_pair<S: Storage>(
        &mut self,
        head: HeadId,
        drives: DriveSet,
        core: &mut Core<S>,
    ) {
        if core.is_plain && !S::Contents::IS_TOLD && drives.is_two() {
            let pair = &mut self.cache.head(head).pair;
            *pair = if *pair == Pair::None { Pair::Issued } else { *pair };
        }
    }

    /// The end of a page that went to its drive is known.
    #[inline(always)]
    pub(super) fn block_will_end<S: Storage>(
        &mut self,
        block: BlockJob,
        at_ns: u64,
        core: &mut Core<S>,
    ) {
        let BlockJob { head, drive, is_write } = block;
        let end = End::new(at_ns, core.events.next_order(), drive, is_write);
        let pair = &mut self.cache.head(head).pair;
        match *pair {
            Pair::Issued => *pair = Pair::Half(end),
            Pair::Half(other) => {
                // Of two that end at once the place of the one that was sent first counts, and nothing is left to split.
                let (first, last) = if at_ns < other.at_ns { (end, other) } else { (other, end) };
                let is_one = at_ns == other.at_ns;
                *pair = if is_one { Pair::Split } else { Pair::Whole(first) };
                let order = if is_one { first.order() } else { last.order() };
                let drives = (first.drive(), last.drive());
                let over = Event::Pages(PagesJob { head, drives, is_write });
                core.events.add_in_order(last.at_ns, order, over);
            }
            Pair::None | Pair::Whole(_) | Pair::Split => self.will_end_alone(head, end, core),
        }
    }

    #[inline(always)]
    fn will_end_alone<S: Storage>(&mut self, head: HeadId, end: End, core: &mut Core<S>) {
        let drives = (end.drive(), end.drive());
        let over = Event::Pages(PagesJob { head, drives, is_write: end.is_write() });
        core.events.add_in_order(end.at_ns, end.order(), over);
    }

    /// Two pages about to go to their drives are no pair: one goes with others, or its end is not known.
    #[inline]
    pub(super) fn part_pair<S: Storage>(&mut self, head: HeadId, core: &mut Core<S>) {
        let pair = &mut self.cache.head(head).pair;
        match *pair {
            Pair::Issued => *pair = Pair::None,
            Pair::Half(end) => {
                *pair = Pair::None;
                self.will_end_alone(head, end, core);
            }
            Pair::None | Pair::Whole(_) | Pair::Split => {}
        }
    }

    /// A stripe is asked for more: of a pair of its pages, what ended or will end first counts for itself.
    #[inline(always)]
    pub(super) fn split_pair<S: Storage>(&mut self, head: HeadId, core: &mut Core<S>) {
        if let Pair::Whole(first) = self.cache.head(head).pair {
            self.split(head, first, core);
        }
    }

    #[inline(never)]
    fn split<S: Storage>(&mut self, head: HeadId, first: End, core: &mut Core<S>) {
        let state = self.cache.head(head);
        state.pair = Pair::Split;
        match first.at_ns <= core.now_ns {
            true => state.pages.are_over(DriveSet::of(first.drive()), first.is_write()),
            false => self.will_end_alone(head, first, core),
        }
    }
}
