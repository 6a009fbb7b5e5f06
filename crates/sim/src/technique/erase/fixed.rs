//! Every erase takes tBERS; a block lasts for its endurance, which varies from block to block.

use super::{Entry, EraseScheme};
use crate::declare::TechniqueDecl;
use crate::drive::DriveState;
use crate::ids::{BlockId, Id};
use crate::nand::Loops;
use crate::schema::{Config, SchemeChoice};
use crate::technique::ErasePlan;
use crate::util::unit_normal;

pub(super) const ENTRY: Entry = Entry {
    summary: "every erase takes drive.chip.erase_ms; blocks last for drive.chip.endurance_pec",
    declaration: TechniqueDecl {
        name: SchemeChoice::Fixed.name(),
        params: &[],
        defaults: toml::Table::new,
    },
    build: |_, config| Ok(Box::new(Fixed::new(config))),
};

struct Fixed {
    seed: u64,
    /// Endurance of each kind of flash, and its relative standard deviation over blocks.
    endurance_pec: Vec<(f64, f64)>,
}

impl Fixed {
    fn new(config: &Config) -> Self {
        let kinds = config.drive.kinds();
        let endurance = kinds.iter().map(|k| (k.chip.endurance_pec as f64, k.chip.endurance_sigma));
        Self { seed: config.run.seed, endurance_pec: endurance.collect() }
    }

    fn is_last(&self, group: usize, block: BlockId, erases_after: u32) -> bool {
        let (endurance_pec, sigma) = self.endurance_pec[group];
        if endurance_pec == 0.0 {
            return false;
        }
        let spread = 1.0 + sigma * unit_normal(self.seed, u64::from(block.number()));
        f64::from(erases_after) >= endurance_pec * spread
    }
}

impl EraseScheme for Fixed {
    fn may_retire(&self, group: usize) -> bool {
        self.endurance_pec[group].0 > 0.0
    }

    fn plan(&mut self, state: &DriveState, block: BlockId) -> ErasePlan {
        let group = state.flash().group_of(block);
        let rows = state.ops.of_group(group);
        let erase = state.ops.row(rows.erase);
        let erases_after = state.cycles_of(block).saturating_add(state.cycles_per_erase);
        ErasePlan {
            loops: Loops::undivided(erase.array_ns[0], erase.energy_nj[0]),
            deferred: Loops::default(),
            retire: self.is_last(group, block, erases_after),
            program_row: rows.program,
            read_row: rows.read,
        }
    }
}
