//! What leaves the 2D flash, and what becomes of a part of the drive that is full.

use crate::common::Dice;
use crate::harness::{everywhere, figure};
use crate::rig::*;
use wordline_sim::config::Allocation;
use wordline_sim::technique::centaur::{CentaurConfig, Mode, Partial};
use wordline_trace::{Op, Request};

fn migrating() -> CentaurConfig {
    CentaurConfig { migrate: true, ..dispatcher() }
}

/// More units than the 2D flash has, one by one, each once.
fn singles(units: u64) -> Vec<Request> {
    (0..units).map(|unit| put(unit * 100, unit, 1)).collect()
}

#[test]
fn wholly_valid_victims_hand_whole_ranges_on() {
    // The 2D flash has 384 units. All related units are there, so that programs are full.
    for result in everywhere_with(&migrating(), &two_kinds(), &singles(600)) {
        let of = |name| figure(&result, name);
        assert_eq!((result.host.refused_writes, of("sent_on_parts")), (0, 0));
        assert!(of("migrated_units") > 600 - 384);
        assert_eq!((result.flash.padding, of("merged_units")), (0, 0));
        assert_eq!(of("programs_3d") * RANGE, of("migrated_units"));
        // Each page is read once.
        assert_eq!(result.flash.page_reads.total(), of("migrated_units"));
        let [in_2d, in_3d] = valid(&result);
        assert_eq!((in_2d + in_3d, in_3d), (600, of("migrated_units")));
        assert!(result.wear.groups[TWO_D].erases_max > 0);
    }
}

#[test]
fn nothing_migrates_but_victims() {
    let mut requests = singles(200);
    requests.push(crate::common::at(10_000_000_000, Op::Read, 0, 1));
    for result in everywhere_with(&migrating(), &two_kinds(), &requests) {
        assert_eq!(figure(&result, "migrated_units"), 0);
        assert_eq!(valid(&result), [200, 0]);
    }
}

#[test]
fn a_full_2d_flash_sends_writes_on() {
    for result in everywhere_with(&dispatcher(), &two_kinds(), &singles(600)) {
        assert_eq!(result.host.refused_writes, 0);
        assert!(result.wear.read_only_at_s.is_none());
        assert!(figure(&result, "sent_on_parts") > 0);
        assert_eq!(valid(&result).iter().sum::<u64>(), 600);
        assert_eq!(figure(&result, "migrated_units"), 0);
    }
}

/// Small updates and large ones among a few ranges.
fn mixed_updates(count: u64, ranges: u64) -> Vec<Request> {
    let mut dice = Dice::new(11);
    let one = |n| match dice.one_in(4) {
        true => whole(n * 2000, dice.below(ranges)),
        false => put(n * 2000, dice.below(ranges * RANGE), 1 + dice.below(3) as u32),
    };
    (0..count).map(one).collect()
}

#[test]
fn long_runs_keep_ranges_apart_and_data_whole() {
    for partial in [Partial::Merge, Partial::Pad] {
        for allocation in [Allocation::Cwdp, Allocation::Pdwc] {
            let own = CentaurConfig { partial, ..migrating() };
            let mut config = two_kinds();
            config.ftl.allocation = allocation;
            let requests = mixed_updates(8000, 100);
            for result in everywhere(&config, || centaur(&own, &config), &requests) {
                assert_eq!(result.host.refused_writes, 0, "{partial}");
                assert!(figure(&result, "migrated_units") > 0);
                let [slc, tlc] = &result.wear.groups[..] else { panic!("two groups") };
                assert!(slc.erases_min > 0 && tlc.erases_max > 0);
                let written = figure(&result, "programmed_bytes") / UNIT;
                let flash = &result.flash;
                assert_eq!(written, flash.page_programs.total() + flash.padding);
            }
        }
    }
}

#[test]
fn the_3d_reference_reclaims_its_partial_programs() {
    for partial in [Partial::Merge, Partial::Pad] {
        let own = CentaurConfig { mode: Mode::All3d, partial, ..dispatcher() };
        let config = one_kind("b-tlc");
        for result in everywhere_with(&own, &config, &mixed_updates(3000, 140)) {
            assert_eq!(result.host.refused_writes, 0, "{partial}");
            assert!(result.flash.erases > 100 && result.gc.pages_moved > 0);
        }
    }
}

#[test]
fn migration_makes_room_where_it_goes() {
    // Nothing but migration writes to the 3D flash, whose blocks must be reclaimed for it.
    let own = CentaurConfig { mode: Mode::Cache, ..migrating() };
    for result in everywhere_with(&own, &two_kinds(), &mixed_updates(8000, 100)) {
        assert_eq!((figure(&result, "sent_on_parts"), result.host.refused_writes), (0, 0));
        assert!(result.wear.groups[THREE_D].erases_max > 0);
    }
}
