//! Queues with priorities at each die, and operations that can be interrupted: host reads are
//! served first, and may suspend a program or an erase.
//!
//! Operations enter a queue once everything they wait for is over. Of those that are issued and not
//! over, the oldest never waits for anything, so that nothing can wait for ever.

mod agenda;
mod bus;
mod die;
mod inheritance;
mod order;
mod rules;
mod scheduler;
mod slab;
mod suspension;
mod waiters;

use super::least_loaded::LeastLoaded;
use super::requests::{NOBODY, Phase, Requests};
use super::scheduler::FlashOp;
use crate::ids::{BlockId, ById, DieId, Id};
use crate::nand::{Geometry, Kind};
use crate::schema::Config;
use agenda::{Agenda, Event};
use bus::Bus;
use die::{Activity, Die};
use order::Order;
use rules::{HOST_READ, Rules, URGENT};
use slab::Slab;
use waiters::Waiter;

/// What a die has to know of an operation that it takes up.
struct Taken {
    die: DieId,
    /// Time on the channel before the array works.
    loading_ns: u64,
    array_ns: u64,
}

/// An operation that waits for nothing any more but its die.
struct Ready {
    index: u32,
    die: DieId,
    class: u8,
    number: u64,
}

/// Time on the channel before the array works.
#[inline(always)]
fn loading_ns(op: &FlashOp) -> u64 {
    match op.kind {
        Kind::Program => op.command_ns + op.transfer_ns,
        Kind::Read | Kind::Erase => op.command_ns,
    }
}

/// The scheduler with queues.
#[derive(Debug)]
pub struct Queued {
    now_ns: u64,
    rules: Rules,
    dies: ById<DieId, Die>,
    by_issued_ns: LeastLoaded,
    buses: Vec<Bus>,
    slab: Slab,
    order: Order,
    /// Of dies when their arrays, or their suspensions, are done; behind them of channels when their
    /// transfers are.
    events: Agenda,
    suspensions: u64,
    /// Operations of which somebody asked to hear, and when they began, until that is told.
    begun: Vec<(u32, u64)>,
    /// Pulses that began again: what had been done of them.
    repeated_ns: u64,
}

impl Queued {
    /// An idle drive.
    pub fn new(config: &Config, geometry: &Geometry) -> Self {
        let kinds = config.drive.kinds();
        let die = |die| {
            let group = geometry.groups.partition_point(|group| group.dies.end() <= die);
            let chip = kinds[group].chip;
            let (cache_program, cache_read) = (chip.cache_program, chip.cache_read);
            let channel = geometry.channel_of(die);
            Die { channel, cache_program, cache_read, ..Die::default() }
        };
        Self {
            now_ns: 0,
            rules: Rules::new(config),
            dies: geometry.dies().into_iter().map(die).collect(),
            by_issued_ns: LeastLoaded::new(config, geometry.dies().count()),
            buses: (0..geometry.channels).map(|_| Bus::default()).collect(),
            slab: Slab::default(),
            order: Order::new(geometry.blocks().count()),
            events: Agenda::default(),
            suspensions: 0,
            begun: Vec::new(),
            repeated_ns: 0,
        }
    }

    /// An operation waits for nothing any more.
    #[inline(always)]
    fn ready(&mut self, ready: Ready) {
        let Ready { index, die, class, number } = ready;
        let state = &mut self.dies[die];
        if state.is_free() {
            state.busy_since_ns = self.now_ns;
            return self.begin(index);
        }
        state.queues.push(class, number, index);
        if class == HOST_READ {
            self.suspend(die);
        }
        self.dispatch(die);
    }

    /// A die takes an operation up; what waited for that may queue.
    #[inline(always)]
    fn take_up(&mut self, index: u32) -> Taken {
        let entry = self.slab.begin(index);
        let op = &entry.op;
        let (number, block, has_others) = (entry.number, op.span.block, entry.has_others());
        let is_read = op.kind == Kind::Read && !entry.in_turn;
        let taken = Taken { die: op.die, loading_ns: loading_ns(op), array_ns: op.array_ns };
        if op.ticket != NOBODY {
            self.begun.push((op.ticket, self.now_ns));
        }
        if entry.has_followers() {
            while let Some(follower) = self.slab.pop_follower(index) {
                self.enqueue(follower);
            }
        }
        if is_read {
            self.read_begins(block, number);
            if has_others {
                self.read_begins_in_others(index, number);
            }
        }
        taken
    }

    /// The same in the other blocks of a read.
    #[cold]
    fn read_begins_in_others(&mut self, index: u32, number: u64) {
        for at in 0..self.slab.others(index).len() {
            let block = self.slab.others(index)[at].span.block;
            self.read_begins(block, number);
        }
    }

    /// A read that was the `number`th of all operations begins in a block.
    #[inline(always)]
    fn read_begins(&mut self, block: BlockId, number: u64) {
        if let Some(freed) = self.order.read_began(block, number, &mut self.slab) {
            self.enqueue(freed);
        }
    }

    /// An operation waits for nothing but a die that is busy.
    fn enqueue(&mut self, index: u32) {
        let entry = self.slab.get(index);
        self.dies[entry.op.die].queues.push(entry.class, entry.number, index);
    }

    /// Says which operations have begun.
    #[cold]
    fn tell_begun(&mut self, requests: &mut Requests) {
        for (ticket, at_ns) in self.begun.drain(..) {
            requests.notice(ticket, Phase::Begun, at_ns);
        }
    }

    /// Gives an idle die something to do.
    #[inline(always)]
    fn dispatch(&mut self, die: DieId) {
        match self.dies[die].activity {
            Activity::Idle => self.take_next(die),
            _ => self.load_ahead(die),
        }
    }

    /// An idle die takes up what waits for it.
    fn take_next(&mut self, die: DieId) {
        let state = &mut self.dies[die];
        if let Some((index, loaded)) = state.loading {
            // The next program is in the register already, or on its way there.
            state.loading = None;
            state.busy_since_ns = self.now_ns;
            if loaded {
                let array_ns = self.slab.get(index).op.array_ns;
                self.program(index, die, array_ns);
            } else {
                state.activity = Activity::OnChannel(index);
            }
            return self.load_ahead(die);
        }
        if let Some((index, left_ns)) = state.suspended {
            // What must be done now does not wait until the host has no more reads.
            let is_urgent =
                state.queues.peek_class(URGENT).is_some() || self.slab.get(index).class == URGENT;
            let next = if is_urgent { None } else { state.queues.pop_class(HOST_READ) };
            match next {
                Some(read) => self.begin(read),
                None => {
                    state.suspended = None;
                    self.run_array(index, die, left_ns, self.rules.resume_ns);
                }
            }
            return;
        }
        if let Some(index) = state.queues.pop() {
            state.busy_since_ns = self.now_ns;
            self.begin_here(index);
        }
    }

    /// The array works for `left_ns`, after an overhead.
    #[inline(always)]
    fn run_array(&mut self, index: u32, die: DieId, left_ns: u64, overhead_ns: u64) {
        let end_ns = self.now_ns + overhead_ns + left_ns;
        let state = &mut self.dies[die];
        state.activity = Activity::Array { index, left_ns, end_ns };
        state.awaited = self.events.add(die.number(), end_ns);
    }

    /// Starts an operation on its idle die.
    fn begin(&mut self, index: u32) {
        self.begin_here(index);
    }

    #[inline(always)]
    fn begin_here(&mut self, index: u32) {
        let Taken { die, loading_ns, array_ns } = self.take_up(index);
        let state = &mut self.dies[die];
        if loading_ns > 0 {
            state.activity = Activity::OnChannel(index);
            let channel = state.channel;
            return self.request_channel(index, channel, loading_ns);
        }
        self.run_array(index, die, array_ns, 0);
        self.load_ahead(die);
    }

    /// Cache program: the data of the next program is loaded while the array works.
    #[inline(always)]
    fn load_ahead(&mut self, die: DieId) {
        if self.dies[die].cache_program {
            self.load_next(die);
        }
    }

    fn load_next(&mut self, die: DieId) {
        let state = &mut self.dies[die];
        let Activity::Array { index, .. } = state.activity else { return };
        if state.loading.is_some() || state.suspended.is_some() {
            return;
        }
        let Some(next) = state.queues.peek() else { return };
        let is_program = |index| self.slab.get(index).op.kind == Kind::Program;
        if is_program(index) && is_program(next) {
            state.queues.pop();
            let Taken { loading_ns, .. } = self.take_up(next);
            let state = &mut self.dies[die];
            state.loading = Some((next, loading_ns == 0));
            if loading_ns > 0 {
                let channel = state.channel;
                self.request_channel(next, channel, loading_ns);
            }
        }
    }

    /// The array of a die is done, or the die has been suspended.
    #[inline(always)]
    fn die_event(&mut self, die: DieId, number: u64, requests: &mut Requests) {
        if self.dies[die].awaited != number {
            return;
        }
        match self.dies[die].activity {
            Activity::Suspending => {
                self.dies[die].activity = Activity::Idle;
                self.dispatch(die);
            }
            Activity::Array { index, .. } => match self.slab.get(index).op.kind {
                Kind::Read => self.sensed(index, requests),
                Kind::Program | Kind::Erase => {
                    self.dies[die].free(self.now_ns);
                    self.complete(index, requests);
                    self.dispatch(die);
                }
            },
            Activity::Idle | Activity::OnChannel(_) | Activity::Sensed(_) => {}
        }
    }

    /// A read has been sensed; its data leaves when the register before it is empty.
    #[inline(always)]
    fn sensed(&mut self, index: u32, requests: &mut Requests) {
        let op = &self.slab.get(index).op;
        let (die, transfer_ns) = (op.die, op.transfer_ns);
        let state = &mut self.dies[die];
        if state.unloading.is_some() {
            state.activity = Activity::Sensed(index);
            return;
        }
        if transfer_ns == 0 {
            return self.stays_in_register(index, die, requests);
        }
        state.unloading = Some(index);
        state.activity = Activity::OnChannel(index);
        let channel = state.channel;
        if state.cache_read {
            // The command of the next read goes ahead of the data of this one.
            state.free(self.now_ns);
            self.dispatch(die);
        }
        self.request_channel(index, channel, transfer_ns);
    }

    /// The data of a read that has been sensed is not for the channel: the read is over.
    #[inline(never)]
    fn stays_in_register(&mut self, index: u32, die: DieId, requests: &mut Requests) {
        self.dies[die].free(self.now_ns);
        self.complete(index, requests);
        self.dispatch(die);
    }

    /// An operation is over: whoever waited for it may go on.
    #[inline(always)]
    fn complete(&mut self, index: u32, requests: &mut Requests) {
        self.order.leave(index, &self.slab);
        let (entry, mut waiters) = self.slab.remove(index);
        let FlashOp { die, array_ns, ticket, .. } = entry.op;
        let state = &mut self.dies[die];
        state.issued_ns -= array_ns;
        self.by_issued_ns.set(die, || state.issued_ns);
        if ticket != NOBODY {
            self.tell_begun(requests);
            requests.notice(ticket, Phase::Ended, self.now_ns);
        }
        while let Some(waiter) = self.slab.next_waiter(&mut waiters) {
            match waiter {
                Waiter::Request(id) => requests.part_done(id, self.now_ns),
                Waiter::Operation(next) => {
                    let entry = self.slab.get_mut(next);
                    entry.waiting -= 1;
                    if entry.waiting == 0 {
                        let (die, class, number) = (entry.op.die, entry.class, entry.number);
                        self.ready(Ready { index: next, die, class, number });
                    }
                }
            }
        }
    }

    /// Events happen, up to `limit_ns` at the latest, until a request is over; false where none does.
    fn move_on(&mut self, limit_ns: u64, requests: &mut Requests) -> bool {
        let mut moved = false;
        let finished = requests.finished.len();
        while requests.finished.len() == finished
            && let Some(Event { time_ns, number, source }) = self.events.take_until(limit_ns)
        {
            moved = true;
            self.now_ns = time_ns;
            match source.checked_sub(self.dies.ids().count()) {
                None => self.die_event(DieId(source), number, requests),
                Some(channel) => self.channel_event(channel, requests),
            }
        }
        if !self.begun.is_empty() {
            self.tell_begun(requests);
        }
        moved
    }
}
