//! A drive that has room for everything, held to a model of two maps.

use crate::common::Dice;
use crate::harness::figure;
use crate::rig::*;
use std::collections::BTreeSet;
use wordline_sim::technique::centaur::{CentaurConfig, Partial};

/// The units that each kind of flash holds.
#[derive(Default)]
struct Model {
    held: [BTreeSet<u64>; 2],
    dispatched: [u64; 2],
    merged: u64,
}

impl Model {
    fn write(&mut self, first: u64, end: u64, criterion_units: u64, merges: bool) {
        for range in first / RANGE..=(end - 1) / RANGE {
            let (from, to) = (first.max(range * RANGE), end.min((range + 1) * RANGE));
            let kind = usize::from(to - from >= criterion_units);
            self.dispatched[kind] += 1;
            let written: BTreeSet<u64> = (from..to).collect();
            let rest: BTreeSet<u64> = (range * RANGE..(range + 1) * RANGE)
                .filter(|unit| !written.contains(unit))
                .filter(|unit| self.held.iter().any(|held| held.contains(unit)))
                .filter(|_| merges && kind == THREE_D)
                .collect();
            self.merged += rest.len() as u64;
            for unit in written.into_iter().chain(rest) {
                self.held[1 - kind].remove(&unit);
                self.held[kind].insert(unit);
            }
        }
    }
}

#[test]
fn places_and_counts_are_those_of_two_maps() {
    let mut config = two_kinds();
    for group in config.drive.group.values_mut() {
        group.chip.blocks_per_plane *= 40;
    }
    for partial in [Partial::Merge, Partial::Pad] {
        let (mut model, mut dice, mut requests) = (Model::default(), Dice::new(7), Vec::new());
        for n in 0..1500 {
            let (first, units) = (dice.below(30 * RANGE), 1 + dice.below(30));
            model.write(first, first + units, 6, partial == Partial::Merge);
            requests.push(put(n * 1000, first, units as u32));
        }
        let own = CentaurConfig { partial, migrate: true, ..dispatcher() };
        for result in everywhere_with(&own, &config, &requests) {
            let of = |name| figure(&result, name);
            assert_eq!(result.flash.erases, 0);
            assert_eq!(valid(&result), model.held.each_ref().map(|held| held.len() as u64));
            assert_eq!([of("dispatched_2d_parts"), of("dispatched_3d_parts")], model.dispatched);
            assert_eq!(of("merged_units"), model.merged);
            assert_eq!(of("programs_3d"), model.dispatched[THREE_D]);
        }
    }
}
