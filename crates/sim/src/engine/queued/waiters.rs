//! Who waits for an operation, in lists.

use crate::nand::command::RequestId;
use crate::util::NONE;

/// Who waits for an operation.
#[derive(Debug, Clone, Copy)]
pub enum Waiter {
    /// Another operation, for its end.
    Operation(u32),
    /// A part of a host request.
    Request(RequestId),
}

/// Those who wait for the same, the last who came first. Most of the time it is one.
#[derive(Debug, Clone, Copy)]
pub struct Waiters {
    last: Option<Waiter>,
    /// The edge of the one before.
    before: u32,
}

impl Waiters {
    pub const NO_TICKET: Self = Self { last: None, before: NONE };

    /// Whether nobody waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    waiter: Waiter,
    next: u32,
}

/// Those who came before the last, in lists.
#[derive(Debug)]
pub struct Edges {
    edges: Vec<Edge>,
    spare: u32,
}

impl Default for Edges {
    fn default() -> Self {
        Self { edges: Vec::new(), spare: NONE }
    }
}

impl Edges {
    #[inline]
    pub fn push(&mut self, waiters: &mut Waiters, waiter: Waiter) {
        if let Some(last) = waiters.last.replace(waiter) {
            waiters.before = self.add(last, waiters.before);
        }
    }

    #[inline]
    pub fn pop(&mut self, waiters: &mut Waiters) -> Option<Waiter> {
        let last = waiters.last.take()?;
        if waiters.before != NONE {
            waiters.last = Some(self.remove(&mut waiters.before));
        }
        Some(last)
    }

    #[inline(never)]
    fn add(&mut self, waiter: Waiter, next: u32) -> u32 {
        let edge = Edge { waiter, next };
        match self.spare {
            NONE => {
                self.edges.push(edge);
                self.edges.len() as u32 - 1
            }
            at => {
                self.spare = std::mem::replace(&mut self.edges[at as usize], edge).next;
                at
            }
        }
    }

    /// Takes out the edge at the head of a list.
    #[inline(never)]
    fn remove(&mut self, head: &mut u32) -> Waiter {
        let at = *head;
        let Edge { waiter, next } = self.edges[at as usize];
        self.edges[at as usize].next = self.spare;
        (self.spare, *head) = (at, next);
        waiter
    }

    /// All of them.
    pub fn of(&self, waiters: &Waiters) -> impl Iterator<Item = Waiter> + '_ {
        let edge = |at: u32| self.edges.get(at as usize);
        let before = std::iter::successors(edge(waiters.before), move |before| edge(before.next));
        waiters.last.into_iter().chain(before.map(|edge| edge.waiter))
    }
}
