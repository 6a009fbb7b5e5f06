//! The write modes: how long the first stage of each holds.

use crate::nand::Mode;

/// Write modes, besides that of the conventional drive.
pub const MODES: usize = 3;

/// The wear for which the modes promise their days (Section 3.2), P/E cycles.
pub(super) const RATED_PEC: u32 = 1000;

/// A write mode, the fastest first; each is named after the days for which its first stage holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteMode {
    /// A day.
    M1,
    /// A week.
    M7,
    /// A month.
    M30,
}

impl WriteMode {
    /// All of them, the fastest first.
    pub const ALL: [Self; MODES] = [Self::M1, Self::M7, Self::M30];

    /// Its name in configurations, results and messages.
    pub const fn name(self) -> Mode {
        match self {
            Self::M1 => "m1",
            Self::M7 => "m7",
            Self::M30 => "m30",
        }
    }

    /// The name that tables of error rates have for its second stages.
    pub const fn secured_name(self) -> Mode {
        match self {
            Self::M1 => "secured_m1",
            Self::M7 => "secured_m7",
            Self::M30 => "secured_m30",
        }
    }

    /// The next slower mode, which holds longer; the slowest stays.
    pub fn slower(self) -> Self {
        Self::ALL[(self as usize + 1).min(MODES - 1)]
    }

    /// The next faster mode; the fastest stays.
    pub fn faster(self) -> Self {
        Self::ALL[(self as usize).saturating_sub(1)]
    }

    /// The days for which its first stage holds.
    pub(super) fn days(self) -> f64 {
        match self {
            Self::M1 => 1.0,
            Self::M7 => 7.0,
            Self::M30 => 30.0,
        }
    }

    /// Where its first stage leaves a word line.
    pub(super) const fn sources(self) -> &'static [Mode] {
        match self {
            Self::M1 => &["m1"],
            Self::M7 => &["m7"],
            Self::M30 => &["m30"],
        }
    }
}
