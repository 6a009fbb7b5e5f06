//! What is remembered of every page of a volume that was touched.

use rustc_hash::FxHashMap;

/// Bytes of a page, the unit in which updates are counted.
pub const PAGE_BYTES: u64 = 1 << PAGE_LOG2;
pub(super) const PAGE_LOG2: u32 = 14;
/// Bytes of a sector: a page has one bit for each in its masks.
pub const SECTOR_BYTES: u64 = 1 << SECTOR_LOG2;
pub(super) const SECTOR_LOG2: u32 = 9;
const SECTORS_LOG2: u32 = PAGE_LOG2 - SECTOR_LOG2;

/// Pages side by side that are looked up together: neighbours are often touched together, and a
/// lone page costs no more than these.
pub(super) const CHUNK_PAGES: usize = 4;
const CHUNK_LOG2: u32 = CHUNK_PAGES.ilog2();
/// Chunks that are allocated at once, so that growing never copies them; only the first slab begins small.
const SLAB_CHUNKS: usize = 1024;
const FIRST_CHUNKS: usize = 16;

/// "Never" as a time.
pub(super) const NEVER: u64 = u64::MAX;

/// What is remembered of a page: 40 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    /// Arrival of the write whose data it holds; [`NEVER`] where it holds none.
    pub written_ns: u64,
    /// Tick of the last read or write; [`NEVER`] before the first.
    pub touched_tick: u64,
    /// Sectors ever written, a bit each.
    pub written: u32,
    /// Sectors ever read.
    pub read: u32,
    /// Sectors at whose beginning a write ended.
    pub ended: u32,
    /// Writes that found data in it, and the zone and the octave of the interval of the last of them.
    updates: u32,
    /// Reads.
    pub reads: u32,
    /// 4 KiB that the volume had written when it was written last; meaningless before.
    pub written_4k: u32,
}

impl Page {
    const UNTOUCHED: Self = Self {
        written_ns: NEVER,
        touched_tick: NEVER,
        written: 0,
        read: 0,
        ended: 0,
        updates: 0,
        reads: 0,
        written_4k: 0,
    };
}

/// The last update of a page takes the upper bits: its zone plus 1, or 0 before the first, above the octave
/// of its interval.
const ZONE_BITS: u32 = 3;
const OCTAVE_BITS: u32 = 6;
const COUNT_BITS: u32 = u32::BITS - ZONE_BITS - OCTAVE_BITS;
const MOST_UPDATES: u32 = (1 << COUNT_BITS) - 1;

impl Page {
    /// Writes that found data in it, up to eight million.
    pub fn updates(&self) -> u32 {
        self.updates & MOST_UPDATES
    }

    /// Counts an update after an interval of that zone and octave; returns those of the update before it.
    #[inline]
    pub fn update(&mut self, zone: usize, octave: u64) -> Option<(usize, u64)> {
        let before = self.updates >> COUNT_BITS;
        let updates = (self.updates() + 1).min(MOST_UPDATES);
        let now = (zone as u32 + 1) << OCTAVE_BITS | octave as u32;
        self.updates = updates | now << COUNT_BITS;
        let zone = (before >> OCTAVE_BITS).checked_sub(1)?;
        Some((zone as usize, u64::from(before & ((1 << OCTAVE_BITS) - 1))))
    }
}

/// The chunk of a byte, the place of its page there, and the bit of its sector.
#[inline]
pub(super) fn place_of(byte: u64) -> (u64, usize, u32) {
    let page = byte >> PAGE_LOG2;
    let sector = byte >> SECTOR_LOG2 & ((1 << SECTORS_LOG2) - 1);
    (page >> CHUNK_LOG2, page as usize % CHUNK_PAGES, 1 << sector)
}

pub(super) type Chunk = [Page; CHUNK_PAGES];

/// The pages of a volume that were touched.
#[derive(Debug, Default)]
pub(super) struct Pages {
    places: FxHashMap<u64, u32>,
    slabs: Vec<Vec<Chunk>>,
    last: Option<(u64, u32)>,
    grown: bool,
}

impl Pages {
    /// The chunk called `number`, untouched if it is new.
    #[inline]
    pub fn chunk(&mut self, number: u64) -> &mut Chunk {
        let place = match self.last {
            Some((last, place)) if last == number => place,
            _ => self.find(number),
        };
        self.last = Some((number, place));
        &mut self.slabs[place as usize / SLAB_CHUNKS][place as usize % SLAB_CHUNKS]
    }

    #[inline]
    fn find(&mut self, number: u64) -> u32 {
        let new = self.places.len() as u32;
        *self.places.entry(number).or_insert_with(|| {
            if (new as usize).is_multiple_of(SLAB_CHUNKS) {
                let chunks = if new == 0 { FIRST_CHUNKS } else { SLAB_CHUNKS };
                self.slabs.push(Vec::with_capacity(chunks));
            }
            let slab = &mut self.slabs[new as usize / SLAB_CHUNKS];
            self.grown |= slab.len() == slab.capacity() || slab.is_empty();
            slab.push([Page::UNTOUCHED; CHUNK_PAGES]);
            new
        })
    }

    /// Whether the chunk called `number` was ever touched.
    pub fn has(&self, number: u64) -> bool {
        self.places.contains_key(&number)
    }

    /// Whether more memory was taken since this was last asked.
    #[inline]
    pub fn has_grown(&mut self) -> bool {
        std::mem::take(&mut self.grown)
    }

    /// Every chunk, in the order in which they were first touched.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.slabs.iter().flatten()
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        // A place of the table takes a key, a value and a control byte; 7 of 8 places may be used.
        let table = self.places.capacity() * 8 / 7 * (size_of::<(u64, u32)>() + 1);
        let first = self.slabs.first().map_or(0, Vec::capacity);
        let chunks = first + self.slabs.len().saturating_sub(1) * SLAB_CHUNKS;
        (chunks * size_of::<Chunk>() + table) as u64
    }
}

/// A part of a request: the sectors of one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// The chunk of the page.
    pub chunk: u64,
    /// The page's place in its chunk.
    pub place: usize,
    /// The sectors touched, a bit each.
    pub sectors: u32,
    /// Whether all of them are touched in full.
    pub whole_page: bool,
}

/// The pages that the bytes `offset_bytes..end_bytes` touch.
#[inline]
pub(super) fn parts(offset_bytes: u64, end_bytes: u64) -> impl Iterator<Item = Part> {
    let (first, last) = (offset_bytes >> SECTOR_LOG2, (end_bytes - 1) >> SECTOR_LOG2);
    let pages = (first >> SECTORS_LOG2)..=(last >> SECTORS_LOG2);
    pages.map(move |page| {
        let start = page << SECTORS_LOG2;
        let low = first.saturating_sub(start) as u32;
        let high = (last - start).min(31) as u32;
        let sectors = (u32::MAX >> (31 - high)) & (u32::MAX << low);
        let whole_page = offset_bytes <= page << PAGE_LOG2 && end_bytes >= (page + 1) << PAGE_LOG2;
        Part { chunk: page >> CHUNK_LOG2, place: page as usize % CHUNK_PAGES, sectors, whole_page }
    })
}

/// The 4 KiB blocks that `sectors` of a page touch: the lowest bit of each, set or not.
#[inline]
pub(super) fn blocks_4k(sectors: u32) -> u32 {
    let pairs = sectors | sectors >> 1;
    let fours = pairs | pairs >> 2;
    (fours | fours >> 4) & 0x0101_0101
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_takes_40_bytes() {
        assert_eq!(size_of::<Page>(), 40);
    }

    #[test]
    fn a_page_knows_its_updates_and_the_zone_of_the_last() {
        let mut page = Page::UNTOUCHED;
        let before: Vec<_> =
            [2, 0, 3].into_iter().map(|zone| page.update(zone, zone as u64 + 20)).collect();
        assert_eq!((before, page.updates()), (vec![None, Some((2, 22)), Some((0, 20))], 3));
        page.updates |= MOST_UPDATES;
        assert_eq!((page.update(1, 63), page.updates()), (Some((3, 23)), MOST_UPDATES));
    }

    #[test]
    fn chunks_are_found_again() {
        let mut pages = Pages::default();
        for round in 0..2 {
            for number in 0..3000u64 {
                let page = &mut pages.chunk(number * 7919)[1];
                assert_eq!(page.reads, round);
                page.reads += 1;
            }
        }
        assert_eq!(pages.chunks().count(), 3000);
        assert!(pages.bytes() >= 3000 * size_of::<Chunk>() as u64);
    }

    proptest! {
        #[test]
        fn parts_are_the_sectors_that_bytes_touch(offset in 0u64..100_000, size in 1u64..100_000) {
            let end = offset + size;
            let mut sectors = Vec::new();
            for part in parts(offset, end) {
                let page = part.chunk * CHUNK_PAGES as u64 + part.place as u64;
                let whole = offset <= page * PAGE_BYTES && (page + 1) * PAGE_BYTES <= end;
                prop_assert_eq!(part.whole_page, whole);
                let bits = (0..32).filter(|bit| part.sectors >> bit & 1 == 1);
                sectors.extend(bits.map(|bit| page * 32 + bit));
                let blocks: std::collections::BTreeSet<u32> =
                    (0..32).filter(|bit| part.sectors >> bit & 1 == 1).map(|bit| bit / 8).collect();
                prop_assert_eq!(blocks_4k(part.sectors).count_ones() as usize, blocks.len());
            }
            prop_assert_eq!(sectors, (offset / 512..=(end - 1) / 512).collect::<Vec<_>>());
        }
    }
}
