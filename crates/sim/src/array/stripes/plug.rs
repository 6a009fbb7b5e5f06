//! Requests to the drives, and their ends. Pages that are read or written at the same moment and
//! follow one another on a drive go there as one request, as they do in Linux' block layer.

use super::Stripes;
use crate::array::contents::Contents;
use crate::array::core::{Core, Storage};
use crate::array::counts::Purpose;
use crate::array::drive_set::DriveSet;
use crate::array::ends::Pair;
use crate::array::events::PagesJob;
use crate::array::jobs::{BlockJob, BlockOp, Job, MemberTag};
use crate::array::member::DriveRequest;
use crate::array::pages::{Cached, Logged};
use crate::error::Fallible;
use crate::ids::{DriveId, HeadId, Id};
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
        let Some((&first, others)) = plug.split_first() else { return Ok(plug) };
        if others.first().is_some_and(|&next| first.is_before(next)) {
            return self.send_blocks(first, others, core);
        }
        self.send_block(first, core)?;
        Ok(others)
    }

    /// Sends a request for one page.
    #[inline(always)]
    fn send_block<S: Storage>(&mut self, op: BlockOp, core: &mut Core<S>) -> Fallible {
        let (tag, head) = (op.tag(), op.head());
        let (drive, is_write) = (tag.drive(), tag.is_write());
        let request = request_of(op, 1, core.rules.page_bytes);
        if is_write {
            core.contents.send(Cached { head, drive }, op.stripe());
        }
        let block = BlockJob { head, drive, is_write };
        let Some(member) = core.bays.member(drive) else {
            core.lose(Job::Block(block));
            return Ok(());
        };
        let stripe = u64::from(op.stripe().number());
        let pages = (stripe, stripe + 1);
        let end_ns = core.hand_over(member, &request, pages, tag.purpose())?;
        match core.is_known(end_ns) {
            true => {
                core.members.note_no_job(member);
                self.block_will_end(block, end_ns.max(core.now_ns), core);
                core.note_ends(member);
            }
            false => {
                self.part_pair(head, core);
                core.note_job(member, end_ns, || Job::Block(block));
            }
        }
        Ok(())
    }

    /// Sends a request for a page and for its neighbours among `others`; returns the rest of these.
    #[inline(never)]
    fn send_blocks<'a, S: Storage>(
        &mut self,
        first: BlockOp,
        others: &'a [BlockOp],
        core: &mut Core<S>,
    ) -> Fallible<&'a [BlockOp]> {
        let mut last = first;
        let is_next = |&&next: &&BlockOp| std::mem::replace(&mut last, next).is_before(next);
        let (others, rest) = others.split_at(others.iter().take_while(is_next).count());
        let all = || std::iter::once(&first).chain(others);
        let tag = first.tag();
        let (drive, is_write) = (tag.drive(), tag.is_write());
        let request = request_of(first, 1 + others.len(), core.rules.page_bytes);
        for op in all().filter(|_| is_write) {
            core.contents.send(Cached { head: op.head(), drive }, op.stripe());
        }
        all().for_each(|op| self.part_pair(op.head(), core));
        let heads = all().map(|op| op.head()).collect();
        let job = Job::Blocks { heads, drive, is_write };
        core.send(drive, &request, tag.purpose(), job)?;
        Ok(rest)
    }

    /// What a page of the cache holds is read or written.
    #[inline]
    fn move_contents<S: Storage>(
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
    }

    /// Pages of a stripe have been read or written.
    #[inline(always)]
    pub fn pages_done<S: Storage>(&mut self, done: PagesJob, core: &mut Core<S>) {
        let PagesJob { head, is_write, .. } = done;
        if S::Contents::IS_TOLD {
            done.all().forwards().for_each(|drive| self.move_contents(head, drive, is_write, core));
        }
        let state = self.cache.head(head);
        if done.are_two() {
            state.pair = Pair::None;
        }
        state.pages.are_over(done.all(), is_write);
        // What else happens now may be for the same stripe, which then has its place in the list already.
        match core.events.next_ns() > core.now_ns && self.only_waits(head, core) {
            // Handled, it would do no more.
            true => self.goes_ahead(head, core.rules.bypass_threshold),
            false => self.cache.will_handle(head),
        }
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
