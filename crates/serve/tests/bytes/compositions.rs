//! Drives composed at random from what the schema declares: each is refused with a reason, or gives back what was
//! written, whenever its process goes.
//!
//! The tests try some tens. For more, and from another seed on:
//!
//!     WORDLINE_COMPOSITIONS=500 WORDLINE_SEED=1 cargo test --release -p wordline-serve --test bytes compositions

use crate::arrays::{RAID0, RAID1, RAID5, words};
use crate::drives::{DRIVES, SMALL};
use crate::image::{File, Known, check_stripes};
use crate::{CODES, Numbers};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use wordline_serve::{Drive, Fault, Home, Logs, Pace};
use wordline_sim::Error;
use wordline_sim::config::{ArrayLevel, Config, Kind, Param, TABLES, load, policies};

const TRIED: u64 = 40;
const LIVES: u64 = 3;
const REQUESTS: u64 = 500;

/// Tables whose keys compose freely.
const DRAWN: &[&str] = &[
    "drive.scheduling",
    "ftl",
    "ftl.gc",
    "ftl.hotness",
    "ftl.wear",
    "ftl.map_cache",
    "erase",
    "power",
    "data",
    "array",
    "host",
];
/// Keys that are drawn elsewhere, or that take a promise away.
const FIXED: &[&str] = &[
    "array.level",
    "data.code",
    "data.errors",
    "host.mode",
    "power.erase_waits",
    "power.erases_again",
    "power.flush_completes",
    "power.flushes",
    "power.preserves",
    "power.remembers_trims",
];

fn number_from(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a whole number"))
}

fn pick<'a, T: ?Sized>(numbers: &mut Numbers, from: &[&'a T]) -> &'a T {
    from[numbers.below(from.len() as u64) as usize]
}

/// A key of the schema with one of its values.
fn key(numbers: &mut Numbers, defaults: &serde_json::Value) -> Option<String> {
    let path = pick(numbers, DRAWN);
    let table = TABLES.iter().find(|table| table.path == path)?;
    let param: &Param = &table.params[numbers.below(table.params.len() as u64) as usize];
    let name = format!("{path}.{}", param.key);
    let default = defaults.pointer(&format!("/{}", name.replace('.', "/")));
    let value = match param.kind {
        _ if FIXED.contains(&&*name) => return None,
        Kind::Bool => (numbers.below(2) == 0).to_string(),
        Kind::OneOf(names) => pick(numbers, names).to_owned(),
        Kind::Policy(slot) => pick(numbers, policies(slot)).to_owned(),
        Kind::Int(low, high) => {
            let value = default?.as_u64()?;
            (*[value / 2, value * 2, value + 1].get(numbers.below(3) as usize)?)
                .clamp(low, high)
                .to_string()
        }
        Kind::Float(low, high) => {
            let value = default?.as_f64()?;
            format!("{:?}", (value * [0.5, 2.0][numbers.below(2) as usize]).clamp(low, high))
        }
        _ => return None,
    };
    Some(format!("{name}={value}"))
}

/// The keys of a drive, as drawn.
fn drawn(numbers: &mut Numbers, defaults: &serde_json::Value) -> Vec<String> {
    let (_, keys) = DRIVES[numbers.below(DRIVES.len() as u64) as usize];
    let mut all: Vec<String> = keys.split_whitespace().map(str::to_owned).collect();
    all.push("drive.chip.blocks_per_plane=48".into());
    all.push("drive.over_provisioning=1.5".into());
    if numbers.below(2) == 0 {
        all.extend(CODES[numbers.below(3) as usize].iter().copied().map(str::to_owned));
    }
    if let Some(level) = [RAID0, RAID1, RAID5].get(numbers.below(6) as usize) {
        all.extend(words(level).into_iter().map(str::to_owned));
    }
    if numbers.below(2) == 0 {
        all.push("power.protection=none".into());
    }
    let more = numbers.below(6);
    all.extend((0..more).filter_map(|_| key(numbers, defaults)));
    all.push("run.check=true".into());
    all
}

/// The data of a version of a unit.
fn data(unit: usize, version: u64, bytes: usize) -> Vec<u8> {
    let word = if version == 0 { 0 } else { (unit as u64) << 40 | version };
    word.to_le_bytes().repeat(bytes / 8)
}

/// Asks a drive until its process goes, or it takes no more writes.
fn ask(drive: &Drive, known: &mut Known, numbers: &mut Numbers) -> Result<(), Fault> {
    let (units, bytes) = (known.0.len() as u64, drive.unit_bytes());
    for _ in 0..REQUESTS {
        let reach = if numbers.below(4) == 0 { units } else { units.div_ceil(4) };
        let unit = numbers.below(reach) as usize;
        let offset = bytes * unit as u64;
        match numbers.below(40) {
            // Whether parity follows a trim is the array's matter: it keeps what was there.
            0 if drive.config().array.level != ArrayLevel::Raid5 => {
                drive.trim(offset, bytes, false)?;
                known.write(unit, 0);
            }
            1 => {
                drive.flush()?;
                known.flush();
            }
            kind => {
                let version = numbers.below(1 << 40) | 1;
                known.write(unit, version);
                drive.write(offset, &data(unit, version, bytes as usize), kind == 2)?;
                if kind == 2 {
                    known.keep_last(unit);
                }
            }
        }
        let seen = numbers.below(reach) as usize;
        let mut found = vec![0; bytes as usize];
        drive.read(bytes * seen as u64, &mut found)?;
        let last = *known.0[seen].last().expect("one version");
        assert!(found == data(seen, last, bytes as usize), "unit {seen} as it is served");
    }
    Ok(())
}

/// Every unit holds a version that it may hold; which one is known from now on.
fn check(drive: &Drive, known: &mut Known) {
    let mut found = vec![0; drive.unit_bytes() as usize];
    for (unit, versions) in known.0.iter_mut().enumerate() {
        drive
            .read(drive.unit_bytes() * unit as u64, &mut found)
            .unwrap_or_else(|fault| panic!("unit {unit}: {fault}"));
        let is_it = |&&version: &&u64| data(unit, version, found.len()) == found;
        let version = *versions.iter().rev().find(is_it).unwrap_or_else(|| {
            panic!("unit {unit}: {:x?}, and {versions:x?} are promised", &found[..8])
        });
        *versions = vec![version];
    }
}

/// What became of a composition.
#[derive(Debug, PartialEq)]
enum Fate {
    Refused,
    ReadOnly,
    CameBack,
}

/// Serves a drive in several lives, of which only the last ends well.
fn lives(config: &Config, image: Option<&Path>, numbers: &mut Numbers) -> Result<Fate, Error> {
    let mut known = None;
    let lives = if image.is_some() { LIVES } else { 1 };
    for life in 1..=lives {
        let home = image.map_or(Home::Process, Home::File);
        let drive = Drive::new(config, Pace::Virtual, home, Logs::default(), &mut ())?;
        let units = (drive.size_bytes() / drive.unit_bytes()) as usize;
        let known = known.get_or_insert_with(|| Known(vec![vec![0]; units]));
        if image.is_some() {
            check_stripes(&drive, "after a restart");
        }
        check(&drive, known);
        match ask(&drive, known, numbers) {
            Ok(()) => {}
            Err(Fault::ReadOnly) => return Ok(Fate::ReadOnly),
            Err(fault) => panic!("{fault}: {:?}", drive.failure()),
        }
        if life == lives {
            drive.finish().unwrap_or_else(|error| panic!("at its end: {error}"));
        }
    }
    Ok(Fate::CameBack)
}

fn fate(keys: &[String], numbers: &mut Numbers) -> Fate {
    let config = match load(SMALL, "composition", keys) {
        Ok(config) => config,
        Err(error) => {
            assert!(!error.help.is_empty(), "refused without a way out: {error}");
            return Fate::Refused;
        }
    };
    let file = File::new("composition");
    let image = (config.precondition.fill == 0.0).then_some(&*file.0);
    match lives(&config, image, numbers) {
        Ok(fate) => fate,
        Err(Error::Infeasible { what, help }) => {
            assert!(!help.is_empty(), "refused without a way out: {what}");
            Fate::Refused
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn compositions_are_refused_with_a_reason_or_give_back_what_was_written() {
    let (first, tried) =
        (number_from("WORDLINE_SEED", 1), number_from("WORDLINE_COMPOSITIONS", TRIED));
    let defaults = serde_json::to_value(Config::default()).expect("it is plain data");
    let (mut failed, mut came_back, mut refused) = (Vec::new(), 0, 0);
    for seed in first..first + tried {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| _ = numbers.below(2)); // small seeds have few bits at first
        let keys = drawn(&mut numbers, &defaults);
        match catch_unwind(AssertUnwindSafe(|| fate(&keys, &mut numbers))) {
            Ok(Fate::CameBack) => came_back += 1,
            Ok(Fate::Refused) => refused += 1,
            Ok(Fate::ReadOnly) => {}
            Err(_) => failed.push(format!("WORDLINE_SEED={seed}: {}", keys.join(" "))),
        }
    }
    println!("{tried} compositions: {came_back} came back, {refused} were refused");
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    assert!(came_back * 3 > tried, "{came_back} of {tried} could be served");
}
