//! The way of the host's data to the flash and back: past the controller's DRAM, or through it.

mod parts;
mod placed;
mod placements;
mod trims;
mod writing;

use super::Device;
use super::program_buffer::ProgramBuffer;
use super::write_buffer::{Leaving, WriteBuffer};
use crate::drive::DriveState;
use crate::engine::{Finished, Scheduler};
use crate::ids::Lpn;
use crate::nand::command::RequestId;
use crate::schema::{Config, Flushes};
use crate::technique::Hooks;
use parts::Parts;
pub use placed::Placed;
use placements::Placements;
use trims::Trims;
use wordline_trace::{Op, Request};

/// Takes requests apart into units, and holds those that have yet to be given a place.
pub struct DataPath<S: Scheduler> {
    /// The DRAM write buffer.
    pub buffer: Option<WriteBuffer>,
    /// The controller's buffer, where writes are acknowledged from it.
    pub programs: Option<ProgramBuffer>,
    parts: Parts<S>,
    /// Units that leave the write buffer together.
    leaving: Vec<Leaving>,
    trims: Trims,
    /// Where the placement identifiers of writes lead, where the drive takes any.
    pub placements: Option<Placements>,
    /// The time that DRAM takes for a request.
    dram_ns: u64,
    /// Whether a flush is acknowledged and does nothing.
    lies: bool,
}

impl<S: Scheduler> DataPath<S> {
    /// The data path of a drive whose technique cuts requests by ranges of so many units; 0: it does not.
    pub fn new(config: &Config, state: &DriveState, range_units: u32) -> Self {
        Self {
            buffer: WriteBuffer::new(&config.host, state.geometry.unit_bytes, range_units),
            programs: ProgramBuffer::new(config, state).filter(|_| S::TIMED),
            parts: Parts::new(range_units),
            leaving: Vec::new(),
            trims: Trims::new(config),
            placements: Placements::of(config),
            dram_ns: (config.host.dram_us * 1000.0).round() as u64,
            lies: config.power.flushes == Flushes::Lie,
        }
    }

    /// Whether nothing is held in DRAM, and nothing is asked of a request but its address: no buffer, no requests in
    /// parts, no placement identifiers.
    pub fn is_direct(&self) -> bool {
        self.buffer.is_none()
            && self.programs.is_none()
            && self.placements.is_none()
            && !self.parts.are_cut()
    }

    /// Whose data a request belongs with: the handle of its placement identifier or, where the drive takes none, its
    /// volume, device or stream.
    #[inline(always)]
    pub fn handle_of<const PLAIN: bool>(&self, request: &Request) -> u16 {
        match &self.placements {
            Some(placements) if !PLAIN => placements.handle_of(request),
            _ => request.stream.min(u32::from(u16::MAX)) as u16,
        }
    }

    /// Whether data of a logical unit waits in DRAM, and has yet to be given a place.
    pub fn holds(&self, lpn: Lpn) -> bool {
        self.parts.holds(lpn) || self.buffer.as_ref().is_some_and(|it| it.holds(lpn))
    }

    /// Counts anew from here on.
    pub fn count_anew(&mut self) {
        if let Some(buffer) = &mut self.buffer {
            (buffer.write_hits, buffer.read_hits) = (0, 0);
        }
        if let Some(placements) = &mut self.placements {
            placements.count_anew();
        }
    }

    /// Does what a request asks for; `id` waits for it.
    #[inline(always)]
    pub fn carry_out<const PLAIN: bool, T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        placed: &Placed<'_>,
        id: Option<RequestId>,
    ) {
        let fua = T::IN_USE && placed.request.fua && !self.lies;
        if fua {
            device.ftl.begin_fua();
        }
        if !PLAIN && placed.request.op == Op::Write && !device.ftl.read_only {
            self.note_placement(&placed.request);
        }
        match placed.request.op {
            Op::Write if device.ftl.read_only => refuse(device, placed.lpns, id),
            Op::Write if !PLAIN && self.buffer.is_some() => {
                self.write_to_buffer(device, placed, id);
            }
            Op::Write => self.write_through::<PLAIN, T>(device, placed, id),
            Op::Read => self.read::<PLAIN, T>(device, placed.lpns, id),
            Op::Trim => self.trim(device, *placed, id),
            Op::Flush if self.lies => {}
            Op::Flush => {
                self.empty(device, id);
                device.ftl.flush(&mut device.io, id);
            }
        }
        if fua {
            self.serve_parts(device, true);
            device.ftl.end_fua(&mut device.io, id);
        }
    }

    fn note_placement(&mut self, request: &Request) {
        if let Some(placements) = &mut self.placements {
            placements.note(request);
        }
    }

    #[inline(always)]
    fn read<const PLAIN: bool, T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        lpns: &[Lpn],
        id: Option<RequestId>,
    ) {
        match PLAIN || (self.buffer.is_none() && self.parts.is_empty()) {
            true => device.ftl.read_host(&mut device.io, lpns, id.unwrap_or_default()),
            false => self.read_around_dram(device, lpns, id),
        }
    }

    /// Reads units some of which may be in DRAM.
    #[inline(never)]
    fn read_around_dram<T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        lpns: &[Lpn],
        id: Option<RequestId>,
    ) {
        let (parts, buffer) = (&self.parts, &mut self.buffer);
        let mut is_missing =
            |lpn| !parts.holds(lpn) && !buffer.as_mut().is_some_and(|it| it.read(lpn));
        let missing: Vec<Lpn> = lpns.iter().copied().filter(|&lpn| is_missing(lpn)).collect();
        if missing.len() < lpns.len() {
            self.in_dram(device, id);
        }
        device.ftl.read_host(&mut device.io, &missing, id.unwrap_or_default());
    }

    /// A part of a request is served by DRAM.
    fn in_dram<T: Hooks>(&self, device: &mut Device<T, S>, id: Option<RequestId>) {
        if let Some(id) = id {
            device.io.requests.add_part(id);
            device.io.requests.part_done(id, device.io.sched.now_ns() + self.dram_ns);
        }
    }

    /// Gives up the units that a trim covers whole. The map forgets them at once. The request ends when the controller
    /// has spent its time on it.
    #[inline(never)]
    fn trim<T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        placed: Placed<'_>,
        id: Option<RequestId>,
    ) {
        let mut units = 0u64;
        for (index, &lpn) in placed.lpns.iter().enumerate() {
            if placed.is_whole(index) {
                self.trim_unit(device, lpn);
                units += 1;
            }
        }
        if let Some(id) = id
            && let Some(end_ns) = self.trims.end_ns(device.now_ns(), units)
        {
            device.io.requests.add_part(id);
            device.io.requests.part_done(id, end_ns);
        }
    }

    fn trim_unit<T: Hooks>(&mut self, device: &mut Device<T, S>, lpn: Lpn) {
        if let Some(buffer) = &mut self.buffer {
            buffer.discard(lpn);
        }
        self.supersede(device, lpn);
        device.ftl.trim(&mut device.io, lpn);
    }

    /// What waits of a unit is of no use; true where that did wait.
    #[inline]
    fn supersede<T: Hooks>(&mut self, device: &mut Device<T, S>, lpn: Lpn) -> bool {
        let Device { io, .. } = device;
        self.parts.supersede(lpn, |id| io.requests.part_done(id, io.sched.now_ns()))
    }

    /// Writes out what DRAM holds; `id` waits for it.
    pub fn empty<T: Hooks>(&mut self, device: &mut Device<T, S>, id: Option<RequestId>) {
        self.flush_buffer(device, id);
        self.serve_parts(device, true);
    }

    /// Whether parts of requests wait.
    pub fn has_waiting_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    /// When the technique is asked again of the parts that wait; `u64::MAX`: none does.
    #[inline]
    pub fn parts_due_ns(&self) -> u64 {
        self.parts.due_ns()
    }

    /// Writes the parts that have to wait no longer, the oldest first; with `all`, none waits any longer.
    pub fn serve_parts<T: Hooks>(&mut self, device: &mut Device<T, S>, all: bool) {
        if !self.parts.begin_asking(device.now_ns(), all) {
            return;
        }
        let mut from = 0;
        while let Some(part) = self.parts.take_ready(device, &mut from, all) {
            let now_ns = device.now_ns();
            for parts::Deferred { mut write, after, id } in part {
                write.now_ns = now_ns;
                self.write_flash::<false, T>(device, &write, after, id);
                if let Some(id) = id {
                    device.io.requests.part_done(id, now_ns);
                }
            }
        }
    }

    /// Whether writes are acknowledged from the controller's buffer.
    #[inline(always)]
    pub fn acknowledges(&self) -> bool {
        self.programs.is_some()
    }

    /// Takes note that a unit of the controller's buffer was programmed; false where it is a request that ended.
    #[inline(always)]
    pub fn has_programmed(&mut self, finished: &Finished) -> bool {
        match &mut self.programs {
            Some(programs) if finished.is_unit => {
                programs.programmed(finished.number as u32, finished.done_ns);
                true
            }
            _ => false,
        }
    }

    /// What has been programmed until `now_ns` leaves the controller's buffer.
    pub fn release_until<T: Hooks>(&mut self, device: &mut Device<T, S>, now_ns: u64) {
        if let Some(programs) = &mut self.programs {
            programs.release_until(now_ns, |id, at_ns| device.io.requests.part_done(id, at_ns));
        }
    }

    /// Writes that wait for room in the controller's buffer get what there is. Where that is the rule, and nothing under way
    /// would make room, a program that is not full starts. False where no request has ended by that.
    pub fn make_room<T: Hooks>(&mut self, device: &mut Device<T, S>) -> bool {
        self.release_until(device, device.now_ns());
        let unstarted = device.ftl.unstarted();
        let is_stuck = |programs: &ProgramBuffer| programs.is_stuck(unstarted);
        if device.ftl.starts_when_stuck() && self.programs.as_ref().is_some_and(is_stuck) {
            device.ftl.end_fullest_program(&mut device.io);
            return true;
        }
        !device.io.requests.finished.is_empty()
    }

    /// When there is room in the controller's buffer for what waits, as far as is known; otherwise `u64::MAX`.
    pub fn room_ns(&self) -> u64 {
        self.programs.as_ref().map_or(u64::MAX, ProgramBuffer::next_ns)
    }

    /// False where writes have been acknowledged although their programs have not begun.
    pub fn awaits_starts(&self, unstarted: u64) -> bool {
        self.programs.as_ref().is_none_or(|programs| programs.lacks_room(unstarted))
    }
}

/// A read-only drive takes nothing of a request, not even into DRAM.
#[cold]
fn refuse<T: Hooks, S: Scheduler>(device: &mut Device<T, S>, lpns: &[Lpn], id: Option<RequestId>) {
    device.io.counters.refused_writes += lpns.len() as u64;
    if let Some(id) = id {
        device.io.requests.refuse(id);
    }
}
