//! What becomes of a drive when power fails.

use crate::declare::Kind;
use crate::declare::{choice, params};
use serde::{Deserialize, Serialize};
use std::fmt;

choice! {
    /// What a drive has against power cuts: everything, or nothing.
    pub enum Whole {
        Capacitor = "capacitor",
        None = "none",
    }
}

/// What a drive has against power cuts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Protection {
    /// Everything, or nothing.
    Whole(Whole),
    /// So much energy, in nanojoules, to finish what it has begun.
    EnergyNj(f64),
}

impl Protection {
    /// A capacitor bears every cut.
    pub const CAPACITOR: Self = Self::Whole(Whole::Capacitor);
    /// Nothing does.
    pub const NONE: Self = Self::Whole(Whole::None);

    /// Whether a cut takes nothing, so that the translation layer need not care.
    pub fn bears_all(self) -> bool {
        self == Self::CAPACITOR
    }

    /// The energy that a cut leaves, nanojoules, where it is a number.
    pub fn energy_nj(self) -> Option<u64> {
        match self {
            Self::EnergyNj(energy_nj) => Some(energy_nj.round() as u64),
            Self::Whole(_) => None,
        }
    }
}

/// As a configuration holds it.
impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(name) => write!(f, "\"{name}\""),
            Self::EnergyNj(energy_nj) => write!(f, "{energy_nj}"),
        }
    }
}

/// Nanojoules that a drive may have at most: a kilojoule, far more than any has.
const MOST_NJ: f64 = 1e12;

choice! {
    /// What a flush does.
    pub enum Flushes {
        Wait = "wait",
        Lie = "lie",
    }
}

params! {
    /// `[power]`: what a drive has against power cuts, and what its FTL does about them.
    pub struct PowerConfig {
        protection: Protection = Protection::CAPACITOR, Kind::OneOfOr(Whole::NAMES, 0.0, MOST_NJ), "nJ",
            "capacitor: what was issued ends and what the controller holds is saved, so that the FTL need not care; none: what is under way is damaged, and the rules below keep what was flushed; a number: the same, and so much energy finishes what was begun, programs first, then saves what the controller holds, then finishes erases";
        flushes: Flushes = Flushes::Wait, Kind::OneOf(Flushes::NAMES), "",
            "wait: a flush is over once what was acknowledged before it is safe; lie: it is acknowledged at once, and nothing is done";
        erase_waits: bool = true, Kind::Bool, "",
            "without a capacitor: an erase waits until what superseded the block's data, copies too, is programmed in whole word lines";
        flush_completes: bool = true, Kind::Bool, "",
            "without a capacitor: a flush fills up the word lines that it ends in, so that no later program can damage them";
        preserves: bool = true, Kind::Bool, "",
            "without a capacitor: before a program over a word line that holds data, this is copied elsewhere",
            "Gao et al., ACM TOS 18(1):9, 2022, Section 4.4.2, for reprograms";
        remembers_trims: bool = true, Kind::Bool, "",
            "without a capacitor: a flush writes down what was trimmed, so that it does not come back";
        checkpoint_share: f64 = 0.0, Kind::Float(0.0, 1.0), "share",
            "without a capacitor: once so large a share of the blocks was programmed anew a checkpoint of the map is written, and each of them is written down before; a restart then reads these blocks alone. 0: nothing is written down, and a restart reads the whole drive";
        erases_again: bool = true, Kind::Bool, "",
            "without a capacitor: after a restart a block that reads as erased is erased again before its first program, unless a checkpoint says that it was erased",
            "Tseng et al., DAC 2011: partly erased blocks are programmed unreliably";
        blank_share: f64 = 0.5, Kind::Float(0.0, 1.0), "share",
            "share of the blocks in which a cut stops an erase, or the first program, that read as erased afterwards and are not",
            "assumed";
        torn_share: f64 = 0.5, Kind::Float(0.0, 1.0), "share",
            "share of the pages that a cut in mid-program or mid-erase leaves unreadable, those beneath them in their word lines too",
            "assumed";
    }
}
