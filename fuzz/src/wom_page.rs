//! Any page, logical page and metadata are written and read, or refused: nothing panics, no zero
//! becomes a one, what is written is read, and with wrong cells it is read as it was or refused.

use std::sync::LazyLock;
use wordline_codes::page::{PageCodec, ReadError, Shape, WriteError};
use wordline_codes::wom::SecondWrite;
use wordline_codes::wom::ldgm::{self, Effort, Ldgm};
use wordline_codes::wom::polar::{self, Polar, Size};

const SHAPE: Shape =
    Shape { data_bytes: 128, spare_bytes: 40, reserved_bytes: 8, logical_bytes: 50 };
const TRIES: u32 = 4;

static CODES: LazyLock<[Box<dyn SecondWrite>; 3]> = LazyLock::new(|| {
    let (cells, message_bits) = (SHAPE.cells(), SHAPE.message_bits());
    let spec = polar::Spec::new(cells, Size::Bits(message_bits));
    let spec = polar::Spec { tries: TRIES, shuffle: true, ..spec };
    let fixed = polar::fixed_for(cells, 1e-3, 1e-2);
    let correcting = Polar::new(polar::Spec { fixed, ..spec.clone() });
    let polar = Polar::new(spec);
    let effort = Effort::Complete(cells);
    let ldgm = Ldgm::new(ldgm::Spec { cells, message_bits, effort, tries: TRIES, seed: 0 });
    let polar = [polar.expect("a code"), correcting.expect("a code")].map(Box::new);
    let [polar, correcting] = polar;
    [polar, Box::new(ldgm.expect("a code")), correcting]
});

/// A choice of the code, a used page, a logical page, its metadata; a page of any length; cells that
/// are wrong.
pub type Input = (u8, [u8; 168], [u8; 50], u32, Vec<u8>, Vec<u16>);

/// Tries one input.
pub fn run(input: Input) {
    let (which, page, logical, metadata, odd, wrong) = input;
    let code = &CODES[usize::from(which) % CODES.len()];
    let mut codec = PageCodec::new(SHAPE, &**code).expect("a codec");
    let mut read = [0; 50];
    let mut target = [0; 168];
    match codec.read(&page, metadata, &mut read) {
        Err(ReadError::Attempt { .. }) => assert!(metadata >= TRIES),
        Err(ReadError::Length(_)) => panic!("the length is right"),
        _ => assert!(metadata < TRIES),
    }
    match codec.write(&page, &logical, &mut target) {
        Ok(attempt) => {
            assert!(target.iter().zip(&page).all(|(after, before)| after & !before == 0));
            assert_eq!(codec.read(&target, attempt, &mut read), Ok(0));
            assert_eq!(read, logical);
            for cell in wrong.iter().map(|&cell| usize::from(cell) % SHAPE.cells()) {
                target[cell / 8] ^= 1 << (cell % 8);
            }
            if codec.read(&target, attempt, &mut read).is_ok() {
                assert_eq!(read, logical); // a checksum of 32 bits: others are not found by chance
            }
        }
        Err(error) => assert_eq!(error, WriteError::DoesNotFit { tries: TRIES }),
    }
    if odd.len() != page.len() {
        assert!(matches!(codec.read(&odd, 0, &mut read), Err(ReadError::Length(_))));
        let refused = codec.write(&odd, &logical, &mut target);
        assert!(matches!(refused, Err(WriteError::Length(_))));
    }
}
