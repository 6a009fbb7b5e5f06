//! Requests that come later: what they will touch in the drives is asked for in time.

use super::contents::Contents;
use super::drive_set::DriveSet;
use super::layout::{Level, Place};
use super::machine::Array;
use super::member::Member;
use crate::host::Ask;
use crate::ids::{DriveId, Id, Lpn, StripeId};
use wordline_trace::Op;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Asks the processor's cache for what a request at a page of the array will touch in its drives.
    #[inline]
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

    /// The same of a write in RAID 5, which reads pages of the stripe and writes others.
    #[inline(always)]
    fn ask_for_update(&self, ask: Ask, page: Lpn) {
        let (Place { drive, stripe }, parity) = self.layout.locate_with_parity(page);
        let written = DriveSet::of(drive) | DriveSet::of(parity);
        let read = if self.modifies_pages { written } else { self.drives & !written };
        read.forwards().for_each(|drive| self.ask(drive, ask, Op::Read, stripe));
        self.ask(drive, ask, Op::Write, stripe);
        self.ask(parity, ask, Op::Write, stripe);
    }

    #[inline(always)]
    fn ask(&self, drive: DriveId, ask: Ask, op: Op, stripe: StripeId) {
        if let Some(member) = self.member_of(drive) {
            let offset_bytes = u64::from(stripe.number()) * self.rules.page_bytes;
            self.members[member].ask_for(ask, op, offset_bytes);
        }
    }
}
