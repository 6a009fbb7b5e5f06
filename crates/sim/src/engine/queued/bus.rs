//! A channel: one transfer at a time.

use super::agenda::Agenda;
use super::queues::Queues;

/// A channel.
#[derive(Debug, Default)]
pub struct Bus {
    /// The source of its events.
    pub source: u32,
    /// What waits for it.
    pub queues: Queues,
    /// The operation on the channel.
    pub current: Option<u32>,
    /// Time spent on transfers.
    pub busy_ns: u64,
}

impl Bus {
    /// An operation uses the channel for a time.
    #[inline(always)]
    pub fn begin(&mut self, index: u32, length_ns: u64, now_ns: u64, events: &mut Agenda) {
        self.current = Some(index);
        self.busy_ns += length_ns;
        events.add(self.source, now_ns + length_ns);
    }
}
