//! What waits for a die or a channel, by priority.

use super::slab::Slab;

/// Priorities: urgent, host read, host write, map, GC.
pub const CLASSES: usize = 5;

/// The operations of a class: a list through their entries.
#[derive(Debug, Clone, Copy, Default)]
struct List {
    first: u32,
    last: u32,
}

/// Waiting operations by priority; those of one priority either in the order in which they came or in that
/// of their numbers.
#[derive(Debug, Default)]
pub struct Queues {
    /// Of a class in which nothing waits this says nothing.
    by_class: [List; CLASSES],
    /// One bit for every class in which something waits.
    occupied: u8,
}

impl Queues {
    /// True when nothing waits.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    #[inline(always)]
    fn holds(&self, class: u8) -> bool {
        self.occupied & 1 << class != 0
    }

    /// Adds an operation behind all of its class.
    #[inline(always)]
    pub fn append(&mut self, class: u8, index: u32, slab: &mut Slab) {
        let was_occupied = self.holds(class);
        self.occupied |= 1 << class;
        let list = &mut self.by_class[usize::from(class)];
        if was_occupied {
            slab.get_mut(list.last).next = index;
        } else {
            list.first = index;
        }
        list.last = index;
    }

    /// Adds an operation behind those of its class with a lower number.
    #[inline(always)]
    pub fn sort_in(&mut self, class: u8, number: u64, index: u32, slab: &mut Slab) {
        self.sort_in_by(class, index, slab, |other, slab| number < slab.get(other).number);
    }

    /// Adds an operation before the first of its class that it precedes.
    #[inline(always)]
    pub fn sort_in_by(
        &mut self,
        class: u8,
        index: u32,
        slab: &mut Slab,
        precedes: impl Fn(u32, &Slab) -> bool,
    ) {
        let last = self.by_class[usize::from(class)].last;
        if self.holds(class) && precedes(last, slab) {
            return self.sort_in_before_last(class, index, slab, precedes);
        }
        self.append(class, index, slab);
    }

    /// What waited for something else was issued before most of what queues by now.
    #[inline(never)]
    fn sort_in_before_last(
        &mut self,
        class: u8,
        index: u32,
        slab: &mut Slab,
        precedes: impl Fn(u32, &Slab) -> bool,
    ) {
        let first = &mut self.by_class[usize::from(class)].first;
        if precedes(*first, slab) {
            slab.get_mut(index).next = std::mem::replace(first, index);
            return;
        }
        let mut before = *first;
        let mut next = slab.get(before).next;
        while !precedes(next, slab) {
            (before, next) = (next, slab.get(next).next);
        }
        slab.get_mut(before).next = index;
        slab.get_mut(index).next = next;
    }

    /// An operation that waits in one class waits in another from now on.
    pub fn raise(&mut self, from: u8, to: u8, index: u32, slab: &mut Slab) {
        self.remove(from, index, slab);
        self.sort_in(to, slab.get(index).number, index, slab);
    }

    /// Takes an operation that waits out of its class.
    pub fn remove(&mut self, class: u8, index: u32, slab: &mut Slab) {
        let taken = self.take_first(class, slab, usize::MAX, |other, _| other == index);
        assert!(taken.is_some(), "operation {index} does not wait");
    }

    /// Takes the first operation out of a class that suits, among `most`.
    pub fn take_first(
        &mut self,
        class: u8,
        slab: &mut Slab,
        most: usize,
        suits: impl Fn(u32, &Slab) -> bool,
    ) -> Option<u32> {
        let first = self.peek_class(class)?;
        if suits(first, slab) {
            return self.pop_class(class, slab);
        }
        let last = self.by_class[usize::from(class)].last;
        let mut before = first;
        for _ in 1..most {
            let index = if before == last { break } else { slab.get(before).next };
            if suits(index, slab) {
                slab.get_mut(before).next = slab.get(index).next;
                if last == index {
                    self.by_class[usize::from(class)].last = before;
                }
                return Some(index);
            }
            before = index;
        }
        None
    }

    /// Adds an operation ahead of all others.
    pub fn push_first(&mut self, index: u32, slab: &mut Slab) {
        match self.holds(0) {
            true => {
                slab.get_mut(index).next = std::mem::replace(&mut self.by_class[0].first, index);
            }
            false => self.append(0, index, slab),
        }
    }

    /// The operation that is served next.
    #[inline(always)]
    pub fn pop(&mut self, slab: &Slab) -> Option<u32> {
        self.pop_class(self.occupied.trailing_zeros() as u8, slab)
    }

    /// The next operation, if it is of this class.
    #[inline(always)]
    pub fn pop_class(&mut self, class: u8, slab: &Slab) -> Option<u32> {
        let index = self.peek_class(class)?;
        let list = &mut self.by_class[usize::from(class)];
        if list.last == index {
            self.occupied ^= 1 << class;
        } else {
            list.first = slab.get(index).next;
            slab.prefetch(list.first);
        }
        Some(index)
    }

    /// The oldest operation of a class.
    #[inline(always)]
    pub fn peek_class(&self, class: u8) -> Option<u32> {
        let list = self.by_class.get(usize::from(class))?;
        self.holds(class).then_some(list.first)
    }

    /// The operations of a class, the next one first.
    pub fn of_class<'a>(&self, class: u8, slab: &'a Slab) -> impl Iterator<Item = u32> + use<'a> {
        let last = self.by_class[usize::from(class)].last;
        std::iter::successors(self.peek_class(class), move |&index| {
            (index != last).then(|| slab.get(index).next)
        })
    }

    /// The operations of a class wait in another order.
    pub fn put_in_order(&mut self, class: u8, order: &[u32], slab: &mut Slab) {
        if let [first, .., last] = *order {
            self.by_class[usize::from(class)] = List { first, last };
        }
        for pair in order.windows(2) {
            slab.get_mut(pair[0]).next = pair[1];
        }
    }

    /// The operation that would be served next.
    #[inline(always)]
    pub fn peek(&self) -> Option<u32> {
        self.peek_class(self.occupied.trailing_zeros() as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::super::slab::{Slab, Turn};
    use super::{CLASSES, Queues};
    use crate::engine::scheduler::{FlashOp, Source};
    use crate::ids::DieId;
    use crate::nand::command::{Cause, NO_TICKET};
    use crate::nand::{Kind, Needs, Span};
    use proptest::prelude::*;

    /// A slab with so many operations, whose numbers are their places.
    fn slab(count: usize) -> Slab {
        let op = FlashOp {
            kind: Kind::Read,
            needs: Needs::Programmed,
            cause: Cause::Host,
            source: Source::Controller,
            die: DieId(0),
            span: Span::default(),
            array_ns: 0,
            transfer_ns: 0,
            command_ns: 0,
            ticket: NO_TICKET,
            urgent: false,
        };
        let mut slab = Slab::default();
        for _ in 0..count {
            let handle = slab.next_handle(&op);
            slab.add(handle, &op, 0, Turn::default(), &[], 0);
        }
        slab
    }

    proptest! {
        /// Lists do what a row in order does. Each operation is in it once at most, and goes by its number
        /// or by when it came.
        #[test]
        fn the_first_of_the_first_class_is_served(
            by_number in any::<bool>(),
            steps in prop::collection::vec((0u8..7, 0u32..40, 0u8..CLASSES as u8), 1..300)
        ) {
            let mut slab = slab(40);
            let mut queues = Queues::default();
            let mut expected: Vec<(u8, i64, u32)> = Vec::new();
            for (came, (step, index, class)) in (1..).zip(steps) {
                let at = expected.iter().position(|&(.., other)| other == index);
                match (step, at) {
                    (0..=2, None) if by_number => {
                        queues.sort_in(class, index.into(), index, &mut slab);
                        expected.push((class, index.into(), index));
                    }
                    (0..=1, None) => {
                        queues.append(class, index, &mut slab);
                        expected.push((class, came, index));
                    }
                    (2, None) => {
                        queues.push_first(index, &mut slab);
                        expected.push((0, -came, index));
                    }
                    (3, Some(at)) if by_number => {
                        queues.raise(expected[at].0, class, index, &mut slab);
                        expected[at].0 = class;
                    }
                    (4, _) => {
                        let at = expected.iter().position(|it| it.0 == class);
                        let first = at.map(|at| expected.remove(at).2);
                        prop_assert_eq!(queues.peek_class(class), first);
                        prop_assert_eq!(queues.pop_class(class, &slab), first);
                    }
                    _ => {
                        let first = expected.first().map(|it| it.2);
                        expected.drain(..expected.len().min(1));
                        prop_assert_eq!(queues.peek(), first);
                        prop_assert_eq!(queues.pop(&slab), first);
                    }
                }
                expected.sort_unstable();
                prop_assert_eq!(queues.is_empty(), expected.is_empty());
            }
        }
    }
}
