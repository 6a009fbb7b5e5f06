//! The channels: one transfer at a time, commands ahead of data, data by priority.

use super::Queued;
use super::die::{Activity, Queues};
use crate::engine::requests::Requests;
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
    /// An operation needs its channel, which is its own at once, or for which it waits.
    pub(super) fn request_channel(&mut self, index: u32) {
        let entry = self.slab.get(index);
        let channel = self.dies[entry.op.die].channel;
        let bus = &mut self.buses[channel as usize];
        if bus.current.is_none() && bus.queues.is_empty() {
            return self.occupy(channel, index);
        }
        match entry.op.kind {
            Kind::Program => bus.queues.push(entry.class, self.now_ns, index),
            Kind::Read if self.dies[entry.op.die].unloading == Some(index) => {
                bus.queues.push(entry.class, self.now_ns, index);
            }
            // A command alone is short: it goes ahead of any data.
            Kind::Read | Kind::Erase => bus.queues.push_first(index),
        }
        self.dispatch_channel(channel);
    }

    fn dispatch_channel(&mut self, channel: u32) {
        let bus = &mut self.buses[channel as usize];
        if bus.current.is_none()
            && let Some(index) = bus.queues.pop()
        {
            self.occupy(channel, index);
        }
    }

    /// An operation uses its channel.
    fn occupy(&mut self, channel: u32, index: u32) {
        let op = &self.slab.get(index).op;
        let length_ns = match op.kind {
            Kind::Program => op.command_ns + op.transfer_ns,
            Kind::Erase => op.command_ns,
            Kind::Read if self.is_sensed(index) => op.transfer_ns,
            Kind::Read => op.command_ns,
        };
        let bus = &mut self.buses[channel as usize];
        bus.current = Some(index);
        bus.busy_ns += length_ns;
        self.events.add(self.dies.ids().count() + channel, self.now_ns + length_ns);
    }

    /// True for a read whose data waits in the register.
    fn is_sensed(&self, index: u32) -> bool {
        self.dies[self.slab.get(index).op.die].unloading == Some(index)
    }

    /// The transfer on a channel is over.
    pub(super) fn channel_event(&mut self, channel: u32, requests: &mut Requests) {
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
        let state = &mut self.dies[die];
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
        let state = &mut self.dies[die];
        match &mut state.loading {
            Some((next, loaded)) if *next == index => *loaded = true,
            _ => {
                self.start_array(index);
                self.load_ahead(die);
            }
        }
    }
}
