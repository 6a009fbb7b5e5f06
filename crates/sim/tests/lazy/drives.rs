//! Drives on which lazyFTL works, and those that it refuses.

use crate::common::Script;
use crate::rig::{at_ns, ends, figure, m1, tlc, until};
use wordline_sim::config::{
    Cell, ChipConfig, Config, Frontiers, GroupConfig, GroupScheme, HostMode, Incomplete,
    ProgramUnit, RunMode, SchemeChoice,
};
use wordline_sim::metrics::RunResult;
use wordline_sim::simulate;
use wordline_sim::technique::lazy_ftl::{LazyFtl, LazyFtlConfig};
use wordline_trace::{Op, Request};

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

#[test]
fn a_promise_reckons_with_the_margin_the_channel_the_planes_and_what_erases_spend() {
    type Change = fn(&mut Config, &mut LazyFtlConfig);
    let nothing: Change = |_, _| {};
    let margin: Change = |_, own| own.margin_s = 0.01;
    // A page of each die of the channel: 3 x (50 + 20) + 3 x 20 + 900 us, three times, for three word lines.
    let chips: Change = |config, _| config.drive.chips_per_channel = 2;
    // Both planes: 2 x 3 x (50 + 10) + 2 x 3 x 10 + 900 us.
    let planes: Change = |config, _| {
        (config.drive.chip.planes, config.drive.chip.multi_plane) = (2, true);
    };
    // 25 errors of a margin leave 2^(-25 / 6.5) of the time.
    let spent: Change = |config, _| {
        config.erase.scheme = SchemeChoice::Reo;
        let keys = "chip = \"lazyrs-tlc\"".parse::<toml::Table>();
        config.erase.schemes.insert("reo".into(), keys.expect("a table").into());
    };
    let left = (-25.0_f64 / 6.5).exp2();
    for (change, needed_ms) in
        [(nothing, 9.99), (margin, 19.99), (chips, 10.53), (planes, 11.88), (spent, 9.99 / left)]
    {
        for (share, works) in [(0.999, false), (1.001, true)] {
            let mut config = tlc(16);
            let mut own = LazyFtlConfig { day_s: share * needed_ms / 1e3, ..m1() };
            change(&mut config, &mut own);
            assert_eq!(LazyFtl::new(own, &config).is_ok(), works, "{share} of {needed_ms} ms");
        }
    }
}

/// A channel of SLC chips beside one of TLC chips, which alone are lazyFTL's.
fn beside_slc() -> Config {
    let mut config = tlc(16);
    config.drive.channels = 2;
    let tlc = config.drive.chip.clone();
    let slc = ChipConfig { cell: Cell::Slc, program: ProgramUnit::Page, ..tlc.clone() };
    for (name, first_channel, chip) in [("slc", 0, slc), ("tlc", 1, tlc)] {
        let group = GroupConfig { first_channel, channels: 1, chip, ..GroupConfig::default() };
        config.drive.group.insert(name.into(), group);
    }
    config
}

/// Runs requests on a drive of which the technique gets its group alone.
fn run_in_group(config: &Config, own: &LazyFtlConfig, requests: &[Request]) -> RunResult {
    let mut config = config.clone();
    let table = toml::Table::try_from(own).expect("plain data");
    config.technique.insert("lazy_ftl".into(), table.into());
    let source = Script::source(requests.to_vec());
    let mut result = simulate(&config, source, &mut ()).expect("the drive works").result;
    let told = result.technique["lazy_ftl"].as_object().expect("what it reports");
    result.technique = told.clone();
    result
}

#[test]
fn a_group_goes_by_its_own_wear_and_its_own_erases() {
    let own = LazyFtlConfig { group: "tlc".into(), day_s: 0.2, ..m1() };
    let write = at_ns(0, Op::Write, 0, 12);
    for (pecs, m1) in [([1001, 1000], true), ([0, 1001], false)] {
        let mut config = beside_slc();
        for (group, pec) in config.drive.group.values_mut().zip(pecs) {
            group.chip.initial_pec = pec;
        }
        let result = run_in_group(&config, &own, &[write, until(10)]);
        let opened =
            ["m1", "secured"].map(|mode| figure(&result, &format!("blocks_opened.{mode}")));
        assert_eq!(opened.map(|blocks| blocks > 0), [m1, !m1], "{pecs:?}");
    }
    // As in `margins.rs`: a day of 200 ms is one of 13.9 where the TLC blocks are left short.
    for (slc, tlc, is_short) in [
        (GroupScheme::Fixed, GroupScheme::Reo, true),
        (GroupScheme::Reo, GroupScheme::Fixed, false),
    ] {
        let mut config = beside_slc();
        let keys = "chip = \"lazyrs-tlc\"\nborrow = \"reo-tlc\"";
        config
            .erase
            .schemes
            .insert("reo".into(), keys.parse::<toml::Table>().expect("TOML").into());
        for (group, scheme) in config.drive.group.values_mut().zip([slc, tlc]) {
            group.erase_scheme = scheme;
        }
        for (end_ns, secured) in [(1_000_000, false), (13_900_000, is_short)] {
            let result = run_in_group(&config, &own, &[write, until(end_ns)]);
            let (idle, due, _) = ends(&result);
            assert_eq!(idle + due > 0, secured, "{slc:?} {tlc:?} {end_ns}");
        }
    }
}
