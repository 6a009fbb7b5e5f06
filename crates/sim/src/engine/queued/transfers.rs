//! Who uses the channels: commands ahead of data, data by priority.

use super::die::Die;
use super::shared::{Shared, loading_ns};
use crate::nand::Kind;

impl Shared {
    /// An operation needs its channel for a time: it is its own at once, or the operation waits for it.
    #[inline(always)]
    pub fn request_channel(&mut self, channel: u32, index: u32, length_ns: u64) {
        let bus = &mut self.buses[channel as usize];
        if bus.is_free(self.now_ns) {
            return bus.begin(index, length_ns, self.now_ns, &mut self.events);
        }
        self.queue_for_channel(channel, index);
        self.dispatch_channel(channel);
    }

    #[inline(never)]
    fn queue_for_channel(&mut self, channel: u32, index: u32) {
        let entry = self.slab.get(index);
        let (kind, class, is_sensed) = (entry.op.kind, entry.class, entry.is_sensed);
        let queues = &mut self.buses[channel as usize].queues;
        match kind {
            // A command alone is short: it goes ahead of any data.
            Kind::Read | Kind::Erase if !is_sensed => queues.push_first(index, &mut self.slab),
            _ => queues.append(class, index, &mut self.slab),
        }
        self.buses[channel as usize].is_awaited(self.now_ns, &mut self.events);
    }

    #[inline(always)]
    pub fn dispatch_channel(&mut self, channel: u32) {
        let bus = &mut self.buses[channel as usize];
        if bus.current.is_none()
            && let Some(index) = bus.queues.pop(&self.slab)
        {
            let entry = self.slab.get(index);
            let op = &entry.op;
            let length_ns = if entry.is_sensed { op.transfer_ns } else { loading_ns(op) };
            bus.begin(index, length_ns, self.now_ns, &mut self.events);
        }
    }

    /// The data of a program is in the register.
    #[inline(always)]
    pub fn loaded(&mut self, die: &mut Die, index: u32, array_ns: u64) {
        match &mut die.loading {
            Some((next, loaded)) if *next == index => *loaded = true,
            _ => {
                self.program(die, index, array_ns);
                self.load_ahead(die);
            }
        }
    }
}
