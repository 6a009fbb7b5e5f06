//! Presets are whole, checked, and sourced.

use super::presets::unused_sources;
use super::*;

#[test]
fn every_preset_loads_and_has_its_sources() {
    for name in NAMES {
        Chip::preset(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        for value in info(name).unwrap() {
            // The summary is prose, and the base is named by the file itself.
            assert!(!value.source.is_empty(), "{name}: {}", value.key);
        }
        assert_eq!(unused_sources(name), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn every_file_of_the_folder_is_listed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../presets/cells");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|file| file.strip_suffix(".toml").map(str::to_owned))
        .collect();
    files.sort();
    let mut names = NAMES.to_vec();
    names.sort_unstable();
    assert_eq!(files, names);
}

#[test]
fn an_unknown_chip_is_refused_with_the_valid_ones() {
    let error = Chip::preset("a\u{1b}16").unwrap_err();
    assert!(error.what.contains("unknown chip") && !error.what.contains('\u{1b}'));
    assert!(error.help.contains("planar-tlc"));
}

#[test]
fn what_cannot_be_is_refused() {
    let good = Chip::preset("planar-tlc").unwrap();
    let mut bad = good.clone();
    bad.program.verify.swap(0, 1);
    assert!(bad.check().unwrap_err().what.contains("rising"));
    let mut bad = good.clone();
    bad.read.references.pop();
    assert!(bad.check().unwrap_err().what.contains("7 levels"));
    let mut bad = good;
    bad.erased.sigma = f64::NAN;
    assert!(bad.check().unwrap_err().what.contains("erased.sigma"));
}

#[test]
fn a_text_is_a_chip_that_builds_on_a_preset() {
    let text = "base = \"planar-tlc\"\nsummary = \"narrow\"\n[program]\nnoise_sigma = 3.0\n";
    let chip = Chip::parse(text).unwrap();
    assert_eq!((chip.program.noise_sigma, chip.program.step), (3.0, 16.0));
    for (text, what, place) in [
        ("base = 3", "not the name", "base"),
        ("base = \"planar\"", "unknown chip", "base"),
        ("a = 1\nb = ", "", "line 2"),
        ("summary = \"x\"", "missing field", ""),
        ("base = \"planar-tlc\"\nendurance = 3", "unknown field `endurance`", ""),
        ("base = \"planar-tlc\"\n[program]\nstep = nan", "program.step is NaN", ""),
        ("base = \"planar-tlc\"\n[program]\nstep = -1.0", "program.step is -1", ""),
        ("base = \"planar-tlc\"\n[geometry]\nlayers = 0", "geometry.layers is 0", ""),
        ("base = \"planar-tlc\"\n[erased]\nmean = 1e6", "a voltage of 1000000", ""),
    ] {
        let error = Chip::parse(text).unwrap_err();
        assert!(error.what.contains(what) && error.place == place, "{text}: {error}");
    }
}
