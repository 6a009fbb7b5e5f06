//! The channels: one transfer at a time, commands ahead of data, data by priority.

use super::die::{Activity, Queues};
use super::{Queued, loading_ns};
use crate::engine::requests::Requests;
use crate::ids::DieId;
use crate::nand::Kind;

/// A channel.
#[derive(Debug, Default)]
pub struct Bus {
    /// What waits for it.
    pub queues: Queues,
    /// The operation on the channel.
    pub current: Option<u32>,
    /// Time spent on transfers.
    pub busy_ns: u64,
}

impl Queued {
    /// An operation needs its channel for a time: it is its own at once, or the operation waits for it.
    #[inline(always)]
    pub(super) fn request_channel(&mut self, index: u32, channel: u32, length_ns: u64) {
        let bus = &mut self.buses[channel as usize];
        if bus.current.is_none() && bus.queues.is_empty() {
            return self.occupy(channel, index, length_ns);
        }
        self.queue_for_channel(index, channel);
        self.dispatch_channel(channel);
    }

    fn queue_for_channel(&mut self, index: u32, channel: u32) {
        let entry = self.slab.get(index);
        let bus = &mut self.buses[channel as usize];
        match entry.op.kind {
            Kind::Program => bus.queues.push(entry.class, self.now_ns, index),
            Kind::Read if self.dies[entry.op.die].unloading == Some(index) => {
                bus.queues.push(entry.class, self.now_ns, index);
            }
            // A command alone is short: it goes ahead of any data.
            Kind::Read | Kind::Erase => bus.queues.push_first(index),
        }
    }

    #[inline(always)]
    fn dispatch_channel(&mut self, channel: u32) {
        let bus = &mut self.buses[channel as usize];
        if bus.current.is_none()
            && let Some(index) = bus.queues.pop()
        {
            let op = &self.slab.get(index).op;
            let is_sensed = op.kind == Kind::Read && self.dies[op.die].unloading == Some(index);
            let length_ns = if is_sensed { op.transfer_ns } else { loading_ns(op) };
            self.occupy(channel, index, length_ns);
        }
    }

    /// An operation uses its channel for a time.
    #[inline(always)]
    fn occupy(&mut self, channel: u32, index: u32, length_ns: u64) {
        let bus = &mut self.buses[channel as usize];
        bus.current = Some(index);
        bus.busy_ns += length_ns;
        self.events.add(self.dies.ids().count() + channel, self.now_ns + length_ns);
    }

    /// The transfer on a channel is over.
    #[inline(always)]
    pub(super) fn channel_event(&mut self, channel: u32, requests: &mut Requests) {
        let Some(index) = self.buses[channel as usize].current.take() else { return };
        let op = &self.slab.get(index).op;
        let (die, array_ns) = (op.die, op.array_ns);
        match op.kind {
            Kind::Read if self.dies[die].unloading == Some(index) => {
                self.unloaded(index, die, requests);
            }
            Kind::Program => self.loaded(index, die, array_ns),
            Kind::Read | Kind::Erase => self.run_array(index, die, array_ns, 0),
        }
        self.dispatch_channel(channel);
    }

    /// The data of a read has left.
    #[inline(always)]
    fn unloaded(&mut self, index: u32, die: DieId, requests: &mut Requests) {
        let state = &mut self.dies[die];
        state.unloading = None;
        match state.activity {
            Activity::OnChannel(current) if current == index => state.free(self.now_ns),
            Activity::Sensed(next) => self.sensed(next, requests),
            _ => {}
        }
        self.complete(index, requests);
        self.dispatch(die);
    }

    /// The data of a program is in the register.
    #[inline(always)]
    fn loaded(&mut self, index: u32, die: DieId, array_ns: u64) {
        match &mut self.dies[die].loading {
            Some((next, loaded)) if *next == index => *loaded = true,
            _ => {
                self.program(index, die, array_ns);
                self.load_ahead(die);
            }
        }
    }
}
