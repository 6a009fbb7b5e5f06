//! The stripe cache: a fixed number of stripe heads, each with a page of every drive. As in Linux md
//! (drivers/md/raid5.c), heads that nothing is done with keep their pages until they are taken for
//! another stripe, the one that was used last coming last.

use super::pages::Part;
use crate::engine::RequestId;
use crate::ids::{ById, DriveId, HeadId, Id, StripeId, TaskId};
use crate::util::Lru;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

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

/// A page of a stripe head.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// It holds what its drive holds, or is about to.
    pub is_uptodate: bool,
    /// It is being read or written.
    pub is_locked: bool,
    /// Sectors that wait to be written.
    pub wanted: u64,
    /// Whose they are.
    pub writers: Vec<Waiter>,
    /// Those whose data is in the page, and not yet safe.
    pub drained: Vec<Waiter>,
    /// Those who want to read it.
    pub readers: Vec<Waiter>,
}

impl Block {
    fn is_quiet(&self) -> bool {
        !self.is_locked
            && self.writers.is_empty()
            && self.drained.is_empty()
            && self.readers.is_empty()
    }
}

/// The list in which a head waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Queue {
    /// It waits in none.
    #[default]
    None,
    /// To be handled.
    Handle,
    /// To be allowed to read.
    Delayed,
    /// To be handled, allowed to read.
    Hold,
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

/// The state of a stripe.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    /// The stripe; none before its first.
    pub stripe: StripeId,
    /// Where it waits.
    pub queue: Queue,
    /// Changes with every change of `queue`, so that what is left in lists is known for stale.
    stamp: u32,
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
    is_active: bool,
}

/// The stripe cache.
#[derive(Debug)]
pub(super) struct Cache {
    pub heads: ById<HeadId, Head>,
    blocks: Vec<Block>,
    drives: u32,
    by_stripe: FxHashMap<StripeId, HeadId>,
    idle: Lru,
    active: u32,
    /// True from the moment at which no head was left until a quarter of them is idle.
    pub is_exhausted: bool,
    handle: VecDeque<(HeadId, u32)>,
    delayed: VecDeque<(HeadId, u32)>,
    hold: VecDeque<(HeadId, u32)>,
}

impl Cache {
    /// `heads` idle heads for an array of `drives`.
    pub fn new(heads: usize, drives: u32) -> Self {
        let mut idle = Lru::new();
        for head in 0..heads as u32 {
            idle.touch(head);
        }
        Self {
            heads: ById::filled(Head { stripe: StripeId::NONE, ..Head::default() }, heads as u32),
            blocks: vec![Block::default(); heads * drives as usize],
            drives,
            by_stripe: FxHashMap::default(),
            idle,
            active: 0,
            is_exhausted: false,
            handle: VecDeque::new(),
            delayed: VecDeque::new(),
            hold: VecDeque::new(),
        }
    }

    /// Where the pages of a head are.
    #[inline]
    fn pages_of(&self, head: HeadId) -> std::ops::Range<usize> {
        let first = head.index() * self.drives as usize;
        first..first + self.drives as usize
    }

    /// The pages of a head, one for each drive.
    #[inline]
    pub fn blocks(&self, head: HeadId) -> &[Block] {
        &self.blocks[self.pages_of(head)]
    }

    /// The same, to change them.
    #[inline]
    pub fn blocks_mut(&mut self, head: HeadId) -> &mut [Block] {
        let pages = self.pages_of(head);
        &mut self.blocks[pages]
    }

    /// A page of a head.
    #[inline]
    pub fn block(&mut self, head: HeadId, drive: DriveId) -> &mut Block {
        &mut self.blocks_mut(head)[drive.index()]
    }

    /// A head of a stripe.
    #[inline]
    pub fn head(&mut self, head: HeadId) -> &mut Head {
        &mut self.heads[head]
    }

    /// The head that has pages of a stripe, in use or not.
    pub fn find(&self, stripe: StripeId) -> Option<HeadId> {
        self.by_stripe.get(&stripe).copied()
    }

    /// The head of a stripe, taken into use; `None` when all are in use for others, and then until a
    /// quarter of them is idle again.
    pub fn activate(&mut self, stripe: StripeId) -> Option<HeadId> {
        if let Some(&head) = self.by_stripe.get(&stripe) {
            if !self.heads[head].is_active {
                self.idle.remove(head.number());
                self.begin(head);
            }
            return Some(head);
        }
        if self.is_exhausted && self.active * 4 >= self.heads.count() * 3 {
            return None;
        }
        self.is_exhausted = false;
        let Some(head) = self.idle.pop_oldest().map(|(head, _)| HeadId(head)) else {
            self.is_exhausted = true;
            return None;
        };
        let old = std::mem::replace(&mut self.heads[head].stripe, stripe);
        self.by_stripe.remove(&old);
        self.by_stripe.insert(stripe, head);
        for block in self.blocks_mut(head) {
            block.is_uptodate = false;
        }
        self.begin(head);
        Some(head)
    }

    fn begin(&mut self, head: HeadId) {
        self.heads[head].is_active = true;
        self.active += 1;
    }

    /// Lets go of a head that nothing is left to do with.
    pub fn release_if_quiet(&mut self, head: HeadId) {
        let state = &self.heads[head];
        let waits = state.queue != Queue::None || state.sync != Sync::None;
        if waits || !state.is_active || !self.blocks(head).iter().all(Block::is_quiet) {
            return;
        }
        let state = &mut self.heads[head];
        debug_assert!(!state.may_preread && !state.is_full_write && state.overlaps.is_empty());
        (state.has_started, state.has_read) = (false, false);
        state.is_active = false;
        self.active -= 1;
        self.idle.touch(head.number());
    }

    /// Puts a head at the end of a list, out of the one in which it is.
    pub fn enqueue(&mut self, head: HeadId, queue: Queue) {
        let state = &mut self.heads[head];
        if state.queue == queue {
            return;
        }
        state.queue = queue;
        state.stamp = state.stamp.wrapping_add(1);
        let entry = (head, state.stamp);
        match queue {
            Queue::None => {}
            Queue::Handle => self.handle.push_back(entry),
            Queue::Delayed => self.delayed.push_back(entry),
            Queue::Hold => self.hold.push_back(entry),
        }
    }

    /// The first head of a list.
    pub fn first(&mut self, queue: Queue) -> Option<HeadId> {
        let list = match queue {
            Queue::None => return None,
            Queue::Handle => &mut self.handle,
            Queue::Delayed => &mut self.delayed,
            Queue::Hold => &mut self.hold,
        };
        let heads = &self.heads;
        let is_stale = |&(head, stamp): &(HeadId, u32)| heads[head].stamp != stamp;
        while list.front().is_some_and(is_stale) {
            list.pop_front();
        }
        list.front().map(|&(head, _)| head)
    }

    /// Takes the first head of a list out of it.
    pub fn pop(&mut self, queue: Queue) -> Option<HeadId> {
        let head = self.first(queue)?;
        self.enqueue(head, Queue::None);
        Some(head)
    }
}
