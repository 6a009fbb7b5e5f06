//! An energy finishes a part of what power fails over: never less than a smaller one, nothing where there is none, and
//! everything where there is enough.

use crate::drives::{DRIVES, Drive, Service, short_report};
use wordline_sim::config::load;
use wordline_sim::power::{CutReport, HoldUpReport};
use wordline_sim::{logical_bytes, power_cuts};
use wordline_trace::{GeneratorContext, from_spec};

/// Enough for anything.
const HUGE_NJ: u64 = 1_000_000_000_000;
const RULES_OFF: &[&str] = &[
    "power.erase_waits=false",
    "power.flush_completes=false",
    "power.preserves=false",
    "power.remembers_trims=false",
];

/// The cuts of a drive whose operations take energies, by what it has against them.
fn cut(drive: &Drive, protection: &str, set: &[&str]) -> CutReport {
    let order = *drive.orders.last().expect("it works under some scheduler");
    cut_under(drive, order, protection, set)
}

fn cut_under(drive: &Drive, order: Service, protection: &str, set: &[&str]) -> CutReport {
    let chips: &[&str] = match drive.text.contains("drive.group") {
        true => &["drive.group.a.chip", "drive.group.b.chip"],
        false => &["drive.chip"],
    };
    let energies = chips
        .iter()
        .flat_map(|chip| [format!("{chip}.program_uj=20.5"), format!("{chip}.erase_uj=192.79")]);
    let mut keys: Vec<String> = energies.collect();
    keys.push(format!("power.protection={protection}"));
    let keys: Vec<&str> = keys.iter().map(String::as_str).chain(set.iter().copied()).collect();
    short_report(drive, order, &keys)
}

fn bearing(report: &CutReport) -> HoldUpReport {
    report.hold_up.expect("power.protection is an energy")
}

#[test]
fn no_energy_is_no_protection() {
    for drive in DRIVES {
        let mut nothing = cut(drive, "0", &[]);
        let bearing = bearing(&nothing);
        assert_eq!((bearing.finished_mean, bearing.saved_mean), (0.0, 0.0), "{}", drive.name);
        assert!(bearing.forgotten_units > 0, "{} forgets what it was not to keep", drive.name);
        nothing.hold_up = None;
        assert_eq!(nothing, cut(drive, "none", &[]), "{}", drive.name);
    }
}

/// A capacitor needs none of the rules: neither does enough energy.
#[test]
fn enough_energy_is_a_capacitor() {
    for drive in DRIVES {
        let report = cut(drive, &HUGE_NJ.to_string(), RULES_OFF);
        let (name, bearing) = (drive.name, bearing(&report));
        assert_eq!(report.losing_cuts, 0, "{name}: {:#?}", report.losses);
        assert_eq!((bearing.forgetting_cuts, bearing.forgotten_units), (0, 0), "{name}");
        assert_eq!(bearing.borne_cuts, report.cuts, "{name}");
        assert!(bearing.finished_mean > 0.4, "{name}: {}", bearing.finished_mean);
    }
}

#[test]
fn some_energy_keeps_what_was_flushed() {
    for drive in DRIVES {
        let report = cut(drive, "30000", &[]);
        let losing = report.losing_cuts + report.losing_double_cuts;
        assert_eq!(losing, 0, "{}: {:#?}", drive.name, report.losses);
        let bearing = bearing(&report);
        assert!(0 < bearing.borne_cuts && bearing.borne_cuts < report.cuts, "{}", drive.name);
    }
}

#[test]
fn more_energy_never_loses_more() {
    for name in ["pages", "buffer", "ressd"] {
        let drive = DRIVES.iter().find(|drive| drive.name == name).expect("it is there");
        let mut before = cut(drive, "0", RULES_OFF);
        let most_nj = bearing(&before).needed_most_nj;
        assert!(bearing(&before).borne_cuts < before.cuts, "{name} needs energy");
        for energy_nj in [20_499, 20_500, 41_000, 100_000, most_nj - 1, most_nj, HUGE_NJ] {
            let report = cut(drive, &energy_nj.to_string(), RULES_OFF);
            let (then, now) = (bearing(&before), bearing(&report));
            assert_eq!(now.borne_cuts == report.cuts, energy_nj >= most_nj, "{energy_nj} nJ");
            assert!(report.losing_cuts <= before.losing_cuts, "{name}, {energy_nj} nJ");
            assert!(now.forgotten_units <= then.forgotten_units, "{name}, {energy_nj} nJ");
            assert!(now.finished_mean >= then.finished_mean, "{name}, {energy_nj} nJ");
            assert_eq!(now.needed_most_nj, most_nj, "{name}, {energy_nj} nJ");
            before = report;
        }
    }
}

#[test]
fn an_energy_needs_to_know_what_operations_take() {
    let refusal = |keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        let config = load("preset = \"tiny\"", "tiny", &keys).expect("it is right");
        let bytes = logical_bytes(&config);
        let context = GeneratorContext::on_drive(bytes.unwrap_or(1 << 20), 7);
        let workload = from_spec("uniform:requests=10", &context).expect("it is a workload");
        let error = power_cuts(&config, workload, Default::default(), &mut ());
        error.expect_err("it is not known what the energy finishes").to_string()
    };
    let told = refusal(&["power.protection=5e3"]);
    assert!(told.contains("drive.chip.program_uj is 0"), "{told}");
    let told = refusal(&["power.protection=5e3", "drive.chip.program_uj=20"]);
    assert!(told.contains("drive.chip.erase_uj is 0"), "{told}");
}
