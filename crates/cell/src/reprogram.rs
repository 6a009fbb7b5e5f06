//! Reprogramming a TLC word line that holds two bits per cell (Gao et al., ACM TOS 18(1):9, 2022,
//! Section 3.2): any one of the two bits can be written anew twice before an erase, because the
//! four states in use move up among the eight, in an order that needs no cell to fall.
//!
//! Values are two bits, MSB first: `0b01` is MSB 0 and LSB 1.

use std::fmt;

/// One of the two bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bit {
    /// The least significant one.
    Lsb,
    /// The most significant one.
    Msb,
}

impl Bit {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Lsb, Self::Msb];

    fn mask(self) -> u8 {
        match self {
            Self::Lsb => 0b01,
            Self::Msb => 0b10,
        }
    }
}

/// Reprograms until an erase.
pub const MOST_REPROGRAMS: u8 = 2;

/// The values of the four states from the lowest, after the initial program (Figure 2).
const INITIAL: [u8; 4] = [0b11, 0b01, 0b00, 0b10];

/// Which four of the eight states a word line uses, for which values, and which bits are valid:
/// what the controller keeps per word line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    rp_count: u8,
    lowest: u8,
    order: [u8; 4],
    validity: u8,
}

/// Why a word line cannot be reprogrammed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It was reprogrammed as often as its states allow.
    NoStatesLeft,
    /// The bit to be written is valid.
    StillValid,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoStatesLeft => "the word line was reprogrammed twice: erase it first",
            Self::StillValid => "the bit is valid: invalidate it first",
        })
    }
}

impl std::error::Error for Refused {}

impl Default for Status {
    fn default() -> Self {
        Self { rp_count: 0, lowest: 0, order: INITIAL, validity: 0b11 }
    }
}

impl Status {
    /// RPCnt: reprograms since the erase.
    pub fn rp_count(&self) -> u8 {
        self.rp_count
    }

    /// Distribution ID: 0 for P1–P4, 1 for P2–P5, 2 for P3–P6, 3 for P4–P7; it means nothing before
    /// the first reprogram, when it is 0 as well.
    pub fn distribution_id(&self) -> u8 {
        self.lowest.saturating_sub(1)
    }

    /// Validity: 2 bits, MSB first.
    pub fn validity(&self) -> u8 {
        self.validity
    }

    /// The lowest state in use, and the values of it and the next three.
    pub fn states(&self) -> (u8, [u8; 4]) {
        (self.lowest, self.order)
    }

    /// The state that holds a value.
    pub fn state_of(&self, value: u8) -> u8 {
        let place = self.order.iter().position(|held| *held == value & 0b11);
        self.lowest + place.unwrap_or_default() as u8
    }

    /// Marks a bit as overwritten elsewhere.
    pub fn invalidate(&mut self, bit: Bit) {
        self.validity &= !bit.mask();
    }

    /// References that a read of this bit senses: those between states of which it differs, by
    /// the number of the upper state.
    pub fn sensings(&self, bit: Bit) -> Vec<u8> {
        let differs = |k: &usize| (self.order[k - 1] ^ self.order[*k]) & bit.mask() != 0;
        (1..4).filter(differs).map(|k| self.lowest + k as u8).collect()
    }

    /// The value of `bit` in a cell in `state`, from the sensings alone: the first state's value,
    /// turned over by each reference that the cell passes.
    pub fn sense(&self, bit: Bit, state: u8) -> bool {
        let passed = self.sensings(bit).iter().filter(|reference| state >= **reference).count();
        let first = self.order[0] & bit.mask() != 0;
        first ^ (passed % 2 == 1)
    }

    /// The status after `bit` was written anew: where the values move so that every change of this
    /// bit, and every value that stays, goes to the same state or a higher one.
    ///
    /// Where the two values of a pair that differs in this bit are neighbours, the pairs swap
    /// places one state up; where they are not, the halves swap two states up.
    ///
    /// # Errors
    /// [`Refused`] when there are no states left or the bit is still valid. If both bits are
    /// invalid, one is written and the other counts as valid garbage until it is written in turn.
    pub fn reprogrammed(&self, bit: Bit) -> Result<Self, Refused> {
        if self.rp_count == MOST_REPROGRAMS {
            return Err(Refused::NoStatesLeft);
        }
        if self.validity & bit.mask() != 0 {
            return Err(Refused::StillValid);
        }
        let [a, b, c, d] = self.order;
        let (order, up) = if a ^ b == bit.mask() { ([b, a, d, c], 1) } else { ([c, d, a, b], 2) };
        Ok(Self {
            rp_count: self.rp_count + 1,
            lowest: self.lowest + up,
            order,
            validity: self.validity | bit.mask(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(status: &Status, bit: Bit) -> Status {
        let mut next = *status;
        next.invalidate(bit);
        next.reprogrammed(bit).unwrap()
    }

    /// All four sequences, all values: 64 paths.
    #[test]
    fn no_cell_ever_falls_and_every_value_is_read_back_by_two_sensings() {
        let mut paths = 0;
        for first in Bit::ALL {
            for second in Bit::ALL {
                let start = Status::default();
                let middle = step(&start, first);
                let end = step(&middle, second);
                for value in 0..4u8 {
                    for next in [value, value ^ first.mask()] {
                        for last in [next, next ^ second.mask()] {
                            let states =
                                [start.state_of(value), middle.state_of(next), end.state_of(last)];
                            assert!(states[0] <= states[1] && states[1] <= states[2], "{states:?}");
                            assert!(states[2] <= 7);
                            for (status, value) in [(&start, value), (&middle, next), (&end, last)]
                            {
                                for bit in Bit::ALL {
                                    assert!(status.sensings(bit).len() <= 2);
                                    let read = status.sense(bit, status.state_of(value));
                                    assert_eq!(read, value & bit.mask() != 0);
                                }
                            }
                            paths += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(paths, 64);
    }

    /// What the text of Section 3.2 says of Figure 3(a), LSB twice, and (b), LSB then MSB.
    #[test]
    fn the_examples_of_the_publication() {
        let start = Status::default();
        assert_eq!((start.rp_count(), start.distribution_id(), start.validity()), (0, 0, 0b11));
        let mut invalid = start;
        invalid.invalidate(Bit::Lsb);
        assert_eq!(invalid.validity(), 0b10);
        let middle = invalid.reprogrammed(Bit::Lsb).unwrap();
        assert_eq!((middle.rp_count(), middle.distribution_id(), middle.validity()), (1, 1, 0b11));
        assert_eq!([0b11, 0b01].map(|value| middle.state_of(value)), [4, 5]);
        let twice = step(&middle, Bit::Lsb);
        assert_eq!((twice.rp_count(), twice.distribution_id()), (2, 3));
        assert_eq!(twice.state_of(0b00), 6);
        let other = step(&middle, Bit::Msb);
        assert_eq!((other.rp_count(), other.distribution_id()), (2, 2));
        assert_eq!([0b00, 0b11].map(|value| other.state_of(value)), [4, 6]);
        assert_eq!(step(&start, Bit::Msb).distribution_id(), 0);
        assert_eq!(step(&step(&start, Bit::Msb), Bit::Msb).distribution_id(), 1);
    }

    #[test]
    fn what_must_not_be_reprogrammed_is_refused() {
        let start = Status::default();
        assert_eq!(start.reprogrammed(Bit::Lsb), Err(Refused::StillValid));
        let mut full = step(&step(&start, Bit::Msb), Bit::Lsb);
        full.invalidate(Bit::Lsb);
        assert_eq!(full.reprogrammed(Bit::Lsb), Err(Refused::NoStatesLeft));
        let mut both = start;
        both.invalidate(Bit::Lsb);
        both.invalidate(Bit::Msb);
        assert_eq!(both.reprogrammed(Bit::Msb).unwrap().validity(), 0b10);
    }
}
