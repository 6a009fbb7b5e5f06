//! One word line.

use crate::nand::Needs;
use crate::nand::ops::Rule;

const PAGES_SHIFT: u32 = 4;
const PASSES_SHIFT: u32 = 8;

/// A word line: how it was programmed, which of its pages, how often in place since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Line(u16);

impl Line {
    /// The number of the mode in which it is.
    pub fn mode(self) -> u8 {
        (self.0 & 0xf) as u8
    }

    /// The pages that were programmed, one bit for each type.
    pub fn pages(self) -> u16 {
        self.0 >> PAGES_SHIFT & 0xf
    }

    /// Mode, pages and passes in one number: four bits, four bits, eight bits.
    pub fn number(self) -> u16 {
        self.0
    }

    /// Programs in place since.
    pub fn passes(self) -> u8 {
        (self.0 >> PASSES_SHIFT) as u8
    }

    /// One that is in a mode after programs of some pages and so many in place.
    pub fn new(mode: u8, pages: u16, passes: u8) -> Self {
        Self(u16::from(mode) | pages << PAGES_SHIFT | u16::from(passes) << PASSES_SHIFT)
    }

    /// What a program of some of its pages makes of it.
    #[inline]
    pub fn programmed(self, rule: Rule, of_line: u16) -> Self {
        let in_place = u8::from(rule.needs == Needs::Programmed);
        Self::new(rule.to, self.pages() | of_line, self.passes() + in_place)
    }
}

/// The lowest of some page types.
#[inline]
pub fn lowest(types: u16) -> Option<u32> {
    (types != 0).then(|| types.trailing_zeros())
}
