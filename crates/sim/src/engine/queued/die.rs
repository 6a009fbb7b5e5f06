//! A die: what it does, what it was interrupted in, and what waits for it.

use std::collections::VecDeque;

/// Priorities: urgent, host read, host write, map, GC.
pub const CLASSES: usize = 5;

/// Waiting operations by priority; those of one priority in the order of a number that each brings.
#[derive(Debug, Default)]
pub struct Queues {
    by_class: [VecDeque<(u64, u32)>; CLASSES],
    /// One bit for every class in which something waits.
    occupied: u8,
}

impl Queues {
    /// True when nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// Adds an operation behind those of its class with the same number or a lower one.
    #[inline]
    pub fn push(&mut self, class: u8, number: u64, index: u32) {
        self.occupied |= 1 << class;
        let queue = &mut self.by_class[class as usize];
        if queue.back().is_none_or(|&(last, _)| last <= number) {
            return queue.push_back((number, index));
        }
        // What waited for something else was issued before most of what queues by now.
        if queue.front().is_some_and(|&(first, _)| number < first) {
            return queue.push_front((number, index));
        }
        sort_in(queue, number, index);
    }

    /// An operation that waits in one class waits in another from now on.
    pub fn raise(&mut self, from: u8, to: u8, number: u64, index: u32) {
        let queue = &mut self.by_class[from as usize];
        queue.retain(|&(_, other)| other != index);
        self.occupied &= !(u8::from(queue.is_empty()) << from);
        self.push(to, number, index);
    }

    /// Adds an operation ahead of all others.
    pub fn push_first(&mut self, index: u32) {
        self.occupied |= 1;
        self.by_class[0].push_front((0, index));
    }

    /// The operation that is served next.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        self.pop_class(self.occupied.trailing_zeros() as u8)
    }

    /// The next operation, if it is of this class.
    #[inline]
    pub fn pop_class(&mut self, class: u8) -> Option<u32> {
        let queue = self.by_class.get_mut(usize::from(class))?;
        let (_, index) = queue.pop_front()?;
        self.occupied ^= u8::from(queue.is_empty()) << class;
        Some(index)
    }

    /// The oldest operation of a class.
    #[inline]
    pub fn peek_class(&self, class: u8) -> Option<u32> {
        self.by_class.get(usize::from(class))?.front().map(|&(_, index)| index)
    }

    /// The operation that would be served next.
    #[inline]
    pub fn peek(&self) -> Option<u32> {
        self.peek_class(self.occupied.trailing_zeros() as u8)
    }
}

#[inline(never)]
fn sort_in(queue: &mut VecDeque<(u64, u32)>, number: u64, index: u32) {
    let at = queue.partition_point(|&(other, _)| other <= number);
    queue.insert(at, (number, index));
}

/// What a die is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activity {
    /// Nothing.
    #[default]
    Idle,
    /// The operation holds the die while it waits for, or uses, the channel.
    OnChannel(u32),
    /// The array works until this time.
    Array {
        /// The operation.
        index: u32,
        /// Time that was left when the array took it up.
        left_ns: u64,
        /// Its end.
        end_ns: u64,
    },
    /// A read that is sensed, but whose register is still full.
    Sensed(u32),
    /// An operation is being suspended.
    Suspending,
}

/// A die.
#[derive(Debug, Default)]
pub struct Die {
    /// What waits for it.
    pub queues: Queues,
    /// What it does.
    pub activity: Activity,
    /// An interrupted operation, and what is left of it.
    pub suspended: Option<(u32, u64)>,
    /// Cache program: an operation whose data is being, or has been, loaded meanwhile.
    pub loading: Option<(u32, bool)>,
    /// Cache read: an operation whose data still leaves.
    pub unloading: Option<u32>,
    /// The number of its next event; one of something since interrupted has another.
    pub awaited: u64,
    /// Array time of what was issued and is not over.
    pub issued_ns: u64,
    /// Time spent busy, and since when.
    pub busy_ns: u64,
    /// Since when it has been busy.
    pub busy_since_ns: u64,
    /// Its channel.
    pub channel: u32,
    /// True where data is loaded while the array programs.
    pub cache_program: bool,
    /// True where the next page is sensed while the last one leaves.
    pub cache_read: bool,
}

impl Die {
    /// What it did is over.
    #[inline(always)]
    pub fn free(&mut self, now_ns: u64) {
        self.activity = Activity::Idle;
        self.busy_ns += now_ns - self.busy_since_ns;
        self.busy_since_ns = now_ns;
    }

    /// True when the next operation may begin at once.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.activity == Activity::Idle
            && self.queues.is_empty()
            && self.loading.is_none()
            && self.suspended.is_none()
    }
}
