//! The status of word lines: how often each was reprogrammed, which states it uses, which of its two
//! bits are valid (Section 3.2: RPCnt, Distribution ID, Validity).
//!
//! A byte holds it all. Writing the upper bit (MSB) anew moves the four states in use one step up,
//! the lower bit (LSB) two, in whatever order: that is all that a Distribution ID says.
//! `wordline_cell::reprogram` has the states and values of each; a test holds both together.

use crate::ids::{Id, Unit};
use crate::util::large_vec;

/// Reprograms of a word line until its erase: what the eight states of TLC leave room for.
pub const MOST_REPROGRAMS: u8 = 2;
/// Pages of a word line that holds two bits in a cell: LSB, then MSB.
pub const PAGES: u32 = 2;
/// Steps by which a reprogram moves the states up: of the LSB, of the MSB.
const STEPS: [u8; PAGES as usize] = [2, 1];

/// The count of reprograms, of which two are possible, that says in a saved status that a word line does
/// not hold two bits in a cell.
const NOT_TWO_BITS: u8 = 0b11;
const RP_COUNT: u8 = 0b11;
const DISTRIBUTION: u32 = 2;
const VALIDITY: u32 = 4;
/// Set while a word line holds two bits in a cell.
const TWO_BITS: u8 = 1 << 6;

/// The status of a word line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Status(u8);

impl Status {
    /// A word line that was programmed with two bits in a cell, of which none is valid yet.
    pub fn programmed() -> Self {
        Self(TWO_BITS)
    }

    /// The status that the writes of its two pages lead to, LSB first: what the out-of-band areas
    /// give back after a power cut.
    pub fn of_writes(reprograms: [u8; PAGES as usize]) -> Self {
        let mut status = Self::programmed();
        for (page, times) in (0..).zip(reprograms) {
            (0..times).for_each(|_| status.reprogram(page));
        }
        status
    }

    /// Bits of a saved status: two each for the count of reprograms, the Distribution ID, the validity.
    pub const BITS: u32 = 6;

    /// The status as it is saved.
    pub fn to_bits(self) -> u8 {
        if self.holds_two_bits() { self.0 & !TWO_BITS } else { NOT_TWO_BITS }
    }

    /// The status that was saved as the lower six bits of `bits`.
    pub fn from_bits(bits: u8) -> Self {
        match bits & RP_COUNT {
            NOT_TWO_BITS => Self::default(),
            _ => Self(bits & (TWO_BITS - 1) | TWO_BITS),
        }
    }

    /// Whether the word line holds two bits in a cell.
    #[inline]
    pub fn holds_two_bits(self) -> bool {
        self.0 & TWO_BITS != 0
    }

    /// RPCnt: reprograms since the erase.
    #[inline]
    pub fn rp_count(self) -> u8 {
        self.0 & RP_COUNT
    }

    /// Distribution ID: 0 for the states P1–P4 to 3 for P4–P7; it means nothing before the first
    /// reprogram.
    #[inline]
    pub fn distribution_id(self) -> u8 {
        self.0 >> DISTRIBUTION & 0b11
    }

    /// Validity, LSB first in bit 0.
    #[inline]
    pub fn validity(self) -> u8 {
        self.0 >> VALIDITY & 0b11
    }

    /// A page now holds valid data.
    #[inline]
    pub fn validate(&mut self, page: u32) {
        self.0 |= 1 << (VALIDITY + page);
    }

    /// A page's data is no longer valid.
    #[inline]
    pub fn invalidate(&mut self, page: u32) {
        self.0 &= !(1 << (VALIDITY + page));
    }

    /// Whether no further reprogram is possible before an erase.
    #[inline]
    pub fn is_complete(self) -> bool {
        self.rp_count() == MOST_REPROGRAMS
    }

    /// The page that a reprogram may write: one that is not valid. Where neither is, the one that
    /// raises the states less; the other counts as valid, and stays as it is.
    #[inline]
    pub fn writable(self) -> Option<u32> {
        match self.validity() {
            _ if self.is_complete() || !self.holds_two_bits() => None,
            0b11 => None,
            0b10 => Some(0),
            _ => Some(1),
        }
    }

    /// Its turn among the word lines whose pages reprograms may write, that which was reprogrammed least first; those
    /// of which they may write none come last.
    // Without branches, for what a word line holds is as good as random.
    #[inline]
    pub fn turn(self) -> u8 {
        let is_full = self.validity() == 0b11;
        let has_none = self.is_complete() | !self.holds_two_bits() | is_full;
        self.rp_count() | u8::from(has_none) << RP_COUNT.count_ones()
    }

    /// Whether a reprogram may write this page now.
    pub fn may_write(self, page: u32) -> bool {
        let is_valid = self.validity() & (1 << page) != 0;
        self.holds_two_bits() && !self.is_complete() && !is_valid && page < PAGES
    }

    /// A reprogram writes a page: the states in use move up.
    pub fn reprogram(&mut self, page: u32) {
        assert!(self.may_write(page), "illegal reprogram of page {page}: {self:?}");
        let lowest = match self.rp_count() {
            0 => 0,
            _ => self.distribution_id() + 1,
        };
        let id = lowest + STEPS[page as usize] - 1;
        let kept = self.0 & !(RP_COUNT | 0b11 << DISTRIBUTION);
        self.0 = kept | (self.rp_count() + 1) | id << DISTRIBUTION;
    }
}

/// The status of every word line of a group of dies.
#[derive(Debug, Default)]
pub struct WordLines {
    status: Vec<Status>,
    /// The first page.
    first: Unit,
    /// Pages of a word line that is programmed at once: 3.
    bits: u32,
}

impl WordLines {
    /// Those of `pages` pages from `first` on, erased.
    pub fn new(first: Unit, pages: u64, bits: u32) -> Self {
        let word_lines = (pages / u64::from(bits)) as usize;
        Self { status: large_vec(Status::default(), word_lines), first, bits }
    }

    /// The word line of a page, and the page's place there.
    #[inline]
    pub fn locate(&self, page: Unit) -> (usize, u32) {
        let place = page.number() - self.first.number();
        let bits = u64::from(self.bits);
        ((place / bits) as usize, (place % bits) as u32)
    }

    /// The first page of a word line.
    pub fn first_page(&self, word_line: usize) -> Unit {
        Unit(self.first.0 + word_line as u64 * u64::from(self.bits))
    }

    /// The status of a word line.
    #[inline]
    pub fn get(&self, word_line: usize) -> Status {
        self.status[word_line]
    }

    /// The status of a word line, to change it.
    #[inline]
    pub fn get_mut(&mut self, word_line: usize) -> &mut Status {
        &mut self.status[word_line]
    }

    /// The word lines of `pages` pages from `first` on were erased.
    pub fn erase(&mut self, first: Unit, pages: u32) {
        let (from, _) = self.locate(first);
        self.status[from..from + (pages / self.bits) as usize].fill(Status::default());
    }

    /// Every one of them.
    pub fn all(&self) -> impl Iterator<Item = Status> {
        self.status.iter().copied()
    }
}
