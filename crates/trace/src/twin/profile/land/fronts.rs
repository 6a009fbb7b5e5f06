//! Where new data goes.

use super::{BLOCK_BITS, CHUNK_PAGES, Land, NONE, SECTOR_BYTES, TRIES, Wanted};
use crate::twin::profile::kind::NEAR;

/// Fronts at which new data is laid down, at most: as many as a number has bits.
const MOST: usize = u64::BITS as usize;

/// Where new data goes on.
#[derive(Debug, Clone, Copy)]
struct Front {
    page: u32,
    end: u32,
    /// By how near new data is to what is below, the next page that has it so near; `NONE` for none.
    next: [u32; NEAR],
}

/// Fronts in turn.
#[derive(Debug)]
pub(super) struct Fronts {
    fronts: Vec<Front>,
    most: usize,
    /// Fronts, the one that was used last at the end.
    turns: [u8; MOST],
    /// By how near new data is: which turns have such a page, a bit for each.
    has: [u64; NEAR],
}

impl Fronts {
    /// None yet, and at most so many.
    pub fn new(most: usize) -> Self {
        let most = most.clamp(1, MOST);
        Self { fronts: Vec::new(), most, turns: [0; MOST], has: [0; NEAR] }
    }

    /// Where so many pages of new data go that is as near as that to what is below: at the front that was
    /// used last the longest ago, of those that have such a place if there is one.
    pub fn place(&mut self, near: usize, pages: u32, space: &mut Space) -> (u32, u8) {
        let at = self.front(near, pages);
        let front = &mut self.fronts[at];
        let page = front.next[near];
        if page.saturating_add(pages) > front.end {
            (front.page, front.end) = space.take(pages);
        } else {
            front.page = page;
        }
        (front.page, at as u8)
    }

    fn front(&mut self, near: usize, pages: u32) -> usize {
        let count = self.fronts.len();
        if count < self.most {
            self.fronts.push(Front { page: 0, end: 0, next: [NONE; NEAR] });
            self.turns[count] = count as u8;
            return count;
        }
        let mut left = self.has[near];
        while left > 0 {
            let at = usize::from(self.turns[left.trailing_zeros() as usize]);
            let front = &self.fronts[at];
            if front.next[near].saturating_add(pages) <= front.end {
                return at;
            }
            left &= left - 1;
        }
        usize::from(self.turns[0])
    }

    /// A front is used up to a page.
    pub fn use_front(&mut self, front: u8, end: u32) {
        let count = self.fronts.len();
        let Some(used) = self.fronts.get_mut(usize::from(front)) else { return };
        used.page = used.page.max(end);
        used.next = std::array::from_fn(|near| {
            let page = next_page(used.page, near / 2, near % 2 == 1);
            page.filter(|page| *page < used.end).unwrap_or(NONE)
        });
        let turns = &mut self.turns[..count];
        let at = turns.iter().rposition(|&turn| turn == front).unwrap_or(0);
        turns.copy_within(at + 1.., at);
        turns[count - 1] = front;
        let below = (1 << at) - 1;
        for (has, &next) in self.has.iter_mut().zip(&used.next) {
            let turned = *has & below | *has >> 1 & !below;
            *has = turned | u64::from(next != NONE) << (count - 1);
        }
    }
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
    pub(super) fn take(&mut self, pages: u32) -> (u32, u32) {
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
                if !self.is_touched(self.probed(sector, bytes)) {
                    return (sector, u8::MAX);
                }
            }
        }
        let shift = self.shifts.index(&mut self.rng).unwrap_or(0) as u64;
        let pages = self.pages_in(shift * SECTOR_BYTES + u64::from(bytes));
        let near = self.near.index(&mut self.rng).unwrap_or(0);
        let (page, front) = self.fronts.place(near, pages, space);
        ((u64::from(page) << self.sector_bits()) + shift, front)
    }
}

/// The next page at or behind a front that is in the same block of this size as what is below, but in
/// none smaller, and has it right below or not; `None` where the front has left no such page.
pub(super) fn next_page(front: u32, block: usize, below: bool) -> Option<u32> {
    let step = block.checked_sub(1).map_or(1, |smaller| 1 << BLOCK_BITS[smaller]);
    let page = if below { front } else { front + 1 };
    let page = page.next_multiple_of(step);
    let same = |bits: &u32| front > 0 && (front - 1) >> bits == page >> bits;
    let fits = BLOCK_BITS.get(block).is_none_or(same) && (!below || page == front);
    fits.then_some(page)
}
