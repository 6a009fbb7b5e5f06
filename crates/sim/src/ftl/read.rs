//! Reading: units of one page are read together, pages of one row in several planes too where the
//! chip can.

use super::Ftl;
use super::Io;
use crate::engine::{Cause, FlashOp, RequestId, Scheduler};
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
    /// The block of each plane; the first `planes` of them.
    blocks: [u32; PLANES_MAX],
    planes: usize,
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
            let unit = self.state.unit_of(lpn);
            if unit == NONE {
                io.counters.unmapped_reads += 1;
                continue;
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
        let mut blocks = [0; PLANES_MAX];
        blocks[0] = block;
        Group {
            unit,
            units: 1,
            die: geometry.die_of(geometry.plane_of(block)),
            page: geometry.of(block).page_of(place),
            blocks,
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
        let block = other.blocks[0];
        if !group.blocks[..group.planes].contains(&block) {
            let plane = geometry.plane_of(block);
            let is_taken = |&other: &u32| geometry.plane_of(other) == plane;
            if !self.state.layout.fillings[geometry.group_of(block)].multi_plane
                || group.planes == PLANES_MAX
                || group.blocks[..group.planes].iter().any(is_taken)
            {
                return false;
            }
            group.blocks[group.planes] = block;
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
        let plan = self.plan_read(group.unit, io.sched.now_ns());
        let blocks = &group.blocks[..group.planes];
        let row = (plan.row, plan.sensings);
        self.read_as(
            io,
            group.unit,
            blocks,
            row,
            group.units,
            (Cause::Host, Cause::Host),
            after,
            &[waiter],
        );
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

    /// Reads the page of a unit, of which `units` units cross the channel; `rank` is for whose sake.
    #[inline]
    pub(super) fn read_page(
        &mut self,
        io: &mut Io<S>,
        unit: u32,
        units: u32,
        (cause, rank): (Cause, Cause),
    ) -> S::Stamp {
        let plan = self.plan_read(unit, io.sched.now_ns());
        let (block, _) = self.state.geometry.locate(unit);
        let row = (plan.row, plan.sensings);
        let none = S::Join::default();
        self.read_as(io, unit, &[block], row, units, (cause, rank), &none, &[])
    }

    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub(super) fn read_as(
        &mut self,
        io: &mut Io<S>,
        unit: u32,
        blocks: &[u32],
        (row, sensings): (u8, u32),
        units: u32,
        (cause, rank): (Cause, Cause),
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let geometry = &self.state.geometry;
        let (block, place) = geometry.locate(unit);
        let group = geometry.of(block);
        let pages = group.pages_per_unit;
        let sensed = u64::from(pages) * blocks.len() as u64;
        io.counters.reads[cause as usize] += sensed;
        if !S::TIMED && !self.settings.has_energy {
            return S::Stamp::default();
        }
        let page = group.page_of(place);
        let row = if row == READ { self.state.blocks[block as usize].read_row } else { row };
        let definition = self.state.ops.row(row);
        let kind = group.page_type(page) as usize;
        io.counters.read_nj += definition.energy_nj[kind] * sensed * u64::from(sensings);
        if !S::TIMED {
            return S::Stamp::default();
        }
        let array_ns = match pages {
            1 => definition.array_ns[kind],
            pages => (page..page + pages)
                .map(|page| definition.array_ns[group.page_type(page) as usize])
                .sum(),
        };
        let bytes = u64::from(units) * geometry.unit_bytes;
        let op = FlashOp {
            kind: definition.kind,
            needs: definition.needs,
            cause: rank,
            die: geometry.die_of(geometry.plane_of(block)),
            page,
            pages,
            array_ns: array_ns * u64::from(sensings),
            transfer_ns: self.state.ops.transfer_ns(row, bytes),
            command_ns: self.state.ops.command_ns(row),
        };
        if cause == Cause::Gc {
            io.counters.gc_ns += op.array_ns + op.transfer_ns;
        }
        io.sched.issue(&op, blocks, after, waiters, &mut io.requests)
    }

    /// Reads the rest of a unit that a request covers only in part.
    pub fn read_before_write(&mut self, io: &mut Io<S>, lpn: u32) -> S::Join {
        let mut after = S::Join::default();
        let unit = self.state.unit_of(lpn);
        if unit != NONE && !self.is_in_merge_buffer(unit) {
            let stamp = self.read_page(io, unit, 1, (Cause::Host, Cause::Host));
            io.sched.join(&mut after, stamp);
        }
        after
    }
}
