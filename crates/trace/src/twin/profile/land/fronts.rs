//! Where new data goes.

use super::{BLOCK_BITS, CHUNK_PAGES, Land, NONE, SECTOR_BYTES, TRIES, Wanted};

/// Where new data goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Front {
    page: u32,
    end: u32,
}

/// The address space: chunks go to whoever asks next.
#[derive(Debug)]
pub(in super::super) struct Space {
    end: u32,
    pub(super) chunk_pages: u32,
}

impl Space {
    /// A space for so many pages, each touched at least once.
    pub fn new(covered_pages: u64) -> Self {
        let pages = (covered_pages / 128).clamp(CHUNK_PAGES.0, CHUNK_PAGES.1);
        Self { end: 0, chunk_pages: pages.next_power_of_two() as u32 }
    }

    /// Room for so many pages: the first, and one past the last of the chunk.
    fn take(&mut self, pages: u32) -> (u32, u32) {
        let first = self.end;
        self.end += pages.next_multiple_of(self.chunk_pages);
        (first, self.end)
    }
}

impl Land {
    /// Where new data goes that continues nothing: where the other operation has been, or to a front.
    pub(super) fn fresh(&mut self, bytes: u32, space: &mut Space, other: &mut Self) -> (u64, u8) {
        if self.rng.happens(self.shared) {
            for _ in 0..TRIES {
                let Some(drawn) = self.shared_ages.index(&mut self.rng) else { break };
                let inside = self.rng.happens(self.shared_inside);
                let number = other.number();
                let wanted = Wanted { bytes, rest: inside, seen: false, number };
                let Some(id) = other.place(drawn, wanted) else { break };
                let place = other.places[id as usize];
                let inside = place.rest || inside;
                let sector = if inside { self.inside_of(&place) } else { self.first_of(&place) };
                if self.at(sector * SECTOR_BYTES, bytes) == NONE {
                    return (sector, u8::MAX);
                }
            }
        }
        let shift = self.shifts.index(&mut self.rng).unwrap_or(0) as u64;
        let pages = self.pages_in(shift * SECTOR_BYTES + u64::from(bytes));
        let near = self.near.index(&mut self.rng).unwrap_or(0);
        let (block, below) = (near / 2, near % 2 == 1);
        let at = self.front(block, below, pages);
        let front = &mut self.fronts[at];
        front.page = match next_page(front.page, block, below) {
            Some(page) if page + pages <= front.end => page,
            _ => {
                let page;
                (page, front.end) = space.take(pages);
                page
            }
        };
        let page = u64::from(front.page);
        ((page << self.sector_bits()) + shift, at as u8)
    }

    /// The front that was used last the longest ago, of those that have such a place if there is one.
    fn front(&mut self, block: usize, below: bool, pages: u32) -> usize {
        if self.fronts.len() < self.max_fronts {
            self.fronts.push(Front { page: 0, end: 0 });
            self.turns.push(self.turns.len() as u8);
            return self.fronts.len() - 1;
        }
        let can = |&&at: &&u8| {
            let front = &self.fronts[usize::from(at)];
            next_page(front.page, block, below).is_some_and(|page| page + pages <= front.end)
        };
        usize::from(*self.turns.iter().find(can).unwrap_or(&self.turns[0]))
    }

    /// A front is used up to a page.
    pub(super) fn use_front(&mut self, front: u8, end: u32) {
        if let Some(used) = self.fronts.get_mut(usize::from(front)) {
            used.page = used.page.max(end);
            let at = self.turns.iter().position(|&at| at == front).unwrap_or(0);
            self.turns[at..].rotate_left(1);
        }
    }
}

/// The next page at or behind a front that is in the same block of this size as what is below, but in
/// none smaller, and has it right below or not; `None` where the front has left no such page.
fn next_page(front: u32, block: usize, below: bool) -> Option<u32> {
    let step = block.checked_sub(1).map_or(1, |smaller| 1 << BLOCK_BITS[smaller]);
    let page = if below { front } else { front + 1 };
    let page = page.next_multiple_of(step);
    let same = |bits: &u32| front > 0 && (front - 1) >> bits == page >> bits;
    let fits = BLOCK_BITS.get(block).is_none_or(same) && (!below || page == front);
    fits.then_some(page)
}
