//! The slots of a closed loop: a number of requests is outstanding, of all streams together or of
//! each by itself.

use crate::util::Upcoming;
use std::collections::{BTreeSet, VecDeque};
use wordline_trace::Request;

/// The requests of a stream, or of all of them.
#[derive(Debug, Default)]
struct Queue {
    outstanding: usize,
    /// When the slot became free that the next request takes.
    slot_ns: u64,
    waiting: VecDeque<Request>,
    /// Where it has a free slot and a request for it: `slot_ns`, under which it stands among those that can go.
    goes_ns: Option<u64>,
}

/// Slots, who holds them, and who waits for one.
#[derive(Debug)]
pub struct Slots {
    depth: usize,
    each_stream: bool,
    /// No request goes before.
    from_ns: u64,
    queues: Vec<Queue>,
    /// Requests whose end is known: when, and in which queue.
    ends: Upcoming<u64>,
    waiting: usize,
    /// Queues of which a request can go, the one whose slot has been free the longest first.
    can_go: BTreeSet<(u64, usize)>,
}

impl Slots {
    /// `depth` slots for each stream, or for all of them together.
    pub fn new(depth: usize, each_stream: bool) -> Self {
        let queues = vec![Queue::default()];
        let (ends, can_go) = (Upcoming::default(), BTreeSet::new());
        Self { depth, each_stream, from_ns: 0, queues, ends, waiting: 0, can_go }
    }

    /// True where every stream has slots of its own.
    pub fn each_stream(&self) -> bool {
        self.each_stream
    }

    /// The queue of a stream.
    #[inline]
    fn queue_of(&mut self, stream: u32) -> usize {
        if self.each_stream { self.own_queue_of(stream) } else { 0 }
    }

    #[inline(never)]
    fn own_queue_of(&mut self, stream: u32) -> usize {
        let queue = stream as usize;
        if queue >= self.queues.len() {
            let slot_ns = self.from_ns;
            self.queues.resize_with(queue + 1, || Queue { slot_ns, ..Queue::default() });
        }
        queue
    }

    /// True when a queue has a free slot.
    #[inline]
    pub fn has_room(&self, queue: usize) -> bool {
        self.queues[queue].outstanding < self.depth
    }

    /// Takes a slot; returns when it became free.
    #[inline]
    pub fn take(&mut self, queue: usize) -> u64 {
        let taken = &mut self.queues[queue];
        taken.outstanding += 1;
        let slot_ns = taken.slot_ns;
        if self.each_stream {
            self.list(queue);
        }
        slot_ns
    }

    /// The queue of a stream changed: whether a request of it can go, and since when.
    #[inline(never)]
    fn list(&mut self, at: usize) {
        let queue = &mut self.queues[at];
        let can_go = queue.outstanding < self.depth && !queue.waiting.is_empty();
        let goes_ns = can_go.then_some(queue.slot_ns);
        if goes_ns != queue.goes_ns {
            let before = std::mem::replace(&mut queue.goes_ns, goes_ns);
            before.map(|slot_ns| self.can_go.remove(&(slot_ns, at)));
            goes_ns.map(|slot_ns| self.can_go.insert((slot_ns, at)));
        }
    }

    /// A request waits for a slot of its stream.
    pub fn wait(&mut self, request: Request) {
        let queue = self.queue_of(request.stream);
        self.queues[queue].waiting.push_back(request);
        self.waiting += 1;
        self.list(queue);
    }

    /// Requests that wait.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// The next request that waits and can have a slot, and when that became free: of several
    /// streams, the one whose slot has been free the longest.
    pub fn next(&mut self) -> Option<(Request, u64)> {
        let &(_, queue) = self.can_go.first()?;
        let request = self.queues[queue].waiting.pop_front()?;
        self.waiting -= 1;
        Some((request, self.take(queue)))
    }

    /// True while a request is outstanding.
    pub fn are_taken(&self) -> bool {
        self.queues.iter().any(|queue| queue.outstanding > 0)
    }

    /// Where no slot is taken: when the last one became free.
    pub fn free_since_ns(&self) -> u64 {
        self.queues.iter().map(|queue| queue.slot_ns).max().unwrap_or(0)
    }

    /// Where no slot is taken and nothing waits: no request goes before `at_ns`.
    pub fn go_on_at(&mut self, at_ns: u64) {
        self.from_ns = at_ns;
        for queue in &mut self.queues {
            queue.slot_ns = at_ns;
        }
    }

    /// The end of a request is known.
    #[inline]
    pub fn will_end(&mut self, stream: u32, at_ns: u64) {
        let key = (at_ns, self.queue_of(stream) as u64);
        self.ends.put(key, |other| *other <= key);
    }

    /// A request is over that nobody knew would end.
    #[inline]
    pub fn has_ended(&mut self, stream: u32, at_ns: u64) {
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
        let freed = &mut self.queues[queue];
        freed.outstanding -= 1;
        freed.slot_ns = at_ns;
        if self.each_stream {
            self.list(queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wordline_trace::Op;

    fn request(stream: u32) -> Request {
        Request::new(Op::Read, 0, 4096).of_stream(stream)
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
        let order: Vec<(u32, u64)> =
            std::iter::from_fn(|| slots.next()).map(|(next, ns)| (next.stream, ns)).collect();
        assert_eq!(order, [(1, 300), (2, 500), (0, 700)]);
        assert_eq!(slots.waiting(), 0);
    }

    proptest! {
        #[test]
        fn of_many_streams_the_one_that_a_look_at_all_finds_goes(
            depth in 1usize..3, steps in prop::collection::vec((0u32..6, 0u64..50, 0u8..3), 1..300)
        ) {
            let mut slots = Slots::new(depth, true);
            let mut now_ns = 0;
            for (stream, pause_ns, step) in steps {
                now_ns += pause_ns;
                match step {
                    0 => slots.wait(request(stream)),
                    1 => slots.free_until(now_ns),
                    _ => {
                        let goes = |at: &usize| {
                            slots.has_room(*at) && !slots.queues[*at].waiting.is_empty()
                        };
                        let expected = (0..slots.queues.len())
                            .filter(goes)
                            .min_by_key(|&at| slots.queues[at].slot_ns)
                            .map(|at| (at, slots.queues[at].slot_ns));
                        let next = slots.next();
                        if let Some((request, _)) = next {
                            slots.will_end(request.stream, now_ns + 10 + pause_ns);
                        }
                        let found = next.map(|(request, ns)| (request.stream as usize, ns));
                        prop_assert_eq!(found, expected);
                    }
                }
            }
        }
    }
}
