//! Requests that come later: what they will touch in the drives is asked for in time.

use super::core::{Core, Storage};
use super::drive_set::DriveSet;
use super::layout::{Layout, Level, Place};
use super::member::Member;
use super::rules::Rules;
use crate::host::{Ask, MAP_AHEAD};
use crate::ids::{DriveId, Id, Lpn, MemberId, StripeId};
use crate::schema::Rmw;
use wordline_trace::Op;

/// Requests of which it is kept where they lie: all that are asked for again.
const KEPT: usize = MAP_AHEAD.next_power_of_two();

/// Where a request lies, and in RAID 5 the parity of its stripe.
#[derive(Debug, Clone, Copy, Default)]
struct Location {
    place: Place,
    parity: DriveId,
}

/// Where requests that come later lie, by their places in the batch.
#[derive(Debug)]
pub(super) struct Prefetch {
    locations: [Location; KEPT],
    /// Whether a write of a page of a stripe reads that page and the parity, and not the rest of the stripe.
    modifies_pages: bool,
}

impl Prefetch {
    /// Nothing asked for.
    pub fn new(layout: &Layout, rules: &Rules) -> Self {
        let modifies_pages = layout.level == Level::Raid5
            && rules.rmw != Rmw::Disable
            && rules.modifies(2, layout.drives - 2);
        Self { locations: [Location::default(); KEPT], modifies_pages }
    }

    /// Asks the processor's cache for what the request at a place of its batch will touch in the drives.
    #[inline(always)]
    pub fn ask_for<S: Storage>(
        &mut self,
        ask: Ask,
        op: Op,
        at: usize,
        page: impl FnOnce() -> Lpn,
        core: &Core<S>,
    ) {
        // The first of a batch are not asked for so early, and so are located late.
        let is_first = ask == Ask::Map || at < MAP_AHEAD;
        let kept = &mut self.locations[at % KEPT];
        if is_first {
            *kept = locate(&core.layout, page());
        }
        let location = *kept;
        let Place { drive, stripe } = location.place;
        match (core.layout.level, op) {
            (Level::Raid5, Op::Write) => self.ask_for_update(ask, location, core),
            (Level::Raid1, Op::Write) => {
                core.layout.drives().into_iter().for_each(|drive| core.ask(drive, ask, op, stripe));
            }
            _ => core.ask(drive, ask, op, stripe),
        }
    }

    /// Asks the processor's cache for what a write in RAID 5 will touch: it reads pages of the stripe and writes others.
    #[inline(always)]
    fn ask_for_update<S: Storage>(&self, ask: Ask, location: Location, core: &Core<S>) {
        let Location { place: Place { drive, stripe }, parity } = location;
        let written = DriveSet::of(drive) | DriveSet::of(parity);
        let read = if self.modifies_pages { written } else { core.all_drives & !written };
        let all = |drives: DriveSet, ask, op| {
            drives.forwards().for_each(|drive| core.ask(drive, ask, op, stripe));
        };
        match ask {
            Ask::Map => all(read | written, Ask::Map, Op::Write),
            Ask::Places => {
                all(read, Ask::Places, Op::Read);
                all(written, Ask::Places, Op::Write);
            }
        }
    }
}

#[inline(always)]
fn locate(layout: &Layout, page: Lpn) -> Location {
    let (place, parity) = match layout.level {
        Level::Raid5 => layout.locate_with_parity(page),
        Level::Raid0 | Level::Raid1 => (layout.locate(page), DriveId::NONE),
    };
    Location { place, parity }
}

impl<S: Storage> Core<S> {
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
