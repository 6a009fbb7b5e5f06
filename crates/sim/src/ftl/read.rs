//! Reading: units of one page are read together, pages of one row in several planes too where the
//! chip can.

use super::Ftl;
use super::Io;
use super::operation::{Sake, Span};
use crate::drive::DriveState;
use crate::engine::{Cause, RequestId, Scheduler};
use crate::nand::{BlockState, READ};
use crate::technique::{ReadPlan, Technique};
use crate::util::NONE;

/// Pages that can be sensed together: same die, same page, one per plane.
#[derive(Debug, Clone, Copy)]
struct Group {
    unit: u32,
    units: u32,
    die: u32,
    page: u32,
    block: u32,
    /// A unit in the page of each further plane; the first `planes - 1` of them.
    others: [u32; PLANES_MAX - 1],
    planes: usize,
}

impl Group {
    fn others(&self) -> &[u32] {
        &self.others[..self.planes - 1]
    }
}

/// A read about to be issued.
#[derive(Debug, Clone, Copy)]
struct Wanted<'a> {
    unit: u32,
    /// Units in the pages of further planes that are sensed along with it.
    others: &'a [u32],
    /// Units that cross the channel.
    units: u32,
    sake: Sake,
}

/// How pages are sensed: by which row, how long, with how much energy.
#[derive(Debug, Clone, Copy)]
struct Sensing {
    row: u8,
    array_ns: u64,
    energy_nj: u64,
}

/// Planes that are read together at most.
const PLANES_MAX: usize = 8;

impl<T: Technique, S: Scheduler> Ftl<T, S> {
    /// Reads units for the host; a part of `waiter` ends with each flash read.
    pub fn read_host(&mut self, io: &mut Io<S>, lpns: &[u32], waiter: RequestId) {
        let mut group: Option<Group> = None;
        for &lpn in lpns {
            let mut after = S::Join::default();
            if self.map_cache.is_some() {
                self.look_up(io, lpn, false, &mut after);
                self.read_group(io, group.take(), waiter, &S::Join::default());
            }
            let mut unit = self.state.unit_of(lpn);
            if unit == NONE {
                io.counters.unmapped_reads += 1;
                continue;
            }
            if self.settings.collects_at_access {
                // GC may move what the group holds, and the unit itself.
                self.read_group(io, group.take(), waiter, &S::Join::default());
                self.collect_before_access(io, self.state.scope_of_unit(unit));
                unit = self.state.unit_of(lpn);
            }
            if self.is_in_merge_buffer(unit) {
                continue;
            }
            if let Some(open) = &mut group {
                if self.joins(open, unit) {
                    continue;
                }
                self.read_group(io, group.take(), waiter, &S::Join::default());
            }
            group = Some(self.group_of(unit));
            if self.map_cache.is_some() {
                self.read_group(io, group.take(), waiter, &after);
            }
        }
        self.read_group(io, group, waiter, &S::Join::default());
    }

    /// True for data that is acknowledged or waiting but whose program has not been started.
    #[inline]
    pub(super) fn is_in_merge_buffer(&self, unit: u32) -> bool {
        let (block, place) = self.state.geometry.locate(unit);
        let entry = &self.state.blocks[block as usize];
        entry.state == BlockState::Open
            && self.state.points[entry.before as usize].is_pending(place)
    }

    fn group_of(&self, unit: u32) -> Group {
        let geometry = &self.state.geometry;
        let (block, place) = geometry.locate(unit);
        Group {
            unit,
            units: 1,
            die: geometry.die_of(geometry.plane_of(block)),
            page: geometry.of(block).page_of(place),
            block,
            others: [0; PLANES_MAX - 1],
            planes: 1,
        }
    }

    /// Adds a unit to a group when it can be sensed with it.
    fn joins(&self, group: &mut Group, unit: u32) -> bool {
        let other = self.group_of(unit);
        if (other.die, other.page) != (group.die, group.page) {
            return false;
        }
        let geometry = &self.state.geometry;
        let mut blocks = group.others().iter().map(|&unit| geometry.locate(unit).0);
        if other.block != group.block && !blocks.clone().any(|block| block == other.block) {
            let plane = geometry.plane_of(other.block);
            let is_taken = |block: u32| geometry.plane_of(block) == plane;
            if !self.state.layout.fillings[geometry.group_of(other.block)].multi_plane
                || group.planes == PLANES_MAX
                || is_taken(group.block)
                || blocks.any(is_taken)
            {
                return false;
            }
            group.others[group.planes - 1] = unit;
            group.planes += 1;
        }
        group.units += 1;
        true
    }

    fn read_group(
        &mut self,
        io: &mut Io<S>,
        group: Option<Group>,
        waiter: RequestId,
        after: &S::Join,
    ) {
        let Some(group) = group else { return };
        if S::TIMED {
            io.requests.add_part(waiter);
        }
        let (unit, units) = (group.unit, group.units);
        let wanted = Wanted { unit, others: group.others(), units, sake: Sake::of(Cause::Host) };
        self.read(io, &wanted, after, &[waiter]);
    }

    /// How the page of a unit is read: as the technique says, and the erase scheme on top of it.
    #[inline]
    fn plan_read(&self, unit: u32, now_ns: u64) -> ReadPlan {
        let plan = self.technique.read_plan(&self.state, unit);
        match self.settings.scheme_reads {
            true => self.erase_scheme.read_plan(&self.state, unit, now_ns, plan),
            false => plan,
        }
    }

    /// Reads the page of a unit, of which `units` units cross the channel.
    #[inline]
    pub(super) fn read_page(
        &mut self,
        io: &mut Io<S>,
        unit: u32,
        units: u32,
        sake: Sake,
    ) -> S::Stamp {
        let wanted = Wanted { unit, others: &[], units, sake };
        self.read(io, &wanted, &S::Join::default(), &[])
    }

    #[inline(always)]
    fn read(
        &mut self,
        io: &mut Io<S>,
        wanted: &Wanted<'_>,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let &Wanted { unit, others, units, sake } = wanted;
        let plan = self.plan_read(unit, io.sched.now_ns());
        let geometry = &self.state.geometry;
        let (block, place) = geometry.locate(unit);
        let group = geometry.of(block);
        let pages = group.pages_per_unit;
        io.counters.reads[sake.counted as usize] += u64::from(pages) * (1 + others.len() as u64);
        let span = Span { block, page: group.page_of(place), pages };
        if !S::TIMED {
            if self.settings.has_energy || !others.is_empty() {
                self.count_energy(io, span, plan, others);
            }
            return S::Stamp::default();
        }
        let mut sensing = self.state.sensing(span, plan);
        if !others.is_empty() {
            self.sense_along(block, others, io.sched.now_ns(), &mut sensing);
        }
        io.counters.read_nj += sensing.energy_nj;
        let bytes = u64::from(units) * self.state.geometry.unit_bytes;
        let op = self.state.operation(sensing.row, span, sake.rank, sensing.array_ns, bytes);
        if sake.counted == Cause::Gc {
            io.counters.gc_ns += op.array_ns + op.transfer_ns;
        }
        let first = [block];
        let blocks = if others.is_empty() { &first[..] } else { &self.op_blocks };
        io.sched.issue(&op, blocks, after, waiters, &mut io.requests)
    }

    /// The energy of a read that takes no time, kept out of the path of drives without energy.
    #[inline(never)]
    fn count_energy(&mut self, io: &mut Io<S>, span: Span, plan: ReadPlan, others: &[u32]) {
        let mut sensing = self.state.sensing(span, plan);
        self.sense_along(span.block, others, io.sched.now_ns(), &mut sensing);
        io.counters.read_nj += sensing.energy_nj;
    }

    /// Senses the pages of further planes along with that of `first`, a block: it takes as long as the
    /// slowest of them. The blocks are then those of the operation.
    #[cold]
    fn sense_along(&mut self, first: u32, others: &[u32], now_ns: u64, sensing: &mut Sensing) {
        self.op_blocks.clear();
        self.op_blocks.push(first);
        for &unit in others {
            let plan = self.plan_read(unit, now_ns);
            let geometry = &self.state.geometry;
            let (block, place) = geometry.locate(unit);
            let group = geometry.of(block);
            let span = Span { block, page: group.page_of(place), pages: group.pages_per_unit };
            let other = self.state.sensing(span, plan);
            sensing.energy_nj += other.energy_nj;
            if other.array_ns > sensing.array_ns {
                (sensing.row, sensing.array_ns) = (other.row, other.array_ns);
            }
            self.op_blocks.push(block);
        }
    }

    /// Reads the rest of a unit that a request covers only in part.
    pub fn read_before_write(&mut self, io: &mut Io<S>, lpn: u32) -> S::Join {
        let mut after = S::Join::default();
        let unit = self.state.unit_of(lpn);
        if unit != NONE && !self.is_in_merge_buffer(unit) {
            let stamp = self.read_page(io, unit, 1, Sake::of(Cause::Host));
            io.sched.join(&mut after, stamp);
        }
        after
    }
}

impl DriveState {
    /// How the pages of a unit are sensed by a plan, in their plane.
    #[inline(always)]
    fn sensing(&self, span: Span, plan: ReadPlan) -> Sensing {
        let group = self.geometry.of(span.block);
        let row = match plan.row {
            READ => self.blocks[span.block as usize].read_row,
            row => row,
        };
        let definition = self.ops.row(row);
        let of = |page| {
            let kind = group.page_type(page) as usize;
            (definition.array_ns[kind], definition.energy_nj[kind])
        };
        let (array_ns, energy_nj) = match span.pages {
            1 => of(span.page),
            pages => (span.page..span.page + pages)
                .map(of)
                .fold((0, 0), |sum, page| (sum.0 + page.0, sum.1 + page.1)),
        };
        let sensings = u64::from(plan.sensings);
        Sensing { row, array_ns: array_ns * sensings, energy_nj: energy_nj * sensings }
    }
}
