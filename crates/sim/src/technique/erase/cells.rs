//! How the blocks of a chip erase: how long each needs, how many of its bits fail after a pulse, what
//! pulses do to it. Everything comes from the chip's tables, which the cell laboratory writes.

use super::curves::Curves;
use crate::declare::choice;
use crate::error::Error;
use crate::nand::infeasible;
use crate::reliability::{Chip, Line};

choice! {
    /// The chip by whose tables other flash erases.
    pub enum Borrowed {
        None = "none",
        ReoTlc = "reo-tlc",
    }
}

impl Borrowed {
    /// The chip, if there is one.
    pub(super) fn chip(self) -> Option<Chip> {
        match self {
            Self::None => None,
            Self::ReoTlc => Some(Chip::ReoTlc),
        }
    }
}

/// What gate voltages of word lines make of a block, as shares of what it is with all gates at ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gates {
    /// Time under pulses that it needs.
    pub need: f64,
    /// Damage of a millisecond of a pulse.
    pub damage: f64,
}

impl Gates {
    /// All gates at ground.
    pub const GROUND: Self = Self { need: 1.0, damage: 1.0 };
}

/// Times in µs under pulses, for whole numbers of them are exact on every machine.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    /// Bits of a cell: the kind of flash that the tables are of.
    pub bits: u32,
    /// Time of a verify-read.
    pub verify_us: u32,
    /// The shallow pulse that tells how hard a block is in its first loop.
    pub shallow_us: u32,
    /// The step of pulses' lengths.
    pub step_us: u32,
    /// Loops, the first one first.
    loops: Vec<Loop>,
    /// Need of the middle block by wear, its spread among blocks, in ms, and the skew of that.
    need: Line,
    spread: Line,
    skew: Line,
    /// What the programs of a cycle wear, in µs under pulses that wear as much.
    pub cycle_wear_us: u32,
    /// Failing bit lines by the ms that a block still needs.
    fail_bits: Line,
    /// What the prediction table asks for, in ms, by failing bit lines up to which it does.
    asked: Line,
    /// Errors of the worst page after a year, per KiB, by damage; cycles by ISPE that do as much.
    errors: Line,
    cycles: Line,
    /// Errors that a millisecond too few adds.
    pub short_errors: f64,
}

#[derive(Debug, Clone)]
struct Loop {
    full_us: u32,
    margin_us: u32,
    /// Damage of each ms, by the number of loops left out before it.
    damage: Vec<f64>,
    /// Errors of the blocks that need so many loops.
    errors: f64,
}

/// What no chip's table exceeds: longer pulses, or more of them, are a mistake in it.
const PULSE_MOST_US: u32 = 1_000_000;
const LOOPS_MOST: usize = 100;

fn us(ms: f64) -> u32 {
    libm::round(ms * 1000.0) as u32
}

fn ms(us: u32) -> f64 {
    f64::from(us) / 1000.0
}

impl Cells {
    /// The cells of a chip.
    ///
    /// # Errors
    /// A table that lacks something.
    pub fn of(chip: Chip) -> Result<Self, Error> {
        Self::parse(&format!("pulses.csv of {chip}"), chip.pulses())
    }

    fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let curves = Curves::parse(name, text)?;
        let loop_ = |number: usize| -> Result<Loop, Error> {
            let damage = curves.line("damage", number)?;
            Ok(Loop {
                full_us: us(curves.value("full", number)?),
                margin_us: us(curves.value("margin", number)?),
                damage: damage.points().iter().map(|point| point.1).collect(),
                errors: curves.value("errors_of", number)?,
            })
        };
        let cells = Self {
            bits: curves.value("bits", 0)? as u32,
            verify_us: us(curves.value("verify", 0)?),
            shallow_us: us(curves.value("shallow", 0)?),
            step_us: us(curves.value("step", 0)?),
            loops: (1..=curves.pulses()).map(loop_).collect::<Result<_, _>>()?,
            need: curves.line("need", 0)?,
            spread: curves.line("need_spread", 0)?,
            skew: curves.line("need_skew", 0)?,
            cycle_wear_us: us(curves.value("cycle_wear", 0)?),
            fail_bits: curves.line("fail_bits", 0)?,
            asked: curves.line("asked", 0)?,
            errors: curves.line("errors", 0)?,
            cycles: curves.line("cycles", 0)?,
            short_errors: curves.value("short_errors", 0)?,
        };
        let full_us = || cells.loops.iter().map(|one| one.full_us);
        let (least_us, most_us) = (full_us().min().unwrap_or(0), full_us().max().unwrap_or(0));
        let has_parts = (1..=least_us).contains(&cells.step_us) && cells.shallow_us < least_us;
        if !has_parts || most_us > PULSE_MOST_US || cells.loops.len() > LOOPS_MOST {
            return Err(infeasible(
                format!("{name}: full pulses that are no whole of steps, or last seconds"),
                "write it with `wordline lab tables`",
            ));
        }
        Ok(cells)
    }

    /// The cells with such voltages at their gates.
    pub fn gated(self, gates: Gates) -> Self {
        let damage = |one: Loop| Loop {
            damage: one.damage.iter().map(|share| share * gates.damage).collect(),
            ..one
        };
        Self {
            need: self.need.times(gates.need),
            spread: self.spread.times(gates.need),
            loops: self.loops.into_iter().map(damage).collect(),
            ..self
        }
    }

    /// Loops of an erase at most.
    pub fn loops_max(&self) -> u8 {
        self.loops.len() as u8
    }

    /// mtBERS: the least time under pulses that erases a block of this wear and hardness (standard
    /// normal among its kind).
    pub fn need_us(&self, wear_us: u32, hardness: f64) -> u32 {
        let wear_ms = ms(wear_us);
        let skew = self.skew.at(wear_ms);
        // As the laboratory has it: the middle block stays where it is.
        let place = if skew.abs() < 1e-6 { hardness } else { libm::expm1(skew * hardness) / skew };
        let need_ms = self.need.at(wear_ms) + self.spread.at(wear_ms) * place;
        let most: u32 = self.loops.iter().map(|one| one.full_us).sum();
        us(need_ms.max(0.0)).clamp(self.step_us, most)
    }

    /// F: bit lines that fail the verify-read when the block still needs `left_us`.
    pub fn fail_bits(&self, left_us: u32) -> f64 {
        self.fail_bits.at(ms(left_us))
    }

    /// F_PASS: bit lines that may fail after an erase.
    pub fn passes(&self, fail_bits: f64) -> bool {
        fail_bits <= self.fail_bits.points()[0].1
    }

    /// A full pulse of loop `number`, from 1.
    pub fn full_us(&self, number: u8) -> u32 {
        self.loop_(number).full_us
    }

    /// What the prediction table asks for in a next pulse; `None` beyond F_HIGH, where a full one goes.
    pub fn asked_us(&self, fail_bits: f64) -> Option<u32> {
        let found = self.asked.points().iter().find(|point| fail_bits <= point.0);
        found.map(|point| us(point.1))
    }

    /// What a predicted pulse of loop `number` may be shorter by, where the worst page may have
    /// `requirement` errors per KiB: in whole steps, and never more than was published.
    pub fn margin_us(&self, number: u8, requirement: f64) -> u32 {
        let one = self.loop_(number);
        let bears_us = us(((requirement - one.errors) / self.short_errors).max(0.0));
        (bears_us / self.step_us * self.step_us).min(one.margin_us)
    }

    /// Damage of a pulse of loop `number` before which `skipped` were left out, in µs of the first.
    pub fn damage_us(&self, number: u8, skipped: u8, pulse_us: u32) -> u32 {
        let damage = &self.loop_(number).damage;
        let ratio = damage[usize::from(skipped).min(damage.len() - 1)];
        libm::round(f64::from(pulse_us) * ratio) as u32
    }

    /// Errors of the worst page after a year, per KiB.
    pub fn errors(&self, damage_us: u32) -> f64 {
        self.errors.at(ms(damage_us))
    }

    /// The last errors that the table has, and the cycles by ISPE after which it has them.
    pub fn last_errors(&self) -> (f64, f64) {
        let last = |line: &Line| line.points().last().map_or(0.0, |point| point.1);
        (last(&self.errors), last(&self.cycles))
    }

    /// Cycles by ISPE that do as much damage, on average.
    pub fn equivalent_pec(&self, damage_us: u32) -> f64 {
        self.cycles.at(ms(damage_us))
    }

    fn loop_(&self, number: u8) -> &Loop {
        &self.loops[usize::from(number.clamp(1, self.loops_max())) - 1]
    }
}

/// Reads any text as pulses.csv.
#[cfg(feature = "fuzzing")]
pub(super) fn read_table(text: &str) {
    if let Ok(cells) = Cells::parse("table", text) {
        let need_us = cells.need_us(1_000_000, 1.0);
        assert!(need_us >= cells.step_us && cells.loops_max() > 0);
        cells.fail_bits(need_us);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_follow_from_the_requirement() {
        let cells = Cells::of(Chip::ReoTlc).unwrap();
        let margins =
            |requirement| [1, 2, 3, 4, 5].map(|number| cells.margin_us(number, requirement));
        assert_eq!(margins(63.0), [1000, 1000, 1000, 500, 0]);
        assert_eq!(margins(1000.0), [1000, 1000, 1000, 500, 0]);
        let [strict, stricter] = [50.0, 40.0].map(|r| margins(r).iter().sum::<u32>());
        assert!(stricter < strict && strict < 3500, "{strict} {stricter}");
        assert_eq!(margins(0.0), [0; 5]);
    }

    #[test]
    fn gate_voltages_ask_for_more_time_and_do_less_damage() {
        let ground = Cells::of(Chip::ReoTlc).unwrap();
        let gated = ground.clone().gated(Gates { need: 1.25, damage: 0.5 });
        for (wear_us, hardness) in [(1_000_000, 0.0), (10_000_000, -0.5), (10_000_000, 0.5)] {
            let [before, after] = [&ground, &gated].map(|cells| cells.need_us(wear_us, hardness));
            assert!(after.abs_diff(before + before / 4) <= 1, "{before} {after}");
        }
        let of = |cells: &Cells| [cells.damage_us(1, 0, 1000), cells.damage_us(3, 1, 2000)];
        assert_eq!(of(&gated), of(&ground).map(|us| us / 2));
        assert_eq!(ground.clone().gated(Gates::GROUND).need_us(7, 1.0), ground.need_us(7, 1.0));
    }

    proptest::proptest! {
        /// A table in which a character has changed is refused, or gives pulses that end.
        #[test]
        fn a_damaged_table_is_refused_or_works(at in 0usize..4096, with in "[-0-9.,a-z\\n]", wear_us: u32) {
            let mut text: Vec<char> = Chip::ReoTlc.pulses().chars().collect();
            let at = at % text.len();
            text[at] = with.chars().next().unwrap();
            if let Ok(cells) = Cells::parse("x.csv", &text.iter().collect::<String>()) {
                assert!(cells.need_us(wear_us, -3.0) >= cells.step_us);
            }
        }
    }

    #[test]
    fn fail_bits_and_the_prediction_table_belong_together() {
        let cells = Cells::of(Chip::ReoTlc).unwrap();
        assert!(cells.passes(cells.fail_bits(0)) && !cells.passes(cells.fail_bits(1)));
        for left_us in 1..=4000 {
            let asked = cells.asked_us(cells.fail_bits(left_us)).unwrap();
            assert_eq!(asked, left_us.div_ceil(500) * 500, "{left_us}");
        }
        assert_eq!(cells.asked_us(cells.fail_bits(4001)), None);
    }
}
