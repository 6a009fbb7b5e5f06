//! Queues with priorities at each die, and operations that can be interrupted: host reads are
//! served first, and may suspend a program or an erase.
//!
//! Operations enter a queue once everything they wait for is over. Of those that are issued and not
//! over, the oldest never waits for anything, so that nothing can wait for ever.

mod die;
mod order;
mod slab;

use super::requests::{RequestId, Requests};
use super::scheduler::{Cause, FlashOp, Scheduler};
use crate::config::Config;
use crate::nand::{Geometry, Kind};
use die::{Activity, Die, Queues};
use order::Order;
use slab::{Entry, Handle, Join, Slab, Waiter};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Priority of a host read.
const HOST_READ: u8 = 0;
const HOST_WRITE: u8 = 1;
const MAPPING: u8 = 2;
const GC: u8 = 3;

/// What happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The array of a die is done, or it has been suspended; the number is the die's serial.
    Die(u32, u32),
    /// The transfer on a channel is over.
    Channel(u32),
}

#[derive(Debug, Default)]
struct Bus {
    queues: Queues,
    /// The operation on the channel.
    current: Option<u32>,
    busy_ns: u64,
}

/// The rules, in nanoseconds.
#[derive(Debug, Clone)]
struct Rules {
    suspend_program: bool,
    suspend_erase: bool,
    suspend_ns: u64,
    resume_ns: u64,
    suspend_min_ns: u64,
    suspend_limit: u32,
    cache_program: bool,
    cache_read: bool,
    /// GC's priority.
    gc_class: u8,
}

impl Rules {
    fn new(config: &Config) -> Self {
        let (chip, rules) = (&config.drive.chip, &config.drive.scheduling);
        let ns = |us: f64| (us * 1000.0).round() as u64;
        Self {
            suspend_program: rules.suspend_program,
            suspend_erase: rules.suspend_erase,
            suspend_ns: ns(rules.suspend_us),
            resume_ns: ns(rules.resume_us),
            suspend_min_ns: ns(rules.suspend_min_us),
            suspend_limit: rules.suspend_limit as u32,
            cache_program: chip.cache_program,
            cache_read: chip.cache_read,
            gc_class: if config.ftl.gc.mode == "foreground" { HOST_WRITE } else { GC },
        }
    }

    /// Array time that would be left of an operation of which `left_ns` is left now; `None` where it
    /// may not be suspended. An erase in pulses begins its interrupted pulse again, and its last
    /// pulse runs to the end.
    fn left_if_suspended(&self, entry: &Entry, left_ns: u64) -> Option<u64> {
        let allowed = match entry.op.kind {
            Kind::Read => false,
            Kind::Program => self.suspend_program,
            Kind::Erase => self.suspend_erase,
        };
        if !allowed || entry.suspensions >= self.suspend_limit || left_ns == 0 {
            return None;
        }
        let pulse_ns = entry.op.pulse_ns;
        if pulse_ns == 0 {
            return (left_ns >= self.suspend_min_ns).then_some(left_ns);
        }
        let into_pulse_ns = (entry.op.array_ns - left_ns) % pulse_ns;
        let left_of_pulse_ns = pulse_ns - into_pulse_ns;
        let is_last = left_ns <= left_of_pulse_ns;
        (!is_last && left_of_pulse_ns >= self.suspend_min_ns).then_some(left_ns + into_pulse_ns)
    }

    fn class_of(&self, op: &FlashOp) -> u8 {
        match (op.cause, op.kind) {
            (Cause::Host, Kind::Read) => HOST_READ,
            (Cause::Host, _) => HOST_WRITE,
            // A host request waits for the map.
            (Cause::Mapping, Kind::Read) => HOST_READ,
            (Cause::Mapping, _) => MAPPING,
            _ => self.gc_class,
        }
    }
}

/// The scheduler with queues.
#[derive(Debug)]
pub struct Queued {
    now_ns: u64,
    rules: Rules,
    dies: Vec<Die>,
    buses: Vec<Bus>,
    slab: Slab,
    order: Order,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    serial: u64,
    suspensions: u64,
}

impl Queued {
    /// An idle drive.
    pub fn new(config: &Config, geometry: &Geometry) -> Self {
        let die = |die| Die { channel: geometry.channel_of(die), ..Die::default() };
        Self {
            now_ns: 0,
            rules: Rules::new(config),
            dies: (0..geometry.dies()).map(die).collect(),
            buses: (0..geometry.channels).map(|_| Bus::default()).collect(),
            slab: Slab::default(),
            order: Order::new(geometry.blocks()),
            events: BinaryHeap::new(),
            serial: 0,
            suspensions: 0,
        }
    }

    fn at(&mut self, time_ns: u64, event: Event) {
        self.serial += 1;
        self.events.push(Reverse((time_ns, self.serial, event)));
    }

    /// An operation waits for nothing any more.
    fn ready(&mut self, index: u32) {
        let entry = self.slab.get(index);
        let (die, class) = (entry.op.die, entry.class);
        self.dies[die as usize].queues.push(class, entry.number, index);
        if class == HOST_READ {
            self.suspend(die);
        }
        self.dispatch(die);
    }

    /// A die takes an operation up; what waited for that may queue.
    fn take_up(&mut self, index: u32) {
        self.slab.begin(index);
        while let Some(follower) = self.slab.pop_follower(index) {
            let entry = self.slab.get(follower);
            self.dies[entry.op.die as usize].queues.push(entry.class, entry.number, follower);
        }
        if self.slab.get(index).op.kind != Kind::Read {
            return;
        }
        for at in 0..self.slab.get(index).blocks.len() {
            let block = self.slab.get(index).blocks[at].0;
            if let Some(freed) = self.order.read_began(block, &mut self.slab) {
                let entry = self.slab.get(freed);
                self.dies[entry.op.die as usize].queues.push(entry.class, entry.number, freed);
            }
        }
    }

    /// Interrupts a program or an erase for a host read, where the rules allow it.
    fn suspend(&mut self, die: u32) {
        let Activity::Array { index, end_ns } = self.dies[die as usize].activity else { return };
        let is_loading = self.dies[die as usize].loading.is_some();
        let entry = self.slab.get_mut(index);
        // While the array is only resuming, nothing of what was left has been done.
        let left_ns = entry.left_ns.min(end_ns - self.now_ns);
        let Some(left_ns) = self.rules.left_if_suspended(entry, left_ns) else { return };
        if is_loading {
            return;
        }
        entry.suspensions += 1;
        self.suspensions += 1;
        let state = &mut self.dies[die as usize];
        state.suspended = Some((index, left_ns));
        state.activity = Activity::Suspending;
        self.die_event_at(die, self.now_ns + self.rules.suspend_ns);
    }

    /// The array of a die, or its suspension, is done at `end_ns`; what was to end before is not.
    fn die_event_at(&mut self, die: u32, end_ns: u64) {
        let state = &mut self.dies[die as usize];
        state.serial += 1;
        let serial = state.serial;
        self.at(end_ns, Event::Die(die, serial));
    }

    /// Gives an idle die something to do.
    fn dispatch(&mut self, die: u32) {
        match self.dies[die as usize].activity {
            Activity::Idle => {}
            _ => return self.load_ahead(die),
        }
        let state = &mut self.dies[die as usize];
        if let Some((index, loaded)) = state.loading {
            // The next program is in the register already, or on its way there.
            state.loading = None;
            state.busy_since_ns = self.now_ns;
            if loaded {
                self.start_array(index);
            } else {
                state.activity = Activity::OnChannel(index);
            }
            return self.load_ahead(die);
        }
        if let Some((index, left_ns)) = state.suspended {
            match state.queues.pop_class(HOST_READ) {
                Some(read) => self.begin(read),
                None => {
                    state.suspended = None;
                    self.resume(index, left_ns);
                }
            }
            return;
        }
        if let Some(index) = state.queues.pop() {
            state.busy_since_ns = self.now_ns;
            self.begin(index);
        }
    }

    fn resume(&mut self, index: u32, left_ns: u64) {
        self.run_array(index, left_ns, self.rules.resume_ns);
    }

    fn start_array(&mut self, index: u32) {
        let array_ns = self.slab.get(index).op.array_ns;
        self.run_array(index, array_ns, 0);
    }

    /// The array works for `left_ns`, after an overhead.
    fn run_array(&mut self, index: u32, left_ns: u64, overhead_ns: u64) {
        let entry = self.slab.get_mut(index);
        entry.left_ns = left_ns;
        let die = entry.op.die;
        let end_ns = self.now_ns + overhead_ns + left_ns;
        self.dies[die as usize].activity = Activity::Array { index, end_ns };
        self.die_event_at(die, end_ns);
    }

    /// Starts an operation on its idle die.
    fn begin(&mut self, index: u32) {
        self.take_up(index);
        let op = self.slab.get(index).op;
        let on_channel_ns = match op.kind {
            Kind::Program => op.command_ns + op.transfer_ns,
            Kind::Read | Kind::Erase => op.command_ns,
        };
        if on_channel_ns == 0 {
            self.start_array(index);
            return self.load_ahead(op.die);
        }
        self.dies[op.die as usize].activity = Activity::OnChannel(index);
        self.request_channel(index);
    }

    /// Cache program: the data of the next program is loaded while the array works.
    fn load_ahead(&mut self, die: u32) {
        let state = &mut self.dies[die as usize];
        let Activity::Array { index, .. } = state.activity else { return };
        if !self.rules.cache_program || state.loading.is_some() || state.suspended.is_some() {
            return;
        }
        let Some(next) = state.queues.peek() else { return };
        let is_program = |index| self.slab.get(index).op.kind == Kind::Program;
        if is_program(index) && is_program(next) {
            state.queues.pop();
            self.take_up(next);
            let op = &self.slab.get(next).op;
            let loaded = op.command_ns + op.transfer_ns == 0;
            self.dies[die as usize].loading = Some((next, loaded));
            if !loaded {
                self.request_channel(next);
            }
        }
    }

    fn request_channel(&mut self, index: u32) {
        let entry = self.slab.get(index);
        let channel = self.dies[entry.op.die as usize].channel;
        let queues = &mut self.buses[channel as usize].queues;
        match entry.op.kind {
            Kind::Program => queues.push(entry.class, self.now_ns, index),
            Kind::Read if self.dies[entry.op.die as usize].unloading == Some(index) => {
                queues.push(entry.class, self.now_ns, index);
            }
            // A command alone is short: it goes ahead of any data.
            Kind::Read | Kind::Erase => queues.push_first(index),
        }
        self.dispatch_channel(channel);
    }

    fn dispatch_channel(&mut self, channel: u32) {
        let bus = &mut self.buses[channel as usize];
        if bus.current.is_some() {
            return;
        }
        let Some(index) = bus.queues.pop() else { return };
        bus.current = Some(index);
        let op = &self.slab.get(index).op;
        let length_ns = match op.kind {
            Kind::Program => op.command_ns + op.transfer_ns,
            Kind::Erase => op.command_ns,
            Kind::Read if self.is_sensed(index) => op.transfer_ns,
            Kind::Read => op.command_ns,
        };
        self.buses[channel as usize].busy_ns += length_ns;
        self.at(self.now_ns + length_ns, Event::Channel(channel));
    }

    /// True for a read whose data waits in the register.
    fn is_sensed(&self, index: u32) -> bool {
        self.dies[self.slab.get(index).op.die as usize].unloading == Some(index)
    }

    /// The array of a die is done, or the die has been suspended.
    fn die_event(&mut self, die: u32, serial: u32, requests: &mut Requests) {
        if self.dies[die as usize].serial != serial {
            return;
        }
        match self.dies[die as usize].activity {
            Activity::Suspending => {
                self.dies[die as usize].activity = Activity::Idle;
                self.dispatch(die);
            }
            Activity::Array { index, .. } => match self.slab.get(index).op.kind {
                Kind::Read => self.sensed(index, requests),
                Kind::Program | Kind::Erase => {
                    self.free(die);
                    self.complete(index, requests);
                    self.dispatch(die);
                }
            },
            Activity::Idle | Activity::OnChannel(_) | Activity::Sensed(_) => {}
        }
    }

    /// A read has been sensed; its data leaves when the register before it is empty.
    fn sensed(&mut self, index: u32, requests: &mut Requests) {
        let op = self.slab.get(index).op;
        let state = &mut self.dies[op.die as usize];
        if state.unloading.is_some() {
            state.activity = Activity::Sensed(index);
            return;
        }
        if op.transfer_ns == 0 {
            self.free(op.die);
            self.complete(index, requests);
            return self.dispatch(op.die);
        }
        state.unloading = Some(index);
        state.activity = Activity::OnChannel(index);
        if self.rules.cache_read {
            // The command of the next read goes ahead of the data of this one.
            self.free(op.die);
            self.dispatch(op.die);
        }
        self.request_channel(index);
    }

    /// The transfer on a channel is over.
    fn channel_event(&mut self, channel: u32, requests: &mut Requests) {
        let Some(index) = self.buses[channel as usize].current.take() else { return };
        let op = self.slab.get(index).op;
        match op.kind {
            Kind::Read if self.is_sensed(index) => self.unloaded(index, requests),
            Kind::Program => self.loaded(index),
            Kind::Read | Kind::Erase => self.start_array(index),
        }
        self.dispatch_channel(channel);
    }

    /// The data of a read has left.
    fn unloaded(&mut self, index: u32, requests: &mut Requests) {
        let die = self.slab.get(index).op.die;
        let state = &mut self.dies[die as usize];
        state.unloading = None;
        match state.activity {
            Activity::OnChannel(current) if current == index => self.free(die),
            Activity::Sensed(next) => self.sensed(next, requests),
            _ => {}
        }
        self.complete(index, requests);
        self.dispatch(die);
    }

    /// The data of a program is in the register.
    fn loaded(&mut self, index: u32) {
        let die = self.slab.get(index).op.die;
        let state = &mut self.dies[die as usize];
        match &mut state.loading {
            Some((next, loaded)) if *next == index => *loaded = true,
            _ => {
                self.start_array(index);
                self.load_ahead(die);
            }
        }
    }

    fn free(&mut self, die: u32) {
        let state = &mut self.dies[die as usize];
        state.activity = Activity::Idle;
        state.busy_ns += self.now_ns - state.busy_since_ns;
        state.busy_since_ns = self.now_ns;
    }

    /// An operation is over: whoever waited for it may go on.
    fn complete(&mut self, index: u32, requests: &mut Requests) {
        let op = self.slab.get(index).op;
        self.dies[op.die as usize].issued_ns -= op.array_ns;
        self.order.leave(index, &self.slab);
        while let Some(waiter) = self.slab.pop_waiter(index) {
            match waiter {
                Waiter::Request(id) => requests.part_done(id, self.now_ns),
                Waiter::Operation(next) => {
                    let entry = self.slab.get_mut(next);
                    entry.waiting -= 1;
                    if entry.waiting == 0 {
                        self.ready(next);
                    }
                }
            }
        }
        self.slab.remove(index);
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
        blocks: &[u32],
        after: &Join,
        waiters: &[RequestId],
        requests: &mut Requests,
    ) -> Handle {
        let is_read = op.kind == Kind::Read;
        if is_read && self.order.is_in_controller(blocks[0], op.page, &self.slab) {
            for &id in waiters {
                requests.part_done(id, self.now_ns);
            }
            return Handle::default();
        }
        let index = self.slab.add(*op, self.rules.class_of(op), blocks);
        self.dies[op.die as usize].issued_ns += op.array_ns;
        self.order.enter(index, &mut self.slab);
        for handle in after.handles() {
            self.slab.wait(index, handle);
        }
        for &id in waiters {
            self.slab.add_waiter(index, Waiter::Request(id));
        }
        let handle = self.slab.handle(index);
        if self.slab.get(index).waiting == 0 {
            self.ready(index);
        }
        handle
    }

    fn advance(&mut self, to_ns: u64, requests: &mut Requests) {
        while self.step(to_ns, requests) {}
        self.now_ns = self.now_ns.max(to_ns);
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn step(&mut self, limit_ns: u64, requests: &mut Requests) -> bool {
        match self.events.peek() {
            Some(&Reverse((time_ns, _, event))) if time_ns <= limit_ns => {
                self.events.pop();
                self.now_ns = self.now_ns.max(time_ns);
                match event {
                    Event::Die(die, serial) => self.die_event(die, serial, requests),
                    Event::Channel(channel) => self.channel_event(channel, requests),
                }
                true
            }
            _ => false,
        }
    }

    fn quiet_at_ns(&self) -> u64 {
        if self.slab.len() == 0 { self.now_ns } else { u64::MAX }
    }

    fn load(&self, die: u32) -> u64 {
        self.dies[die as usize].issued_ns
    }

    fn busy_ns(&self) -> (Vec<u64>, Vec<u64>) {
        (
            self.dies.iter().map(|die| die.busy_ns).collect(),
            self.buses.iter().map(|bus| bus.busy_ns).collect(),
        )
    }

    fn suspensions(&self) -> u64 {
        self.suspensions
    }
}
