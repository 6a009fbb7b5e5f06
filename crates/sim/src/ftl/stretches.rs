//! Moves in stretches: where no technique has a say and each unit is a page and a program of its own, what is
//! true of one unit of a victim is true of all that follow it into the same open block, and is looked at once.

use super::issue::{Begun, program_of};
use super::moving::{Job, ask_ahead};
use super::origin::Origin;
use super::{Backend, Io};
use crate::drive::{DriveState, Stretch};
use crate::engine::Scheduler;
use crate::flash::Alike;
use crate::ids::{AT_ONCE, Id, Lpn, PointId, Unit};
use crate::nand::command::{Cause, Data, Extent, Program, Read, Sensing};
use crate::nand::{Located, PROGRAM, READ, Span};
use crate::technique::{Hooks, PageRead};

/// What is the same for all moves of a stretch.
struct Course {
    point: PointId,
    to: Stretch,
    reads: Alike,
    programs: Alike,
}

impl<T: Hooks> Backend<T> {
    /// Moves the next valid units of a victim to its write point as long as that has room, as so many times
    /// `Allocator::move_next`; false where that has to be asked.
    pub(super) fn move_stretch<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        job: &mut Job<S::Join>,
    ) -> bool {
        if T::IN_USE || !moves_pages(&self.state, job) {
            return false;
        }
        let of_scope = self.state.layout.group_of_scope(job.home.scope);
        debug_assert_eq!(of_scope, self.state.geometry.group_of(job.victim), "another kind");
        let point = self.state.point_of(job.home.scope, job.home.stream);
        let Some(to) = self.state.points[point].stretch() else { return false };
        let mut course = Course { point, to, reads: Alike::default(), programs: Alike::default() };
        let is_costed = S::TIMED || self.settings.watches_pages;
        let (mut count, is_wide, first) = (0, self.state.map.is_wide(), job.from);
        while count < to.room
            && let Some(place) = self.state.valid.take(job.victim, job.from)
        {
            job.from = place + 1;
            ask_ahead(&self.state, job);
            let (from, to) = (job.home.first_unit.plus(place), to.to.unit.plus(count));
            match is_wide {
                true => rebind::<true>(&mut self.state, from, to),
                false => rebind::<false>(&mut self.state, from, to),
            }
            if is_costed {
                self.issue_move(io, job, &mut course, (place, count));
            }
            count += 1;
        }
        let of_cause = job.cause as usize;
        if !is_costed {
            io.counters.reads[of_cause] += u64::from(count);
            io.counters.program_ops += u64::from(count);
        }
        io.counters.programs[of_cause] += u64::from(count);
        let media = &mut self.media;
        if T::IS_WATCHED
            && let Some(tape) = &mut media.door.tape
        {
            let (from, to) = ((job.victim, first..job.from), (course.to.to, count, job.cause));
            tape.moved(&media.state, from, to, (&io.counters, io.sched.now_ns()));
        }
        self.end_stretch(io, job, &course, count);
        count > 0
    }

    /// Puts a unit where a stretch begins, and starts its program.
    #[inline(always)]
    pub(super) fn put_page<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        stretch: &Stretch,
        lpn: Lpn,
        cause: Cause,
        origin: &Origin<'_, S::Join>,
    ) {
        let &Stretch { to, room, shape } = stretch;
        let old = origin.old.unwrap_or_else(|| self.state.unit_of(lpn));
        let now_ns = io.sched.now_ns();
        let media = &mut self.media;
        if T::IS_WATCHED
            && let Some(tape) = &mut media.door.tape
        {
            tape.put_page(&media.state, to, (lpn, old), cause, (&io.counters, now_ns));
        }
        self.bind_untold(lpn, old, to, cause, now_ns);
        ask_for_line_after(&self.state, to.unit);
        io.counters.programs[cause as usize] += 1;
        self.state.points[point].take_stretch(1);
        let (place, block, closes_block) = (to.place, to.block, room == 1);
        if S::TIMED || self.settings.watches_pages {
            let (lanes, register_plane) = (1, None);
            let begun = Begun { place, shape, block, lanes, closes_block, cause, register_plane };
            let program = program_of(&self.state, &begun);
            self.note_program(io, (program.span, &[]));
            self.issue_untold(io, program, origin.after, origin.waiter.as_slice());
        } else {
            io.counters.program_ops += 1;
        }
        self.advance_block(block, place + 1, closes_block);
    }

    /// Reads the page at a place of a victim, and programs the `count`th page of a stretch.
    #[inline(always)]
    fn issue_move<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        job: &Job<S::Join>,
        course: &mut Course,
        (place, count): (u32, u32),
    ) {
        let (cause, to) = (job.cause, &course.to);
        let mut after = S::Join::default();
        let (span, sensing) =
            (Span { block: job.victim, page: place, pages: 1 }, Sensing::CONVENTIONAL);
        let (others, other_sensings) = (&[], &[]);
        let read = Read { span, sensing, others, other_sensings, units: 1, cause, rank: cause };
        let at = Located { unit: job.home.first_unit.plus(place), block: job.victim, place };
        let of = (&self.media.state, &*self.media.erase_scheme, false);
        let when = (io.sched.now_ns(), cause);
        let stamp = match self.reader.sensed(of, &at, &PageRead::of(READ), when) {
            None => io.read_alike(&self.media.state, &mut course.reads, read),
            sensed => {
                let again = self.reader.again(read, sensed);
                self.issue_untold(io, again, &S::Join::default(), &[])
            }
        };
        io.sched.join(&mut after, stamp);
        let (block, place) = (to.to.block, to.to.place + count);
        let closes_block = count + 1 == to.room;
        if closes_block {
            let (shape, lanes, register_plane) = (to.shape, 1, None);
            let begun = Begun { place, shape, block, lanes, closes_block, cause, register_plane };
            let program = program_of(&self.state, &begun);
            self.issue_untold(io, program, &after, &[]);
            return;
        }
        let program = Program {
            span: Span { block, page: place, pages: 1 },
            others: &[],
            row: PROGRAM,
            extent: Extent::Pages,
            data: Data::New,
            closes_block,
            cause,
            ticket: None,
            urgent: false,
        };
        io.program_alike(&self.state, &mut course.programs, program, &after);
    }

    /// `count` units of a victim are where a stretch leads.
    fn end_stretch<S: Scheduler>(
        &mut self,
        io: &Io<S>,
        job: &mut Job<S::Join>,
        course: &Course,
        count: u32,
    ) {
        let Stretch { to, room, .. } = course.to;
        job.moved += count;
        self.state.blocks[job.victim].valid -= count;
        self.state.occupy_stretch(to, count);
        self.state.points[course.point].take_stretch(count);
        if count > 0 {
            let span = Span { block: to.block, page: to.place, pages: count };
            self.note_program(io, (span, &[]));
            self.advance_block(to.block, to.place + count, count == room);
        }
    }
}

/// Whether the units of a victim are pages that are moved one by one, whatever they hold. They stay in their
/// kind of flash, whose valid units are as many as before.
fn moves_pages<J>(state: &DriveState, job: &Job<J>) -> bool {
    let group = state.geometry.of(job.victim);
    let has_map_pages = state.map.count() > state.logical_units;
    !has_map_pages && !job.home.copy_back && (group.units_per_page, group.pages_per_unit) == (1, 1)
}

/// The maps follow a unit to its new place.
#[inline(always)]
fn rebind<const WIDE: bool>(state: &mut DriveState, unit: Unit, to: Unit) {
    let lpn = state.reverse.some::<WIDE>(unit);
    state.join::<WIDE>(lpn, to);
    ask_for_line_after(state, to);
}

/// Asks the cache for the next line of the reverse map, where a unit begins one.
#[inline(always)]
fn ask_for_line_after(state: &DriveState, unit: Unit) {
    if unit.number().is_multiple_of(AT_ONCE.into()) {
        state.reverse.prefetch(unit.plus(AT_ONCE));
    }
}
