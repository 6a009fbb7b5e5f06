//! Requests that come later: what they will touch in the drives is asked for in time.

use super::contents::Contents;
use super::drive_set::DriveSet;
use super::layout::{Level, Place};
use super::machine::Array;
use super::member::Member;
use super::spots::Spot;
use crate::host::Ask;
use crate::ids::{DriveId, Id, Lpn, MemberId, StripeId};
use wordline_trace::Op;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Asks the processor's cache for what the request at a place of its batch will touch in the drives, which is at a
    /// page of the array.
    #[inline(always)]
    pub fn ask_for(&mut self, ask: Ask, op: Op, at: usize, page: impl FnOnce() -> Lpn) {
        let spot = match self.ahead.spot(ask, at) {
            Some(kept) => kept,
            None => {
                let spot = self.spot(page());
                self.ahead.keep(at, spot);
                spot
            }
        };
        let Place { drive, stripe } = spot.place;
        match (self.core.layout.level, op) {
            (Level::Raid5, Op::Write) => self.ask_for_update(ask, spot),
            (Level::Raid1, Op::Write) => {
                self.core
                    .layout
                    .drives()
                    .into_iter()
                    .for_each(|drive| self.ask(drive, ask, op, stripe));
            }
            _ => self.ask(drive, ask, op, stripe),
        }
    }

    #[inline(always)]
    fn spot(&self, page: Lpn) -> Spot {
        let (place, parity) = match self.core.layout.level {
            Level::Raid5 => self.core.layout.locate_with_parity(page),
            Level::Raid0 | Level::Raid1 => (self.core.layout.locate(page), DriveId::NONE),
        };
        Spot { place, parity }
    }

    /// Asks the processor's cache for what a write in RAID 5 will touch: it reads pages of the stripe and writes others.
    #[inline(always)]
    fn ask_for_update(&self, ask: Ask, spot: Spot) {
        let Spot { place: Place { drive, stripe }, parity } = spot;
        let written = DriveSet::of(drive) | DriveSet::of(parity);
        let read = if self.modifies_pages { written } else { self.core.all_drives & !written };
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
        let member = MemberId(drive.number());
        let offset_bytes = u64::from(stripe.number()) * self.core.rules.page_bytes;
        match ask {
            Ask::Map => self.core.members.all[member].ask_for_map(offset_bytes),
            Ask::Places => self.core.members.all[member].ask_for_places(op, offset_bytes),
        }
    }
}
