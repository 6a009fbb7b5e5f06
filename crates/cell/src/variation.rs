//! What sets chips, blocks, layers and word lines apart.

use crate::chip::Variation;
use crate::rng::normal;

/// Where a word line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Number of the chip among those of its kind.
    pub chip: u32,
    /// Block of the chip.
    pub block: u32,
    /// Layer, counted from the source line.
    pub layer: u32,
    /// Word line of the layer.
    pub word_line: u32,
}

impl Place {
    /// A number for the word line within its block, from which its random numbers are drawn: no two
    /// word lines of up to 1,024 layers of 4,096 share one.
    pub(crate) fn line(&self) -> u32 {
        self.word_line >> 8 << 20 | self.layer << 8 | self.word_line & 0xff
    }
}

/// How one word line differs from the chip's nominal one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordLine {
    /// All programmed levels lie so much higher, in units.
    pub shift: f64,
    /// Factor on program noise and on the spread that retention adds.
    pub spread: f64,
    /// The voltage that the last loop reaches lies so much higher, in units.
    pub reach: f64,
}

impl WordLine {
    /// A word line like the chip's mean.
    pub const NOMINAL: Self = Self { shift: 0.0, spread: 1.0, reach: 0.0 };

    /// The word line at `place` on the chip of this `seed`.
    pub fn at(variation: &Variation, seed: u64, place: Place) -> Self {
        let Place { chip, block, layer, .. } = place;
        let all = u32::MAX;
        let drawn = |sigma: f64, stream: u32, index: [u32; 3]| match sigma {
            0.0 => 0.0,
            sigma => sigma * normal(seed, stream, index),
        };
        let line = place.line();
        // Etching makes layers alike across the blocks of a chip.
        let shift = drawn(variation.chip, 1, [chip, all, all])
            + drawn(variation.block, 2, [chip, block, all])
            + drawn(variation.layer, 3, [chip, all, layer])
            + drawn(variation.word_line, 4, [chip, block, line]);
        let spread = drawn(variation.spread, 5, [chip, block, line]);
        let reach = drawn(variation.reach, 6, [chip, block, line]);
        Self { shift, spread: libm::exp(spread), reach }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_word_lines_of_a_block_draw_the_same_numbers() {
        let line = |layer, word_line| Place { chip: 0, block: 0, layer, word_line }.line();
        let all: std::collections::BTreeSet<u32> = (0..1024)
            .flat_map(|layer| (0..4096).step_by(37).map(move |w| line(layer, w)))
            .collect();
        assert_eq!(all.len(), 1024 * 4096usize.div_ceil(37));
        assert_ne!(line(0, 256), line(1, 0));
        // What was drawn for blocks of up to 256 word lines a layer stays.
        assert_eq!(line(7, 255), 7 << 8 | 255);
    }

    #[test]
    fn layers_of_a_chip_are_alike_across_blocks_and_lines_are_not() {
        let layered = Variation {
            chip: 0.0,
            block: 0.0,
            layer: 3.0,
            word_line: 0.0,
            spread: 0.0,
            reach: 0.0,
        };
        let lined = Variation { layer: 0.0, word_line: 3.0, ..layered };
        let place = |block, word_line| Place { chip: 1, block, layer: 7, word_line };
        let shift = |v: &Variation, p| WordLine::at(v, 9, p).shift;
        assert_eq!(shift(&layered, place(1, 0)), shift(&layered, place(2, 3)));
        assert_ne!(shift(&lined, place(1, 0)), shift(&lined, place(1, 1)));
        assert_ne!(shift(&lined, place(1, 0)), WordLine::at(&lined, 8, place(1, 0)).shift);
    }
}
