//! Where requests of one operation go: places, the pages that they cover, and runs that are open.

mod ends;
mod fronts;

use super::ages::{AgeList, Wanted};
use super::kind::{
    AGE_BINS, BLOCK_BITS, CLASSES, ENDS, Kind, LISTS, age_edge, class_of, list_of, probe,
};
use super::model::Accesses;
use super::place::Place;
use super::table::Table;
use crate::generate::rng::{Chance, Rng};
use crate::generate::space::Extent;
use ends::{End, Met};
use fronts::Fronts;
pub(super) use fronts::Space;

const SECTOR_BYTES: u64 = 512;
/// A page that nothing of this operation has touched.
const NONE: u32 = u32::MAX;
/// A page that is the rest of a place whose beginning was overwritten elsewhere.
const REST: u32 = u32::MAX - 1;
/// Pages of a chunk: a 128th of what is covered, but not less nor more.
const CHUNK_PAGES: (u64, u64) = (64, 1024);
/// Ends that are looked at, each way, for one that a request can continue.
const LOOKS: usize = 16;
/// What an end may be off without another being looked at: octaves of its interval, and twice those of
/// how far back it is.
const NEAR_ENOUGH: u32 = 1;
/// Bytes by which requests that repeat a place may be more or fewer than their sizes say, in all.
const MAX_DEBT_BYTES: i64 = 1 << 18;
/// Draws for a place that the other operation has touched and this one has not.
const TRIES: usize = 8;

/// Places of one operation.
pub(super) struct Land {
    page_bytes: u64,
    /// Pages are so many bytes, as a power of two.
    page_bits: u32,
    map: Vec<u32>,
    /// Pages that were touched, a bit for each: small enough to stay near.
    touched: Vec<u64>,
    places: Vec<Place>,
    free: Vec<u32>,
    lists: Vec<AgeList>,
    edges: Vec<u32>,
    ends: Vec<End>,
    requests: u64,
    /// Pages touched, each time; a tick is so many, as a power of two.
    pages: u64,
    tick_bits: u32,
    /// Pages touched at least once.
    pub covered: u64,
    fronts: Fronts,
    depths: [Table; 2],
    near: Table,
    shifts: Table,
    ages: Vec<Table>,
    shared_ages: Table,
    same: [Chance; CLASSES],
    inside: [Chance; CLASSES],
    freqs: Vec<Table>,
    debt_bytes: i64,
    shared: Chance,
    shared_inside: Chance,
    rng: Rng,
}

impl Land {
    pub fn new(model: &Accesses, page_bytes: u32, pages: f64, rng: Rng) -> Self {
        let tick_bits = (pages / (1u64 << 31) as f64).max(1.0).log2().ceil() as u32;
        let edge = |bin| (age_edge(bin) / f64::from(1u32 << tick_bits)).min(4e9) as u32;
        let chunk_pages = Space::new(model.covered_pages).chunk_pages;
        let fronts = (model.covered_pages / u64::from(2 * chunk_pages)) as usize;
        Self {
            page_bytes: u64::from(page_bytes),
            page_bits: page_bytes.ilog2(),
            map: Vec::new(),
            touched: Vec::new(),
            places: Vec::new(),
            free: Vec::new(),
            lists: (0..LISTS).map(|_| AgeList::new(AGE_BINS - 1)).collect(),
            edges: (0..AGE_BINS - 1).map(edge).collect(),
            ends: vec![End { sector: 0, open: false, front: 0, met: Met::New(false) }; ENDS],
            requests: 0,
            pages: 0,
            tick_bits,
            covered: 0,
            fronts: Fronts::new(fronts),
            depths: [Table::new(&model.depth_new), Table::new(&model.depth_old)],
            near: Table::new(&model.near),
            shifts: Table::new(&model.shifts),
            ages: (0..CLASSES).map(|class| Table::new(&model.age_weights(class))).collect(),
            shared_ages: Table::new(&model.shared_weights()),
            same: model.same.map(Chance::new),
            inside: model.inside.map(Chance::new),
            debt_bytes: 0,
            freqs: model.freqs.iter().map(|row| Table::of_counts(row)).collect(),
            shared: Chance::new(model.shared),
            shared_inside: Chance::new(model.shared_inside),
            rng,
        }
    }

    /// Where the next request of this kind goes. `bytes` is its size, unless it repeats an earlier one.
    /// Where no request of its kind can be, it is of the nearest kind that can.
    pub fn next(&mut self, kind: Kind, bytes: u32, space: &mut Space, other: &mut Self) -> Extent {
        if kind.continues
            && let Some((sector, front)) = self.continued(kind.old, bytes, other)
        {
            return self.touch(kind, sector, bytes, front, None, other);
        }
        let kind = Kind { continues: false, ..kind };
        if kind.old {
            let ages = self.ages[kind.class].index(&mut self.rng);
            let inside = self.rng.happens(self.inside[kind.class]);
            let wanted = Wanted { bytes, rest: inside, seen: true, number: self.number() };
            if let Some(id) = ages.and_then(|drawn| self.place(drawn, wanted)) {
                return self.start_old(kind, id, bytes, inside, other);
            }
        }
        let kind = Kind { old: false, ..kind };
        let (sector, front) = self.fresh(bytes, space, other);
        self.touch(kind, sector, bytes, front, None, other)
    }

    /// Pages touched since a place was.
    fn age(&self, id: u32) -> u64 {
        u64::from(self.now() - self.places[id as usize].stamp) << self.tick_bits
    }

    /// The page that says whether a request of these bytes is of old data.
    #[inline]
    fn probed(&self, sector: u64, bytes: u32) -> u32 {
        (probe(sector * SECTOR_BYTES, bytes, self.page_bytes) >> self.page_bits) as u32
    }

    #[inline]
    fn is_touched(&self, page: u32) -> bool {
        self.touched.get(page as usize / 64).is_some_and(|bits| bits >> (page % 64) & 1 > 0)
    }

    #[inline]
    fn entry(&self, page: u32) -> u32 {
        self.map.get(page as usize).copied().unwrap_or(NONE)
    }

    fn now(&self) -> u32 {
        (self.pages >> self.tick_bits) as u32
    }

    /// A place of the list and the bin that were drawn together, or of the nearest bin and any list;
    /// one as it is wanted, if one is near.
    fn place(&mut self, drawn: usize, wanted: Wanted) -> Option<u32> {
        let (list, bin) = (drawn / AGE_BINS, drawn % AGE_BINS);
        let now = self.now();
        for list in (list..LISTS).chain(0..list) {
            let list = &mut self.lists[list];
            if list.is_empty() {
                continue;
            }
            for far in 0..AGE_BINS {
                for bin in [bin.wrapping_sub(far), bin + far] {
                    if bin >= AGE_BINS {
                        continue;
                    }
                    let found =
                        list.find(bin, now, &self.edges, &self.places, wanted, &mut self.rng);
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }

    /// A request that starts at a place touched before, or inside it.
    fn start_old(
        &mut self,
        kind: Kind,
        id: u32,
        bytes: u32,
        inside: bool,
        other: &mut Self,
    ) -> Extent {
        let place = self.places[id as usize];
        if place.rest || inside {
            let sector = self.inside_of(&place);
            return self.touch(kind, sector, bytes, u8::MAX, None, other);
        }
        let sector = self.first_of(&place);
        if class_of(place.bytes) == kind.class && self.rng.happens(self.same[kind.class]) {
            // What repeating a place adds to or takes from the volume stays within bounds.
            let debt = self.debt_bytes + i64::from(place.bytes) - i64::from(bytes);
            if debt.abs() <= MAX_DEBT_BYTES.max(self.debt_bytes.abs()) {
                self.debt_bytes = debt;
                return self.touch(kind, sector, place.bytes, u8::MAX, Some(id), other);
            }
        }
        let same = (place.bytes == bytes).then_some(id);
        self.touch(kind, sector, bytes, u8::MAX, same, other)
    }

    fn first_of(&self, place: &Place) -> u64 {
        (u64::from(place.page) << self.sector_bits()) + u64::from(place.shift)
    }

    /// A sector in the midst of a place.
    fn inside_of(&mut self, place: &Place) -> u64 {
        let behind = self.rng.below(u64::from(self.pages_of(place)));
        let shift = self.shifts.index(&mut self.rng).unwrap_or(0) as u64;
        ((u64::from(place.page) + behind) << self.sector_bits()) + shift
    }

    fn pages_of(&self, place: &Place) -> u32 {
        let end = u64::from(place.shift) * SECTOR_BYTES + u64::from(place.bytes);
        self.pages_in(end)
    }

    /// Pages that bytes from the beginning of one reach into.
    #[inline]
    fn pages_in(&self, bytes: u64) -> u32 {
        ((bytes + self.page_bytes - 1) >> self.page_bits) as u32
    }

    /// Sectors of a page, as a power of two.
    #[inline]
    fn sector_bits(&self) -> u32 {
        self.page_bits - SECTOR_BYTES.ilog2()
    }

    /// Lays a request down; `same` is the place that it repeats.
    fn touch(
        &mut self,
        kind: Kind,
        sector: u64,
        bytes: u32,
        front: u8,
        same: Option<u32>,
        other: &mut Self,
    ) -> Extent {
        let offset_bytes = sector * SECTOR_BYTES;
        let first = (offset_bytes >> self.page_bits) as u32;
        let end = self.pages_in(offset_bytes + u64::from(bytes));
        let probed = self.probed(sector, bytes);
        let before = self.entry(probed);
        let met = self.met(probed, other);
        let seen = other.entry(probed);
        if let Some(seen) = other.places.get_mut(seen as usize) {
            seen.seen = true;
        }
        let freq = self.freq(kind, before);
        let unit = 1 << self.sector_bits();
        let last = sector + u64::from(bytes) / SECTOR_BYTES;
        // A place that is laid anew behind where another ends is behind it still.
        let continues = if kind.continues { self.number() } else { self.ended(sector) };
        let id = match same {
            Some(id) => {
                let place = self.places[id as usize];
                self.lists[place.list as usize].remove(place.at);
                id
            }
            None => self.cover(first, end),
        };
        self.pages += u64::from(end - first);
        let shift = (sector & (unit - 1)) as u8;
        let stamp = self.now();
        let behind = match same {
            Some(id) => self.places[id as usize].behind,
            None => continues,
        };
        let list = list_of(usize::from(freq), behind > 0, class_of(bytes)) as u8;
        let seen = matches!(met, Met::New(true));
        self.places[id as usize] = Place {
            page: first,
            shift,
            list,
            freq,
            seen,
            rest: false,
            behind,
            bytes,
            stamp,
            at: 0,
        };
        let next = self.entry(end);
        if next < REST && self.places[next as usize].page == end && last & (unit - 1) == 0 {
            let number = self.number();
            let next = &mut self.places[next as usize];
            next.behind = if next.shift == 0 { number } else { next.behind };
        }
        self.lists[list as usize].push(id, &mut self.places);
        self.ends[self.requests as usize % ENDS] = End { sector: last, open: true, front, met };
        self.requests += 1;
        self.fronts.use_front(front, end);
        Extent { offset_bytes, size_bytes: bytes }
    }

    /// How often data is touched in all: what is laid over a place as often as that.
    fn freq(&mut self, kind: Kind, before: u32) -> u8 {
        if let Some(place) = self.places.get(before as usize) {
            return place.freq;
        }
        let row = usize::from(kind.continues) * CLASSES + kind.class;
        self.freqs.get(row).and_then(|freqs| freqs.index(&mut self.rng)).unwrap_or(0) as u8
    }

    /// What a request is known by.
    fn number(&self) -> u32 {
        self.requests as u32 | 1
    }

    /// The number of the last request that ended at this sector, as far as the places tell; 0 for none.
    fn ended(&self, sector: u64) -> u32 {
        let bits = self.sector_bits();
        let (page, shift) = ((sector >> bits) as u32, sector & ((1 << bits) - 1));
        let here = self.entry(page);
        if here < REST && self.first_of(&self.places[here as usize]) == sector {
            return self.places[here as usize].behind;
        }
        let below = if shift == 0 { self.entry(page.wrapping_sub(1)) } else { here };
        let ends = below < REST && {
            let place = &self.places[below as usize];
            self.first_of(place) + u64::from(place.bytes) / SECTOR_BYTES == sector
        };
        u32::from(ends)
    }

    /// Gives these pages to a new place; what they had been of is shortened or gone.
    fn cover(&mut self, first: u32, end: u32) -> u32 {
        if self.map.len() < end as usize {
            let room = (end as usize).max(self.map.len() * 5 / 4);
            self.map.resize(room, NONE);
            self.touched.resize(room.div_ceil(64), 0);
        }
        let id = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place::default());
            (self.places.len() - 1) as u32
        });
        let mut page = first;
        while page < end {
            let before = std::mem::replace(&mut self.map[page as usize], id);
            match before {
                NONE => {
                    self.covered += 1;
                    self.touched[page as usize / 64] |= 1 << (page % 64);
                }
                REST => {}
                before if before == id => {}
                before => self.shorten(before, first, end),
            }
            page += 1;
        }
        id
    }

    /// Takes the pages from `first` to `end` away from a place.
    fn shorten(&mut self, id: u32, first: u32, end: u32) {
        let place = self.places[id as usize];
        let upto = place.page + self.pages_of(&place);
        if place.page < first {
            self.places[id as usize].bytes = ((u64::from(first - place.page)) * self.page_bytes
                - u64::from(place.shift) * SECTOR_BYTES)
                as u32;
            for page in end..upto {
                if self.map[page as usize] == id {
                    self.map[page as usize] = REST;
                }
            }
        } else if upto > end && self.map[end as usize] == id {
            let bytes = u64::from(upto - end) * self.page_bytes;
            let rest = &mut self.places[id as usize];
            (rest.page, rest.shift, rest.bytes) = (end, 0, bytes as u32);
            rest.rest = true;
        } else if place.bytes > 0 {
            self.lists[place.list as usize].remove(place.at);
            self.places[id as usize].bytes = 0;
            self.free.push(id);
        }
    }
}

#[cfg(test)]
mod tests;
