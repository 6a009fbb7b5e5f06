//! The queues as a scheduler: how operations enter them, and time goes on.

use super::Queued;
use super::handle::{Handle, Join};
use super::shared::Shared;
use super::slab::Turn;
use super::waiters::Waiter;
use crate::engine::requests::{Phase, Requests};
use crate::engine::scheduler::{FlashOp, Scheduler};
use crate::ids::{BlockId, DieId, Ids};
use crate::nand::command::RequestId;
use crate::nand::{Load, Loops, Span};

impl Load for Queued {
    fn backlog_ns(&self, die: DieId) -> u64 {
        self.dies[die].issued_ns
    }

    fn least_loaded(&self, dies: Ids<DieId>, turn: u32) -> u32 {
        let found = self.shared.by_issued_ns.find(dies, turn, 0);
        found.unwrap_or_else(|| self.by_looking(dies, turn))
    }
}

impl Scheduler for Queued {
    type Stamp = Handle;
    type Join = Join;

    const TIMED: bool = true;

    fn join(&self, join: &mut Join, stamp: Handle) {
        if self.shared.slab.is_live(stamp) {
            join.push(stamp);
        }
    }

    fn is_over(&self, stamp: Handle) -> bool {
        !self.shared.slab.is_live(stamp)
    }

    fn merge(&self, join: &mut Join, other: &Join) -> usize {
        for handle in other.handles() {
            self.join(join, handle);
        }
        join.handles().count()
    }

    fn issue(
        &mut self,
        op: &FlashOp,
        others: &[Span],
        after: &Join,
        waiters: &[RequestId],
        requests: &mut Requests,
    ) -> Handle {
        let shared = &mut self.shared;
        let handle = shared.slab.next_handle(op);
        let Shared { order, slab, .. } = shared;
        let entered = match others.is_empty() {
            true => order.enter(op, handle, after, slab).map(Turn::parts),
            false => order.enter_all(op, others, handle, after, slab).map(Turn::parts),
        };
        // In parts, for what was written to memory part by part is slow to read as a whole.
        let Some((waits, life, in_turn, has_others)) = entered else {
            return self.found_in_controller(op, waiters, requests);
        };
        let die = &mut self.dies[op.die];
        die.issued_ns += op.array_ns;
        shared.by_issued_ns.set(op.die, || die.issued_ns);
        let index = handle.index();
        let waits = waits + shared.slab.wait_for(index, after);
        let turn = Turn { waits, life, in_turn, has_others };
        let (class, number) = (shared.rules.class_of(op), shared.slab.next_number());
        shared.slab.add(handle, op, class, turn, waiters, shared.now_ns);
        if let Some(classes) = &mut shared.classes {
            classes.issued(index, waiters, requests, &shared.slab, shared.now_ns);
        }
        if waits == 0 {
            shared.ready(die, index, class, number);
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
        self.shared.slab.set_loops(handle, *loops);
        handle
    }

    fn hurry(&mut self, hurries: bool) -> bool {
        self.shared.rules.hurry(hurries)
    }

    #[inline(always)]
    fn prefetch(&self, block: BlockId) {
        self.shared.order.prefetch(block);
    }

    fn wait(&mut self, after: &Join, id: RequestId, requests: &mut Requests) {
        for handle in after.handles() {
            if self.shared.slab.tell(handle, Waiter::Request(id)) {
                requests.add_part(id);
            }
        }
        requests.part_done(id, self.shared.now_ns);
    }

    fn advance(&mut self, to_ns: u64, requests: &mut Requests) {
        while self.step(to_ns, requests) {}
        self.shared.now_ns = self.shared.now_ns.max(to_ns);
    }

    fn now_ns(&self) -> u64 {
        self.shared.now_ns
    }

    #[inline]
    fn step(&mut self, limit_ns: u64, requests: &mut Requests) -> bool {
        let is_due = self.shared.events.next_ns() <= limit_ns || !self.shared.begun.is_empty();
        is_due && self.move_on(limit_ns, requests)
    }

    fn next_ns(&self) -> u64 {
        self.shared.events.next_ns()
    }

    fn quiet_at_ns(&self) -> u64 {
        if self.shared.slab.len() == 0 { self.shared.now_ns } else { u64::MAX }
    }

    fn idle_from_ns(&self, die: DieId) -> u64 {
        if self.dies[die].is_free() { self.shared.now_ns } else { u64::MAX }
    }

    fn watch(&mut self, die: DieId) {
        let die = &mut self.dies[die];
        self.shared.watched += u32::from(!die.is_watched);
        die.is_watched = true;
    }

    fn is_watching(&self) -> bool {
        self.shared.watched > 0 || self.has_idle()
    }

    fn has_idle(&self) -> bool {
        !self.shared.idle.is_empty()
    }

    fn pop_idle(&mut self) -> Option<DieId> {
        self.shared.idle.pop()
    }

    fn busy_ns(&self) -> (Vec<u64>, Vec<u64>) {
        (
            self.dies.iter().map(|die| die.busy_by_ns(self.shared.now_ns)).collect(),
            self.shared.buses.iter().map(|bus| bus.busy_ns).collect(),
        )
    }

    fn repeated_ns(&self) -> u64 {
        self.shared.repeated_ns
    }

    fn suspensions(&self) -> u64 {
        self.shared.suspensions
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
            requests.part_done(id, self.shared.now_ns);
        }
        requests.notice(op.ticket, Phase::Ended, self.shared.now_ns);
        Handle::default()
    }
}
