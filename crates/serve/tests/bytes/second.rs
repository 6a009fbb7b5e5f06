//! Second writes of LLH-FTL by the codes themselves: over the cells as they are, and read back through wrong bits.

use crate::arrays::{RAID5, words};
use crate::drives::{DRIVES, ORDERS, config, drive};
use crate::image::comes_back;
use crate::{Numbers, check, what_comes_back};
use wordline_serve::{Drive, Home, Logs, Pace};
use wordline_sim::config::Config;
use wordline_sim::{Error, Outcome};

/// Codes with room enough, and with so little that many second writes do not fit; units of 8 KiB.
const CODED: &[&[&str]] = &[
    &["technique.llh_ftl.code=polar64", "technique.llh_ftl.spare_percent=5.5"],
    &["technique.llh_ftl.code=polar", "technique.llh_ftl.spare_percent=7"],
    &[
        "technique.llh_ftl.code=polar64",
        "technique.llh_ftl.spare_percent=4.5",
        "drive.chip.page_kib=16",
        "ftl.mapping_unit_kib=8",
    ],
];

fn keys() -> &'static str {
    DRIVES.iter().find(|(name, _)| *name == "llh_ftl").expect("there is such a drive").1
}

fn coded<'a>(code: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&["data.second_write=coded"], code, more].concat()
}

fn second_writes(outcome: &Outcome) -> (u64, u64) {
    let own = &outcome.result.technique["llh_ftl"];
    let counts = [&own["reprograms"], &own["encoding"]["failures"]];
    let [reprograms, failures] = counts.map(|it| it.as_u64().expect("a count"));
    (reprograms, failures)
}

#[test]
fn what_codes_write_over_used_pages_comes_back() {
    for (index, code) in CODED.iter().enumerate() {
        let errors: &[&str] = match index {
            0 => &["data.code=ldpc", "data.errors=fixed", "data.rber=0.004"],
            1 => &["data.code=bch", "data.errors=fixed", "data.rber=0.003"],
            _ => &[],
        };
        let outcome = check("llh_ftl", keys(), &coded(code, errors), 2500);
        let (reprograms, failures) = second_writes(&outcome);
        assert!(reprograms > 100, "{code:?}: {reprograms} second writes");
        assert_eq!(failures > 10, index == 1, "{code:?}: {failures} do not fit");
    }
}

/// These take milliseconds a page.
const SLOW: &[&[&str]] = &[
    &["technique.llh_ftl.code=ldgm", "technique.llh_ftl.spare_percent=2.5"],
    &["technique.llh_ftl.code=elimination", "technique.llh_ftl.spare_percent=2.5"],
];

#[test]
fn slower_codes_bring_back_what_they_write_too() {
    for code in SLOW {
        let errors = ["data.code=bch", "data.errors=fixed", "data.rber=0.003"];
        let outcome = check("llh_ftl", keys(), &coded(code, &errors), 1600);
        let (reprograms, _) = second_writes(&outcome);
        assert!(reprograms > 100, "{code:?}: {reprograms} second writes");
    }
}

#[test]
fn the_drives_of_an_array_code_their_second_writes() {
    let array = [
        "array.level=raid5",
        "array.drives=3",
        "array.chunk_kib=16",
        "array.stripe_cache=16",
        "data.code=ldpc",
        "data.errors=fixed",
        "data.rber=0.004",
    ];
    check("llh_ftl", keys(), &coded(CODED[0], &array), 3000);
}

/// Its process goes again and again, and what second writes hold stays in the image: with a capacitor once it has a place, and
/// without one once it has been programmed.
#[test]
fn second_writes_outlive_the_process_in_an_image() {
    for (at, protection) in ["capacitor", "none"].into_iter().enumerate() {
        let power = format!("power.protection={protection}");
        for order in ORDERS {
            let more = [
                power.as_str(),
                order,
                "drive.chip.blocks_per_plane=28",
                "data.code=bch",
                "data.errors=fixed",
                "data.rber=0.003",
            ];
            let outcome = comes_back("llh_ftl", keys(), &coded(CODED[at], &more));
            let (reprograms, _) = second_writes(&outcome);
            assert!(reprograms > 30, "{more:?}: {reprograms} second writes");
        }
    }
}

#[test]
fn those_of_slower_codes_do_too() {
    let more = ["power.protection=none", "drive.chip.blocks_per_plane=28", ORDERS[1]];
    for code in SLOW {
        let outcome = comes_back("llh_ftl", keys(), &coded(code, &more));
        let (reprograms, _) = second_writes(&outcome);
        assert!(reprograms > 30, "{code:?}: {reprograms} second writes");
    }
}

/// Each drive of an array has an image of its own, in which its second writes stay.
#[test]
fn second_writes_outlive_the_process_in_the_images_of_an_array() {
    let more = ["power.protection=none", "drive.chip.blocks_per_plane=28", ORDERS[1]];
    let more = [&words(RAID5)[..], &coded(CODED[1], &more)].concat();
    let outcome = comes_back("llh_ftl", keys(), &more);
    let drives = &outcome.result.array.as_ref().expect("an array").drives;
    let own = |at: usize| drives[at].technique["llh_ftl"]["reprograms"].as_u64();
    assert!((0..drives.len()).all(|at| own(at) > Some(10)), "too few second writes");
}

/// A drive without capacitor copies what a second write puts at risk before it issues it, such as data whose trim is not
/// written down: until then the page holds what it held.
#[test]
fn a_second_write_comes_after_the_copies_of_what_it_puts_at_risk() {
    let bare = ["power.protection=none", "drive.chip.blocks_per_plane=28"];
    let drive = drive("llh_ftl", keys(), &coded(CODED[0], &bare));
    let mut numbers = Numbers(3);
    for _ in 0..5000 {
        let offset = 4096 * numbers.below(1000);
        let asked = match numbers.below(100) {
            0 => drive.flush(),
            1..=3 => drive.trim(offset, 4096, false),
            _ => drive.write(offset, &[numbers.below(256) as u8; 4096], false),
        };
        asked.expect("it takes requests");
    }
    let (reprograms, _) = second_writes(&drive.finish().expect("it works"));
    let moves = drive.counts().moves;
    assert!(reprograms > 100 && moves.units > 50, "{reprograms} second writes, {moves:?}");
    assert_eq!(moves.lost, 0, "{moves:?}");
}

/// The coin of `technique.llh_ftl.failure` decides only where no code is tried.
#[test]
fn its_code_decides_whether_a_second_write_fits() {
    let assumed = drive("llh_ftl", keys(), &["technique.llh_ftl.failure=0.5"]);
    let code = &["technique.llh_ftl.code=polar64", "technique.llh_ftl.spare_percent=5.5"];
    let coded = drive("llh_ftl", keys(), &coded(code, &[]));
    let (mut numbers, mut failed) = (Numbers(5), Vec::new());
    for drive in [&assumed, &coded] {
        for _ in 0..3000 {
            let data = numbers.bytes(4096);
            let unit = numbers.below(drive.size_bytes() / 8192);
            drive.write(4096 * unit, &data, false).expect("it takes writes");
        }
        failed.push(second_writes(&drive.finish().expect("it works")));
    }
    assert_eq!(failed[1].1, 0, "{failed:?}");
    assert!(failed[0].1 > 100 && failed[1].0 > 100, "{failed:?}");
}

/// Beyond the limit of the error correction data is lost and said to be; so it is without any.
#[test]
fn a_second_write_that_cannot_be_read_is_an_error_and_no_wrong_byte() {
    for errors in [
        ["data.errors=fixed", "data.rber=3e-6", "data.retries=0", "data.code=none"],
        ["data.errors=fixed", "data.rber=0.0095", "data.retries=0", "data.code=ldpc"],
    ] {
        let drive = drive("llh_ftl", keys(), &coded(CODED[0], &errors));
        let units = drive.size_bytes() / 8192;
        let (lost, read) = what_comes_back("llh_ftl", &drive, units, 3000);
        assert!(lost > 10 && read > 10, "{errors:?}: {lost} lost, {read} read");
    }
}

fn refusal(config: &Config) -> String {
    let drive = Drive::new(config, Pace::Virtual, Home::Process, Logs::default(), &mut ());
    match drive.map(|_| ()).expect_err("it is refused") {
        Error::Infeasible { what, help } => format!("{what}; {help}"),
        other => panic!("{other}"),
    }
}

#[test]
fn drives_whose_second_writes_cannot_be_coded_are_refused() {
    let polar: &[&str] = &["technique.llh_ftl.code=polar", "technique.llh_ftl.spare_percent=10.5"];
    for (name, keys, more, told) in [
        ("pages", "", &[][..], "set technique.llh_ftl"),
        ("llh_ftl", keys(), &[], "set technique.llh_ftl.code"),
        (
            "llh_ftl",
            keys(),
            &[polar, &["drive.chip.page_kib=16"]].concat()[..],
            "16 KiB hold 4; set ftl.mapping_unit_kib to 8,",
        ),
    ] {
        let config = config(name, keys, &coded(&[], more));
        let refused = refusal(&config);
        assert!(refused.contains("data.second_write") && refused.contains(told), "{refused}");
    }
}
