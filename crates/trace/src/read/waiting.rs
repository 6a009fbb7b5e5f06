//! Requests that are held back to be put in the order of their times.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use crate::Request;

/// Requests held back, of which the earliest goes first, and of equal ones the one that came first.
#[derive(Default)]
pub(super) struct Waiting {
    /// Those that came no earlier than the one ahead of them, which most do.
    in_order: VecDeque<Held>,
    /// All others.
    overtaken: BinaryHeap<Held>,
    /// Requests so far.
    count: u64,
}

/// A request by its time stamp, and by its place in the file where stamps are equal.
#[derive(Clone, Copy)]
struct Held {
    request: Request,
    place: u64,
}

impl Held {
    fn key(&self) -> (u64, u64) {
        (self.request.arrival_ns, self.place)
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Held {}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The greatest is the earliest, as a heap has it.
impl Ord for Held {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl Waiting {
    /// How many are held back.
    pub fn len(&self) -> usize {
        self.in_order.len() + self.overtaken.len()
    }

    /// Holds back one more.
    pub fn push(&mut self, request: Request) {
        self.count += 1;
        let held = Held { request, place: self.count };
        match self.in_order.back() {
            Some(last) if last.request.arrival_ns > request.arrival_ns => self.overtaken.push(held),
            _ => self.in_order.push_back(held),
        }
    }

    /// The one that goes first; `None` where none is held back.
    pub fn pop(&mut self) -> Option<Request> {
        let held = match (self.in_order.front(), self.overtaken.peek()) {
            (Some(first), Some(other)) if other > first => self.overtaken.pop(),
            (Some(_), _) => self.in_order.pop_front(),
            (None, _) => self.overtaken.pop(),
        };
        held.map(|held| held.request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_earliest_goes_first_and_of_equal_ones_the_first(
            stamps in prop::collection::vec(0u64..20, 0..60), held in 1usize..10
        ) {
            let mut waiting = Waiting::default();
            let mut expected: Vec<(u64, u32)> = Vec::new();
            let mut coming = (0u32..).zip(stamps).peekable();
            while coming.peek().is_some() || !expected.is_empty() {
                while let Some((stream, arrival_ns)) = coming.next_if(|_| expected.len() < held) {
                    waiting.push(Request::flush(arrival_ns, stream));
                    expected.push((arrival_ns, stream));
                }
                prop_assert_eq!(waiting.len(), expected.len());
                let next = expected.iter().min().copied();
                expected.retain(|&other| Some(other) != next);
                let popped = waiting.pop().map(|request| (request.arrival_ns, request.stream));
                prop_assert_eq!(popped, next);
            }
            prop_assert_eq!(waiting.pop(), None);
        }
    }
}
