//! Rivest and Shamir's code: two bits in three cells, twice (Information and Control 55, 1982), as
//! Margaglia et al., USENIX FAST 2016, Table 1, give it.

use super::{Damaged, SecondWrite, SpecError, Worker};
use crate::bits::{get, set, words};

/// Cells and bits of a group.
const GROUP_CELLS: usize = 3;
const GROUP_BITS: usize = 2;

/// Cells of a group by its bits, leftmost first: of the first write, then of the second. Each of
/// the second differs from the first of other bits only by ones that became zero.
const TABLE: [[u8; 2]; 4] = [
    [0b110, 0b001], // 00
    [0b011, 0b100], // 01
    [0b101, 0b010], // 10
    [0b111, 0b000], // 11
];

/// The code over many groups.
#[derive(Debug, Clone, Copy)]
pub struct RivestShamir {
    message_bits: usize,
}

impl RivestShamir {
    /// The code for messages of `message_bits`.
    ///
    /// # Errors
    /// Where that is no positive even number.
    pub fn new(message_bits: usize) -> Result<Self, SpecError> {
        if message_bits == 0 || !message_bits.is_multiple_of(GROUP_BITS) {
            let what = format!("no group holds part of {message_bits} bits");
            return Err(SpecError { what, help: "give a positive even number of bits".into() });
        }
        Ok(Self { message_bits })
    }

    /// Writes `message` on erased cells.
    ///
    /// # Panics
    /// When a slice is shorter than the message or its cells.
    pub fn write_first(&self, message: &[u64], cells: &mut [u64]) {
        cells[..words(self.cells())].fill(0);
        for group in 0..self.groups() {
            put(cells, group, TABLE[bits_of(message, group)][0]);
        }
    }

    fn groups(&self) -> usize {
        self.message_bits / GROUP_BITS
    }
}

impl SecondWrite for RivestShamir {
    fn cells(&self) -> usize {
        GROUP_CELLS * self.groups()
    }

    fn message_bits(&self) -> usize {
        self.message_bits
    }

    fn tries(&self) -> u32 {
        1
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(*self)
    }
}

impl Worker for RivestShamir {
    /// Never fails over cells that [`RivestShamir::write_first`] wrote, or erased ones.
    fn write(&mut self, used: &[u64], message: &[u64], target: &mut [u64]) -> Option<u32> {
        target[..words(self.cells())].fill(0);
        for group in 0..self.groups() {
            let held = held(used, group);
            let choices = TABLE[bits_of(message, group)];
            let code = choices.into_iter().find(|code| code & !held == 0)?;
            put(target, group, code);
        }
        Some(0)
    }

    fn read(&mut self, cells: &[u64], _: u32, message: &mut [u64]) -> Result<usize, Damaged> {
        message[..words(self.message_bits)].fill(0);
        for group in 0..self.groups() {
            let held = held(cells, group);
            let value = TABLE.iter().position(|codes| codes.contains(&held)).ok_or(Damaged)?;
            set(message, GROUP_BITS * group, value & 0b10 != 0);
            set(message, GROUP_BITS * group + 1, value & 0b01 != 0);
        }
        Ok(0)
    }
}

/// The bits of a group, the leftmost highest.
fn bits_of(message: &[u64], group: usize) -> usize {
    let bit = |index| usize::from(get(message, GROUP_BITS * group + index));
    bit(0) << 1 | bit(1)
}

/// The cells of a group, the leftmost highest.
fn held(cells: &[u64], group: usize) -> u8 {
    (0..GROUP_CELLS).fold(0, |code, i| code << 1 | u8::from(get(cells, GROUP_CELLS * group + i)))
}

fn put(cells: &mut [u64], group: usize, code: u8) {
    for index in 0..GROUP_CELLS {
        let bit = code >> (GROUP_CELLS - 1 - index) & 1 == 1;
        set(cells, GROUP_CELLS * group + index, bit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::fill_random;

    /// Bits as in the publication: the first character is bit 0.
    fn text(digits: &str) -> Vec<u64> {
        let mut vector = vec![0; words(digits.len())];
        for (index, digit) in digits.chars().enumerate() {
            set(&mut vector, index, digit == '1');
        }
        vector
    }

    #[test]
    fn the_example_of_the_publication() {
        // "00" first, then "10": 110 is written, then 010.
        let mut code = RivestShamir::new(2).unwrap();
        let (mut first, mut second) = (vec![0], vec![0]);
        code.write_first(&text("00"), &mut first);
        assert_eq!(first, text("110"));
        assert_eq!(code.write(&first, &text("10"), &mut second), Some(0));
        assert_eq!(second, text("010"));
    }

    #[test]
    fn every_pair_of_messages_can_be_written_one_after_the_other() {
        // All 16 pairs, side by side.
        let mut code = RivestShamir::new(32).unwrap();
        assert_eq!((code.cells(), code.message_bits()), (48, 32));
        let old: String = (0..16).map(|i| ["00", "01", "10", "11"][i / 4]).collect();
        let new: String = (0..16).map(|i| ["00", "01", "10", "11"][i % 4]).collect();
        let (mut first, mut second, mut read) = (vec![0], vec![0], vec![0]);
        code.write_first(&text(&old), &mut first);
        assert_eq!(code.read(&first, 0, &mut read), Ok(0));
        assert_eq!(read, text(&old));
        assert_eq!(code.write(&first, &text(&new), &mut second), Some(0));
        assert_eq!(second[0] & !first[0], 0);
        assert_eq!(code.read(&second, 0, &mut read), Ok(0));
        assert_eq!(read, text(&new));
        for group in (0..16).filter(|group| group / 4 == group % 4) {
            assert_eq!(held(&first, group), held(&second, group), "the same data changed cells");
        }
    }

    #[test]
    fn cells_that_leave_no_room_are_refused_and_all_cells_can_be_read() {
        let mut code = RivestShamir::new(128).unwrap();
        let mut target = vec![0; words(code.cells())];
        let message = vec![0; 2];
        assert_eq!(code.write(&[0; 3], &message, &mut target), None);
        let mut cells = vec![0; 3];
        fill_random(&mut cells, 1);
        assert_eq!(code.read(&cells, 0, &mut [0; 2]), Ok(0));
    }

    #[test]
    fn odd_messages_are_refused() {
        assert!(RivestShamir::new(3).is_err() && RivestShamir::new(0).is_err());
    }
}
