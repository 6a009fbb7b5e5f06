//! Filling and starting programs.

use super::Ftl;
use super::Io;
use super::origin::Origin;
use super::read::Sake;
use super::safeguard::Issued;
use crate::drive::{Besides, Filling, Pending, Shape, Step};
use crate::engine::{Cause, NOBODY, RequestId, Scheduler};
use crate::flash::{Data, Extent, Order, Program};
use crate::ids::{BlockId, PlaneId, PointId, Unit};
use crate::nand::{BlockState, Needs, PROGRAM, Span};
use crate::technique::{Background, Cells, Hooks, Placement};

/// An operation of the technique on pages that have been programmed before.
pub(super) struct Reprogram<'a> {
    pub spans: &'a [Span],
    pub row: u8,
    pub cause: Cause,
    pub data: Data,
    /// The name under which the technique hears of its end.
    pub ticket: Option<u32>,
    /// True where it goes before whatever else waits for its die.
    pub urgent: bool,
}

/// A program of a write point that is about to be issued.
struct Begun {
    /// Where it begins, but for the offset of its shape.
    place: u32,
    shape: Shape,
    /// The block of its first lane.
    block: BlockId,
    lanes: u32,
    closes_block: bool,
    cause: Cause,
    /// The plane whose register holds its data; `None` when it crosses the channel.
    register_plane: Option<PlaneId>,
}

impl<'a> Reprogram<'a> {
    /// New data over pages of the past.
    pub fn over(spans: &'a [Span], row: u8, cause: Cause) -> Self {
        Self { spans, row, cause, data: Data::New, ticket: None, urgent: false }
    }
}

/// How many of its units a program holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filled {
    pub units: u32,
    pub of: u32,
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
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
    pub(super) fn end_program(&mut self, io: &mut Io<S>, point: PointId) {
        if !S::TIMED {
            let none = S::Join::default();
            self.start_program(io, point, Cause::Host, None, &none, &[]);
            return;
        }
        let mut pending = std::mem::take(&mut self.pending[point]);
        let Pending { after, waiters, cause, copied_from_plane, .. } = &pending;
        self.start_program(io, point, *cause, *copied_from_plane, after, waiters);
        self.unstarted -= pending.waiters.len() as u64;
        pending.waiters.clear();
        self.pending[point].waiters = pending.waiters;
    }

    /// Starts every program whose time has come; returns when the next one is due.
    #[inline]
    pub fn end_overdue_programs(&mut self, io: &mut Io<S>) -> u64 {
        if self.deadlines.is_empty() { u64::MAX } else { self.end_those_overdue(io) }
    }

    fn end_those_overdue(&mut self, io: &mut Io<S>) -> u64 {
        while let Some(&(at_ns, point)) = self.deadlines.front() {
            let current = self.pending[point].deadline_ns == at_ns;
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
        let missing = |point: PointId| {
            let open = &self.state.points[point];
            open.program_units() - open.filled()
        };
        let awaited = self.pending.ids().into_iter();
        let awaited = awaited.filter(|&point| !self.pending[point].waiters.is_empty());
        if let Some(point) = awaited.min_by_key(|&point| missing(point)) {
            self.end_program(io, point);
        }
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
        let state = &mut self.state;
        let open = &mut state.points[point];
        let holds_notes = T::IN_USE && open.is_for_notes();
        let leaves_rest = self.settings.leaves_rest && !holds_notes;
        let (place, shape) = (open.place(), open.program_shape(leaves_rest));
        let stripe = if T::IN_USE { shape.stripe } else { None };
        let (block, lanes) = (open.first_lane().block, open.lane_count());
        let lanes = stripe.map_or(lanes, |stripe| stripe.planes);
        if stripe.is_some() {
            io.counters.parity += u64::from(open.parity_units());
        }
        let padding = open.end_program(leaves_rest);
        if stripe.is_some() {
            open.count_lanes();
        }
        let mut next = open.place();
        let mut is_full = open.room() == 0;
        if T::IN_USE && shape.asks {
            self.next_step(io, point);
            is_full = self.state.points[point].room() == 0;
        }
        let state = &mut self.state;
        match holds_notes {
            true => io.counters.programs[cause as usize] += u64::from(padding),
            false => io.counters.padding += u64::from(padding),
        }
        if S::TIMED || T::IN_USE || state.ops.has_energy() {
            let closes_block = is_full;
            let begun = Begun { place, shape, block, lanes, closes_block, cause, register_plane };
            if T::IN_USE && self.safeguard.is_some() {
                self.issue_safely(io, point, &begun, after, waiters);
            } else {
                self.issue_program(io, point, &begun, after, waiters);
            }
        } else {
            // Nobody looks at it.
            io.counters.program_ops += 1;
        }
        if stripe.is_some() {
            while let Some(besides) = self.state.points[point].besides_data() {
                self.write_besides(io, point, besides, cause);
                next = self.state.points[point].place();
            }
            self.advance_block(block, next, is_full);
            return;
        }
        if lanes == 1 {
            self.advance_block(block, next, is_full);
            if T::IN_USE && shape.asks && self.state.points[point].is_for_notes() {
                self.write_notes(io, point);
            }
            return;
        }
        for lane in 0..lanes as usize {
            let block = self.state.points[point].lanes()[lane].block;
            self.advance_block(block, next, is_full);
        }
    }

    /// Starts the program of a superblock that holds no data. It is as urgent as the data before it, because
    /// programs of a block keep their order.
    #[cold]
    fn write_besides(&mut self, io: &mut Io<S>, point: PointId, besides: Besides, cause: Cause) {
        let open = &mut self.state.points[point];
        let (place, shape, block) = (open.place(), open.shape(), open.first_lane().block);
        match besides {
            Besides::Parity => io.counters.parity += u64::from(open.parity_units()),
            Besides::Metadata => {
                io.counters.programs[Cause::Metadata as usize] += u64::from(shape.step);
            }
        }
        open.end_program(false);
        open.count_lanes();
        let lanes = shape.stripe.map_or(1, |stripe| stripe.planes);
        let (closes_block, register_plane) = (false, None);
        let begun = Begun { place, shape, block, lanes, closes_block, cause, register_plane };
        self.issue_program(io, point, &begun, &S::Join::default(), &[]);
    }

    /// Starts the program of what the controller notes about a block.
    #[cold]
    fn write_notes(&mut self, io: &mut Io<S>, point: PointId) {
        self.start_program(io, point, Cause::Technique, None, &S::Join::default(), &[]);
    }

    /// Reads what the controller noted about a block that somebody is about to collect or to open again.
    #[cold]
    pub(super) fn read_notes(&mut self, io: &mut Io<S>, block: BlockId, rank: Cause) {
        let group = self.group_of_block(block);
        if let Some(unit) = self.technique.placement(group).notes(&self.state, block) {
            let units = self.state.geometry.groups[group].units_per_page;
            let sake = Sake { counted: Cause::Technique, ..Sake::of(rank) };
            self.read_page(io, unit, units, sake);
        }
    }

    /// Hands the program of a write point to the flash once nothing that somebody counts on is at risk.
    #[cold]
    fn issue_safely(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        begun: &Begun,
        after: &S::Join,
        waiters: &[u32],
    ) {
        let &Begun { place, shape, block, .. } = begun;
        let group = self.state.geometry.of(block);
        let (page, pages) = (group.page_of(place + shape.offset), group.pages_of(shape.units));
        let lanes = self.state.points[point].lanes().iter();
        let spans: Vec<Span> = lanes.map(|lane| Span { block: lane.block, page, pages }).collect();
        let from = self.line_from(point, place + shape.offset);
        let after = self.preserve(io, &spans, Some(from), after);
        let stamp = self.issue_program(io, point, begun, &after, waiters);
        self.preserved_until(io, &spans, stamp);
        let issued = Issued { block, place: place + shape.offset, units: shape.units };
        self.after_program(io, point, issued, stamp);
    }

    /// Hands the program of a write point to the flash.
    #[inline(always)]
    fn issue_program(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        begun: &Begun,
        after: &S::Join,
        waiters: &[u32],
    ) -> S::Stamp {
        let &Begun { place, shape, block, lanes, closes_block, cause, register_plane } = begun;
        let state = &self.state;
        let group = state.geometry.group_of(block);
        let copies = register_plane == Some(state.geometry.plane_of(block));
        let extent = extent_of(shape, &state.layout.fillings[group]);
        let group = &state.geometry.groups[group];
        let (page, pages) = (group.page_of(place + shape.offset), group.pages_of(shape.units));
        let span = Span { block, page, pages };
        let data = if copies { Data::Copied } else { Data::New };
        let (row, ticket, urgent, others) = (shape.row, None, false, &[]);
        let program =
            Program { span, others, row, extent, data, closes_block, cause, ticket, urgent };
        if lanes > 1 {
            return self.issue_lanes(io, point, program, after, waiters);
        }
        self.issue(io, program, after, waiters)
    }

    /// The same in several lanes.
    #[cold]
    fn issue_lanes(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        program: Program<'_>,
        after: &S::Join,
        waiters: &[u32],
    ) -> S::Stamp {
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        let lanes = self.state.points[point].lanes().iter().skip(1);
        let group = self.state.geometry.of(program.span.block);
        spans.extend(lanes.map(|lane| {
            let page = program.span.page + group.pages_of(lane.offset);
            Span { block: lane.block, page, ..program.span }
        }));
        let stamp = self.issue(io, Program { others: &spans, ..program }, after, waiters);
        self.spans = spans;
        stamp
    }

    /// Asks for the next step of a block that is filled by steps, and for what that needs beforehand.
    #[cold]
    pub(super) fn next_step(&mut self, io: &mut Io<S>, point: PointId) {
        let block = self.state.points[point].first_lane().block;
        let stream = self.state.layout.stream_of_point(point);
        let group = self.group_of_block(block);
        let step = self.technique.placement_mut(group).step(&self.state, stream, block);
        self.state.points[point].set_step(step);
        if let Some(Step { from, row, .. }) = step
            && row != PROGRAM
            && self.state.ops.row(row).needs == Needs::Programmed
        {
            let unit = self.state.geometry.first_unit(block).plus(from);
            let none = S::Join::default();
            let after = self.prepare(io, unit, row, Sake::of(Cause::Technique), &none);
            io.sched.merge(&mut self.pending[point].after, &after);
        }
    }

    /// Hands a command to the flash.
    #[inline(always)]
    pub(super) fn issue<'a>(
        &mut self,
        io: &mut Io<S>,
        order: impl Order<'a>,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let ticket = if T::IN_USE { self.take_command(io, order) } else { NOBODY };
        let place = if T::IN_USE { self.state.superblocks.as_ref() } else { None };
        order.carry_out(io, &self.state, place, ticket, after, waiters)
    }

    /// The flash takes a command, and stops the run at one that it could not carry out.
    #[inline(always)]
    fn take_command<'a>(&mut self, io: &mut Io<S>, order: impl Order<'a>) -> u32 {
        self.hear(io);
        let Some(chips) = &mut self.chips else { return NOBODY };
        let ticket = chips.take(&self.state, order, &mut self.read_only);
        if !S::TIMED {
            io.requests.over_at_once(ticket, io.sched.now_ns());
        }
        ticket
    }

    /// What has begun and ended since is noted, and told to the technique where it asked.
    #[inline]
    pub fn hear(&mut self, io: &mut Io<S>) {
        if !io.requests.notices.is_empty() {
            self.note_phases(io);
        }
    }

    fn note_phases(&mut self, io: &mut Io<S>) {
        let Some(chips) = &mut self.chips else { return };
        for notice in io.requests.notices.drain(..) {
            if let Some(ended) = chips.hear(&self.state, notice) {
                let background = self.technique.background_mut();
                background.ended(&self.state, ended.ticket, ended.end_ns);
            }
        }
    }

    /// An open block holds data up to `next`; a full one becomes a candidate.
    #[inline]
    fn advance_block(&mut self, block: BlockId, next: u32, is_full: bool) {
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
        let group = if T::IN_USE { state.geometry.group_of(block) } else { 0 };
        let cost = self.technique.victims(group).victim_cost(state, block);
        let domain = state.domain_of_block(block);
        state.victims.insert(&mut state.blocks, domain, block, cost);
    }

    /// Reads what an operation of the technique on `unit` needs besides its data, for whoever waits for
    /// it; returns what must be over before it starts.
    pub(super) fn prepare(
        &mut self,
        io: &mut Io<S>,
        unit: Unit,
        row: u8,
        sake: Sake,
        after: &S::Join,
    ) -> S::Join {
        let mut all = S::Join::default();
        io.sched.merge(&mut all, after);
        let group = self.state.geometry.group_of(self.state.geometry.locate(unit).0);
        let units_per_page = self.state.geometry.groups[group].units_per_page;
        let sake = Sake { counted: Cause::Technique, ..sake };
        for page in 0..self.technique.codec(group).codec(&self.state, unit, row).reads_before {
            let stamp = self.read_page(io, unit.plus(page * units_per_page), units_per_page, sake);
            io.sched.join(&mut all, stamp);
        }
        all
    }

    /// May the technique's operation be applied to these pages? If not the run is stopped.
    pub(super) fn allows(&mut self, row: u8, spans: &[Span]) -> bool {
        let allowed = self.chips.as_mut().is_none_or(|it| it.allows(&self.state, row, spans));
        self.read_only |= !allowed;
        allowed
    }

    /// The pages of a unit.
    #[inline]
    pub(super) fn unit_span(&self, unit: Unit) -> Span {
        let (block, place) = self.state.geometry.locate(unit);
        let group = self.state.geometry.of(block);
        Span { block, page: group.page_of(place), pages: group.pages_per_unit }
    }

    /// Carries out an operation of the technique on pages that have been programmed before.
    pub(super) fn reprogram(
        &mut self,
        io: &mut Io<S>,
        again: &Reprogram<'_>,
        after: &S::Join,
        waiter: Option<RequestId>,
    ) -> S::Stamp {
        let &Reprogram { spans, row, cause, data, ticket, urgent } = again;
        let (extent, closes_block) = (Extent::Once, false);
        let (span, others) = (spans[0], &spans[1..]);
        let program =
            Program { span, others, row, extent, data, closes_block, cause, ticket, urgent };
        let stamp = self.issue(io, program, after, waiter.as_slice());
        if T::IN_USE {
            self.preserved_until(io, spans, stamp);
        }
        stamp
    }
}

/// Which of a row's times a program of this shape takes.
#[inline(always)]
fn extent_of(shape: Shape, filling: &Filling) -> Extent {
    if !filling.word_lines && shape.units == 1 && shape.step == 1 {
        // Of a page there is nothing to add up.
        Extent::Pages
    } else if filling.word_lines && shape.units < filling.shape.units {
        Extent::PartOfWordLine
    } else if filling.shape.units != shape.units || filling.shape.step != shape.step {
        // The operation of a technique's own shape is one, however many pages it covers.
        Extent::Once
    } else if filling.word_lines {
        Extent::WordLines
    } else {
        Extent::Pages
    }
}
