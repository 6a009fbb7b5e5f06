//! What all dies share, and how one of them goes on with it: what it takes up, and when that ends.

use super::agenda::Agenda;
use super::bus::Bus;
use super::classes::Classes;
use super::die::{Activity, Die};
use super::order::Order;
use super::planes::Planes;
use super::rules::{HOST_READ, Rules, URGENT};
use super::slab::Slab;
use super::waiters::Waiters;
use crate::engine::least_loaded::LeastLoaded;
use crate::engine::requests::{Phase, Requests};
use crate::engine::scheduler::FlashOp;
use crate::ids::{DieId, Id};
use crate::nand::Kind;
use crate::nand::command::NO_TICKET;

/// All of the scheduler but the dies. What is done for a die is handed that, so that it is found once.
#[derive(Debug)]
pub struct Shared {
    pub now_ns: u64,
    pub rules: Rules,
    /// Which of the host's operations go first; `None`: those that were issued first.
    pub classes: Option<Box<Classes>>,
    pub buses: Vec<Bus>,
    pub slab: Slab,
    pub order: Order,
    /// Of dies when their arrays, or their suspensions, are done; behind them of channels when their
    /// transfers are.
    pub events: Agenda,
    /// Dies by the array time of what was issued to them and is not over.
    pub by_issued_ns: LeastLoaded,
    pub planes: Planes,
    pub suspensions: u64,
    /// Dies that are watched.
    pub watched: u32,
    /// Those that were, and have been found idle since.
    pub idle: Vec<DieId>,
    /// Operations of which somebody asked to hear, and when they began, until that is told.
    pub begun: Vec<(u32, u64)>,
    /// Pulses that began again: what had been done of them.
    pub repeated_ns: u64,
}

/// What a die has to know of an operation that it takes up.
pub struct Taken {
    pub kind: Kind,
    /// Time on the channel before the array works.
    pub loading_ns: u64,
    pub array_ns: u64,
}

/// Time on the channel before the array works.
#[inline(always)]
pub fn loading_ns(op: &FlashOp) -> u64 {
    match op.kind {
        Kind::Program => op.command_ns + op.transfer_ns,
        Kind::Read | Kind::Erase => op.command_ns,
    }
}

impl Shared {
    /// An operation of a class, the `number`th of all, waits for nothing any more but its die.
    #[inline(always)]
    pub fn ready(&mut self, die: &mut Die, index: u32, class: u8, number: u64) {
        if die.is_free() {
            die.busy_since_ns = self.now_ns;
            return self.begin(die, index);
        }
        self.line_up(die, index, class, number);
        if class == HOST_READ {
            self.suspend(die);
        }
        self.dispatch(die);
    }

    /// An operation waits in the queue of its priority.
    #[inline(always)]
    fn line_up(&mut self, die: &mut Die, index: u32, class: u8, number: u64) {
        let Self { classes, slab, now_ns, .. } = self;
        if let Some(classes) = classes
            && classes.line_up(die, class, index, slab, *now_ns)
        {
            return;
        }
        die.queues.sort_in(class, number, index, slab);
    }

    /// Gives an idle die something to do.
    #[inline(always)]
    pub fn dispatch(&mut self, die: &mut Die) {
        match die.activity {
            Activity::Idle if die.is_awaited() => self.take_next(die),
            Activity::Idle if die.is_watched => self.found_idle(die),
            Activity::Idle => {}
            _ => self.load_ahead(die),
        }
    }

    /// A watched die has nothing to do.
    #[cold]
    fn found_idle(&mut self, die: &mut Die) {
        die.is_watched = false;
        self.watched -= 1;
        self.idle.push(die.id);
    }

    /// An idle die takes up what waits for it.
    #[inline(never)]
    fn take_next(&mut self, die: &mut Die) {
        if let Some((index, loaded)) = die.loading {
            // The next program is in the register already, or on its way there.
            die.loading = None;
            die.busy_since_ns = self.now_ns;
            if loaded {
                let array_ns = self.slab.get(index).op.array_ns;
                self.program(die, index, array_ns);
            } else {
                die.activity = Activity::OnChannel(index);
            }
            return self.load_ahead(die);
        }
        if let Some((index, left_ns)) = die.suspended {
            return self.go_on_or_read(die, index, left_ns);
        }
        let Self { classes, slab, now_ns, .. } = self;
        let next = match classes {
            None => die.queues.pop(slab),
            Some(classes) => classes.take(die, slab, *now_ns),
        };
        if let Some(index) = next {
            die.busy_since_ns = self.now_ns;
            self.begin_here(die, index);
        }
    }

    /// A die goes on with what it was interrupted in, of which `left_ns` is left, unless the host has more reads.
    #[inline(never)]
    fn go_on_or_read(&mut self, die: &mut Die, index: u32, left_ns: u64) {
        // What must be done now does not wait until the host has no more reads.
        let is_urgent =
            die.queues.peek_class(URGENT).is_some() || self.slab.get(index).class == URGENT;
        let next = if is_urgent { None } else { die.queues.pop_class(HOST_READ, &self.slab) };
        match next {
            Some(read) => self.begin(die, read),
            None => {
                die.suspended = None;
                self.run_array(die, index, left_ns, self.rules.resume_ns);
            }
        }
    }

    /// The array works for `left_ns`, after an overhead.
    #[inline(always)]
    pub fn run_array(&mut self, die: &mut Die, index: u32, left_ns: u64, overhead_ns: u64) {
        let end_ns = self.now_ns + overhead_ns + left_ns;
        (die.activity, die.loaded_ns) = (Activity::Array { index, left_ns, end_ns }, self.now_ns);
        die.awaited = self.events.add(die.id.number(), end_ns);
    }

    /// The array programs for `array_ns` once it has the data, at `loaded_ns`. Of programs the one that begins last
    /// ends last, as a rule.
    #[inline(always)]
    pub fn run_program(&mut self, die: &mut Die, index: u32, array_ns: u64, loaded_ns: u64) {
        let end_ns = loaded_ns + array_ns;
        die.activity = Activity::Array { index, left_ns: array_ns, end_ns };
        die.loaded_ns = loaded_ns;
        die.awaited = self.events.add_behind(die.id.number(), end_ns);
    }

    /// Whether the channel is free, and nothing is to be done at the end of what now goes over it but to let the
    /// array work: what happens then is known, and takes no event of its own.
    #[inline(always)]
    fn loads_unheard(&mut self, die: &Die, length_ns: u64) -> bool {
        let bus = &mut self.buses[die.channel as usize];
        let is_unheard =
            !die.cache_program && !self.rules.suspend_loading && bus.is_free(self.now_ns);
        if is_unheard {
            bus.pass(length_ns, self.now_ns);
        }
        is_unheard
    }

    /// Starts an operation on its idle die.
    #[inline(never)]
    fn begin(&mut self, die: &mut Die, index: u32) {
        self.begin_here(die, index);
    }

    #[inline(always)]
    fn begin_here(&mut self, die: &mut Die, index: u32) {
        let mut taken = self.take_up(die, index);
        if die.reads_at_once > 1 && taken.kind == Kind::Read {
            self.take_up_beside(die, index, &mut taken);
        }
        let Taken { kind, loading_ns, array_ns } = taken;
        if loading_ns > 0 && !self.loads_unheard(die, loading_ns) {
            die.activity = Activity::OnChannel(index);
            return self.request_channel(die.channel, index, loading_ns);
        }
        let loaded_ns = self.now_ns + loading_ns;
        match kind {
            Kind::Program => self.run_program(die, index, array_ns, loaded_ns),
            Kind::Read | Kind::Erase => {
                self.run_array(die, index, array_ns, loading_ns);
                die.loaded_ns = loaded_ns;
            }
        }
        self.load_ahead(die);
    }

    /// A die takes an operation up; what waited for that may queue: on the same die, for it works on the same blocks.
    #[inline(always)]
    pub fn take_up(&mut self, die: &mut Die, index: u32) -> Taken {
        let entry = self.slab.begin(index);
        let op = &entry.op;
        let (number, block, has_others) = (entry.number, op.span.block, entry.has_others());
        let is_read = op.kind == Kind::Read && !entry.in_turn;
        let taken = Taken { kind: op.kind, loading_ns: loading_ns(op), array_ns: op.array_ns };
        if op.ticket != NO_TICKET {
            self.begun.push((op.ticket, self.now_ns));
        }
        let has_followers = entry.has_followers();
        if let Some(classes) = &mut self.classes {
            classes.begins(die.id, index, &self.slab);
        }
        if has_followers {
            self.let_followers_queue(die, index);
        }
        if is_read {
            if let Some(freed) = self.order.read_began(block, number, &mut self.slab) {
                self.queue(die, freed);
            }
            if has_others {
                self.read_begins_in_others(die, index, number);
            }
        }
        taken
    }

    #[inline(never)]
    fn let_followers_queue(&mut self, die: &mut Die, index: u32) {
        while let Some(follower) = self.slab.pop_follower(index) {
            self.queue(die, follower);
        }
    }

    /// A read that was the `number`th of all operations begins in its other blocks, too.
    #[cold]
    fn read_begins_in_others(&mut self, die: &mut Die, index: u32, number: u64) {
        for at in 0..self.slab.others(index).len() {
            let block = self.slab.others(index)[at].span.block;
            if let Some(freed) = self.order.read_began(block, number, &mut self.slab) {
                self.queue(die, freed);
            }
        }
    }

    /// An operation waits for nothing but its die, which is busy.
    fn queue(&mut self, die: &mut Die, index: u32) {
        let entry = self.slab.get(index);
        assert_eq!(entry.op.die, die.id, "pages of a block on two dies");
        let (class, number) = (entry.class, entry.number);
        self.line_up(die, index, class, number);
    }

    /// Cache program: the data of the next program is loaded while the array works.
    #[inline(always)]
    pub fn load_ahead(&mut self, die: &mut Die) {
        if die.cache_program {
            self.load_next(die);
        }
    }

    #[inline(never)]
    fn load_next(&mut self, die: &mut Die) {
        let Activity::Array { index, .. } = die.activity else { return };
        if die.loading.is_some() || die.suspended.is_some() {
            return;
        }
        let Some(next) = die.queues.peek() else { return };
        let is_program = |index| self.slab.get(index).op.kind == Kind::Program;
        if is_program(index) && is_program(next) {
            die.queues.pop(&self.slab);
            let Taken { loading_ns, .. } = self.take_up(die, next);
            die.loading = Some((next, loading_ns == 0));
            if loading_ns > 0 {
                self.request_channel(die.channel, next, loading_ns);
            }
        }
    }

    /// The array has done what an operation wants of it. True where that is over; the data of a read leaves when
    /// the register before it is empty.
    #[inline(always)]
    pub fn done_in_array(&mut self, die: &mut Die, index: u32) -> bool {
        let entry = self.slab.get_mut(index);
        if entry.op.kind != Kind::Read {
            return true;
        }
        if die.unloading.is_some() {
            die.activity = Activity::Sensed(index);
            return false;
        }
        let transfer_ns = entry.op.transfer_ns;
        if transfer_ns == 0 {
            return true;
        }
        entry.is_sensed = true;
        die.unloading = Some(index);
        die.activity = Activity::OnChannel(index);
        if die.cache_read {
            // The command of the next read goes ahead of the data of this one.
            die.free(self.now_ns);
            self.dispatch(die);
        }
        self.request_channel(die.channel, index, transfer_ns);
        false
    }

    /// An operation of a die is over; returns who waited for that.
    #[inline(always)]
    pub fn end(&mut self, die: &mut Die, index: u32, requests: &mut Requests) -> Waiters {
        let (entry, others) = self.slab.remove(index);
        self.order.leave(entry, others);
        die.issued_ns -= entry.op.array_ns;
        self.by_issued_ns.set(die.id, || die.issued_ns);
        let (waiters, ticket) = (entry.waiters, entry.op.ticket);
        if ticket != NO_TICKET {
            self.tell_begun(requests);
            requests.notice(ticket, Phase::Ended, self.now_ns);
        }
        waiters
    }

    /// Says which operations have begun.
    #[cold]
    pub fn tell_begun(&mut self, requests: &mut Requests) {
        for (ticket, at_ns) in self.begun.drain(..) {
            requests.notice(ticket, Phase::Begun, at_ns);
        }
    }
}
