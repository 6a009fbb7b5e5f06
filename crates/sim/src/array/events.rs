//! What will happen in an array at times that are known.

use super::drive_set::{DRIVE_BITS, DriveSet};
use super::jobs::HEAD_BITS;
use crate::ids::{DriveId, HeadId, Id, MemberId};
use crate::nand::command::RequestId;
use crate::util::Upcoming;

/// A page of a stripe head is read or written, or a pair of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PagesJob {
    pub head: HeadId,
    /// Twice the same where it is one.
    pub drives: (DriveId, DriveId),
    pub is_write: bool,
}

impl PagesJob {
    /// Its drives.
    #[inline]
    pub fn all(self) -> DriveSet {
        DriveSet::of(self.drives.0) | DriveSet::of(self.drives.1)
    }

    /// Whether these are two.
    #[inline]
    pub fn are_two(self) -> bool {
        self.drives.0 != self.drives.1
    }
}

/// What happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A member's request of this number is over.
    End(MemberId, u64),
    /// A member's request is over of which nothing else need be kept: for a page of the cache, or for two…
    Pages(PagesJob),
    /// …or for part of a request of the host.
    Part(RequestId),
    /// A drive is lost.
    Lose(DriveId),
    /// A scrub begins.
    Scrub,
    /// A rebuild or scrub that was too fast goes on.
    Resume,
}

/// An event in a single number, because many are kept: which of these it is, and above that what goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packed(u64);

const KIND_BITS: u32 = 3;
const MEMBER_BITS: u32 = 8;

impl Packed {
    #[inline(always)]
    fn of(event: Event) -> Self {
        let (kind, rest) = match event {
            Event::End(member, number) => {
                debug_assert!(member.number() >> MEMBER_BITS == 0, "{member:?}");
                (0, number << MEMBER_BITS | u64::from(member.number()))
            }
            Event::Pages(PagesJob { head, drives: (one, other), is_write }) => {
                let drives = u64::from(one.number()) << DRIVE_BITS | u64::from(other.number());
                let what = drives << 1 | u64::from(is_write);
                (1, what << HEAD_BITS | u64::from(head.number()))
            }
            Event::Part(id) => (2, u64::from(id)),
            Event::Lose(drive) => (3, u64::from(drive.number())),
            Event::Scrub => (4, 0),
            Event::Resume => (5, 0),
        };
        Self(rest << KIND_BITS | kind)
    }

    #[inline(always)]
    fn event(self) -> Event {
        let rest = self.0 >> KIND_BITS;
        match self.0 & ((1 << KIND_BITS) - 1) {
            0 => Event::End(MemberId(rest as u32 & ((1 << MEMBER_BITS) - 1)), rest >> MEMBER_BITS),
            1 => {
                let head = HeadId(rest as u32 & ((1 << HEAD_BITS) - 1));
                let what = (rest >> HEAD_BITS) as u32;
                let drive = |at| DriveId(what >> at & ((1 << DRIVE_BITS) - 1));
                let drives = (drive(DRIVE_BITS + 1), drive(1));
                Event::Pages(PagesJob { head, drives, is_write: what & 1 != 0 })
            }
            2 => Event::Part(rest as RequestId),
            3 => Event::Lose(DriveId(rest as u32)),
            4 => Event::Scrub,
            _ => Event::Resume,
        }
    }
}

/// What is to come: of one time in the order in which it was added.
#[derive(Debug, Default)]
pub(super) struct Events {
    upcoming: Upcoming<(u64, Packed)>,
    added: u64,
}

impl Events {
    /// Something will happen.
    #[inline(always)]
    pub fn add(&mut self, time_ns: u64, event: Event) {
        let order = self.next_order();
        self.upcoming.put((time_ns, (order, Packed::of(event))), |other| other.0 <= time_ns);
    }

    /// The order of what may be added later as if it were added now.
    #[inline(always)]
    pub fn next_order(&mut self) -> u64 {
        self.added += 1;
        self.added
    }

    /// Something will happen that was to have this order among all else that does at that time.
    #[inline(always)]
    pub fn add_in_order(&mut self, time_ns: u64, order: u64, event: Event) {
        let is_after = |other: &(u64, (u64, Packed))| (other.0, other.1.0) < (time_ns, order);
        self.upcoming.put((time_ns, (order, Packed::of(event))), is_after);
    }

    /// When the next of these happens; `u64::MAX`: nothing will.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.upcoming.next_ns()
    }

    /// Takes what happens next, if that is not beyond `limit_ns`.
    #[inline(always)]
    pub fn take_until(&mut self, limit_ns: u64) -> Option<Event> {
        let (_, (_, packed)) = self.upcoming.take_until(limit_ns)?;
        Some(packed.event())
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Events, PagesJob};
    use crate::ids::{DriveId, HeadId, MemberId};

    #[test]
    fn what_is_added_happens_in_order_of_time_and_as_it_was_added() {
        let end = |member, number| Event::End(MemberId(member), number);
        let pages = |head, (one, other), is_write| {
            let drives = (DriveId(one), DriveId(other));
            Event::Pages(PagesJob { head: HeadId(head), drives, is_write })
        };
        let of_one_time = [
            end(0, 0),
            pages((1 << 21) - 1, (0, 0), true),
            pages(0, (63, 62), false),
            Event::Part(u32::MAX),
            end(255, 1 << 50),
            Event::Resume,
            Event::Lose(DriveId(63)),
            Event::Scrub,
            end(3, 7),
        ];
        let mut events = Events::default();
        // One of them has its place before it is added.
        let order = of_one_time.map(|_| events.next_order())[3];
        for (at, event) in (1..).zip(of_one_time) {
            if at != order {
                events.add_in_order(9, at, event);
            }
        }
        events.add_in_order(9, order, of_one_time[3]);
        events.add(4, Event::Scrub);
        assert_eq!((events.next_ns(), events.take_until(3)), (4, None));
        assert_eq!(events.take_until(9), Some(Event::Scrub));
        for event in of_one_time {
            assert_eq!((events.next_ns(), events.take_until(9)), (9, Some(event)));
        }
        assert_eq!((events.next_ns(), events.take_until(u64::MAX)), (u64::MAX, None));
    }
}
