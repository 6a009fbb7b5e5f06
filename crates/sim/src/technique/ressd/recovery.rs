//! What a restart makes of a drive that lost power (Section 4.4.2).
//!
//! A capacitor lets operations end and saves what the controller keeps of word lines in an image.
//! Without one, a restart scans the out-of-band areas: each page says there whose data it holds, when
//! it was written, and in three bits how. Of a reprogram that was interrupted neither page of the word
//! line can be read: before it begins, copies of what is at risk go to preserved space. Every block is
//! a normal one afterwards.

use super::word_line::{MOST_REPROGRAMS, PAGES, Status, WordLines};
use crate::ids::{Id, Lpn, Unit};

/// How a page was written, in three bits of its out-of-band area: one for two bits in a cell, and two
/// for how often this page was reprogrammed. Both pages' together give the word line's status: which
/// of them went first does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(u8);

impl Mark {
    /// Bits that it takes.
    pub const BITS: u32 = 3;
    /// A page of a word line of three bits in a cell.
    pub const CONVENTIONAL: Self = Self(0);

    /// A page that was reprogrammed so often, of a word line of two bits in a cell.
    pub fn of_two_bits(reprograms: u8) -> Self {
        debug_assert!(reprograms <= MOST_REPROGRAMS);
        Self(reprograms << 1 | 1)
    }

    /// How often the page was reprogrammed; `None`: it is not one of two bits in a cell.
    pub fn reprograms(self) -> Option<u8> {
        (self.0 & 1 != 0).then_some(self.0 >> 1)
    }
}

/// What a restart reads in the out-of-band area of a page, or beside a copy in preserved space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfBand {
    /// The logical page; `NONE`: the page was left without data.
    pub lpn: Lpn,
    /// The number of the write: of two pages of the same logical page, the higher one is newer.
    pub sequence: u64,
    /// How it was written.
    pub mark: Mark,
}

/// Where a restart found the newest copy of a logical page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nowhere: it was never written.
    Nowhere,
    /// On a page.
    Page(Unit),
    /// In preserved space, at this place.
    Preserved(u32),
}

/// What a scan gives back.
#[derive(Debug)]
pub struct Recovered {
    /// By logical page, where its data is.
    pub map: Vec<Found>,
    /// The status of every word line. One that cannot be read is as erased, and holds nothing.
    pub lines: WordLines,
}

/// Rebuilds the map and the status of word lines from what can be read: `pages` by number, and the
/// copies in `preserved` space, of a drive of `logical_pages`, with `bits` pages in a word line.
///
/// Of equals a page counts, rather than its copy.
pub fn scan(
    pages: &[Option<OutOfBand>],
    preserved: &[OutOfBand],
    logical_pages: u32,
    bits: u32,
) -> Recovered {
    let mut newest = vec![(0, Found::Nowhere); logical_pages as usize];
    let mut consider = |area: &OutOfBand, found: Found| {
        if area.lpn.is_none() {
            return;
        }
        let best = &mut newest[area.lpn.index()];
        if best.1 == Found::Nowhere || area.sequence > best.0 {
            *best = (area.sequence, found);
        }
    };
    for (number, area) in (0..).map(Unit).zip(pages) {
        area.iter().for_each(|area| consider(area, Found::Page(number)));
    }
    for (place, copy) in (0..).zip(preserved) {
        consider(copy, Found::Preserved(place));
    }
    let map: Vec<Found> = newest.into_iter().map(|(_, found)| found).collect();
    let lines = word_lines(pages, &map, bits);
    Recovered { map, lines }
}

/// The status of each word line by the marks of its pages; what the map leads to is valid.
fn word_lines(pages: &[Option<OutOfBand>], map: &[Found], bits: u32) -> WordLines {
    let mut lines = WordLines::new(Unit(0), pages.len() as u64, bits);
    for (line, of_line) in pages.chunks(bits as usize).enumerate() {
        let times = |page: u32| of_line[page as usize].and_then(|area| area.mark.reprograms());
        let (Some(lower), Some(upper)) = (times(0), times(1)) else { continue };
        let mut status = Status::of_writes([lower, upper]);
        for page in 0..PAGES {
            let number = lines.first_page(line).plus(page);
            let lpn = of_line[page as usize].map_or(Lpn::NONE, |area| area.lpn);
            if map.get(lpn.index()) == Some(&Found::Page(number)) {
                status.validate(page);
            }
        }
        *lines.get_mut(line) = status;
    }
    lines
}

/// The word lines' status as a capacitor saves it: six bits for each (Section 4.4.1).
pub fn image(lines: &WordLines) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0u32, 0);
    for status in lines.all() {
        held |= u32::from(status.to_bits()) << bits;
        bits += Status::BITS;
        while bits >= u8::BITS {
            bytes.push(held as u8);
            held >>= u8::BITS;
            bits -= u8::BITS;
        }
    }
    if bits > 0 {
        bytes.push(held as u8);
    }
    bytes
}

/// The status of the word lines of `pages` pages, `bits` in each, from their image.
pub fn from_image(image: &[u8], pages: u64, bits: u32) -> WordLines {
    let mut lines = WordLines::new(Unit(0), pages, bits);
    for line in 0..(pages / u64::from(bits)) as usize {
        let from = line * Status::BITS as usize;
        let byte = |at: usize| u32::from(image.get(at).copied().unwrap_or(0));
        let two = byte(from / 8) | byte(from / 8 + 1) << 8;
        *lines.get_mut(line) = Status::from_bits((two >> (from % 8)) as u8);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(lpn: u64, sequence: u64) -> OutOfBand {
        OutOfBand { lpn: Lpn(lpn), sequence, mark: Mark::of_two_bits(0) }
    }

    #[test]
    fn of_equals_the_page_counts_and_of_others_the_newer() {
        let pages = [Some(area(0, 5)), Some(area(1, 6)), None];
        let copies = [area(0, 5), area(1, 7)];
        let found = scan(&pages, &copies, 3, 3).map;
        assert_eq!(found, [Found::Page(Unit(0)), Found::Preserved(1), Found::Nowhere]);
    }

    #[test]
    fn only_the_newest_page_of_data_is_valid() {
        // Page 3 is newer than page 0: that one may be written again, and its neighbor not.
        let pages =
            [Some(area(0, 1)), Some(area(1, 2)), None, Some(area(0, 3)), Some(area(2, 4)), None];
        let lines = scan(&pages, &[], 3, 3).lines;
        let may_write = |line: usize| [0, 1].map(|page| lines.get(line).may_write(page));
        assert_eq!([may_write(0), may_write(1)], [[true, false], [false, false]]);
    }
}
