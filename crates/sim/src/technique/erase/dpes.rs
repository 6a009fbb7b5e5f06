//! DPES, dynamic program and erase scaling (Jeong et al., FAST 2014): erases at a lower voltage wear
//! less, and leave less room between states, so that programs must be finer and slower. It ends where
//! a worn block can no longer be erased so.

use super::Entry;
use super::blocks::{Asked, Erasing, Rule};
use super::cells::Cells;
use super::common::pulsed_params;
use super::ispe::full_pulses;
use super::pulsed::Pulsed;
use crate::declare::{Kind, Table, TechniqueDecl};
use crate::nand::{Flash, OpRow, OpTable};
use crate::schema::SchemeChoice;

pub(super) const ENTRY: Entry = Entry {
    summary: "erases at a lower voltage against slower programs, in two steps and up to an age",
    declaration: TechniqueDecl {
        name: SchemeChoice::Dpes.name(),
        params: DpesConfig::PARAMS,
        defaults: DpesConfig::defaults,
    },
    build: |table, config| {
        let own = DpesConfig::read(table)?;
        Pulsed::boxed(Scaling::new(&own), own.common(), SchemeChoice::Dpes, config)
    },
};

pulsed_params! {
    /// `[erase.dpes]`.
    DpesConfig {
        slower: f64 = 1.1, Kind::Float(1.0, 10.0), "",
            "programs of young blocks take so many times as long",
            "Kim and Kim, Electronics 14:738, 2025: tPROG of 385 instead of 350 us at 0.5K PEC";
        slower_later: f64 = 1.3, Kind::Float(1.0, 10.0), "",
            "programs of older blocks take so many times as long",
            "Kim and Kim, Electronics 14:738, 2025: tPROG of 455 instead of 350 us at 2.5K PEC";
        later_pec: u64 = 1500, Kind::Int(0, 10_000_000), "P/E cycles",
            "from here on a block is an older one",
            "chosen: halfway between the published points";
        until_pec: u64 = 3500, Kind::Int(0, 10_000_000), "P/E cycles",
            "from here on blocks are erased and programmed conventionally",
            "chosen: halfway between the last published point at which programs are slower, and the one at which they are not";
        stress: f64 = 0.5, Kind::Float(0.01, 1.0), "share",
            "wear and damage of an erase at the lower voltage, of that at the full one",
            "assumed: half; it is not fitted to a lifetime";
    }
}

struct Scaling {
    /// How much slower programs are, and from how many cycles on.
    points: [(f64, u32); 2],
    until_pec: u32,
    stress: f64,
    /// Rows of the points, by group.
    rows: Vec<[u8; 2]>,
}

impl Scaling {
    fn new(config: &DpesConfig) -> Self {
        Self {
            points: [(config.slower, 0), (config.slower_later, config.later_pec as u32)],
            until_pec: config.until_pec as u32,
            stress: config.stress,
            rows: Vec::new(),
        }
    }
}

impl Rule for Scaling {
    fn erase(&self, cells: &Cells, block: &Asked, out: &mut Erasing) {
        full_pulses(cells, block.need_us, 1, out);
    }

    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        let program = table.row(flash.rows.program).clone();
        let rows = self.points.map(|(slower, _)| {
            let array_ns = program.array_ns.map(|ns| (ns as f64 * slower).round() as u64);
            let row = table.push(OpRow { name: "dpes_program", array_ns, ..program.clone() });
            table.slow_down(row, slower);
            row
        });
        self.rows.push(rows);
    }

    fn program_row(&self, group: usize, pec: u32) -> Option<u8> {
        let point = usize::from(pec >= self.points[1].1);
        (pec < self.until_pec).then(|| self.rows[group][point])
    }

    fn stress(&self, pec: u32) -> f64 {
        if pec < self.until_pec { self.stress } else { 1.0 }
    }
}
