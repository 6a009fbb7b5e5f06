//! A channel: one transfer at a time.

use super::agenda::Agenda;
use super::queues::Queues;
use crate::util::NONE;

/// What is on a channel whose transfer has nothing to do at its end but to let others have it.
pub const NOTHING: u32 = NONE;

/// A channel.
#[derive(Debug, Default)]
pub struct Bus {
    /// The source of its events.
    pub source: u32,
    /// What waits for it.
    pub queues: Queues,
    /// The operation on the channel whose end is an event.
    pub current: Option<u32>,
    /// Until when it is in use otherwise: an end that is no event as long as nothing waits for it.
    pub until_ns: u64,
    /// Time spent on transfers.
    pub busy_ns: u64,
}

impl Bus {
    /// Whether the next transfer may begin at once.
    #[inline(always)]
    pub fn is_free(&self, now_ns: u64) -> bool {
        self.current.is_none() && self.until_ns <= now_ns && self.queues.is_empty()
    }

    /// An operation uses the channel for a time.
    #[inline(always)]
    pub fn begin(&mut self, index: u32, length_ns: u64, now_ns: u64, events: &mut Agenda) {
        debug_assert!(self.current.is_none() && self.until_ns <= now_ns);
        self.current = Some(index);
        self.busy_ns += length_ns;
        events.add(self.source, now_ns + length_ns);
    }

    /// The free channel is used for a time at whose end nobody need be told.
    #[inline(always)]
    pub fn pass(&mut self, length_ns: u64, now_ns: u64) {
        debug_assert!(self.is_free(now_ns));
        self.until_ns = now_ns + length_ns;
        self.busy_ns += length_ns;
    }

    /// Something waits for the channel from now on: its end is an event.
    #[inline(always)]
    pub fn is_awaited(&mut self, now_ns: u64, events: &mut Agenda) {
        if self.current.is_none() && self.until_ns > now_ns {
            self.current = Some(NOTHING);
            events.add(self.source, self.until_ns);
        }
    }
}
