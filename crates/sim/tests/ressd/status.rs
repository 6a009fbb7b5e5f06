//! The byte of a word line against the states and values of its cells.

use wordline_cell::reprogram::{Bit, Refused, Status as Cells};
use wordline_sim::technique::ressd::{MOST_REPROGRAMS, Status};

/// Every order in which pages may die and be written again: both say the same all along, and refuse
/// the same. How many orders there are.
fn compare(status: Status, cells: &Cells) -> u32 {
    assert_eq!(status.rp_count(), cells.rp_count());
    if status.rp_count() > 0 {
        assert_eq!(status.distribution_id(), cells.distribution_id());
    }
    assert_eq!(status.validity(), cells.validity());
    let mut paths = 0;
    for (page, bit) in (0..).zip([Bit::Lsb, Bit::Msb]) {
        let (mut dead, mut dead_cells) = (status, *cells);
        dead.invalidate(page);
        dead_cells.invalidate(bit);
        if dead.validity() != status.validity() {
            paths += compare(dead, &dead_cells);
        }
        let reprogrammed = cells.reprogrammed(bit);
        assert_eq!(status.may_write(page), reprogrammed.is_ok(), "{status:?} {page}");
        if let Ok(after) = reprogrammed {
            let mut written = status;
            written.reprogram(page);
            written.validate(page);
            paths += compare(written, &after);
        }
    }
    // The last page that can die does.
    paths.max(1)
}

#[test]
fn the_status_follows_the_cells() {
    let mut status = Status::programmed();
    (0..2).for_each(|page| status.validate(page));
    // The deaths and reprograms of each page take turns and end with its death: of the first and the
    // second page, two reprograms and none, one each, or none and two; interleaved in all ways.
    assert_eq!(compare(status, &Cells::default()), 6 + 20 + 6);
}

#[test]
fn a_word_line_is_refused_a_valid_page_and_a_third_reprogram() {
    let mut status = Status::programmed();
    (0..2).for_each(|page| status.validate(page));
    assert!(![0, 1].iter().any(|&page| status.may_write(page)));
    assert_eq!(Cells::default().reprogrammed(Bit::Msb), Err(Refused::StillValid));
    for _ in 0..MOST_REPROGRAMS {
        status.invalidate(0);
        assert!(status.may_write(0) && !status.may_write(1));
        status.reprogram(0);
        status.validate(0);
    }
    status.invalidate(0);
    assert!(!status.may_write(0) && status.is_complete() && status.writable().is_none());
    assert!(!Status::default().may_write(0), "three bits in a cell");
}

#[test]
fn where_neither_page_is_valid_the_states_rise_as_little_as_they_can() {
    let mut status = Status::programmed();
    assert_eq!(status.writable(), Some(1));
    status.reprogram(1);
    status.validate(1);
    assert_eq!((status.writable(), status.distribution_id()), (Some(0), 0));
    status.reprogram(0);
    assert_eq!((status.writable(), status.distribution_id()), (None, 2));
}
