//! Bits per cell, and the Gray codes that map states to the bits of a word line's pages.

use crate::Error;
use serde::{Deserialize, Serialize};

/// How many bits a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Levels {
    /// One bit, two states.
    Slc,
    /// Two bits, four states.
    Mlc,
    /// Three bits, eight states.
    Tlc,
    /// Four bits, sixteen states.
    Qlc,
}

/// The codes, state by state, bit p for page p (0 the lowest): neighbours differ in one bit, and
/// the erased state is all ones. MLC is the order 11, 01, 00, 10 of Margaglia et al., FAST 2016,
/// Section 2.2, written high bit first and low bit second (its 01 is high 0, low 1). TLC reads its
/// pages by 2, 3 and 2 references, as Cai et al., Proc. IEEE 105(9), 2017, and QLC by 4, 4, 3, 4.
const SLC: [u8; 2] = [0b1, 0b0];
const MLC: [u8; 4] = [0b11, 0b01, 0b00, 0b10];
const TLC: [u8; 8] = [0b111, 0b110, 0b100, 0b000, 0b010, 0b011, 0b001, 0b101];
const QLC: [u8; 16] = [
    0b1111, 0b1110, 0b1100, 0b1101, 0b1001, 0b0001, 0b0000, 0b1000, 0b1010, 0b0010, 0b0110, 0b0100,
    0b0101, 0b0111, 0b0011, 0b1011,
];

impl Levels {
    /// All of them, fewest bits first.
    pub const ALL: [Self; 4] = [Self::Slc, Self::Mlc, Self::Tlc, Self::Qlc];

    /// Its name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slc => "slc",
            Self::Mlc => "mlc",
            Self::Tlc => "tlc",
            Self::Qlc => "qlc",
        }
    }

    /// The mode of this name.
    ///
    /// # Errors
    /// An unknown name.
    pub fn parse(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|levels| levels.name() == name);
        found.ok_or_else(|| {
            Error::new(
                format!("unknown mode `{}`", name.escape_debug()),
                "valid: slc, mlc, tlc, qlc",
            )
        })
    }

    /// Bits per cell, and pages per word line.
    pub fn bits(self) -> usize {
        self as usize + 1
    }

    /// Number of states.
    pub fn states(self) -> usize {
        1 << self.bits()
    }

    /// The code, indexed by state.
    pub fn gray(self) -> &'static [u8] {
        match self {
            Self::Slc => &SLC,
            Self::Mlc => &MLC,
            Self::Tlc => &TLC,
            Self::Qlc => &QLC,
        }
    }

    /// Names of the states: ER, P1, P2, …
    pub fn state_names(self) -> Vec<String> {
        (0..self.states()).map(state_name).collect()
    }
}

/// ER for state 0, P1 for state 1, and so on.
pub(crate) fn state_name(state: usize) -> String {
    if state == 0 { "ER".into() } else { format!("P{state}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_in_one_bit_and_no_code_is_used_twice() {
        for levels in Levels::ALL {
            let gray = levels.gray();
            assert_eq!(gray.len(), levels.states());
            assert_eq!(usize::from(gray[0]), levels.states() - 1, "the erased state is all ones");
            for pair in gray.windows(2) {
                assert_eq!((pair[0] ^ pair[1]).count_ones(), 1, "{levels:?} {pair:?}");
            }
            let mut sorted = gray.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), levels.states());
        }
    }

    #[test]
    fn pages_are_read_by_as_many_references_as_documented() {
        let references = |levels: Levels, page: usize| {
            levels.gray().windows(2).filter(|pair| (pair[0] ^ pair[1]) >> page & 1 == 1).count()
        };
        let counts = |levels: Levels| -> Vec<usize> {
            (0..levels.bits()).map(|page| references(levels, page)).collect()
        };
        assert_eq!(counts(Levels::Slc), [1]);
        assert_eq!(counts(Levels::Mlc), [1, 2]);
        assert_eq!(counts(Levels::Tlc), [2, 3, 2]);
        let mut qlc = counts(Levels::Qlc);
        qlc.sort_unstable();
        assert_eq!(qlc, [3, 4, 4, 4]);
    }
}
