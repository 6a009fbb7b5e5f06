//! Every drive gives back what a plain array of bytes gives, whatever its technique and its code.

mod array_images;
mod arrays;
mod clock;
mod compositions;
mod cuts;
mod drives;
mod image;
mod second;

use drives::{DRIVES, ORDERS, TIMED, drive, unprotected};
use wordline_serve::{Drive, Fault};
use wordline_sim::Outcome;
use wordline_sim::config::ArrayLevel;
use wordline_sim::reliability::Chip;

/// Numbers as if drawn.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }

    fn bytes(&mut self, count: u64) -> Vec<u8> {
        let words = (0..count.div_ceil(8)).flat_map(|_| self.next().to_le_bytes());
        words.take(count as usize).collect()
    }
}

/// What a request may be.
fn ask(drive: &Drive, plain: &mut [u8], numbers: &mut Numbers) -> Result<(), Fault> {
    let size = plain.len() as u64;
    // Four in five go to a fifth of the drive.
    let reach = if numbers.below(5) > 0 { size / 5 } else { size };
    let (mut offset, mut bytes) = (numbers.below(reach), 1 + numbers.below(20_000));
    if numbers.below(3) > 0 {
        (offset, bytes) = (offset / 4096 * 4096, bytes.next_multiple_of(4096));
    }
    let bytes = bytes.min(size - offset);
    let range = offset as usize..(offset + bytes) as usize;
    match numbers.below(20) {
        0..=11 => {
            let data = numbers.bytes(bytes);
            drive.write(offset, &data, numbers.below(50) == 0)?;
            plain[range].copy_from_slice(&data);
        }
        12..=15 => {
            let mut data = vec![0xaa; bytes as usize];
            drive.read(offset, &mut data)?;
            assert!(data == plain[range], "{bytes} bytes from {offset}");
        }
        16 => {
            drive.trim(offset, bytes, false)?;
            let unit = drive.unit_bytes();
            let (first, end) = (offset.next_multiple_of(unit), (offset + bytes) / unit * unit);
            // RAID 5 keeps what is trimmed.
            if first < end && drive.config().array.level != ArrayLevel::Raid5 {
                plain[first as usize..end as usize].fill(0);
            }
        }
        17 => {
            drive.zero(offset, bytes, numbers.below(2) == 0, false)?;
            plain[range].fill(0);
        }
        _ => drive.flush()?,
    }
    Ok(())
}

/// Asks a drive at random, and then reads all of it; gives the result.
fn check(name: &str, keys: &str, more: &[&str], requests: u64) -> Outcome {
    let drive = drive(name, keys, more);
    let mut plain = vec![0; drive.size_bytes() as usize];
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for request in 0..requests {
        ask(&drive, &mut plain, &mut numbers)
            .unwrap_or_else(|fault| panic!("{name} {more:?}, request {request}: {fault}"));
    }
    let mut all = vec![0; plain.len()];
    drive.read(0, &mut all).unwrap_or_else(|fault| panic!("{name} {more:?}: {fault}"));
    let wrong = all.iter().zip(&plain).position(|(byte, known)| byte != known);
    assert_eq!(wrong, None, "{name} {more:?}: the first wrong byte");
    let outcome = drive.finish().unwrap_or_else(|error| panic!("{name} {more:?}: {error}"));
    let erases = outcome.result.flash.erases;
    assert!(erases > 30, "{name} {more:?}: {erases} erases move too little");
    assert_eq!(drive.counts().moves.lost, 0, "{name} {more:?}: lost as it was moved");
    outcome
}

#[test]
fn every_technique_gives_back_what_was_written() {
    for (name, keys) in DRIVES {
        // Second stages are due, and parts wait, by the time that passes.
        let orders = if TIMED.contains(name) { &ORDERS[1..] } else { ORDERS };
        for order in orders {
            check(name, keys, &[order], 2400);
        }
    }
}

/// Codes, with errors that each can just about correct.
const CODES: &[&[&str]] = &[
    &["data.code=ldpc", "data.errors=fixed", "data.rber=0.004"],
    &["data.code=bch", "data.errors=fixed", "data.rber=0.003"],
    &["data.code=ldpc", "data.errors=reo-tlc", "data.age_h=720"],
    &["data.code=bch", "data.bch_bits=24", "data.errors=fixed", "data.rber=0.0002"],
];

#[test]
fn every_code_gives_back_what_was_written() {
    for (index, (name, keys)) in DRIVES.iter().enumerate() {
        let code = CODES[index % CODES.len()];
        if code.contains(&"data.errors=reo-tlc") && keys.contains("cell=mlc") {
            continue;
        }
        let more = [code, &["drive.scheduling.order=in_order"]].concat();
        check(name, keys, &more, 2500);
    }
}

/// Writes and reads the first units of a drive, in turns as if drawn; returns how many reads failed, and how many gave what was
/// written last. None gives anything else.
fn what_comes_back(name: &str, drive: &Drive, units: u64, requests: u64) -> (u64, u64) {
    let mut plain = vec![0; drive.size_bytes() as usize];
    let mut numbers = Numbers(11);
    let (mut lost, mut read) = (0, 0);
    for _ in 0..requests {
        let unit = numbers.below(units) as usize;
        let range = 4096 * unit..4096 * (unit + 1);
        let offset = range.start as u64;
        if numbers.below(2) == 0 {
            let data = numbers.bytes(4096);
            drive.write(offset, &data, false).expect("it takes writes");
            plain[range].copy_from_slice(&data);
            continue;
        }
        let mut data = vec![0; 4096];
        match drive.read(offset, &mut data) {
            Ok(()) => {
                read += 1;
                assert!(data == plain[range], "{name}: a wrong byte in unit {unit}");
            }
            Err(fault) => {
                assert_eq!(fault, Fault::Unreadable);
                lost += 1;
            }
        }
    }
    assert_eq!(drive.counts().reads.lost, lost, "{name}");
    (lost, read)
}

/// Where a code corrects too little, data is lost and said to be: no wrong byte is ever given.
#[test]
fn beyond_its_limit_a_code_gives_errors_and_no_wrong_byte() {
    let none: &[&str] = &["data.errors=fixed", "data.rber=1e-5", "data.retries=0"];
    let bch: &[&str] = &["data.code=bch", "data.errors=fixed", "data.rber=0.009", "data.retries=0"];
    let ldpc: &[&str] =
        &["data.code=ldpc", "data.errors=fixed", "data.rber=0.0095", "data.retries=0"];
    for code in [none, bch, ldpc] {
        for (name, keys) in [DRIVES[0], DRIVES[9]] {
            let drive = drive(name, keys, code);
            let units = drive.size_bytes() / 8192;
            let (lost, read) = what_comes_back(&format!("{name} {code:?}"), &drive, units, 3000);
            assert!(lost > 10 && read > 10, "{name} {code:?}: {lost} lost, {read} read");
        }
    }
}

/// Each read again has its share of the wrong bits: too many for the code at first, few enough at the last.
#[test]
fn reads_again_give_what_a_first_read_does_not() {
    let code: &[&str] = &[
        "data.code=ldpc",
        "data.errors=fixed",
        "data.rber=0.02",
        "data.retries=3",
        "data.retry_share=0.5",
    ];
    let (name, keys) = DRIVES[0];
    let drive = drive(name, keys, code);
    let written: Vec<u8> = (0..100 * 4096).map(|byte| (byte % 251) as u8).collect();
    drive.write(0, &written, true).expect("it takes writes");
    let mut data = vec![0; written.len()];
    drive.read(0, &mut data).expect("the last reads are good enough");
    assert!(data == written);
    let reads = drive.counts().reads;
    assert_eq!(reads.lost, 0);
    assert!(reads.retries >= 2 * reads.units && reads.units == 100, "{reads:?}");
}

/// A page whose errors no retry corrects is an I/O error for the client, though its bytes are at hand.
#[test]
fn a_read_that_the_drive_cannot_correct_fails() {
    let (name, keys) = DRIVES[0];
    for (rber, is_lost) in [("1e-4", false), ("0.5", true)] {
        let table = format!("drive.reads.table=\"retry,rber\\n0,0.5\\n1,{rber}\\n\"");
        let drive = drive(name, keys, &["drive.reads.model=table", &table]);
        drive.write(0, &[7; 8192], true).expect("it takes writes");
        let mut data = vec![0; 8192];
        let read = drive.read(0, &mut data);
        assert_eq!(read, if is_lost { Err(Fault::Unreadable) } else { Ok(()) }, "{rber}");
        drive.write(0, &[8; 8192], true).expect("it takes writes still");
        let outcome = drive.finish().unwrap_or_else(|error| panic!("{error}"));
        let reads = outcome.result.reads.expect("pages have errors");
        assert_eq!(reads.uncorrectable > 0, is_lost, "{reads:?}");
    }
}

/// Pages that tell of trims take blocks, too, which garbage collection has to win back.
#[test]
fn trims_that_are_flushed_one_by_one_find_room() {
    for (name, keys) in unprotected() {
        let keys = format!("{keys} power.protection=none drive.chip.blocks_per_plane=48");
        // Without time for trims, so that lazyFTL has nothing due under them.
        let more = ["drive.scheduling.order=in_order", "ftl.trim_us=0", "ftl.trim_unit_us=0"];
        let drive = drive(name, &keys, &more);
        let (units, unit_bytes) = (drive.size_bytes() / drive.unit_bytes(), drive.unit_bytes());
        let data = vec![0x5a; unit_bytes as usize];
        let ask = |request: u64| -> Result<(), Fault> {
            let offset = request * 7919 % (units / 2) * unit_bytes;
            drive.trim(offset, unit_bytes, true)?;
            if request.is_multiple_of(64) { drive.write(offset, &data, true) } else { Ok(()) }
        };
        for unit in 0..units / 2 {
            let written = drive.write(unit * unit_bytes, &data, false);
            assert!(written.is_ok(), "{name}, unit {unit}: {:?}", drive.finish().err());
        }
        for request in 0..3000 {
            if ask(request).is_err() {
                panic!("{name}, request {request}: {:?}", drive.finish().err());
            }
        }
    }
}

/// Whatever chip the laboratory has tables of can be that of a drive that holds data.
#[test]
fn every_chip_with_tables_gives_the_errors_of_its_cells() {
    for name in Chip::NAMES {
        let cell = match name.rsplit_once('-') {
            Some((_, cell @ ("slc" | "tlc" | "qlc"))) => cell,
            _ => "mlc",
        };
        let keys =
            format!("data.errors={name} drive.chip.cell={cell} data.age_h=1000 data.retries=0");
        let drive = drive(name, &keys, &[]);
        let written = vec![0x3c; 1 << 20];
        drive.write(0, &written, true).expect("it takes writes");
        let mut data = vec![0; 1 << 20];
        // Without a code a read with a wrong bit fails; cells of one bit may have none.
        let read = drive.read(0, &mut data);
        assert!(cell == "slc" || read == Err(Fault::Unreadable), "{name}: {read:?}");
    }
}
