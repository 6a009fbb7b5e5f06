//! A drive in an image comes back after its process has gone, whenever that was: with what had been flushed, and of
//! everything else with an old version or a newer one.

use crate::arrays::layout;
use crate::drives::{DRIVES, ORDERS, OTHERS, TIMED, config, unprotected};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use wordline_serve::{Drive, Fault, Home, Logs, Pace};
use wordline_sim::array::Level;
use wordline_sim::config::ArrayLevel;
use wordline_sim::ids::StripeId;
use wordline_sim::{Error, Outcome};

/// A file that goes with its test.
pub struct File(pub PathBuf);

impl File {
    pub fn new(name: &str) -> Self {
        // Tests run side by side, and two of them may name a file alike.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("wordline-{}-{number}-{name}.image", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::remove_file(&path).ok();
        Self(path)
    }

    /// The image of a drive of an array.
    pub fn of_drive(&self, drive: u32) -> PathBuf {
        self.0.with_extension(format!("image.{drive}"))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
        (0..4).for_each(|drive| drop(std::fs::remove_file(self.of_drive(drive))));
    }
}

/// Rules that keep data, and restarts, hold blocks back.
const ROOM: &str = " drive.chip.blocks_per_plane=48 drive.over_provisioning=1.0";

pub fn open(keys: &str, more: &[&str], path: &Path) -> Result<Drive, Error> {
    let config = config("image", &format!("{keys}{ROOM}"), more);
    Drive::new(&config, Pace::Virtual, Home::File(path), Logs::default(), &mut ())
}

/// What each unit may hold: the version of the last flush, and all later ones.
pub struct Known(pub Vec<Vec<u64>>);

impl Known {
    pub fn write(&mut self, unit: usize, version: u64) {
        self.0[unit].push(version);
    }

    pub fn flush(&mut self) {
        (0..self.0.len()).for_each(|unit| self.keep_last(unit));
    }

    /// Of what was written to a unit, the last is safe.
    pub fn keep_last(&mut self, unit: usize) {
        let versions = &mut self.0[unit];
        versions.drain(..versions.len() - 1);
    }
}

/// The data of a version of a unit.
pub fn data(unit: usize, version: u64) -> Vec<u8> {
    if version == 0 {
        return vec![0; 4096];
    }
    let word = (unit as u64) << 40 | version;
    word.to_le_bytes().repeat(512)
}

fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 11
}

/// Asks a drive until its process goes.
pub fn ask(
    drive: &Drive,
    known: &mut Known,
    numbers: &mut u64,
    requests: u64,
) -> Result<(), Fault> {
    let units = known.0.len() as u64;
    for _ in 0..requests {
        let reach = if next(numbers).is_multiple_of(4) { units } else { units / 4 };
        let unit = (next(numbers) % reach) as usize;
        let offset = 4096 * unit as u64;
        match next(numbers) % 40 {
            0 if drive.config().array.level != ArrayLevel::Raid5 => {
                drive.trim(offset, 4096, false)?;
                known.write(unit, 0);
            }
            1 => {
                drive.flush()?;
                known.flush();
            }
            _ => {
                let version = next(numbers) >> 20 | 1;
                drive.write(offset, &data(unit, version), false)?;
                known.write(unit, version);
            }
        }
    }
    Ok(())
}

fn check(drive: &Drive, known: &mut Known, told: &str) {
    let mut found = vec![0; 4096];
    for (unit, versions) in known.0.iter_mut().enumerate() {
        drive
            .read(4096 * unit as u64, &mut found)
            .unwrap_or_else(|fault| panic!("{told}, unit {unit}: {fault}"));
        let version = versions.iter().rev().find(|&&version| data(unit, version) == found);
        let version = *version.unwrap_or_else(|| {
            let word = u64::from_le_bytes(*found.first_chunk().expect("a unit"));
            panic!("{told}, unit {unit}: {word:#x}, and {versions:x?} are promised")
        });
        *versions = vec![version];
    }
}

/// The copies of a page are alike, and parity is that of its data.
pub fn check_stripes(drive: &Drive, told: &str) {
    let Some(layout) = layout(drive) else { return };
    for stripe in (0..layout.stripes).map(StripeId) {
        let held = drive.stripe(stripe);
        let pages: Vec<&[u8]> =
            held.iter().map(|page| &**page.as_ref().expect("it is there")).collect();
        let matches = match layout.level {
            Level::Raid0 => true,
            Level::Raid1 => pages.iter().all(|page| *page == pages[0]),
            Level::Raid5 => {
                (0..4096).all(|at| pages.iter().fold(0, |sum, page| sum ^ page[at]) == 0)
            }
        };
        assert!(matches, "{told}, {stripe:?}");
    }
}

/// Kills a drive again and again, and stops it once; gives the result of the life that it ended itself.
pub fn comes_back(name: &str, keys: &str, more: &[&str]) -> Outcome {
    let file = File::new(name);
    let told = format!("{name} {more:?}");
    let (mut known, mut outcome) = (None, None);
    let mut numbers = 0x1234_5678_9abc_def1;
    for round in 0..5 {
        let drive = open(keys, more, &file.0).unwrap_or_else(|error| panic!("{told}: {error}"));
        let units = drive.size_bytes() as usize / 4096;
        let known = known.get_or_insert_with(|| Known(vec![vec![0]; units]));
        check_stripes(&drive, &format!("{told}, round {round}"));
        check(&drive, known, &format!("{told}, round {round}"));
        ask(&drive, known, &mut numbers, 2000)
            .unwrap_or_else(|fault| panic!("{told}, round {round}: {fault}"));
        if round == 2 {
            known.flush();
            outcome = Some(drive.finish().unwrap_or_else(|error| panic!("{told}: {error}")));
        }
    }
    outcome.expect("one life ended so")
}

#[test]
fn a_drive_with_a_capacitor_comes_back() {
    for (name, keys) in DRIVES.iter().filter(|(name, _)| !OTHERS.contains(name)) {
        comes_back(name, keys, &["drive.scheduling.order=in_order"]);
    }
}

#[test]
fn a_drive_without_a_capacitor_comes_back() {
    for (at, (name, keys)) in unprotected().enumerate() {
        // Each drive under one scheduler; those that need time under one that has it.
        let orders = if TIMED.contains(&name) { &ORDERS[1..] } else { ORDERS };
        let keys = format!("{keys} power.protection=none");
        comes_back(name, &keys, &[orders[at % orders.len()]]);
    }
}

#[test]
fn an_image_belongs_to_one_drive_and_one_process() {
    let file = File::new("one");
    let drive = open("", &[], &file.0).expect("it works");
    let again = open("", &[], &file.0).err().expect("it is in use").to_string();
    assert!(again.contains("another process serves it"), "{again}");
    drop(drive);
    let other = open("", &["drive.over_provisioning=0.6"], &file.0);
    let other = other.err().expect("it is another drive's").to_string();
    assert!(other.contains("over_provisioning = 1.0") && other.contains("0.6"), "{other}");
    std::fs::write(&file.0, b"no image").expect("it can be written");
    let none = open("", &[], &file.0).err().expect("it is no image").to_string();
    assert!(none.contains("it is no image of a drive"), "{none}");
}

#[test]
fn an_image_that_was_cut_short_is_refused() {
    let file = File::new("short");
    drop(open("", &[], &file.0).expect("it works"));
    let whole = std::fs::OpenOptions::new().write(true).open(&file.0).expect("it is there");
    let length = whole.metadata().expect("it has a length").len();
    whole.set_len(length - 1).expect("it can be cut");
    let short = open("", &[], &file.0).err().expect("it is short").to_string();
    assert!(short.contains("it is cut short"), "{short}");
}
