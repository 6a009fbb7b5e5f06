//! An open block (or one per plane, side by side) and the program that is being filled.

use super::shape::{Content, ExtraProgram, ProgramShape, Shape, Step};
use super::stripe::Stripe;
use crate::ids::{BlockId, Unit};
use crate::nand::command::{CAUSES, Cause};
use crate::nand::{Geometry, Located, PROGRAM};

/// An open block, or the part of a superblock that lies in one plane of each die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lane {
    /// The block.
    pub block: BlockId,
    /// Its first unit; of a part, that of its first program.
    pub first_unit: Unit,
    /// Where that lies in the block.
    pub offset: u32,
}

/// Units that follow one another in an open block, each a program of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    /// The first of them.
    pub to: Located,
    /// How many there are.
    pub room: u32,
    /// How each is programmed.
    pub shape: ProgramShape,
}

impl Lane {
    /// The first lane begins where its block does.
    #[inline]
    fn at(self, place: u32) -> Located {
        Located { unit: self.first_unit.plus(place), block: self.block, place }
    }

    #[inline]
    fn at_in_part(self, place: u32) -> Located {
        let Located { unit, block, place } = self.at(place);
        Located { unit, block, place: place + self.offset }
    }
}

/// Where a stream's next unit goes within a scope.
#[derive(Debug, Clone, Default)]
pub struct WritePoint {
    /// The open blocks, or parts of one; none when nothing is open.
    lanes: Vec<Lane>,
    /// The first of them, and how many take data, at hand for every unit that is written.
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
    /// Units of a program within each block.
    width: u32,
    /// What the current step writes.
    content: Content,
    /// By cause: true for what stays here, as long as there is room, whatever the technique places elsewhere.
    settled: [bool; CAUSES],
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
        let parts = shape.stripe.map_or(1, |stripe| stripe.planes);
        self.lanes.extend(blocks.iter().flat_map(|&block| {
            let offsets = (0..parts).map(move |part| part * shape.stride());
            let first_unit = geometry.first_unit(block);
            offsets.map(move |offset| Lane { block, first_unit: first_unit.plus(offset), offset })
        }));
        (self.first, self.lane_count) = (self.lanes[0], self.lanes.len() as u32);
        (self.shape, self.place, self.begun, self.filled) = (shape, place, 0, 0);
        self.content = Content::Data;
        (self.units_per_page, self.width) = (group.units_per_page, shape.width());
        self.room = shape.room(place, until) * blocks.len() as u32;
        self.count_lanes();
    }

    /// How many lanes of a superblock take data in the program that is current since the last one ended.
    pub(crate) fn count_lanes(&mut self) {
        if let Some(stripe) = self.shape.stripe {
            self.lane_count = stripe.data_planes(self.program());
        }
    }

    /// The number of the current program of a superblock.
    fn program(&self) -> u32 {
        self.place / self.shape.step
    }

    /// What the current program of a superblock holds if it holds no data; `None`: data, or the block has ended.
    pub(crate) fn besides_data(&self) -> Option<ExtraProgram> {
        let stripe = self.shape.stripe.filter(|_| self.place < self.shape.until)?;
        let is_metadata = stripe.is_metadata(self.program());
        let besides = if is_metadata { ExtraProgram::Metadata } else { ExtraProgram::Parity };
        (self.lane_count == 0).then_some(besides)
    }

    /// Units of parity in the current program.
    pub(crate) fn parity_units(&self) -> u32 {
        let planes = self.shape.stripe.map_or(0, |stripe| stripe.parity_planes(self.program()));
        planes * self.shape.units
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
        self.width = units;
        (self.place, self.begun, self.room) = (from, 0, units + later);
    }

    /// Whether the current step is the controller's own, which waits for nothing.
    #[inline]
    pub(crate) fn is_for_notes(&self) -> bool {
        self.content == Content::Notes
    }

    /// Whether the current step codes its data over what its page holds.
    #[inline]
    pub(crate) fn codes(&self) -> bool {
        self.content == Content::Coded
    }

    /// Whose units the technique lets stay where the drive puts them, as long as there is room.
    pub(crate) fn set_settled(&mut self, settled: [bool; CAUSES]) {
        self.settled = settled;
    }

    /// Whether a unit goes to this write point without a look at it: the technique lets it, and there is room.
    #[inline]
    pub(crate) fn settles(&self, cause: Cause) -> bool {
        self.settled[cause as usize] && self.room > 0
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

    /// How it lies over planes and dies, if it is a superblock.
    #[inline]
    pub(crate) fn stripe(&self) -> Option<&Stripe> {
        self.shape.stripe.as_ref()
    }

    /// Whether the technique is asked what comes after the current program.
    #[inline]
    pub(crate) fn asks(&self) -> bool {
        self.shape.asks
    }

    /// How the block is filled.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The current program as it will be: of all units that are left of its step, or of those that hold data
    /// where it leaves the rest.
    #[inline]
    pub(crate) fn program_shape(&self, leaves_rest: bool) -> ProgramShape {
        self.shape.program(if leaves_rest { self.filled } else { self.shape.units })
    }

    /// The first of the open blocks.
    #[inline]
    pub fn first_lane(&self) -> Lane {
        debug_assert!(!self.lanes.is_empty(), "nothing is open");
        self.first
    }

    /// How many open blocks, or parts of one, take data.
    #[inline]
    pub fn lane_count(&self) -> u32 {
        self.lane_count
    }

    /// The open blocks, or the parts of one, those without data in the current program among them.
    #[inline]
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The open blocks.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        let parts = self.shape.stripe.map_or(1, |stripe| stripe.planes);
        self.lanes.iter().step_by(parts as usize).map(|lane| lane.block)
    }

    /// True for a place of the current program, which has not been started.
    #[inline]
    pub fn is_pending(&self, place: u32) -> bool {
        let first = self.place + self.shape.offset;
        self.filled > 0 && (first + self.begun..first + self.width).contains(&place)
    }

    /// Takes the next unit; pages of a lane stay together, lanes take turns page by page.
    #[inline]
    pub(crate) fn take(&mut self) -> Located {
        let taken = self.upcoming();
        self.filled += 1;
        self.room -= 1;
        taken
    }

    /// The unit that is taken next.
    #[inline]
    pub(crate) fn upcoming(&self) -> Located {
        let at = self.filled;
        let place = self.place() + self.shape.offset;
        if self.lane_count == 1 {
            return self.first.at(place + at);
        }
        let lanes = self.lane_count;
        let (page, within) = (at / self.units_per_page, at % self.units_per_page);
        let (round, lane) = (page / lanes, page % lanes);
        self.lanes[lane as usize].at_in_part(place + round * self.units_per_page + within)
    }

    /// The units to come up to the end of the block, where each is a program of its own in the only lane;
    /// `None`: there is none, or they are not.
    #[inline]
    pub(crate) fn stretch(&self) -> Option<Stretch> {
        let Shape { offset, units, step, row, asks, stripe, .. } = self.shape;
        let is_plain =
            (offset, units, step, row) == (0, 1, 1, PROGRAM) && !asks && stripe.is_none();
        let is_any = self.lane_count == 1 && self.room > 0;
        let (room, shape) = (self.room, self.program_shape(false));
        (is_plain && is_any).then(|| Stretch { to: self.upcoming(), room, shape })
    }

    /// Takes the first units of a stretch, and ends their programs.
    #[inline]
    pub(crate) fn take_stretch(&mut self, count: u32) {
        debug_assert!(self.filled == 0 && self.begun == 0 && count <= self.room);
        self.place += count;
        self.room -= count;
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
