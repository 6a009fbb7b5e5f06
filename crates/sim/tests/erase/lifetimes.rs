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
