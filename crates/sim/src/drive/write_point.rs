//! An open block (or one per plane, side by side) and the program that is being filled.

use crate::engine::{Cause, RequestId};
use crate::ids::{BlockId, PlaneId, Unit};
use crate::nand::{Geometry, PROGRAM};

/// The programs by which a block is filled, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Units between the start of a step and the start of its program.
    pub offset: u32,
    /// Units of a program in each lane.
    pub units: u32,
    /// Units of a step, the next of which begins where this one ends; they fill the part.
    pub step: u32,
    /// Where the part of the block begins that is filled.
    pub from: u32,
    /// Where it ends: there, or at the end of the block if that comes first.
    pub until: u32,
    /// The operation; [`PROGRAM`] is whatever the block's last erase said.
    pub row: u8,
    /// True where the technique says of each step what it is, when the one before it has been programmed.
    pub asks: bool,
}

/// One program of a block whose steps a technique chooses one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Where it begins.
    pub from: u32,
    /// Its units.
    pub units: u32,
    /// Units that can certainly be placed in the steps after it.
    pub later: u32,
    /// The operation; [`PROGRAM`] is whatever the block's last erase said.
    pub row: u8,
    /// What it writes.
    pub content: Content,
}

/// What a step of a block writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Content {
    /// Data, which it waits for.
    #[default]
    Data,
    /// What the controller notes about the block itself. It follows the program before it at once; the units
    /// hold no data. Never a block's first step.
    Notes,
}

impl Shape {
    /// Every unit of a block in its turn.
    pub const fn dense(units: u32) -> Self {
        Self { offset: 0, units, step: units, from: 0, until: u32::MAX, row: PROGRAM, asks: false }
    }
}

impl Default for Shape {
    fn default() -> Self {
        Self::dense(1)
    }
}

/// An open block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lane {
    /// The block.
    pub block: BlockId,
    /// Its first unit.
    pub first_unit: Unit,
}

/// A unit that is about to hold data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    pub unit: Unit,
    pub block: BlockId,
    /// Where it lies in the block.
    pub place: u32,
}

impl Lane {
    #[inline]
    fn at(self, place: u32) -> Taken {
        Taken { unit: self.first_unit.plus(place), block: self.block, place }
    }
}

/// Where a stream's next unit goes within a scope.
#[derive(Debug, Clone, Default)]
pub struct WritePoint {
    /// The open blocks; none when nothing is open.
    lanes: Vec<Lane>,
    /// The first of them, and how many there are, at hand for every unit that is written.
    first: Lane,
    lane_count: u32,
    shape: Shape,
    /// Where the current step begins in each block.
    place: u32,
    /// Units of the current step that earlier programs have written, where a program may leave some.
    begun: u32,
    /// Units of the current program that hold data.
    filled: u32,
    /// Units that can still be placed.
    room: u32,
    /// Units of a page of these blocks.
    units_per_page: u32,
    /// What the current step writes.
    content: Content,
}

impl WritePoint {
    /// Opens blocks, at least one and all of a kind, to be filled by `shape`; the places of its part
    /// before `place` hold data already.
    pub fn open(&mut self, blocks: &[BlockId], shape: Shape, place: u32, geometry: &Geometry) {
        let group = geometry.of(blocks[0]);
        let (place, until) = (place.max(shape.from), shape.until.min(group.units_per_block));
        assert_eq!(self.room, 0, "the open block is not full yet");
        assert!(until.is_multiple_of(shape.step) && place.is_multiple_of(shape.step));
        self.lanes.clear();
        let lane = |&block: &BlockId| Lane { block, first_unit: geometry.first_unit(block) };
        self.lanes.extend(blocks.iter().map(lane));
        (self.first, self.lane_count) = (self.lanes[0], self.lanes.len() as u32);
        (self.shape, self.place, self.begun, self.filled) = (shape, place, 0, 0);
        self.units_per_page = group.units_per_page;
        let steps = (until - place) / shape.step;
        self.room = steps * shape.units * self.lane_count;
    }

    /// The next step of a shape that asks; `None`: there is none, and the block is full.
    pub(crate) fn set_step(&mut self, step: Option<Step>) {
        debug_assert!(self.filled == 0 && self.lane_count == 1);
        let Some(Step { from, units, later, row, content }) = step else {
            (self.room, self.content) = (0, Content::Data);
            return;
        };
        self.content = content;
        self.shape = Shape { offset: 0, units, step: units, row, ..self.shape };
        (self.place, self.begun, self.room) = (from, 0, units + later);
    }

    /// True where the current step is the controller's own, which waits for nothing.
    #[inline]
    pub(crate) fn is_for_notes(&self) -> bool {
        self.content == Content::Notes
    }

    /// Units that can still be placed.
    #[inline]
    pub fn room(&self) -> u32 {
        self.room
    }

    /// Units of the current program that hold data.
    #[inline]
    pub fn filled(&self) -> u32 {
        self.filled
    }

    /// Units of a program: what is left of its step.
    #[inline]
    pub fn program_units(&self) -> u32 {
        self.shape.units * self.lane_count - self.begun
    }

    /// Where the current program begins in each block, but for the offset of its shape.
    #[inline]
    pub fn place(&self) -> u32 {
        self.place + self.begun
    }

    /// How the block is filled.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The same, with the units of the current program as it will be: all that are left of its step, or
    /// those that hold data where it leaves the rest.
    #[inline]
    pub fn program_shape(&self, leaves_rest: bool) -> Shape {
        let units = if leaves_rest { self.filled } else { self.shape.units };
        Shape { units, ..self.shape }
    }

    /// The first of the open blocks.
    #[inline]
    pub fn first_lane(&self) -> Lane {
        debug_assert!(self.lane_count > 0, "nothing is open");
        self.first
    }

    /// How many blocks are open.
    #[inline]
    pub fn lane_count(&self) -> u32 {
        self.lane_count
    }

    /// The open blocks.
    #[inline]
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// True for a place of the current program, which has not been started.
    #[inline]
    pub fn is_pending(&self, place: u32) -> bool {
        let first = self.place + self.shape.offset;
        self.filled > 0 && (first + self.begun..first + self.shape.units).contains(&place)
    }

    /// Takes the next unit; pages of a lane stay together, lanes take turns page by page.
    #[inline]
    pub(crate) fn take(&mut self) -> Taken {
        let taken = self.upcoming();
        self.filled += 1;
        self.room -= 1;
        taken
    }

    /// The unit that is taken next.
    #[inline]
    pub(crate) fn upcoming(&self) -> Taken {
        let at = self.filled;
        let place = self.place() + self.shape.offset;
        if self.lane_count == 1 {
            return self.first.at(place + at);
        }
        let lanes = self.lane_count;
        let (page, within) = (at / self.units_per_page, at % self.units_per_page);
        let (round, lane) = (page / lanes, page % lanes);
        self.lanes[lane as usize].at(place + round * self.units_per_page + within)
    }

    /// Ends the current program: the rest of its units, if any, stay without data, unless `leaves_rest`
    /// keeps them for the next one (of a single lane). Returns how many stay without.
    #[inline]
    pub fn end_program(&mut self, leaves_rest: bool) -> u32 {
        let missing = self.program_units() - self.filled;
        if leaves_rest && missing > 0 {
            self.begun += std::mem::take(&mut self.filled);
            return 0;
        }
        self.room -= missing;
        self.place += self.shape.step;
        (self.begun, self.filled) = (0, 0);
        missing
    }
}

/// What waits for the current program of a write point.
#[derive(Debug)]
pub struct Pending<J> {
    /// What must be over before it starts.
    pub after: J,
    /// Requests of which a part ends with it.
    pub waiters: Vec<RequestId>,
    /// When it is padded and started, full or not.
    pub deadline_ns: u64,
    /// Who wrote its first unit.
    pub cause: Cause,
    /// The plane within which all of its data is copied; `None` when data crosses the channel.
    pub copied_from_plane: Option<PlaneId>,
}

impl<J: Default> Default for Pending<J> {
    fn default() -> Self {
        Self {
            after: J::default(),
            waiters: Vec::new(),
            deadline_ns: u64::MAX,
            cause: Cause::Host,
            copied_from_plane: None,
        }
    }
}
