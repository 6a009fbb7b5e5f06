//! Writes: through to flash, or into the DRAM write buffer and out of it.

use super::Driver;
use crate::engine::Scheduler;
use crate::host::Ask;
use crate::host::address::{Coverage, overlap};
use crate::host::write_buffer::{Leaving, WriteBuffer};
use crate::ids::Lpn;
use crate::nand::command::RequestId;
use crate::policy::hotness::{HostWrite, Part};
use crate::technique::Hooks;
use wordline_trace::{Op, Request};

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// A read-only drive takes nothing of a request, not even into DRAM.
    #[cold]
    pub(super) fn refuse(&mut self, lpns: &[Lpn], id: Option<RequestId>) {
        self.io.counters.refused_writes += lpns.len() as u64;
        if let Some(id) = id {
            self.io.requests.refuse(id);
        }
    }

    /// Writes the units of a request to flash; `id` waits for them.
    #[inline(always)]
    pub(super) fn write_through<const PLAIN: bool>(
        &mut self,
        request: &Request,
        number: u64,
        lpns: &[Lpn],
        coverage: Coverage,
        id: Option<RequestId>,
    ) {
        if !PLAIN && T::IN_USE && self.range_units > 0 {
            return self.write_in_parts(*request, number, lpns, coverage, id);
        }
        for (index, &lpn) in lpns.iter().enumerate() {
            let write = self.unit_of(request, number, lpn);
            let after = self.before_write(lpn, coverage.is_whole(index, lpns.len()), false);
            self.write_flash::<PLAIN>(&write, after, id);
        }
    }

    /// Writes the units of a request where the technique asks for parts, each of which may have to wait.
    #[inline(never)]
    fn write_in_parts(
        &mut self,
        request: Request,
        number: u64,
        lpns: &[Lpn],
        coverage: Coverage,
        id: Option<RequestId>,
    ) {
        let is_held = self.supersede_all(lpns);
        let (mut part, mut waits) = (None, false);
        for (index, &lpn) in lpns.iter().enumerate() {
            let mut write = self.unit_of(&request, number, lpn);
            if self.begins_part(lpns, index) {
                part = Some(self.part_from(&request, lpns, index));
                waits = self.must_wait(&HostWrite { part, ..write });
            }
            write.part = part;
            let after = self.before_write(lpn, coverage.is_whole(index, lpns.len()), is_held);
            match waits {
                true => self.defer(&write, after, id),
                false => self.write_flash::<false>(&write, after, id),
            }
        }
    }

    /// What must be over before a unit is written: of one that a request covers only in part the rest is read,
    /// unless the controller holds that.
    #[inline]
    fn before_write(&mut self, lpn: Lpn, is_whole: bool, is_held: bool) -> S::Join {
        if is_whole {
            self.ftl.make_whole(lpn);
        }
        match is_held || is_whole {
            true => S::Join::default(),
            false => self.ftl.read_before_write(&mut self.io, lpn),
        }
    }

    /// What waits of these units is of no use; true where that has all of the request's borders, so that
    /// nothing need be read to complete them.
    fn supersede_all(&mut self, lpns: &[Lpn]) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let is_held = |lpn: Option<&Lpn>| lpn.is_some_and(|&lpn| self.waiting.holds(lpn));
        let are_borders_held = is_held(lpns.first()) && is_held(lpns.last());
        for &lpn in lpns {
            self.supersede(lpn);
        }
        are_borders_held
    }

    /// A unit of a request that has just arrived.
    #[inline]
    fn unit_of(&self, request: &Request, number: u64, lpn: Lpn) -> HostWrite {
        HostWrite {
            lpn,
            request: number,
            request_offset_bytes: request.offset_bytes,
            request_bytes: request.size_bytes,
            now_ns: self.io.sched.now_ns(),
            handle: request.stream.min(u32::from(u16::MAX)) as u16,
            parity: self.parity,
            part: None,
        }
    }

    /// True where another range begins.
    fn begins_part(&self, lpns: &[Lpn], index: usize) -> bool {
        index == 0 || lpns[index - 1].range(self.range_units) != lpns[index].range(self.range_units)
    }

    /// The part of a request that begins with its unit `index`.
    fn part_from(&mut self, request: &Request, lpns: &[Lpn], index: usize) -> Part {
        let range = lpns[index].range(self.range_units);
        let rest = &lpns[index..];
        let units = rest.iter().take_while(|&&lpn| lpn.range(self.range_units) == range).count();
        let unit_bytes = self.ftl.state.geometry.unit_bytes;
        let bytes = overlap(request, unit_bytes, index).start
            ..overlap(request, unit_bytes, index + units - 1).end;
        self.parts += 1;
        let last = rest[..units].iter().copied().max().unwrap_or(lpns[index]);
        Part { number: self.parts, bytes: bytes.end - bytes.start, last, has_waited: false }
    }

    /// Writes the units of a request to the DRAM write buffer; `id` waits for what must leave it.
    pub(super) fn write_to_buffer(
        &mut self,
        request: Request,
        number: u64,
        lpns: &[Lpn],
        coverage: Coverage,
        id: Option<RequestId>,
    ) {
        let unit_bytes = self.ftl.state.geometry.unit_bytes;
        for (index, &lpn) in lpns.iter().enumerate() {
            let write = self.unit_of(&request, number, lpn);
            let Some(buffer) = &mut self.buffer else { return };
            let is_held = buffer.holds(lpn) || self.waiting.holds(lpn);
            let is_missing = !coverage.is_whole(index, lpns.len()) && !is_held;
            let is_read = is_missing && !buffer.completes_late();
            let bytes = overlap(&request, unit_bytes, index);
            let begin = request.offset_bytes / unit_bytes * unit_bytes + index as u64 * unit_bytes;
            buffer.write(write, bytes.start - begin..bytes.end - begin);
            if T::IN_USE && coverage.is_whole(index, lpns.len()) {
                self.supersede(lpn);
                self.ftl.make_whole(lpn);
            }
            if is_read {
                self.ftl.keep_lost(lpn);
                self.ftl.read_host(&mut self.io, &[lpn], id.unwrap_or_default());
            }
            self.in_dram(id);
            while self.buffer.as_ref().is_some_and(WriteBuffer::is_over_full) {
                self.write_oldest_out(id);
            }
        }
        if request.fua && !self.lies {
            for &lpn in lpns {
                self.write_out(id, |buffer, leaving| buffer.take_with(lpn, leaving));
            }
        }
    }

    /// What is oldest in the buffer leaves it; `id` waits for that. False where nothing is in it.
    fn write_oldest_out(&mut self, id: Option<RequestId>) -> bool {
        self.write_out(id, WriteBuffer::take_oldest)
    }

    /// What `take` takes leaves the buffer; `id` waits for that. False where it takes nothing.
    fn write_out(
        &mut self,
        id: Option<RequestId>,
        take: impl FnOnce(&mut WriteBuffer, &mut Vec<Leaving>),
    ) -> bool {
        let mut leaving = std::mem::take(&mut self.leaving);
        if let Some(buffer) = &mut self.buffer {
            take(buffer, &mut leaving);
            self.ask_for_next_to_leave();
        }
        let completes_late = self.buffer.as_ref().is_some_and(WriteBuffer::completes_late);
        let is_any = !leaving.is_empty();
        let now_ns = self.io.sched.now_ns();
        for unit in &mut leaving {
            unit.write.now_ns = now_ns;
            if T::IN_USE {
                // The rest of what waits is there.
                unit.is_whole |= self.supersede(unit.write.lpn);
            }
        }
        let waits = T::IN_USE
            && self.range_units > 0
            && leaving.first().copied().is_some_and(|first| self.must_wait(&first.write));
        for Leaving { write, is_whole } in leaving.drain(..) {
            let after = match is_whole {
                true => S::Join::default(),
                false => self.ftl.read_rest(&mut self.io, write.lpn),
            };
            if is_whole && completes_late {
                self.ftl.make_whole(write.lpn);
            }
            match waits {
                true => self.defer(&write, after, id),
                false => self.write_flash::<false>(&write, after, id),
            }
        }
        self.leaving = leaving;
        is_any
    }

    /// Asks the processor's cache for what leaves the buffer next: what its map entry leads to, that of the one after it.
    fn ask_for_next_to_leave(&self) {
        let Some(buffer) = &self.buffer else { return };
        buffer.prefetch_next();
        for (ask, lpn) in [Ask::Places, Ask::Map].into_iter().zip(buffer.next_to_leave()) {
            self.ask_for_unit(ask, Op::Write, lpn);
        }
    }

    /// Writes the whole buffer out; `id` waits for it.
    pub(super) fn flush_buffer(&mut self, id: Option<RequestId>) {
        while self.write_oldest_out(id) {}
    }

    /// A part of a request is served by DRAM.
    pub(super) fn in_dram(&mut self, id: Option<RequestId>) {
        if let Some(id) = id {
            self.io.requests.add_part(id);
            self.io.requests.part_done(id, self.io.sched.now_ns() + self.times.dram_ns);
        }
    }

    /// A unit goes to flash; `id` waits for its program, or for its place in the controller's buffer.
    #[inline(always)]
    pub(super) fn write_flash<const PLAIN: bool>(
        &mut self,
        write: &HostWrite,
        after: S::Join,
        id: Option<RequestId>,
    ) {
        // What a read-only drive refuses is in no buffer.
        let is_direct = PLAIN || self.programs.is_none() || self.ftl.read_only;
        let waiter = if is_direct { id } else { self.enter_buffer(id) };
        let is_written = self.ftl.write_host(&mut self.io, write, after, waiter);
        if let Some(id) = id.filter(|_| !is_written) {
            self.io.requests.refuse(id);
        }
    }
}
