//! Writes: through to flash, or into the DRAM write buffer and out of it.

use super::parts::Deferred;
use super::{DataPath, Placed};
use crate::engine::Scheduler;
use crate::host::address::overlap;
use crate::host::write_buffer::{Leaving, WriteBuffer};
use crate::host::{Ask, Device};
use crate::ids::Lpn;
use crate::nand::command::RequestId;
use crate::policy::hotness::HostWrite;
use crate::technique::Hooks;
use wordline_trace::Op;

impl<S: Scheduler> DataPath<S> {
    /// Writes the units of a request to flash; `id` waits for them.
    #[inline(always)]
    pub(super) fn write_through<const PLAIN: bool, T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        placed: &Placed<'_>,
        id: Option<RequestId>,
    ) {
        if !PLAIN && T::IN_USE && self.parts.are_cut() {
            return self.write_in_parts(device, placed, id);
        }
        for (index, &lpn) in placed.lpns.iter().enumerate() {
            let write = placed.write_of(lpn, device.now_ns());
            let after = before_write(device, lpn, placed.is_whole(index), false);
            self.write_flash::<PLAIN, T>(device, &write, after, id);
        }
    }

    /// Writes the units of a request where the technique asks for parts, each of which may have to wait.
    #[inline(never)]
    fn write_in_parts<T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        placed: &Placed<'_>,
        id: Option<RequestId>,
    ) {
        let unit_bytes = device.ftl.state.geometry.unit_bytes;
        let is_held = self.supersede_all(device, placed.lpns);
        let (mut part, mut waits) = (None, false);
        for (index, &lpn) in placed.lpns.iter().enumerate() {
            let mut write = placed.write_of(lpn, device.now_ns());
            if self.parts.begins(placed.lpns, index) {
                part = Some(self.parts.part_from(placed, unit_bytes, index));
                waits = self.parts.must_wait(device, &HostWrite { part, ..write });
            }
            write.part = part;
            let after = before_write(device, lpn, placed.is_whole(index), is_held);
            match waits {
                true => self.defer(device, write, after, id),
                false => self.write_flash::<false, T>(device, &write, after, id),
            }
        }
    }

    /// What waits of these units is of no use; true where that has all of the request's borders, so that
    /// nothing need be read to complete them.
    fn supersede_all<T: Hooks>(&mut self, device: &mut Device<T, S>, lpns: &[Lpn]) -> bool {
        if self.parts.is_empty() {
            return false;
        }
        let is_held = |lpn: Option<&Lpn>| lpn.is_some_and(|&lpn| self.parts.holds(lpn));
        let are_borders_held = is_held(lpns.first()) && is_held(lpns.last());
        for &lpn in lpns {
            self.supersede(device, lpn);
        }
        are_borders_held
    }

    /// The next unit of the part that waits last; `id` waits for it.
    fn defer<T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        write: HostWrite,
        after: S::Join,
        id: Option<RequestId>,
    ) {
        if let Some(id) = id {
            device.io.requests.add_part(id);
        }
        self.parts.defer(Deferred { write, after, id });
    }

    /// Writes the units of a request to the DRAM write buffer; `id` waits for what must leave it.
    pub(super) fn write_to_buffer<T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        placed: &Placed<'_>,
        id: Option<RequestId>,
    ) {
        let &Placed { ref request, lpns, .. } = placed;
        let unit_bytes = device.ftl.state.geometry.unit_bytes;
        for (index, &lpn) in lpns.iter().enumerate() {
            let Some(buffer) = &mut self.buffer else { return };
            let is_held = buffer.holds(lpn) || self.parts.holds(lpn);
            let is_missing = !placed.is_whole(index) && !is_held;
            let is_read = is_missing && !buffer.completes_late();
            let bytes = overlap(request, unit_bytes, index);
            let begin = request.offset_bytes / unit_bytes * unit_bytes + index as u64 * unit_bytes;
            let write = placed.write_of(lpn, device.now_ns());
            buffer.write(write, bytes.start - begin..bytes.end - begin);
            if T::IN_USE && placed.is_whole(index) {
                self.supersede(device, lpn);
                device.ftl.make_whole(lpn);
            }
            if is_read {
                device.ftl.keep_lost(lpn);
                device.ftl.read_host(&mut device.io, &[lpn], id.unwrap_or_default());
            }
            self.in_dram(device, id);
            while self.buffer.as_ref().is_some_and(WriteBuffer::is_over_full) {
                self.write_out(device, id, WriteBuffer::take_oldest);
            }
        }
        if request.fua && !self.lies {
            for &lpn in lpns {
                self.write_out(device, id, |buffer, leaving| buffer.take_with(lpn, leaving));
            }
        }
    }

    /// Writes the whole DRAM write buffer out; `id` waits for it.
    pub fn flush_buffer<T: Hooks>(&mut self, device: &mut Device<T, S>, id: Option<RequestId>) {
        while self.write_out(device, id, WriteBuffer::take_oldest) {}
    }

    /// What `take` takes leaves the buffer; `id` waits for that. False where it takes nothing.
    fn write_out<T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        id: Option<RequestId>,
        take: impl FnOnce(&mut WriteBuffer, &mut Vec<Leaving>),
    ) -> bool {
        let mut leaving = std::mem::take(&mut self.leaving);
        if let Some(buffer) = &mut self.buffer {
            take(buffer, &mut leaving);
            self.prefetch_leaving(device);
        }
        let completes_late = self.buffer.as_ref().is_some_and(WriteBuffer::completes_late);
        let is_any = !leaving.is_empty();
        let now_ns = device.now_ns();
        for unit in &mut leaving {
            unit.write.now_ns = now_ns;
            if T::IN_USE {
                // The rest of what waits is there.
                unit.is_whole |= self.supersede(device, unit.write.lpn);
            }
        }
        let waits = T::IN_USE
            && self.parts.are_cut()
            && leaving.first().copied().is_some_and(|it| self.parts.must_wait(device, &it.write));
        for Leaving { write, is_whole } in leaving.drain(..) {
            let after = match is_whole {
                true => S::Join::default(),
                false => device.ftl.read_rest(&mut device.io, write.lpn),
            };
            if is_whole && completes_late {
                device.ftl.make_whole(write.lpn);
            }
            match waits {
                true => self.defer(device, write, after, id),
                false => self.write_flash::<false, T>(device, &write, after, id),
            }
        }
        self.leaving = leaving;
        is_any
    }

    /// Asks the processor's cache for what leaves the buffer next: what its map entry leads to, the map entry of the one after
    /// it.
    fn prefetch_leaving<T: Hooks>(&self, device: &Device<T, S>) {
        let Some(buffer) = &self.buffer else { return };
        buffer.prefetch_next();
        for (ask, lpn) in [Ask::Places, Ask::Map].into_iter().zip(buffer.next_to_leave()) {
            device.prefetch(ask, Op::Write, lpn);
        }
    }

    /// A unit goes to flash; `id` waits for its program, or for its place in the controller's buffer.
    #[inline(always)]
    pub(super) fn write_flash<const PLAIN: bool, T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        write: &HostWrite,
        after: S::Join,
        id: Option<RequestId>,
    ) {
        // What a read-only drive refuses is in no buffer.
        let is_direct = PLAIN || self.programs.is_none() || device.ftl.read_only;
        let waiter = if is_direct { id } else { self.enter_programs(device, id) };
        let is_written = device.ftl.write_host(&mut device.io, write, after, waiter);
        if let Some(id) = id.filter(|_| !is_written) {
            device.io.requests.refuse(id);
        }
    }

    /// A unit of the request `id`, if it has one, enters the controller's buffer, or waits for room; returns what
    /// the end of its program is known by.
    fn enter_programs<T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        id: Option<RequestId>,
    ) -> Option<RequestId> {
        self.release_until(device, device.now_ns());
        let (number, waits) = self.programs.as_mut()?.enter(id);
        let io = &mut device.io;
        io.counters.buffer_waits += u64::from(waits);
        if let Some(id) = id.filter(|_| waits) {
            io.requests.add_part(id);
            if S::ITEMISES {
                io.sched.waits_for_room(io.requests.of(id).number);
            }
        }
        let stream = id.map(|id| io.requests.of(id).stream);
        Some(io.requests.start_unit(number, stream))
    }
}

/// What must be over before a unit is written: of one that a request covers only in part the rest is read,
/// unless the controller holds that.
#[inline]
fn before_write<T: Hooks, S: Scheduler>(
    device: &mut Device<T, S>,
    lpn: Lpn,
    is_whole: bool,
    is_held: bool,
) -> S::Join {
    if is_whole {
        device.ftl.make_whole(lpn);
    }
    match is_held || is_whole {
        true => S::Join::default(),
        false => device.ftl.read_before_write(&mut device.io, lpn),
    }
}
