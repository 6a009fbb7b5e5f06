//! Erases by incremental step pulses (ISPE), block by block: how long a block needs, how many bits
//! fail after each pulse, and what the pulses do to it.
//!
//! Pulse i of an erase is applied at a voltage that rises with i, for at most `pulse_ms`; a verify
//! follows it and counts the bit lines that hold a cell not erased yet. A block is described by its
//! *wear* (time under pulses so far, and what programs add, from which its need grows) and its
//! *hardness* (its place among the blocks of its kind). `mtBERS`, the least time that completes the erase, follows from both.

mod borrowed;
pub mod cycling;
mod scheme;

pub use borrowed::BorrowedErase;
pub use scheme::{Applied, Scheme};

use crate::Error;
use crate::ranged::ranged;

ranged! {
    /// How a chip's blocks erase. Times are of pulses alone, without verifies.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Erase {
        /// Longest pulse, in ms.
        pub pulse_ms: f64 => 0.01..=100.0,
        /// Duration of a verify, in ms.
        pub verify_ms: f64 => 0.0..=100.0,
        /// Most pulses.
        pub max_pulses: u32 => 1.0..=32.0,
        /// Wear by the programs of a cycle, in ms under pulses that wear as much.
        pub cycle_wear_ms: f64 => 0.0..=100.0,
        /// Wear at the knots of `need_ms`, in ms under pulses.
        pub wear_ms: Vec<f64> => 0.0..=1e8,
        /// Need of the middle block at these, in ms.
        pub need_ms: Vec<f64> => 0.0..=1e4,
        /// Wear at the knots of `spread_ms`.
        pub spread_wear_ms: Vec<f64> => 0.0..=1e8,
        /// How far the blocks' needs spread about it at these, in ms: the standard deviation where the
        /// skew is 0.
        pub spread_ms: Vec<f64> => 0.0..=1e4,
        /// Wear at the knots of `skew`.
        pub skew_wear_ms: Vec<f64> => 0.0..=1e8,
        /// Skew at these: above 0 a few blocks need much more than the others, below 0 much less.
        pub skew: Vec<f64> => -5.0..=5.0,
        /// Duration of the shallow pulse that tells how hard a block is in its first loop, in ms.
        pub shallow_ms: f64 => 0.0..=100.0,
        /// Step of the pulses' durations, in ms.
        pub step_ms: f64 => 0.001..=100.0,
        /// δ: failing bit lines that one step of pulse takes away.
        pub fail_bits_per_step: f64 => 0.001..=1e9,
        /// γ: failing bit lines that the shortest pulse takes away.
        pub fail_bits_last: f64 => 0.0..=1e9,
        /// F_PASS: failing bit lines that an erase may leave.
        pub fail_bits_pass: f64 => 0.0..=1e9,
        /// What an aggressive pulse is shorter by, in ms, for each number of pulses, spending the
        /// margin of the code.
        pub margin_ms: Vec<f64> => 0.0..=100.0,
        /// Errors per KiB that a millisecond of pulse too few adds to the worst page.
        pub short_errors_per_ms: f64 => 0.0..=1e6,
        /// Damage of a pulse relative to that of the one before, at equal duration.
        pub damage_ratio: f64 => 0.1..=100.0,
        /// Further ratio for each pulse that was left out before it.
        pub skipped_ratio: f64 => 0.1..=100.0,
        /// P/E cycles that a block erased by ISPE lasts.
        pub endurance_pec: f64 => 100.0..=1e5,
    }
}

/// A block: where it stands among its kind, and what it went through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Standard normal: how much harder than the others it erases.
    pub hardness: f64,
    /// Time under erase pulses so far, and what programs wore, in ms; its need grows with it.
    pub wear_ms: f64,
    /// Time under pulses, each weighed by its voltage; its bit errors grow with it.
    pub damage_ms: f64,
    /// Pulses of the last erase.
    pub last_pulses: u32,
}

impl Block {
    /// A new block.
    pub fn new(hardness: f64) -> Self {
        Self { hardness, wear_ms: 0.0, damage_ms: 0.0, last_pulses: 1 }
    }
}

impl Erase {
    /// mtBERS: the least time under pulses that erases a block, in ms.
    pub fn need_ms(&self, block: &Block) -> f64 {
        let middle = along(&self.wear_ms, &self.need_ms, block.wear_ms);
        let spread = along(&self.spread_wear_ms, &self.spread_ms, block.wear_ms);
        let skew = along(&self.skew_wear_ms, &self.skew, block.wear_ms);
        let most = self.pulse_ms * f64::from(self.max_pulses);
        (middle + spread * skewed(block.hardness, skew)).clamp(self.step_ms, most)
    }

    /// N_ISPE: full pulses that erase a block in need of `need_ms`.
    pub fn pulses(&self, need_ms: f64) -> u32 {
        (libm::ceil(need_ms / self.pulse_ms - 1e-9) as u32).clamp(1, self.max_pulses)
    }

    /// F: bit lines that fail the verify when the block still needs `left_ms`. They fall in
    /// proportion to the time under pulses: by δ a step, and by γ in the last one.
    pub fn fail_bits(&self, left_ms: f64) -> f64 {
        let steps = left_ms / self.step_ms;
        if steps <= 1.0 {
            return self.fail_bits_pass
                + (self.fail_bits_last - self.fail_bits_pass) * steps.max(0.0);
        }
        self.fail_bits_last + self.fail_bits_per_step * (steps - 1.0)
    }

    /// What the prediction table asks for when `fail_bits` bit lines fail, in ms: one step for F ≤ γ,
    /// k + 1 steps for F ≤ γ + kδ. The publication's bounds are kδ; γ more or less shifts
    /// [`Erase::fail_bits`] alike, and cancels.
    pub(crate) fn asked_ms(&self, fail_bits: f64) -> f64 {
        let above = (fail_bits - self.fail_bits_last).max(0.0) / self.fail_bits_per_step;
        self.step_ms * (1.0 + libm::ceil(above - 1e-9))
    }

    /// The longest that a pulse predicted in loop `pulse` may be, in ms.
    fn whole_ms(&self, pulse: u32) -> f64 {
        if pulse == 1 { self.pulse_ms - self.shallow_ms } else { self.pulse_ms }
    }

    /// Duration of the next pulse when `fail_bits` bit lines fail, in ms.
    pub fn predicted_ms(&self, pulse: u32, fail_bits: f64) -> f64 {
        self.asked_ms(fail_bits).min(self.whole_ms(pulse))
    }

    /// Duration of the next pulse, in ms, where what is asked for is shorter by what the margin of the code bears.
    pub fn aggressive_ms(&self, pulse: u32, fail_bits: f64) -> f64 {
        let margin = self.margin_ms.get(pulse as usize - 1).copied().unwrap_or(0.0);
        (self.asked_ms(fail_bits) - margin).clamp(0.0, self.whole_ms(pulse))
    }

    /// Erases a block by a scheme, and wears it.
    pub fn erase(&self, block: &mut Block, scheme: Scheme) -> Applied {
        let applied = scheme.apply(self, block);
        block.wear_ms += applied.pulse_ms + self.cycle_wear_ms;
        block.damage_ms += applied.damage_ms;
        block.last_pulses = applied.last_pulse;
        applied
    }

    /// Damage of pulse `number`, from 1, of `ms`, before which `skipped` were left out.
    pub fn damage(&self, number: u32, skipped: u32, ms: f64) -> f64 {
        let ratio = |base: f64, by: u32| libm::pow(base, f64::from(by));
        ms * ratio(self.damage_ratio, number - 1) * ratio(self.skipped_ratio, skipped)
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        self.check_ranges("erase")?;
        let refuse = |what: &str, help: &str| Err(Error::new(format!("erase.{what}"), help));
        for (knots, values, name) in [
            (&self.wear_ms, &self.need_ms, "need_ms"),
            (&self.spread_wear_ms, &self.spread_ms, "spread_ms"),
            (&self.skew_wear_ms, &self.skew, "skew"),
        ] {
            if values.len() < 2 || knots.len() != values.len() {
                let what = format!("{name}: {} knots and {} values", knots.len(), values.len());
                return refuse(&what, "give two or more of each, as many of one as of the other");
            }
        }
        for (list, name) in [
            (&self.wear_ms, "wear_ms"),
            (&self.need_ms, "need_ms"),
            (&self.spread_wear_ms, "spread_wear_ms"),
            (&self.skew_wear_ms, "skew_wear_ms"),
        ] {
            if list.windows(2).any(|pair| pair[0] >= pair[1]) {
                return refuse(&format!("{name}: not in rising order"), "write the lowest first");
            }
        }
        let pulse_ms = self.pulse_ms;
        if self.shallow_ms >= pulse_ms {
            let what = format!("shallow_ms is {}", self.shallow_ms);
            return refuse(&what, &format!("a shallow pulse is shorter than pulse_ms, {pulse_ms}"));
        }
        if self.step_ms > pulse_ms {
            let what = format!("step_ms is {}", self.step_ms);
            return refuse(&what, &format!("a step is no longer than pulse_ms, {pulse_ms}"));
        }
        Ok(())
    }
}

/// A standard normal number drawn out to one side: (exp(s x) − 1) / s, which a skew of 0 leaves as it
/// is. The middle stays where it is.
fn skewed(normal: f64, skew: f64) -> f64 {
    if skew.abs() < 1e-6 { normal } else { libm::expm1(skew * normal) / skew }
}

/// Straight lines between knots, the last one going on.
fn along(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let right = xs.iter().position(|knot| x <= *knot).unwrap_or(xs.len() - 1).max(1);
    let share = (x.max(xs[0]) - xs[right - 1]) / (xs[right] - xs[right - 1]);
    ys[right - 1] + (ys[right] - ys[right - 1]) * share
}

/// Blocks that stand for all of their kind: the middles of equally large parts of a normal
/// distribution of hardness.
pub fn population(blocks: u32) -> Vec<Block> {
    let place = |i: u32| (f64::from(i) + 0.5) / f64::from(blocks);
    (0..blocks).map(|i| Block::new(wordline_stats::normal_quantile(place(i)))).collect()
}

#[cfg(test)]
mod tests;
