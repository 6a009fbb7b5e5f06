//! Programs and operations of techniques as the flash is given them, and what it says of their course.

use super::origin::ReadOrigin;
use super::safeguard::Issued;
use super::{Backend, Eraser, Io, Media};
use crate::drive::{DriveState, Filling, ProgramShape};
use crate::engine::Scheduler;
use crate::flash::Order;
use crate::flash::taping::tell_command;
use crate::ids::{BlockId, PlaneId, PointId, Unit};
use crate::nand::command::{Cause, Data, Extent, NO_TICKET, Program, RequestId};
use crate::nand::{Located, Span};
use crate::technique::Hooks;

/// An operation of the technique on pages that have been programmed before.
pub(super) struct Reprogram<'a> {
    pub spans: &'a [Span],
    pub row: u8,
    pub cause: Cause,
    pub data: Data,
    /// The name under which the technique hears of its end.
    pub ticket: Option<u32>,
    /// Whether it goes before whatever else waits for its die.
    pub urgent: bool,
}

impl<'a> Reprogram<'a> {
    /// New data over pages of the past.
    pub fn over(spans: &'a [Span], row: u8, cause: Cause) -> Self {
        Self { spans, row, cause, data: Data::New, ticket: None, urgent: false }
    }
}

/// A program of a write point that is about to be issued.
pub(super) struct Begun {
    /// Where it begins, but for the offset of its shape.
    pub place: u32,
    pub shape: ProgramShape,
    /// The block of its first lane.
    pub block: BlockId,
    pub lanes: u32,
    pub closes_block: bool,
    pub cause: Cause,
    /// The plane whose register holds its data; `None` when it crosses the channel.
    pub register_plane: Option<PlaneId>,
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    /// Hands the program of a write point to the flash once nothing that somebody counts on is at risk.
    #[cold]
    pub(super) fn issue_safely(
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
        let stamp = self.issue_begun(io, point, begun, &after, waiters);
        self.preserved_until(io, &spans, stamp);
        let issued = Issued { block, place: place + shape.offset, units: shape.units };
        self.after_program(io, point, issued, stamp);
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
        self.backend.note_program(io, (span, others));
        let stamp = self.issue(io, program, after, waiter.as_slice());
        if T::IN_USE && self.safeguard.is_some() {
            self.preserved_until(io, spans, stamp);
        }
        stamp
    }
}

impl<T: Hooks> Backend<T> {
    /// Hands the program of a write point to the flash, in however many lanes.
    #[cold]
    pub(super) fn issue_begun<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        begun: &Begun,
        after: &S::Join,
        waiters: &[u32],
    ) -> S::Stamp {
        match begun.lanes > 1 {
            true => self.issue_lanes(io, point, begun, after, waiters),
            false => self.issue_program(io, begun, after, waiters),
        }
    }

    /// Hands a program of one lane to the flash.
    #[inline(always)]
    pub(super) fn issue_program<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        begun: &Begun,
        after: &S::Join,
        waiters: &[u32],
    ) -> S::Stamp {
        debug_assert_eq!(begun.lanes, 1);
        let program = program_of(&self.state, begun);
        self.note_program(io, (program.span, &[]));
        self.issue(io, program, after, waiters)
    }

    /// Hands a program of several lanes to the flash.
    // Given what `program_of` makes the command of: the command itself would be kept in memory where there is one lane.
    #[cold]
    pub(super) fn issue_lanes<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        begun: &Begun,
        after: &S::Join,
        waiters: &[u32],
    ) -> S::Stamp {
        let program = program_of(&self.state, begun);
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        let lanes = self.state.points[point].lanes().iter().skip(1);
        let group = self.state.geometry.of(program.span.block);
        spans.extend(lanes.map(|lane| {
            let page = program.span.page + group.pages_of(lane.offset);
            Span { block: lane.block, page, ..program.span }
        }));
        self.note_program(io, (program.span, &spans));
        let stamp = self.issue(io, Program { others: &spans, ..program }, after, waiters);
        self.spans = spans;
        stamp
    }

    /// Reads what the controller noted about a block that somebody is about to collect or to open again.
    #[cold]
    pub(super) fn read_notes<S: Scheduler>(&mut self, io: &mut Io<S>, block: BlockId, rank: Cause) {
        let group = self.group_of_block(block);
        let Media { state, technique, .. } = &mut self.media;
        let rounds = technique.rounds(group);
        if let Some(unit) = rounds.and_then(|owner| owner.notes(state, block)) {
            let units = self.state.geometry.groups[group].units_per_page;
            let sake = ReadOrigin { accounted_to: Cause::Technique, ..ReadOrigin::of(rank) };
            self.read_page(io, self.state.geometry.located(unit), units, sake);
        }
    }

    /// Reads what an operation of the technique on `unit` needs besides its data, for whoever waits for
    /// it; returns what must be over before it starts.
    pub(super) fn prepare<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        unit: Unit,
        row: u8,
        sake: ReadOrigin,
        after: &S::Join,
    ) -> S::Join {
        let mut all = S::Join::default();
        io.sched.merge(&mut all, after);
        let first = self.state.geometry.located(unit);
        let group = self.state.geometry.group_of(first.block);
        let units_per_page = self.state.geometry.groups[group].units_per_page;
        let sake = ReadOrigin { accounted_to: Cause::Technique, ..sake };
        for page in 0..self.state.ops.row(row).pages_read_first {
            let further = page * units_per_page;
            let at = Located { unit: unit.plus(further), place: first.place + further, ..first };
            let stamp = self.read_page(io, at, units_per_page, sake);
            io.sched.join(&mut all, stamp);
        }
        all
    }
}

impl<T: Hooks> Media<T> {
    /// Hands a command to the flash.
    #[inline(always)]
    pub(super) fn issue<'a, S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        order: impl Order<'a>,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        if T::IS_WATCHED {
            tell_command(&mut self.door.tape, &self.state, io, order);
        }
        self.issue_untold(io, order, after, waiters)
    }

    /// Hands a command to the flash of which a recording knows.
    #[inline(always)]
    pub(super) fn issue_untold<'a, S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        order: impl Order<'a>,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let ticket = if T::IN_USE { self.take_command(io, order) } else { NO_TICKET };
        let place = if T::IN_USE { self.state.superblocks.as_ref() } else { None };
        order.carry_out(io, &self.state, place, ticket, after, waiters)
    }

    /// The flash takes a command, and stops the run at one that it could not carry out.
    #[inline(always)]
    fn take_command<'a, S: Scheduler>(&mut self, io: &mut Io<S>, order: impl Order<'a>) -> u32 {
        self.drain_notices(io);
        let Some(chips) = &mut self.door.chips else { return NO_TICKET };
        let ticket = chips.take(&self.state, order, &mut self.read_only);
        if !S::TIMED {
            io.requests.over_at_once(ticket, io.sched.now_ns());
        }
        ticket
    }

    /// What has begun and ended since is noted, and told to the technique where it asked.
    #[inline]
    pub fn drain_notices<S: Scheduler>(&mut self, io: &mut Io<S>) {
        if !io.requests.notices.is_empty() {
            self.note_phases(io);
        }
    }

    fn note_phases<S: Scheduler>(&mut self, io: &mut Io<S>) {
        let Some(chips) = &mut self.door.chips else { return };
        for notice in io.requests.notices.drain(..) {
            if let Some(ended) = chips.take_notice(&self.state, notice)
                && let Some(promises) = self.technique.promises_mut()
            {
                promises.ended(&self.state, ended.ticket, ended.end_ns);
            }
        }
    }

    /// May the technique's operation be applied to these pages? If not the run is stopped.
    pub(super) fn allows(&mut self, row: u8, spans: &[Span]) -> bool {
        let allowed = self.door.chips.as_mut().is_none_or(|it| it.allows(&self.state, row, spans));
        self.read_only |= !allowed;
        allowed
    }
}

/// The program of a write point, in its first lane.
#[inline(always)]
pub(super) fn program_of(state: &DriveState, begun: &Begun) -> Program<'static> {
    let &Begun { place, shape, block, closes_block, cause, register_plane, .. } = begun;

    let group = state.geometry.group_of(block);
    let copies = register_plane == Some(state.geometry.plane_of(block));
    let extent = extent_of(shape, &state.layout.fillings[group]);
    let group = &state.geometry.groups[group];
    let (page, pages) = (group.page_of(place + shape.offset), group.pages_of(shape.units));
    let span = Span { block, page, pages };
    let data = if copies { Data::Copied } else { Data::New };
    let (row, ticket, urgent, others) = (shape.row, None, false, &[]);
    Program { span, others, row, extent, data, closes_block, cause, ticket, urgent }
}

/// Which of a row's times a program of this shape takes.
#[inline(always)]
fn extent_of(shape: ProgramShape, filling: &Filling) -> Extent {
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
