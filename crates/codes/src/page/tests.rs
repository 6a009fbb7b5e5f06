//! Round trips of pages, and that nothing wrong goes unnoticed.

use super::*;
use crate::bits::{fill_random, random_word};
use crate::wom::ldgm::{self, Effort, Ldgm};
use crate::wom::polar::{Polar, Size, Spec, fixed_for};
use proptest::prelude::*;

const SHAPE: Shape =
    Shape { data_bytes: 1024, spare_bytes: 300, reserved_bytes: 20, logical_bytes: 512 };

fn bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut random = vec![0; words(8 * count)];
    fill_random(&mut random, seed);
    let mut bytes = vec![0; count];
    to_bytes(&random, &mut bytes);
    bytes
}

fn polar(shape: &Shape, tries: u32) -> Polar {
    let size = Size::Bits(shape.message_bits());
    Polar::new(Spec { tries, shuffle: true, ..Spec::new(shape.cells(), size) }).unwrap()
}

fn ldgm(shape: &Shape) -> Ldgm {
    let effort = Effort::Complete(1000);
    let (cells, message_bits) = (shape.cells(), shape.message_bits());
    Ldgm::new(ldgm::Spec { cells, message_bits, effort, tries: 4, seed: 0 }).unwrap()
}

/// A page after a first write: random data, an erased spare area.
fn used_page(seed: u64) -> Vec<u8> {
    let mut page = bytes(SHAPE.page_bytes(), seed);
    page[SHAPE.data_bytes..].fill(0xff);
    page
}

fn round_trip(code: &dyn SecondWrite, seed: u64) -> bool {
    let mut codec = PageCodec::new(SHAPE, code).unwrap();
    let (used, logical) = (used_page(seed), bytes(512, !seed));
    let mut target = vec![0; used.len()];
    let metadata = match codec.write(&used, &logical, &mut target) {
        Ok(metadata) => metadata,
        Err(error) => {
            assert_eq!(error, WriteError::DoesNotFit { tries: code.tries() });
            return false;
        }
    };
    assert!(target.iter().zip(&used).all(|(target, used)| target & !used == 0));
    assert_eq!(target[1304..], used[1304..], "reserved bytes changed");
    let mut read = vec![0; 512];
    assert_eq!(codec.read(&target, metadata, &mut read), Ok(0));
    assert_eq!(read, logical);
    true
}

#[test]
fn pages_come_back_from_both_codes() {
    let (polar, ldgm) = (polar(&SHAPE, 16), ldgm(&SHAPE));
    let count = |code: &dyn SecondWrite| (0..300).filter(|&seed| round_trip(code, seed)).count();
    assert!(count(&polar) > 290);
    assert!(count(&ldgm) > 290);
}

#[test]
fn many_random_pages_come_back_and_no_damage_goes_unnoticed() {
    let pages = 1_000;
    let go_on = &mut |_: &RoundTrips| std::ops::ControlFlow::Continue(());
    let mut found = |code: &dyn SecondWrite| round_trips(SHAPE, code, 7, pages, go_on).unwrap();
    let fixed = fixed_for(SHAPE.cells(), 5e-4, 1e-2);
    let size = Size::Bits(SHAPE.message_bits());
    let spec = Spec { tries: 16, shuffle: true, ..Spec::new(SHAPE.cells(), size) };
    let correcting = Polar::new(Spec { fixed, ..spec }).unwrap();
    for (code, corrects) in [
        (&polar(&SHAPE, 16) as &dyn SecondWrite, false),
        (&ldgm(&SHAPE), false),
        (&correcting, true),
    ] {
        let found = found(code);
        assert_eq!((found.pages(), found.unnoticed, found.wrong), (pages, 0, 0), "{found:?}");
        assert!(found.does_not_fit < pages / 20, "{found:?}");
        // Half of the pages had wrong cells; a few others were given their own metadata again.
        assert_eq!(found.corrected > pages * 2 / 5, corrects, "{found:?}");
    }
}

#[test]
fn other_attempts_and_changed_cells_are_noticed() {
    let code = polar(&SHAPE, 16);
    let mut codec = PageCodec::new(SHAPE, &code).unwrap();
    let mut target = vec![0; SHAPE.page_bytes()];
    let mut read = vec![0; 512];
    let metadata = codec.write(&used_page(1), &bytes(512, 2), &mut target).unwrap();
    for other in (0..16).filter(|&other| other != metadata) {
        assert_eq!(codec.read(&target, other, &mut read), Err(ReadError::Checksum));
    }
    let unknown = ReadError::Attempt { attempt: 16, tries: 16 };
    assert_eq!(codec.read(&target, 16, &mut read), Err(unknown));
    for trial in 0..200 {
        let place = random_word(9, trial) as usize % SHAPE.cells();
        target[place / 8] ^= 1 << (place % 8);
        assert_eq!(codec.read(&target, metadata, &mut read), Err(ReadError::Checksum));
        target[place / 8] ^= 1 << (place % 8);
    }
    assert_eq!(codec.read(&target, metadata, &mut read), Ok(0));
}

/// What each wrong cell does to the checksum beside the one that is stored, in pages that are read by an
/// attempt. A read that corrects nothing is linear, and so is the checksum: several wrong cells do the sum
/// of what each does, and go unnoticed where that is 0.
fn syndromes(shape: &Shape, code: &dyn SecondWrite, attempt: u32, page: u64) -> Vec<u32> {
    assert_eq!(code.message_bits(), shape.message_bits());
    let mut worker = code.worker();
    let mut cells = vec![0; words(shape.cells())];
    fill_random(&mut cells, page);
    let mut message = vec![0; words(shape.message_bits())];
    let mut stored = vec![0; shape.logical_bytes + CHECKSUM_BITS / 8];
    let mut syndrome = |cells: &[u64]| {
        worker.read(cells, attempt, &mut message).unwrap();
        to_bytes(&message, &mut stored);
        let (logical, checksum) = stored.split_at(shape.logical_bytes);
        crc32fast::hash(logical) ^ u32::from_le_bytes(checksum.try_into().unwrap())
    };
    let right = syndrome(&cells);
    let mut of_cell = |cell: usize| {
        cells[cell / 64] ^= 1 << (cell % 64);
        let wrong = syndrome(&cells);
        cells[cell / 64] ^= 1 << (cell % 64);
        wrong ^ right
    };
    (0..shape.cells()).map(&mut of_cell).collect()
}

/// Pages of 512 bytes and 96 spare ones for logical pages of 256, as in the manual's table.
const SMALL: Shape =
    Shape { data_bytes: 512, spare_bytes: 96, reserved_bytes: 8, logical_bytes: 256 };

#[test]
fn whether_wrong_cells_are_noticed_does_not_hang_on_the_data() {
    for code in [&polar(&SMALL, 16) as &dyn SecondWrite, &ldgm(&SMALL)] {
        let [one, other] = [1, 2].map(|page| syndromes(&SMALL, code, 3, page));
        assert_eq!(one, other);
    }
}

#[test]
fn every_wrong_cell_and_every_pair_of_them_is_noticed_but_for_those_counted_here() {
    for (code, unnoticed) in [(&polar(&SMALL, 64) as &dyn SecondWrite, 0), (&ldgm(&SMALL), 0)] {
        let mut alike = 0;
        for attempt in 0..code.tries() {
            let mut all = syndromes(&SMALL, code, attempt, 1);
            all.sort_unstable();
            assert_ne!(all[0], 0, "a wrong cell goes unnoticed in attempt {attempt}");
            alike += all.windows(2).filter(|pair| pair[0] == pair[1]).count();
        }
        assert_eq!(alike, unnoticed, "pairs");
    }
}

#[test]
fn a_page_without_room_does_not_fit_and_leaves_the_target() {
    let code = polar(&SHAPE, 3);
    let mut codec = PageCodec::new(SHAPE, &code).unwrap();
    let mut target = vec![7; SHAPE.page_bytes()];
    let full = vec![0; SHAPE.page_bytes()];
    let error = codec.write(&full, &bytes(512, 1), &mut target);
    assert_eq!(error, Err(WriteError::DoesNotFit { tries: 3 }));
    assert!(target.iter().all(|&byte| byte == 7));
}

#[test]
fn metadata_take_as_many_bits_as_there_are_attempts() {
    for (tries, bits) in [(1, 0), (2, 1), (3, 2), (64, 6), (65, 7)] {
        let code = polar(&SHAPE, tries);
        assert_eq!(PageCodec::new(SHAPE, &code).unwrap().metadata_bits(), bits);
    }
}

#[test]
fn codes_that_do_not_suit_the_page_are_refused() {
    let code = polar(&SHAPE, 1);
    for bad in [
        Shape { reserved_bytes: 301, ..SHAPE },
        Shape { reserved_bytes: 21, ..SHAPE },
        Shape { logical_bytes: 513, ..SHAPE },
    ] {
        assert!(PageCodec::new(bad, &code).is_err(), "{bad:?}");
    }
}

proptest! {
    #[test]
    fn no_input_is_too_odd(
        page in proptest::collection::vec(any::<u8>(), 1323..1326),
        logical in proptest::collection::vec(any::<u8>(), 511..514),
        metadata in any::<u32>(),
    ) {
        let code = polar(&SHAPE, 4);
        let mut codec = PageCodec::new(SHAPE, &code).unwrap();
        let mut target = vec![0; page.len()];
        let mut read = vec![0; logical.len()];
        let fits = page.len() == 1324 && logical.len() == 512;
        let read_error = codec.read(&page, metadata, &mut read).unwrap_err();
        prop_assert_eq!(fits, !matches!(read_error, ReadError::Length(_)));
        match codec.write(&page, &logical, &mut target) {
            Ok(attempt) => {
                prop_assert_eq!(codec.read(&target, attempt, &mut read), Ok(0));
                prop_assert_eq!(read, logical);
            }
            Err(error) => prop_assert_eq!(fits, !matches!(error, WriteError::Length(_))),
        }
    }
}
