//! The flash as it is, beside what the controller believes: what each word line has been through, the
//! marks in its out-of-band areas, and the commands that have not ended.

use super::image::Image;
use super::io::Order;
use super::marks::{Mark, Marks};
use super::medium::{From, Issued, Medium};
use super::metadata::{Area, Note};
use super::recording::{FIRST, Holds, OpKind, RecordedSpan, Recording, Versions};
use crate::drive::DriveState;
use crate::engine::{Notice, Phase};
use crate::ids::{BlockId, Lpn, Unit};
use crate::nand::command::{Command, NO_TICKET};
use crate::nand::{Span, WordLines};
use rustc_hash::FxHashMap;

/// A command that its technique asked to hear of, and that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its name.
    pub ticket: u32,
    /// When it ended.
    pub end_ns: u64,
}

/// A command that has not ended, where somebody keeps what its pages hold.
#[derive(Debug, Clone)]
struct UnderWay {
    /// The name by which its technique wants to hear of it.
    asked: Option<u32>,
    has_begun: bool,
    /// Its place in the recording.
    recorded: Option<usize>,
    /// Its pages; most commands have no others, and take no memory for them.
    span: Span,
    others: Vec<Span>,
}

/// The flash of a drive with a technique.
pub struct Chips {
    /// What each word line has been through.
    pub lines: WordLines,
    marks: Option<Marks>,
    /// The data, where there is any.
    medium: Option<Box<dyn Medium>>,
    /// Whether either keeps what the pages hold: asked for every command.
    is_watched: bool,
    /// The host's versions, and what is done with them, while that is recorded.
    versions: Option<Versions>,
    recording: Option<Box<Recording>>,
    /// The area for metadata at the start of a recording, and what the next command does to it.
    area: Area,
    note: Option<Note>,
    under_way: FxHashMap<u32, UnderWay>,
    next_ticket: u32,
    pub(super) illegal: Option<String>,
}

impl Chips {
    /// Erased flash.
    pub fn new(state: &DriveState) -> Self {
        Self {
            lines: WordLines::new(&state.geometry),
            marks: None,
            medium: None,
            is_watched: false,
            versions: None,
            recording: None,
            area: Area::default(),
            note: None,
            under_way: FxHashMap::default(),
            next_ticket: 0,
            illegal: None,
        }
    }

    /// Keeps a mark for every unit from now on.
    pub fn keep_marks(&mut self, state: &DriveState) {
        self.marks = Some(Marks::new(state.geometry.units()));
        self.is_watched = true;
    }

    /// Tells `medium` of all data from now on.
    pub fn carry(&mut self, medium: Box<dyn Medium>) {
        self.medium = Some(medium);
        self.is_watched = true;
    }

    /// What keeps the data.
    pub fn medium_mut(&mut self) -> Option<&mut dyn Medium> {
        self.medium.as_deref_mut()
    }

    /// Records, from now on, what is programmed and erased; marks have to be kept.
    pub fn record(&mut self, state: &DriveState, is_timed: bool) {
        let Some(marks) = &self.marks else { return };
        let erases = state.blocks.iter().map(|block| block.erases).collect();
        let start = Holds {
            marks: marks.all(),
            lines: self.lines.clone(),
            erases,
            area: self.area.clone(),
        };
        self.recording = Some(Box::new(Recording::new(start, is_timed)));
        self.versions.get_or_insert_with(|| Versions::new(state.logical_units));
    }

    /// The flash holds what a restart found; no command is under way.
    pub fn take_up(&mut self, image: &Image) {
        self.lines.clone_from(&image.held.lines);
        self.area.clone_from(&image.held.area);
        // A medium has marks of its own, and nobody records what it serves.
        if self.medium.is_some() {
            return;
        }
        self.marks = Some(Marks::found(&image.held.marks, image.written));
        self.is_watched = true;
        self.versions = Some(Versions::found(image.versions.clone()));
    }

    /// What was recorded, which then ends.
    pub fn take_recording(&mut self) -> Option<Recording> {
        self.recording.take().map(|recording| *recording)
    }

    /// The host writes or trims a unit: the version that it then has, where that is counted.
    pub fn next_version(&mut self, lpn: Lpn) -> Option<u32> {
        self.versions.as_mut().map(|versions| versions.next(lpn))
    }

    /// The present by the clock of what is recorded.
    pub fn now(&self, now_ns: u64) -> u64 {
        self.recording.as_ref().map_or(now_ns, |recording| recording.now(now_ns))
    }

    /// The marks, where they are kept.
    pub fn marks(&self) -> Option<&Marks> {
        self.marks.as_ref()
    }

    /// The first command that the flash could not have carried out, if there was one.
    pub fn illegal(&self) -> Option<&str> {
        self.illegal.as_deref()
    }

    /// A block was filled directly, up to its [`next`](crate::nand::Block::next) unit.
    pub fn preset(&mut self, state: &DriveState, block: BlockId) {
        let group = state.geometry.of(block);
        let units = state.blocks[block].next;
        self.lines.fill(block, group.pages_of(units));
        if !self.is_watched {
            return;
        }
        let first = state.geometry.first_unit(block);
        for unit in state.valid.places(block).map(|place| first.plus(place)) {
            let lpn = state.lpn_of(unit);
            if let Some(marks) = &mut self.marks {
                marks.stage(unit, lpn, FIRST);
                marks.program(unit);
            }
            if let Some(medium) = &mut self.medium {
                medium.preset(state, unit, lpn);
            }
        }
    }

    /// A unit was given a place: what its out-of-band area will hold, and where its data comes from.
    #[inline]
    pub fn stage(&mut self, state: &DriveState, unit: Unit, lpn: Lpn, from: impl FnOnce() -> From) {
        if self.is_watched {
            self.stage_watched(state, unit, lpn, from());
        }
    }

    fn stage_watched(&mut self, state: &DriveState, unit: Unit, lpn: Lpn, from: From) {
        if let Some(marks) = &mut self.marks {
            let version = self.versions.as_ref().map_or(FIRST, |versions| versions.of(lpn));
            marks.stage(unit, lpn, version);
        }
        if let Some(medium) = &mut self.medium {
            medium.stage(state, unit, lpn, from);
        }
    }

    /// A copy of what a unit holds was given a place.
    pub fn stage_copy(&mut self, state: &DriveState, unit: Unit, of: Unit) {
        if let Some(marks) = &mut self.marks {
            marks.stage_copy(unit, of);
        }
        if let Some(medium) = &mut self.medium {
            medium.stage_copy(state, unit, of);
        }
    }

    /// What the next command does to the area for metadata; nobody asks where nothing is recorded.
    pub fn note(&mut self, note: Note) {
        self.note = Some(note).filter(|_| self.recording.is_some());
    }

    /// The number of the unit that was written last; 0 where marks are not kept.
    pub fn written(&self) -> u64 {
        self.marks.as_ref().map_or(0, Marks::written)
    }

    /// Whether every page of a unit was programmed.
    pub fn holds(&self, span: Span) -> bool {
        (span.page..span.end()).all(|page| self.lines.holds(Span { page, pages: 1, ..span }))
    }

    /// Asks the cache for what is kept of the word line of a page.
    #[inline]
    pub fn prefetch_page(&self, block: BlockId, page: u32) {
        self.lines.prefetch_page(block, page);
    }

    /// Asks the cache for what is kept of all word lines of a block.
    #[inline]
    pub fn prefetch_block(&self, block: BlockId) {
        self.lines.prefetch_block(block);
    }

    /// Whether nothing was programmed to a block since its last erase.
    pub fn is_erased(&self, block: BlockId) -> bool {
        self.lines.is_erased(block)
    }

    /// The flash takes a command; returns the ticket under which its phases are told. One that it could not
    /// carry out `stops` the run.
    #[inline(always)]
    pub fn take<'a, O: Order<'a>>(
        &mut self,
        state: &DriveState,
        order: O,
        stops: &mut bool,
    ) -> u32 {
        if !O::READS && state.superblocks.is_some() {
            self.take_in_superblock(state, &order.into(), stops);
        }
        if self.is_watched {
            return self.take_watched(state, &order.into(), stops);
        }
        let (span, others) = order.pages();
        if !O::READS || !self.lines.holds(span) {
            self.carry_out(state, order.row(state), &span, stops);
        }
        if !others.is_empty() {
            self.take_others(state, &order.into(), stops);
        }
        // Nobody else hears of it, so that its technique's name for it will do.
        order.asked().unwrap_or(NO_TICKET)
    }

    /// The pages of further planes.
    #[inline(never)]
    fn take_others(&mut self, state: &DriveState, command: &Command<'_>, stops: &mut bool) {
        for (at, &span) in command.pages().1.iter().enumerate() {
            self.carry_out(state, state.row_of(command, at + 1, span.block), &span, stops);
        }
    }

    /// Takes a command where somebody keeps what the pages hold.
    #[inline(never)]
    fn take_watched(&mut self, state: &DriveState, command: &Command<'_>, stops: &mut bool) -> u32 {
        let (span, others) = command.pages();
        if matches!(command, Command::Read(_)) && others.is_empty() && self.lines.holds(span) {
            return self.name(None, None, span, others);
        }
        for (at, &span) in std::iter::once(&span).chain(others).enumerate() {
            self.carry_out(state, state.row_of(command, at, span.block), &span, stops);
        }
        let written = self.mark(state, command);
        let row = |block| state.row_of(command, 0, block);
        let note = self.note.take();
        let recorded = self.recording.as_mut();
        let energy_nj = || state.changing_nj(command);
        let recorded = recorded.and_then(|it| it.add(command, row, written, note, energy_nj()));
        let ticket = self.name(command.asked(), recorded, span, others);
        if self.medium.is_some() {
            self.tell_medium(state, command, ticket);
        }
        ticket
    }

    /// The medium hears of a program or an erase.
    #[cold]
    fn tell_medium(&mut self, state: &DriveState, command: &Command<'_>, ticket: u32) {
        let (Some(medium), Some(deed)) = (&mut self.medium, OpKind::of(command)) else { return };
        let (first, others) = command.pages();
        let spans = std::iter::once(first).chain(others.iter().copied());
        let row = |at, span: Span| state.row_of(command, at, span.block);
        let done = spans.enumerate().map(|(at, span)| RecordedSpan { span, row: row(at, span) });
        let pages: Vec<_> = done.collect();
        medium.issue(state, &Issued { ticket, deed, pages: &pages });
    }

    /// The ticket under which the phases of a command are told that is watched.
    fn name(
        &mut self,
        asked: Option<u32>,
        recorded: Option<usize>,
        span: Span,
        others: &[Span],
    ) -> u32 {
        let ticket = self.next_ticket;
        self.next_ticket = (ticket + 1) % NO_TICKET;
        let under_way =
            UnderWay { asked, has_begun: false, recorded, span, others: others.to_vec() };
        self.under_way.insert(ticket, under_way);
        ticket
    }

    /// The word lines of a span are as an operation of a row leaves them, if it is legal.
    #[inline(always)]
    fn carry_out(&mut self, state: &DriveState, row: u8, span: &Span, stops: &mut bool) {
        if !self.lines.carry_out(&state.ops, row, span) {
            self.refuse(state, row, span);
            *stops = true;
        }
    }

    /// Notes why an operation is illegal.
    #[cold]
    fn refuse(&mut self, state: &DriveState, row: u8, span: &Span) {
        if let Err(why) = self.lines.judge(&state.ops, row, *span) {
            self.illegal.get_or_insert(why);
        }
    }

    /// What a command does to the marks of its units; returns those of new data, while that is recorded.
    fn mark(&mut self, state: &DriveState, command: &Command<'_>) -> Vec<(Unit, Mark)> {
        let mut written = Vec::new();
        let Some(marks) = &mut self.marks else { return written };
        let is_recorded = self.recording.is_some();
        let (first, others) = command.pages();
        for &span in std::iter::once(&first).chain(others) {
            let group = state.geometry.of(span.block);
            let first = state.geometry.first_unit(span.block);
            let units = group.units_of(span).map(|place| first.plus(place));
            match command {
                Command::Program(_) => units.for_each(|unit| {
                    let mark = marks.program(unit).filter(|_| is_recorded);
                    written.extend(mark.map(|mark| (unit, mark)));
                }),
                Command::Erase(_) => units.for_each(|unit| marks.erase(unit)),
                Command::Read(_) => {}
            }
        }
        written
    }

    /// A command has begun or ended; says so to the medium, and to the technique that asked.
    #[inline]
    pub fn take_notice(&mut self, state: &DriveState, notice: Notice) -> Option<Ended> {
        if self.is_watched {
            return self.watch_notice(state, notice);
        }
        let Notice { ticket, phase, at_ns } = notice;
        (phase == Phase::Ended).then_some(Ended { ticket, end_ns: at_ns })
    }

    /// A command has begun or ended where somebody keeps what the pages hold.
    #[inline(never)]
    fn watch_notice(&mut self, state: &DriveState, notice: Notice) -> Option<Ended> {
        if let Some(medium) = &mut self.medium {
            medium.note_phase(state, notice.ticket, notice.phase);
        }
        match notice.phase {
            Phase::Begun => {
                let command = self.under_way.get_mut(&notice.ticket)?;
                command.has_begun = true;
                if let (Some(place), Some(recording)) = (command.recorded, &mut self.recording) {
                    recording.begun(place, notice.at_ns);
                }
                None
            }
            Phase::Ended => {
                let over = self.under_way.remove(&notice.ticket)?;
                if let (Some(place), Some(recording)) = (over.recorded, &mut self.recording) {
                    recording.ended(place, notice.at_ns);
                }
                let ticket = over.asked?;
                Some(Ended { ticket, end_ns: notice.at_ns })
            }
        }
    }

    /// The commands that have not ended: the pages of each, and whether it has begun.
    pub fn under_way(&self) -> impl Iterator<Item = (impl Iterator<Item = Span>, bool)> {
        let spans =
            |command: &UnderWay| std::iter::once(command.span).chain(command.others.clone());
        self.under_way.values().map(move |command| (spans(command), command.has_begun))
    }
}
