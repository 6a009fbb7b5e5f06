use super::super::PresetKind;
use super::super::presets::{self, Preset, all, find};
use super::config;
use crate::config::{Chips, Config, load};
use std::collections::BTreeSet;
use std::path::Path;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../presets"))
}

#[test]
fn every_file_is_in_the_list() {
    let listed: BTreeSet<String> = all().iter().map(|preset| preset.path.to_owned()).collect();
    let mut files = BTreeSet::new();
    for kind in ["drives", "chips"] {
        for entry in std::fs::read_dir(folder().join(kind)).expect("a folder of presets") {
            let name = entry.expect("a file").file_name();
            files.insert(format!("presets/{kind}/{}", name.to_string_lossy()));
        }
    }
    assert_eq!(files, listed);
}

#[test]
fn every_preset_loads_and_differs_from_the_defaults() {
    for preset in all() {
        let text = match preset.kind {
            PresetKind::Drive => format!("preset = {:?}", preset.name),
            PresetKind::Chip => format!("[drive.chip]\npreset = {:?}", preset.name),
        };
        assert_ne!(config(&text), Config::default(), "{}", preset.path);
    }
}

#[test]
fn the_file_of_a_drive_is_a_configuration() {
    for preset in all().iter().filter(|preset| preset.kind == PresetKind::Drive) {
        let named = config(&format!("preset = {:?}", preset.name));
        assert_eq!(config(preset.text), named, "{}", preset.path);
    }
    for (text, overrides) in [("summary = 3", vec![]), ("", vec!["summary=x".to_owned()])] {
        let error = load(text, "drive.toml", &overrides).expect_err("no description");
        assert_eq!(error.what, "unknown table or key `summary`");
    }
}

#[test]
fn every_value_has_a_source() {
    for preset in all() {
        let info = preset.info().unwrap_or_else(|error| panic!("{error}"));
        assert!(!info.summary.is_empty() && !info.values.is_empty(), "{}", preset.path);
        for value in info.values {
            assert!(!value.source.is_empty(), "{}: no source for {}", preset.path, value.key);
        }
    }
}

#[test]
fn a_year_stands_in_a_source() {
    let years = all().iter().filter_map(|preset| Some((preset, preset.info().ok()?.year?)));
    let known: Vec<_> = years.collect();
    assert!(known.len() > 20, "{}", known.len());
    for (preset, year) in known {
        let sources = preset.text.split_once("[sources]").expect("sources").1;
        assert!(sources.contains(&year.to_string()), "{}: {year}", preset.path);
    }
}

#[test]
fn every_source_has_a_value() {
    for preset in all() {
        let unused = presets::unused_sources(preset).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(unused, Vec::<String>::new(), "{}", preset.path);
    }
}

#[test]
fn capacities_are_those_of_their_names() {
    for (name, raw_gib) in [
        ("tiny", 0.0625),
        ("tiny-tlc", 0.375),
        ("tiny-mlc", 0.5),
        ("tiny-mixed", 0.875),
        ("disksim-ssd-32g", 31.5),
        ("ressd-576g", 576.0),
        ("ressd-mlc-384g", 384.0),
        ("llh-openssd-16g", 16.0),
        ("llh-openssd-32g", 32.0),
        ("llh-openssd-64g", 64.0),
        ("llh-emulator-16g", 16.0),
        ("llh-emulator-32g", 32.0),
        ("llh-emulator-64g", 64.0),
        ("llh-ftl-16g", 16.0),
        ("llh-ftl-32-16g", 16.0),
        ("lazyrs-16g", 36.0),
        ("lazyftl-16g", 36.0),
        ("reo-1t", 1025.0625),
        ("centaur-3d-256g", 269.4375),
        ("centaur-2d-256g", 256.0),
        ("centaur-mixed-256g", 267.7578125),
        ("centaur-dedicated-256g", 267.7578125),
        ("centaur-iso-die-228g", 239.7578125),
        ("centaur-extra-chip-288g", 301.4375),
        ("mqsim-default", 512.0),
        ("peers-16g", 16.0),
        ("nvme-tlc-1t", 1025.0625),
        ("nvme-qlc-2t", 2100.0),
        ("micron-7450-max-800g", 1126.125),
        ("solidigm-p5520-1920g", 2220.75),
        ("kioxia-cm7-r-3840g", 4095.0),
        ("samsung-pm9a3-960g", 1024.5),
        ("samsung-840-evo-1t", 1024.125),
        ("samsung-970-evo-500g", 512.25),
        ("samsung-870-qvo-4t", 4096.5),
        ("corsair-mp700-elite-2t", 2048.859375),
        ("hp-fx700-2t", 2044.5),
    ] {
        let drive = config(&format!("preset = {name:?}")).drive;
        let of_kind = |kind: Chips<'_>| {
            let chip = kind.chip;
            let blocks = kind.channels
                * kind.chips_per_channel
                * chip.dies
                * chip.planes
                * chip.blocks_per_plane;
            (blocks * chip.pages_per_block) as f64 * chip.page_kib / f64::from(1 << 20)
        };
        let gib: f64 = drive.kinds().into_iter().map(of_kind).sum();
        assert_eq!(gib, raw_gib, "{name}");
    }
}

#[test]
fn centaurs_layouts_differ_in_where_its_chips_sit() {
    for (name, slc, tlc) in [
        ("centaur-mixed-256g", (0, 8, 1), (0, 7, 1)),
        ("centaur-dedicated-256g", (7, 1, 8), (0, 7, 1)),
        ("centaur-iso-die-228g", (7, 1, 1), (0, 7, 1)),
        ("centaur-extra-chip-288g", (0, 8, 1), (0, 8, 1)),
    ] {
        let drive = config(&format!("preset = {name:?}")).drive;
        let sit = |kind: Chips<'_>| (kind.first_channel, kind.channels, kind.chips_per_channel);
        let found: Vec<_> = drive.kinds().into_iter().map(sit).collect();
        assert_eq!(found, [slc, tlc], "{name}");
    }
}

#[test]
fn info_carries_what_a_preset_builds_on() {
    let preset = find(PresetKind::Drive, "llh-emulator-16g").expect("a preset");
    let info = preset.info().unwrap_or_else(|error| panic!("{error}"));
    let value = |key: &str| info.values.iter().find(|value| value.key == key).expect("a value");
    assert_eq!(value("drive.chip.page_kib").value.as_float(), Some(8.0));
    assert_eq!(value("drive.chip.cell").value.as_str(), Some("mlc"));
    assert!(value("drive.channels").source.starts_with("not given"));
    let keys: BTreeSet<&str> = info.values.iter().map(|value| value.key.as_str()).collect();
    assert_eq!(keys.len(), info.values.len());
}

#[test]
fn an_error_in_a_preset_is_located_in_its_file() {
    let message = |text| {
        let preset =
            Preset { kind: PresetKind::Chip, name: "x", path: "presets/chips/x.toml", text };
        preset.info().expect_err("a bad preset").to_string()
    };
    assert_eq!(
        message("summary = \"x\"\n\nplanes = 0\n[sources]\n"),
        "presets/chips/x.toml:3: `drive.chip.planes`: \
         expected a whole number from 1 to 64 per die, found 0 (planes of a die)"
    );
    assert_eq!(
        message("summary = \"x\"\npreset = \"y\"\n[sources]\n").split(" (").next(),
        Some("presets/chips/x.toml:2: unknown chip preset `y`")
    );
    assert_eq!(
        message("summary = \"x\"\nyear = \"y\"\n[sources]\n"),
        "presets/chips/x.toml: `year` is no number (give the year, such as 2022)"
    );
    assert_eq!(
        message("planes = 2"),
        "presets/chips/x.toml: no `summary` (say in a sentence what it is)"
    );
    assert_eq!(
        message("summary = \"x\""),
        "presets/chips/x.toml: no [sources] (say where each value comes from)"
    );
}

#[test]
fn a_key_takes_the_source_of_the_innermost_table() {
    let text = "summary = \"x\"\n[ftl.gc]\nd = 3\npolicy = \"fifo\"\n\
                [sources]\nftl = \"a\"\n\"ftl.gc.d\" = \"b\"\n\"ftl.g\" = \"c\"\n";
    let preset = Preset { kind: PresetKind::Drive, name: "x", path: "x.toml", text };
    let values = preset.info().unwrap_or_else(|error| panic!("{error}")).values;
    let sources: Vec<&str> = values.iter().map(|value| value.source.as_str()).collect();
    assert_eq!(sources, ["b", "a"]);
    assert_eq!(presets::unused_sources(&preset).expect("a preset"), ["ftl.g"]);
}
