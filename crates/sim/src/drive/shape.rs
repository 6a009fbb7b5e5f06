//! The programs by which a block is filled, and what they write.

use super::stripe::Stripe;
use crate::nand::PROGRAM;

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
    /// Whether the technique says of each step what it is, when the one before it has been programmed.
    pub asks: bool,
    /// Of a superblock: how it lies over planes and dies.
    pub stripe: Option<Stripe>,
}

/// What of a shape says how one of its programs is carried out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProgramShape {
    /// Units between the start of the step and the start of the program.
    pub offset: u32,
    /// Units of the program in each lane.
    pub units: u32,
    /// Units of the step.
    pub step: u32,
    /// The operation.
    pub row: u8,
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
    /// Data, coded over what its page holds: the technique may think better of the first unit, and flash
    /// which holds data tries whether that fits.
    Coded,
    /// What the controller notes about the block itself. It follows the program before it at once; the units
    /// hold no data. Never a block's first step.
    Notes,
}

/// What a program of a superblock that takes no data holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExtraProgram {
    /// The parity of its row.
    Parity,
    /// Metadata.
    Metadata,
}

impl Shape {
    /// Every unit of a block in its turn.
    pub const fn dense(units: u32) -> Self {
        let (from, until) = (0, u32::MAX);
        let (row, asks, stripe) = (PROGRAM, false, None);
        Self { offset: 0, units, step: units, from, until, row, asks, stripe }
    }

    /// Every unit in each plane of a superblock of so many units: a step of each plane at a time.
    pub const fn striped(self, stripe: Stripe, units_per_block: u32) -> Self {
        if self.stripe.is_some() {
            return self;
        }
        let (step, until) = (self.step * stripe.planes, units_per_block);
        Self { step, until, stripe: Some(stripe), ..self }
    }

    /// Units of a step within one lane.
    pub(super) fn stride(&self) -> u32 {
        self.stripe.map_or(self.step, |stripe| self.step / stripe.planes)
    }

    /// A program of it, of so many units in each lane.
    #[inline]
    pub(crate) fn program(&self, units: u32) -> ProgramShape {
        let &Self { offset, step, row, .. } = self;
        ProgramShape { offset, units, step, row }
    }

    /// Units of a program within a block.
    pub fn program_units(&self) -> u32 {
        self.stripe.map_or(self.units, |stripe| self.units * stripe.planes)
    }

    /// Units from the first of a program to its last.
    pub(super) fn width(&self) -> u32 {
        self.step - self.stride() + self.units
    }

    /// Makes places of numbers of data, of which a block is full by dense programs; they go up. Only data counts.
    pub fn places_of_data(&self, numbers: &mut [u32]) {
        let Some(stripe) = self.stripe else { return };
        let (mut program, mut first) = (0, 0);
        for number in numbers {
            let mut units = self.units * stripe.data_planes(program);
            while *number >= first + units {
                (program, first) = (program + 1, first + units);
                units = self.units * stripe.data_planes(program);
            }
            *number = program * self.step + (*number - first);
        }
    }

    /// True for a place of a superblock at which no data can stand.
    pub fn is_without_data(&self, place: u32) -> bool {
        self.stripe.is_some_and(|stripe| {
            let (program, within) = (place / self.step, place % self.step);
            within / self.stride() >= stripe.data_planes(program)
        })
    }

    /// Units that take data in a whole superblock.
    pub fn units_of_data(&self) -> u32 {
        self.room(0, self.until)
    }

    /// Units that take data from one place to another, in one lane.
    pub(super) fn room(&self, place: u32, until: u32) -> u32 {
        let (from, until) = (place / self.step, until / self.step);
        let parts = self.stripe.map_or(until - from, |it| it.data_planes_between(from, until));
        parts * self.units
    }
}

impl Default for Shape {
    fn default() -> Self {
        Self::dense(1)
    }
}
