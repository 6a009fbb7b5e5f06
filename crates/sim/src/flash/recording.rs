//! What happened to the flash during a run, when, and with which data: from that the flash can be had as it
//! stood at any moment.

use super::marks::Mark;
use super::metadata::{Area, Note};
use crate::ids::{BlockId, ById, Lpn, Unit};
use crate::nand::command::{Cause, Command};
use crate::nand::{Span, WordLines};

/// What a command did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpKind {
    /// It programmed pages.
    Program,
    /// It erased blocks.
    Erase,
}

impl OpKind {
    /// What a command does; `None` for a read, which leaves the flash as it is.
    pub(super) fn of(command: &Command<'_>) -> Option<Self> {
        match command {
            Command::Program(_) => Some(Self::Program),
            Command::Erase(_) => Some(Self::Erase),
            Command::Read(_) => None,
        }
    }
}

/// Pages of a block to which something was done, and the row of the operation.
#[derive(Debug, Clone, Copy)]
pub struct RecordedSpan {
    /// The pages.
    pub span: Span,
    /// The row.
    pub row: u8,
}

/// A program or an erase.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// What it did.
    pub deed: OpKind,
    /// Its pages.
    pub done: Vec<RecordedSpan>,
    /// The units that it gave new data, and their marks.
    pub written: Vec<(Unit, Mark)>,
    /// What it did to the area for metadata.
    pub metadata: Option<Note>,
    /// Who asked for it.
    pub cause: Cause,
    /// What it takes, nanojoules.
    pub energy_nj: u64,
    /// When its die took it up: nanoseconds, or steps where nothing takes time; `u64::MAX`: never.
    pub begin: u64,
    /// When it was over.
    pub end: u64,
}

impl Recorded {
    /// Blocks that it erased.
    pub fn erases(&self) -> u64 {
        if self.deed == OpKind::Erase { self.done.len() as u64 } else { 0 }
    }

    /// Whether power can fail in its midst.
    pub fn takes_time(&self) -> bool {
        self.begin < self.end
    }
}

/// What the flash holds at a moment.
#[derive(Debug, Clone)]
pub struct Holds {
    /// The marks of units that can be read.
    pub marks: ById<Unit, Option<Mark>>,
    /// What each word line has been through.
    pub lines: WordLines,
    /// P/E cycles of each block.
    pub erases: ById<BlockId, u32>,
    /// The area for metadata.
    pub area: Area,
}

/// The programs and erases of a run, in the order in which they were issued.
#[derive(Debug, Clone)]
pub struct Recording {
    /// What the flash held as the run began.
    pub start: Holds,
    /// What was done.
    pub commands: Vec<Recorded>,
    /// Whether time exists; otherwise commands are numbered, two steps each.
    is_timed: bool,
}

impl Recording {
    /// Nothing has been done yet.
    pub fn new(start: Holds, is_timed: bool) -> Self {
        Self { start, commands: Vec::new(), is_timed }
    }

    /// A command is issued; returns its place among those that are kept.
    pub(super) fn add(
        &mut self,
        command: &Command<'_>,
        rows: impl Fn(BlockId) -> u8,
        written: Vec<(Unit, Mark)>,
        metadata: Option<Note>,
        energy_nj: u64,
    ) -> Option<usize> {
        let deed = OpKind::of(command)?;
        let cause = command.cause();
        let (first, others) = command.pages();
        let spans = std::iter::once(first).chain(others.iter().copied());
        let done = spans.map(|span| RecordedSpan { span, row: rows(span.block) }).collect();
        let place = self.commands.len();
        let (begin, end) = (u64::MAX, u64::MAX);
        let recorded = Recorded { deed, done, written, metadata, cause, energy_nj, begin, end };
        self.commands.push(recorded);
        Some(place)
    }

    /// A command has begun.
    pub(super) fn begun(&mut self, place: usize, at_ns: u64) {
        self.commands[place].begin = if self.is_timed { at_ns } else { 2 * place as u64 + 1 };
    }

    /// A command is over.
    pub(super) fn ended(&mut self, place: usize, at_ns: u64) {
        self.commands[place].end = if self.is_timed { at_ns } else { 2 * place as u64 + 2 };
    }

    /// The present, by the clock of the commands.
    pub fn now(&self, now_ns: u64) -> u64 {
        if self.is_timed { now_ns } else { 2 * self.commands.len() as u64 }
    }
}

/// How often each logical unit was written or trimmed by the host; the data of the start is the first version.
#[derive(Debug, Clone)]
pub struct Versions(ById<Lpn, u32>);

/// The version of what a drive held before the run.
pub const FIRST: u32 = 1;

impl Versions {
    /// Nothing was written yet.
    pub fn new(logical_units: u64) -> Self {
        Self(ById::filled(FIRST, logical_units))
    }

    /// Those that a restart found.
    pub(super) fn found(versions: ById<Lpn, u32>) -> Self {
        Self(versions)
    }

    /// The version of a unit's newest data; of pages of the map, which the host does not know, the first.
    pub fn of(&self, lpn: Lpn) -> u32 {
        self.0.get(lpn).copied().unwrap_or(FIRST)
    }

    /// The host writes or trims a unit: returns the new version.
    pub fn next(&mut self, lpn: Lpn) -> u32 {
        self.0[lpn] += 1;
        self.0[lpn]
    }
}
