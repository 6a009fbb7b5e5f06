//! A scheduler that says of what the latencies of requests consist, around one that says when operations
//! happen. Nothing of it is compiled into the others.

mod dies;
mod operations;

use super::itemisation::{Before, Itemisation, Path, RequestParts};
use super::requests::{Finished, Notice, Phase, Requests, Status};
use super::scheduler::{FlashOp, Scheduler};
use crate::ids::{BlockId, DieId, Ids};
use crate::nand::command::{NO_TICKET, RequestId};
use crate::nand::{Geometry, Load, Loops, Span};
use operations::{Operation, Operations};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use wordline_trace::Op;

/// An operation's end, and its number; 0 for none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stamp<T> {
    inner: T,
    number: u32,
}

/// Several ends, and the numbers of their operations.
#[derive(Debug, Default)]
pub struct Join<J> {
    inner: J,
    numbers: Vec<u32>,
}

/// A request in flight.
#[derive(Debug, Default)]
struct InFlight {
    /// When the drive had it.
    taken_ns: u64,
    /// How long it stood in its queue.
    queue_ns: u64,
    /// Whether it found the controller's buffer full.
    waits_for_room: bool,
    /// What its latest operation took.
    path: Path,
}

/// A scheduler's times, and of what they consist: what a request waits for is the
/// operation that ends last, and what that had to wait for, one after the other.
#[derive(Debug)]
pub struct Itemised<S: Scheduler> {
    inner: S,
    /// The first die behind each kind of flash.
    ends: Vec<DieId>,
    operations: Operations,
    in_flight: FxHashMap<u64, InFlight>,
    /// Requests and when the drive had them, the oldest first.
    taken: VecDeque<(u64, u64)>,
    sums: Itemisation,
    /// Requests that are over, for the array that sent them.
    kept: Option<FxHashMap<u64, RequestParts>>,
}

impl<S: Scheduler> Itemised<S> {
    /// Around a scheduler of an idle drive.
    pub fn new(inner: S, geometry: &Geometry) -> Self {
        Self {
            inner,
            ends: geometry.groups.iter().map(|group| group.dies.end()).collect(),
            operations: Operations::new(geometry.dies().count()),
            in_flight: FxHashMap::default(),
            taken: VecDeque::new(),
            sums: Itemisation::new(geometry.groups.len()),
            kept: None,
        }
    }

    /// Around a scheduler of an idle drive of an array, which takes the parts of each request.
    pub fn of_member(inner: S, geometry: &Geometry) -> Self {
        Self { kept: Some(FxHashMap::default()), ..Self::new(inner, geometry) }
    }

    /// Issues an operation under a number of its own, by which its end is told.
    fn follow(
        &mut self,
        op: &FlashOp,
        after: &Join<S::Join>,
        waiters: &[RequestId],
        requests: &mut Requests,
        issue: impl FnOnce(&mut S, &FlashOp, &mut Requests) -> S::Stamp,
    ) -> Stamp<S::Stamp> {
        let now_ns = self.inner.now_ns();
        let of = waiters.iter().map(|&id| requests.of(id)).filter(|of| !of.is_unit);
        let number = self.operations.add(
            Operation {
                die: op.die,
                ahead: dies::ahead(op),
                group: self.ends.partition_point(|&end| end <= op.die),
                kind: op.kind,
                array_ns: op.array_ns,
                transfer_ns: op.command_ns + op.transfer_ns,
                issued_ns: now_ns,
                asked: op.ticket,
                after: after.numbers.clone(),
                waiters: of.map(|of| of.number).collect(),
                path: None,
            },
            now_ns,
        );
        let told = FlashOp { ticket: number, ..*op };
        let inner = self.tell(requests, |sched, requests| issue(sched, &told, requests));
        Stamp { inner, number }
    }

    /// Lets the scheduler go on, and takes note of what that ends.
    fn tell<R>(
        &mut self,
        requests: &mut Requests,
        go_on: impl FnOnce(&mut S, &mut Requests) -> R,
    ) -> R {
        let first = requests.notices.len();
        let result = go_on(&mut self.inner, requests);
        if requests.notices.len() > first {
            self.take_notices(first, &mut requests.notices);
        }
        result
    }

    /// Takes note of notices; those stay that somebody else asked for, under the names that these gave.
    fn take_notices(&mut self, first: usize, notices: &mut Vec<Notice>) {
        let mut kept = first;
        for at in first..notices.len() {
            let notice = notices[at];
            let asked = self.operations.asked(notice.ticket);
            match notice.phase {
                Phase::Begun => self.operations.begin(notice.ticket, notice.at_ns),
                Phase::Ended => self.end(notice.ticket, notice.at_ns),
            }
            if asked != NO_TICKET {
                notices[kept] = Notice { ticket: asked, ..notice };
                kept += 1;
            }
        }
        notices.truncate(kept);
    }

    fn end(&mut self, number: u32, end_ns: u64) {
        while self.taken.front().is_some_and(|(number, _)| !self.in_flight.contains_key(number)) {
            self.taken.pop_front();
        }
        let oldest_ns = self.taken.front().map_or(u64::MAX, |&(_, taken_ns)| taken_ns);
        let (waiters, path) = self.operations.end(number, end_ns, oldest_ns);
        for request in waiters {
            let latest = &mut self.in_flight.entry(request).or_default().path;
            if latest.end_ns <= end_ns {
                latest.clone_from(&path);
            }
        }
    }

    /// What a request waited for before the flash; what the die of its first operation did before that was issued
    /// joins what this waited for.
    fn before(&self, request: &mut InFlight, op: Op, parts_done_ns: u64) -> Before {
        let InFlight { taken_ns, queue_ns, waits_for_room, ref mut path } = *request;
        let queued = Before { queue_ns, ..Before::default() };
        if path.end_ns != parts_done_ns {
            // Where DRAM served what ended last, nobody waited for the flash.
            *path = Path::default();
            let buffer_ns = if waits_for_room { parts_done_ns - taken_ns } else { 0 };
            return Before { buffer_ns, ..queued };
        }
        let unissued_ns = path.begin_ns.saturating_sub(taken_ns);
        let Some(first) = path.steps.first_mut().filter(|_| unissued_ns > 0 && op == Op::Write)
        else {
            return queued;
        };
        let ahead_ns = self.operations.course(path.die).between(taken_ns, path.begin_ns);
        let busy_ns = ahead_ns.iter().sum::<u64>().min(unissued_ns);
        first.wait_ns += busy_ns;
        first.ahead_ns = std::array::from_fn(|at| first.ahead_ns[at] + ahead_ns[at]);
        path.begin_ns -= busy_ns;
        Before { fill_ns: unissued_ns - busy_ns, ..queued }
    }
}

impl<S: Scheduler> Load for Itemised<S> {
    fn backlog_ns(&self, die: DieId) -> u64 {
        self.inner.backlog_ns(die)
    }

    fn least_loaded(&self, dies: Ids<DieId>, turn: u32) -> u32 {
        self.inner.least_loaded(dies, turn)
    }
}

impl<S: Scheduler> Scheduler for Itemised<S> {
    type Stamp = Stamp<S::Stamp>;
    type Join = Join<S::Join>;

    const TIMED: bool = S::TIMED;
    const ITEMISES: bool = true;

    fn join(&self, join: &mut Self::Join, stamp: Self::Stamp) {
        self.inner.join(&mut join.inner, stamp.inner);
        if self.operations.is_awaited(stamp.number, self.inner.now_ns()) {
            join.numbers.push(stamp.number);
        }
    }

    fn is_over(&self, stamp: Self::Stamp) -> bool {
        self.inner.is_over(stamp.inner)
    }

    fn merge(&self, join: &mut Self::Join, other: &Self::Join) -> usize {
        let now_ns = self.inner.now_ns();
        let is_awaited = |number: &u32| self.operations.is_awaited(*number, now_ns);
        join.numbers.extend(other.numbers.iter().copied().filter(is_awaited));
        self.inner.merge(&mut join.inner, &other.inner).max(join.numbers.len())
    }

    fn issue(
        &mut self,
        op: &FlashOp,
        others: &[Span],
        after: &Self::Join,
        waiters: &[RequestId],
        requests: &mut Requests,
    ) -> Self::Stamp {
        self.follow(op, after, waiters, requests, |sched, op, requests| {
            sched.issue(op, others, &after.inner, waiters, requests)
        })
    }

    fn issue_erase(
        &mut self,
        op: &FlashOp,
        loops: &Loops,
        others: &[Span],
        after: &Self::Join,
        waiters: &[RequestId],
        requests: &mut Requests,
    ) -> Self::Stamp {
        self.follow(op, after, waiters, requests, |sched, op, requests| {
            sched.issue_erase(op, loops, others, &after.inner, waiters, requests)
        })
    }

    fn prefetch(&self, block: BlockId) {
        self.inner.prefetch(block);
    }

    fn wait(&mut self, after: &Self::Join, id: RequestId, requests: &mut Requests) {
        self.inner.wait(&after.inner, id, requests);
    }

    fn advance(&mut self, to_ns: u64, requests: &mut Requests) {
        self.tell(requests, |sched, requests| sched.advance(to_ns, requests));
    }

    fn now_ns(&self) -> u64 {
        self.inner.now_ns()
    }

    fn step(&mut self, limit_ns: u64, requests: &mut Requests) -> bool {
        self.tell(requests, |sched, requests| sched.step(limit_ns, requests))
    }

    fn next_ns(&self) -> u64 {
        self.inner.next_ns()
    }

    fn quiet_at_ns(&self) -> u64 {
        self.inner.quiet_at_ns()
    }

    fn idle_from_ns(&self, die: DieId) -> u64 {
        self.inner.idle_from_ns(die)
    }

    fn watch(&mut self, die: DieId) {
        self.inner.watch(die);
    }

    fn is_watching(&self) -> bool {
        self.inner.is_watching()
    }

    fn has_idle(&self) -> bool {
        self.inner.has_idle()
    }

    fn pop_idle(&mut self) -> Option<DieId> {
        self.inner.pop_idle()
    }

    fn busy_ns(&self) -> (Vec<u64>, Vec<u64>) {
        self.inner.busy_ns()
    }

    fn suspensions(&self) -> u64 {
        self.inner.suspensions()
    }

    fn repeated_ns(&self) -> u64 {
        self.inner.repeated_ns()
    }

    fn hurry(&mut self, hurries: bool) -> bool {
        self.inner.hurry(hurries)
    }

    fn taken(&mut self, number: u64, queue_ns: u64) {
        let taken_ns = self.inner.now_ns();
        let in_flight = self.in_flight.entry(number).or_default();
        (in_flight.taken_ns, in_flight.queue_ns) = (taken_ns, queue_ns);
        self.taken.push_back((number, taken_ns));
    }

    fn waits_for_room(&mut self, number: u64) {
        self.in_flight.entry(number).or_default().waits_for_room = true;
    }

    fn itemise(&mut self, request: &Finished, parts_done_ns: u64, counts: bool) {
        let mut in_flight = self.in_flight.remove(&request.number).unwrap_or_default();
        if request.status == Status::Refused || !counts && self.kept.is_none() {
            return;
        }
        let before = self.before(&mut in_flight, request.op, parts_done_ns);
        if counts {
            let fetched_ns = request.arrival_ns + before.queue_ns;
            self.sums.add(request, before, in_flight.path.since(fetched_ns));
        }
        if let Some(kept) = &mut self.kept {
            kept.insert(request.number, RequestParts { before, path: in_flight.path });
        }
    }

    fn take_parts(&mut self, number: u64) -> Option<RequestParts> {
        self.kept.as_mut()?.remove(&number)
    }

    fn itemisation(&self) -> Option<&Itemisation> {
        Some(&self.sums)
    }

    fn itemise_anew(&mut self) {
        self.sums = Itemisation::new(self.ends.len());
    }
}
