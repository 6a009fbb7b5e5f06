//! By whose tables flash erases: those of its kind of cells, or borrowed ones.

use crate::common::at;
use crate::drive::{drive, figure, retries, run, with_errors, worn, writes};
use wordline_sim::config::{ArrayLevel, Cell, Config, GroupConfig, RunMode, SchemeChoice};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::erase::life;
use wordline_trace::Op;

const SCHEMES: [SchemeChoice; 5] = [
    SchemeChoice::Ispe,
    SchemeChoice::IIspe,
    SchemeChoice::Dpes,
    SchemeChoice::Aero,
    SchemeChoice::Reo,
];

fn of_cells(cell: Cell, scheme: SchemeChoice, parameters: &str) -> Config {
    let mut config = drive(32, 0, scheme, parameters);
    config.drive.chip.cell = cell;
    config
}

/// Two channels: chips of the drive's cells on the first, others on the second.
fn mixed(cell: Cell, other: Cell, scheme: SchemeChoice, parameters: &str) -> Config {
    let mut config = of_cells(cell, scheme, parameters);
    config.drive.channels = 2;
    let chip = config.drive.chip.clone();
    let group = |first_channel, cell: Cell| {
        let mut chip = chip.clone();
        chip.cell = cell;
        GroupConfig { first_channel, channels: 1, chip, ..GroupConfig::default() }
    };
    config.drive.group.insert("first".into(), group(0, cell));
    config.drive.group.insert("second".into(), group(1, other));
    config
}

/// Whether a warning names all of these.
fn told(warnings: &[String], words: &[&str]) -> bool {
    warnings.iter().any(|text| words.iter().all(|word| text.contains(word)))
}

#[test]
fn slc_and_qlc_erase_by_tables_of_such_cells() {
    for scheme in SCHEMES {
        let [slc, qlc] = [Cell::Slc, Cell::Qlc].map(|cell| worn(&of_cells(cell, scheme, ""), 8));
        for (result, chip) in [(&slc, "centaur-slc"), (&qlc, "lazyrs-qlc")] {
            assert!(told(&result.warnings, &[chip, "not measured"]), "{:?}", result.warnings);
            assert!(result.flash.erases > 50);
        }
        // A full pulse of centaur-slc takes 1.4 ms, one of lazyrs-qlc 4.9.
        let mean_ms = |result: &RunResult| result.flash.erase_time_ms / result.flash.erases as f64;
        assert!(mean_ms(&qlc) > 2.5 * mean_ms(&slc), "{} {}", mean_ms(&slc), mean_ms(&qlc));
        // SLC's errors never come near what the code corrects, QLC's do.
        assert!(told(&slc.warnings, &["drive.chip.cell = slc", "no block wears out"]));
        assert!(!told(&qlc.warnings, &["no block wears out"]));
    }
}

#[test]
fn qlc_dies_by_its_own_errors_and_slc_does_not() {
    let of = |cell| life(&of_cells(cell, SchemeChoice::Ispe, "")).unwrap();
    let (slc, qlc) = (of(Cell::Slc), of(Cell::Qlc));
    assert_eq!(slc.lifetime_pec, None);
    let pec = qlc.lifetime_pec.unwrap();
    assert!((1000.0..1500.0).contains(&pec), "{pec}");
}

#[test]
fn mlc_erases_by_tables_whose_pulses_are_not_its_own_and_that_is_told() {
    for scheme in SCHEMES {
        let keys = |chip: &str| format!("chip = \"{chip}\"");
        // Without a choice the first chip of such cells.
        let first = worn(&of_cells(Cell::Mlc, scheme, ""), 8);
        assert!(told(&first.warnings, &["llh-a16", "not measured"]), "{:?}", first.warnings);
        assert_eq!(worn(&of_cells(Cell::Mlc, scheme, &keys("llh-a16")), 8).erase, first.erase);
        for chip in ["llh-a27", "llh-b16", "llh-b29", "llh-c35"] {
            let other = worn(&of_cells(Cell::Mlc, scheme, &keys(chip)), 8);
            assert!(told(&other.warnings, &[chip, "not measured"]), "{:?}", other.warnings);
            assert!(other.flash.erases > 50);
        }
    }
    // TLC's are measured of one chip.
    let measured = worn(&of_cells(Cell::Tlc, SchemeChoice::Reo, ""), 8);
    assert!(!told(&measured.warnings, &["not measured"]));
    for chip in ["lazyrs-tlc", "centaur-tlc"] {
        let keys = format!("chip = \"{chip}\"");
        let other = worn(&of_cells(Cell::Tlc, SchemeChoice::Reo, &keys), 8);
        assert!(told(&other.warnings, &[chip, "not measured"]), "{:?}", other.warnings);
    }
}

#[test]
fn borrowed_tables_are_those_of_their_chip_and_named() {
    let own = worn(&of_cells(Cell::Tlc, SchemeChoice::Reo, ""), 8);
    let borrowed = worn(&of_cells(Cell::Slc, SchemeChoice::Reo, "borrow = \"reo-tlc\""), 8);
    assert!(own.flash.erases > 50);
    assert_eq!(own.erase, borrowed.erase);
    assert_eq!(own.flash.erase_time_ms, borrowed.flash.erase_time_ms);
    let key = ["erase.reo.borrow"];
    assert!(told(&borrowed.warnings, &key), "{:?}", borrowed.warnings);
    assert!(!told(&own.warnings, &key), "{:?}", own.warnings);
    // Of other cells the chip that is borrowed from goes first, before one with such cells.
    let mlc = worn(&of_cells(Cell::Mlc, SchemeChoice::Reo, "borrow = \"reo-tlc\""), 8);
    assert_eq!(mlc.flash.erase_time_ms, own.flash.erase_time_ms);
    // What may be borrowed but need not be changes nothing.
    let spare = worn(&of_cells(Cell::Tlc, SchemeChoice::Reo, "borrow = \"reo-tlc\""), 8);
    assert_eq!(spare.erase, own.erase);
    assert!(!told(&spare.warnings, &key));
}

#[test]
fn each_kind_of_flash_is_told_of_by_its_group() {
    let config = mixed(Cell::Tlc, Cell::Slc, SchemeChoice::Aero, "borrow = \"reo-tlc\"");
    let result = worn(&config, 8);
    assert!(result.flash.erases > 50 && figure(&result, "erases") > 50.0);
    let of = |group: &str| {
        result.warnings.iter().any(|text| text.contains(&format!("drive.group.{group}.chip.cell")))
    };
    assert!(of("second") && !of("first"), "{:?}", result.warnings);
}

/// Pages of TLC at 4,000 cycles need retries after a year, those of one bit a cell none.
#[test]
fn each_kind_of_flash_is_read_again_by_its_own_error_rates() {
    let of = |cells: [Cell; 2]| {
        let [first, second] = cells;
        let mixed = mixed(first, second, SchemeChoice::Ispe, "borrow = \"reo-tlc\"");
        let mut config = with_errors(mixed, "data_age_h = 8760");
        config.run.mode = RunMode::Timed;
        for group in config.drive.group.values_mut() {
            group.chip.initial_pec = 4000;
        }
        let mut requests = writes(&config, 1);
        let pages = requests.len() as u64;
        requests.extend((0..pages).map(|n| at(10_000_000 + n * 10_000, Op::Read, n, 1)));
        retries(&run(&config, requests))
    };
    let (both, one, none) =
        (of([Cell::Tlc, Cell::Tlc]), of([Cell::Tlc, Cell::Slc]), of([Cell::Slc, Cell::Slc]));
    assert!(none == 0.0 && both > 0.1, "{none} {both}");
    // About half of the reads are of each kind.
    assert!((one / both - 0.5).abs() < 0.15, "{one} {both}");
}

#[test]
fn arrays_say_which_drive_borrows() {
    let mut config = of_cells(Cell::Slc, SchemeChoice::Reo, "borrow = \"reo-tlc\"");
    config.array.level = ArrayLevel::Raid0;
    config.array.drives = 2;
    let result = run(&config, vec![at(0, Op::Write, 0, 4)]);
    let told = |drive| format!("drive {drive}: drive.chip.cell = slc erases by");
    for drive in [0, 1] {
        assert!(result.warnings.iter().any(|text| text.starts_with(&told(drive))));
    }
}
