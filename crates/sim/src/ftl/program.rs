//! Filling and starting programs.

use super::issue::Begun;
use super::origin::{Origin, ReadOrigin};
use super::{Backend, Io, Media, Writer};
use crate::drive::{ExtraProgram, Pending, Step};
use crate::engine::Scheduler;
use crate::flash::tape::Other;
use crate::flash::taping::{count_other, tell_of};
use crate::ids::{BlockId, PlaneId, PointId};
use crate::nand::command::Cause;
use crate::nand::{BlockState, Needs, PROGRAM};
use crate::technique::{Hooks, Placement};

/// How many of its units a program holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filled {
    pub units: u32,
    pub of: u32,
}

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    /// The unit that was just placed joins its program; a full program starts.
    #[inline]
    pub(super) fn add_to_program(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        filled: Filled,
        cause: Cause,
        origin: &Origin<'_, S::Join>,
    ) {
        if filled.of == 1 {
            let waiters = origin.waiter.as_slice();
            self.start_program(io, point, cause, origin.register_plane, origin.after, waiters);
            return;
        }
        if S::TIMED {
            self.wait_in(io, point, cause, origin);
        }
        if filled.units == filled.of {
            self.end_program(io, point);
        }
    }

    fn wait_in(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        cause: Cause,
        origin: &Origin<'_, S::Join>,
    ) {
        let first = self.state.points[point].filled() == 1;
        let pending = &mut self.pending[point];
        if first {
            pending.cause = cause;
            pending.copied_from_plane = origin.register_plane;
        } else if pending.copied_from_plane != origin.register_plane {
            pending.copied_from_plane = None;
        }
        io.sched.merge(&mut pending.after, origin.after);
        if let Some(id) = origin.waiter {
            pending.waiters.push(id);
            let is_first = pending.waiters.len() == 1;
            self.count_waiter();
            if is_first {
                self.await_start(io, point);
            }
        }
    }

    /// Starts the current program of a write point with what it has.
    pub(super) fn end_program(&mut self, io: &mut Io<S>, point: PointId) {
        if !S::TIMED {
            let none = S::Join::default();
            self.start_program(io, point, Cause::Host, None, &none, &[]);
            return;
        }
        self.has_started(point, self.pending[point].waiters.len());
        let mut pending = std::mem::take(&mut self.pending[point]);
        let Pending { after, waiters, cause, copied_from_plane, .. } = &pending;
        self.start_program(io, point, *cause, *copied_from_plane, after, waiters);
        pending.waiters.clear();
        self.pending[point].waiters = pending.waiters;
    }

    /// Starts every program that holds data.
    pub fn end_all_programs(&mut self, io: &mut Io<S>) {
        for point in self.state.points.ids() {
            if self.state.points[point].filled() > 0 {
                self.end_program(io, point);
            }
        }
    }

    #[inline]
    fn start_program(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        cause: Cause,
        register_plane: Option<PlaneId>,
        after: &S::Join,
        waiters: &[u32],
    ) {
        let Media { state, settings, .. } = self.media();
        let open = &mut state.points[point];
        let holds_notes = T::IN_USE && open.is_for_notes();
        let leaves_rest = settings.leaves_rest && !holds_notes;
        let (place, shape) = (open.place(), open.program_shape(leaves_rest));
        let stripe = open.stripe().filter(|_| T::IN_USE);
        let (is_striped, asks) = (stripe.is_some(), T::IN_USE && open.asks());
        let block = open.first_lane().block;
        let lanes = stripe.map_or(open.lane_count(), |stripe| stripe.planes);
        let parity = if is_striped { open.parity_units() } else { 0 };
        let padding = open.end_program(leaves_rest);
        if is_striped {
            open.count_lanes();
        }
        let mut next = open.place();
        let mut is_full = open.room() == 0;
        if asks {
            self.next_step(io, point);
            is_full = self.state.points[point].room() == 0;
        }
        if padding > 0 {
            let what = if holds_notes { Other::Of(cause) } else { Other::Padding };
            count_other(&mut self.door.tape, &mut io.counters, what, padding.into());
        }
        if is_striped {
            count_other(&mut self.door.tape, &mut io.counters, Other::Parity, parity.into());
        }
        if self.is_looked_at::<S>() {
            let closes_block = is_full;
            // Made for each of the three, so that it need not be in memory.
            let begun =
                || Begun { place, shape, block, lanes, closes_block, cause, register_plane };
            if T::IN_USE && self.safeguard.is_some() {
                self.issue_safely(io, point, &begun(), after, waiters);
            } else if lanes > 1 {
                self.issue_lanes(io, point, &begun(), after, waiters);
            } else {
                self.issue_program(io, &begun(), after, waiters);
            }
        } else {
            // Nobody looks at it.
            io.counters.program_ops += 1;
        }
        if is_striped {
            while let Some(besides) = self.state.points[point].besides_data() {
                self.write_besides(io, point, besides, cause);
                next = self.state.points[point].place();
            }
            self.advance_block(block, next, is_full);
            return;
        }
        if lanes == 1 {
            self.advance_block(block, next, is_full);
            if asks && self.state.points[point].is_for_notes() {
                self.write_notes(io, point);
            }
            return;
        }
        for lane in 0..lanes as usize {
            let block = self.state.points[point].lanes()[lane].block;
            self.advance_block(block, next, is_full);
        }
    }

    /// Starts the program of what the controller notes about a block.
    #[cold]
    fn write_notes(&mut self, io: &mut Io<S>, point: PointId) {
        self.start_program(io, point, Cause::Technique, None, &S::Join::default(), &[]);
    }

    /// Asks for the next step of a block that is filled by steps, and for what that needs beforehand.
    #[cold]
    pub(super) fn next_step(&mut self, io: &mut Io<S>, point: PointId) {
        let block = self.state.points[point].first_lane().block;
        let stream = self.state.layout.stream_of_point(point);
        let group = self.group_of_block(block);
        let Media { state, technique, .. } = self.media();
        let rounds = technique.rounds(group);
        let step = rounds.and_then(|owner| owner.step(state, stream, block));
        self.state.points[point].set_step(step);
        if let Some(Step { from, row, .. }) = step
            && row != PROGRAM
            && self.state.ops.row(row).needs == Needs::Programmed
        {
            let unit = self.state.geometry.first_unit(block).plus(from);
            let none = S::Join::default();
            let after = self.prepare(io, unit, row, ReadOrigin::of(Cause::Technique), &none);
            io.sched.merge(&mut self.pending[point].after, &after);
        }
    }
}

impl<T: Hooks> Backend<T> {
    /// Starts the program of a superblock that holds no data. It is as urgent as the data before it, because
    /// programs of a block keep their order.
    #[cold]
    fn write_besides<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        besides: ExtraProgram,
        cause: Cause,
    ) {
        let open = &mut self.state.points[point];
        let (place, shape, block) = (open.place(), open.shape(), open.first_lane().block);
        let (what, units) = match besides {
            ExtraProgram::Parity => (Other::Parity, open.parity_units()),
            ExtraProgram::Metadata => (Other::Of(Cause::Metadata), shape.program_units()),
        };
        open.end_program(false);
        open.count_lanes();
        count_other(&mut self.door.tape, &mut io.counters, what, units.into());
        let lanes = shape.stripe.map_or(1, |stripe| stripe.planes);
        let (closes_block, register_plane) = (false, None);
        let shape = shape.program(shape.units);
        let begun = Begun { place, shape, block, lanes, closes_block, cause, register_plane };
        self.issue_begun(io, point, &begun, &S::Join::default(), &[]);
    }
}

impl<T: Hooks> Media<T> {
    /// An open block holds data up to `next`; a full one becomes a candidate.
    #[inline]
    pub(super) fn advance_block(&mut self, block: BlockId, next: u32, is_full: bool) {
        let entry = &mut self.state.blocks[block];
        entry.next = if T::IN_USE { entry.next.max(next) } else { next };
        if is_full {
            self.fill(block);
        }
    }

    /// A block became full.
    pub(super) fn fill(&mut self, block: BlockId) {
        let group = self.group_of_block(block);
        if self.technique.placement_mut(group).keeps(&self.state, block) {
            self.state.pass(block, BlockState::Kept);
            tell_of(&mut self.door.tape, &self.state, block, false);
        } else {
            self.make_candidate(block);
        }
    }

    /// A block may be reclaimed from now on.
    pub(super) fn make_candidate(&mut self, block: BlockId) {
        let state = &mut self.state;
        state.pass(block, BlockState::Full);
        state.blocks[block].filled = state.filled;
        state.filled = state.filled.wrapping_add(1);
        tell_of(&mut self.door.tape, &self.state, block, false);
        let cost = self.victim_cost(self.group_of_block(block), block);
        let state = &mut self.state;
        let domain = state.domain_of_block(block);
        state.victims.insert(&mut state.blocks, domain, block, cost);
    }
}
