//! An array in images comes back after its process has gone, whenever that was: with what had been flushed, and with stripes
//! that match.

use crate::arrays::{RAID0, RAID1, RAID5, keys_of, words};
use crate::drives::{ORDERS, TIMED, unprotected};
use crate::image::{File, Known, ask, comes_back, data, open};
use wordline_serve::Fault;

const BARE: &str = " power.protection=none";

#[test]
fn every_level_comes_back_with_and_without_a_capacitor() {
    for (at, level) in [RAID0, RAID1, RAID5].into_iter().enumerate() {
        for (more, keys) in ["", BARE].into_iter().enumerate() {
            let order = ORDERS[(at + more) % ORDERS.len()];
            comes_back("pages", keys, &[&words(level)[..], &[order]].concat());
        }
    }
}

#[test]
fn every_technique_comes_back_in_an_array() {
    for (at, (name, keys)) in unprotected().enumerate() {
        let orders = if TIMED.contains(&name) { &ORDERS[1..] } else { ORDERS };
        let level = [RAID5, RAID1][at % 2];
        comes_back(
            name,
            &format!("{keys}{BARE}"),
            &[&words(level)[..], &[orders[at % orders.len()]]].concat(),
        );
    }
}

/// Power fails again and again while a code corrects too little: what is lost is said to be, before and after.
#[test]
fn what_is_lost_as_power_fails_is_an_error_and_no_wrong_byte() {
    let code = ["data.errors=fixed", "data.rber=4e-6", "data.retries=0"];
    let more = [&words(RAID5)[..], &code].concat();
    let file = File::new("lossy");
    let (mut known, mut numbers) = (None, 0x2545_f491_4f6c_dd1d);
    let (mut lost, mut read) = (0, 0);
    for round in 0..6 {
        let drive = open(BARE, &more, &file.0).expect("it works");
        let units = drive.size_bytes() as usize / 4096;
        let known = known.get_or_insert_with(|| Known(vec![vec![0]; units]));
        let mut found = vec![0; 4096];
        for (unit, versions) in known.0.iter_mut().enumerate() {
            let offset = 4096 * unit as u64;
            match drive.read(offset, &mut found) {
                Ok(()) => {
                    versions.retain(|&version| data(unit, version) == found);
                    assert!(!versions.is_empty(), "round {round}: a wrong byte in unit {unit}");
                    read += 1;
                }
                Err(fault) => {
                    assert_eq!(fault, Fault::Unreadable);
                    drive.write(offset, &data(unit, 1), false).expect("it takes whole units");
                    versions.push(1);
                    lost += 1;
                }
            }
        }
        ask(&drive, known, &mut numbers, 1500).expect("it takes whole units");
    }
    assert!(lost > 10 && read > 1000, "{lost} lost, {read} read");
}

#[test]
fn an_array_restarts_from_all_of_its_images_or_from_none() {
    let refusal = |more: &[&str], file: &File| {
        let opened = open(keys_of("pages"), more, &file.0);
        opened.err().expect("it is refused").to_string()
    };
    let file = File::new("some");
    drop(open("", &words(RAID5), &file.0).expect("it works"));
    let other = refusal(&[&words(RAID5)[..], &["array.chunk_kib=32"]].concat(), &file);
    assert!(other.contains("chunk_kib = 16.0") && other.contains("chunk_kib = 32.0"), "{other}");
    let spare = refusal(&[&words(RAID5)[..], &["array.spare=true"]].concat(), &file);
    assert!(spare.contains("array.spare"), "{spare}");
    std::fs::rename(file.of_drive(1), file.of_drive(3)).expect("it is there");
    let absent = refusal(&words(RAID5), &file);
    assert!(absent.contains("image.1: it is not there, and 2 of"), "{absent}");
    assert!(!file.of_drive(1).exists(), "none is made");
    std::fs::rename(file.of_drive(0), file.of_drive(1)).expect("it is there");
    std::fs::rename(file.of_drive(3), file.of_drive(0)).expect("it is there");
    let swapped = refusal(&words(RAID5), &file);
    assert!(swapped.contains("run.seed"), "{swapped}");
}
