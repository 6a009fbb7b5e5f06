//! The stripes of RAID 5: their cache, and what is read and written for each.

mod plug;
mod priority;
mod raid5;

use super::cache::{Cache, Sync, Waiter};
use super::core::{Core, Storage};
use super::drive_set::DriveSet;
use super::drives::Drives;
use super::host_request::HostRequest;
use super::jobs::BlockOp;
use super::layout::{Layout, Level, Place};
use super::pages::{Logged, Part};
use super::rules::Rules;
use crate::ids::{DriveId, HeadId, Lpn, StripeId, TaskId};

/// Why a request goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// All stripe heads are in use.
    NoHead,
    /// The sectors are about to be written by another request; its stripe head.
    Overlap(HeadId),
}

/// The stripes of RAID 5.
#[derive(Debug)]
pub(super) struct Stripes {
    cache: Cache,
    /// Reads and writes of pages, held back so that neighbours go to a drive together.
    plug: Vec<BlockOp>,
    /// Stripes that may read and have not written yet.
    prereading: u32,
    /// Writes of whole stripes under way.
    full_writes: u32,
    /// How often others went ahead of the first stripe that was delayed (`bypass_count` of Linux md)…
    bypass_count: u32,
    /// …and which stripe that was (`last_hold`).
    last_hold: HeadId,
    /// Stripes, their pages locked, that are to be written once they are logged.
    pub to_log: Vec<Logged>,
    /// Tasks whose overlapping writes have gone into their stripes.
    pub resumed: Vec<TaskId>,
}

impl Stripes {
    /// An idle cache.
    pub fn new(layout: &Layout, rules: &Rules) -> Self {
        let heads = if layout.level == Level::Raid5 { rules.stripe_cache } else { 0 };
        Self {
            cache: Cache::new(heads, layout.drives),
            plug: Vec::new(),
            prereading: 0,
            full_writes: 0,
            bypass_count: 0,
            last_hold: HeadId::NONE,
            to_log: Vec::new(),
            resumed: Vec::new(),
        }
    }

    /// The contents of an array, and all that holds its data.
    pub fn contents_and_drives<'a, S: Storage>(
        &'a self,
        core: &'a mut Core<S>,
    ) -> (&'a mut S::Contents, Drives<'a, S::Member>) {
        core.contents_and_drives(&self.cache)
    }

    /// Its cache.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The drive of the parity of a head's stripe.
    pub fn parity_of(&self, head: HeadId) -> DriveId {
        self.cache.heads[head].parity
    }

    /// Takes a page of a request, a part of which ends with it; returns its stripe's head.
    #[inline(always)]
    pub fn take_page<S: Storage>(
        &mut self,
        asked: &HostRequest,
        part: Part,
        core: &mut Core<S>,
    ) -> Result<HeadId, Stop> {
        let &HostRequest { id, is_write, fua, .. } = asked;
        let (Place { drive, stripe }, parity) = core.layout.locate_with_parity(part.page);
        let head = self.cache.activate(stripe, parity).ok_or(Stop::NoHead)?;
        let (whole, page) = (core.whole_page, DriveSet::of(drive));
        let block = self.cache.block(head, drive);
        let waiter = Waiter { id, part, fua };
        if !is_write {
            block.readers.push(waiter);
            self.cache.pages(head).to_read |= page;
        } else if block.wanted & part.sectors & whole != 0 {
            return Err(Stop::Overlap(head));
        } else {
            block.wanted |= part.sectors & whole;
            debug_assert!(block.wanted != 0, "a write has sectors");
            block.writers.push(waiter);
            let is_partial = block.wanted != whole;
            let pages = self.cache.pages(head);
            pages.to_write |= page;
            match is_partial {
                true => pages.partial |= page,
                false => pages.partial &= !page,
            }
        }
        Ok(head)
    }

    /// Takes the pages of a request from the one at `from` on, each as a part of it; returns the one at which it has to
    /// stop.
    #[inline(never)]
    pub fn take_pages<S: Storage>(
        &mut self,
        asked: &HostRequest,
        pages: &[Lpn],
        from: usize,
        core: &mut Core<S>,
    ) -> Option<(usize, Stop)> {
        for at in from..pages.len() {
            match self.take_page(asked, asked.part(pages, at), core) {
                Ok(head) => {
                    core.requests.add_part(asked.id);
                    self.cache.will_handle(head);
                }
                Err(stop) => return Some((at, stop)),
            }
        }
        None
    }

    /// A task waits until the writers of a stripe have gone into it.
    pub fn wait_for_writers(&mut self, head: HeadId, task: TaskId) {
        self.cache.head(head).overlaps.push(task);
    }

    /// Takes a stripe up for a rebuild or scrub; false while all heads are in use.
    pub fn sync(&mut self, stripe: StripeId, parity: DriveId) -> bool {
        let Some(head) = self.cache.activate(stripe, parity) else { return false };
        self.cache.head(head).sync = Sync::Wanted;
        self.cache.will_handle(head);
        true
    }
}
