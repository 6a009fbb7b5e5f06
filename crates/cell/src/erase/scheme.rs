//! Ways to erase a block.

use super::{Block, Erase};

/// A way to erase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Full pulses, from the lowest voltage, until the verify passes.
    Ispe,
    /// As ISPE, but beginning with the pulse before the one that was enough the last time (i-ISPE).
    /// Beginning with that one itself, no block would ever take two pulses; measured blocks do.
    Intelligent,
    /// The last pulse as long as the failing bits ask for (REO−, and AERO's conservative mode).
    Conservative,
    /// Shorter still by what the margin of the code bears (REO, and AERO's aggressive mode).
    Aggressive,
}

/// What an erase took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Applied {
    /// Time under pulses, in ms.
    pub pulse_ms: f64,
    /// Verifies.
    pub verifies: u32,
    /// Number of the last pulse, which its voltage goes by.
    pub last_pulse: u32,
    /// Damage, in ms at the voltage of the first pulse.
    pub damage_ms: f64,
    /// Time that the block would have needed further, in ms: it is left erased so much less.
    pub short_ms: f64,
}

impl Applied {
    const NONE: Self =
        Self { pulse_ms: 0.0, verifies: 0, last_pulse: 1, damage_ms: 0.0, short_ms: 0.0 };

    /// tBERS: pulses and verifies, in ms.
    pub fn latency_ms(&self, erase: &Erase) -> f64 {
        self.pulse_ms + f64::from(self.verifies) * erase.verify_ms
    }

    fn pulse(&mut self, erase: &Erase, number: u32, skipped: u32, ms: f64) {
        self.pulse_ms += ms;
        self.verifies += 1;
        self.last_pulse = number;
        self.damage_ms += erase.damage(number, skipped, ms);
    }
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Ispe, Self::Intelligent, Self::Conservative, Self::Aggressive];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ispe => "ispe",
            Self::Intelligent => "i_ispe",
            Self::Conservative => "conservative",
            Self::Aggressive => "aggressive",
        }
    }

    /// What erasing `block` so takes.
    pub(super) fn apply(self, erase: &Erase, block: &Block) -> Applied {
        let need_ms = erase.need_ms(block);
        match self {
            Self::Ispe => full(erase, need_ms, 1),
            Self::Intelligent => full(erase, need_ms, block.last_pulses.saturating_sub(1).max(1)),
            Self::Conservative => cut(erase, need_ms, Erase::predicted_ms),
            Self::Aggressive => cut(erase, need_ms, Erase::aggressive_ms),
        }
    }
}

/// Full pulses from number `first` on. A pulse at a higher voltage does what it and all the lower
/// ones would have done, so that beginning high saves their time.
fn full(erase: &Erase, need_ms: f64, first: u32) -> Applied {
    let mut applied = Applied::NONE;
    for number in first..=erase.pulses(need_ms).max(first) {
        applied.pulse(erase, number, if number == first { first - 1 } else { 0 }, erase.pulse_ms);
    }
    applied
}

/// Full pulses but for the last, whose length `rule` gives from the failing bits before it. A block
/// that may need but one pulse is first asked by a shallow one.
fn cut(erase: &Erase, need_ms: f64, rule: fn(&Erase, u32, f64) -> f64) -> Applied {
    let mut applied = Applied::NONE;
    let last = erase.pulses(need_ms);
    for number in 1..last {
        applied.pulse(erase, number, 0, erase.pulse_ms);
    }
    if last == 1 {
        applied.pulse(erase, 1, 0, erase.shallow_ms);
    }
    let left_ms = need_ms - applied.pulse_ms;
    if left_ms > 0.0 {
        let ms = rule(erase, last, erase.fail_bits(left_ms));
        if ms > 0.0 {
            applied.pulse(erase, last, 0, ms);
        }
    }
    applied.short_ms = (need_ms - applied.pulse_ms).max(0.0);
    applied
}
