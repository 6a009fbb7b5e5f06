//! Requests to the drives, and their ends. Pages that are read or written at the same moment and
//! follow one another on a drive go there as one request, as they do in Linux' block layer.

use super::Stripes;
use crate::array::contents::Contents;
use crate::array::core::{Core, Storage};
use crate::array::counts::Purpose;
use crate::array::drive_set::DriveSet;
use crate::array::jobs::{BlockOp, Job, MemberTag};
use crate::array::member::DriveRequest;
use crate::array::pages::{Cached, Logged};
use crate::error::Fallible;
use crate::ids::{DriveId, HeadId};
use crate::util::Few;
use wordline_trace::Op;

impl Stripes {
    /// Reads or writes drives' pages of a stripe, as soon as all that is to be done at the present is
    /// known; `syncs`: for the sake of a rebuild or scrub.
    pub fn issue(&mut self, head: HeadId, drives: DriveSet, is_write: bool, syncs: bool) {
        let state = self.cache.head(head);
        state.pages.locked |= drives;
        // Parity is as durable as the data that it protects.
        let fua = is_write && !state.pages.fua.is_empty();
        for drive in drives.forwards() {
            let is_parity = state.parity == drive;
            let purpose = match is_parity {
                _ if syncs => Purpose::Sync,
                true => Purpose::Parity,
                false => Purpose::Data,
            };
            let tag = MemberTag::new(drive, is_write, purpose, is_parity, fua);
            self.plug.push(BlockOp::new(tag, state.stripe, head));
        }
    }

    /// A stripe is logged: its pages are written.
    pub fn write_logged(&mut self, logged: &Logged) {
        for &drive in &logged.drives {
            self.issue(logged.head, DriveSet::of(drive), true, false);
        }
    }

    /// Whether a stripe waits to be handled.
    #[inline]
    pub fn has_to_handle(&self) -> bool {
        self.cache.has_to_handle()
    }

    /// Whether pages are to be read or written.
    #[inline]
    pub fn has_plugged(&self) -> bool {
        !self.plug.is_empty()
    }

    /// What is to be read or written, neighbours together: sent by [`Self::send`].
    pub fn take_plug(&mut self) -> Vec<BlockOp> {
        let mut plug = std::mem::take(&mut self.plug);
        plug.sort_unstable();
        plug
    }

    /// Puts the emptied list back, for the sake of its memory.
    pub fn give_plug_back(&mut self, mut plug: Vec<BlockOp>) {
        plug.clear();
        self.plug = plug;
    }

    /// Sends the request for the first of what is to be read or written, and for its neighbours; returns the rest.
    #[inline(always)]
    pub fn send<'a, S: Storage>(
        &mut self,
        plug: &'a [BlockOp],
        core: &mut Core<S>,
    ) -> Fallible<&'a [BlockOp]> {
        let count = 1 + plug.windows(2).take_while(|pair| pair[0].is_before(pair[1])).count();
        let (run, rest) = plug.split_at(count);
        let first = run[0];
        let tag = first.tag();
        let (drive, is_write) = (tag.drive(), tag.is_write());
        if is_write {
            for op in run {
                core.contents.send(Cached { head: op.head(), drive }, op.stripe());
            }
        }
        let heads = match run {
            [only] => Few::One(only.head()),
            _ => run.iter().map(|op| op.head()).collect(),
        };
        let request = request_of(first, count, core.rules.page_bytes);
        let job = || Job::Blocks { heads, drive, is_write };
        core.send_pages(drive, &request, (first.stripe(), count), tag.purpose(), job)?;
        Ok(rest)
    }

    /// A page of a stripe has been read or written.
    #[inline(always)]
    pub fn page_done<S: Storage>(
        &mut self,
        head: HeadId,
        drive: DriveId,
        is_write: bool,
        core: &mut Core<S>,
    ) {
        let (page, stripe) = (Cached { head, drive }, self.cache.heads[head].stripe);
        if is_write {
            core.contents.store(page, stripe);
        } else {
            let (contents, mut drives) = core.contents_and_drives(&self.cache);
            contents.fetch(page, stripe, &mut drives);
        }
        self.cache.pages(head).is_over(drive, is_write);
        self.cache.will_handle(head);
    }

    /// The drive of a page was lost before the page was read or written.
    pub fn block_failed(&mut self, head: HeadId, drive: DriveId) {
        self.cache.pages(head).locked &= !DriveSet::of(drive);
        self.cache.will_handle(head);
    }
}

/// The request for so many pages from the first on.
#[inline]
fn request_of(first: BlockOp, pages: usize, page_bytes: u64) -> DriveRequest {
    let tag = first.tag();
    let op = if tag.is_write() { Op::Write } else { Op::Read };
    let request = DriveRequest::pages(op, first.stripe(), pages as u32, page_bytes);
    DriveRequest { parity: tag.is_parity(), fua: tag.fua(), ..request }
}
