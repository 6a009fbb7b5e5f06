use super::*;
use std::collections::HashSet;

#[test]
fn every_row_is_checked_once() {
    let checks: Vec<String> =
        cases(false).into_iter().flat_map(|case| case.checks).map(|check| check.id).collect();
    let ids: HashSet<&str> = checks.iter().map(String::as_str).collect();
    let rows: HashSet<&str> = ROWS.iter().map(|row| row.id.as_str()).collect();
    assert_eq!((ids.len(), &ids), (checks.len(), &rows));
}

#[test]
fn a_drive_has_the_units_of_the_emulator_and_exports_what_it_does() {
    for drive in [PERSISTENT, INITIAL] {
        let config = drive.config(SCALE);
        let bytes = wordline_sim::logical_bytes(&config).expect("a drive that works");
        let exported = drive.pages() / SCALE * PAGE_BYTES;
        assert!(bytes.abs_diff(exported) <= PAGE_BYTES, "{bytes} {exported}");
        assert_eq!(config.drive.chip.pages_per_block * SCALE, drive.unit_pages);
    }
}
