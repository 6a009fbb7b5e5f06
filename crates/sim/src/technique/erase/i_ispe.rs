//! i-ISPE, intelligent ISPE: as ISPE, but the loops that did not suffice the last time are left out.
//! It takes fewer loops, at higher voltages, which wear more.

use super::Entry;
use super::blocks::{Asked, Erasing, Rule};
use super::cells::Cells;
use super::common::pulsed_params;
use super::ispe::full_pulses;
use super::pulsed::Pulsed;
use crate::declare::{Kind, Table, TechniqueDecl};
use crate::schema::SchemeChoice;

pub(super) const ENTRY: Entry = Entry {
    summary: "as ispe, beginning near the loop that sufficed the last time",
    declaration: TechniqueDecl {
        name: SchemeChoice::IIspe.name(),
        params: IntelligentConfig::PARAMS,
        defaults: IntelligentConfig::defaults,
    },
    build: |table, config| {
        let own = IntelligentConfig::read(table)?;
        Pulsed::boxed(
            Intelligent { below: own.below as u8 },
            own.common(),
            SchemeChoice::IIspe,
            config,
        )
    },
};

pulsed_params! {
    /// `[erase.i_ispe]`.
    IntelligentConfig {
        below: u64 = 1, Kind::Int(0, 7), "loops",
            "the erase begins so many loops below the one that sufficed the last time",
            "latencies of blocks erased so (github.com/allencho1222/MQSim, branch impl_lazy_erase): after 2,500 cycles 91 % take two pulses, where beginning with the last loop itself would take one";
    }
}

struct Intelligent {
    below: u8,
}

impl Rule for Intelligent {
    fn erase(&self, cells: &Cells, block: &Asked, out: &mut Erasing) {
        full_pulses(cells, block.need_us, block.last.saturating_sub(self.below).max(1), out);
    }
}
