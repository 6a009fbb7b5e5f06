//! Drives on which the cache works, and those that it refuses.

use crate::harness::told;
use crate::harness::{run as run_alone, schedulers};
use crate::rig::{ASIDE, BLOCKS, SLC, cache, drive, figure, random, technique, writes};
use wordline_sim::config::{
    Acknowledge, Cell, Config, GroupConfig, HostMode, Incomplete, PerPage, ProgramUnit,
};
use wordline_sim::technique::slc_cache::{Bypass, Fold, Size, SlcCache, SlcCacheConfig, WhenFull};
use wordline_sim::technique::superblocks::View;
use wordline_sim::technique::{Stack, Technique};

#[track_caller]
fn check_refused(own: &SlcCacheConfig, change: impl Fn(&mut Config), what: &str, help: &str) {
    let mut config = drive();
    change(&mut config);
    let refused = SlcCache::new(own.clone(), &config).err().expect("it cannot work on this drive");
    let message = refused.to_string();
    assert!(message.contains(what) && message.contains(help), "{message}");
}

#[test]
fn drives_without_cells_to_spare_are_refused_with_the_key_to_change() {
    let own = cache();
    check_refused(&own, |it| it.drive.chip.cell = Cell::Slc, "one bit already", "drive.chip.cell");
    check_refused(
        &own,
        |it| it.ftl.mapping_unit_kib = 8.0,
        "a unit of 2 pages",
        "ftl.mapping_unit_kib",
    );
    check_refused(
        &own,
        |it| it.drive.chip.pages_per_block = 13,
        "13 pages are not whole word lines of 3",
        "drive.chip.pages_per_block",
    );
    check_refused(&own, |it| it.ftl.incomplete = Incomplete::Leave, "once", "ftl.incomplete");
    check_refused(
        &own,
        |config| {
            let group = GroupConfig { chip: config.drive.chip.clone(), ..GroupConfig::default() };
            config.drive.channels = 2;
            let other = GroupConfig { first_channel: 1, ..group.clone() };
            config.drive.group = [("a".into(), group), ("b".into(), other)].into();
        },
        "several kinds of flash",
        "drive.group",
    );
}

#[test]
fn parameters_that_contradict_the_drive_are_refused_with_the_arithmetic() {
    let less = SlcCacheConfig { static_share: 0.49 / BLOCKS as f64, ..cache() };
    check_refused(&less, |_| {}, "0.490 blocks of a plane", "static_share");
    let half = SlcCacheConfig { static_share: 0.51 / BLOCKS as f64, ..cache() };
    assert!(SlcCache::new(half, &drive()).is_ok());
    let cold = SlcCacheConfig { bypass: Bypass::Cold, ..cache() };
    check_refused(&cold, |_| {}, "which writes are cold", "ftl.hotness.policy");
}

#[test]
fn a_drive_that_lacks_the_room_is_refused() {
    // Of 24 blocks 16 hold data, 3 are open, GC holds one back and needs one to gain from.
    let built = |blocks: u64| {
        let own = SlcCacheConfig { static_share: blocks as f64 / BLOCKS as f64, ..cache() };
        let source = crate::common::Script::source(writes([0]));
        let mut config = drive();
        config.technique.insert("slc_cache".into(), toml::Table::new().into());
        wordline_sim::with(&config, technique(&own, &config), source, &mut ())
    };
    assert!(built(3).is_ok());
    let message = built(4).expect_err("there are no four blocks to spare").to_string();
    assert!(message.contains("1 held back, 4 set aside for technique.slc_cache"), "{message}");
    assert!(message.contains("or what is set aside for technique.slc_cache"), "{message}");
}

#[test]
fn it_does_not_share_a_drive_with_another_technique_of_its_kind() {
    let other = |name: &str, config: &Config| -> Box<dyn Technique> {
        let entry = wordline_sim::technique::find(name).expect("there is such a technique");
        (entry.build)(&toml::Table::new(), &View::of(config).expect("a drive"))
            .expect("the drive is one for it")
    };
    let mut ressd = drive();
    ressd.ftl.hotness.policy = wordline_sim::config::HotnessChoice::Size;
    ressd.drive.chip.layers_per_block = 4;
    let mut llh = ressd.clone();
    llh.drive.chip.cell = Cell::Mlc;
    llh.drive.chip.program = ProgramUnit::Page;
    llh.drive.chip.program_us = PerPage::One(500.0);
    llh.ftl.mapping_unit_kib = 2.0;
    for (name, config) in [("ressd", &ressd), ("llh_ftl", &llh)] {
        let both: Vec<(String, Box<dyn Technique>)> = vec![
            (name.into(), other(name, config)),
            ("slc_cache".into(), Box::new(technique(&cache(), &drive()))),
        ];
        let message = Stack::new(both).err().expect("both place data").to_string();
        assert!(message.contains(&format!("{name} and slc_cache")), "{message}");
    }
}

#[test]
fn a_reader_is_told_what_the_figures_rest_on() {
    let warnings = |own: &SlcCacheConfig, mode| {
        let mut config = drive();
        config.host.mode = mode;
        told(&config, technique(own, &config))
    };
    assert_eq!(warnings(&cache(), HostMode::Open), "");
    assert!(warnings(&cache(), HostMode::Closed).contains("host.mode = \"closed\""));
    let in_place = SlcCacheConfig { fold: Fold::InPlace, ..cache() };
    assert!(warnings(&in_place, HostMode::Open).contains("reprogram_us is 0"));
    let timed = SlcCacheConfig { reprogram_us: 1000.0, ..in_place };
    assert_eq!(warnings(&timed, HostMode::Open), "");
}

#[test]
fn a_configuration_names_it() {
    let mut config = drive();
    config.technique = toml::toml! { slc_cache = { static_share = 0.1 } };
    let source = crate::common::Script::source(writes(0..2 * SLC));
    let outcome = wordline_sim::simulate(&config, source, &mut ()).expect("the drive works");
    assert_eq!(outcome.result.technique["slc_cache"]["host_units"]["cached"], 2 * SLC);
}

#[test]
fn planes_that_work_together_fill_and_leave_together() {
    let mut config = drive();
    (config.drive.chip.planes, config.drive.chip.multi_plane) = (2, true);
    config.ftl.mapping_unit_kib = 2.0;
    config.drive.over_provisioning = 0.8;
    for when_full in [WhenFull::WriteThrough, WhenFull::FoldFirst] {
        let own = SlcCacheConfig { when_full, ..cache() };
        // Two planes, two units in a page.
        let full = ASIDE * SLC * 4;
        let halves = |units: u64| {
            let half = |n| wordline_trace::Request {
                size_bytes: 2048,
                offset_bytes: n * 2048,
                ..crate::common::write(0)
            };
            (0..units).map(half).collect::<Vec<_>>()
        };
        for (units, cached) in
            [(full, full), (full + 1, full + u64::from(when_full == WhenFull::FoldFirst))]
        {
            for config in schedulers(&config) {
                let result = run_alone(&config, technique(&own, &config), halves(units));
                assert_eq!(figure(&result, "/host_units/cached"), cached);
            }
        }
        // Both planes are erased at once.
        let [_, in_order, _] = schedulers(&config);
        let result = run_alone(&in_order, technique(&own, &in_order), halves(full + 1));
        let erases = if when_full == WhenFull::FoldFirst { 2 } else { 0 };
        assert_eq!(result.flash.erases, erases);
    }
}

#[test]
fn every_kind_of_cell_and_of_program_works() {
    for (cell, pages, program) in [
        (Cell::Mlc, 8, ProgramUnit::Page),
        (Cell::Tlc, 12, ProgramUnit::Page),
        (Cell::Tlc, 12, ProgramUnit::OneShot),
        (Cell::Qlc, 16, ProgramUnit::OneShot),
        (Cell::Qlc, 16, ProgramUnit::Page),
    ] {
        let mut config = drive();
        let chip = &mut config.drive.chip;
        (chip.cell, chip.pages_per_block, chip.program) = (cell, pages, program);
        chip.program_us = PerPage::One(900.0);
        config.ftl.acknowledge = Acknowledge::Program;
        config.ftl.gc.idle_us = 1000.0;
        let requests = random(&config, 1000, 300);
        for (size, fold) in [(Size::Static, Fold::Copy), (Size::Hybrid, Fold::InPlace)] {
            let own = SlcCacheConfig { size, fold, ..cache() };
            for config in schedulers(&config) {
                let result = run_alone(&config, technique(&own, &config), requests.clone());
                assert!(figure(&result, "/left_cache/folded_in_idle_time") > 0, "{cell}");
                assert_eq!(result.host.refused_writes, 0);
            }
        }
    }
}
