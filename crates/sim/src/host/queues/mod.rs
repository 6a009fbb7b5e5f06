//! Submission queues: how many requests of each are outstanding, which of those that stand in them the drive takes next,
//! and when.

mod arbiter;
mod held;

use crate::schema::{HostConfig, HostMode, QueueClass, WindowOrder};
use crate::util::Upcoming;
use arbiter::Arbiter;
use held::Held;
use std::collections::{BTreeMap, VecDeque};
use wordline_trace::{Request, VOLUMES};

/// More than there are queues: those with a name, and one for each of the other streams.
const QUEUES: usize = 2 * VOLUMES;

/// The requests of a stream, of several, or of all.
#[derive(Debug)]
struct Queue {
    depth: usize,
    /// In which it takes turns.
    class: usize,
    /// Requests that stand in it or are with the drive.
    outstanding: usize,
    /// Those with the drive.
    taken: usize,
    /// When the slot became free that the next request takes.
    slot_ns: u64,
    /// When the drive had room again for requests of it.
    room_ns: u64,
    /// Requests for which it has no slot.
    waiting: VecDeque<Request>,
    held: Held,
    /// Where a request of it can go: since when.
    goes_ns: Option<u64>,
}

/// What all queues have in common.
#[derive(Debug, Clone, Copy)]
struct Rules {
    /// Slots of a queue that says nothing else.
    depth: usize,
    /// Requests of a queue that the drive has at most.
    window: usize,
    order: WindowOrder,
    /// The class of a queue that says nothing else.
    class: usize,
    /// No request goes before.
    from_ns: u64,
    /// No request goes at this time or later.
    until_ns: u64,
}

impl Rules {
    fn queue(&self, depth: usize, class: usize) -> Queue {
        Queue {
            depth,
            class,
            outstanding: 0,
            taken: 0,
            slot_ns: self.from_ns,
            room_ns: 0,
            waiting: VecDeque::new(),
            held: Held::new(self.order),
            goes_ns: None,
        }
    }
}

/// Which queue the requests of a stream stand in.
#[derive(Debug)]
enum Division {
    /// All in one.
    Together,
    /// Those of these streams in the queues of these numbers, of which there are so many; of others each in its own.
    Each(BTreeMap<u32, usize>, usize),
}

/// The queues, which requests the drive has, and who waits.
#[derive(Debug)]
pub struct Queues {
    rules: Rules,
    division: Division,
    /// False where all requests stand in one queue and go once it has a slot.
    are_held: bool,
    queues: Vec<Queue>,
    arbiter: Arbiter,
    /// Requests that the drive has at most, of all queues.
    limit: usize,
    taken: usize,
    /// When it had room again.
    room_ns: u64,
    /// Requests whose end is known: when, the how many-th that became known, and of which queue. Of those that end at once the
    /// queue that is named first is not always to go first.
    ends: Upcoming<u64>,
    told: u64,
    waiting: usize,
}

/// A request that goes, when it arrived in its queue, and when it leaves that.
pub type Leaving = (Request, u64, u64);

/// A number of requests, or no limit.
fn limit(requests: u64) -> usize {
    if requests > 0 { requests as usize } else { usize::MAX }
}

impl Queues {
    /// Those of a configuration; `None`: in an open loop every request goes as it arrives.
    pub fn new(host: &HostConfig) -> Option<Self> {
        let is_closed = host.mode == HostMode::Closed;
        let has_own = host.tells_streams_apart();
        let is_limited = host.window > 0 || host.fetch_limit > 0;
        let until_ns = (host.until_s * 1e9).round() as u64;
        if !is_closed && !is_limited {
            return None;
        }
        let rules = Rules {
            depth: if is_closed { host.queue_depth as usize } else { usize::MAX },
            window: limit(host.window),
            order: host.window_order,
            class: Arbiter::class(host, QueueClass::Medium),
            from_ns: 0,
            until_ns: if is_closed && until_ns > 0 { until_ns } else { u64::MAX },
        };
        let mut of_streams = BTreeMap::new();
        let mut queues = Vec::new();
        for queue in host.queue.values() {
            of_streams.extend(queue.streams.iter().map(|&stream| (stream, queues.len())));
            let has_own_depth = is_closed && queue.depth > 0;
            let depth = if has_own_depth { queue.depth as usize } else { rules.depth };
            queues.push(rules.queue(depth, Arbiter::class(host, queue.class)));
        }
        let division = match has_own {
            true => Division::Each(of_streams, queues.len()),
            false => Division::Together,
        };
        if !has_own {
            queues.push(rules.queue(rules.depth, rules.class));
        }
        Some(Self {
            rules,
            division,
            are_held: has_own || is_limited || rules.until_ns < u64::MAX,
            queues,
            arbiter: Arbiter::new(host),
            limit: limit(host.fetch_limit),
            taken: 0,
            room_ns: 0,
            ends: Upcoming::default(),
            told: 0,
            waiting: 0,
        })
    }

    /// False where all requests stand in one queue and go once it has a slot.
    pub fn are_held(&self) -> bool {
        self.are_held
    }

    /// The queue of a stream.
    #[inline]
    fn queue_of(&mut self, stream: u32) -> usize {
        match self.division {
            Division::Together => 0,
            Division::Each(..) => self.own_queue_of(stream),
        }
    }

    #[inline(never)]
    fn own_queue_of(&mut self, stream: u32) -> usize {
        let Division::Each(of_streams, named) = &self.division else { return 0 };
        let queue = of_streams.get(&stream).copied().unwrap_or(named + stream as usize);
        if queue >= self.queues.len() {
            let rules = self.rules;
            self.queues.resize_with(queue + 1, || rules.queue(rules.depth, rules.class));
        }
        queue
    }

    /// True when the one queue has a free slot.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.queues[0].outstanding < self.queues[0].depth
    }

    /// Takes a slot of the one queue; returns when it became free.
    #[inline]
    pub fn take(&mut self) -> u64 {
        self.queues[0].outstanding += 1;
        self.queues[0].slot_ns
    }

    /// A request waits for a slot of its queue.
    pub fn wait(&mut self, request: Request) {
        let queue = self.queue_of(request.stream);
        self.queues[queue].waiting.push_back(request);
        self.waiting += 1;
        self.fill(queue);
    }

    /// A request stands in its queue since it arrived.
    pub fn hold(&mut self, request: Request, arrival_ns: u64) {
        let at = self.queue_of(request.stream);
        let queue = &mut self.queues[at];
        queue.outstanding += 1;
        queue.held.hold(request, arrival_ns);
        self.waiting += 1;
        self.list(at);
    }

    /// Requests that wait take the free slots of a queue.
    fn fill(&mut self, at: usize) {
        let queue = &mut self.queues[at];
        while queue.outstanding < queue.depth
            && let Some(request) = queue.waiting.pop_front()
        {
            if queue.slot_ns >= self.rules.until_ns {
                self.waiting -= 1;
                continue;
            }
            queue.outstanding += 1;
            queue.held.hold(request, queue.slot_ns);
        }
        self.list(at);
    }

    /// A queue changed: whether a request of it can go, and since when.
    fn list(&mut self, at: usize) {
        let queue = &mut self.queues[at];
        let has_room = queue.taken < self.rules.window;
        let arrival_ns = queue.held.arrival_ns().filter(|_| has_room);
        let goes_ns = arrival_ns.map(|arrival_ns| arrival_ns.max(queue.room_ns));
        if goes_ns != queue.goes_ns {
            let before_ns = std::mem::replace(&mut queue.goes_ns, goes_ns);
            self.arbiter.note(at, queue.class, before_ns, goes_ns);
        }
    }

    /// Requests that wait.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// The next request that the drive takes; `None`: none that it has room for.
    pub fn next(&mut self) -> Option<Leaving> {
        if self.taken >= self.limit {
            return None;
        }
        let at = self.arbiter.next()?;
        let queue = &mut self.queues[at];
        let (request, arrival_ns) = queue.held.next()?;
        queue.taken += 1;
        let leaves_ns = arrival_ns.max(queue.room_ns).max(self.room_ns);
        self.taken += 1;
        self.waiting -= 1;
        self.list(at);
        Some((request, arrival_ns, leaves_ns))
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
        self.rules.from_ns = at_ns;
        for queue in &mut self.queues {
            queue.slot_ns = at_ns;
        }
    }

    /// The end of a request is known.
    #[inline]
    pub fn will_end(&mut self, stream: u32, at_ns: u64) {
        let key = match self.division {
            Division::Together => (at_ns, 0),
            Division::Each(..) => (at_ns, self.own_end(stream)),
        };
        self.ends.put(key, |other| *other <= key);
    }

    /// One more end that is known, of a stream's own queue.
    #[inline(never)]
    fn own_end(&mut self, stream: u32) -> u64 {
        self.told += 1;
        self.told << QUEUES.ilog2() | self.own_queue_of(stream) as u64
    }

    /// A request is over that nobody knew would end.
    #[inline]
    pub fn has_ended(&mut self, stream: u32, at_ns: u64) {
        let queue = self.queue_of(stream);
        self.free_one(queue, at_ns);
    }

    /// When the next request ends, as far as is known; `u64::MAX`: nothing is known.
    #[inline]
    pub fn next_end_ns(&self) -> u64 {
        self.ends.next_ns()
    }

    /// The requests are over that are known to end until `now_ns`.
    pub fn free_until(&mut self, now_ns: u64) {
        while self.next_end_ns() <= now_ns {
            self.free();
        }
    }

    /// The next request that is known to end is over.
    #[inline]
    pub fn free(&mut self) {
        if let Some((at_ns, queue)) = self.ends.take_until(u64::MAX) {
            self.free_one(queue as usize % QUEUES, at_ns);
        }
    }

    #[inline]
    fn free_one(&mut self, at: usize, at_ns: u64) {
        let queue = &mut self.queues[at];
        queue.outstanding -= 1;
        queue.slot_ns = at_ns;
        if self.are_held {
            self.give_back(at, at_ns);
        }
    }

    /// The drive has one request of a queue less.
    #[inline(never)]
    fn give_back(&mut self, at: usize, at_ns: u64) {
        let queue = &mut self.queues[at];
        if queue.taken == self.rules.window {
            queue.room_ns = at_ns;
        }
        if self.taken == self.limit {
            self.room_ns = at_ns;
        }
        queue.taken -= 1;
        self.taken -= 1;
        self.fill(at);
    }
}

#[cfg(test)]
mod tests;
