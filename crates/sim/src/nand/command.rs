//! What may be asked of flash: commands to dies, how pages are sensed, and for whose sake.

use super::{Loops, READ, Span};
use crate::ids::Unit;
use crate::util::NONE;

/// A host request in flight.
pub type RequestId = u32;

/// The ticket of an operation of which nobody asks to hear.
pub const NO_TICKET: u32 = NONE;

/// Who asked for an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Cause {
    /// A host request.
    Host,
    /// Garbage collection.
    Gc,
    /// The map.
    Mapping,
    /// Wear levelling.
    Wear,
    /// A technique.
    Technique,
    /// Checkpoints and the journal that a restart reads; what superblocks hold besides data and parity.
    Metadata,
    /// Refresh: data that has become old.
    Refresh,
    /// Read reclaim: data whose block was read often.
    Reclaim,
}

/// Causes, for tables indexed by them.
pub const CAUSES: usize = 8;

impl Cause {
    /// All of them.
    pub const ALL: [Self; CAUSES] = [
        Self::Host,
        Self::Gc,
        Self::Mapping,
        Self::Wear,
        Self::Technique,
        Self::Metadata,
        Self::Refresh,
        Self::Reclaim,
    ];
}

/// A command to a die.
#[derive(Debug, Clone, Copy)]
pub enum Command<'a> {
    /// Programs pages.
    Program(Program<'a>),
    /// Reads pages.
    Read(Read<'a>),
    /// Erases blocks.
    Erase(Erase<'a>),
}

impl<'a> From<Program<'a>> for Command<'a> {
    fn from(program: Program<'a>) -> Self {
        Self::Program(program)
    }
}

impl<'a> From<Read<'a>> for Command<'a> {
    fn from(read: Read<'a>) -> Self {
        Self::Read(read)
    }
}

impl<'a> From<Erase<'a>> for Command<'a> {
    fn from(erase: Erase<'a>) -> Self {
        Self::Erase(erase)
    }
}

/// What a program takes: which of a row's times count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The time of each page.
    Pages,
    /// The time of each whole word line.
    WordLines,
    /// The time of a whole word line, of which it is a part.
    PartOfWordLine,
    /// The time of its first page: one operation, however many pages it covers.
    Once,
}

/// Where the data of a program comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// From the controller.
    New,
    /// From the register of the plane, into which it was read.
    Copied,
    /// From the cells themselves: what the pages hold stays as it is.
    Kept,
}

/// A program of pages of one die.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// The pages.
    pub span: Span,
    /// Those of a block in each of further planes, or that belong together with them.
    pub others: &'a [Span],
    /// The operation's row; [`PROGRAM`](crate::nand::PROGRAM) is whatever the block's last erase said.
    pub row: u8,
    /// What it takes.
    pub extent: Extent,
    /// Where its data comes from.
    pub data: Data,
    /// Whether nothing is programmed to the block after it.
    pub closes_block: bool,
    /// Who asked.
    pub cause: Cause,
    /// Who is to be told when it ends: a name of the technique's own.
    pub ticket: Option<u32>,
    /// Whether it goes before whatever else waits for its die.
    pub urgent: bool,
}

/// How a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadPlan {
    /// The operation's row; [`READ`] is whatever the block's last erase said.
    pub row: u8,
    /// Times that the array senses the page: retries are further sensings.
    pub sensings: u32,
    /// A unit of another plane of the die without which the data cannot be read.
    pub along: Option<Unit>,
}

impl ReadPlan {
    /// One sensing by a row.
    pub fn once(row: u8) -> Self {
        Self { row, sensings: 1, along: None }
    }
}

/// How a page is sensed.
#[derive(Debug, Clone, Copy)]
pub struct Sensing {
    /// The operation's row; [`READ`] is whatever the block's last erase said.
    pub row: u8,
    /// How often.
    pub times: u32,
}

impl Sensing {
    /// As the conventional drive does.
    pub const CONVENTIONAL: Self = Self { row: READ, times: 1 };

    /// As a plan says.
    #[inline(always)]
    pub fn of(plan: &ReadPlan) -> Self {
        Self { row: plan.row, times: plan.sensings }
    }

    /// With so many further sensings.
    #[inline(always)]
    pub fn again(self, times: u32) -> Self {
        Self { times: self.times + times, ..self }
    }
}

/// A read of pages of one die.
#[derive(Debug, Clone, Copy)]
pub struct Read<'a> {
    /// The pages.
    pub span: Span,
    /// How they are sensed.
    pub sensing: Sensing,
    /// Those of further planes.
    pub others: &'a [Span],
    /// How these are sensed.
    pub other_sensings: &'a [Sensing],
    /// Units that cross the channel.
    pub units: u32,
    /// Whose read it counts as.
    pub cause: Cause,
    /// Who waits for it, which says how urgent it is.
    pub rank: Cause,
}

/// An erase of blocks of one die.
#[derive(Debug, Clone, Copy)]
pub struct Erase<'a> {
    /// All pages of the block.
    pub span: Span,
    /// Those of blocks in further planes.
    pub others: &'a [Span],
    /// Its loops: those of the block that takes longest; of a superblock, of each die that has one.
    pub loops: &'a [Loops],
    /// Energy of all blocks.
    pub energy_nj: u64,
    /// Who asked.
    pub cause: Cause,
}

impl Read<'_> {
    /// How the pages at a place among all of its own are sensed.
    pub fn sensing_of(&self, at: usize) -> Sensing {
        at.checked_sub(1).map_or(self.sensing, |other| self.other_sensings[other])
    }
}

impl Command<'_> {
    /// Who asked for it.
    pub fn cause(&self) -> Cause {
        match self {
            Self::Program(program) => program.cause,
            Self::Read(read) => read.cause,
            Self::Erase(erase) => erase.cause,
        }
    }

    /// The name under which its technique wants to hear of it.
    pub fn asked(&self) -> Option<u32> {
        match self {
            Self::Program(program) => program.ticket,
            Self::Read(_) | Self::Erase(_) => None,
        }
    }

    /// The pages that it works on: the first, and the others.
    #[inline]
    pub fn pages(&self) -> (Span, &[Span]) {
        match self {
            Self::Program(program) => (program.span, program.others),
            Self::Read(read) => (read.span, read.others),
            Self::Erase(erase) => (erase.span, erase.others),
        }
    }
}
