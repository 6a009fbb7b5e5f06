//! Requests that come later: what they will touch in the drives is asked for in time.

use super::contents::Contents;
use super::layout::{Level, Place};
use super::machine::Array;
use super::member::Member;
use crate::host::Ask;
use crate::ids::{DriveId, Id, Lpn};
use crate::schema::Rmw;
use wordline_trace::Op;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Asks the processor's cache for what a request at a page of the array will touch in its drives.
    #[inline]
    pub fn ask_for(&self, ask: Ask, op: Op, page: Lpn) {
        let Place { drive, stripe } = self.layout.locate(page);
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
                    if is_written == modifies {
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
