//! Pages, places and lists under random requests.

use super::fronts::next_page;
use super::*;
use crate::generate::rng::Rng;
use crate::twin::profile::kind::{KINDS, NEAR};
use proptest::prelude::*;

fn accesses() -> Accesses {
    let one = |index: u32| vec![index, 0, 5, 1, 12, 1, 20, 1];
    Accesses {
        pages: 100_000,
        covered_pages: 4000,
        depth_new: vec![0.0, 3.0, 1.0, 1.0],
        depth_old: vec![0.0, 3.0, 1.0, 1.0],
        near: vec![1.0; 8],
        shifts: vec![2.0, 0.0, 1.0, 1.0],
        shared: 0.3,
        shared_inside: 0.3,
        shared_ages: vec![vec![0, 5, 1], vec![7, 9, 1]],
        same: [0.5; CLASSES],
        inside: [0.3; CLASSES],
        freqs: vec![vec![1, 1, 1, 1]; 2 * CLASSES],
        intervals: vec![one(0), vec![1, 7, 5, 1, 12, 1], vec![2, 8, 12, 1]],
        sizes: Vec::new(),
    }
}

/// Every page of a place is its own, and every place is in its list, where it says.
fn check(land: &Land) {
    let mut listed = 0;
    for (id, place) in land.places.iter().enumerate().filter(|(_, place)| place.bytes > 0) {
        for page in place.page..place.page + land.pages_of(place) {
            assert_eq!(land.map[page as usize], id as u32, "page {page} of {place:?}");
        }
        assert_eq!(land.lists[usize::from(place.list)].id_at(place.at), id as u32);
        listed += 1;
    }
    assert_eq!(land.lists.iter().map(AgeList::len).sum::<usize>(), listed);
    let covered = land.map.iter().filter(|&&id| id != NONE).count();
    assert_eq!(land.covered, covered as u64);
    let places = land.map.iter().filter(|&&id| id < REST).map(|&id| land.places[id as usize]);
    assert!(places.into_iter().all(|place| place.bytes > 0));
}

proptest! {
    #[test]
    fn pages_places_and_lists_agree(
        steps in prop::collection::vec((0..KINDS, 1u32..200), 1..3000),
        seed: u64,
    ) {
        let model = accesses();
        let side = |purpose| Land::new(&model, 4096, 1e5, Rng::new(seed, purpose));
        let (mut reads, mut writes) = (side("read"), side("write"));
        let mut space = Space::new(4000);
        for (kind, sectors) in steps {
            let kind = Kind::of(kind);
            let bytes = sectors * 512;
            let both = (&mut writes, &mut reads);
            let (land, other) = if kind.write { both } else { (both.1, both.0) };
            let extent = land.next(kind, bytes, &mut space, other);
            prop_assert!(extent.size_bytes > 0 && extent.size_bytes % 512 == 0);
        }
        check(&reads);
        check(&writes);
    }
}

/// Fronts as a list, looked through from the one that was used last the longest ago.
#[derive(Default)]
struct Searched {
    /// Of each its number, its page and the end of its chunk.
    turns: Vec<(u8, u32, u32)>,
}

impl Searched {
    fn place(&mut self, most: usize, near: usize, pages: u32, space: &mut Space) -> (u32, u8) {
        let fits = |&(_, page, end): &(u8, u32, u32)| {
            let next = next_page(page, near / 2, near % 2 == 1);
            next.filter(|next| next + pages <= end)
        };
        let count = self.turns.len();
        if count < most {
            self.turns.push((count as u8, 0, 0));
        }
        let found = self.turns.iter().position(|front| count == most && fits(front).is_some());
        let at = found.unwrap_or(if count < most { count } else { 0 });
        let front = &mut self.turns[at];
        if let Some(page) = fits(front) {
            front.1 = page;
        } else {
            (front.1, front.2) = space.take(pages);
        }
        (front.1, front.0)
    }

    fn use_front(&mut self, number: u8, end: u32) {
        if let Some(at) = self.turns.iter().position(|front| front.0 == number) {
            let (_, page, room) = self.turns.remove(at);
            self.turns.push((number, page.max(end), room));
        }
    }
}

proptest! {
    #[test]
    fn fronts_take_turns_as_a_search_through_all_has_it(
        most in 1usize..70,
        steps in prop::collection::vec((0..NEAR, 1u32..40, 0u8..80), 1..600),
    ) {
        let (mut space, mut same) = (Space::new(1 << 13), Space::new(1 << 13));
        let (mut fronts, mut searched) = (Fronts::new(most), Searched::default());
        for (near, pages, other) in steps {
            let (page, front) = fronts.place(near, pages, &mut space);
            prop_assert_eq!((page, front), searched.place(most.min(64), near, pages, &mut same));
            for (front, end) in [(front, page + pages), (other, page)] {
                fronts.use_front(front, end);
                searched.use_front(front, end);
            }
        }
    }
}
