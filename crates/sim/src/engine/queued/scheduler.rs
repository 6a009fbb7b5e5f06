//! The queues as a scheduler: how operations enter them, and time goes on.

use super::order::Found;
use super::slab::{Handle, Join};
use super::waiters::Waiter;
use super::{Queued, Ready};
use crate::engine::requests::{Phase, RequestId, Requests};
use crate::engine::scheduler::{FlashOp, Load, Scheduler};
use crate::ids::{BlockId, DieId, Ids};
use crate::nand::{Loops, Span};

impl Load for Queued {
    fn backlog_ns(&self, die: DieId) -> u64 {
        self.dies[die].issued_ns
    }

    fn least_loaded(&self, dies: Ids<DieId>, turn: u32) -> u32 {
        let found = self.by_issued_ns.find(dies, turn, 0);
        found.unwrap_or_else(|| self.by_looking(dies, turn))
    }
}

impl Scheduler for Queued {
    type Stamp = Handle;
    type Join = Join;

    const TIMED: bool = true;

    fn join(&self, join: &mut Join, stamp: Handle) {
        if self.slab.is_live(stamp) {
            join.push(stamp);
        }
    }

    fn merge(&self, join: &mut Join, other: &Join) {
        for handle in other.handles() {
            self.join(join, handle);
        }
    }

    fn issue(
        &mut self,
        op: &FlashOp,
        others: &[Span],
        after: &Join,
        waiters: &[RequestId],
        requests: &mut Requests,
    ) -> Handle {
        let found = self.order.find(op, others, after, &self.slab);
        if found == Found::Controller {
            return self.found_in_controller(op, waiters, requests);
        }
        let state = &mut self.dies[op.die];
        state.issued_ns += op.array_ns;
        self.by_issued_ns.set(op.die, || state.issued_ns);
        let handle = self.slab.reserve(op);
        let index = handle.index();
        let mut turn = if others.is_empty() {
            self.order.enter(op, handle, found, after, &mut self.slab)
        } else {
            self.slab.set_others(index, others);
            self.order.enter_all(op, handle, found, after, &mut self.slab)
        };
        turn.waits += self.slab.wait_for(index, after);
        let (class, number) = (self.rules.class_of(op), self.slab.next_number());
        self.slab.add(handle, op, class, turn, waiters, self.now_ns);
        if turn.waits == 0 {
            self.ready(Ready { index, die: op.die, class, number });
        } else if op.urgent {
            self.hurry(index);
        }
        handle
    }

    fn issue_erase(
        &mut self,
        op: &FlashOp,
        loops: &Loops,
        others: &[Span],
        after: &Join,
        waiters: &[RequestId],
        requests: &mut Requests,
    ) -> Handle {
        // It may begin while it is being issued; no read can interrupt it before it is.
        let handle = self.issue(op, others, after, waiters, requests);
        self.slab.set_loops(handle, *loops);
        handle
    }

    #[inline(always)]
    fn prefetch(&self, block: BlockId) {
        self.order.prefetch(block);
    }

    fn wait(&mut self, after: &Join, id: RequestId, requests: &mut Requests) {
        for handle in after.handles() {
            if self.slab.tell(handle, Waiter::Request(id)) {
                requests.add_part(id);
            }
        }
        requests.part_done(id, self.now_ns);
    }

    fn advance(&mut self, to_ns: u64, requests: &mut Requests) {
        while self.step(to_ns, requests) {}
        self.now_ns = self.now_ns.max(to_ns);
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    #[inline]
    fn step(&mut self, limit_ns: u64, requests: &mut Requests) -> bool {
        let is_due = self.events.next_ns() <= limit_ns || !self.begun.is_empty();
        is_due && self.move_on(limit_ns, requests)
    }

    fn next_ns(&self) -> u64 {
        self.events.next_ns()
    }

    fn quiet_at_ns(&self) -> u64 {
        if self.slab.len() == 0 { self.now_ns } else { u64::MAX }
    }

    fn busy_ns(&self) -> (Vec<u64>, Vec<u64>) {
        (
            self.dies.iter().map(|die| die.busy_ns).collect(),
            self.buses.iter().map(|bus| bus.busy_ns).collect(),
        )
    }

    fn repeated_ns(&self) -> u64 {
        self.repeated_ns
    }

    fn suspensions(&self) -> u64 {
        self.suspensions
    }
}

impl Queued {
    /// The data of a read is in the controller: it takes no flash read.
    #[cold]
    fn found_in_controller(
        &self,
        op: &FlashOp,
        waiters: &[RequestId],
        requests: &mut Requests,
    ) -> Handle {
        for &id in waiters {
            requests.part_done(id, self.now_ns);
        }
        requests.notice(op.ticket, Phase::Ended, self.now_ns);
        Handle::default()
    }
}
