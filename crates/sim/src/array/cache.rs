//! The stripe cache: a fixed number of stripe heads, each with a page of every drive. As in Linux md
//! (drivers/md/raid5.c), heads that nothing is done with keep their pages until they are taken for
//! another stripe, the one that was used last coming last.

use super::drive_set::DriveSet;
use super::heads::{ByStripe, Lists};
use super::pages::Part;
use crate::ids::{ById, DriveId, HeadId, Id, Ids, StripeId, TaskId};
use crate::nand::command::RequestId;
use crate::util::prefetch_all;

/// A part of a host request that waits for a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiter {
    /// The request.
    pub id: RequestId,
    /// What it wants of the page.
    pub part: Part,
    /// True for a write that is durable at once.
    pub fua: bool,
}

/// A page of a stripe head: what it is asked for. In which state it is its head says.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// Sectors that wait to be written.
    pub wanted: u64,
    /// Whose they are.
    pub writers: Vec<Waiter>,
    /// Those whose data is in the page, and not yet safe.
    pub drained: Vec<Waiter>,
    /// Those who want to read it.
    pub readers: Vec<Waiter>,
}

/// The drives whose pages of a stripe head are in a state.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pages {
    /// They hold what their drive holds, or are about to.
    pub uptodate: DriveSet,
    /// They are being read or written.
    pub locked: DriveSet,
    /// They have writers.
    pub to_write: DriveSet,
    /// They have writers, but not for all of their sectors.
    pub partial: DriveSet,
    /// They hold data that is not yet safe.
    pub drained: DriveSet,
    /// They hold such data, some of which is to be durable at once.
    pub fua: DriveSet,
    /// They have readers.
    pub to_read: DriveSet,
}

impl Pages {
    /// Those of which nothing is known, nor soon will be.
    #[inline]
    pub fn unknown(&self, drives: DriveSet) -> DriveSet {
        drives & !(self.locked | self.uptodate)
    }

    /// Those of which nothing is known, nor soon will be, and that must be for the parity to be modified.
    #[inline]
    pub fn lacked_to_modify(&self, drives: DriveSet, parity: DriveId) -> DriveSet {
        self.unknown(drives) & (self.to_write | DriveSet::of(parity))
    }

    /// Those of which nothing is known, nor soon will be, and that must be for the parity to be made anew.
    #[inline]
    pub fn lacked_to_reconstruct(&self, drives: DriveSet, parity: DriveId) -> DriveSet {
        self.unknown(drives) & !(self.whole_writes() | DriveSet::of(parity))
    }

    /// Those that will be written whole.
    #[inline]
    pub fn whole_writes(&self) -> DriveSet {
        self.to_write & !self.partial
    }

    /// One has been read or written.
    #[inline]
    pub fn is_over(&mut self, drive: DriveId, is_write: bool) {
        let done = DriveSet::of(drive);
        self.locked &= !done;
        self.uptodate |= if is_write { DriveSet::default() } else { done };
    }

    #[inline]
    fn are_quiet(&self) -> bool {
        (self.locked | self.to_write | self.drained | self.to_read).is_empty()
    }
}

/// The list in which a head waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Queue {
    /// To be allowed to read.
    Delayed,
    /// To be handled, allowed to read.
    Hold,
    /// To be taken for another stripe: nothing is done with it.
    Idle,
    /// To be handled: no list, because none leaves it but the first.
    Handle,
    /// It waits in none.
    #[default]
    None,
}

/// What a rebuild or scrub wants of a stripe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Sync {
    /// Nothing.
    #[default]
    None,
    /// To be read and made whole.
    Wanted,
    /// It is whole as soon as what is written has been written.
    Whole,
}

/// The state of a stripe, which stands in two lines of the cache.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
pub(super) struct Head {
    /// The stripe; none before its first.
    pub stripe: StripeId,
    /// The drive of its parity.
    pub parity: DriveId,
    /// In which state its pages are.
    pub pages: Pages,
    /// Where it waits.
    pub queue: Queue,
    /// True when it may read what a write needs.
    pub may_preread: bool,
    /// True while a write of all of its data is under way.
    pub is_full_write: bool,
    /// True once anything was read or written for it.
    pub has_started: bool,
    /// True once anything was read since the last write.
    pub has_read: bool,
    /// What a rebuild or scrub wants.
    pub sync: Sync,
    /// Tasks that wait for its writers to be drained.
    pub overlaps: Vec<TaskId>,
}

/// The stripe cache.
#[derive(Debug)]
pub(super) struct Cache {
    pub heads: ById<HeadId, Head>,
    blocks: Vec<Block>,
    /// Pages of a head.
    drives: u32,
    by_stripe: ByStripe,
    /// One for each [`Queue`] but the last two.
    lists: Lists<3>,
    /// The heads that wait to be handled, behind those, so many, that were.
    to_handle: Vec<HeadId>,
    handled: usize,
    active: u32,
    /// True from the moment at which no head was left until a quarter of them is idle.
    pub is_exhausted: bool,
}

impl Cache {
    /// `heads` idle heads for an array of so many drives.
    pub fn new(heads: usize, drives: u32) -> Self {
        let count = heads as u32;
        let idle = Head { stripe: StripeId::NONE, queue: Queue::Idle, ..Head::default() };
        let mut lists = Lists::new(count);
        Ids::all(count).into_iter().for_each(|head| lists.push(Queue::Idle as usize, head));
        Self {
            heads: ById::filled(idle, count),
            blocks: vec![Block::default(); heads * drives as usize],
            drives,
            by_stripe: ByStripe::new(count),
            lists,
            to_handle: Vec::new(),
            handled: 0,
            active: 0,
            is_exhausted: false,
        }
    }

    /// A page of a head.
    #[inline]
    pub fn block(&mut self, head: HeadId, drive: DriveId) -> &mut Block {
        &mut self.blocks[head.index() * self.drives as usize + drive.index()]
    }

    /// In which state the pages of a head are.
    #[inline]
    pub fn pages(&mut self, head: HeadId) -> &mut Pages {
        &mut self.heads[head].pages
    }

    /// A head of a stripe.
    #[inline]
    pub fn head(&mut self, head: HeadId) -> &mut Head {
        &mut self.heads[head]
    }

    /// The head that has pages of a stripe, in use or not.
    pub fn find(&self, stripe: StripeId) -> Option<HeadId> {
        self.by_stripe.find(stripe)
    }

    /// The head of a stripe, taken into use; `None` when all are in use for others, and then until a
    /// quarter of them is idle again.
    pub fn activate(&mut self, stripe: StripeId, parity: DriveId) -> Option<HeadId> {
        if let Some(head) = self.by_stripe.find(stripe) {
            if self.heads[head].queue == Queue::Idle {
                self.heads[head].queue = Queue::None;
                self.take_out_of(Queue::Idle, head);
                self.active += 1;
            }
            return Some(head);
        }
        if self.is_exhausted && self.active * 4 >= self.heads.count() * 3 {
            return None;
        }
        self.is_exhausted = false;
        let Some(head) = self.pop(Queue::Idle) else {
            self.is_exhausted = true;
            return None;
        };
        self.ask_for_next();
        self.active += 1;
        self.by_stripe.assign(head, stripe);
        let state = &mut self.heads[head];
        (state.stripe, state.parity) = (stripe, parity);
        state.pages.uptodate = DriveSet::default();
        Some(head)
    }

    /// Asks the processor's cache for the head that is taken next, which nothing has touched for longest.
    #[inline]
    fn ask_for_next(&self) {
        let Some(next) = self.first(Queue::Idle) else { return };
        let drives = self.drives as usize;
        prefetch_all(self.heads.as_slice(), next.index());
        for block in next.index() * drives..(next.index() + 1) * drives {
            prefetch_all(&self.blocks, block);
        }
    }

    /// Lets go of a head that nothing is left to do with.
    pub fn release_if_quiet(&mut self, head: HeadId) {
        let state = &mut self.heads[head];
        let waits = state.queue != Queue::None || state.sync != Sync::None;
        if waits || !state.pages.are_quiet() {
            return;
        }
        debug_assert!(!state.may_preread && !state.is_full_write && state.overlaps.is_empty());
        (state.has_started, state.has_read) = (false, false);
        self.active -= 1;
        self.put(head, Queue::Idle);
    }

    /// A head waits to be handled, if it does not yet.
    #[inline(always)]
    pub fn will_handle(&mut self, head: HeadId) {
        match std::mem::replace(&mut self.heads[head].queue, Queue::Handle) {
            Queue::Handle => return,
            Queue::None => {}
            list => self.take_out_of(list, head),
        }
        self.to_handle.push(head);
    }

    /// Whether a head waits to be handled.
    #[inline]
    pub fn has_to_handle(&self) -> bool {
        self.handled < self.to_handle.len()
    }

    /// Takes the first head that waits to be handled.
    #[inline]
    pub fn next_to_handle(&mut self) -> Option<HeadId> {
        let Some(&head) = self.to_handle.get(self.handled) else {
            self.to_handle.clear();
            self.handled = 0;
            return None;
        };
        self.handled += 1;
        self.heads[head].queue = Queue::None;
        Some(head)
    }

    /// Puts a head that is in no list at the end of one.
    #[inline]
    pub fn put(&mut self, head: HeadId, queue: Queue) {
        let state = &mut self.heads[head];
        debug_assert_eq!(state.queue, Queue::None);
        state.queue = queue;
        self.lists.push(queue as usize, head);
    }

    /// Takes a head out of a list.
    #[inline(never)]
    fn take_out_of(&mut self, list: Queue, head: HeadId) {
        self.lists.remove(list as usize, head);
    }

    /// All heads that wait to be allowed to read are, and wait to be handled; returns how many they are.
    #[inline(never)]
    pub fn allow_delayed(&mut self) -> u32 {
        let mut count = 0;
        let mut next = self.first(Queue::Delayed);
        while let Some(head) = next {
            let state = &mut self.heads[head];
            (state.queue, state.may_preread) = (Queue::Hold, true);
            count += 1;
            next = self.lists.after(head);
        }
        self.lists.append(Queue::Hold as usize, Queue::Delayed as usize);
        count
    }

    /// Whether a head waits in a list.
    #[inline]
    pub fn waits(&self, queue: Queue) -> bool {
        self.first(queue).is_some()
    }

    /// The first head of a list.
    #[inline]
    pub fn first(&self, queue: Queue) -> Option<HeadId> {
        self.lists.first(queue as usize)
    }

    /// Takes the first head of a list out of it.
    #[inline]
    pub fn pop(&mut self, queue: Queue) -> Option<HeadId> {
        let head = self.lists.pop(queue as usize)?;
        self.heads[head].queue = Queue::None;
        Some(head)
    }
}
