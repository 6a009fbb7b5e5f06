//! How fast the stages of each write mode are, for how long they hold, and the operations.

use super::LazyFtlConfig;
use super::entry::{Deadlines, SecondStage};
use super::mode::{MODES, RATED_PEC, WriteMode};
use crate::nand::{ERASED, Flash, Kind, Mode, Needs, OpRow, OpTable, Transition};

/// Boltzmann's constant, eV/K.
const BOLTZMANN_EV: f64 = 8.617_333e-5;
const ZERO_CELSIUS_K: f64 = 273.15;
/// The temperature for which the modes promise their days (Section 3.2), °C.
const TABLE_C: f64 = 30.0;

/// Errors per KiB that first stages may have at the end of their days: 90 % of 60 (Section 3.2).
const RATED_ERRORS: f64 = 54.0;

/// The mode of a word line after its second stage.
const SECURED: Mode = "secured";

/// Rows of the operations, by mode.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rows {
    pub first: [u8; MODES],
    pub second: [u8; MODES],
}

impl Rows {
    /// The mode whose first stage a row is; `None` for what is programmed as the conventional drive does.
    pub fn mode_of(&self, row: u8) -> Option<WriteMode> {
        WriteMode::ALL.into_iter().find(|&mode| self.first[mode as usize] == row)
    }
}

impl LazyFtlConfig {
    /// Time of a mode's first stage, as a share of the conventional program.
    pub(super) fn first_share(&self, mode: WriteMode) -> f64 {
        [self.m1_share, self.m7_share, self.m30_share][mode as usize]
    }

    /// Time of its second stage.
    pub(super) fn second_share(&self, mode: WriteMode) -> f64 {
        match self.second_stage {
            SecondStage::Whole => 1.0,
            SecondStage::Rest => 1.0 - self.first_share(mode),
        }
    }

    /// For how long a mode's first stage holds at the drive's temperature, on a block with so many P/E cycles
    /// whose erases leave up to so many errors per KiB: each mode stands for its days at 30 °C, which pass faster
    /// where it is warmer (Arrhenius), and end sooner where fewer errors can be borne or cells are worn.
    pub fn retention_ns(&self, mode: WriteMode, errors_spent: f64, pec: u32) -> u64 {
        let days = mode.days() * self.share_left(errors_spent) * self.share_at(pec, errors_spent);
        (days * self.day_s / self.acceleration(self.temperature_c) * 1e9) as u64
    }

    /// The share of a mode's time that is left where erases leave up to so many errors per KiB.
    pub(super) fn share_left(&self, errors_spent: f64) -> f64 {
        libm::exp2(-errors_spent / self.halved_by)
    }

    /// A mode's time after so many P/E cycles, of that for which it is rated. Erases that are left short spend
    /// a part of what less wear leaves.
    fn share_at(&self, pec: u32, errors_spent: f64) -> f64 {
        let less = (f64::from(RATED_PEC) - f64::from(pec)) / self.halved_by_pec;
        let left = (1.0 - errors_spent / RATED_ERRORS).max(0.0);
        match self.deadlines {
            Deadlines::Rated => 1.0,
            Deadlines::ByWear => libm::exp2(if less > 0.0 { less * left } else { less }),
        }
    }

    /// How much faster charge leaks at a temperature than at the 30 °C of the modes' days (Arrhenius).
    pub(super) fn acceleration(&self, temperature_c: f64) -> f64 {
        let inverse_k = |celsius: f64| 1.0 / (celsius + ZERO_CELSIUS_K);
        let exponent =
            self.activation_ev / BOLTZMANN_EV * (inverse_k(TABLE_C) - inverse_k(temperature_c));
        libm::exp(exponent)
    }

    /// Appends the operations to the table: programs of whole word lines whose energy follows their time.
    pub(super) fn add_operations(&self, table: &mut OpTable, flash: &Flash<'_>) -> Rows {
        let program = table.row(flash.rows.program).clone();
        debug_assert_eq!(program.kind, Kind::Program);
        // What a cell is programmed to follows from all pages of its word line, the invalid ones too.
        let pages = flash.chip.cell.bits();
        let row = |name, needs, transition, share: f64| {
            let part = |value: u64| (value as f64 * share).round() as u64;
            OpRow {
                name,
                needs,
                transition,
                array_ns: program.array_ns.map(part),
                energy_nj: program.energy_nj.map(part),
                pages_read_first: if needs == Needs::Programmed { pages } else { 0 },
                ..program.clone()
            }
        };
        let mut rows = Rows::default();
        for mode in WriteMode::ALL {
            let first = Transition::first(&[ERASED], mode.name());
            let second = Transition { from: mode.sources(), to: SECURED, passes: 1 };
            let at = mode as usize;
            let (first_share, second_share) = (self.first_share(mode), self.second_share(mode));
            rows.first[at] = table.push(row("first_stage", Needs::Erased, first, first_share));
            rows.second[at] =
                table.push(row("second_stage", Needs::Programmed, second, second_share));
        }
        rows
    }
}
