//! Filling and starting programs.

use super::Ftl;
use super::Io;
use super::operation::{Sake, Span};
use super::write::Origin;
use crate::drive::{DriveState, Lane, Pending, Shape};
use crate::engine::{Cause, FlashOp, RequestId, Scheduler, Source};
use crate::nand::{BlockState, PROGRAM};
use crate::technique::Technique;
use crate::util::NONE;

/// What a program covers.
struct Extent {
    row: u8,
    /// Pages of the first lane.
    span: Span,
    lanes: u32,
    array_ns: u64,
    energy_nj: u64,
}

/// An operation of the technique on pages that have been programmed before.
pub(super) struct Reprogram {
    /// A unit of the first page.
    pub unit: u32,
    pub pages: u32,
    pub row: u8,
    pub cause: Cause,
    /// False where the pages keep the data that they hold.
    pub is_new_data: bool,
}

impl<T: Technique, S: Scheduler> Ftl<T, S> {
    /// The unit that was just placed joins its program; a full program starts.
    #[inline]
    pub(super) fn add_to_program(
        &mut self,
        io: &mut Io<S>,
        point: u32,
        full: bool,
        cause: Cause,
        origin: &Origin<'_, S::Join>,
    ) {
        if full && self.state.points[point as usize].program_units() == 1 {
            let waiters = origin.waiter.as_slice();
            self.start_program(io, point, cause, origin.register_plane, origin.after, waiters);
            return;
        }
        if S::TIMED {
            self.wait_in(io, point, cause, origin);
        }
        if full {
            self.end_program(io, point);
        }
    }

    fn wait_in(&mut self, io: &mut Io<S>, point: u32, cause: Cause, origin: &Origin<'_, S::Join>) {
        let first = self.state.points[point as usize].filled() == 1;
        let pending = &mut self.pending[point as usize];
        if first {
            pending.cause = cause;
            pending.copied_from_plane = origin.register_plane;
        } else if pending.copied_from_plane != origin.register_plane {
            pending.copied_from_plane = NONE;
        }
        io.sched.merge(&mut pending.after, origin.after);
        if let Some(id) = origin.waiter {
            if pending.waiters.is_empty()
                && let Some(timeout_ns) = self.settings.merge_timeout_ns
            {
                let at_ns = io.sched.now_ns() + timeout_ns;
                pending.deadline_ns = at_ns;
                self.deadlines.push_back((at_ns, point));
            }
            pending.waiters.push(id);
            self.unstarted += 1;
        }
    }

    /// Starts the current program of a write point with what it has.
    pub(super) fn end_program(&mut self, io: &mut Io<S>, point: u32) {
        if !S::TIMED {
            let none = S::Join::default();
            self.start_program(io, point, Cause::Host, NONE, &none, &[]);
            return;
        }
        let mut pending = std::mem::take(&mut self.pending[point as usize]);
        let Pending { after, waiters, cause, copied_from_plane, .. } = &pending;
        self.start_program(io, point, *cause, *copied_from_plane, after, waiters);
        self.unstarted -= pending.waiters.len() as u64;
        pending.waiters.clear();
        self.pending[point as usize].waiters = pending.waiters;
    }

    /// Starts every program whose time has come; returns when the next one is due.
    pub fn end_overdue_programs(&mut self, io: &mut Io<S>) -> u64 {
        while let Some(&(at_ns, point)) = self.deadlines.front() {
            let current = self.pending[point as usize].deadline_ns == at_ns;
            if current && at_ns > io.sched.now_ns() {
                return at_ns;
            }
            self.deadlines.pop_front();
            if current {
                self.end_program(io, point);
            }
        }
        u64::MAX
    }

    /// Parts that wait for programs which are not full.
    pub fn unstarted(&self) -> u64 {
        self.unstarted
    }

    /// Starts, of the programs that a part waits for, the one that lacks the least.
    pub fn end_fullest_program(&mut self, io: &mut Io<S>) {
        let missing = |point: u32| {
            let open = &self.state.points[point as usize];
            open.program_units() - open.filled()
        };
        let awaited = (0..self.pending.len() as u32)
            .filter(|&point| !self.pending[point as usize].waiters.is_empty());
        if let Some(point) = awaited.min_by_key(|&point| missing(point)) {
            self.end_program(io, point);
        }
    }

    /// Starts every program that holds data.
    pub fn end_all_programs(&mut self, io: &mut Io<S>) {
        for point in 0..self.state.points.len() as u32 {
            if self.state.points[point as usize].filled() > 0 {
                self.end_program(io, point);
            }
        }
    }

    #[inline]
    fn start_program(
        &mut self,
        io: &mut Io<S>,
        point: u32,
        cause: Cause,
        register_plane: u32,
        after: &S::Join,
        waiters: &[u32],
    ) {
        let leaves_rest = self.settings.leaves_rest;
        let state = &mut self.state;
        let open = &mut state.points[point as usize];
        let (place, shape) = (open.row(), open.program_shape(leaves_rest));
        let block = open.lanes()[0].block;
        let padding = open.end_program(leaves_rest);
        let (is_full, next) = (open.room() == 0, open.row());
        io.counters.program_ops += 1;
        io.counters.padding += u64::from(padding);
        if !S::TIMED {
            if self.settings.has_energy {
                io.counters.program_nj += state.program_nj(point, shape, place);
            }
            self.advance_blocks(point, next, is_full);
            return;
        }
        let copies = register_plane != NONE && register_plane == state.geometry.plane_of(block);
        let extent = state.extent_of(point, shape, place);
        io.counters.program_nj += extent.energy_nj;
        let mut op = state.program_op(&extent, cause);
        if is_full {
            op.array_ns += state.ops.summary_ns(state.geometry.group_of(block));
        }
        if copies {
            // Copy-back: the register holds the data.
            (op.transfer_ns, op.source) = (0, Source::Register);
        }
        if cause == Cause::Gc {
            io.counters.gc_ns += op.array_ns + op.transfer_ns;
        }
        self.fill_blocks(point, block);
        io.sched.issue(&op, &self.op_blocks, after, waiters, &mut io.requests);
        self.advance_blocks(point, next, is_full);
    }

    /// The blocks of a program, for the scheduler.
    #[inline]
    fn fill_blocks(&mut self, point: u32, first: u32) {
        self.op_blocks.clear();
        self.op_blocks.push(first);
        let others = self.state.points[point as usize].lanes().iter().skip(1);
        self.op_blocks.extend(others.map(|lane| lane.block));
    }

    /// The open blocks of a write point hold data up to `next`; full ones become candidates.
    #[inline]
    fn advance_blocks(&mut self, point: u32, next: u32, is_full: bool) {
        for lane in 0..self.state.points[point as usize].lanes().len() {
            let block = self.state.points[point as usize].lanes()[lane].block;
            self.state.blocks[block as usize].next = next;
            if is_full {
                self.fill(block);
            }
        }
    }

    /// A block became full.
    pub(super) fn fill(&mut self, block: u32) {
        if self.technique.keeps(&self.state, block) {
            self.state.blocks[block as usize].state = BlockState::Kept;
        } else {
            self.make_candidate(block);
        }
    }

    /// A block may be reclaimed from now on.
    pub(super) fn make_candidate(&mut self, block: u32) {
        let state = &mut self.state;
        let entry = &mut state.blocks[block as usize];
        entry.state = BlockState::Full;
        entry.filled = state.filled;
        state.filled = state.filled.wrapping_add(1);
        let cost = self.technique.victim_cost(state, block);
        let domain = state.domain_of_block(block);
        state.victims.insert(&mut state.blocks, domain, block, cost);
    }

    /// Reads what an operation of the technique on `unit` needs besides its data, as urgently as
    /// `cause` is; returns what must be over before it starts.
    pub(super) fn prepare(
        &mut self,
        io: &mut Io<S>,
        unit: u32,
        row: u8,
        cause: Cause,
        after: &S::Join,
    ) -> S::Join {
        debug_assert!(
            self.technique.is_legal(&self.state, unit, row),
            "illegal operation on {unit}"
        );
        let mut all = S::Join::default();
        io.sched.merge(&mut all, after);
        for _ in 0..self.technique.codec(&self.state, unit, row).reads_before {
            let stamp =
                self.read_page(io, unit, 1, Sake { counted: Cause::Technique, rank: cause });
            io.sched.join(&mut all, stamp);
        }
        all
    }

    /// Carries out an operation of the technique on pages that have been programmed before.
    pub(super) fn reprogram(
        &mut self,
        io: &mut Io<S>,
        again: &Reprogram,
        after: &S::Join,
        waiter: Option<RequestId>,
    ) {
        let &Reprogram { unit, pages, row, cause, is_new_data } = again;
        let (block, place) = self.state.geometry.locate(unit);
        let group = self.state.geometry.of(block);
        let page = group.page_of(place);
        let kind = group.page_type(page) as usize;
        let definition = self.state.ops.row(row);
        let program_row = self.state.blocks[block as usize].program_row;
        io.counters.program_ops += 1;
        io.counters.reprograms += 1;
        io.counters.program_nj += definition.energy_nj[kind] * u64::from(pages);
        if S::TIMED {
            let bytes = u64::from(pages) * u64::from(group.page_bytes);
            let array_ns = self.state.ops.slowed_ns(program_row, definition.array_ns[kind]);
            let span = Span { block, page, pages };
            let mut op = self.state.operation(row, span, cause, array_ns, bytes);
            if !is_new_data && op.source == Source::Register {
                op.source = Source::Cells;
            }
            io.sched.issue(&op, &[block], after, waiter.as_slice(), &mut io.requests);
        }
    }
}

impl DriveState {
    /// The energy of a program that takes no time, kept out of the path of drives without energy.
    #[inline(never)]
    fn program_nj(&self, point: u32, shape: Shape, place: u32) -> u64 {
        self.extent_of(point, shape, place).energy_nj
    }

    /// What the program of the step at `place` of a write point covers.
    #[inline(always)]
    fn extent_of(&self, point: u32, shape: Shape, place: u32) -> Extent {
        let lanes = self.points[point as usize].lanes();
        let mut extent = self.extent(shape, lanes[0].block, place);
        if extent.lanes > 1 {
            self.widen(&mut extent, &lanes[1..], shape, place);
        }
        extent
    }

    /// What it covers in a block.
    #[inline(always)]
    fn extent(&self, shape: Shape, block: u32, place: u32) -> Extent {
        let group = self.geometry.group_of(block);
        let (group, layout) = (&self.geometry.groups[group], &self.layout.fillings[group]);
        let page = group.page_of(place + shape.offset);
        let pages = group.pages_of(shape.units);
        let program_row = self.blocks[block as usize].program_row;
        let row_number = if shape.row == PROGRAM { program_row } else { shape.row };
        let row = self.ops.row(row_number);
        // Part of a word line takes as long as all of it.
        let is_part = layout.word_lines && shape.units < layout.shape.units;
        let kind = if is_part { group.bits as usize - 1 } else { group.page_type(page) as usize };
        let (mut array_ns, energy_nj) = match pages {
            1 => (row.array_ns[kind], row.energy_nj[kind]),
            _ => {
                // The operation of a technique's own shape is one, however many pages it covers.
                let own = layout.shape.units != shape.units || layout.shape.step != shape.step;
                let kinds = (page..page + pages).map(|page| group.page_type(page) as usize);
                let array_ns = match layout.word_lines {
                    _ if own => row.array_ns[kind],
                    true => u64::from(pages / group.bits) * row.array_ns[group.bits as usize - 1],
                    false => kinds.clone().map(|kind| row.array_ns[kind]).sum(),
                };
                (array_ns, kinds.map(|kind| row.energy_nj[kind]).sum())
            }
        };
        if shape.row != PROGRAM {
            array_ns = self.ops.slowed_ns(program_row, array_ns);
        }
        let span = Span { block, page, pages };
        Extent { row: row_number, span, lanes: layout.lanes, array_ns, energy_nj }
    }

    /// Programs further lanes along with the first: it takes as long as the slowest of them.
    #[cold]
    fn widen(&self, extent: &mut Extent, others: &[Lane], shape: Shape, place: u32) {
        for lane in others {
            let other = self.extent(shape, lane.block, place);
            extent.energy_nj += other.energy_nj;
            if other.array_ns > extent.array_ns {
                (extent.row, extent.array_ns) = (other.row, other.array_ns);
            }
        }
    }

    #[inline(always)]
    fn program_op(&self, extent: &Extent, cause: Cause) -> FlashOp {
        let page_bytes = self.geometry.of(extent.span.block).page_bytes;
        let bytes = u64::from(extent.lanes * extent.span.pages) * u64::from(page_bytes);
        self.operation(extent.row, extent.span, cause, extent.array_ns, bytes)
    }
}
