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

/// Each of these was taken once, and gave codewords that never fail, panicked, or ran without end.
#[test]
fn every_number_of_a_chip_has_a_range() {
    for (line, told) in [
        ("[retention]\ndiffusion = -0.5", "retention.diffusion is -0.5"),
        ("[retention]\nfast_share = 0.1", "retention.fast_share is 0.1"),
        ("[retention]\ndrift = [0.0, -1e9, 0.0]", "retention.drift is -1000000000"),
        ("[retention]\nwear_exponent = -1.0", "retention.wear_exponent is -1"),
        ("[retention]\nactivation_ev = 90.0", "retention.activation_ev is 90"),
        ("[disturb]\nword_line = -0.5", "disturb.word_line is -0.5"),
        ("[variation]\nchip = -1.0", "variation.chip is -1"),
        ("[variation]\nspread = 40.0", "variation.spread is 40"),
        ("[program]\nnoise_growth = -9.0", "program.noise_growth is -9"),
        ("[program]\nmax_loops = 60000", "program.max_loops is 60000"),
        ("[read_disturb]\nunits_per_kread = -1.0", "read_disturb.units_per_kread is -1"),
        ("[read]\nmax_retries = 4000000000", "read.max_retries is 4000000000"),
        ("[energy]\nsense_uj_per_kib = -0.1", "energy.sense_uj_per_kib is -0.1"),
        ("[ecc]\nbits = 2000", "ecc.bits is 2000"),
        ("[ecc]\ndata_bytes = 65536", "ecc.data_bytes is 65536"),
        ("[geometry]\nlayers = 65536", "geometry.layers is 65536"),
        ("[erase]\nstep_ms = 100.0", "erase.step_ms is 100"),
        ("[erase]\nstep_ms = 3.6", "erase.step_ms is 3.6"),
        ("[erase]\nshallow_ms = 3.5", "erase.shallow_ms is 3.5"),
        ("[erase]\nendurance_pec = 10", "erase.endurance_pec is 10"),
        ("[erase]\nmargin_ms = [nan]", "erase.margin_ms is NaN"),
        ("[erase]\nskew = [0.0, 1.0]", "erase.skew: 3 knots and 2 values"),
        ("[erase_cells]\ngate_step = inf", "erase_cells.gate_step is inf"),
        ("[erased]\nmean = 100.0", "erased.mean is 100, and the lowest program.verify 52.11"),
    ] {
        let error = Chip::parse(&format!("base = \"reo-tlc\"\n{line}\n")).unwrap_err();
        assert!(error.what.contains(told) && !error.help.is_empty(), "{line}: {error}");
    }
    let again = Chip::parse("base = \"llh-a16\"\n[page_wise]\ncharge_share = 2.0\n").unwrap_err();
    assert_eq!(again.to_string(), "page_wise.charge_share is 2 (give 0 to 1)");
}

/// The presets' tables with one value at an end of its range: what follows is shares, or refused.
#[test]
fn no_value_within_its_range_makes_a_rate_of_nothing() {
    let aged = crate::Conditions::fresh(1000.0).aged(8760.0, 40.0);
    let mut surveyed = 0;
    let tables = [
        ("planar-tlc", "geometry", Geometry::RANGES),
        ("planar-tlc", "erased", Erased::RANGES),
        ("planar-tlc", "program", Program::RANGES),
        ("planar-tlc", "disturb", Disturb::RANGES),
        ("planar-tlc", "retention", Retention::RANGES),
        ("planar-tlc", "read_disturb", ReadDisturb::RANGES),
        ("planar-tlc", "read", Read::RANGES),
        ("planar-tlc", "variation", Variation::RANGES),
        ("planar-tlc", "ecc", Ecc::RANGES),
        ("planar-tlc", "energy", Energy::RANGES),
        ("llh-a16", "page_wise", PageWise::RANGES),
    ];
    for (base, table, ranges) in tables {
        for (field, low, high) in ranges {
            for end in [low, high] {
                let value = match *field {
                    "drift" => format!("[{end:?}, {end:?}, {end:?}]"),
                    "verify" | "references" => continue, // lists that rise
                    _ if end.fract() == 0.0 => format!("{end}"),
                    _ => format!("{end:?}"),
                };
                let text = format!("base = \"{base}\"\n[{table}]\n{field} = {value}\n");
                let Ok(chip) = Chip::parse(&text) else { continue };
                let Ok(survey) = crate::survey::Survey::new("x", &chip, None, &aged) else {
                    continue;
                };
                for reading in &survey.reads_by {
                    let shares = reading.rber.iter().chain(&reading.codeword_failure);
                    let are_shares =
                        shares.into_iter().all(|share| (-1e-9..=1.0 + 1e-9).contains(share));
                    assert!(are_shares, "{text}: {reading:?}");
                }
                surveyed += 1;
            }
        }
    }
    assert!(surveyed > 80, "{surveyed}");
}

#[test]
fn what_the_tables_of_erases_hold_is_numbers() {
    let of_table = |head: &str, ranges: &[(&str, f64, f64)]| -> Vec<String> {
        let text = |field: &str, end: f64| format!("{head}\n{field} = {end:?}\n");
        ranges
            .iter()
            .flat_map(|(field, low, high)| [text(field, *low), text(field, *high)])
            .collect()
    };
    let own = of_table("base = \"reo-tlc\"\n[erase]", Erase::RANGES);
    let borrowed = of_table("base = \"llh-a16\"\n[erase_as]", BorrowedErase::RANGES);
    for texts in [own, borrowed] {
        for text in texts {
            let Ok(Chip { erase: Some(erase), .. }) = Chip::parse(&text) else { continue };
            for scheme in crate::erase::Scheme::ALL {
                let pec = crate::erase::cycling::lifetime_pec(&erase, scheme);
                assert!(pec.is_finite() && pec >= 0.0, "{text} {scheme:?}: {pec}");
            }
            let least = crate::erase::cycling::equivalent_pec(&erase, 1.0);
            assert!(least.is_finite(), "{text}: {least}");
        }
    }
}

#[test]
fn stages_at_the_ends_of_their_ranges_make_shares() {
    let aged = crate::Conditions::fresh(1000.0).aged(8760.0, 40.0);
    let ends = Stages::RANGES.iter().flat_map(|(field, low, high)| [(field, low), (field, high)]);
    for (field, end) in ends {
        let text =
            format!("base = \"lazyrs-tlc\"\n[stages]\n{field} = [{end:?}, {end:?}, {end:?}]\n");
        let chip = Chip::parse(&text).unwrap();
        let (days, step) = chip.stages.as_ref().unwrap().each().next().unwrap();
        let second = crate::Plan::second_stage(&chip, step, 1000.0, 24.0 * days);
        for plan in [crate::Plan::one_pass(&chip, step), second] {
            let nominal = crate::WordLine::NOMINAL;
            let classes = crate::analytic::voltages(&chip, &plan, &aged, &nominal);
            for rate in crate::read::error_rates(&plan, &classes, &plan.references) {
                assert!((0.0..=1.0).contains(&rate), "{text}: {rate}");
            }
        }
    }
}

#[test]
fn cells_under_pulses_fall_by_numbers() {
    for (field, low, high) in CellErase::RANGES {
        for end in [low, high] {
            let text = format!("base = \"reo-tlc\"\n[erase_cells]\n{field} = {end:?}\n");
            let Ok(Chip { erase_cells: Some(cells), .. }) = Chip::parse(&text) else { continue };
            assert!(cells.fall(3.5, 17.5).is_finite(), "{text}");
            assert!(cells.head_start(200.0) <= 0.0, "{text}");
        }
    }
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
        ("base = \"planar-tlc\"\n[erased]\nmean = 1e6", "erased.mean is 1000000", ""),
    ] {
        let error = Chip::parse(text).unwrap_err();
        assert!(error.what.contains(what) && error.place == place, "{text}: {error}");
    }
}
