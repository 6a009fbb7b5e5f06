//! What will happen in an array at times that are known.

use crate::ids::{DriveId, Id, MemberId};
use crate::util::Upcoming;

/// What happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A member's request of this number is over.
    End(MemberId, u64),
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

const KIND_BITS: u32 = 2;
const MEMBER_BITS: u32 = 8;

impl Packed {
    #[inline(always)]
    fn of(event: Event) -> Self {
        let (kind, rest) = match event {
            Event::End(member, number) => {
                debug_assert!(member.number() >> MEMBER_BITS == 0, "{member:?}");
                (0, number << MEMBER_BITS | u64::from(member.number()))
            }
            Event::Lose(drive) => (1, u64::from(drive.number())),
            Event::Scrub => (2, 0),
            Event::Resume => (3, 0),
        };
        Self(rest << KIND_BITS | kind)
    }

    #[inline(always)]
    fn event(self) -> Event {
        let rest = self.0 >> KIND_BITS;
        match self.0 & ((1 << KIND_BITS) - 1) {
            0 => Event::End(MemberId(rest as u32 & ((1 << MEMBER_BITS) - 1)), rest >> MEMBER_BITS),
            1 => Event::Lose(DriveId(rest as u32)),
            2 => Event::Scrub,
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
        self.added += 1;
        let order = self.added;
        self.upcoming.put((time_ns, (order, Packed::of(event))), |other| other.0 <= time_ns);
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
    use super::{Event, Events};
    use crate::ids::{DriveId, MemberId};

    #[test]
    fn what_is_added_happens_in_order_of_time_and_as_it_was_added() {
        let end = |member, number| Event::End(MemberId(member), number);
        let of_one_time = [
            end(0, 0),
            end(255, 1 << 50),
            Event::Resume,
            Event::Lose(DriveId(63)),
            Event::Scrub,
            end(3, 7),
        ];
        let mut events = Events::default();
        of_one_time.into_iter().for_each(|event| events.add(9, event));
        events.add(4, Event::Scrub);
        assert_eq!((events.next_ns(), events.take_until(3)), (4, None));
        assert_eq!(events.take_until(9), Some(Event::Scrub));
        for event in of_one_time {
            assert_eq!((events.next_ns(), events.take_until(9)), (9, Some(event)));
        }
        assert_eq!((events.next_ns(), events.take_until(u64::MAX)), (u64::MAX, None));
    }
}
