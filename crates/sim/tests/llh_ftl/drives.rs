//! Drives on which LLH-FTL works, and those that it refuses.

use crate::harness::told;
use crate::rig::{bank, plain, run, technique, writes};
use wordline_sim::config::{Cell, Config, GroupConfig, HotnessChoice, ProgramUnit, VictimChoice};
use wordline_sim::technique::llh_ftl::{Code, LlhFtl, LlhFtlConfig, Updated};
use wordline_sim::technique::ressd::{ReSsd, ReSsdConfig};
use wordline_sim::technique::{Stack, Technique};

#[track_caller]
fn check_refused(change: fn(&mut Config), what: &str, help: &str) {
    let mut config = bank();
    change(&mut config);
    let refused = LlhFtl::new(plain(), &config).err().expect("LLH-FTL cannot work on this drive");
    let message = refused.to_string();
    assert!(message.contains(what) && message.contains(help), "{message}");
}

#[test]
fn drives_without_low_pages_to_reuse_are_refused_with_the_key_to_change() {
    check_refused(|config| config.drive.chip.cell = Cell::Tlc, "not tlc", "drive.chip.cell");
    check_refused(
        |config| config.drive.chip.program = ProgramUnit::OneShot,
        "drive.chip.program = \"one_shot\"",
        "to \"page\"",
    );
    check_refused(
        |config| (config.drive.chip.planes, config.drive.chip.multi_plane) = (2, true),
        "not one in each plane",
        "drive.chip.multi_plane to false",
    );
    check_refused(
        |config| config.ftl.hotness.policy = HotnessChoice::None,
        "which writes are hot",
        "ftl.hotness.policy",
    );
    check_refused(
        |config| config.drive.chip.pages_per_block = 7,
        "7 pages",
        "drive.chip.pages_per_block",
    );
    check_refused(
        |config| {
            let group = GroupConfig { chip: config.drive.chip.clone(), ..GroupConfig::default() };
            config.drive.channels = 2;
            let other = GroupConfig { first_channel: 1, ..group.clone() };
            config.drive.group = [("a".into(), group), ("b".into(), other)].into();
        },
        "works on one kind of flash",
        "technique.llh_ftl.group to \"a\"",
    );
}

#[test]
fn a_page_of_an_odd_number_of_units_is_refused_and_of_an_even_one_is_not() {
    for (page_kib, is_refused) in [(4.0, true), (8.0, false), (12.0, true), (16.0, false)] {
        let mut config = bank();
        config.drive.chip.page_kib = page_kib;
        let refused = LlhFtl::new(plain(), &config).err();
        assert_eq!(refused.is_some(), is_refused, "{page_kib}");
        assert!(refused.is_none_or(|error| error.to_string().contains("half a page")));
    }
}

#[test]
fn the_cheapest_victim_must_be_known_to_be_compared() {
    let own = LlhFtlConfig { updated: Updated::Opening, ..plain() };
    let mut config = bank();
    config.ftl.gc.policy = VictimChoice::Fifo;
    let message = LlhFtl::new(own.clone(), &config).err().expect("nothing knows it").to_string();
    assert!(message.contains("ftl.gc.policy = \"fifo\""), "{message}");
    assert!(LlhFtl::new(plain(), &config).is_ok());
    config.ftl.gc.policy = VictimChoice::Greedy;
    assert!(LlhFtl::new(own, &config).is_ok());
}

#[test]
fn it_does_not_share_a_drive_with_another_technique_of_its_kind() {
    let mut tlc = bank();
    tlc.drive.chip.cell = Cell::Tlc;
    tlc.drive.chip.pages_per_block = 12;
    tlc.drive.chip.layers_per_block = 4;
    tlc.drive.chip.page_kib = 4.0;
    tlc.ftl.mapping_unit_kib = 0.0;
    let other = ReSsd::new(ReSsdConfig::default(), &tlc).expect("the drive is one for ReSSD");
    let both: Vec<(String, Box<dyn Technique>)> = vec![
        ("ressd".into(), Box::new(other)),
        ("llh_ftl".into(), Box::new(technique(&plain(), &bank()))),
    ];
    let message = Stack::new(both).err().expect("both place data").to_string();
    assert!(message.contains("ressd and llh_ftl"), "{message}");
}

#[test]
fn a_reader_is_told_where_reuse_goes_beyond_what_was_tested() {
    let warnings = |endurance_pec, safe_share| {
        let mut config = bank();
        config.drive.chip.endurance_pec = endurance_pec;
        let own = LlhFtlConfig { safe_share, ..plain() };
        told(&config, technique(&own, &config))
    };
    assert_eq!(warnings(0, 0.4), "");
    assert!(warnings(3000, 0.41).contains("safe_share = 0.41"));
    assert_eq!(warnings(3000, 0.4), "");
}

#[test]
fn blocks_that_never_wear_out_are_reused_without_a_word_up_to_1200_cycles() {
    for (initial_pec, endurance_pec, is_told) in
        [(1199, 0, false), (1200, 0, true), (1200, 10_000, false)]
    {
        let mut config = bank();
        config.drive.chip.initial_pec = initial_pec;
        config.drive.chip.endurance_pec = endurance_pec;
        for result in run(&config, &plain(), &writes(0..9)) {
            let told = result.warnings.join(" ");
            let what =
                "drive.chip.endurance_pec is 0, so that 2 blocks were reused after 1200 cycles";
            assert_eq!(told.contains(what), is_told, "{initial_pec}: {told}");
        }
    }
}

#[test]
fn a_reader_is_told_where_a_second_write_carries_less_than_half_a_page() {
    let mut config = bank();
    config.drive.chip.page_kib = 32.0;
    for (code, is_told) in [(Code::Assumed, false), (Code::Polar64, true)] {
        let warnings = told(&config, technique(&LlhFtlConfig { code, ..plain() }, &config));
        assert_eq!(warnings.contains("carries 3 of the 8 units of a page"), is_told, "{warnings}");
    }
}

#[test]
fn a_configuration_names_it() {
    let mut config = bank();
    config.technique = toml::toml! { llh_ftl = { failure = 0.0, threshold = 0.25 } };
    let source = crate::common::Script::source(writes((0..2000).map(|n| n % 8)));
    let outcome = wordline_sim::simulate(&config, source, &mut ()).expect("the drive works");
    assert!(outcome.result.technique["llh_ftl"]["reprograms"].as_u64() > Some(0));
}
