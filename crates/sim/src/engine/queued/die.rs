//! A die: what it does, what it was interrupted in, and what waits for it.

use super::queues::Queues;
use crate::ids::DieId;

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
    /// Its name.
    pub id: DieId,
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
    /// Reads that were sensed with it, and whose data has not left.
    pub unloading_others: u32,
    /// Reads of other planes that the array senses beside the one that it is at: the first of them.
    pub beside: Option<u32>,
    /// Reads that it can sense at a time.
    pub reads_at_once: u32,
    /// When the operation in the array had all that it needs of the channel: it is not interrupted before.
    pub loaded_ns: u64,
    /// The number of its next event; one of something since interrupted has another.
    pub awaited: u64,
    /// Array time of what was issued and is not over.
    pub issued_ns: u64,
    /// Time spent busy, and since when.
    pub busy_ns: u64,
    /// Since when it has been busy.
    pub busy_since_ns: u64,
    /// Whether the drive wants to hear when the die has nothing to do.
    pub is_watched: bool,
    /// Its channel.
    pub channel: u32,
    /// Whether data is loaded while the array programs.
    pub cache_program: bool,
    /// Whether the next page is sensed while the last one leaves.
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

    /// Time spent busy, what it does now included.
    pub fn busy_by_ns(&self, now_ns: u64) -> u64 {
        let is_idle = self.activity == Activity::Idle;
        self.busy_ns + if is_idle { 0 } else { now_ns - self.busy_since_ns }
    }

    /// True when the next operation may begin at once.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.activity == Activity::Idle && !self.is_awaited()
    }

    /// Whether something waits for the die, or was begun there.
    #[inline(always)]
    pub fn is_awaited(&self) -> bool {
        !self.queues.is_empty() || self.loading.is_some() || self.suspended.is_some()
    }
}
