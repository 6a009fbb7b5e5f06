//! Host requests in flight: each is over when its last part is.

use crate::nand::command::{NO_TICKET, RequestId};
use crate::util::NONE;
use rustc_hash::FxHashMap;
use wordline_trace::{Op, Request};

/// The stream of a unit that no request wrote.
const NO_STREAM: u32 = NONE;

/// What became of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Its die has taken it up.
    Begun,
    /// It is over.
    Ended,
}

/// An operation of which somebody asked to hear has begun or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// Its name.
    pub ticket: u32,
    /// What became of it.
    pub phase: Phase,
    /// When: where times are known ahead, that may lie in the future.
    pub at_ns: u64,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All of it was done.
    Done,
    /// A read-only drive took not all of it.
    Refused,
}

/// A request that is over.
#[derive(Debug, Clone, Copy)]
pub struct Finished {
    /// Its number since the start of the run; of a unit, that in the controller's buffer.
    pub number: u64,
    /// True for a unit that was programmed, which the driver awaits for its own sake.
    pub is_unit: bool,
    /// What it asked for.
    pub op: Op,
    /// Its length.
    pub bytes: u32,
    /// Its stream.
    pub stream: u32,
    /// When it arrived.
    pub arrival_ns: u64,
    /// When its last part was over.
    pub done_ns: u64,
    /// What became of it.
    pub status: Status,
}

impl Finished {
    /// Whether it is known whose it is.
    pub fn has_stream(&self) -> bool {
        self.stream != NO_STREAM
    }
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    request: Finished,
    /// Those that are not over; of an entry that is not in use, the next such one.
    parts: u32,
}

/// The requests in flight and those that have just ended.
#[derive(Debug)]
pub struct Requests {
    entries: Vec<Entry>,
    /// The entry that is used next, if one is there that is not in use.
    spare: RequestId,
    started: u64,
    /// Requests and units so far.
    begun: u64,
    /// Ended since this list was last cleared.
    pub finished: Vec<Finished>,
    /// What became, since this list was last cleared, of operations of which somebody asked to hear.
    pub notices: Vec<Notice>,
    /// Of all that have begun, those that are over.
    over: u64,
    /// Requests, by number, that are decoded once their last part is over, and for how long.
    decoded: FxHashMap<u64, u64>,
}

impl Default for Requests {
    fn default() -> Self {
        let (entries, finished, notices) = (Vec::new(), Vec::new(), Vec::new());
        let decoded = FxHashMap::default();
        Self { entries, spare: NONE, started: 0, begun: 0, finished, notices, over: 0, decoded }
    }
}

impl Requests {
    /// Starts a request; it stays open until [`Self::part_done`] was called once more than
    /// [`Self::add_part`].
    #[inline]
    pub fn start(&mut self, request: &Request, arrival_ns: u64) -> RequestId {
        let Request { op, size_bytes: bytes, stream, .. } = *request;
        let number = self.started;
        self.started += 1;
        let done_ns = arrival_ns;
        let request = Finished {
            number,
            is_unit: false,
            op,
            bytes,
            stream,
            arrival_ns,
            done_ns,
            status: Status::Done,
        };
        self.put(Entry { request, parts: 1 })
    }

    /// A request is over as soon as it is known, and never in flight: it has its number, as all others have.
    #[inline]
    pub fn pass(&mut self) {
        self.started += 1;
    }

    /// Starts to wait for the program of a unit, which a request of a stream wrote if it is known, and which is the part that
    /// is yet to be added.
    pub fn start_unit(&mut self, number: u32, stream: Option<u32>) -> RequestId {
        let request = Finished {
            number: u64::from(number),
            is_unit: true,
            op: Op::Write,
            bytes: 0,
            stream: stream.unwrap_or(NO_STREAM),
            arrival_ns: 0,
            done_ns: 0,
            status: Status::Done,
        };
        self.put(Entry { request, parts: 0 })
    }

    #[inline]
    fn put(&mut self, entry: Entry) -> RequestId {
        self.begun += 1;
        let id = self.spare;
        match self.entries.get_mut(id as usize) {
            Some(spare) => {
                self.spare = spare.parts;
                *spare = entry;
                id
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        }
    }

    /// Says what became of an operation, if anybody asked.
    #[inline]
    pub(super) fn notice(&mut self, ticket: u32, phase: Phase, at_ns: u64) {
        if ticket != NO_TICKET {
            self.notices.push(Notice { ticket, phase, at_ns });
        }
    }

    /// An operation that takes no time is over as soon as it is issued.
    pub(crate) fn over_at_once(&mut self, ticket: u32, now_ns: u64) {
        self.notice(ticket, Phase::Begun, now_ns);
        self.notice(ticket, Phase::Ended, now_ns);
    }

    /// One more part.
    #[inline]
    pub fn add_part(&mut self, id: RequestId) {
        self.entries[id as usize].parts += 1;
    }

    /// A read-only drive refuses a unit of a request that is open.
    pub fn refuse(&mut self, id: RequestId) {
        self.entries[id as usize].request.status = Status::Refused;
    }

    /// The pages of an open request are decoded for a time after its last part.
    pub(crate) fn decode(&mut self, id: RequestId, decode_ns: u64) {
        let Entry { request, .. } = &self.entries[id as usize];
        if !request.is_unit {
            self.decoded.insert(request.number, decode_ns);
        }
    }

    /// For how long a request that is over is decoded.
    pub(crate) fn take_decoding_ns(&mut self, number: u64) -> u64 {
        self.decoded.remove(&number).unwrap_or(0)
    }

    /// A request that is open.
    pub(crate) fn of(&self, id: RequestId) -> &Finished {
        &self.entries[id as usize].request
    }

    /// A part is over at `at_ns`.
    #[inline]
    pub fn part_done(&mut self, id: RequestId, at_ns: u64) {
        if let Some(finished) = self.end_part(id, at_ns) {
            self.finished.push(finished);
        }
    }

    /// A part is over, for whoever takes the request at once if it is over.
    #[inline(always)]
    pub fn end_part(&mut self, id: RequestId, at_ns: u64) -> Option<Finished> {
        let Entry { request, parts } = &mut self.entries[id as usize];
        let done_ns = request.done_ns.max(at_ns);
        if *parts > 1 {
            *parts -= 1;
            request.done_ns = done_ns;
            return None;
        }
        debug_assert_eq!(*parts, 1, "request {id} is over");
        *parts = std::mem::replace(&mut self.spare, id);
        self.over += 1;
        // The end is not written down: what has just been written in part is slow to copy as a whole.
        Some(Finished { done_ns, ..*request })
    }

    /// Requests in flight.
    pub fn in_flight(&self) -> usize {
        (self.begun - self.over) as usize
    }
}
