//! Benchmark of second writes by their codes, on a drive that holds data.

use crate::case::{Case, Goal, Measured};
use std::fs;
use std::ops::Range;
use wordline_serve::{Drive, Home, Logs, Pace};
use wordline_sim::config::load;
use wordline_sim::peak_rss_mib;

/// Codes with the spare cells at which few second writes do not fit.
pub const CASES: &[Case] = &[
    Case {
        goal: goal("serve/second/polar"),
        run: |tiny| second_writes(&["technique.llh_ftl.code=polar", SPARE], tiny),
    },
    Case {
        goal: goal("serve/second/polar64"),
        run: |tiny| second_writes(&["technique.llh_ftl.code=polar64", SPARE_OF_LAYOUTS], tiny),
    },
];

const fn goal(name: &'static str) -> Goal {
    Goal { name, unit: "k/s of CPU time", value: 10.0, at_least: true }
}

const SPARE: &str = "technique.llh_ftl.spare_percent=10.5";
const SPARE_OF_LAYOUTS: &str = "technique.llh_ftl.spare_percent=5.5";

/// The drive `llh-ftl-16g`, of which only some of the blocks are there.
const SMALL: &[&str] = &[
    "drive.channels=2",
    "drive.chips_per_channel=1",
    "drive.chip.blocks_per_plane=32",
    "drive.chip.pages_per_block=64",
    "drive.over_provisioning=1.0",
    "precondition.fill=0",
    "ftl.hotness.policy=size",
    "data.second_write=coded",
];

const UNIT: u64 = 4096;

/// Thousand second writes for each second of processor time in which the drive takes writes, those for the first time
/// and what garbage collection moves included.
fn second_writes(code: &[&str], tiny: bool) -> Result<Measured, String> {
    let drive = drive(&[SMALL, code].concat())?;
    let (before, requests) = if tiny { (10_000, 10_000) } else { (20_000, 200_000) };
    write(&drive, 0..before)?;
    let (first, begun) = (reprograms(&drive)?, processor_ns()?);
    write(&drive, before..before + requests)?;
    let taken_ns = processor_ns()? - begun;
    let done = reprograms(&drive)? - first;
    if done == 0.0 || taken_ns == 0.0 {
        return Err("nothing was coded, or in no time".into());
    }
    Ok(Measured { value: 1e6 * done / taken_ns, peak_rss_mib: peak_rss_mib() })
}

fn drive(keys: &[&str]) -> Result<Drive, String> {
    let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
    let config =
        load("preset = \"llh-ftl-16g\"", "benchmark", &keys).map_err(|it| it.to_string())?;
    Drive::new(&config, Pace::Virtual, Home::Process, Logs::default(), &mut ())
        .map_err(|error| error.to_string())
}

/// The upper bits of a number choose one of 512 units: an eighth of the drive, so that most pages are out of date by the time that
/// their block is written again.
const REACH_BITS: u32 = 9;

/// Writes units all over the place, in each of which the data is another.
fn write(drive: &Drive, numbers: Range<u64>) -> Result<(), String> {
    let mut data = [0; UNIT as usize];
    for number in numbers {
        data[..8].copy_from_slice(&number.to_le_bytes());
        let unit = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - REACH_BITS);
        drive.write(unit * UNIT, &data, false).map_err(|fault| fault.to_string())?;
    }
    Ok(())
}

/// Second writes so far.
fn reprograms(drive: &Drive) -> Result<f64, String> {
    let outcome = drive.finish().map_err(|error| error.to_string())?;
    let own = outcome.result.technique.get("llh_ftl").ok_or("the drive has no such technique")?;
    own["reprograms"].as_f64().ok_or_else(|| "second writes are not counted".into())
}

/// Nanoseconds for which this thread has run.
fn processor_ns() -> Result<f64, String> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").map_err(|it| it.to_string())?;
    let first = text.split_whitespace().next().and_then(|word| word.parse().ok());
    first.ok_or_else(|| "the system does not tell for how long a thread has run".into())
}
