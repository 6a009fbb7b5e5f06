//! Operations under way, and who waits for which.

use crate::engine::requests::RequestId;
use crate::engine::scheduler::FlashOp;
use crate::nand::{Kind, Loops, Span};
use crate::util::NONE;

/// Names an operation; once it is over the name matches nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Handle {
    index: u32,
    /// 0 for no operation at all.
    generation: u32,
}

/// Several operations; most joins are of one, which takes no memory of its own.
#[derive(Debug, Default)]
pub struct Join {
    first: Option<Handle>,
    rest: Vec<Handle>,
}

impl Join {
    /// Adds an operation.
    #[inline]
    pub fn push(&mut self, handle: Handle) {
        match self.first {
            None => self.first = Some(handle),
            Some(_) => self.rest.push(handle),
        }
    }

    /// The operations.
    #[inline]
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.first.into_iter().chain(self.rest.iter().copied())
    }
}

/// Who waits for an operation.
#[derive(Debug, Clone, Copy)]
pub enum Waiter {
    /// Another operation, for its end.
    Operation(u32),
    /// A part of a host request.
    Request(RequestId),
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    waiter: Waiter,
    next: u32,
}

/// Pages that an operation works on, and the life of their block that it belongs to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Site {
    /// The pages.
    pub span: Span,
    /// The life of their block.
    pub life: u32,
}

/// An operation under way.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The operation.
    pub op: FlashOp,
    /// Its priority: 0 is served first.
    pub class: u8,
    /// Operations issued before it.
    pub number: u64,
    /// When it was issued.
    pub issued_ns: u64,
    /// Array time that was left when the array last took it up.
    pub left_ns: u64,
    /// Times that it was suspended.
    pub suspensions: u32,
    /// Operations that must end before it may start.
    pub waiting: u32,
    /// The life of its first block that it belongs to.
    life: u32,
    /// Where it works besides; most do not, and take no memory for it.
    others: Vec<Site>,
    /// True for a read that has its turn among the changes of its blocks.
    pub in_turn: bool,
    generation: u32,
    /// True once its die has taken it up.
    begun: bool,
    /// Waits for its end.
    first_waiter: u32,
    /// Operations on the same blocks that wait for it to begin: a die does one thing at a time.
    first_follower: u32,
}

impl Entry {
    /// Places where it works.
    #[inline]
    pub fn sites(&self) -> usize {
        1 + self.others.len()
    }

    /// One of them.
    #[inline]
    pub fn site(&self, at: usize) -> Site {
        match at {
            0 => Site { span: self.op.span, life: self.life },
            _ => self.others[at - 1],
        }
    }

    /// True once its die has taken it up.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// True while it waits for nothing but its die.
    pub fn is_queued(&self) -> bool {
        !self.begun && self.waiting == 0
    }

    /// Says to which life of the block there the operation belongs.
    #[inline]
    pub fn set_life(&mut self, at: usize, life: u32) {
        match at {
            0 => self.life = life,
            _ => self.others[at - 1].life = life,
        }
    }
}

/// All operations under way.
#[derive(Debug)]
pub struct Slab {
    entries: Vec<Entry>,
    spare: Vec<u32>,
    edges: Vec<Edge>,
    /// The loops of erases, at their indices; as long as it has to be.
    loops: Vec<Loops>,
    /// Operations so far.
    issued: u64,
    spare_edge: u32,
}

impl Default for Slab {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            spare: Vec::new(),
            edges: Vec::new(),
            loops: Vec::new(),
            issued: 0,
            spare_edge: NONE,
        }
    }
}

impl Slab {
    /// Adds an operation that waits for nothing yet.
    #[inline]
    pub fn add(&mut self, op: FlashOp, class: u8, others: &[Span], now_ns: u64) -> u32 {
        let index = match self.spare.pop() {
            Some(index) => index,
            None => {
                self.entries.push(Entry {
                    op,
                    class,
                    number: 0,
                    issued_ns: 0,
                    left_ns: 0,
                    suspensions: 0,
                    waiting: 0,
                    life: 0,
                    others: Vec::new(),
                    in_turn: false,
                    generation: 1,
                    begun: false,
                    first_waiter: NONE,
                    first_follower: NONE,
                });
                self.entries.len() as u32 - 1
            }
        };
        let entry = &mut self.entries[index as usize];
        (entry.op, entry.class, entry.number) = (op, class, self.issued);
        self.issued += 1;
        entry.issued_ns = now_ns;
        (entry.suspensions, entry.waiting) = (0, 0);
        (entry.begun, entry.in_turn) = (false, false);
        (entry.first_waiter, entry.first_follower) = (NONE, NONE);
        entry.others.clear();
        if !others.is_empty() {
            entry.others.extend(others.iter().map(|&span| Site { span, life: 0 }));
        }
        if let Some(loops) = self.loops.get_mut(index as usize) {
            loops.clear();
        }
        index
    }

    /// An operation.
    #[inline]
    pub fn get(&self, index: u32) -> &Entry {
        &self.entries[index as usize]
    }

    /// An operation, to be changed.
    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut Entry {
        &mut self.entries[index as usize]
    }

    /// The name of an operation.
    pub fn handle(&self, index: u32) -> Handle {
        Handle { index, generation: self.entries[index as usize].generation }
    }

    /// The operation of `handle` is an erase in these loops.
    pub fn set_loops(&mut self, handle: Handle, loops: Loops) {
        let index = handle.index as usize;
        if self.loops.len() <= index {
            self.loops.resize(index + 1, Loops::default());
        }
        self.loops[index] = loops;
    }

    /// The loops of an operation, if it is an erase.
    pub fn loops_of(&self, index: u32) -> Option<&Loops> {
        let is_erase = self.get(index).op.kind == Kind::Erase;
        self.loops.get(index as usize).filter(|_| is_erase)
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

    /// All operations, and places where there was one.
    pub fn indices(&self) -> std::ops::Range<u32> {
        0..self.entries.len() as u32
    }

    /// True where `waiter` waits for operation `index` to begin, or to end.
    pub fn has_waiter(&self, index: u32, waiter: u32) -> bool {
        let entry = self.get(index);
        let edges = |first: u32| {
            let after = |&at: &u32| Some(self.edges[at as usize].next).filter(|&next| next != NONE);
            std::iter::successors(Some(first).filter(|&at| at != NONE), after)
        };
        let waits = |at: u32| matches!(self.edges[at as usize].waiter, Waiter::Operation(index) if index == waiter);
        edges(entry.first_waiter).chain(edges(entry.first_follower)).any(waits)
    }

    /// `index` waits for the operation of `handle`, if that is not over.
    pub fn wait(&mut self, index: u32, handle: Handle) {
        if self.is_live(handle) {
            self.entries[index as usize].waiting += 1;
            self.add_waiter(handle.index, Waiter::Operation(index));
        }
    }

    /// `index` waits for the operation of `handle` to begin, if it has not.
    pub fn follow(&mut self, index: u32, handle: Handle) {
        if self.is_live(handle) && !self.entries[handle.index as usize].begun {
            self.entries[index as usize].waiting += 1;
            let head = self.entries[handle.index as usize].first_follower;
            let edge = self.add_edge(Waiter::Operation(index), head);
            self.entries[handle.index as usize].first_follower = edge;
        }
    }

    /// `waiter` is told when operation `index` is over.
    pub fn add_waiter(&mut self, index: u32, waiter: Waiter) {
        let head = self.entries[index as usize].first_waiter;
        self.entries[index as usize].first_waiter = self.add_edge(waiter, head);
    }

    /// A request is told when the operation of `handle` is over; false where it is.
    pub fn tell(&mut self, handle: Handle, id: RequestId) -> bool {
        let is_live = self.is_live(handle);
        if is_live {
            self.add_waiter(handle.index, Waiter::Request(id));
        }
        is_live
    }

    fn add_edge(&mut self, waiter: Waiter, next: u32) -> u32 {
        let edge = Edge { waiter, next };
        match self.spare_edge {
            NONE => {
                self.edges.push(edge);
                self.edges.len() as u32 - 1
            }
            at => {
                self.spare_edge = self.edges[at as usize].next;
                self.edges[at as usize] = edge;
                at
            }
        }
    }

    fn pop_edge(&mut self, at: u32) -> (Waiter, u32) {
        let Edge { waiter, next } = self.edges[at as usize];
        self.edges[at as usize].next = self.spare_edge;
        self.spare_edge = at;
        (waiter, next)
    }

    /// The next waiter of operation `index`, which leaves the list.
    pub fn pop_waiter(&mut self, index: u32) -> Option<Waiter> {
        let head = self.entries[index as usize].first_waiter;
        (head != NONE).then(|| {
            let (waiter, next) = self.pop_edge(head);
            self.entries[index as usize].first_waiter = next;
            waiter
        })
    }

    /// Operation `index` begins.
    pub fn begin(&mut self, index: u32) {
        self.entries[index as usize].begun = true;
    }

    /// The next operation that waited for `index` to begin, if it waits for nothing else.
    pub fn pop_follower(&mut self, index: u32) -> Option<u32> {
        loop {
            let head = self.entries[index as usize].first_follower;
            if head == NONE {
                return None;
            }
            let (waiter, next) = self.pop_edge(head);
            self.entries[index as usize].first_follower = next;
            let Waiter::Operation(follower) = waiter else { continue };
            let entry = &mut self.entries[follower as usize];
            entry.waiting -= 1;
            if entry.waiting == 0 {
                return Some(follower);
            }
        }
    }

    /// Operation `index` is over.
    pub fn remove(&mut self, index: u32) {
        let entry = &mut self.entries[index as usize];
        entry.generation = entry.generation.wrapping_add(1).max(1);
        self.spare.push(index);
    }

    /// Operations under way.
    pub fn len(&self) -> usize {
        self.entries.len() - self.spare.len()
    }
}
