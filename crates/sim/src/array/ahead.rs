//! Requests that come later: what they will touch in the drives is asked for in time.

use super::contents::Contents;
use super::layout::{Level, Place};
use super::machine::Array;
use super::member::Member;
use crate::host::Ask;
use crate::ids::{DriveId, Id, Lpn, StripeId};
use crate::schema::Rmw;
use wordline_trace::Op;

/// Requests that come between one whose places have been asked for and their neighbours.
const BETWEEN: usize = 8;

/// The last requests whose places have been asked for, in a ring.
#[derive(Debug)]
pub(super) struct Ahead {
    requests: [(Op, Place); BETWEEN],
    /// How many there were.
    count: usize,
}

impl Default for Ahead {
    fn default() -> Self {
        let nothing = (Op::Flush, Place { drive: DriveId(0), stripe: StripeId(0) });
        Self { requests: [nothing; BETWEEN], count: 0 }
    }
}

impl Ahead {
    /// Adds one; returns the oldest, which has had time to come.
    #[inline]
    fn replace(&mut self, op: Op, place: Place) -> (Op, Place) {
        self.count = self.count.wrapping_add(1);
        std::mem::replace(&mut self.requests[self.count % BETWEEN], (op, place))
    }
}

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Asks the processor's cache for what a request at a page of the array will touch in its drives.
    #[inline]
    pub fn ask_for(&mut self, ask: Ask, op: Op, page: Lpn) {
        let place = self.layout.locate(page);
        self.ask_drives(ask, op, place);
        if ask == Ask::Places {
            let (op, place) = self.ahead.replace(op, place);
            self.ask_drives(Ask::Neighbours, op, place);
        }
    }

    #[inline(always)]
    fn ask_drives(&self, ask: Ask, op: Op, Place { drive, stripe }: Place) {
        let offset_bytes = u64::from(stripe.number()) * self.rules.page_bytes;
        let ask_drive = |drive: DriveId, op| {
            if let Some(member) = self.member_of(drive) {
                self.members[member].ask_for(ask, op, offset_bytes);
            }
        };
        match (self.layout.level, op) {
            (Level::Raid5, Op::Write) => {
                let parity = self.layout.parity_of(stripe);
                let modifies = self.modifies_for_a_page();
                for each in self.layout.drives() {
                    let is_written = each == drive || each == parity;
                    if is_written == modifies && ask != Ask::Neighbours {
                        ask_drive(each, Op::Read);
                    }
                    if is_written {
                        ask_drive(each, Op::Write);
                    }
                }
            }
            (Level::Raid1, Op::Write) => {
                self.layout.drives().into_iter().for_each(|drive| ask_drive(drive, op));
            }
            _ => ask_drive(drive, op),
        }
    }

    /// True where a write of a page of a stripe reads that page and the parity, and not the rest of the stripe.
    #[inline]
    fn modifies_for_a_page(&self) -> bool {
        self.rules.rmw != Rmw::Disable && self.rules.modifies(2, self.layout.drives - 2)
    }
}
