//! Operations under way, and who waits for which.

use super::handle::{Handle, Join};
use super::waiters::{Edges, Waiter, Waiters};
use crate::engine::scheduler::FlashOp;
use crate::nand::command::RequestId;
use crate::nand::{Loops, Span};
use crate::util::{LINE_BYTES, NONE, prefetch_all};
use std::cmp::Reverse;

/// Pages that an operation works on, and the life of their block that it belongs to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Site {
    /// The pages.
    pub span: Span,
    /// The life of their block.
    pub life: u32,
}

/// An operation under way, in two cache lines.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Entry {
    /// The operation.
    pub op: FlashOp,
    /// Its priority: 0 is served first.
    pub class: u8,
    /// True for a read that has its turn among the changes of its blocks.
    pub in_turn: bool,
    /// Whether it works in other places besides.
    has_others: bool,
    /// True once its die has taken it up.
    begun: bool,
    /// True for a read that has been sensed, and whose data leaves or waits for that.
    pub is_sensed: bool,
    /// Operations issued before it.
    pub number: u64,
    /// When it was issued.
    pub issued_ns: u64,
    /// Times that it was suspended.
    pub suspensions: u32,
    /// Operations that must end, or begin, before it may start.
    pub waiting: u32,
    /// The life of its first block that it belongs to.
    life: u32,
    generation: u32,
    /// Who waits for its end.
    pub waiters: Waiters,
    /// Operations on the same blocks that wait for it to begin: a die does one thing at a time.
    followers: Waiters,
    /// The next of those that wait for the same, or of the places that are spare: the one before it.
    pub next: u32,
    /// Of a place that is spare: the one before that.
    next_but_one: u32,
}

const _: () = assert!(size_of::<Entry>() == 2 * LINE_BYTES);

/// What becomes of an operation as it takes its turn in its blocks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Turn {
    /// What must end, or begin, before it may start.
    pub waits: u32,
    /// The life of its first block that it belongs to.
    pub life: u32,
    /// True for a read that has its turn among the changes of its blocks.
    pub in_turn: bool,
    /// Whether it works in other places besides.
    pub has_others: bool,
}

impl Turn {
    /// Its fields.
    #[inline(always)]
    pub fn parts(self) -> (u32, u32, bool, bool) {
        (self.waits, self.life, self.in_turn, self.has_others)
    }
}

impl Entry {
    /// Where it works first.
    #[inline]
    pub fn first_site(&self) -> Site {
        Site { span: self.op.span, life: self.life }
    }

    /// Whether it works in other places besides.
    #[inline]
    pub fn has_others(&self) -> bool {
        self.has_others
    }

    /// Whether others wait for it to begin.
    #[inline]
    pub fn has_followers(&self) -> bool {
        !self.followers.is_empty()
    }

    /// True once its die has taken it up.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// True while it waits for nothing but its die.
    pub fn is_queued(&self) -> bool {
        !self.begun && self.waiting == 0
    }
}

/// All operations under way.
#[derive(Debug)]
pub struct Slab {
    entries: Vec<Entry>,
    /// The place that became spare last.
    spare: u32,
    edges: Edges,
    /// Where operations work besides, at their indices; as long as it has to be.
    others: Vec<Vec<Site>>,
    /// The loops of erases at their indices, each with the generation that it is of; as long as it has to be.
    loops: Vec<(u32, Loops)>,
    /// Operations so far.
    issued: u64,
    /// Those of them that are over. Not those that are under way: two counts side by side that an issue changes become
    /// one wide load, which waits for all stores before it where the end of an operation has just changed one of them.
    ended: u64,
}

impl Default for Slab {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            spare: NONE,
            edges: Edges::default(),
            others: Vec::new(),
            loops: Vec::new(),
            issued: 0,
            ended: 0,
        }
    }
}

impl Slab {
    /// The name that an operation `op` will have if it is the next one to be added, whose place it takes then.
    #[inline(always)]
    pub fn next_handle(&mut self, op: &FlashOp) -> Handle {
        let index = if self.spare == NONE { self.add_place(op) } else { self.spare };
        let entry = &self.entries[index as usize];
        Handle { index, generation: entry.generation }
    }

    /// Adds a place for an operation.
    #[cold]
    fn add_place(&mut self, op: &FlashOp) -> u32 {
        let (nobody, index) = (Waiters::NO_TICKET, self.entries.len() as u32);
        self.spare = index;
        self.entries.push(Entry {
            op: *op,
            class: 0,
            in_turn: false,
            has_others: false,
            begun: false,
            is_sensed: false,
            number: 0,
            issued_ns: 0,
            suspensions: 0,
            waiting: 0,
            life: 0,
            generation: 1,
            waiters: nobody,
            followers: nobody,
            next: NONE,
            next_but_one: NONE,
        });
        index
    }

    /// The number that the next operation will have.
    #[inline]
    pub fn next_number(&self) -> u64 {
        self.issued
    }

    /// Adds an operation at the place that was found for it last, which has taken its turn; requests wait for its end.
    #[inline(always)]
    pub fn add(
        &mut self,
        handle: Handle,
        op: &FlashOp,
        class: u8,
        turn: Turn,
        requests: &[RequestId],
        now_ns: u64,
    ) {
        let mut waiters = Waiters::NO_TICKET;
        for &id in requests {
            self.edges.push(&mut waiters, Waiter::Request(id));
        }
        let entry = &mut self.entries[handle.index as usize];
        debug_assert_eq!(handle.index, self.spare, "the place of another operation");
        let ahead = entry.next_but_one;
        self.spare = entry.next;
        entry.op = *op;
        (entry.class, entry.in_turn) = (class, turn.in_turn);
        (entry.has_others, entry.begun) = (turn.has_others, false);
        (entry.number, entry.issued_ns) = (self.issued, now_ns);
        (entry.suspensions, entry.waiting, entry.life) = (0, turn.waits, turn.life);
        (entry.waiters, entry.followers) = (waiters, Waiters::NO_TICKET);
        entry.is_sensed = false;
        self.issued += 1;
        // Where GC moves a block, the next place is wanted before its lines would be there.
        prefetch_all(&self.entries, ahead as usize);
    }

    /// Says where the operation that is to be added at a place works besides.
    #[cold]
    pub fn set_others(&mut self, index: u32, others: &[Span]) {
        let index = index as usize;
        if self.others.len() <= index {
            self.others.resize(index + 1, Vec::new());
        }
        self.others[index].clear();
        self.others[index].extend(others.iter().map(|&span| Site { span, life: 0 }));
    }

    /// Where an operation works besides.
    pub fn others(&self, index: u32) -> &[Site] {
        match self.get(index).has_others {
            true => &self.others[index as usize],
            false => &[],
        }
    }

    /// Where an operation works besides, to be changed.
    pub fn others_mut(&mut self, index: u32) -> &mut [Site] {
        self.others.get_mut(index as usize).map_or(&mut [], Vec::as_mut_slice)
    }

    /// An operation.
    #[inline]
    pub fn get(&self, index: u32) -> &Entry {
        &self.entries[index as usize]
    }

    /// Asks the cache for an operation.
    #[inline(always)]
    pub fn prefetch(&self, index: u32) {
        prefetch_all(&self.entries, index as usize);
    }

    /// An operation, to be changed.
    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut Entry {
        &mut self.entries[index as usize]
    }

    /// The operation of `handle` is an erase in these loops.
    pub fn set_loops(&mut self, handle: Handle, loops: Loops) {
        let index = handle.index as usize;
        if self.loops.len() <= index {
            self.loops.resize(index + 1, (0, Loops::default()));
        }
        self.loops[index] = (handle.generation, loops);
    }

    /// The loops of an operation, if it is an erase of which they were said.
    pub fn loops_of(&self, index: u32) -> Option<&Loops> {
        let generation = self.get(index).generation;
        self.loops.get(index as usize).filter(|it| it.0 == generation).map(|it| &it.1)
    }

    /// True until the operation is over.
    #[inline]
    pub fn is_live(&self, handle: Handle) -> bool {
        handle.generation != 0
            && self.entries[handle.index as usize].generation == handle.generation
    }

    /// True until all operations of a join are over.
    pub fn is_any_live(&self, join: &Join) -> bool {
        join.handles().any(|handle| self.is_live(handle))
    }

    /// True once the die has taken up an operation that is not over.
    pub fn has_begun(&self, handle: Handle) -> bool {
        self.entries[handle.index as usize].begun
    }

    /// The places of all operations, the last issued first.
    pub fn indices_last_first(&self) -> Vec<u32> {
        let mut is_spare = vec![false; self.entries.len()];
        let mut spare = self.spare;
        while let Some(entry) = self.entries.get(spare as usize) {
            is_spare[spare as usize] = true;
            spare = entry.next;
        }
        let places = (0..).zip(is_spare);
        let mut indices: Vec<_> = places.filter(|place| !place.1).map(|place| place.0).collect();
        indices.sort_unstable_by_key(|&index| Reverse(self.get(index).number));
        indices
    }

    /// The operations that wait for operation `index` to begin, or to end.
    pub fn waiters_of(&self, index: u32) -> impl Iterator<Item = u32> {
        let Entry { waiters, followers, .. } = self.get(index);
        let operation = |it: Waiter| match it {
            Waiter::Operation(waiter) => Some(waiter),
            Waiter::Request(_) => None,
        };
        self.edges.of(waiters).chain(self.edges.of(followers)).filter_map(operation)
    }

    /// `index` waits for the operation of `handle` to begin; false if it has.
    #[inline(always)]
    pub fn follow(&mut self, index: u32, handle: Handle) -> bool {
        if handle.generation == 0 {
            return false;
        }
        let before = &mut self.entries[handle.index as usize];
        let waits = before.generation == handle.generation && !before.begun;
        if waits {
            self.edges.push(&mut before.followers, Waiter::Operation(index));
        }
        waits
    }

    /// `waiter` is told when the operation of `handle` is over; false where it is.
    #[inline(always)]
    pub fn tell(&mut self, handle: Handle, waiter: Waiter) -> bool {
        if handle.generation == 0 {
            return false;
        }
        let entry = &mut self.entries[handle.index as usize];
        let is_live = entry.generation == handle.generation;
        if is_live {
            self.edges.push(&mut entry.waiters, waiter);
        }
        is_live
    }

    /// The operation of a place waits for the ends of `after`; returns of how many.
    #[inline(always)]
    pub fn wait_for(&mut self, index: u32, after: &Join) -> u32 {
        let Some(first) = after.first else { return 0 };
        let mut waits = u32::from(self.tell(first, Waiter::Operation(index)));
        for &before in &after.rest {
            waits += u32::from(self.tell(before, Waiter::Operation(index)));
        }
        waits
    }

    /// The next of those who waited for an operation that is over.
    #[inline(always)]
    pub fn next_waiter(&mut self, waiters: &mut Waiters) -> Option<Waiter> {
        self.edges.pop(waiters)
    }

    /// Operation `index` begins.
    #[inline(always)]
    pub fn begin(&mut self, index: u32) -> &Entry {
        let entry = &mut self.entries[index as usize];
        entry.begun = true;
        entry
    }

    /// The next operation that waited for `index` to begin, if it waits for nothing else.
    pub fn pop_follower(&mut self, index: u32) -> Option<u32> {
        while let Some(waiter) = self.edges.pop(&mut self.entries[index as usize].followers) {
            let Waiter::Operation(follower) = waiter else { continue };
            let entry = &mut self.entries[follower as usize];
            entry.waiting -= 1;
            if entry.waiting == 0 {
                return Some(follower);
            }
        }
        None
    }

    /// Operation `index` is over. Returns what it was, and where it worked besides.
    #[inline(always)]
    pub fn remove(&mut self, index: u32) -> (&Entry, &[Site]) {
        let below = self.entries.get(self.spare as usize).map_or(NONE, |spare| spare.next);
        let entry = &mut self.entries[index as usize];
        entry.generation = entry.generation.wrapping_add(1).max(1);
        (entry.next, entry.next_but_one) = (self.spare, below);
        self.spare = index;
        self.ended += 1;
        let others: &[Site] = if entry.has_others { &self.others[index as usize] } else { &[] };
        (entry, others)
    }

    /// Operations under way.
    pub fn len(&self) -> usize {
        (self.issued - self.ended) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{Slab, Turn};
    use crate::engine::scheduler::{FlashOp, Source};
    use crate::ids::{BlockId, DieId};
    use crate::nand::command::{Cause, NO_TICKET};
    use crate::nand::{Kind, Loops, Needs, Span};

    fn op(kind: Kind) -> FlashOp {
        FlashOp {
            kind,
            needs: Needs::Erased,
            cause: Cause::Host,
            source: Source::Controller,
            die: DieId(0),
            span: Span { block: BlockId(0), page: 0, pages: 1 },
            array_ns: 1,
            transfer_ns: 0,
            command_ns: 0,
            ticket: NO_TICKET,
            urgent: false,
        }
    }

    #[test]
    fn an_operation_does_not_inherit_the_loops_of_the_erase_whose_place_it_takes() {
        let mut slab = Slab::default();
        for (kind, has_loops) in [(Kind::Erase, true), (Kind::Program, false)] {
            let handle = slab.next_handle(&op(kind));
            slab.add(handle, &op(kind), 0, Turn::default(), &[], 0);
            if has_loops {
                slab.set_loops(handle, Loops::default());
            }
            assert_eq!((handle.index(), slab.loops_of(0).is_some()), (0, has_loops));
            slab.remove(0);
        }
    }

    #[test]
    fn operations_come_the_last_one_first_without_places_of_those_that_are_over() {
        let mut slab = Slab::default();
        let add = |slab: &mut Slab| {
            let handle = slab.next_handle(&op(Kind::Read));
            slab.add(handle, &op(Kind::Read), 0, Turn::default(), &[], 0);
            handle.index()
        };
        let [first, second, third] = [(); 3].map(|()| add(&mut slab));
        slab.remove(first);
        slab.remove(second);
        assert_eq!(slab.indices_last_first(), [third]);
        let fourth = add(&mut slab);
        assert_eq!(slab.indices_last_first(), [fourth, third]);
    }
}
