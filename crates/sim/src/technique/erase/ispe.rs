//! ISPE, incremental step pulse erasure: full pulses, each at a higher voltage than the one before,
//! until the verify-read passes. What conventional chips do.

use super::Entry;
use super::blocks::{Asked, Erasing, Rule};
use super::cells::Cells;
use super::common::pulsed_params;
use super::pulsed::Pulsed;
use crate::declare::{Table, TechniqueDecl};
use crate::schema::SchemeChoice;

pub(super) const ENTRY: Entry = Entry {
    summary: "full pulses of rising voltage until the verify-read passes",
    declaration: TechniqueDecl {
        name: SchemeChoice::Ispe.name(),
        params: IspeConfig::PARAMS,
        defaults: IspeConfig::defaults,
    },
    build: |table, config| {
        Pulsed::boxed(Ispe, IspeConfig::read(table)?.common(), SchemeChoice::Ispe, config)
    },
};

pulsed_params! {
    /// `[erase.ispe]`.
    IspeConfig {}
}

struct Ispe;

impl Rule for Ispe {
    fn erase(&self, cells: &Cells, block: &Asked, out: &mut Erasing) {
        full_pulses(cells, block.need_us, 1, out);
    }
}

/// Full pulses from loop `first` on, until the verify-read passes. A pulse at a higher voltage does
/// what it and all the lower ones would have done, so that beginning high saves their time.
pub(super) fn full_pulses(cells: &Cells, need_us: u32, first: u8, out: &mut Erasing) {
    let skipped: u32 = (1..first).map(|number| cells.full_us(number)).sum();
    let mut left_us = need_us.saturating_sub(skipped);
    for number in first..=cells.loops_max() {
        let us = cells.full_us(number);
        out.pulse(number, if number == first { first - 1 } else { 0 }, us);
        left_us = left_us.saturating_sub(us);
        if cells.passes(cells.fail_bits(left_us)) {
            break;
        }
    }
}
