//! What erases have done to each block, and what an erase does next.

use super::cells::Cells;
use crate::ids::{BlockId, Id};
use crate::nand::{Flash, OpTable};
use crate::util::{mix, unit_normal};
use std::ops::Range;

/// P/E cycles that are taken as one where a block's past is made up.
const STRIDE_PEC: u32 = 50;

/// What a block went through: 12 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wear {
    /// Time under pulses so far, and what programs wore: its need grows with it.
    pub wear_us: u32,
    /// Such a time, each pulse weighed by its voltage: its bit errors grow with it.
    pub damage_us: u32,
    /// What its last erase fell short by.
    pub short_us: u16,
    /// Loops of its last erase (N_ISPE), its highest voltage.
    pub last: u8,
}

/// A block about to be erased, as a scheme sees it: the need shows only in failing bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    /// mtBERS.
    pub need_us: u32,
    /// Loops of its last erase; 0: it never was.
    pub last: u8,
    /// A number in [0, 1) of this erase's own.
    pub draw: f64,
}

/// A pulse of an erase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// Its loop, from 1: its voltage.
    pub number: u8,
    /// Loops left out right before it.
    pub skipped: u8,
    /// Its length.
    pub us: u32,
}

/// The pulses of an erase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Erasing {
    /// The pulses, each followed by a verify-read.
    pub steps: Vec<Step>,
    /// Time that the block would have needed further.
    pub short_us: u32,
    /// Whether a prediction was too short.
    pub mispredicted: bool,
}

impl Erasing {
    /// One pulse more.
    pub fn pulse(&mut self, number: u8, skipped: u8, us: u32) {
        self.steps.push(Step { number, skipped, us });
    }

    /// Time under pulses.
    pub fn pulses_us(&self) -> u32 {
        self.steps.iter().map(|step| step.us).sum()
    }

    fn clear(&mut self) {
        self.steps.clear();
        (self.short_us, self.mispredicted) = (0, false);
    }
}

/// How a scheme erases.
pub(super) trait Rule: Send {
    /// The pulses that erase a block.
    fn erase(&self, cells: &Cells, block: &Asked, out: &mut Erasing);

    /// Appends the rows by which it has blocks programmed.
    fn operations(&mut self, _table: &mut OpTable, _flash: &Flash<'_>) {}

    /// The row by which a block of a group is programmed after so many P/E cycles, where not by the
    /// conventional one.
    fn program_row(&self, _group: usize, _pec: u32) -> Option<u8> {
        None
    }

    /// The margin by which an erase may end short of what its block needs, that of the loop with the largest.
    fn margin_us(&self, _cells: &Cells) -> u32 {
        0
    }

    /// The share of wear and damage that a pulse does after so many P/E cycles: less than 1 where the
    /// voltage of erases is lowered.
    fn stress(&self, _pec: u32) -> f64 {
        1.0
    }
}

/// An erase of a block, as chance has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance {
    /// How much harder than the others of its kind the block erases.
    hardness: f64,
    /// A number in [0, 1) of this erase's own.
    draw: f64,
    /// P/E cycles before it.
    pec: u32,
}

impl Chance {
    /// Of block `number` after `pec` cycles, by the run's seed.
    pub fn of(seed: u64, number: BlockId, pec: u32) -> Self {
        Self { hardness: hardness(seed, number), draw: draw(seed, number, pec), pec }
    }
}

/// Erases a block of this past by a rule; its past is then what follows from that.
pub(super) fn erase(
    (cells, rule): (&Cells, &dyn Rule),
    block: &mut Wear,
    chance: Chance,
    out: &mut Erasing,
) {
    out.clear();
    let Chance { hardness, draw, pec } = chance;
    let need_us = cells.need_us(block.wear_us, hardness);
    rule.erase(cells, &Asked { need_us, last: block.last, draw }, out);
    let damage_us = out.steps.iter().map(|s| cells.damage_us(s.number, s.skipped, s.us)).sum();
    let stress = rule.stress(pec);
    let stressed = |us: u32| libm::round(f64::from(us) * stress) as u32;
    let wear_us = stressed(out.pulses_us()).saturating_add(cells.cycle_wear_us);
    block.wear_us = block.wear_us.saturating_add(wear_us);
    block.damage_us = block.damage_us.saturating_add(stressed(damage_us));
    block.short_us = u16::try_from(out.short_us).unwrap_or(u16::MAX);
    block.last = out.steps.last().map_or(1, |step| step.number);
}

/// Takes a block through further cycles, those of a stride alike; returns the time under pulses of the
/// first of them, in µs.
pub(super) fn advance(
    by: (&Cells, &dyn Rule),
    block: &mut Wear,
    (number, hardness): (BlockId, f64),
    cycles: Range<u32>,
    seed: u64,
) -> u32 {
    let mut out = Erasing::default();
    let (mut pec, mut first_us) = (cycles.start, None);
    while pec < cycles.end {
        let stride = STRIDE_PEC.min(cycles.end - pec);
        let before = *block;
        erase(by, block, Chance { hardness, draw: draw(seed, number, pec), pec }, &mut out);
        let times = |after: u32, before: u32| {
            before.saturating_add((after - before).saturating_mul(stride))
        };
        block.wear_us = times(block.wear_us, before.wear_us);
        block.damage_us = times(block.damage_us, before.damage_us);
        first_us.get_or_insert(out.pulses_us());
        pec += stride;
    }
    first_us.unwrap_or(0)
}

/// A number in [0, 1) of each erase's own.
fn draw(seed: u64, block: BlockId, pec: u32) -> f64 {
    let word = mix(seed ^ mix(u64::from(block.number()) << 32 | u64::from(pec)));
    (word >> 11) as f64 / (1u64 << 53) as f64
}

/// How much harder than the others of its kind a block erases: standard normal.
pub(super) fn hardness(seed: u64, block: BlockId) -> f64 {
    unit_normal(seed ^ HARDNESS, u64::from(block.number()))
}

/// Keeps the draws of hardness apart from others by the same seed.
const HARDNESS: u64 = 0x6861_7264_6e65_7373;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reliability::Chip;

    /// A full pulse of the first loop, at half of the stress below a hundred cycles.
    struct GentleAtFirst;

    impl Rule for GentleAtFirst {
        fn erase(&self, cells: &Cells, _: &Asked, out: &mut Erasing) {
            out.pulse(1, 0, cells.full_us(1));
        }

        fn stress(&self, pec: u32) -> f64 {
            if pec < 100 { 0.5 } else { 1.0 }
        }
    }

    /// Of 250 cycles the first hundred do half of the damage of the others.
    #[test]
    fn the_past_of_a_block_is_that_of_each_of_its_ages() {
        let cells = Cells::of(Chip::ReoTlc).expect("its tables are built in");
        let mut wear = Wear::default();
        advance((&cells, &GentleAtFirst), &mut wear, (BlockId(0), 0.0), 0..250, 7);
        let whole_us = cells.damage_us(1, 0, cells.full_us(1));
        let half_us = libm::round(f64::from(whole_us) / 2.0) as u32;
        assert_eq!(wear.damage_us, 100 * half_us + 150 * whole_us);
    }
}
