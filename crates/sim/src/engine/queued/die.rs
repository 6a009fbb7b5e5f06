//! A die: what it does, what it was interrupted in, and what waits for it.

use std::collections::VecDeque;

/// Priorities: host read, host write, map, GC.
pub const CLASSES: usize = 4;

/// Waiting operations by priority; those of one priority in the order of a number that each brings.
#[derive(Debug, Default)]
pub struct Queues([VecDeque<(u64, u32)>; CLASSES]);

impl Queues {
    /// Adds an operation behind those of its class with the same number or a lower one.
    #[inline]
    pub fn push(&mut self, class: u8, number: u64, index: u32) {
        let queue = &mut self.0[class as usize];
        if queue.back().is_none_or(|&(last, _)| last <= number) {
            return queue.push_back((number, index));
        }
        let at = queue.partition_point(|&(other, _)| other <= number);
        queue.insert(at, (number, index));
    }

    /// Adds an operation ahead of all others.
    pub fn push_first(&mut self, index: u32) {
        self.0[0].push_front((0, index));
    }

    /// The operation that is served next.
    pub fn pop(&mut self) -> Option<u32> {
        self.0.iter_mut().find_map(VecDeque::pop_front).map(|(_, index)| index)
    }

    /// The next operation, if it is of this class.
    pub fn pop_class(&mut self, class: u8) -> Option<u32> {
        self.0[class as usize].pop_front().map(|(_, index)| index)
    }

    /// The oldest operation of a class.
    pub fn peek_class(&self, class: u8) -> Option<u32> {
        self.0[class as usize].front().map(|&(_, index)| index)
    }

    /// The operation that would be served next.
    pub fn peek(&self) -> Option<u32> {
        self.0.iter().find_map(VecDeque::front).map(|&(_, index)| index)
    }
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
    /// Counts what it does, so that an event of something since interrupted is known as stale.
    pub serial: u32,
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
