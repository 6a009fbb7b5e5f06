//! Kinds of flash of one drive, each with an erase scheme of its own.

use crate::common::at;
use crate::drive::{drive, figure, retries, run, with_errors, worn, writes};
use serde_json::Value;
use wordline_sim::config::{
    Cell, Config, GroupConfig, GroupScheme, PerPage, RunMode, SchemeChoice, load,
};
use wordline_sim::technique::erase::life;
use wordline_trace::Op;

/// A channel of SLC chips beside one of TLC chips; no page is read again.
fn two_kinds() -> Config {
    let mut config = drive(32, 0, SchemeChoice::Reo, "");
    config.drive.channels = 2;
    let mut slc = config.drive.chip.clone();
    (slc.cell, slc.erase_ms) = (Cell::Slc, 2.0);
    let tlc = config.drive.chip.clone();
    let group = |first_channel, chip| {
        let channels = 1;
        GroupConfig { first_channel, channels, chip, ..GroupConfig::default() }
    };
    config.drive.group.insert("slc".into(), group(0, slc));
    config.drive.group.insert("tlc".into(), group(1, tlc));
    config
}

fn with_schemes(slc: GroupScheme, tlc: GroupScheme) -> Config {
    let mut config = two_kinds();
    for (name, scheme) in [("slc", slc), ("tlc", tlc)] {
        config.drive.group.get_mut(name).expect("the group").erase_scheme = scheme;
    }
    config
}

#[test]
fn each_group_erases_by_its_own_scheme() {
    let config = with_schemes(GroupScheme::Fixed, GroupScheme::Drive);
    let result = worn(&config, 8);
    let erases = |group: usize| {
        result.wear.groups[group].erases_mean * result.wear.groups[group].blocks as f64
    };
    assert!(erases(0) > 50.0 && erases(1) > 50.0, "{:?}", result.wear.groups);
    let reo = &result.erase["reo"];
    assert_eq!(reo["erases"].as_f64(), Some(erases(1)), "REO erases the TLC blocks and no others");
    assert!(!result.erase.contains_key("fixed"), "it has nothing to say");
    // The SLC blocks take their 2 ms, the others what REO says.
    let (pulse_ms, verifies) = (number(reo, "mean_pulse_ms"), number(reo, "mean_verifies"));
    let tlc_ms = erases(1) * (pulse_ms + 0.1 * verifies);
    let slc_ms = result.flash.erase_time_ms - tlc_ms;
    assert!((slc_ms / erases(0) - 2.0).abs() < 0.01, "{}", slc_ms / erases(0));
}

fn number(of: &Value, name: &str) -> f64 {
    of[name].as_f64().unwrap_or_else(|| panic!("{name} of {of}"))
}

#[test]
fn groups_that_choose_the_same_scheme_are_as_if_the_drive_had_chosen_it() {
    let mut config = with_schemes(GroupScheme::Aero, GroupScheme::Aero);
    for group in config.drive.group.values_mut() {
        group.chip.cell = Cell::Tlc;
    }
    let by_groups = worn(&config, 6);
    config.drive.group.values_mut().for_each(|group| group.erase_scheme = GroupScheme::Drive);
    config.erase.scheme = SchemeChoice::Aero;
    let by_drive = worn(&config, 6);
    assert_eq!(by_groups.erase, by_drive.erase);
    assert_eq!(by_groups.flash.erase_time_ms, by_drive.flash.erase_time_ms);
}

/// Two groups of one kind of flash wear apart, each as its own scheme says.
#[test]
fn blocks_wear_as_their_own_scheme_says() {
    let mut config = with_schemes(GroupScheme::Ispe, GroupScheme::Reo);
    for group in config.drive.group.values_mut() {
        group.chip.cell = Cell::Tlc;
        group.chip.initial_pec = 3000;
    }
    config.run.mode = RunMode::Timed;
    let result = run(&config, writes(&config, 6));
    let damage = |scheme: &str| number(&result.erase[scheme], "equivalent_ispe_pec");
    // By ISPE the damage is that of its cycles, but for what the past is taken in strides.
    let pec = result.wear.groups[0].erases_mean;
    assert!((damage("ispe") / pec - 1.0).abs() < 0.1, "{} {pec}", damage("ispe"));
    assert!(damage("reo") < 0.9 * damage("ispe"), "{} {}", damage("reo"), damage("ispe"));
}

#[test]
fn a_parameter_is_read_if_some_group_chooses_its_scheme() {
    let groups = "[drive]\nchannels = 2\n[drive.group.a]\nchannels = 1\n[drive.group.b]\nfirst_channel = 1\nerase_scheme = \"reo\"\n";
    let lazy = ["erase.reo.lazy=true".to_owned()];
    let config = load(groups, "ssd.toml", &lazy).expect("a configuration");
    assert_eq!(config.erase.schemes["reo"]["lazy"].as_bool(), Some(true));
    assert_eq!(config.schemes(), [SchemeChoice::Fixed, SchemeChoice::Reo]);
    let resolved = load(&config.to_toml(), "resolved.toml", &[]).expect("a configuration");
    assert_eq!(resolved, config);
    let other = ["drive.group.b.erase_scheme=aero".to_owned(), lazy[0].clone()];
    let said = load(groups, "ssd.toml", &other).expect_err("REO erases nothing").to_string();
    assert!(said.contains("`erase.reo.lazy`") && said.contains("reo has"), "{said}");
    let misspelt = ["drive.group.b.erase_scheme=roe".to_owned()];
    let said = load(groups, "ssd.toml", &misspelt).expect_err("no such scheme").to_string();
    assert!(said.contains("reo"), "{said}");
}

/// Every group has rows of its own, whether one scheme erases all groups or each group has its own scheme.
#[test]
fn blocks_are_programmed_by_the_rows_of_their_own_group() {
    for (slc, slower) in [(GroupScheme::Dpes, [1.1, 1.1]), (GroupScheme::Fixed, [1.0, 1.1])] {
        let mut config = with_schemes(slc, GroupScheme::Dpes);
        config.run.mode = RunMode::Timed;
        for (group, program_us) in config.drive.group.values_mut().zip([600.0, 1000.0]) {
            group.chip.cell = Cell::Tlc;
            group.chip.program_us = PerPage::One(program_us);
        }
        // Nothing is erased, and no write waits for another one. Each takes 10 us on the channel.
        let requests = (0..24).map(|n| at(n * 10_000, Op::Write, n, 1)).collect();
        let host = run(&config, requests).host;
        let [short_us, long_us] = [600.0 * slower[0], 1000.0 * slower[1]];
        assert!((host.write.max_us - (10.0 + long_us)).abs() < 1e-6, "{slc:?} {:?}", host.write);
        let mean_us = 10.0 + (short_us + long_us) / 2.0;
        assert!((host.write.mean_us - mean_us).abs() < 1e-6, "{slc:?} {:?}", host.write);
    }
}

/// The past of a block is that of its own P/E cycles, and not of the oldest block's.
#[test]
fn groups_of_one_scheme_begin_at_their_own_ages() {
    let mut config = with_schemes(GroupScheme::Ispe, GroupScheme::Ispe);
    for (group, pec) in config.drive.group.values_mut().zip([0, 3000]) {
        (group.chip.cell, group.chip.initial_pec) = (Cell::Tlc, pec);
    }
    let equivalent_pec = figure(&run(&config, writes(&config, 1)), "equivalent_ispe_pec");
    assert!((equivalent_pec / 1500.0 - 1.0).abs() < 0.1, "{equivalent_pec}");
}

/// A page that is a year old is sensed more than once, whichever scheme erases its kind of flash.
#[test]
fn pages_are_read_again_whichever_scheme_erases_them() {
    let of = |slc, tlc| {
        let mut config = with_errors(with_schemes(slc, tlc), "data_age_h = 8760");
        config.run.mode = RunMode::Timed;
        for group in config.drive.group.values_mut() {
            (group.chip.cell, group.chip.initial_pec) = (Cell::Tlc, 4000);
        }
        let requests = (0..24).map(|n| at(n * 10_000, Op::Write, n, 1));
        let reads = (0..24).map(|n| at(1_000_000 + n * 10_000, Op::Read, n, 1));
        let result = run(&config, requests.chain(reads).collect());
        // Each takes 10 us on the channel, and 50 for each sensing.
        let mean_us = 60.0 + 50.0 * retries(&result);
        let found_us = result.host.read.mean_us;
        assert!((found_us - mean_us).abs() < 1e-3, "{slc:?} {tlc:?} {found_us} {mean_us}");
        retries(&result)
    };
    let ours = [(GroupScheme::Fixed, GroupScheme::Ispe), (GroupScheme::Ispe, GroupScheme::Fixed)]
        .map(|(slc, tlc)| of(slc, tlc));
    assert!(ours.into_iter().all(|retries| retries > 0.1), "{ours:?}");
}

/// Two groups of unworn blocks share a scheme, and one of worn blocks has its own. Nothing is erased.
#[test]
fn errors_of_the_drive_are_the_mean_over_the_blocks_of_all_groups() {
    let mut config = two_kinds();
    let mut third = config.drive.group["tlc"].clone();
    (third.first_channel, third.chip.initial_pec) = (2, 3000);
    (config.drive.channels, third.erase_scheme) = (3, GroupScheme::Ispe);
    config.drive.group.values_mut().for_each(|group| group.chip.cell = Cell::Tlc);
    config.drive.group.insert("worn".into(), third);
    config.run.window_drive_writes = 0.25;
    let result = worn(&config, 1);
    let [unworn, worn] = ["reo", "ispe"].map(|of| number(&result.erase[of], "errors_mean"));
    assert!(worn > 2.0 * unworn, "{worn} {unworn}");
    let errors = result.life[0].errors_per_kib.expect("both schemes know it");
    assert!((errors - (2.0 * unworn + worn) / 3.0).abs() < 1e-9, "{errors} {unworn} {worn}");
}

#[test]
fn every_scheme_counts_anew_where_the_measured_part_begins() {
    let both = [GroupScheme::Aero, GroupScheme::Reo].map(|scheme| (scheme, GroupScheme::Ispe));
    for (slc, tlc) in both.into_iter().chain([(GroupScheme::Ispe, GroupScheme::Aero)]) {
        let mut config = with_schemes(slc, tlc);
        let requests = writes(&config, 6);
        config.run.measure_from_request = requests.len() as u64 * 2 / 3;
        let result = run(&config, requests);
        assert!(result.measured.expect("a part").erases_before > 10);
        let erases: f64 = result.erase.values().map(|of| number(of, "erases")).sum();
        assert_eq!(erases, result.flash.erases as f64, "{slc:?} {tlc:?}");
    }
}

/// The life of a drive is that of the blocks of its first group, whatever comes after it.
#[test]
fn the_life_of_a_drive_is_that_of_its_first_group() {
    let mut config = two_kinds();
    let first = config.drive.group.get_mut("slc").expect("the group");
    (first.chip.cell, config.erase.scheme) = (Cell::Tlc, SchemeChoice::Ispe);
    let others = config.drive.group.get_mut("tlc").expect("the group");
    others.chip.cell = Cell::Mlc;
    let alone = life(&drive(32, 0, SchemeChoice::Ispe, "")).expect("it tells a life");
    assert_eq!(life(&config).expect("it tells a life"), alone);
}
