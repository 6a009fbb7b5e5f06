//! Queues with priorities at each die, and operations that can be interrupted: host reads are
//! served first, and may suspend a program or an erase.
//!
//! Operations enter a queue once everything they wait for is over. Of those that are issued and not
//! over, the oldest never waits for anything, so that nothing can wait for ever.

mod agenda;
mod beside;
mod bus;
mod classes;
mod die;
mod flin;
mod handle;
mod inheritance;
mod order;
mod planes;
mod queues;
mod row;
mod rules;
mod scheduler;
mod shared;
mod slab;
mod suspension;
mod trail;
mod transfers;
mod waiters;

use super::least_loaded::LeastLoaded;
use super::requests::Requests;
use super::scheduler::FlashOp;
use crate::ids::{ById, DieId};
use crate::nand::{Geometry, Kind};
use crate::schema::Config;
use agenda::{Agenda, Event};
use bus::{Bus, NOTHING};
use classes::Classes;
use die::{Activity, Die};
use order::Order;
use planes::Planes;
use rules::Rules;
use shared::Shared;
use slab::Slab;
use waiters::{Waiter, Waiters};

/// The scheduler with queues.
#[derive(Debug)]
pub struct Queued {
    dies: ById<DieId, Die>,
    shared: Shared,
}

impl Queued {
    /// An idle drive.
    pub fn new(config: &Config, geometry: &Geometry) -> Self {
        let kinds = config.drive.kinds();
        let die = |id| {
            let group = geometry.groups.partition_point(|group| group.dies.end() <= id);
            let chip = kinds[group].chip;
            let (cache_program, cache_read) = (chip.cache_program, chip.cache_read);
            let reads_at_once = chip.independent_plane_reads as u32;
            let channel = geometry.channel_of(id);
            Die { id, channel, cache_program, cache_read, reads_at_once, ..Die::default() }
        };
        let dies = geometry.dies().count();
        let bus = |source| Bus { source, ..Bus::default() };
        Self {
            dies: geometry.dies().into_iter().map(die).collect(),
            shared: Shared {
                now_ns: 0,
                rules: Rules::new(config),
                classes: Classes::new(config, dies).map(Box::new),
                buses: (dies..dies + geometry.channels).map(bus).collect(),
                slab: Slab::default(),
                order: Order::new(geometry.blocks().count()),
                events: Agenda::default(),
                by_issued_ns: LeastLoaded::new(config, dies),
                planes: Planes::new(geometry),
                suspensions: 0,
                watched: 0,
                idle: Vec::new(),
                begun: Vec::new(),
                repeated_ns: 0,
            },
        }
    }

    /// The array of a die is done, or the die has been suspended.
    #[inline(always)]
    fn die_event(&mut self, id: DieId, number: u64, requests: &mut Requests) {
        let die = &mut self.dies[id];
        if die.awaited != number {
            return;
        }
        match die.activity {
            Activity::Array { index, .. } => self.sensed(id, index, requests),
            Activity::Suspending => {
                die.activity = Activity::Idle;
                self.shared.dispatch(die);
            }
            Activity::Idle | Activity::OnChannel(_) | Activity::Sensed(_) => {}
        }
    }

    /// The array has done what an operation wants of it, or the register is empty that its data goes to.
    #[inline(always)]
    fn sensed(&mut self, id: DieId, index: u32, requests: &mut Requests) {
        let die = &mut self.dies[id];
        if die.beside.is_some() {
            self.sensed_beside(id, index, requests);
        } else if self.shared.done_in_array(die, index) {
            self.ends_on_die(id, index, requests);
        }
    }

    /// An operation is over with which its die was busy until now.
    #[inline(always)]
    fn ends_on_die(&mut self, id: DieId, index: u32, requests: &mut Requests) {
        let die = &mut self.dies[id];
        die.free(self.shared.now_ns);
        let waiters = self.shared.end(die, index, requests);
        self.tell(waiters, requests);
        self.shared.dispatch(&mut self.dies[id]);
    }

    /// The transfer on a channel is over.
    #[inline(always)]
    fn channel_event(&mut self, channel: u32, requests: &mut Requests) {
        let shared = &mut self.shared;
        let Some(index) = shared.buses[channel as usize].current.take() else { return };
        if index == NOTHING {
            return shared.dispatch_channel(channel);
        }
        let entry = shared.slab.get(index);
        let FlashOp { die: id, array_ns, kind, .. } = entry.op;
        match kind {
            Kind::Read if entry.is_sensed => self.unloaded(id, index, requests),
            Kind::Program => shared.loaded(&mut self.dies[id], index, array_ns),
            Kind::Read => {
                let die = &mut self.dies[id];
                let array_ns = shared.sensing_ns(die, index);
                shared.run_array(die, index, array_ns, 0);
            }
            Kind::Erase => shared.run_array(&mut self.dies[id], index, array_ns, 0),
        }
        self.shared.dispatch_channel(channel);
    }

    /// The data of a read has left.
    #[inline(always)]
    fn unloaded(&mut self, id: DieId, index: u32, requests: &mut Requests) {
        let die = &mut self.dies[id];
        if die.unloading_others > 0 {
            return self.one_unloaded(id, index, requests);
        }
        let first = die.unloading.take();
        match die.activity {
            Activity::OnChannel(current) if first == Some(current) => die.free(self.shared.now_ns),
            Activity::Sensed(next) => self.sensed(id, next, requests),
            _ => {}
        }
        let waiters = self.shared.end(&mut self.dies[id], index, requests);
        self.tell(waiters, requests);
        self.shared.dispatch(&mut self.dies[id]);
    }

    /// What those waited for is over: they may go on.
    #[inline(always)]
    fn tell(&mut self, mut waiters: Waiters, requests: &mut Requests) {
        let Self { dies, shared } = self;
        while let Some(waiter) = shared.slab.next_waiter(&mut waiters) {
            match waiter {
                Waiter::Request(id) => requests.part_done(id, shared.now_ns),
                Waiter::Operation(next) => {
                    let entry = shared.slab.get_mut(next);
                    entry.waiting -= 1;
                    if entry.waiting == 0 {
                        let (die, class, number) = (entry.op.die, entry.class, entry.number);
                        shared.ready(&mut dies[die], next, class, number);
                    }
                }
            }
        }
    }

    /// Events happen, up to `limit_ns` at the latest, until a request is over or a watched die is idle; false where
    /// none does.
    fn move_on(&mut self, limit_ns: u64, requests: &mut Requests) -> bool {
        let (mut moved, dies) = (false, self.dies.ids().count());
        let (finished, idle) = (requests.finished.len(), self.shared.idle.len());
        while requests.finished.len() == finished
            && self.shared.idle.len() == idle
            && let Some(Event { time_ns, number, source }) = self.shared.events.take_until(limit_ns)
        {
            moved = true;
            self.shared.now_ns = time_ns;
            match source.checked_sub(dies) {
                None => self.die_event(DieId(source), number, requests),
                Some(channel) => self.channel_event(channel, requests),
            }
        }
        if !self.shared.begun.is_empty() {
            self.shared.tell_begun(requests);
        }
        moved
    }
}
