//! Drives on which lazyFTL works, and those that it refuses.

use crate::rig::{m1, tlc};
use wordline_sim::config::{Cell, Config, Frontiers, HostMode, Incomplete, ProgramUnit, RunMode};
use wordline_sim::technique::lazy_ftl::{LazyFtl, LazyFtlConfig};

fn check_refused(change: fn(&mut Config), text: &str) {
    let mut config = tlc(16);
    change(&mut config);
    let refused = LazyFtl::new(m1(), &config).err().expect("it cannot work on this drive");
    let message = format!("{refused:?}");
    assert!(message.contains(text), "{message}");
}

#[test]
fn drives_without_its_stages_are_refused_with_the_key_to_change() {
    check_refused(|config| config.drive.chip.cell = Cell::Mlc, "drive.chip.cell");
    check_refused(|config| config.drive.chip.program = ProgramUnit::Page, "drive.chip.program");
    check_refused(|config| config.ftl.incomplete = Incomplete::Leave, "ftl.incomplete");
    check_refused(|config| config.ftl.mapping_unit_kib = 12.0, "ftl.mapping_unit_kib");
    check_refused(|config| config.ftl.frontiers = Frontiers::Shared, "technique.lazy_ftl.moves");
    let without_time = |config: &mut Config| {
        (config.run.mode, config.host.mode) = (RunMode::Count, HostMode::Closed);
    };
    check_refused(without_time, "run.mode");
}

#[test]
fn promises_that_cannot_be_kept_are_refused() {
    // A block of three word lines, three times 1110 us each: 9.99 ms, and the margin.
    for (day_s, works) in [(0.00998, false), (0.0100, true)] {
        let own = LazyFtlConfig { day_s, ..m1() };
        let built = LazyFtl::new(own, &tlc(16));
        assert_eq!(built.is_ok(), works, "{day_s}");
    }
    let own = LazyFtlConfig { u_low: 0.7, ..m1() };
    assert!(LazyFtl::new(own, &tlc(16)).is_err());
}
