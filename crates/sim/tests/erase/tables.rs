//! By whose tables flash erases: those of its kind of cells, or borrowed ones.

use crate::common::{Script, at};
use crate::drive::{drive, figure, run, worn, writes};
use wordline_sim::config::{ArrayLevel, Cell, Config, GroupConfig, RunMode, SchemeChoice};
use wordline_sim::simulate;
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

fn refusal(config: &Config) -> String {
    let source = Script::source(vec![at(0, Op::Write, 0, 1)]);
    simulate(config, source, &mut ()).map(|_| ()).expect_err("no such table").to_string()
}

#[test]
fn flash_without_a_table_of_its_cells_is_refused() {
    for scheme in SCHEMES {
        for cell in [Cell::Slc, Cell::Qlc] {
            let config = of_cells(cell, scheme, "retries = false");
            for said in [refusal(&config), life(&config).expect_err("no table").to_string()] {
                assert!(said.contains(&format!("erase.scheme = {scheme}")), "{said}");
                assert!(said.contains(&format!("drive.chip.cell is {cell}")), "{said}");
                assert!(said.contains("reo-tlc has 3 bits a cell"), "{said}");
                assert!(said.contains(&format!("erase.{scheme}.borrow = reo-tlc")), "{said}");
            }
        }
    }
    let said = refusal(&mixed(Cell::Tlc, Cell::Slc, SchemeChoice::Reo, ""));
    assert!(said.contains("drive.group.second.chip.cell is slc"), "{said}");
}

#[test]
fn mlc_erases_by_tables_whose_pulses_are_not_its_own_and_that_is_told() {
    for scheme in SCHEMES {
        let keys = |chip: &str| format!("retries = false\nchip = \"{chip}\"");
        // Without a choice the first chip of such cells.
        let first = worn(&of_cells(Cell::Mlc, scheme, "retries = false"), 8);
        let told = |chip: &str, warnings: &[String]| {
            warnings.iter().any(|text| text.contains(chip) && text.contains("not measured"))
        };
        assert!(told("llh-a16", &first.warnings), "{:?}", first.warnings);
        assert_eq!(worn(&of_cells(Cell::Mlc, scheme, &keys("llh-a16")), 8).erase, first.erase);
        for chip in ["llh-a27", "llh-b16", "llh-b29"] {
            let other = worn(&of_cells(Cell::Mlc, scheme, &keys(chip)), 8);
            assert!(told(chip, &other.warnings), "{:?}", other.warnings);
            assert!(other.flash.erases > 50);
        }
    }
    // TLC's are measured.
    let measured = worn(&of_cells(Cell::Tlc, SchemeChoice::Reo, "retries = false"), 8);
    assert!(!measured.warnings.iter().any(|text| text.contains("not measured")));
}

#[test]
fn borrowed_tables_are_those_of_their_chip_and_named() {
    let own = worn(&of_cells(Cell::Tlc, SchemeChoice::Reo, "retries = false"), 8);
    let borrowed =
        worn(&of_cells(Cell::Slc, SchemeChoice::Reo, "retries = false\nborrow = \"reo-tlc\""), 8);
    assert!(own.flash.erases > 50);
    assert_eq!(own.erase, borrowed.erase);
    assert_eq!(own.flash.erase_time_ms, borrowed.flash.erase_time_ms);
    let told = |warnings: &[String]| warnings.iter().any(|text| text.contains("erase.reo.borrow"));
    assert!(told(&borrowed.warnings), "{:?}", borrowed.warnings);
    assert!(!told(&own.warnings), "{:?}", own.warnings);
    // What may be borrowed but need not be changes nothing.
    let spare =
        worn(&of_cells(Cell::Tlc, SchemeChoice::Reo, "retries = false\nborrow = \"reo-tlc\""), 8);
    assert_eq!(spare.erase, own.erase);
    assert!(!told(&spare.warnings));
}

#[test]
fn each_kind_of_flash_is_told_of_by_its_group() {
    let config =
        mixed(Cell::Tlc, Cell::Slc, SchemeChoice::Aero, "borrow = \"reo-tlc\"\nretries = false");
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
        let mut config =
            mixed(first, second, SchemeChoice::Ispe, "borrow = \"reo-tlc\"\ndata_age_h = 8760");
        config.run.mode = RunMode::Timed;
        for group in config.drive.group.values_mut() {
            group.chip.initial_pec = 4000;
        }
        let mut requests = writes(&config, 1);
        let pages = requests.len() as u64;
        requests.extend((0..pages).map(|n| at(10_000_000 + n * 10_000, Op::Read, n, 1)));
        figure(&run(&config, requests), "retries_per_read")
    };
    let (both, one, none) =
        (of([Cell::Tlc, Cell::Tlc]), of([Cell::Tlc, Cell::Slc]), of([Cell::Slc, Cell::Slc]));
    assert!(none == 0.0 && both > 0.1, "{none} {both}");
    // About half of the reads are of each kind.
    assert!((one / both - 0.5).abs() < 0.15, "{one} {both}");
}

#[test]
fn arrays_say_which_drive_borrows() {
    let mut config =
        of_cells(Cell::Slc, SchemeChoice::Reo, "retries = false\nborrow = \"reo-tlc\"");
    config.array.level = ArrayLevel::Raid0;
    config.array.drives = 2;
    let result = run(&config, vec![at(0, Op::Write, 0, 4)]);
    let told = |drive| format!("drive {drive}: drive.chip.cell = slc erases by");
    for drive in [0, 1] {
        assert!(result.warnings.iter().any(|text| text.starts_with(&told(drive))));
    }
}
