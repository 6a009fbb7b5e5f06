//! How long blocks and drives last.

use crate::drive::{drive, figure, worn};

#[test]
fn blocks_wear_out_by_errors_and_the_drive_ends_in_order() {
    // Blocks of 5,250 cycles by ISPE are near the 63 errors of 5,300.
    let config = drive(64, 5250, "ispe", "");
    let result = worn(&config, 400);
    assert!(result.wear.worn_out_blocks > 0);
    assert!(result.wear.read_only_at_s.is_some() && result.host.refused_writes > 0);
    assert!(figure(&result, "errors_max") > 63.0);
}

#[test]
fn a_stricter_requirement_wears_out_earlier() {
    let first_pec = |requirement: f64| {
        let is_worn = |&pec: &u64| {
            let config = drive(64, pec, "ispe", &format!("requirement = {requirement}"));
            worn(&config, 3).wear.worn_out_blocks > 0
        };
        (2000..6000).step_by(250).find(is_worn).expect("some age")
    };
    let [loose, strict, stricter] = [63.0, 50.0, 40.0].map(first_pec);
    assert!(loose > strict && strict > stricter, "{loose} {strict} {stricter}");
}

/// What the laboratory reckons of the same blocks by its own code (crates/cell/src/erase/cycling.rs;
/// docs/cell.md states what came out).
#[test]
fn blocks_live_as_in_the_cell_laboratory() {
    let lifetime = |scheme: &str, parameters: &str| {
        let config = drive(16, 0, scheme, parameters);
        wordline_sim::technique::erase::life(&config).unwrap().lifetime_pec.expect("they wear out")
    };
    let ispe = lifetime("ispe", "");
    assert!((ispe / 5300.0 - 1.0).abs() < 0.02, "{ispe}");
    let gains = [("i_ispe", -25.0), ("aero", 21.0), ("reo", 44.0)]
        .map(|(scheme, told)| (100.0 * (lifetime(scheme, "") / ispe - 1.0), told));
    for (ours, told) in gains {
        assert!((ours - told).abs() < 2.5, "{ours} where {told} is told");
    }
    assert!(lifetime("dpes", "") > ispe && lifetime("ispe", "requirement = 40") < ispe);
    let rarely = lifetime("aero", "misprediction_share = 0.05");
    assert!(rarely < lifetime("aero", "") && rarely > ispe);
}

#[test]
fn a_life_is_what_a_drive_of_that_age_reports() {
    let config = drive(500, 3000, "aero", "");
    let worn = worn(&config, 2);
    let life = wordline_sim::technique::erase::life(&config).unwrap();
    let age = life.ages.iter().find(|age| age.pec == 3000).unwrap();
    for (name, ours) in [("errors_mean", age.errors_mean), ("mean_pulse_ms", age.pulse_ms)] {
        assert!((figure(&worn, name) / ours - 1.0).abs() < 0.04, "{name} {ours}");
    }
}

#[test]
fn a_scheme_without_damage_tells_no_life() {
    let mut config = drive(16, 0, "ispe", "");
    config.erase.scheme = "fixed".into();
    let error = wordline_sim::technique::erase::life(&config).unwrap_err().to_string();
    assert!(error.contains("fixed tells no life"), "{error}");
}

/// Units that the host writes until the drive is read-only.
fn life_of_drive(scheme: &str, cycles_per_erase: u64) -> f64 {
    let mut config = drive(48, 0, scheme, "requirement = 8\nretries = false");
    config.run.cycles_per_erase = cycles_per_erase;
    let result = worn(&config, 1600 / cycles_per_erase);
    let written = result.wear.read_only_after_writes.expect("it wears out");
    let unit_gib = result.capacity.unit_bytes as f64 / f64::from(1 << 30);
    let life_gib = (written * cycles_per_erase) as f64 * unit_gib;
    assert_eq!(result.wear.life_gib, Some(life_gib));
    (written * cycles_per_erase) as f64
}

/// The error of accelerated lives against whole ones, in which each erase stands for itself.
#[test]
fn accelerated_lives_are_those_of_whole_runs() {
    for scheme in ["ispe", "aero"] {
        let whole = life_of_drive(scheme, 1);
        for (cycles, within) in [(5, 0.02), (20, 0.06)] {
            let error = life_of_drive(scheme, cycles) / whole - 1.0;
            println!("{scheme}, {cycles} cycles per erase: {error:+.4} of {whole} units");
            assert!(error.abs() < within, "{scheme} {cycles}: {error}");
        }
    }
}
