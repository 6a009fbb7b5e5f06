//! The slots of a closed loop: a number of requests is outstanding, of all streams together or of
//! each by itself.

use crate::util::Upcoming;
use std::collections::VecDeque;
use wordline_trace::Request;

/// The requests of a stream, or of all of them.
#[derive(Debug, Default)]
struct Queue {
    outstanding: usize,
    /// When the slot became free that the next request takes.
    slot_ns: u64,
    waiting: VecDeque<Request>,
}

/// Slots, who holds them, and who waits for one.
#[derive(Debug)]
pub struct Slots {
    depth: usize,
    each_stream: bool,
    queues: Vec<Queue>,
    /// Requests whose end is known: when, and in which queue.
    ends: Upcoming<u64>,
    waiting: usize,
}

impl Slots {
    /// `depth` slots for each stream, or for all of them together.
    pub fn new(depth: usize, each_stream: bool) -> Self {
        let queues = vec![Queue::default()];
        Self { depth, each_stream, queues, ends: Upcoming::default(), waiting: 0 }
    }

    /// True where every stream has slots of its own.
    pub fn each_stream(&self) -> bool {
        self.each_stream
    }

    /// The queue of a stream.
    #[inline]
    pub fn queue_of(&mut self, stream: u16) -> usize {
        let queue = if self.each_stream { usize::from(stream) } else { 0 };
        if queue >= self.queues.len() {
            self.queues.resize_with(queue + 1, Queue::default);
        }
        queue
    }

    /// True when a queue has a free slot.
    pub fn has_room(&self, queue: usize) -> bool {
        self.queues[queue].outstanding < self.depth
    }

    /// Takes a slot; returns when it became free.
    pub fn take(&mut self, queue: usize) -> u64 {
        let queue = &mut self.queues[queue];
        queue.outstanding += 1;
        queue.slot_ns
    }

    /// A request waits for a slot of its stream.
    pub fn wait(&mut self, request: Request) {
        let queue = self.queue_of(request.stream);
        self.queues[queue].waiting.push_back(request);
        self.waiting += 1;
    }

    /// Requests that wait.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// The next request that waits and can have a slot, and when that became free: of several
    /// streams, the one whose slot has been free the longest.
    pub fn next(&mut self) -> Option<(Request, u64)> {
        let can_go =
            |queue: &usize| self.has_room(*queue) && !self.queues[*queue].waiting.is_empty();
        let queue = (0..self.queues.len())
            .filter(can_go)
            .min_by_key(|&queue| self.queues[queue].slot_ns)?;
        let request = self.queues[queue].waiting.pop_front()?;
        self.waiting -= 1;
        Some((request, self.take(queue)))
    }

    /// The end of a request is known.
    #[inline]
    pub fn will_end(&mut self, stream: u16, at_ns: u64) {
        let key = (at_ns, self.queue_of(stream) as u64);
        self.ends.put(key, |other| *other <= key);
    }

    /// A request is over that nobody knew would end.
    #[inline]
    pub fn has_ended(&mut self, stream: u16, at_ns: u64) {
        debug_assert_eq!(self.next_end_ns(), u64::MAX, "no end is known ahead");
        let queue = self.queue_of(stream);
        self.free_one(queue, at_ns);
    }

    /// When the next slot becomes free, as far as is known; `u64::MAX`: nothing is known.
    #[inline]
    pub fn next_end_ns(&self) -> u64 {
        self.ends.next_ns()
    }

    /// The slots are free that are known to become so until `now_ns`.
    pub fn free_until(&mut self, now_ns: u64) {
        while self.next_end_ns() <= now_ns {
            self.free();
        }
    }

    /// That slot is free.
    #[inline]
    pub fn free(&mut self) {
        if let Some((at_ns, queue)) = self.ends.take_until(u64::MAX) {
            self.free_one(queue as usize, at_ns);
        }
    }

    #[inline]
    fn free_one(&mut self, queue: usize, at_ns: u64) {
        let queue = &mut self.queues[queue];
        queue.outstanding -= 1;
        queue.slot_ns = at_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_trace::Op;

    fn request(stream: u16) -> Request {
        Request {
            arrival_ns: 0,
            offset_bytes: 0,
            size_bytes: 4096,
            op: Op::Read,
            stream,
            fua: false,
        }
    }

    #[test]
    fn the_stream_whose_slot_has_been_free_the_longest_goes_first() {
        let mut slots = Slots::new(1, true);
        for (stream, end_ns) in [(0, 700), (1, 300), (2, 500)] {
            let queue = slots.queue_of(stream);
            slots.take(queue);
            slots.will_end(stream, end_ns);
            slots.wait(request(stream));
        }
        assert!(slots.next().is_none(), "no slot is free");
        (0..3).for_each(|_| slots.free());
        let order: Vec<(u16, u64)> =
            std::iter::from_fn(|| slots.next()).map(|(next, ns)| (next.stream, ns)).collect();
        assert_eq!(order, [(1, 300), (2, 500), (0, 700)]);
        assert_eq!(slots.waiting(), 0);
    }
}
