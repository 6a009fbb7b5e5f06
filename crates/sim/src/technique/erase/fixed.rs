//! Every erase takes tBERS; a block lasts for its endurance, which varies from block to block.

use super::{Entry, EraseScheme};
use crate::config::Config;
use crate::nand::{ERASE, OpTable, PROGRAM, READ};
use crate::technique::ErasePlan;
use crate::util::unit_normal;

pub(super) const ENTRY: Entry = Entry {
    name: "fixed",
    summary: "every erase takes drive.chip.erase_ms; blocks last for drive.chip.endurance_pec",
    build: |config| Box::new(Fixed::new(config)),
};

struct Fixed {
    seed: u64,
    endurance_pec: f64,
    endurance_sigma: f64,
}

impl Fixed {
    fn new(config: &Config) -> Self {
        let chip = &config.drive.chip;
        Self {
            seed: config.run.seed,
            endurance_pec: chip.endurance_pec as f64,
            endurance_sigma: chip.endurance_sigma,
        }
    }

    fn is_last(&self, block: u32, erases: u32) -> bool {
        if self.endurance_pec == 0.0 {
            return false;
        }
        let spread = 1.0 + self.endurance_sigma * unit_normal(self.seed, u64::from(block));
        f64::from(erases) + 1.0 >= self.endurance_pec * spread
    }
}

impl EraseScheme for Fixed {
    fn plan(&mut self, block: u32, erases: u32, table: &OpTable) -> ErasePlan {
        let row = table.row(ERASE);
        ErasePlan {
            array_ns: row.array_ns[0],
            pulse_ns: 0,
            energy_nj: row.energy_nj[0],
            retire: self.is_last(block, erases),
            program_row: PROGRAM,
            read_row: READ,
        }
    }
}
