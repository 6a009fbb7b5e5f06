//! Centaur says which kind of flash takes data, and other techniques go on from there: lazyFTL or ReSSD in the
//! TLC dies, LLH-FTL in MLC dies. Where the flash or a map forbids it, the drive is refused.

use crate::common::{Dice, Script};
use crate::rig::*;
use wordline_sim::config::{
    ArrayLevel, Cell, Config, HotnessChoice, PerPage, ProgramUnit, RunMode,
};
use wordline_sim::metrics::RunResult;
use wordline_sim::{Error, logical_bytes, simulate};
use wordline_trace::{Op, Request};

/// MLC with two units in a page, and TLC whose word lines are programmed at once.
fn mlc_and_tlc() -> Config {
    let mut config = two_kinds();
    config.drive.over_provisioning = 1.0;
    config.run.mode = RunMode::Timed;
    config.run.check = true;
    (config.ftl.hotness.policy, config.ftl.hotness.size_kib) = (HotnessChoice::Size, 12.0);
    let mlc = &mut config.drive.group.get_mut("a-slc").expect("it is there").chip;
    (mlc.cell, mlc.blocks_per_plane) = (Cell::Mlc, 32);
    mlc.program_us = PerPage::Many(vec![600.0, 1200.0]);
    let tlc = &mut config.drive.group.get_mut("b-tlc").expect("it is there").chip;
    (tlc.program, tlc.page_kib, tlc.layers_per_block) = (ProgramUnit::OneShot, 4.0, 4);
    (tlc.blocks_per_plane, tlc.erase_ms) = (40, 5.0);
    config
}

/// A drive with Centaur, whose programs of the 3D flash hold three units, and what others are given.
fn with(change: impl Fn(&mut Config), techniques: &[(&str, &str)]) -> Config {
    let mut config = mlc_and_tlc();
    change(&mut config);
    let centaur = "step_bytes = 0\nmin_bytes = 4096\ninitial_bytes = 8192\nmax_bytes = 12288";
    for (name, text) in [("centaur", centaur)].iter().chain(techniques) {
        let own: toml::Table = text.parse().expect("it is TOML");
        let mut all = config.technique.get(*name).and_then(|it| it.as_table().cloned());
        let all = all.get_or_insert_with(|| {
            let entry = wordline_sim::technique::find(name).expect("there is one");
            (entry.declaration.defaults)()
        });
        all.extend(own);
        config.technique.insert((*name).into(), all.clone().into());
    }
    config
}

fn two_units_a_page(config: &mut Config) {
    config.drive.group.get_mut("a-slc").expect("it is there").chip.page_kib = 8.0;
}

const LAZY: (&str, &str) = ("lazy_ftl", "group = \"b-tlc\"\nday_s = 0.3\nmargin_s = 0.05");
const RESSD: (&str, &str) = ("ressd", "group = \"b-tlc\"");
const LLH: (&str, &str) = ("llh_ftl", "group = \"a-slc\"\nfloor = 1");
const PADDED: (&str, &str) = ("centaur", "partial = \"pad\"");

/// Writes of one to three units with reads and trims among them, most of them to a quarter of the space.
fn mixed(config: &Config, seed: u64, number: u64) -> Vec<Request> {
    let units = logical_bytes(config).expect("it works") / UNIT;
    let mut dice = Dice::new(seed);
    let draw = |n: u64| {
        let span = if dice.one_in(4) { units } else { units / 4 };
        let length = dice.between(1, 3);
        let op = match dice.below(12) {
            0 | 1 => Op::Read,
            2 => Op::Trim,
            _ => Op::Write,
        };
        crate::common::at(n * 1500, op, dice.below(span - length), length as u32)
    };
    (0..number).map(draw).collect()
}

fn run(config: &Config, requests: Vec<Request>) -> Result<RunResult, Error> {
    Ok(simulate(config, Script::source(requests), &mut ())?.result)
}

fn refusal(config: &Config) -> String {
    match run(config, Vec::new()) {
        Err(Error::Infeasible { what, help }) => format!("{what}; {help}"),
        other => panic!("it was to be refused: {:?}", other.map(|it| it.technique)),
    }
}

fn of(result: &RunResult, path: &str) -> u64 {
    let (name, rest) = path.split_once('/').expect("a technique and its figure");
    let value = result.technique[name].pointer(&format!("/{rest}"));
    value.and_then(serde_json::Value::as_u64).unwrap_or_else(|| panic!("{path}"))
}

/// The compositions, and a figure of each technique that says that it was at work.
fn compositions() -> Vec<(Config, Vec<&'static str>)> {
    let lazy = "lazy_ftl/first_stages";
    vec![
        (with(|_| (), &[LAZY]), vec![lazy]),
        (with(|_| (), &[PADDED, LAZY]), vec![lazy]),
        (with(|_| (), &[PADDED, RESSD]), vec!["ressd/reprograms/first"]),
        (with(two_units_a_page, &[LLH]), vec!["llh_ftl/reprograms"]),
        (with(two_units_a_page, &[LLH, LAZY]), vec!["llh_ftl/reprograms", lazy]),
        (
            with(two_units_a_page, &[PADDED, LLH, RESSD]),
            vec!["llh_ftl/reprograms", "ressd/reprograms/first"],
        ),
    ]
}

/// The flash judges every command of these runs, and the drive's invariants are verified at their end.
#[test]
fn compositions_break_no_rule_of_the_flash() {
    for (config, at_work) in compositions() {
        for seed in 0..6 {
            let result = run(&config, mixed(&config, seed, 4000)).expect("no rule is broken");
            assert_eq!(result.host.refused_writes, 0);
            for path in at_work.iter().chain(&["centaur/dispatched_3d_parts"]) {
                assert!(of(&result, path) > 20, "{path}, seed {seed}: {:?}", result.technique);
            }
        }
    }
}

/// lazyFTL says when word lines are programmed, not which: all that Centaur does stays as it is.
#[test]
fn lazy_ftl_on_the_tlc_dies_leaves_every_choice_of_centaur_as_it_is() {
    for more in ["steal = \"never\"", "steal = \"never\"\npartial = \"pad\""] {
        let alone = with(|_| (), &[("centaur", more)]);
        let both = with(|_| (), &[("centaur", more), LAZY]);
        let requests = mixed(&alone, 5, 5000);
        let (alone, both) = (run(&alone, requests.clone()), run(&both, requests));
        let (alone, both) = (alone.expect("it works"), both.expect("it works"));
        for name in ["dispatched_2d_parts", "dispatched_3d_parts", "migrated_units", "merged_units"]
        {
            let path = format!("centaur/{name}");
            assert_eq!(of(&both, &path), of(&alone, &path), "{name}");
        }
        assert_eq!(both.flash.erases, alone.flash.erases);
        assert_eq!(both.flash.page_programs.total(), alone.flash.page_programs.total());
        assert!(both.flash.reprograms > 0 && alone.flash.reprograms == 0);
        let mean = |result: &RunResult| result.host.write.mean_us;
        assert!(mean(&both) < mean(&alone), "{} is not below {}", mean(&both), mean(&alone));
    }
}

#[test]
fn flash_and_maps_that_forbid_a_composition_are_named() {
    let cases: [(Config, &[&str]); 8] = [
        (
            with(|_| (), &[RESSD]),
            &["centaur maps the same flash by whole programs", "partial to \"pad\""],
        ),
        (
            with(|_| (), &[("ressd", "")]),
            &["ressd", "several", "technique.ressd.group to \"b-tlc\""],
        ),
        (with(|_| (), &[("lazy_ftl", "")]), &["lazy_ftl", "technique.lazy_ftl.group to \"a-slc\""]),
        (
            with(|_| (), &[("lazy_ftl", "group = \"b\"")]),
            &["technique.lazy_ftl.group = \"b\"", "no such group", "to \"b-tlc\""],
        ),
        (
            with(|_| (), &[("lazy_ftl", "group = \"a-slc\"")]),
            &["TLC and QLC, not mlc", "drive.group.a-slc.chip.cell"],
        ),
        (
            with(|_| (), &[("llh_ftl", "group = \"b-tlc\"")]),
            &["those of MLC, not tlc", "drive.group.b-tlc.chip.cell"],
        ),
        (with(|_| (), &[LLH]), &["carries half a page", "drive.group.a-slc.chip.page_kib"]),
        (with(|_| (), &[PADDED, RESSD, LAZY]), &["both claim the hook", "ressd and lazy_ftl"]),
    ];
    for (config, words) in cases {
        let text = refusal(&config);
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
    }
    let mut config = one_kind("a-slc");
    config.technique.insert("lazy_ftl".into(), toml::toml! { group = "b-tlc" }.into());
    assert!(refusal(&config).contains("one kind of flash"));
}

#[test]
fn drives_of_an_array_compose_each_for_itself() {
    let mut config = with(two_units_a_page, &[LLH, LAZY]);
    config.array.level = ArrayLevel::Raid5;
    (config.array.drives, config.array.chunk_kib) = (4, 12.0);
    let result = run(&config, mixed(&config, 2, 6000)).expect("it works");
    for path in ["centaur/dispatched_3d_parts", "lazy_ftl/first_stages", "llh_ftl/reprograms"] {
        assert!(of(&result, path) > 20, "{path}");
    }
}
