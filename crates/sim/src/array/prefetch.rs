//! Requests that come later: what they will touch in the drives is asked for in time.

use super::core::{Core, Storage};
use super::drive_set::DriveSet;
use super::layout::{Level, Place};
use super::member::Member;
use crate::host::Ask;
use crate::ids::{DriveId, Id, Lpn, MemberId, StripeId};
use crate::schema::Rmw;
use wordline_trace::Op;

impl<S: Storage> Core<S> {
    /// Asks the processor's cache for what a request will touch in the drives, which is at a page of the array.
    #[inline(always)]
    pub fn ask_for(&self, ask: Ask, op: Op, page: Lpn) {
        match (self.layout.level, op) {
            (Level::Raid5, Op::Write) => self.ask_for_update(ask, page),
            (Level::Raid1, Op::Write) => {
                let stripe = self.layout.locate(page).stripe;
                self.layout.drives().into_iter().for_each(|drive| self.ask(drive, ask, op, stripe));
            }
            _ => {
                let Place { drive, stripe } = self.layout.locate(page);
                self.ask(drive, ask, op, stripe);
            }
        }
    }

    /// Asks the processor's cache for what a write in RAID 5 will touch: it reads pages of the stripe and writes others.
    #[inline(always)]
    fn ask_for_update(&self, ask: Ask, page: Lpn) {
        let (Place { drive, stripe }, parity) = self.layout.locate_with_parity(page);
        let written = DriveSet::of(drive) | DriveSet::of(parity);
        let modifies =
            self.rules.rmw != Rmw::Disable && self.rules.modifies(2, self.layout.drives - 2);
        let read = if modifies { written } else { self.all_drives & !written };
        let all = |drives: DriveSet, ask, op| {
            drives.forwards().for_each(|drive| self.ask(drive, ask, op, stripe));
        };
        match ask {
            Ask::Map => all(read | written, Ask::Map, Op::Write),
            Ask::Places => {
                all(read, Ask::Places, Op::Read);
                all(written, Ask::Places, Op::Write);
            }
        }
    }

    #[inline(always)]
    fn ask(&self, drive: DriveId, ask: Ask, op: Op, stripe: StripeId) {
        // Of a drive that another has taken the place of, what is asked for is of no use, and does no harm.
        let member = &self.members.all[MemberId(drive.number())];
        let offset_bytes = u64::from(stripe.number()) * self.rules.page_bytes;
        match ask {
            Ask::Map => member.ask_for_map(offset_bytes),
            Ask::Places => member.ask_for_places(op, offset_bytes),
        }
    }
}
