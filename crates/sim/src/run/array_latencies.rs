//! Of what latencies of an array consist: from the end of a request back, what each drive was asked for last, and what
//! that had to wait for.

use super::drive::MemberDrive;
use crate::array::{Asked, Contents, Purpose};
use crate::engine::{Finished, Itemisation, RequestParts, Status};
use crate::ids::{ById, MemberId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use wordline_trace::Op;

/// What came about because a request to a drive was over; `None`: because a request of the host arrived, or time came.
type Cause = Option<(MemberId, u64)>;

/// A request to a drive.
#[derive(Debug)]
struct Sent {
    asked: Asked,
    cause: Cause,
    /// When it was over.
    end_ns: Option<u64>,
    parts: Option<RequestParts>,
}

/// Requests to a drive, of which those that nobody can have waited for are forgotten.
#[derive(Debug, Default)]
struct OfMember {
    /// The number of the first that is known.
    first: u64,
    sent: VecDeque<Sent>,
}

impl OfMember {
    fn get_mut(&mut self, number: u64) -> Option<&mut Sent> {
        self.sent.get_mut(number.checked_sub(self.first)? as usize)
    }

    fn get(&self, number: u64) -> Option<&Sent> {
        self.sent.get(number.checked_sub(self.first)? as usize)
    }

    /// Forgets what was over before a time.
    fn forget(&mut self, before_ns: u64) {
        while self.sent.front().is_some_and(|it| it.end_ns.is_some_and(|end| end < before_ns)) {
            self.sent.pop_front();
            self.first += 1;
        }
    }
}

/// A request of the host in flight.
#[derive(Debug, Clone, Copy)]
struct InFlight {
    /// When it was fetched from its queue.
    fetched_ns: u64,
    /// When the array had wholly taken it.
    taken_ns: u64,
    /// What ended its latest part.
    cause: Cause,
}

/// Takes latencies apart.
#[derive(Debug)]
pub struct ArrayLatencies {
    members: ById<MemberId, OfMember>,
    /// What is going on.
    cause: Cause,
    in_flight: FxHashMap<u64, InFlight>,
    /// Requests of the host and when they arrived, the oldest first.
    arrived: VecDeque<(u64, u64)>,
    sums: Itemisation,
}

impl ArrayLatencies {
    /// Of an array of so many drives, of so many kinds of flash.
    pub fn new(members: u32, kinds: usize) -> Self {
        Self {
            members: (0..members).map(|_| OfMember::default()).collect(),
            cause: None,
            in_flight: FxHashMap::default(),
            arrived: VecDeque::new(),
            sums: Itemisation::new(kinds),
        }
    }

    /// Forgets what was over before every request arrived that is in flight.
    fn forget(&mut self) {
        while self.arrived.front().is_some_and(|(it, _)| !self.in_flight.contains_key(it)) {
            self.arrived.pop_front();
        }
        let oldest_ns = self.arrived.front().map_or(u64::MAX, |&(_, arrival_ns)| arrival_ns);
        self.members.iter_mut().for_each(|member| member.forget(oldest_ns));
    }

    fn add(&mut self, request: &Finished, in_flight: InFlight) {
        let InFlight { fetched_ns, taken_ns, mut cause } = in_flight;
        let Self { members, sums, .. } = self;
        let sums = match request.op {
            Op::Read => &mut sums.reads,
            Op::Write => &mut sums.writes,
            Op::Trim | Op::Flush => return,
        };
        let Finished { arrival_ns, done_ns, .. } = *request;
        let from_ns = taken_ns.clamp(fetched_ns, done_ns);
        sums.requests += 1;
        sums.latency_ns += done_ns - arrival_ns;
        sums.queue_ns += fetched_ns - arrival_ns;
        sums.array.stripe_ns += from_ns - fetched_ns;
        let mut at_ns = done_ns;
        while at_ns > from_ns
            && let Some((member, number)) = cause
            && let Some(sent) = members[member].get(number)
        {
            let end_ns = sent.end_ns.unwrap_or(at_ns).clamp(from_ns, at_ns);
            let since_ns = sent.asked.now_ns.clamp(from_ns, end_ns);
            sums.array.other_ns += at_ns - end_ns;
            let took_ns = end_ns - since_ns;
            match (sent.asked.purpose, &sent.parts) {
                (Purpose::Log, _) => sums.array.log_ns += took_ns,
                (Purpose::Sync, _) | (_, None) => sums.array.other_ns += took_ns,
                _ if request.op == Op::Write && sent.asked.op == Op::Read => {
                    sums.array.parity_reads_ns += took_ns;
                }
                (_, Some(parts)) => sums.add_parts(parts, since_ns, end_ns),
            }
            (at_ns, cause) = (since_ns, sent.cause);
        }
        sums.array.other_ns += at_ns - from_ns;
    }
}

impl Contents<Box<dyn MemberDrive>> for ArrayLatencies {
    const IS_TOLD: bool = false;
    const ITEMISES: bool = true;

    fn arrives(&mut self, request: u64, arrival_ns: u64, now_ns: u64) {
        self.cause = None;
        let fetched_ns = now_ns.max(arrival_ns);
        let in_flight = InFlight { fetched_ns, taken_ns: fetched_ns, cause: None };
        self.in_flight.insert(request, in_flight);
        self.arrived.push_back((request, arrival_ns));
    }

    fn asked(&mut self, member: MemberId, asked: Asked) {
        let sent = Sent { asked, cause: self.cause, end_ns: None, parts: None };
        self.members[member].sent.push_back(sent);
    }

    fn ended(
        &mut self,
        member: MemberId,
        number: u64,
        now_ns: u64,
        drive: &mut Box<dyn MemberDrive>,
    ) {
        self.cause = Some((member, number));
        let parts = drive.take_parts(number);
        if let Some(sent) = self.members[member].get_mut(number) {
            (sent.end_ns, sent.parts) = (Some(now_ns), parts);
        }
    }

    fn comes_about(&mut self) {
        self.cause = None;
    }

    fn taken_whole(&mut self, request: u64, now_ns: u64) {
        if let Some(in_flight) = self.in_flight.get_mut(&request) {
            in_flight.taken_ns = now_ns;
        }
    }

    fn part_done(&mut self, request: u64) {
        if let Some(in_flight) = self.in_flight.get_mut(&request) {
            in_flight.cause = self.cause;
        }
    }

    fn finished(&mut self, request: &Finished, counts: bool) {
        if let Some(in_flight) = self.in_flight.remove(&request.number)
            && counts
            && request.status == Status::Done
        {
            self.add(request, in_flight);
        }
        self.forget();
    }

    fn count_anew(&mut self) {
        self.sums = Itemisation::new(self.sums.reads.flash.len());
    }

    fn itemisation(&self) -> Option<&Itemisation> {
        Some(&self.sums)
    }
}
